"""Sentences, words and mails are what their provenance says."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest

from rosenblatt.datasets import parsing


def total(sequences):
    return sum(map(len, sequences))


def same_lengths(X, y):
    return [len(x) for x in X] == [len(tags) for tags in y]


@pytest.mark.slow
def test_chunks_of_conll2000(dataset):
    data = dataset("conll2000")
    assert data.feature_names == ("word", "pos")
    assert (total(data.X), total(data.X_test)) == (211_727, 47_377)
    assert same_lengths(data.X, data.y)
    assert same_lengths(data.X_test, data.y_test)
    assert data.X[0][:2] == (("Confidence", "NN"), ("in", "IN"))
    assert data.y[0][:2] == ("B-NP", "B-PP")
    tags, test_tags = (set(chain.from_iterable(y)) for y in (data.y, data.y_test))
    assert (len(tags), len(test_tags)) == (22, 19)
    pos = {token[1] for token in chain.from_iterable(data.X)}
    assert len(pos) == 44
    # The pound sign is a token, and starts no comment.
    assert Counter(token[0] for token in chain.from_iterable(data.X))["#"] == 36
    assert data.X_validation is data.y_validation is None


@pytest.mark.slow
def test_parts_of_speech_of_ewt(dataset):
    data = dataset("ud_english_ewt")
    assert data.feature_names == ("form",)
    assert data.X_validation.shape == data.y_validation.shape == (2001,)
    parts = (data.X, data.y), (data.X_validation, data.y_validation), (data.X_test, data.y_test)
    assert [total(X) for X, _ in parts] == [204_577, 25_147, 25_094]
    for X, y in parts:
        assert same_lengths(X, y)
        assert len(set(chain.from_iterable(y))) == 17
        assert "_" not in set(chain.from_iterable(y))
    assert " ".join(*zip(*data.X_validation[0], strict=True)) == "From the AP comes this story :"
    assert data.y_validation[0] == ("ADP", "DET", "PROPN", "VERB", "DET", "NOUN", "PUNCT")
    assert "X_validation (2001,)" in repr(data)


def test_letters_know_their_words_and_folds(dataset):
    data = dataset("ocr_letters")
    assert data.X.dtype == np.uint8
    assert set(np.unique(data.X)) == {0, 1}
    assert sorted(set(data.y.tolist())) == list("abcdefghijklmnopqrstuvwxyz")
    assert Counter(data.y.tolist())["e"] == 4955
    assert data.groups.shape == data.folds.shape == (52_152,)
    assert np.unique(data.groups).tolist() == list(range(6877))
    assert set(np.diff(data.groups)) == {0, 1}
    assert np.unique(data.folds).tolist() == list(range(10))
    # Cross-validation by these folds never splits a word.
    assert len(set(zip(data.groups.tolist(), data.folds.tolist(), strict=True))) == 6877


def test_letters_as_words(dataset):
    letters = dataset("ocr_letters")
    words = letters.sequences()
    assert words.X.shape == words.y.shape == words.folds.shape == words.groups.shape == (6877,)
    assert "".join(words.y[0]) == "ommanding"
    assert words.X[0].shape == (9, 128)
    np.testing.assert_array_equal(np.concatenate(words.X.tolist()), letters.X)
    assert list(chain.from_iterable(words.y)) == letters.y.tolist()
    assert np.bincount(words.folds).tolist() == [626, 704, 684, 698, 693, 651, 739, 717, 690, 675]
    assert words.folds[:4].tolist() == [0, 7, 8, 8]
    frames = dataset("ocr_letters", as_frame=True).sequences()
    assert frames.X[1].columns[-1] == "pixel_15_7"
    np.testing.assert_array_equal(frames.X[1], words.X[1])
    with pytest.raises(ValueError, match="'sonar' has no groups of rows"):
        dataset("sonar").sequences()


def test_mails_are_raw_and_of_the_usual_release(dataset):
    data = dataset("spamassassin")
    assert data.X[0].startswith("From exmh-workers-admin@redhat.com  Thu Aug 22 12:36:23 2002\n")
    assert "without the folder hard_ham_2" in data.description
    assert all(len(mail.encode("latin1")) == len(mail) for mail in data.X)
    assert dataset("spamassassin", as_frame=True).X["text"][0] == data.X[0]


def test_sentences_of_equal_length_stay_sentences():
    X, y = parsing.sentences(b"\na A\nb B\n\n\nc C\nd D", (0,), 1)
    assert X.tolist() == [(("a",), ("b",)), (("c",), ("d",))]
    assert y.tolist() == [("A", "B"), ("C", "D")]


def test_conllu_leaves_out_what_is_no_token():
    lines = [
        "# text = don't # 1",
        "1-2\tdon't\t_",
        "1\tdo\tAUX",
        "2\tn't\tPART",
        "2.1\tgo\tVERB",
        "",
    ]
    X, y = parsing.conllu("\n".join([*lines, *lines]).encode(), (1,), 2)
    assert X.tolist() == [(("do",), ("n't",))] * 2
    assert y.tolist() == [("AUX", "PART")] * 2


def test_no_line_but_a_line_feed_ends_a_token():
    X, _ = parsing.sentences("a\u2028b\u00a0c A\n".encode(), (0,), 1)
    assert X.tolist() == [(("a\u2028b\u00a0c",),)]
