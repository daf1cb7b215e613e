"""What a model's file says, what goes into it beside the model, and what does not."""

import errno
import json
import os
import subprocess
import sys
import types

import numpy as np
import pandas as pd
import pytest
import safetensors
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Perceptron as OtherPerceptron
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from rosenblatt import (
    KernelPerceptron,
    NaiveBayes,
    NearestCentroid,
    Perceptron,
    VotedPerceptron,
    load,
    save,
)
from rosenblatt.models import load_with_extra, read_header
from rosenblatt.persist import container
from rosenblatt.persist.errors import ModelFileError
from tests.models.zoo import data, fitted, quietly, same, same_model


@pytest.mark.parametrize(
    ("model", "name", "advice"),
    [
        (Perceptron(learning_rate=lambda t: 1 / t), "learning_rate", "Name a schedule"),
        (Perceptron(random_state=np.random.RandomState(0)), "random_state", "the seed"),
        (KernelPerceptron(kernel=np.inner), "kernel", "set the function after load"),
        (NearestCentroid(cv=StratifiedKFold(3)), "cv", "Give a number of folds"),
        (NearestCentroid(priors=pd.Series([0.5, 0.5])), "priors", "numbers or texts"),
        (NearestCentroid(priors={1: 0.5}), "priors", "numbers or texts"),
        (NaiveBayes(priors=np.array([0.5 + 0j])), "priors", "numbers or texts"),
        (NaiveBayes(priors=np.array([None])), "priors", "numbers or texts"),
    ],
)
def test_what_a_file_cannot_hold_is_named_with_advice(model, name, advice, tmp_path):
    with pytest.raises(TypeError, match=f"cannot save this .*: {name} is .*{advice}") as caught:
        save(model, tmp_path / "m.model")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_list_within_itself_is_refused(tmp_path):
    endless = []
    endless.append(endless)
    with pytest.raises(TypeError, match="nested too deep"):
        save(NearestCentroid(priors=endless), tmp_path / "m.model")


class Mine(Perceptron):
    pass


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Mine(), "a class made from Perceptron"),
        (OtherPerceptron(), "not a model of this package"),
        (RandomForestClassifier(), "not a model of this package"),
        (make_pipeline(PCA(), Perceptron()), "its step .pca. is a PCA"),
        (Perceptron, "save an object of it"),
        ({"coef_": 1}, "not a model of this package"),
        (None, "not a model of this package"),
    ],
)
def test_other_models_are_refused(model, why, tmp_path):
    with pytest.raises(TypeError, match=f"cannot save .*{why}"):
        save(model, tmp_path / "m.model")
    assert list(tmp_path.iterdir()) == []


def test_a_class_that_only_has_the_name_is_refused(tmp_path):
    fake = type("Perceptron", (), {"__module__": Perceptron.__module__})
    with pytest.raises(TypeError, match="not a model of this package"):
        save(fake(), tmp_path / "m.model")


def test_an_attribute_that_is_no_part_of_a_model_is_refused(tmp_path):
    model = fitted("perceptron")
    model.note = "mine"
    with pytest.raises(TypeError, match="'note' is not part of one"):
        save(model, tmp_path / "m.model")


def test_the_header_says_what_people_ask(tmp_path):
    path = tmp_path / "m.model"
    X, y = data("voted")
    model = VotedPerceptron(max_iter=2).fit(X, np.array(["a", "b", "c"])[y])
    save(model, path)
    header = read_header(path)
    assert header["kind"] == "VotedPerceptron"
    assert header["params"] == model.get_params()
    assert header["classes"] == ["a", "b", "c"]
    assert header["n_classes"] == 3
    assert header["feature_names"] is None
    assert header["holds_training_rows"] is True
    assert header["training"] == {
        "n_features_in": 6,
        "n_iter": 2,
        "n_mistakes": model.n_mistakes_,
        "mistakes": model.mistakes_.tolist(),
        "converged": False,
        "t": 180,
    }
    save(fitted("centroid, manhattan"), path)
    assert read_header(path)["holds_training_values"] is True
    save(fitted("perceptron"), path)
    assert read_header(path)["holds_training_rows"] is False
    save(Perceptron(), path)
    assert (read_header(path)["classes"], read_header(path)["training"]) == (None, {})


def test_a_header_stays_short(tmp_path):
    rng = np.random.default_rng(0)
    n = 3000
    X = pd.DataFrame(rng.standard_normal((n, n)), columns=[f"feature {k}" for k in range(n)])
    model = quietly(Perceptron(max_iter=1, tol=None).fit, X, np.arange(n) % 2)
    save(model, tmp_path / "m.model")
    header = read_header(tmp_path / "m.model")
    assert len(header["feature_names"]) == 1000
    assert len(json.dumps(header)) < 30_000
    same_model(model, load(tmp_path / "m.model"))


def test_the_file_is_a_safetensors_file(tmp_path):
    model = fitted("averaged")
    save(model, tmp_path / "m.model")
    with safetensors.safe_open(tmp_path / "m.model", "numpy") as file:
        np.testing.assert_array_equal(file.get_tensor("coef_"), model.coef_)


