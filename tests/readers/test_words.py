"""The columns of words are those that the names give to the reference's features."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from rosenblatt import AveragedPerceptron
from rosenblatt.readers.names import Hashed, Kept, Numbered
from rosenblatt.readers.text import MOST_NGRAMS, word_columns, word_columns_of
from rosenblatt.reference.words import features

from .raw_text import columns_of

PREFIXES = ["", "a", "subject=", "é=", "a^b=", "^", "12", "1234=", "0", "\ud800"]
KINDS = [Kept, lambda: Hashed(4), lambda: Hashed(22), lambda: Hashed(30)]
texts = st.text(st.sampled_from("aB 1'^!’£é\0") | st.characters(codec="utf-8"), max_size=40)


def cut_up(found):
    indptr, columns, values = found
    assert (values == 1).all()
    assert indptr.dtype == columns.dtype == np.int64
    assert indptr[0] == 0
    assert indptr[-1] == len(columns)
    return [columns[a:b].tolist() for a, b in pairwise(indptr)]


@given(
    st.lists(texts, max_size=5),
    st.integers(1, 3),
    st.sampled_from(KINDS),
    st.sampled_from(PREFIXES),
)
def test_columns_are_those_of_the_names(rows, ngrams, kind, prefix):
    compiled, plain = kind(), kind()
    found = cut_up(word_columns(rows, ngrams, compiled, prefix))
    before = prefix.encode("utf-8", "surrogatepass")
    named = [features(row.encode(), ngrams, before) for row in rows]
    assert found == [columns_of(names, plain) for names in named]
    assert compiled.n_features == plain.n_features
    if before.isascii():  # and the same names as text mean the same
        known = [name.decode() for names in named for name in names]
        assert compiled.columns(known).tolist() == plain.columns(known).tolist()
        assert set(compiled.columns(known).tolist()) == {c for row in found for c in row}


@given(st.lists(st.binary(max_size=30), max_size=5), st.integers(1, 3), st.sampled_from(KINDS))
def test_bytes_need_not_be_utf8(rows, ngrams, kind):
    compiled, plain = kind(), kind()
    text = np.frombuffer(b"".join(rows), np.uint8)
    ends = np.cumsum([0, *map(len, rows)])
    found = cut_up(word_columns_of(text, ends[:-1], ends[1:], ngrams, compiled))
    assert found == [columns_of(features(row, ngrams), plain) for row in rows]


def test_names_by_example():
    names = Kept()
    found = cut_up(word_columns(["Don't PANIC!! 42", "", "panic"], 2, names, "subject="))
    named = [[names.name(column) for column in row] for row in found]
    words = ["don't", "don't panic", "panic", "panic !!", "!!", "!! 99", "99"]
    assert named == [[f"subject={word}" for word in words], [], ["subject=panic"]]


def test_a_word_counts_once_in_each_text():
    assert cut_up(word_columns(["a a b a", "a a"], 1, Kept())) == [[0, 1], [0]]
    assert cut_up(word_columns(["a a b a", "a a"], 2, Kept())) == [[0, 1, 2, 3, 4], [0, 1]]


def test_numbers_and_carets_are_columns_as_everywhere():
    names = Hashed(20)
    found = cut_up(word_columns(["1234 x", "9" * 18 + " " + "9" * 19, "a^b"], 2, names))
    assert found[0] == names.columns(["9999", "9999 x", "x"]).tolist()
    assert found[0][0] == 9999
    assert found[1][0] == (10**18 - 1) % 2**20
    assert found[2] == names.columns(["a", "a ^", "^", "^ b", "b"]).tolist()


def test_frozen_names_leave_out_what_they_do_not_know():
    names = Kept()
    word_columns(["free offer"], 2, names)
    names.frozen = True
    indptr, columns, _ = word_columns(["a free free lunch", "what", "free offer"], 2, names)
    assert indptr.tolist() == [0, 1, 1, 4]
    assert columns.tolist() == [0, 0, 1, 2]
    assert names.n_features == 3


@pytest.mark.parametrize("prefix", ["", "subject="])
def test_there_is_room_for_many_names(prefix):
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [a + b + c for a in letters for b in letters for c in letters]
    names = Kept()
    found = cut_up(word_columns([" ".join(words), "", " ".join(words[::-1])], 1, names, prefix))
    assert found == [list(range(26**3)), [], list(range(26**3))[::-1]]
    assert names.name(26**3 - 1) == f"{prefix}zzz"
    long = " ".join(word * 21 for word in words)  # the letters are full before the names
    assert cut_up(word_columns([long], 1, names)) == [list(range(26**3, 2 * 26**3))]


def test_many_words_in_a_run():
    names = Kept()
    (row,) = cut_up(word_columns(["a b c d e f g h i j k l"], MOST_NGRAMS, names))
    assert len(row) == sum(12 - k for k in range(MOST_NGRAMS))
    assert names.name(MOST_NGRAMS - 1) == "a b c d e f g h i j"
    assert cut_up(word_columns(["x " + "y" * 64], MOST_NGRAMS, names))[0] == [75, 76, 77]


def test_words_can_be_counted():
    names = Kept()
    names.counts_words = True
    indptr, columns, values = word_columns(["a b a a", "", "b b c"], 1, names)
    assert indptr.tolist() == [0, 2, 2, 4]
    assert columns.tolist() == [0, 1, 1, 2]
    assert values.tolist() == [3, 1, 2, 1]


def test_no_texts():
    indptr, columns, _ = word_columns([], 1, Kept())
    assert indptr.tolist() == [0]
    assert columns.tolist() == []


@pytest.mark.parametrize("ngrams", [0, -1, MOST_NGRAMS + 1])
def test_odd_numbers_of_words_are_refused(ngrams):
    with pytest.raises(ValueError, match=r"ngrams=.* must be between 1 and 10"):
        word_columns(["a"], ngrams, Kept())


def test_numbered_features_are_no_words():
    with pytest.raises(ValueError, match="keep the names"):
        word_columns(["a"], 1, Numbered())


@pytest.mark.parametrize(
    ("dtype", "starts", "stops"),
    [
        (np.int8, [0], [1]),
        (np.uint8, [0], [5]),
        (np.uint8, [-1], [1]),
        (np.uint8, [2], [1]),
        (np.uint8, [0, 1], [1]),
    ],
)
def test_texts_outside_of_the_array_are_refused(dtype, starts, stops):
    with pytest.raises(ValueError, match="texts must"):
        word_columns_of(np.zeros(4, dtype), np.array(starts), np.array(stops), 1, Kept())


def test_arrays_may_be_of_any_layout():
    text = np.repeat(np.frombuffer(b"one two", np.uint8), 2)[::2]
    for starts, stops in ((np.array([0, 4]), np.array([3, 7])), ([0, 4], [3, 7])):
        bounds = np.array([starts, stops], np.int32)
        assert cut_up(word_columns_of(text, *bounds, 1, Kept())) == [[0], [1]]


@pytest.mark.parametrize("kind", [Kept, lambda: Hashed(18)])
def test_spam_is_found(dataset, kind):
    data = dataset("sms_spam")
    names = kind()
    indptr, columns, _ = word_columns(data.X, 2, names)
    ones = np.ones(len(columns), np.float32)
    X = sp.csr_matrix((ones, columns, indptr), shape=(len(data.X), names.n_features))
    right = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, data.y):
        model = AveragedPerceptron(max_iter=5, tol=None, random_state=0)
        right.append(model.fit(X[train], data.y[train]).score(X[test], data.y[test]))
    assert np.mean(right) > 0.99
