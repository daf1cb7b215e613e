"""SequenceTagger's options: constraints, order, rare features, validation, progress."""

from itertools import chain, pairwise

import numpy as np
import pytest

from rosenblatt import SequenceTagger
from rosenblatt.tagging import fitting
from rosenblatt.tagging.corpus import Corpus
from tests.tagging.tagged_sentences import model_bits, sentences

WORDS, POS, CHUNKS = sentences()
# In these all that a word has says B-VP, and then I-NP.
LETTERS = "word; lower(word); prefix(word, 1); suffix(word, 1)"
TEMPTING = [["v", "n"], ["v", "n", "n"], ["n"], ["n", "n"], ["v", "v", "n"]]
TEMPTED = [["b", "n", "v"], ["b", "n", "n"], ["v", "b", "n"], ["v"], ["b"]]
IOB = [["B-NP", "I-NP", "B-VP"], ["B-NP", "I-NP", "I-NP"], ["B-VP", "B-NP", "I-NP"], ["B-VP"],
       ["B-NP"]]  # fmt: skip


def pairs_of(tags):
    return {pair for row in tags for pair in pairwise(["<start>", *row])}


def test_constraints_hold_although_the_data_tempts():
    free = SequenceTagger(LETTERS, constraints=None).fit(TEMPTED, IOB)
    bad = {("B-VP", "I-NP"), ("<start>", "I-NP")}
    assert bad <= pairs_of(free.predict(TEMPTING))
    assert free.scheme_ is None
    for constraints in ("auto", "iob2"):
        kept = SequenceTagger(LETTERS, constraints=constraints).fit(TEMPTED, IOB)
        assert kept.scheme_ == "iob2"
        assert not bad & pairs_of(kept.predict(TEMPTING))
        codes = [kept.classes_.tolist().index(tag) for tag in ("B-VP", "I-NP")]
        assert kept.transitions_[tuple(codes)] == kept.start_[codes[1]] == -np.inf
        assert (kept.confidence(TEMPTING) >= 0).all()


def test_pairs_that_are_forbidden():
    pairs = [("B-VP", "I-NP")]
    kept = SequenceTagger(LETTERS, constraints=pairs).fit(TEMPTED, IOB)
    found = pairs_of(kept.predict(TEMPTING))
    assert pairs[0] not in found
    assert ("<start>", "I-NP") in found
    assert kept.scheme_ is None
    assert np.isneginf(kept.transitions_).sum() == 1


@pytest.mark.parametrize("order", [1, 2])
def test_seen_allows_what_was_seen(order):
    rng = np.random.default_rng(0)
    kept = SequenceTagger("word", constraints="seen", order=order).fit(WORDS, POS)
    anything = [[str(word) for word in rng.permutation([*chain(*WORDS[:4])])] for _ in range(50)]
    found = kept.predict(anything)
    assert pairs_of(found) <= pairs_of(POS)
    assert {row[-1] for row in found} <= {row[-1] for row in POS}
    free = SequenceTagger("word", constraints=None, order=order).fit(WORDS, POS)
    assert not pairs_of(free.predict(anything)) <= pairs_of(POS)


def test_spans_that_keep_to_no_scheme_are_free():
    fitted = SequenceTagger("word").fit([["a", "b"], ["b"]], [["I-X", "B-X"], ["O"]])
    assert fitted.scheme_ == "iob1"
    fitted = SequenceTagger("word").fit([["a", "b"], ["b"]], [["O", "B-X"], ["I-X"]])
    assert fitted.scheme_ is None
    assert np.isfinite(fitted.transitions_).all()


def test_two_tags_before_tell_what_one_does_not():
    y = [list("AABAABAABAAB"[:n]) for n in range(1, 13)]
    X = [["x"] * len(row) for row in y]
    first, second = (
        SequenceTagger("bias", order=order, max_iter=100, averaged=False).fit(X, y)
        for order in (1, 2)
    )
    assert second.converged_
    assert second.predict([["x"] * 30]) == [list("AAB" * 10)]
    assert not first.converged_
    assert first.score(X, y) < 0.9


