"""The progressive log loss: of what was predicted before it was learned from."""

import numpy as np
import pytest

from rosenblatt import OnlineClassifier
from rosenblatt.readers import chunks
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.reader import Reader
from rosenblatt.stream.rules import Options
from rosenblatt.training import checkpoints
from rosenblatt.training.trainer import Trainer

ADAPTIVE = {"learning_rate": "adaptive", "dtype": "float64", "scale": None}
pytestmark = pytest.mark.usefixtures("small_chunks")


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunks.BufferPool.__init__, "__defaults__", (1 << 11,))


def file_of(path, n_classes, weighted, n=300):
    rng = np.random.default_rng(0)
    labels, values = rng.integers(0, n_classes, n), rng.normal(size=(n, 3)).round(3)
    values[:, 0] += labels
    weights = rng.integers(0, 5, n) / 2 if weighted else np.ones(n)
    lines = [
        f"{y} {w} | a:{x[0]} b:{x[1]} c:{x[2]}"
        for y, w, x in zip(labels, weights, values, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return labels.tolist(), values, weights.tolist()


def trainer_of(path, passes=1, classes=None, **options):
    reader = Reader([str(path)], Reading(dtype="float64"))
    given = Options(**{"learner": "logistic", "average": False, **ADAPTIVE, **options})
    return Trainer(OnlineClassifier.with_names(given, reader.names, classes), reader, passes)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_that_of_predictions_one_at_a_time(tmp_path, n_classes, weighted):
    path = tmp_path / "rows.vw"
    labels, values, weights = file_of(path, n_classes, weighted)
    trainer = trainer_of(path, classes=range(n_classes))
    steps = list(trainer.run())
    assert len(steps) > 1
    classes = list(range(n_classes))
    model, losses = OnlineClassifier(dtype="float64", classes=classes, scale=None), []
    for y, x, w in zip(labels, values.tolist(), weights, strict=True):
        row = dict(zip("abc", x, strict=True))
        losses.append(-np.log(model.predict_proba_one(row)[y]))
        model.learn_one(row, y, w)
    found = trainer.progress.losses
    assert len(found) == 1
    assert steps[-1].loss == found[0]
    assert found[0] == pytest.approx(np.average(losses, weights=weights), rel=1e-12)


def test_learners_without_probabilities_have_none(tmp_path):
    path = tmp_path / "rows.vw"
    file_of(path, 2, False)
    for options in ({"learner": "averaged"}, {"learning_rate": "inverse_sqrt"}):
        trainer = trainer_of(path, **options)
        assert {step.loss for step in trainer.run()} == {None}
        assert trainer.progress.losses == []


@pytest.mark.parametrize("stop", [3, 8, 12])
def test_a_checkpoint_goes_on_to_the_same_losses(tmp_path, stop):
    path, saved = tmp_path / "rows.vw", tmp_path / "checkpoint"
    file_of(path, 2, True)
    whole = trainer_of(path, 2)
    list(whole.run())
    first = trainer_of(path, 2)
    for number, _ in enumerate(first.run()):
        if number == stop:
            break
    checkpoints.write(saved, first, {})
    second = trainer_of(path, 2)
    checkpoints.resume(saved, second, {})
    list(second.run())
    assert second.progress == whole.progress
    assert len(whole.progress.losses) == 2


def test_a_checkpoint_of_an_earlier_version_has_no_losses(tmp_path, monkeypatch):
    path, saved = tmp_path / "rows.vw", tmp_path / "checkpoint"
    file_of(path, 2, False)
    first = trainer_of(path, 2)
    next(iter(first.run()))
    new = ("loss_before", "weight", "losses")

    def older(progress):
        return {name: value for name, value in vars(progress).items() if name not in new}

    monkeypatch.setattr(checkpoints, "asdict", older)
    checkpoints.write(saved, first, {})
    second = trainer_of(path, 2)
    checkpoints.resume(saved, second, {})
    steps = list(second.run())
    assert steps[0].loss is None
    assert steps[-1].loss > 0
    assert second.progress.losses == []
