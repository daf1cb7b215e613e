"""Regions: where the grid's cells are, and how their scores are packed."""

from base64 import b64decode

import numpy as np
import pytest

from rosenblatt.lab.plane.regions import as_grid, pack_classes, pack_scores


def unpacked(text, kind=np.int8):
    return np.frombuffer(b64decode(text), kind).tolist()


def test_cells_go_row_by_row_from_the_top():
    grid = as_grid([0, 4, 0, 2], [2, 2])
    assert grid.X.tolist() == [[1, 1.5], [3, 1.5], [1, 0.5], [3, 0.5]]


def test_signs_survive_packing_and_zero_alone_is_zero():
    scores = np.array([-2.0, -1e-300, 0.0, -0.0, 1e-9, 1.0, 2.0])
    assert unpacked(pack_scores(scores)) == [-127, -1, 0, 0, 1, 64, 127]
    assert unpacked(pack_scores(np.array([0.5, -1.0]), full=1.0)) == [64, -127]
    assert unpacked(pack_scores(np.zeros(3))) == [0, 0, 0]


def test_class_numbers():
    assert unpacked(pack_classes(np.array([0, 5, 2])), np.uint8) == [0, 5, 2]


@pytest.mark.parametrize(
    "view",
    [None, [], [0, 1, 2], [1, 0, 0, 1], [0, 1, 1, 1], [0, 1, 0, "1"], [0, 1, 0, 1e12],
     [float("nan"), 1, 0, 1], [0, True, 0, 1], "0101"],
)  # fmt: skip
def test_bad_views(view):
    with pytest.raises(ValueError, match="view must be four numbers"):
        as_grid(view, [10, 10])


@pytest.mark.parametrize(
    "grid", [None, [], [10], [1, 10], [10, 401], [400, 400], [10.0, 10], ["10", 10], 10, [True, 9]]
)
def test_bad_grids(grid):
    with pytest.raises(ValueError, match="grid must be two whole numbers"):
        as_grid([0, 1, 0, 1], grid)