def test_rare_features_are_left_out():
    counts = {word: sum(row.count(word) for row in WORDS) for row in WORDS for word in row}
    sizes = []
    for least in (1, 5, 12):
        fitted = SequenceTagger("word", min_count=least).fit(WORDS, POS)
        names = {name for tag in fitted.classes_ for name, _ in fitted.features_of(tag, None)}
        assert names <= {f"word={word}" for word, count in counts.items() if count >= least}
        sizes.append(len(names))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0]
    nothing = SequenceTagger("word", min_count=10_000).fit(WORDS, POS)
    assert nothing.n_features_ == 0
    assert [len(row) for row in nothing.predict(WORDS)] == [len(row) for row in WORDS]


def test_last_weights_are_whole_and_the_mean_is_not():
    last = SequenceTagger(averaged=False, max_iter=3).fit(WORDS, POS)
    mean = SequenceTagger(max_iter=3).fit(WORDS, POS)
    assert last.mistakes_.tolist() == mean.mistakes_.tolist()
    assert (last._state.values == np.rint(last._state.values)).all()
    assert (mean._state.values != np.rint(mean._state.values)).any()


def test_templates_that_suit_the_tags():
    assert "prefix(lower(word), 5)" in SequenceTagger().fit(WORDS, POS).templates_
    pairs = [list(zip(*rows, strict=True)) for rows in zip(WORDS, POS, strict=True)]
    assert "pos[-2] & pos[-1] & pos" in SequenceTagger().fit(pairs, CHUNKS).templates_
    assert "shape(word)[+2]" in SequenceTagger().fit(WORDS, CHUNKS).templates_
    asked = SequenceTagger("entities").fit(WORDS, POS)
    assert asked.templates_ == SequenceTagger().fit(WORDS, CHUNKS).templates_
    named = SequenceTagger(columns=["form", "tag"]).fit(pairs, CHUNKS)
    assert named.feature_names_in_.tolist() == ["form", "tag"]
    assert "form & tag[-1]" in named.templates_
    assert named.predict(pairs) == SequenceTagger().fit(pairs, CHUNKS).predict(pairs)
    listed = SequenceTagger(["word", "suffix(word, 1..2)"]).fit(WORDS, POS)
    assert listed.templates_ == ("word", "suffix(word, 1)", "suffix(word, 2)")


def test_columns_that_are_not_asked_for_are_left_out():
    dicts = [[{"x": "?", "form": word, "y": None} for word in row] for row in WORDS]
    flat = {"x": [None] * sum(map(len, WORDS)), "form": [w for row in WORDS for w in row]}
    groups = [number for number, row in enumerate(WORDS) for _ in row]
    tags = [tag for row in POS for tag in row]
    options = {"columns": ["form"], "averaged": False, "max_iter": 100}
    by_dicts = SequenceTagger("form", **options).fit(dicts, POS)
    by_columns = SequenceTagger("form", **options).fit(flat, tags, groups=groups)
    strings = SequenceTagger("form", **options).fit(WORDS, POS)
    assert model_bits(by_dicts) == model_bits(by_columns) == model_bits(strings)
    assert strings.feature_names_in_.tolist() == ["form"]
    # What was not learned from is not looked at, either.
    assert by_dicts.predict(dicts) == strings.predict(WORDS) == POS
    assert by_columns.predict(flat, groups=groups).tolist() == tags
    assert strings.predict(Corpus.from_columns({"z": tags, "form": flat["form"]},
                                               [len(row) for row in WORDS])) == POS  # fmt: skip


def test_lists_of_words():
    X = [["in", "New", "York"], ["a", "new", "York"], ["in", "Paris"], ["in", "a"]]
    y = [["O", "B-P", "I-P"], ["O", "O", "O"], ["O", "B-P"], ["O", "O"]]
    cities = ["New York", "Paris", "Los Angeles", "Rome"]
    fitted = SequenceTagger("in(word, cities)", lists={"cities": cities}, max_iter=50).fit(X, y)
    assert fitted.predict([["a", "Los", "Angeles", "Rome"]]) == [["O", "B-P", "I-P", "B-P"]]
    cities.clear()  # what it has learned is its own
    assert fitted.predict([["a", "Rome"]]) == [["O", "B-P"]]


