"""Words weighted as they come: by how rare they are, and to the same length in every row."""

import numpy as np
import pytest
from hypothesis import strategies as st

from rosenblatt import OnlineClassifier, load, save
from rosenblatt.data.rows import Sparse
from rosenblatt.kernels.online.standardize import LENGTH
from rosenblatt.readers.names import Kept, from_header
from rosenblatt.readers.text import word_columns
from rosenblatt.reference.scaling import standardized, weighted_words
from rosenblatt.stream.rules import Options
from rosenblatt.stream.scaling import Scaling
from tests.conftest import examples

OPTIONS = Options("logistic", learning_rate="adaptive", scale="standard", dtype="float64")
TEXTS = ["free offer now", "see you now", "free free prize", "you and me", "now or never", "offer"]
LABELS = np.array(["spam", "ham", "spam", "ham", "ham", "spam"], object)


def rows_of_texts(texts, names):
    indptr, columns, values = word_columns(texts, 1, names)
    return Sparse(indptr.astype(np.int32), columns.astype(np.int32), values)


def dense(rows, width):
    X = np.zeros((len(rows.indptr) - 1, width))
    for i in range(len(X)):
        part = slice(rows.indptr[i], rows.indptr[i + 1])
        X[i, rows.indices[part]] = rows.values[part]
    return X


def trained(texts=TEXTS, labels=LABELS, options=OPTIONS, pieces=1):
    names = Kept()
    names.counts_words = options.scale == "standard"
    model = OnlineClassifier.with_names(options, names)
    size = -(-len(texts) // pieces)
    for start in range(0, len(texts), size):
        part = slice(start, start + size)
        model.learn_rows(rows_of_texts(texts[part], names), labels[part])
    return model


@examples(
    20,
    200,
    texts=st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), min_size=1, max_size=9),
)
def test_each_word_by_the_texts_so_far(texts):
    names = Kept()
    names.counts_words = True
    rows = rows_of_texts([" ".join(words) for words in texts], names)
    found = Scaling(names).learn(rows, names.n_features)
    expected = weighted_words(dense(rows, names.n_features), LENGTH)
    np.testing.assert_allclose(dense(found, names.n_features), expected, rtol=1e-12)


def test_numbers_beside_words_are_standardised():
    names = Kept()
    names.counts_words = True
    words = rows_of_texts(TEXTS, names)
    age = int(names.columns(["age"])[0])
    ages = np.array([20.0, 30, 40, 50, 60, 70])
    indptr = words.indptr + np.arange(7, dtype=np.int32)
    ends = words.indptr[1:]
    rows = Sparse(
        indptr,
        np.insert(words.indices, ends, age).astype(np.int32),
        np.insert(words.values, ends, ages),
    )
    scaling = Scaling(names)
    found = dense(scaling.learn(rows, names.n_features), names.n_features)
    np.testing.assert_allclose(found[:, age], standardized(ages[:, None])[:, 0], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(np.delete(found, age, axis=1), axis=1), LENGTH)
    again = dense(scaling.transform(rows), names.n_features)
    np.testing.assert_allclose(again[:, age], (ages - ages.mean()) / ages.std())


def test_a_stream_has_no_seams():
    whole = trained()
    for pieces in (2, 6):
        parts = trained(pieces=pieces)
        np.testing.assert_array_equal(whole.coef_, parts.coef_)
        np.testing.assert_array_equal(whole.intercept_, parts.intercept_)


def test_what_is_saved_goes_on_as_if_nothing_had_happened(tmp_path):
    whole, first = trained(), trained(TEXTS[:4], LABELS[:4])
    save(first, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    again.learn_rows(rows_of_texts(TEXTS[4:], again._names), LABELS[4:])
    rows = rows_of_texts(TEXTS, whole._names)
    np.testing.assert_array_equal(whole.coef_, again.coef_)
    np.testing.assert_array_equal(whole.scores(rows), again.scores(rows))


def test_one_text_at_a_time_scores_as_all_together():
    model = trained()
    rows = rows_of_texts(TEXTS, model._names)
    each = [model.scores(rows_of_texts([text], model._names))[0] for text in TEXTS]
    np.testing.assert_allclose(model.scores(rows), each, rtol=1e-12)


def test_a_dict_for_a_model_of_words_has_words():
    whole, one = trained(TEXTS[:4], LABELS[:4]), trained(TEXTS[:4], LABELS[:4])
    whole.learn_rows(rows_of_texts(["brand new offer"], whole._names), np.array(["spam"], object))
    one.learn_one({"brand": 1, "new": 1, "offer": 1}, "spam")
    assert one._names.words.all()
    np.testing.assert_array_equal(whole.coef_, one.coef_)


def test_words_can_be_taken_as_they_are():
    for scale in (None, "numbers"):
        model = trained(options=OPTIONS._replace(scale=scale))
        rows = rows_of_texts(TEXTS, model._names)
        by_hand = dense(rows, model.n_features_) @ model.coef_[0] + model.intercept_[0]
        np.testing.assert_allclose(model.scores(rows), by_hand)


def test_weights_are_those_of_a_text_of_usual_length():
    model = trained()
    rows = rows_of_texts(["free offer"], model._names)
    weights = 1 + np.log(7 / (1 + model._scaling.columns().texts[rows.indices]))
    length = np.linalg.norm(weights)
    by_hand = model.coef_[0][rows.indices].sum() * LENGTH / length + model.intercept_[0]
    np.testing.assert_allclose(model.scores(rows)[0], by_hand)


def test_a_word_that_is_0_times_there_is_not_there():
    one, other = trained(), trained()
    assert one.scores_one({"free": 1}) == one.scores_one({"free": 1, "you": 0, "now": -2})
    one.learn_one({"free": 1}, "ham")
    other.learn_one({"free": 1, "you": 0}, "ham")
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_a_model_whose_words_are_not_weighted_gets_no_weighted_words(tmp_path):
    model = trained(options=OPTIONS._replace(scale="numbers"))
    save(model, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    word_columns(["brand new words"], 1, again._names)
    assert not again._names.words.any()


def test_categories_are_not_words():
    names = Kept()
    names.counts_words = True
    names.columns(["city=Oslo"])
    word_columns(["free offer"], 1, names)
    names.columns(["city=Bergen"])
    assert names.words.tolist() == [0, 1, 1, 0]
    names.forget(2)
    names.columns(["a", "b"])
    assert names.words.tolist() == [0, 1, 0, 0]
    word_columns(["free day"], 1, names)
    assert names.words.tolist() == [0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    "words", [np.uint8([1]), np.uint8([1, 2, 0]), np.ones(3), np.ones((3, 1), np.uint8)]
)
def test_damaged_words(words):
    names = Kept()
    names.counts_words = True
    word_columns(["free offer now"], 1, names)
    arrays = names.arrays() | {"words": words}
    with pytest.raises(ValueError, match="words is damaged"):
        from_header(names.header(), arrays)


@pytest.mark.parametrize("texts", [None, [1, 1], [-1] * 10, [99] * 10])
def test_damaged_counts_of_texts(texts):
    model = trained()
    header, arrays = model.to_parts()
    assert len(arrays["scaling.texts"]) == model.n_features_ == 10
    del arrays["scaling.texts"]
    if texts is not None:
        arrays["scaling.texts"] = np.array(texts)
    with pytest.raises(ValueError, match="in how many texts"):
        OnlineClassifier.from_parts(header, arrays)
