"""The ledger (S8) says of every update what the reference does."""

import numpy as np
import pytest

from rosenblatt import (
    AveragedPerceptron,
    BatchPerceptron,
    Perceptron,
    VotedPerceptron,
    reference,
)
from tests.conftest import LAYOUTS, whole_numbers

ONLINE = [Perceptron, AveragedPerceptron, VotedPerceptron]
PASSES = {"max_iter": 4, "tol": None}
IN_ORDER = {**PASSES, "shuffle": False}


class TestColumns:
    """What the ledger says is what the reference does."""

    def test_deck_b(self, deck_b):
        X, y = deck_b
        model = Perceptron(fit_intercept=False, shuffle=False, record=True).fit(X, y)
        ledger = model.ledger_
        assert len(ledger) == 3
        assert ledger.index.tolist() == [0, 2, 4]
        assert ledger.step.tolist() == [1, 3, 5]
        assert ledger.label.tolist() == [-1, 1, -1]
        assert ledger.prediction.tolist() == [1, -1, 1]
        assert ledger.score.tolist() == [0, -1, 0]
        assert ledger.eta.tolist() == [1, 1, 1]
        assert ledger.call.tolist() == [1, 1, 1]
        assert ledger[1] == (1, 3, 2, 1, -1, -1.0, 1.0)
        assert ledger[-1].index == 4
        assert list(ledger) == [ledger[0], ledger[1], ledger[2]]
        with pytest.raises(IndexError):
            ledger[3]
        seen = [
            (change.weights_before.tolist(), change.weights.tolist(), list(change.entries))
            for change in ledger.replay(X)
        ]
        assert seen == [
            ([0, 0], [1, -2], [0]),
            ([1, -2], [2, -1], [1]),
            ([2, -1], [3, 1], [2]),
        ]

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("estimator", ONLINE)
    def test_mistake_for_mistake_as_in_the_reference(self, estimator, n_classes, layout):
        X, y = whole_numbers(seed=1, n_classes=n_classes)
        orders = [range(len(X))] * 4
        if n_classes == 2:
            steps = list(reference.perceptron(X, 2 * y - 1, orders))
        else:
            steps = list(reference.multiclass(X, y, orders, n_classes))
        model = estimator(record=True, **IN_ORDER).fit(LAYOUTS[layout](X), y)
        ledger, made = model.ledger_, [t for t, step in enumerate(steps) if step[3]]
        assert ledger.step.tolist() == [t + 1 for t in made]
        assert ledger.index.tolist() == [steps[t][0] for t in made]
        assert ledger.label.tolist() == y[ledger.index].tolist()
        changes = list(ledger.replay(LAYOUTS[layout](X)))
        for k, (t, change) in enumerate(zip(made, changes, strict=True)):
            _, w, b, _ = steps[t]
            np.testing.assert_array_equal(change.weights, w)
            np.testing.assert_array_equal(change.intercept, b)
            scores = change.weights_before @ X[steps[t][0]] + change.intercept_before
            if n_classes == 2:
                assert ledger.score[k] == scores
            else:
                pair = [ledger.label[k], ledger.prediction[k]]
                assert ledger.score[k].tolist() == scores[pair].tolist()
                others = np.delete(scores, ledger.label[k])
                assert scores[ledger.prediction[k]] == others.max()

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_moves_of_the_batch_perceptron(self, n_classes, layout):
        X, y = whole_numbers(seed=2, n=128, n_classes=n_classes)
        options = {"normalize": False, "tol": None}
        model = BatchPerceptron(max_iter=9, record=True, **options).fit(LAYOUTS[layout](X), y)
        ledger = model.ledger_
        changes = list(ledger.replay(LAYOUTS[layout](X)))
        assert [len(change.entries) for change in changes] == model.mistakes_.tolist()
        for number, change in enumerate(changes, 1):
            assert set(ledger.step[change.entries]) == {number}
            assert np.all(np.diff(ledger.index[change.entries]) > 0)
            W, b, _ = reference.batch_classes(X, y, n_classes, max_iter=number)
            if n_classes == 2:  # one function for two classes: half of the difference
                W, b = (W[1] - W[0]) / 2, (b[1] - b[0]) / 2
            np.testing.assert_array_equal(change.weights, W)
            np.testing.assert_array_equal(change.intercept, b)

    def test_labels_of_any_kind(self):
        X, y = whole_numbers(seed=3, n_classes=3)
        names = np.array(["ant", "bee", "cat"])[y]
        ledger = Perceptron(record=True, **PASSES).fit(X, names).ledger_
        assert ledger.label.tolist() == names[ledger.index].tolist()
        assert np.all(ledger.label != ledger.prediction)
        assert type(ledger[0].label) is str
        assert type(ledger[0].score) is tuple

    def test_step_sizes_are_those_used(self):
        X, y = whole_numbers(seed=4)
        options = {"learning_rate": "inverse", "eta0": 0.5, "record": True}
        ledger = Perceptron(**options, **PASSES).fit(X, y).ledger_
        np.testing.assert_array_equal(ledger.eta, 0.5 / np.arange(1, len(ledger) + 1))
        ledger = BatchPerceptron(max_iter=5, tol=None, **options).fit(X, y).ledger_
        np.testing.assert_array_equal(ledger.eta, 0.5 / ledger.step)

    def test_a_tie_rule_is_kept_to(self):
        X, y = [[1.0], [-1.0], [1.0]], [1, -1, -1]
        options = {"fit_intercept": False, "shuffle": False, "max_iter": 1, "tol": None}
        for ties, wrong in (("mistake", [0, 2]), ("positive", [1, 2])):
            model = Perceptron(ties=ties, record=True, **options).fit(X, y)
            assert model.ledger_.index.tolist() == wrong
            *_, last = model.ledger_.replay(X)
            assert last.weights.tolist() == model.coef_[0].tolist()

    def test_columns_cannot_be_written_to(self, deck_b):
        ledger = Perceptron(record=True).fit(*deck_b).ledger_
        for name in ("index", "step", "label", "prediction", "score", "eta", "call"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(ledger, name)[0] = 1

    def test_text(self, deck_b):
        X, y = whole_numbers(seed=5, n_classes=3)
        ledger = Perceptron(record=True, **PASSES).fit(X, y).ledger_
        lines = str(ledger).splitlines()
        assert lines[0] == f"{len(ledger)} updates"
        assert lines[1].split() == ["step", "row", "label", "taken", "for", "score", "η"]
        assert len({len(line) for line in lines[1:-1]}) == 1
        assert lines[-1] == f"… and {len(ledger) - 10} more"
        assert repr(ledger) == f"<Ledger of {len(ledger)} updates in 1 call>"
        clean = Perceptron(record=True, fit_intercept=False).fit(*deck_b, coef_init=[3, 1])
        assert str(clean.ledger_) == "0 updates"
        assert list(clean.ledger_.replay(deck_b[0])) == []
        assert clean.ledger_.norms(deck_b[0]).shape == (0,)
