"""Changes to what a model file says, and that they are noticed."""

import numpy as np
import pytest

from rosenblatt.persist.errors import ModelFileError


def refused(forged, setting, change, why, **options):
    with pytest.raises(ModelFileError, match=why) as caught:
        forged(setting, change, **options)
    assert str(caught.value).startswith("cannot load ")
    assert "\n" not in str(caught.value)


def state(**values):
    """Change fields of the state."""

    def change(header, arrays):
        for name, value in values.items():
            assert name in header["fitted"]["_state"]
            header["fitted"]["_state"][name] = value

    return change


def fitted_values(**values):
    def change(header, arrays):
        assert values.keys() <= header["fitted"].keys()
        header["fitted"].update(values)

    return change


def array(name, value):
    """Replace an array by what a function makes of it."""

    def change(header, arrays):
        assert name in arrays, arrays.keys()
        arrays[name] = np.asarray(value(arrays[name].copy()))

    return change


def put(place, value):
    def make(old):
        old[place] = value
        return old

    return make
