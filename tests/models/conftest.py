"""Model files whose checksums are right and whose content is not."""

import numpy as np
import onnx
import onnxruntime
import pytest

from rosenblatt import load, save
from rosenblatt.models import to_onnx
from rosenblatt.persist import container
from tests.models.zoo import fitted

_TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(bool)": bool,
    "tensor(string)": object,
}


@pytest.fixture
def forged(tmp_path):
    """Save a model, change what is in the file, and try to load it."""

    def load_changed(setting, change, **options):
        path = tmp_path / "m.model"
        save(fitted(setting, **options), path)
        header, arrays = container.read(path)
        change(header, arrays)
        container.write(path, header, arrays)
        return load(path)

    return load_changed


@pytest.fixture
def run(tmp_path):
    """Export a model, and let onnxruntime say what it says of some rows, or of a data frame."""

    def outputs(model, X, **options):
        path = tmp_path / "m.onnx"
        to_onnx(model, path, **options)
        onnx.checker.check_model(onnx.load(path), full_check=True)
        session = onnxruntime.InferenceSession(path)
        names = [output.name for output in session.get_outputs()]
        inputs = {"X": X} if isinstance(X, np.ndarray) else columns(session, X)
        return dict(zip(names, session.run(None, inputs), strict=True))

    return outputs


def columns(session, frame):
    """Return the columns of a frame that a file takes, as arrays of the types that it takes."""
    return {one.name: _column(frame[one.name], one.type) for one in session.get_inputs()}


def _column(values, kind):
    values = np.asarray(values)
    if values.dtype.kind == "M":
        days = (values - np.datetime64(0, "D")) / np.timedelta64(1, "D")
        values = np.where(np.isnat(values), np.nan, days)
    return values.astype(_TYPES[kind])[:, None]
