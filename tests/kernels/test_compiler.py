"""Parts of loops are compiled without what only Python needs to call them."""

import numba
import numpy as np
import pytest

from rosenblatt.kernels import compiler


def declared():
    """Return a part, and a loop that calls it."""

    @numba.njit(_target=compiler.NAME)
    def checked_root(x):
        if x < 0:
            raise ValueError("a negative number has no root")
        return np.sqrt(x)

    @numba.njit(_target=compiler.NAME)
    def sum_of_roots(values):
        total = 0.0
        for value in values:
            total += checked_root(value)
        return total

    return checked_root, sum_of_roots


def entry_points(function):
    return [type(each.entry_point) for each in function.overloads.values()]


def test_a_part_is_not_made_callable():
    part, loop = declared()
    assert loop(np.array([4.0, 9.0])) == 5.0
    assert entry_points(part) == [compiler.Part]
    assert entry_points(loop) != [compiler.Part]


def test_a_part_has_its_exceptions():
    _, loop = declared()
    with pytest.raises(ValueError, match="a negative number has no root"):
        loop(np.array([4.0, -1.0]))


def test_a_part_can_be_called_later():
    part, loop = declared()
    loop(np.array([4.0]))
    assert part(16.0) == 4.0
    assert entry_points(part) != [compiler.Part]
    with pytest.raises(ValueError, match="a negative number has no root"):
        part(-1.0)
    assert loop(np.array([4.0, 9.0])) == 5.0  # as before


def test_a_loop_can_become_a_part():
    part, loop = declared()
    assert part(16.0) == 4.0
    assert loop(np.array([4.0, 9.0])) == 5.0
    assert part(25.0) == 5.0
