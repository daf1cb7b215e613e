"""Labels of any one type; the rest is named and refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.labels import encode, positions


@given(
    st.one_of(
        st.lists(st.integers(-5, 5), min_size=1, max_size=50),
        st.lists(st.sampled_from(["a", "b", "long name", ""]), min_size=1, max_size=50),
        st.lists(st.booleans(), min_size=1, max_size=50),
    )
)
def test_encoding_is_what_numpy_makes_of_it(labels):
    y = np.array(labels)
    classes, codes = encode(y)
    expected, inverse = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, inverse)


def test_a_class_that_comes_late_is_found():
    y = np.zeros(5000, int)
    y[[100, 4000, 4999]] = 1, 2, -7
    classes, codes = encode(y)
    assert classes.tolist() == [-7, 0, 1, 2]
    np.testing.assert_array_equal(classes[codes], y)


def test_objects_of_one_type():
    classes, codes = encode(np.array(["b", "a", "b"], object))
    assert (classes.tolist(), codes.tolist()) == (["a", "b"], [1, 0, 1])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            np.array([1, "a", 2], object),
            r"mixed types: 1 \(number\) at row 0, 'a' \(str\) at row 1",
        ),
        (np.array(["a", None], object), r"NaN or None at row 1"),
        (np.array(["a", float("nan")], object), r"NaN or None at row 1"),
        (np.array([0.0, np.nan]), r"y contains NaN at row 1"),
        (np.array([0.0, np.inf]), r"y contains infinity \(inf\) at row 1"),
        (np.array([0.0, 1.0, 0.5]), r"Unknown label type: continuous. y has 0.5 at row 2"),
        (np.array([0.0, 0.5], object), r"Unknown label type: continuous"),
        (np.array([1j, 2j]), r"Unknown label type: complex"),
    ],
)
def test_labels_that_are_none(labels, message):
    with pytest.raises(ValueError, match=message):
        encode(labels)


def test_positions_of_strangers():
    assert positions(np.array([0, 1]), np.array([0, 2])) is None
    assert positions(np.array(["a", "b"]), np.array(["a", "c"])) is None