def test_an_old_file_is_intact_when_saving_fails(tmp_path):
    path = tmp_path / "m.model"
    save(fitted("perceptron"), path)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        save(Perceptron(learning_rate=lambda t: 1.0), path)
    assert path.read_bytes() == before


def test_a_full_disk_is_one_clear_line(tmp_path, monkeypatch):
    path = tmp_path / "m.model"
    save(fitted("perceptron"), path)
    before = path.read_bytes()

    def full(descriptor, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="no space left on the device; the old file is as it was"):
        save(fitted("averaged"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_extra_comes_back_and_load_ignores_it(tmp_path):
    path, model = tmp_path / "m.model", fitted("perceptron")
    extra = {
        "columns": ["a", "b"],
        "is": "a name like any other",
        "nested": {"deep": (1, 2.5, None), "scale": np.arange(3.0)},
        "names": np.array(["x", "yy"], object),
        "nan": float("nan"),
    }
    save(model, path, extra=extra)
    loaded, back = load_with_extra(path)
    same(back, extra)
    same_model(model, loaded)
    same_model(model, load(path))
    assert read_header(path)["extra"]["items"]["columns"] == ["a", "b"]
    save(model, path, extra={"positive": "spam"})
    assert read_header(path)["extra"] == {"positive": "spam"}
    save(model, path)
    assert load_with_extra(path)[1] == {}
    with pytest.raises(TypeError, match=r"extra.f is <function"):
        save(model, path, extra={"f": quietly})


def test_extra_that_cannot_be_is_refused(tmp_path):
    path = tmp_path / "m.model"
    save(fitted("perceptron"), path, extra={"a": 1})
    header, arrays = container.read(path)
    container.write(path, {**header, "extra": [1]}, arrays)
    load(path)
    with pytest.raises(ModelFileError, match="is not a dict"):
        load_with_extra(path)


class FakeStream:
    """Stands for a model that turns itself into parts."""

    def __init__(self, weights):
        self.weights, self.metadata = weights, None

    def exclusively(self, work):
        return work()

    def to_parts(self):
        return {"hashing": 18, "classes": ["a", "b"]}, {"weights": self.weights}

    @classmethod
    def from_parts(cls, header, arrays):
        assert header["hashing"] == 18
        assert header.keys() == {"hashing", "classes", "kind", "holds_training_rows"}
        return cls(arrays["weights"])


@pytest.fixture
def stream(monkeypatch):
    module = types.ModuleType("rosenblatt.stream.classifier")
    parent = types.ModuleType("rosenblatt.stream")
    kind = type("OnlineClassifier", (FakeStream,), {"__module__": module.__name__})
    module.OnlineClassifier = kind
    monkeypatch.setitem(sys.modules, "rosenblatt.stream", parent)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return kind


def test_a_model_of_a_stream_turns_itself_into_parts(stream, tmp_path):
    path = tmp_path / "m.model"
    save(stream(np.arange(4.0)), path, extra={"k": np.arange(2)})
    model, extra = load_with_extra(path)
    assert type(model) is stream
    same(model.weights, np.arange(4.0))
    same(extra, {"k": np.arange(2)})
    header = read_header(path)
    assert (header["kind"], header["hashing"]) == ("OnlineClassifier", 18)
    assert load(path).weights.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("wrong", [{"hashing": 19}, {"hashing": "18"}])
def test_a_broken_model_of_a_stream_is_a_model_file_error(stream, tmp_path, wrong, monkeypatch):
    def from_parts(header, arrays):
        return {18: stream(arrays["weights"])}[header["hashing"]]

    monkeypatch.setattr(stream, "from_parts", from_parts)
    path = tmp_path / "m.model"
    save(stream(np.arange(4.0)), path)
    header, arrays = container.read(path)
    container.write(path, {**header, **wrong}, arrays)
    with pytest.raises(ModelFileError, match="it is not a valid OnlineClassifier"):
        load(path)


def test_a_model_of_a_stream_needs_no_scikit_learn(tmp_path):
    code = f"""
import sys, types, numpy as np
module = types.ModuleType("rosenblatt.stream.classifier")
class OnlineClassifier:
    metadata = None
    def exclusively(self, work): return work()
    def to_parts(self): return {{}}, {{"w": np.zeros(3)}}
    @classmethod
    def from_parts(cls, header, arrays): return cls()
OnlineClassifier.__module__ = module.__name__
module.OnlineClassifier = OnlineClassifier
sys.modules["rosenblatt.stream"] = types.ModuleType("rosenblatt.stream")
sys.modules[module.__name__] = module
from rosenblatt import load, save
save(OnlineClassifier(), {str(tmp_path / "m.model")!r})
assert type(load({str(tmp_path / "m.model")!r})) is OnlineClassifier
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"sklearn", "numba", "onnx", "matplotlib"} & {*done.stdout.split()}