def noisy(tags, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    every = sorted({tag for row in tags for tag in row})
    return [
        [str(rng.choice(every)) if rng.random() < share else tag for tag in row] for row in tags
    ]


@pytest.mark.parametrize("averaged", [False, True])
@pytest.mark.parametrize("patience", [1, 3])
def test_validation_keeps_the_best_pass(patience, averaged):
    X, y, validation = WORDS[:40], noisy(POS[:40]), (WORDS[40:], noisy(POS[40:], 1))
    options = {"averaged": averaged, "n_iter_no_change": patience}
    fitted = SequenceTagger(max_iter=30, **options).fit(X, y, validation=validation)
    curve = fitted.validation_curve_
    best = int(np.argmax(curve)) + 1
    assert len(curve) == fitted.n_iter_ == best + patience
    assert fitted.score(*validation) == curve.max()
    shorter = SequenceTagger(max_iter=best, **options).fit(X, y)
    for name in ("_state", "_features", "classes_"):
        assert model_bits(fitted)[name] == model_bits(shorter)[name]
    assert not hasattr(fitted.fit(X, y), "validation_curve_")


def test_validation_in_other_forms():
    X, y, valid = WORDS[:40], POS[:40], (WORDS[40:], POS[40:])
    fitted = SequenceTagger(max_iter=3).fit(X, y, validation=valid)
    flat = {"word": [word for row in valid[0] for word in row]}
    groups = [number for number, row in enumerate(valid[0]) for _ in row]
    tags = [tag for row in valid[1] for tag in row]
    for other in ((Corpus.from_sequences(valid[0]), valid[1]), (flat, tags, groups), list(valid)):
        again = SequenceTagger(max_iter=3).fit(X, y, validation=other)
        assert model_bits(again) == model_bits(fitted)
    # A tag that is only there counts as a mistake.
    unknown = SequenceTagger(max_iter=3).fit(X, y, validation=([["the"]], [["??"]]))
    assert unknown.validation_curve_.tolist() == [0.0] * unknown.n_iter_
    assert "??" not in unknown.classes_


def test_early_stopping_holds_some_out():
    told = []
    fitted = SequenceTagger(early_stopping=True, validation_fraction=0.25, max_iter=8)
    fitted.fit(WORDS, noisy(POS), callback=told.append)
    scores = [now.score for now in told if now.score is not None]
    assert scores == fitted.validation_curve_.tolist()
    assert {now.of for now in told} == {45}
    again = SequenceTagger(early_stopping=True, validation_fraction=0.25, max_iter=8)
    assert model_bits(again.fit(WORDS, noisy(POS))) == model_bits(fitted)
    tiny = SequenceTagger(early_stopping=True, validation_fraction=0.01, max_iter=2)
    tiny.fit([["a", "b"], [], ["a", "b", "b"]], [["X", "Y"], [], ["X", "Y", "Y"]])
    assert len(tiny.validation_curve_) == tiny.n_iter_


def test_callback_is_told_of_each_block(monkeypatch):
    whole = SequenceTagger(max_iter=4).fit(WORDS, POS)
    monkeypatch.setattr(fitting, "_TOKENS", 20)
    told = []
    fitted = SequenceTagger(max_iter=4).fit(WORDS, POS, callback=told.append)
    assert model_bits(fitted) == model_bits(whole)  # blocks are not seen in the weights
    assert len(told) > 5 * fitted.n_iter_
    for number in range(1, fitted.n_iter_ + 1):
        mine = [now for now in told if now.number == number]
        assert mine[-1].sequences == mine[-1].of == len(WORDS)
        assert mine[-1].mistakes == fitted.mistakes_[number - 1]
        assert mine[-1].wrong_tokens == fitted.wrong_tokens_[number - 1]
        done = [now.sequences for now in mine]
        assert done == sorted(set(done))
    seconds = [now.seconds for now in told]
    assert seconds == sorted(seconds)
    assert {now.score for now in told} == {None}


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_a_callback_may_stop_it_and_nothing_changes(error):
    fitted = SequenceTagger(max_iter=2).fit(WORDS, POS)
    before, tags = model_bits(fitted), fitted.predict(WORDS)

    def stop(now):
        raise error

    with pytest.raises(error):
        fitted.fit(WORDS, CHUNKS, callback=stop)
    assert model_bits(fitted) == before
    assert fitted.predict(WORDS) == tags


def test_verbose_shows_a_line(capsys):
    SequenceTagger(max_iter=2, verbose=1).fit(WORDS, POS, validation=(WORDS[:5], POS[:5]))
    shown = capsys.readouterr()
    assert "SequenceTagger" in shown.err
    assert "mistakes" in shown.err
    assert shown.out == ""
    SequenceTagger(max_iter=2).fit(WORDS, POS)
    assert capsys.readouterr().err == ""
