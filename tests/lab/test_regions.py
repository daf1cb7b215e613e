"""Regions: where the grid's cells are, and how their scores are packed."""

from base64 import b64decode

import numpy as np
import pytest

from rosenblatt.lab.plane.points import RATIO, as_grid, pack_classes, pack_scores


def unpacked(text, kind=np.int8):
    return np.frombuffer(b64decode(text), kind).tolist()


def test_cells_go_row_by_row_from_the_top():
    grid = as_grid([0, 4, 0, 2], [2, 2])
    assert grid.X.tolist() == [[1, 1.5], [3, 1.5], [1, 0.5], [3, 0.5]]


def test_signs_survive_packing_and_zero_alone_is_zero():
    scores = np.array([-2.0, -1e-300, 0.0, -0.0, 1e-9, 1.0, 2.0])
    assert unpacked(pack_scores(scores)) == [-127, -1, 0, 0, 29, 124, 127]
    assert unpacked(pack_scores(np.zeros(3))) == [0, 0, 0]


def test_ratios_survive_packing_however_small_the_scores():
    """The page puts a border between a and −b at a/(a + b) of the way."""
    rng = np.random.default_rng(0)
    sizes = np.concatenate([[1.0], 10 ** rng.uniform(-11, 0, 500)])
    told = np.exp((np.array(unpacked(pack_scores(-sizes))) + 127) * -RATIO)
    assert np.allclose(told, sizes, rtol=0.12)
    a, b, c, d = sizes[1:-1], sizes[2:], told[1:-1], told[2:]
    assert np.abs(a / (a + b) - c / (c + d)).max() < 0.06


def test_class_numbers():
    scores = np.array([[3.0, 0.0, 1.0], [2.0, 0.0, 3.0], [1.0, -1.0, 2.0]])
    told = unpacked(pack_classes(np.array([0, 2, 5]), scores), np.uint8)
    assert told[:3] == [0, 0, 2]
    assert told[3:] == [127, 0, 127]  # how far the first is before the second


def test_no_grid_is_asked_for_where_planes_tell_the_regions():
    assert as_grid([0, 1, 0, 1], None) is None
    with pytest.raises(ValueError, match="view must be"):
        as_grid([0, 1], None)


@pytest.mark.parametrize(
    "view",
    [None, [], [0, 1, 2], [1, 0, 0, 1], [0, 1, 1, 1], [0, 1, 0, "1"], [0, 1, 0, 1e12],
     [float("nan"), 1, 0, 1], [0, True, 0, 1], "0101"],
)  # fmt: skip
def test_bad_views(view):
    with pytest.raises(ValueError, match="view must be four numbers"):
        as_grid(view, [10, 10])


@pytest.mark.parametrize(
    "grid", [[], [10], [1, 10], [10, 401], [400, 400], [10.0, 10], ["10", 10], 10, [True, 9]]
)
def test_bad_grids(grid):
    with pytest.raises(ValueError, match="grid must be two whole numbers"):
        as_grid([0, 1, 0, 1], grid)
