"""Rows in a random order: the same whenever the seed is, however the rows were read."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.data.rows import as_rows
from rosenblatt.training import shuffling
from rosenblatt.training.shuffling import Batch, generator, shuffled


def numbered(n, kind=sp.csr_matrix):
    """Rows that hold their own numbers, so that they can be told apart."""
    X = np.tile(np.arange(1.0, n + 1)[:, None], 3)
    return Batch(as_rows(kind(X)), np.arange(n), None)


def visited(batch, cuts, seed=0):
    """Return the labels in the order of visit, of a batch that comes in parts."""
    parts = [(batch.part(a, b), lambda k, a=a: ("f", a + k)) for a, b in cuts]
    found, places = [], []
    for some, place in shuffled(parts, generator(seed, 0)):
        found += some.labels.tolist()
        places += [place(k)[1] for k in range(len(some.labels))]
        values = some.rows.values.reshape(-1, 3)[:, 0]
        np.testing.assert_array_equal(values, some.labels + 1)
    assert places == found
    return found


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8), window=st.integers(1, 40))
@settings(max_examples=40, deadline=None)
def test_how_rows_come_does_not_matter(kind, sizes, window):
    n = sum(sizes)
    ends = np.cumsum([0, *sizes]).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffling, "WINDOW", window)
        found = visited(numbered(n, kind), list(pairwise(ends)))
        assert found == visited(numbered(n, kind), [(0, n)])
    assert sorted(found) == list(range(n))
    rows = -(-window // 3)  # of a window
    assert all(label // rows == k // rows for k, label in enumerate(found))


def test_every_pass_has_an_order_of_its_own():
    orders = {tuple(visited(numbered(50), [(0, 50)], seed)) for seed in range(4)}
    assert len(orders) == 4


def test_weights_stay_with_their_rows():
    batch = numbered(20)._replace(weights=np.arange(20.0))
    [(some, _)] = shuffled([(batch, None)], generator(0, 0))
    np.testing.assert_array_equal(some.weights, some.labels)
