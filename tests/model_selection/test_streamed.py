"""What learns from streams, with scikit-learn's manners."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from rosenblatt import OnlineClassifier, select
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.model_selection.stream_estimator import Shared, StreamLearner
from rosenblatt.readers.names import Kept
from tests.conftest import in_turn, slow, whole_numbers

KINDS = [np.asarray, sp.csr_matrix]


@pytest.mark.parametrize(
    ("learner", "kind"),
    [*in_turn(product(trainable(ONLINE)), KINDS), *slow(product(trainable(ONLINE), KINDS))],
)
def test_it_is_the_online_classifier(learner, kind):
    X, y = whole_numbers(0, n_classes=3)
    given = {"learning_rate": "inverse_sqrt", "scale": None}
    model = StreamLearner(learner, passes=2, shuffle=False, **given).fit(kind(X), y)
    other = OnlineClassifier(learner, average=True, **given)
    for _ in range(2):
        for row, label in zip(X, y, strict=True):
            other.learn_one({str(j): v for j, v in enumerate(row)}, int(label))
    assert model.mistakes_.sum() == other.n_mistakes_
    np.testing.assert_allclose(model.model_.coef_, other.coef_, rtol=1e-5, atol=1e-6)
    assert model.predict(kind(X)).tolist() == [
        other.predict_one({str(j): v for j, v in enumerate(row)}) for row in X
    ]


def test_passes_end_when_one_is_clean(deck_b):
    model = StreamLearner("perceptron", passes=50, fit_intercept=False).fit(*deck_b)
    assert len(model.mistakes_) < 50
    assert model.mistakes_[-1] == 0


def test_many_rows_are_learned_from_in_parts(monkeypatch):
    from rosenblatt.training import row_passes

    X, y = whole_numbers(1)
    whole = StreamLearner().fit(X, y)
    monkeypatch.setattr(row_passes, "_ROWS", 7)
    parts = StreamLearner().fit(X, y)
    assert whole.model_.coef_.tobytes() == parts.model_.coef_.tobytes()


def test_names_are_shared_and_not_copied(deck_b):
    names = Kept()
    names.columns(["width", "height"])
    model = clone(StreamLearner("perceptron", names=Shared(names))).fit(*deck_b)
    assert model.names.value is names
    assert model.model_.feature_names_ == ["width", "height"]


def test_select_chooses_for_it():
    X, y = whole_numbers(2)
    labels = np.array(["no", "yes"])[y]
    found = select(StreamLearner(), {"passes": [1, 3]}, X, labels, cv=3, scale=False)
    assert found.params["passes"] in (1, 3)
    winner = found.model.named_steps["model"]
    assert winner.classes_.tolist() == ["no", "yes"]
    assert found.test_score > 0.5


@pytest.mark.parametrize("passes", [0, 1.5, True])
def test_passes_must_make_sense(passes, deck_b):
    with pytest.raises(ValueError, match="passes must be a whole number, 1 or more"):
        StreamLearner(passes=passes).fit(*deck_b)
