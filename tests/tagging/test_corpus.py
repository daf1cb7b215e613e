"""A corpus has the tokens that it was made of, however they were given."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.tagging.corpus import Column, Corpus, default_names

texts = st.text(st.characters(), max_size=6)  # halves of characters, too
sentences = st.lists(st.lists(texts, max_size=5), max_size=6)


@given(sentences)
def test_texts_come_back(X):
    corpus = Corpus.from_sequences(X)
    assert [corpus[k] for k in range(len(corpus))] == list(corpus) == X
    assert (len(corpus), corpus.n_tokens) == (len(X), sum(map(len, X)))
    assert corpus.lengths.tolist() == [len(x) for x in X]
    assert corpus.names == ("word",)
    values = corpus.columns["word"].values()
    assert len(values) == len(set(values)) == len({word for x in X for word in x})


@given(st.lists(st.lists(st.tuples(texts, texts, texts), max_size=4), max_size=5), st.data())
def test_columns_come_back(X, data):
    corpus = Corpus.from_sequences(X)
    if any(X):
        assert corpus.names == ("word", "pos", "column3")
        assert [list(s) for s in corpus] == X
        dicts = [[dict(zip("abc", token, strict=True)) for token in x] for x in X]
        by_name = Corpus.from_sequences(dicts)
        assert by_name.names == ("a", "b", "c")
        assert list(by_name) == X
        assert list(corpus.only(["pos"])) == [[token[1] for token in x] for x in X]
        assert corpus.only(["column3", "word"]).names == ("column3", "word")
        assert list(Corpus.from_sequences(dicts, ["b"])) == list(corpus.only(["pos"]))
    chosen = data.draw(st.lists(st.integers(-len(X), len(X) - 1), max_size=8) if X else st.just([]))
    taken = corpus.take(np.array(chosen, int))
    assert list(taken) == [corpus[k] for k in chosen]


def test_take_by_mask_slice_and_list():
    X = [["a"], [], ["b", "c"], ["d"]]
    corpus = Corpus.from_sequences(X)
    assert list(corpus.take([2, 0, 2])) == [["b", "c"], ["a"], ["b", "c"]]
    assert list(corpus.take(np.array([True, False, False, True]))) == [["a"], ["d"]]
    assert list(corpus.take([False, True, True, False])) == [[], ["b", "c"]]
    assert list(corpus.take(slice(None, None, -1))) == X[::-1]
    assert list(corpus.take([-1, -2])) == [["d"], ["b", "c"]]
    with pytest.raises(IndexError):
        corpus.take([4])


def test_a_sequence_by_its_number():
    corpus = Corpus.from_sequences([["a", "b"], [], ["c"]])
    assert corpus[-1] == ["c"]
    assert corpus[1] == []
    for number in (3, -4):
        with pytest.raises(IndexError):
            corpus[number]
    assert repr(corpus) == "<Corpus: 3 sequences of 3 tokens with word>"


def test_names():
    assert default_names(1) == ("word",)
    assert default_names(4) == ("word", "pos", "column3", "column4")
    assert Corpus.from_sequences([["a"]], ["form"]).names == ("form",)
    assert Corpus.from_sequences([[("a", "b")]], ["form", "upos"]).names == ("form", "upos")
    assert Corpus.from_sequences([], ["form", "upos"]).names == ("form", "upos")
    assert Corpus.from_sequences([[], []], ["form", "upos"]).n_tokens == 0


def test_what_is_no_text_is_written_as_one():
    corpus = Corpus.from_sequences([[(1, 2.5), ("1", True)], [(np.int64(1), "2.5")]])
    assert list(corpus) == [[("1", "2.5"), ("1", "True")], [("1", "2.5")]]
    assert len(corpus.columns["word"].values()) == 1
    assert Column.of(["1", 1, 2, "2"]).codes.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    "X",
    [
        (("a", "b"), ("c",)),
        np.array([["a", "b"], ["c", "d"]]),
        [np.array(["a", "b"]), np.array(["c"])],
        np.array([["a", "b"], ["c"]], object),
    ],
)
def test_sequences_of_many_kinds(X):
    assert list(Corpus.from_sequences(X)) == [list(map(str, x)) for x in X]


def test_tokens_that_are_lists_or_arrays():
    for token in (["a", "b"], np.array(["a", "b"]), np.array(["a", "b"], object)):
        assert list(Corpus.from_sequences([[token]])) == [[("a", "b")]]


NONE_ALIKE = "the tokens of X must be alike: sequence "


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("the cat", "X must be a list of sequences, such as .*; got str"),
        (5, "X must be a list of sequences, such as .*; got int"),
        (None, "X must be a list of sequences, such as .*; got NoneType"),
        ((x for x in [["a"]]), "X must be a list of sequences, such as .*; got generator"),
        ({"word": ["a"]}, "got dict"),
        (["the", "cat"], r"sequence 0 is 'the'. Put a single sentence into a list: \[sentence\]"),
        ([["a"], "cat"], "sequence 1 is 'cat'"),
        ([["a"], 5], "sequence 1 is 5"),
        ([["a"], None], "sequence 1 is None"),
        ([{"word": "a"}], "sequence 0 is {'word': 'a'}"),
        ([["a"], ["b", 5]], NONE_ALIKE + "1 has 5, the first token is 'a'"),
        ([["a", None]], NONE_ALIKE + "0 has None, the first token is 'a'"),
        ([["a", float("nan")]], NONE_ALIKE + "0 has nan, the first token is 'a'"),
        ([["a"], [], [("a", "b")]], NONE_ALIKE + r"2 has \('a', 'b'\), the first token is 'a'"),
        ([["a", {"word": "a"}]], NONE_ALIKE + "0 has {'word': 'a'}"),
        ([[("a", "b"), "ab"]], NONE_ALIKE + r"0 has 'ab', the first token is \('a', 'b'\)"),
        ([[("a", "b"), ("a",)]], NONE_ALIKE + r"0 has \('a',\)"),
        ([[("a", "b"), None]], NONE_ALIKE + "0 has None"),
        ([[("a", "b"), 5]], NONE_ALIKE + "0 has 5"),
        ([[{"a": "x"}, {"b": "x"}]], NONE_ALIKE + "0 has {'b': 'x'}, the first token is {'a'"),
        ([[{"a": "x"}, {"a": "x", "b": "y"}]], NONE_ALIKE + "0 has"),
        ([[{"a": "x"}, "x"]], NONE_ALIKE + "0 has 'x'"),
        ([[5]], "a token must be a text, or a tuple or dict of texts; the first one of X is 5"),
        ([[None, "a"]], "a token must be a text, or .*; the first one of X is None"),
        ([[b"a"]], "a token must be a text, or .*; the first one of X is b'a'"),
        ([[()]], r"a token must be a text, or .*; the first one of X is \(\)"),
        ([[{}]], "a token must be a text, or .*; the first one of X is {}"),
        ([[("a", None)]], "column 'pos' has no value at row 0; fill it, for example with ''"),
        ([[("a", "b")], [(float("nan"), "b")]], "column 'word' has no value at row 1"),
        ([[{"a": "x"}, {"a": None}]], "column 'a' has no value at row 1"),
        ([[("a", ["b"])]], "column 'pos' must have texts or numbers as values: unhashable"),
    ],
)
def test_sequences_that_are_none(X, message):
    with pytest.raises(ValueError, match=message):
        Corpus.from_sequences(X)


@pytest.mark.parametrize(
    ("X", "names", "message"),
    [
        ([[("a", "b")]], ["word"], "tokens have 2 columns, and there are 1 names for them: word"),
        (
            [["a"]],
            ["word", "pos"],
            "tokens have 1 column, and there are 2 names for them: word, po",
        ),
        ([[{"a": "x", "b": "y"}]], ["c"], "there is no column 'c'; the columns are a, b"),
    ],
)
def test_names_that_do_not_fit(X, names, message):
    with pytest.raises(ValueError, match=message):
        Corpus.from_sequences(X, names)


def test_columns_and_offsets_that_do_not_fit():
    with pytest.raises(ValueError, match="column 'pos' has 1 values, and the lengths of"):
        Corpus.from_columns({"word": ["a", "b"], "pos": ["x"]}, [2])
    column = Column.of(["a", "b"])
    for offsets in ([0, 1], [0, 3], [0, 3, 2], [1, 2], [0, -1, 2], [], [[0, 2]]):
        with pytest.raises(ValueError, match=r"the lengths of the sequences|must rise from 0 on"):
            Corpus({"word": column}, np.array(offsets))
    assert list(Corpus({"word": column}, np.array([0, 1, 2], np.int32))) == [["a"], ["b"]]
    assert Corpus({"word": column}, [0, 2]).n_tokens == 2


@pytest.mark.parametrize(
    ("letters", "ends", "codes", "why"),
    [
        (b"abc", [3, 10**12], [0, 1], "do not end where its letters do"),
        (b"abc", [-1, 3], [0, 1], "do not end where its letters do"),
        (b"abc", [3, 2], [0, 1], "do not end where its letters do"),
        (b"abc", [2, 3], [0, 2], "a code is not that of a value"),
        (b"abc", [2, 3], [-1, 1], "a code is not that of a value"),
        (b"abc", [2.0, 3.0], [0, 1], "of wrong types"),
        (b"abc", [[2, 3]], [0, 1], "of wrong types"),
    ],
)
def test_columns_that_compiled_code_could_not_trust(letters, ends, codes, why):
    column = Column(np.frombuffer(letters, np.uint8), np.array(ends), np.array(codes, np.int32))
    with pytest.raises(ValueError, match=f"column 'word' is damaged: .*{why}"):
        Corpus({"word": column}, np.array([0, 2]))
