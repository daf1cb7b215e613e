"""Files that older versions wrote load for ever, and say what they said then."""

import hashlib
import json

import numpy as np
import pytest

from rosenblatt import load, save
from rosenblatt.models import load_with_extra
from rosenblatt.persist.container import FORMAT
from tests.models import write_golden
from tests.models.write_golden import FOLDER, METHODS
from tests.models.zoo import CLASSES, hold_nothing_out, quietly, same, same_model

FILES = sorted(FOLDER.glob("*.model"))


def record_of(path):
    return json.loads(path.with_suffix(".json").read_text("utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_file_says_what_it_said(path):
    record = record_of(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == record["sha256"]  # as it was written
    model, extra = load_with_extra(path)
    same(extra, {"note": "golden", "scale": np.arange(3.0)})
    params = {name: repr(value) for name, value in model.get_params().items()}
    assert params.items() >= record["params"].items()
    X = np.array(record["X"])
    for method in METHODS:
        if method in record:
            found, expected = quietly(getattr(model, method), X), np.array(record[method])
            if expected.dtype.kind in "Ub" or (method == "predict" and expected.dtype.kind == "i"):
                assert found.tolist() == record[method]
            else:
                np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_model_goes_on(path, tmp_path):
    model = load(path)
    save(model, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    same_model(model, again)
    record = record_of(path)
    if record["X"] and hasattr(model, "partial_fit"):
        model, again = hold_nothing_out(model), hold_nothing_out(again)
        X, y = np.array(record["X"]), np.array(record["predict"])
        # Text becomes an array of text again where it was one of objects.
        y = y.astype(model.classes_.dtype) if hasattr(model, "classes_") else y
        same_model(quietly(model.partial_fit, X, y), quietly(again.partial_fit, X, y))


def test_there_is_a_golden_file_of_every_estimator_in_the_format_of_today():
    today = [path for path in FILES if path.stem.endswith(f".v{FORMAT}")]
    assert {type(load(path)) for path in today} == CLASSES
    assert all(path.stat().st_size < 20_000 for path in FILES)


def test_golden_files_are_never_written_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(write_golden, "FOLDER", tmp_path)
    few = list(write_golden.models())[-2:]
    monkeypatch.setattr(write_golden, "models", lambda: few)
    write_golden.main()
    assert len(capsys.readouterr().out.splitlines()) == 2
    path = next(tmp_path.glob("*.model"))
    path.write_bytes(b"of an older version")
    write_golden.main()
    assert capsys.readouterr().out == ""
    assert path.read_bytes() == b"of an older version"
