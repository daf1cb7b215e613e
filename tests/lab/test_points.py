"""Points that a page sends: checked before anything learns from them."""

import numpy as np
import pytest

from rosenblatt.lab.plane.points import POINTS, as_classes, as_points, as_whole

NAMES = ["-1", "+1"]


def test_points_are_rows_and_class_numbers():
    points = as_points([[1, 2, 1], [0.5, -3, 0]], NAMES)
    assert points.X.tolist() == [[1, 2], [0.5, -3]]
    assert points.y.tolist() == [1, 0]
    assert points.binary


def test_classes_without_points_are_left_out():
    points = as_points([[1, 2, 3], [0, 0, 1], [1, 1, 3]], ["a", "b", "c", "d"])
    assert points.y.tolist() == [1, 0, 1]
    assert points.present.tolist() == [1, 3]
    assert points.class_of(1) == 3


def test_no_points_are_points():
    assert as_points([], NAMES).X.shape == (0, 2)


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ([], "add one of -1 and one of \\+1"),
        ([[0, 0, 1]], "two classes; add one of -1"),
        ([[0, 0, 0], [1, 1, 0]], "two classes; add one of \\+1"),
    ],
)
def test_what_to_add(points, says):
    with pytest.raises(ValueError, match=says):
        as_points(points, NAMES, least=2)


@pytest.mark.parametrize(
    ("points", "says"),
    [
        (None, "a list of"),
        ("points", "a list of"),
        ([[1, 2]], "three numbers"),
        ([[1, 2, 0], [1, 2]], "three numbers"),
        ([[1, "2", 0]], "three numbers"),
        ([[None, 2, 0]], "three numbers"),
        ([[[1], 2, 0]], "three numbers"),
        ([[10**400, 2, 0]], "three numbers"),
        ([[float("nan"), 2, 0]], "point 0 must be between"),
        ([[0, 0, 0], [1e10, 2, 0]], "point 1 must be between"),
        ([[0, 1e-200, 0]], "point 0 must be 0, or no nearer to it than 1e-100"),
        ([[1, 2, 0.5]], "point 0 is of class 0.5"),
        ([[1, 2, 2]], "numbers 0 to 1"),
        ([[1, 2, -1]], "point 0 is of class -1"),
        ([[0, 0, 0]] * (POINTS + 1), "5,001 points, and the lab takes up to 5,000"),
    ],
)
def test_bad_points(points, says):
    with pytest.raises(ValueError, match=says):
        as_points(points, NAMES)


@pytest.mark.parametrize(
    "classes", [None, [], ["a"] * 2, list("abcdefg"), [""], ["x" * 61], [1, 2], "ab", [["a"]]]
)
def test_bad_classes(classes):
    with pytest.raises(ValueError, match="class"):
        as_classes(classes)


@pytest.mark.parametrize("value", [None, True, 1.0, "1", 0, 11, [1]])
def test_bad_whole_numbers(value):
    with pytest.raises(ValueError, match="count must be a whole number from 1 to 10"):
        as_whole(value, "count", 1, 10)


def test_the_largest_is_fast_enough():
    rows = np.random.default_rng(0).normal(size=(POINTS, 2)).round(3)
    assert len(as_points([[*row, 0] for row in rows.tolist()], NAMES).y) == POINTS
