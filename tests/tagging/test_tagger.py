"""SequenceTagger: what it learns, from whatever it is given, and what it says of it."""

from itertools import pairwise, product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from rosenblatt import SequenceTagger, reference
from rosenblatt.reference.tagger import START
from rosenblatt.tagging.corpus import Column, Corpus
from rosenblatt.tagging.templates import parse
from tests.tagging import naive_features as naive
from tests.tagging.tagged_sentences import model_bits, sentences

WORDS, POS, CHUNKS = sentences()
ENOUGH = "pos[-1..1]; word[-1..1]; pos[-1..0] & pos[0..1]"  # to tell phrases
PAIRS = [list(zip(*row, strict=True)) for row in zip(WORDS, POS, strict=True)]
FLAT = {
    "word": [word for row in WORDS for word in row],
    "pos": [tag for row in POS for tag in row],
}
TAGS = [tag for row in CHUNKS for tag in row]
GROUPS = [number for number, row in enumerate(WORDS) for _ in row]


def frame(kind):
    return kind({**FLAT, "tag": TAGS, "sentence": GROUPS})


FORMS = {
    "tuples": lambda: ((PAIRS, CHUNKS), {}),
    "lists": lambda: (([[list(t) for t in row] for row in PAIRS], CHUNKS), {}),
    "object arrays": lambda: ((np.array([tuple(row) for row in PAIRS] + [()], object)[:-1],
                               np.array([tuple(row) for row in CHUNKS] + [()], object)[:-1]), {}),
    "dicts": lambda: (([[dict(zip(FLAT, t, strict=True)) for t in row] for row in PAIRS],
                       CHUNKS), {}),
    "Corpus": lambda: ((Corpus.from_sequences(PAIRS), CHUNKS), {}),
    "Corpus and Column": lambda: ((Corpus.from_sequences(PAIRS), Column.of(TAGS)), {}),
    "columns": lambda: ((FLAT, TAGS), {"groups": GROUPS}),
    "columns of arrays": lambda: (({k: np.array(v) for k, v in FLAT.items()}, np.array(TAGS)),
                                  {"groups": np.array(GROUPS)}),
    "pandas": lambda: ((frame(pd.DataFrame)[["word", "pos"]], frame(pd.DataFrame)["tag"]),
                       {"groups": frame(pd.DataFrame)["sentence"]}),
    "categories": lambda: ((frame(pd.DataFrame)[["word", "pos"]].astype("category"),
                            frame(pd.DataFrame)["tag"].astype("category")),
                           {"groups": [f"s{k}" for k in GROUPS]}),
    "polars": lambda: ((frame(pl.DataFrame)[["word", "pos"]], frame(pl.DataFrame)["tag"]),
                       {"groups": frame(pl.DataFrame)["sentence"]}),
    "Arrow": lambda: ((pa.table(FLAT), pa.chunked_array([TAGS])), {"groups": pa.array(GROUPS)}),
}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return SequenceTagger(ENOUGH, averaged=False, max_iter=100).fit(PAIRS, CHUNKS)


@pytest.mark.parametrize("form", FORMS)
def test_one_model_from_every_form(form, model):
    (X, y), options = FORMS[form]()
    fitted = SequenceTagger(ENOUGH, averaged=False, max_iter=100).fit(X, y, **options)
    assert model_bits(fitted) == model_bits(model)
    found = fitted.predict(X, **options)
    if options:
        assert isinstance(found, np.ndarray)
        assert found.tolist() == [tag for row in model.predict(PAIRS) for tag in row]
        np.testing.assert_array_equal(
            fitted.token_confidence(X, **options), np.concatenate(model.token_confidence(PAIRS))
        )
    else:
        assert found == model.predict(PAIRS)
    assert fitted.score(X, y, **options) == model.score(PAIRS, CHUNKS)
    np.testing.assert_array_equal(fitted.confidence(X, **options), model.confidence(PAIRS))
    assert fitted.evaluate(X, y, **options) == model.evaluate(PAIRS, CHUNKS)


