"""Input that makes no sense: a line that says what is wrong and where, and nothing changes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from rosenblatt import SequenceTagger
from rosenblatt.tagging.corpus import Column, Corpus
from tests.tagging.tagged_sentences import model_bits

X = [["the", "old", "man"], ["the", "man", "sings"], ["old", "songs"]]
Y = [["DET", "ADJ", "NOUN"], ["DET", "NOUN", "VERB"], ["ADJ", "NOUN"]]
PAIRS = [[(word, word[:1]) for word in row] for row in X]
FLAT = {"word": ["the", "man", "sings"], "pos": ["D", "N", "V"]}
FLAT_Y, GROUPS = ["DET", "NOUN", "VERB"], [1, 1, 2]
NAN = float("nan")


@pytest.fixture(params=["words", "pairs"])
def fitted(request):
    return SequenceTagger().fit(X if request.param == "words" else PAIRS, Y)


def rejects(model, message, call, *args, **options):
    """Hold a call to an error in one line that has a message, and the model to what it was."""
    before = model_bits(model)
    with pytest.raises(ValueError, match=message) as error:
        call(*args, **options)
    assert "\n" not in str(error.value)
    assert model_bits(model) == before


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (([], []), "X has no tokens, so there is nothing to learn from"),
        (([[], []], [[], []]), "X has no tokens, so there is nothing to learn from"),
        ((["the", "man"], ["DET", "NOUN"]), r"Put a single sentence into a list: \[sentence\]"),
        (("the man", "DET NOUN"), "X must be a list of sequences, .* got str"),
        ((None, Y), "X must be a list of sequences, .* got NoneType"),
        ((5, Y), "X must be a list of sequences, .* got int"),
        ((iter(X), Y), "X must be a list of sequences, .* got list_iterator"),
        (([["a", 1]], [["A", "B"]]), "must be alike: sequence 0 has 1, the first token is 'a'"),
        (([["a"], ["a", None]], [["A"], ["A", "B"]]), "must be alike: sequence 1 has None"),
        (([[1, 2]], [["A", "B"]]), "a token must be a text, or a tuple or dict of texts"),
        (([["a", ("a", "b")]], [["A", "B"]]), "must be alike: sequence 0 has"),
        (([[{"word": "a"}, {"w": "a"}]], [["A", "B"]]), "must be alike: sequence 0 has"),
        (([[("a", "b"), ("a", NAN)]], [["A", "B"]]), "column 'pos' has no value at row 1"),
        ((X, None), "y is missing: the tags of each sequence, one for each token"),
        ((X, 5), "y must be a list with the tags of each sequence; got int"),
        ((X, "DET"), "y must be a list with the tags of each sequence; got str"),
        ((X, Y[:2]), "X has 3 sequences, and y has tags for 2"),
        ((X, [*Y[:2], ["ADJ"]]), "sequence 2 has 2 tokens and 1 tags"),
        ((X, ["DET", "NOUN", "ADJ"]), "y must have a list of tags for sequence 0; got 'DET'"),
        ((X, [Y[0], 5, Y[2]]), "y must have a list of tags for sequence 1; got 5"),
        ((X, [Y[0], Y[1], ["ADJ", None]]), "y has no tag at (sequence 2, token|row)"),
        ((X, [Y[0], ["DET", NAN, "VERB"], Y[2]]), "y has no tag at (sequence 1, token|row)"),
        ((X, [Y[0], ["DET", pd.NA, "VERB"], Y[2]]), "y has no tag at (sequence 1, token|row)"),
        ((X, [["A"] * len(row) for row in X]), "there is one tag only, 'A'; two at least make a t"),
        ((X, [["A", 1, "A"], *Y[1:]]), "tags must be of one type to be sorted; these are int"),
        ((X, [[["A"], "B", "C"], *Y[1:]]), "a tag must be a text or a number: .*unhashable|list"),
        ((X, [[("A", 1), "B", "C"], *Y[1:]]), r"a tag must be a text or a number, got \('A', 1\)"),
        ((X, [["A\0", "A", "C"], *Y[1:]]), "some tags change when they stand in one array"),
        (([["a", "b"]], [[2**53 + 1, 0.5]]), "some tags change when they stand in one array"),
        ((Corpus.from_sequences(X), Column.of(["A", "B"])), "y has 2 tags for 8 tokens"),
        ((FLAT, FLAT_Y), r"columns need groups, .*: fit\(frame\[\['word'\]\], frame\['tag'\], g"),
        ((FLAT, FLAT_Y, [1, 1]), "groups has 2 values, and X has 3 rows"),
        ((FLAT, FLAT_Y, [1, 2, 1]), "group 1 goes on at row 2, after another one: .*; sort them"),
        ((FLAT, FLAT_Y, [1, None, 2]), "groups has no value at row 1"),
        ((FLAT, FLAT_Y[:2], GROUPS), "y has 2 tags for 3 rows of X"),
        ((FLAT, ["A", None, "B"], GROUPS), "y has no tag at (sequence 0, token|row)"),
        (({**FLAT, "pos": ["D"]}, FLAT_Y, GROUPS), "of one length; 'pos' has 1 of 3"),
        (({**FLAT, "pos": ["D", None, ""]}, FLAT_Y, GROUPS), "column 'pos' has no value at row 1"),
        (({}, [], []), "X has no columns"),
        ((pd.DataFrame(), [], []), "X has no columns"),
        ((pd.DataFrame({"word": pd.array(["a", pd.NA, "b"], "string")}), FLAT_Y, GROUPS),
         "column 'word' has no value at row 1; fill it, for example with ''"),
        ((pl.DataFrame({"word": ["a", "b", None]}), FLAT_Y, GROUPS), "no value at row 2"),
        ((pd.DataFrame({"part of speech": FLAT["pos"]}), FLAT_Y, GROUPS),
         "templates cannot name a column 'part of speech'"),
        ((X, Y, [1, 2, 3]), "groups are for a data frame or a dict of columns"),
    ],
)  # fmt: skip
def test_fit_rejects(fitted, data, message):
    rejects(fitted, message, fitted.fit, *data)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"templates": ""}, "there are no templates; the least would be 'word'"),
        ({"templates": None}, "templates must be a text or a list of texts, got None"),
        ({"templates": "word[-1"}, r"template 'word\[-1', at character 8: expected '\]'"),
        ({"templates": "words"}, "needs a column 'words', .*; did you mean 'word'?"),
        ({"templates": "chunks"}, "template 'chunks' needs a column 'chunks'"),
        ({"templates": "in(word, cities)"}, "needs the list 'cities'; lists given: none"),
        ({"lists": ["Paris"]}, "lists must be a dict of names and their entries"),
        ({"lists": {"cities": "Paris"}}, "the list 'cities' must have texts as entries, such as"),
        ({"lists": {"cities": [["New", "York"]]}}, "the list 'cities' must have texts as entries"),
        ({"lists": {"cities": None}}, "the list 'cities' must have texts as entries"),
        ({"columns": "word"}, "columns must be None, or a list of names .*, got 'word'"),
        ({"columns": []}, "columns must be None, or a list of names"),
        ({"columns": ["a", "a"]}, "columns must be None, or a list of names .*, each once"),
        ({"columns": [1]}, "columns must be None, or a list of names"),
        ({"columns": ["a", "b", "c"]}, "there are 3 names for them: a, b, c"),
        ({"order": 3}, "order must be 1 or 2, got 3"),
        ({"order": True}, "order must be 1 or 2, got True"),
        ({"order": "1"}, "order must be 1 or 2, got '1'"),
        ({"constraints": "bio"}, "constraints must be None, 'auto', 'seen', 'iob2', 'iob1', "),
        ({"constraints": 5}, "constraints must be a list of pairs, got 5"),
        ({"constraints": [("DET", "XX")]}, "constraints name the tag 'XX', which is not in y"),
        ({"constraints": [("DET", "ADJ")]},
         "sequence 0 of y breaks the constraints: token 1 has ADJ after DET"),
        ({"min_count": 0}, "min_count must be a whole number, 1 or more, got 0"),
        ({"min_count": 1.5}, "min_count must be a whole number, 1 or more, got 1.5"),
        ({"max_iter": 0}, "max_iter must be a whole number, 1 or more, got 0"),
        ({"averaged": 1}, "averaged must be True or False, got 1"),
        ({"shuffle": None}, "shuffle must be True or False, got None"),
        ({"early_stopping": "yes"}, "early_stopping must be True or False, got 'yes'"),
        ({"validation_fraction": 0}, "validation_fraction must be a number between 0 and 1, got 0"),
        ({"validation_fraction": 1.0}, "validation_fraction must be a number between 0 and 1"),
        ({"validation_fraction": NAN}, "validation_fraction must be a number between 0 and 1"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number, 1 or more"),
        ({"random_state": "x"}, "random_state must be a whole number"),
        ({"verbose": -1}, "verbose must be 0"),
    ],
)  # fmt: skip
def test_params_that_make_no_sense(fitted, params, message):
    data = PAIRS if fitted.n_features_in_ == 2 else X
    before, tags = fitted.get_params(), fitted.predict(data)
    fitted.set_params(**params)
    rejects(fitted, message, fitted.fit, data, Y)
    fitted.set_params(**before)
    assert fitted.predict(data) == tags


@pytest.mark.parametrize(
    ("validation", "message"),
    [
        (5, r"validation must be a tuple \(X, y\), or \(X, y, groups\)"),
        ((X,), "validation must be a tuple"),
        ((X, Y, None, None), "validation must be a tuple"),
        ((X, Y[:2]), "X has 3 sequences, and y has tags for 2"),
        (([[]], [[]]), "validation has no tokens, so there is nothing to judge by"),
        (([[{"form": "the"}]], [["DET"]]), "validation has no column 'word': .* learned from word"),
    ],
)
def test_validation_that_makes_no_sense(fitted, validation, message):
    rejects(fitted, message, fitted.fit, X, Y, validation=validation)


def test_early_stopping_needs_two_sequences():
    model = SequenceTagger(early_stopping=True)
    for rows in ([0], [0, 1]):
        data = [X[0], []], [Y[0], []]
        with pytest.raises(ValueError, match="early_stopping needs two sequences at least"):
            model.fit(*([part[k] for k in rows] for part in data))


def test_a_sequence_held_out_does_not_change_the_numbers_of_others():
    wrong = [["I-NP"] if k == 17 else ["O", "B-NP"] for k in range(40)]
    sentences = [["a"] * len(row) for row in wrong]
    said = set()
    for seed in range(8):
        model = SequenceTagger(constraints="iob2", early_stopping=True, random_state=seed)
        try:
            model.fit(sentences, wrong)  # well, if that one is held out
        except ValueError as error:
            said.add(str(error))
    assert said == {"sequence 17 of y breaks the constraints: it begins with I-NP"}


@pytest.mark.parametrize(
    "call", ["predict", "confidence", "token_confidence", "score", "evaluate", "features_of"]
)
def test_before_it_is_fitted(call):
    args = {"score": (X, Y), "evaluate": (X, Y), "features_of": ("DET",)}.get(call, (X,))
    with pytest.raises(NotFittedError, match="This SequenceTagger instance is not fitted yet"):
        getattr(SequenceTagger(), call)(*args)
    for name in ("n_features_", "templates_", "transitions_", "start_", "classes_"):
        assert not hasattr(SequenceTagger(), name)


@pytest.mark.parametrize("call", ["predict", "confidence", "token_confidence"])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (("the man",), "X must be a list of sequences, .* got str"),
        ((["the", "man"],), r"Put a single sentence into a list: \[sentence\]"),
        ((5,), "X must be a list of sequences, .* got int"),
        ((None,), "X must be a list of sequences, .* got NoneType"),
        (([5],), "sequence 0 is 5"),
        (([[5]],), "a token must be a text, or a tuple or dict of texts"),
        (([["the", None]],), "must be alike"),
        (([[("a", "b", "c")]],), "tokens have 3 columns, and there are . names for them: word"),
        (([[{"pos": "x"}]],), "there is no column 'word'; the columns are pos"),
        (({"pos": ["x"]}, [1]), "there is no column 'word'; the columns are pos"),
        ((pd.DataFrame({"form": ["x"]}), [1]), "there is no column 'word'; the columns are form"),
        ((Corpus.from_sequences([["a"]], ["form"]),), "there is no column 'word'; the columns are"),
        (({"word": ["x"], "pos": ["y"]},), "columns need groups"),
        ((X, [1, 2, 3]), "groups are for a data frame or a dict of columns|names for them"),
    ],
)
def test_predict_rejects(fitted, call, data, message):
    rejects(fitted, message, getattr(fitted, call), *data)


def test_predict_needs_the_columns_it_learned_from():
    model = SequenceTagger().fit(PAIRS, Y)
    for words in (X, [[{"word": word} for word in row] for row in X], Corpus.from_sequences(X)):
        rejects(model, "there is no column 'pos'|names for them: word, pos", model.predict, words)


@pytest.mark.parametrize("call", ["score", "evaluate"])
def test_score_rejects(call):
    model = SequenceTagger().fit(X, Y)
    rejects(
        model, "sequence 0 has 3 tokens and 2 tags", getattr(model, call), X, [Y[0][:2], *Y[1:]]
    )
    rejects(model, "y is missing", getattr(model, call), X, None)
    rejects(
        model, "y has no tag at (sequence 0, token|row)", getattr(model, call), [["a"]], [[None]]
    )
    for metric in ("F1", None, 1):
        rejects(
            model, "metric must be 'auto', 'accuracy' or 'f1'", model.score, X, Y, metric=metric
        )


def test_too_many_tags():
    n = 8_193
    with pytest.raises(
        ValueError, match="there are 8,193 different tags; more than 8,192 cannot be"
    ):
        SequenceTagger("word").fit([["a"] * n], [list(range(n))])
    n = 600
    with pytest.raises(ValueError, match="order=2 has a weight for every three of 600 tags, which"):
        SequenceTagger("word", order=2).fit([["a"] * n], [list(range(n))])
    many = SequenceTagger("word", max_iter=1).fit([["a"] * n], [np.arange(n)])
    assert many.transitions_.shape == (n, n)


def test_a_template_with_too_many_combinations():
    words = [[f"w{k}" for k in range(3_000)]]
    tags = [["A", "B"] * 1_500]
    with pytest.raises(ValueError, match=r"template 'word & word\[\+1\].*' has too many parts"):
        SequenceTagger(" & ".join(f"word[{k}]" for k in range(6))).fit(words, tags)
