"""Arrays as compiled loops take them."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def read_only(array: Array) -> Array:
    """View an array as read-only, for a loop that does not write to it.

    What may be written to is another type, for which the loop would be compiled once more.
    """
    view = array.view()
    view.flags.writeable = False
    return view
