"""Rows of arrays, which are narrower than the room that is made for weights."""

import numpy as np
import pytest

from rosenblatt.data.rows import Dense, Sparse, as_rows
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.readers.names import Numbered
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.rules import Options
from tests.conftest import first_quick


@pytest.mark.parametrize("learner", trainable(ONLINE))
@pytest.mark.parametrize("n_classes", first_quick([2, 3]))
def test_an_array_teaches_what_the_same_sparse_rows_do(learner, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)).astype(np.float32)
    y = rng.integers(0, n_classes, 200)
    indptr = (3 * np.arange(201)).astype(np.int32)
    indices = np.tile(np.arange(3, dtype=np.int32), 200)
    sparse = Sparse(indptr, indices, X.ravel().copy())
    for part in sparse:
        part.flags.writeable = False
    found = []
    for rows in (as_rows(X), sparse):
        model = OnlineClassifier.with_names(Options(learner), Numbered(3))
        mistakes = [model.learn_rows(rows, y) for _ in range(2)]
        found.append((mistakes, model.coef_.tolist(), model.scores(rows).tolist()))
    assert isinstance(as_rows(X), Dense)
    assert found[0] == found[1]