def test_what_a_fit_leaves(model):
    assert model.classes_.tolist() == sorted(set(TAGS))
    assert model.feature_names_in_.tolist() == ["word", "pos"]
    assert model.n_features_in_ == 2
    assert model.scheme_ == "iob2"
    assert model.converged_
    assert model.mistakes_[-1] == model.wrong_tokens_[-1] == 0
    assert model.n_mistakes_ == model.mistakes_.sum()
    assert (model.mistakes_ <= model.wrong_tokens_).all()
    assert model.n_iter_ == len(model.mistakes_) == len(model.wrong_tokens_)
    assert model.templates_[-2:] == ("pos[-1] & pos", "pos & pos[+1]")
    assert model.transitions_.shape == (5, 5)
    assert not hasattr(model, "validation_curve_")
    assert model.score(PAIRS, CHUNKS) == 1.0
    assert model.n_features_ == len(model._features.keys)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("averaged", [False, True])
def test_it_is_the_structured_perceptron(averaged, order):
    text = "word[-1..0]; suffix(word, 2); word & pos[+1]; bias"
    rng = np.random.default_rng(order)
    noisy = [
        [str(rng.choice(CHUNKS[0])) if rng.random() < 0.2 else tag for tag in row] for row in POS
    ]
    fitted = SequenceTagger(
        text, order=order, averaged=averaged, shuffle=False, max_iter=4, constraints=None
    ).fit(PAIRS, noisy)
    templates = parse(text)
    X = [named_tokens(templates, row) for row in PAIRS]
    labels = fitted.classes_.tolist()
    visits = fitted.n_iter_ * [range(len(X))]
    steps = list(reference.tagger(X, noisy, visits, labels, second_order=order == 2))
    mistakes = [mistake for *_, mistake in steps]
    assert fitted.mistakes_.tolist() == np.sum(np.split(np.array(mistakes), 4), axis=1).tolist()
    weights = reference.tagger_mean(steps) if averaged else steps[-1][1]
    for tag in labels:
        ours = dict(fitted.features_of(tag, top=None))
        theirs = {name: w for (kind, name, *rest), w in weights.items()
                  if kind == "token" and rest == [tag] and abs(w) > 1e-9}  # fmt: skip
        assert ours == pytest.approx(theirs, rel=1e-6)
    pairs = [[weights.get(("pair", i, j), 0) for j in labels] for i in [*labels, START]]
    np.testing.assert_allclose(fitted.transitions_, pairs[:-1], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(fitted.start_, pairs[-1], rtol=1e-6, atol=1e-9)


def named_tokens(templates, row):
    tokens = [{"word": word, "pos": pos} for word, pos in row]
    columns = [*zip(templates, naive.extract(templates, [tokens]), strict=True)]
    return [
        [naive.name(template, column[t]) for template, column in columns if column[t] is not None]
        for t in range(len(row))
    ]


def test_features_that_speak_for_a_tag(model):
    top = model.features_of("B-VP", top=5)
    assert len(top) == 5
    sizes = [abs(weight) for _, weight in top]
    assert sizes == sorted(sizes, reverse=True)
    assert top[0][0].startswith(("pos", "word"))
    with pytest.raises(ValueError, match="there is no tag 'B-PP'; the tags are B-NP, B-VP, I-NP"):
        model.features_of("B-PP")


@pytest.mark.parametrize("order", [1, 2])
def test_confidence_is_the_gap_to_the_second_best(order):
    X, y = [row[:4] for row in WORDS[:12]], [row[:4] for row in POS[:12]]
    fitted = SequenceTagger("word; word[-1]", order=order, max_iter=2).fit(X, y)
    labels = fitted.classes_.tolist()
    known = {(name, tag): w for tag in labels for name, w in fitted.features_of(tag, top=None)}
    templates = parse("word; word[-1]")
    triples = fitted._state.trigrams
    found, gaps = fitted.confidence(X), fitted.token_confidence(X)
    for x, tags, gap, of_tokens in zip(X, fitted.predict(X), found, gaps, strict=True):
        tokens = named_tokens(templates, [(word, "") for word in x])

        def total(path, tokens=tokens):
            codes = [len(labels)] * 2 + [labels.index(tag) for tag in path]
            score = sum(
                known.get((f, tag), 0) for t, tag in zip(tokens, path, strict=True) for f in t
            )
            score += sum(np.vstack([fitted.transitions_, fitted.start_])[i, j]
                         for i, j in pairwise(codes[1:]))  # fmt: skip
            if triples is not None:
                score += sum(triples[codes[t : t + 3][0], codes[t + 1], codes[t + 2]]
                             for t in range(len(path)))  # fmt: skip
            return score

        scores = {path: total(path) for path in product(labels, repeat=len(x))}
        best = scores[tuple(tags)]
        assert best == pytest.approx(max(scores.values()), abs=1e-4)
        second = max(score for path, score in scores.items() if path != tuple(tags))
        assert gap == pytest.approx(best - second, abs=1e-4)
        for t, own in enumerate(of_tokens):
            other = max(score for path, score in scores.items() if path[t] != tags[t])
            assert own == pytest.approx(best - other, abs=1e-4)


def test_confidence_where_there_is_no_choice():
    X, y = [["x"], ["x", "y"], ["x", "y", "x"]], [["A"], ["A", "B"], ["A", "B", "A"]]
    fitted = SequenceTagger("word", constraints="seen").fit(X, y)
    new = [[], ["y"], ["y"] * 5]
    assert fitted.predict(new) == [[], ["A"], ["A", "B", "A", "B", "A"]]
    assert fitted.confidence(new).tolist() == [np.inf] * 3
    free = SequenceTagger("word", constraints=None).fit(X, y)
    assert free.confidence([[], ["x"], []]).tolist() == [
        np.inf,
        free.confidence([["x"]])[0],
        np.inf,
    ]
    assert [len(part) for part in free.token_confidence([[], ["x", "y"], []])] == [0, 2, 0]


def test_empty_sequences_are_empty(model):
    assert model.predict([]) == []
    assert model.predict([[], []]) == [[], []]
    assert model.confidence([]).tolist() == model.token_confidence([]) == []
    assert model.score([[]], [[]]) == 0.0
    assert model.predict([[], PAIRS[0], []]) == [[], model.predict(PAIRS[:1])[0], []]
    with_gaps = [[], *PAIRS, []]
    fitted = SequenceTagger(averaged=False, shuffle=False).fit(with_gaps, [[], *CHUNKS, []])
    without = SequenceTagger(averaged=False, shuffle=False).fit(PAIRS, CHUNKS)
    assert fitted.predict(with_gaps)[1:-1] == without.predict(PAIRS)
    np.testing.assert_array_equal(fitted.transitions_, without.transitions_)
    assert model.predict({"word": [], "pos": []}, groups=[]).tolist() == []


def test_score_and_evaluate(model):
    X, y = [[("the", "DT"), ("zzz", "NN")], [("sings", "VB")]], [["B-NP", "I-NP"], ["B-VP"]]
    found = model.predict(X)
    right = [a == b for p, q in zip(found, y, strict=True) for a, b in zip(p, q, strict=True)]
    assert model.score(X, y, metric="accuracy") == np.mean(right)
    report = model.evaluate(PAIRS, CHUNKS)
    assert report.f1 == report.accuracy == 1.0
    assert str(report).splitlines()[1].startswith("accuracy: 100.00%; precision: 100.00%; recall:")
    assert set(report.types) == {"NP", "VP"}
    # Tags that were never seen are mistakes, and F1 is still what is meant.
    other = [["B-NP", "I-NP"], ["odd tag"]]
    assert model.score(X, other) == model.score(X, other, metric="f1")
    assert model.score(X, other) == pytest.approx(2 / 3) if found == y else True
    of_words = SequenceTagger("word", averaged=False, max_iter=100).fit(WORDS, POS)
    assert of_words.score(WORDS, POS) == of_words.score(WORDS, POS, metric="accuracy") == 1.0
    odd = [["XX" for _ in row] for row in POS]
    assert of_words.score(WORDS, odd) == 0.0
    assert of_words.evaluate(WORDS, odd).accuracy == 0.0
    assert of_words.score([["the"], ["man"]], [["DT"], ["XX"]]) == 0.5


@pytest.mark.parametrize(
    "labels", [[3, 1, 2, 10, 7], [True, False, True, False, True], [0.5, 1.5, 2.5, -1.0, 4.0]]
)
def test_tags_that_are_numbers(labels):
    number = dict(zip(sorted({tag for row in POS for tag in row}), labels, strict=True))
    y = [[number[tag] for tag in row] for row in POS]
    fitted = SequenceTagger("word", averaged=False, max_iter=100).fit(WORDS, y)
    assert fitted.converged_  # and so all is right
    assert fitted.classes_.tolist() == sorted(set(labels))
    assert fitted.predict(WORDS) == y
    assert type(fitted.predict(WORDS)[0][0]) is type(labels[0])
    assert fitted.scheme_ is None
    assert fitted.features_of(labels[0], top=1)
    one, other = labels[:2]
    forbidden = SequenceTagger(constraints=[(one, one)]).fit([["a", "b"]], [[one, other]])
    assert forbidden.predict([["a", "a"]])[0] != [one, one]


def test_numpy_numbers_are_tags_too():
    y = [np.array(row) for row in ([1, 2], [2, 1, 1])]
    X = [["a", "b"], ["b", "a", "a"]]
    assert SequenceTagger("word").fit(X, y).predict(X) == [[1, 2], [2, 1, 1]]
    y = [list(row) for row in y]
    assert SequenceTagger("word").fit(X, y).predict(X) == [[1, 2], [2, 1, 1]]


def test_same_seed_same_bits():
    first, again, other = (
        SequenceTagger(random_state=seed, max_iter=2).fit(PAIRS, CHUNKS) for seed in (1, 1, 2)
    )
    assert model_bits(first) == model_bits(again) != model_bits(other)
    drawn = SequenceTagger(random_state=np.random.RandomState(1), max_iter=2).fit(PAIRS, CHUNKS)
    assert model_bits(drawn) == model_bits(first)
    again.fit(WORDS, POS)
    assert model_bits(again.fit(PAIRS, CHUNKS)) == model_bits(first)  # nothing stays of another fit


def test_clone_and_params(model):
    settings = {"order": 2, "min_count": 3, "templates": ["word", "pos"], "lists": {"a": ["b c"]}}
    made = SequenceTagger().set_params(**settings)
    copy = clone(made)
    assert copy.get_params() == made.get_params()
    assert {name: copy.get_params()[name] for name in settings} == settings
    assert not hasattr(clone(model), "classes_")
    assert model_bits(clone(model).fit(PAIRS, CHUNKS)) == model_bits(model)
    assert repr(SequenceTagger(order=2)) == "SequenceTagger(order=2)"


def test_grid_search_over_lists():
    search = GridSearchCV(
        SequenceTagger(max_iter=3), {"min_count": [1, 500], "order": [1, 2]}, cv=3
    ).fit(PAIRS, CHUNKS)
    assert search.best_params_["min_count"] == 1
    assert search.best_score_ > 0.9
    assert search.predict(PAIRS) == search.best_estimator_.predict(PAIRS)
    assert cross_val_score(SequenceTagger(), WORDS, POS, cv=4).min() > 0.9


names = st.lists(st.text("abcXYZ-é1", min_size=1, max_size=5), min_size=5, max_size=5, unique=True)


@settings(max_examples=25)
@given(names, st.sampled_from([1, 2]))
def test_names_of_tags_do_not_matter_but_their_order(called, order):
    # Of equal paths the one with the first tags wins: other orders may learn otherwise.
    tags = sorted({tag for row in POS for tag in row})
    name = dict(zip(tags, sorted(called), strict=True))
    X, y = WORDS[:15], POS[:15]
    plain = SequenceTagger(templates="pos", order=order, max_iter=2, constraints=None).fit(X, y)
    renamed = SequenceTagger(templates="pos", order=order, max_iter=2, constraints=None).fit(
        X, [[name[tag] for tag in row] for row in y]
    )
    new = WORDS[30:50]
    assert renamed.predict(new) == [[name[tag] for tag in row] for row in plain.predict(new)]
    np.testing.assert_array_equal(renamed.transitions_, plain.transitions_)
    np.testing.assert_array_equal(renamed.confidence(new), plain.confidence(new))


@settings(max_examples=25)
@given(st.permutations(sorted({word for row in WORDS for word in row})))
def test_what_words_are_called_does_not_matter(order):
    other = dict(zip(sorted(order), order, strict=True))
    changed = [[other[word] for word in row] for row in WORDS]
    options = {"templates": "word[-1..1]; word[-1] & word", "max_iter": 2}
    plain = SequenceTagger(**options).fit(WORDS[:30], POS[:30])
    renamed = SequenceTagger(**options).fit(changed[:30], POS[:30])
    assert renamed.predict(changed) == plain.predict(WORDS)
