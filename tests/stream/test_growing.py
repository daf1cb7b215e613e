"""Classes and features that come late: in doubles, the same bits, and no memory for nothing."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.rows import as_rows
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.learners.blocks import block
from rosenblatt.learners.online import whole
from rosenblatt.readers.names import Kept, Numbered
from rosenblatt.readers.reader import Reader
from rosenblatt.stream import growing
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.compacting import compacted
from rosenblatt.stream.rules import Options
from rosenblatt.training import checkpoints
from rosenblatt.training import trainer as training
from rosenblatt.training.trainer import Trainer
from tests.conftest import first_quick

from .test_overflow import bits

N, FEATURES = 400, 60


def many_classes(seed=0):
    rng = np.random.default_rng(seed)
    rows = as_rows(sp.random(N, FEATURES, 0.1, "csr", np.float32, random_state=seed))
    return rows, np.array([f"c{k}" for k in rng.integers(0, 90, N)], object)


def learned(learner, rows, y, step, monkeypatch=None):
    model = OnlineClassifier.with_names(Options(learner), Numbered(FEATURES))
    for start in range(0, N, step):
        stop = min(N, start + step)
        model.learn_rows(block(rows, start, stop), y[start:stop])
    return model


@pytest.mark.parametrize("learner", first_quick(trainable(ONLINE), 1))
def test_room_to_spare_changes_no_bit(learner, monkeypatch):
    rows, y = many_classes()
    models = [learned(learner, rows, y, step) for step in (1, 7, N)]
    monkeypatch.setattr(growing, "_FEW", 1000)  # no spare room
    monkeypatch.setattr(growing, "_MANY", 1)  # and what was never used is left out
    models.append(learned(learner, rows, y, 7))
    assert len({repr(bits(model)) for model in models}) == 1
    assert len({model.scores(rows).tobytes() for model in models}) == 1
    again = OnlineClassifier.from_parts(*models[1].to_parts())
    assert bits(again) == bits(models[0])
    for model in (again, models[1]):
        model.learn_rows(rows, y)
    assert bits(again) == bits(models[1])


def test_room_grows_in_doubles(monkeypatch):
    """Of a thousand classes a handful make a new array."""
    made = []
    zeros = np.zeros

    def counted(shape, *args, **options):
        if isinstance(shape, tuple) and shape[-1] == 1024:
            made.append(shape)
        return zeros(shape, *args, **options)

    monkeypatch.setattr(growing.np, "zeros", counted)
    model = OnlineClassifier.with_names(Options("perceptron"), Numbered(4))
    rng = np.random.default_rng(0)
    rows = as_rows(sp.random(1000, 4, 0.5, "csr", np.float32, random_state=0))
    model.learn_rows(rows, rng.permutation(1000))
    assert len(model.classes_) == 1000
    assert len(made) < 32 + 10
    assert len(whole(model._state.weights)) == 1024
    assert model.to_parts()[1]["weights"].shape == (4, 1000)


def test_features_that_come_later_keep_the_room():
    model = OnlineClassifier("perceptron")
    for k in range(50):
        model.learn_one({f"f{k}": 1.0}, k)
    room = len(whole(model._state.weights))
    for k in range(3000):
        model.learn_one({f"f{k}": 1.0}, k % 50)
    assert len(whole(model._state.weights)) == room > 50
    assert model.coef_.shape == (50, 3000)


def trainer_of(path, passes=1, learner="averaged", classes=None, **options):
    reader = Reader([path])
    model = OnlineClassifier.with_names(Options(learner), reader.names, classes)
    return Trainer(model, reader, passes, **options)


def write_csv(path, rows):
    path.write_text("id,age,label_\n" + "".join(f"{k},{k % 7},{label}\n" for k, label in rows))


@pytest.mark.parametrize("kind", ["names", "numbers"])
def test_a_label_that_numbers_the_rows_is_refused_early(tmp_path, kind):
    path = tmp_path / "f.csv"
    labels = [f"user {k}" if kind == "names" else k for k in range(4000)]
    labels[1::20] = labels[::20]
    write_csv(path, enumerate(labels))
    trainer = trainer_of(path)
    wanted = r"f\.csv: the label 'label_' has 3,800 values in 4,000 rows; name the column"
    with pytest.raises(ValueError, match=wanted) as met:
        list(trainer.run())
    assert ("--learner regression" in str(met.value)) == (kind == "numbers")
    assert len(trainer.model.classes_) == 0  # nothing was learned yet


def test_many_classes_may_be_told(tmp_path):
    path = tmp_path / "f.csv"
    write_csv(path, ((k, f"user {k}") for k in range(1100)))
    trainer = trainer_of(path, classes=[f"user {k}" for k in range(1100)])
    list(trainer.run())
    assert trainer.progress.size == 1100


@pytest.mark.slow
def test_many_classes_with_many_rows_each_are_fine(tmp_path):
    path = tmp_path / "f.csv"
    write_csv(path, ((k, f"user {k % 1200}") for k in range(2500)))
    trainer = trainer_of(path)
    list(trainer.run())
    assert len(trainer.model.classes_) == 1200


class InParts(Trainer):
    """Takes 100 rows at a time."""

    def _batches(self):
        for batch, done in super()._batches():
            for k in range(0, len(batch.labels), 100):
                yield batch.part(k, min(k + 100, len(batch.labels))), done


def in_parts(path, n_rows, n_different):
    """Train on rows of which the first have labels of their own, and the rest the same again."""
    write_csv(path, ((k, f"user {k % n_different}") for k in range(n_rows)))
    return parts_of(path)


def parts_of(path):
    reader = Reader([path])
    model = OnlineClassifier.with_names(Options("averaged"), reader.names, None)
    return InParts(model, reader, 1)


def test_rows_wait_until_it_is_clear_what_their_labels_are(tmp_path):
    trainer = in_parts(tmp_path / "f.csv", 2000, 1200)
    steps = [step.examples for step in trainer.run()]
    assert steps == list(range(100, 2001, 100))
    assert len(trainer.model.classes_) == 1200
    whole = trainer_of(tmp_path / "f.csv")
    list(whole.run())
    np.testing.assert_array_equal(trainer.model.coef_, whole.model.coef_)


@pytest.mark.parametrize(("n_rows", "known"), [(9000, 9000), (30_000, 10_000)])
def test_labels_that_all_differ_are_refused_after_enough_rows(tmp_path, n_rows, known):
    trainer = in_parts(tmp_path / "f.csv", n_rows, n_rows)
    with pytest.raises(ValueError, match=f"has {known:,} values in {known:,} rows"):
        list(trainer.run())
    assert len(trainer.model.classes_) <= 1000


def test_classes_that_came_late_are_no_reason_to_refuse_to_resume(tmp_path, monkeypatch):
    """While rows are skipped, the model knows the classes of later ones."""
    monkeypatch.setattr(training, "ENOUGH", 300)
    monkeypatch.setattr(training, "MANY_CLASSES", 100)
    path = tmp_path / "f.csv"
    numbers = [*range(150), *range(150), *range(150, 450), *range(400)]
    write_csv(path, ((k, f"user {number}") for k, number in enumerate(numbers)))
    first = parts_of(path)
    run = first.run()
    while next(run).examples < 900:
        pass
    checkpoints.write(tmp_path / "c", first, {})
    list(run)
    again = parts_of(path)
    checkpoints.resume(tmp_path / "c", again, {})
    list(again.run())
    np.testing.assert_array_equal(again.model.coef_, first.model.coef_)


@pytest.mark.parametrize("learner", trainable(ONLINE))
@pytest.mark.parametrize("classes", first_quick([2, 4], 1))
def test_feature_numbers_far_apart(tmp_path, learner, classes):
    """A column for each number up to the largest is not kept, but what was learned is."""
    path, near = tmp_path / "far.svm", tmp_path / "near.svm"
    rng = np.random.default_rng(0)
    numbers = np.sort(rng.choice(1 << 23, 20, replace=False)) + 1
    for file, names in ((path, numbers), (near, np.arange(20))):
        rows = np.random.default_rng(1)
        file.write_text(
            "".join(
                f"{rows.integers(classes)} "
                + " ".join(
                    f"{names[j]}:{rows.random():.3f}" for j in range(20) if rows.random() < 0.4
                )
                + "\n"
                for _ in range(100)
            )
        )
    found = []
    for file in (path, near):
        trainer = trainer_of(file, 2, learner, validate=lambda model: 1)
        list(trainer.run())
        trainer.best = None
        found.append(trainer.result())
    far, expected = found
    assert isinstance(far._names, Kept)
    assert far.n_features_ <= 20
    for values in rng.random((10, 20)):
        names = zip(numbers, values, strict=True)
        x = {str(name): float(v) for name, v in names if str(name) in far.feature_names_}
        y = {str(list(numbers).index(int(name))): v for name, v in x.items()}
        assert far.scores_one(x) == pytest.approx(expected.scores_one(y), rel=1e-5)
    again = OnlineClassifier.from_parts(*far.to_parts())
    assert again.scores_one(x) == far.scores_one(x)


def test_only_what_is_wide_and_hardly_used_is_made_compact():
    assert compacted(OnlineClassifier("perceptron")) is None
    model = OnlineClassifier.with_names(Options("perceptron"), Numbered(1000), [0, 1])
    assert compacted(model) is None
    wide = OnlineClassifier.with_names(Options("perceptron"), Numbered(1 << 22), [0, 1])
    wide._state.weights[0, ::10] = 1
    assert compacted(wide) is None
    wide._state.weights[0, 100:] = 0
    small = compacted(wide)
    assert small.feature_names_ == [str(k) for k in range(0, 100, 10)]
    assert small.coef_.tolist() == [[1.0] * 10]
