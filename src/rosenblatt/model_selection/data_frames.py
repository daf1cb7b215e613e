"""Results as data frames. pandas need not be installed: it is imported when they are asked for."""

from collections.abc import Iterable, Mapping
from typing import Any


def as_frame(rows: Iterable[Mapping[str, Any]], index: str | None = None) -> Any:
    """Return a pandas data frame of rows, which an index may name."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            ".results is a data frame, which needs pandas: pip install pandas. .table holds the "
            "same results without it"
        ) from error
    frame = pd.DataFrame(list(rows))
    return frame if index is None else frame.set_index(index)
