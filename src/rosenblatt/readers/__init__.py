"""Files of examples, read in blocks of rows with bounded memory.

`reader.Reader` opens files (`sources`), recognises their format (`formats`) and calls ``blocks`` of
the module of that format: `svmlight`, `vw`, `jsonl`, `text`, `npy`, or `tables`, which calls `csv`
or `parquet`. What these share:

- `blocks`: a block of rows, errors, and how a block is built
- `names`: which column a feature's name stands for
- `column_types`, `column_detection` and `cells`: what a column of a table holds, how that is
  decided, and its cells as numbers or categories
- `features`: the features of one example given as a dict
- `dict_rows`: dicts, and lines of JSON, as rows of a table whose columns are known
- `interactions`, `products` and `row_products`: which features are multiplied, in blocks and in
  single rows
- `chunks` and `lines`: text in pieces of whole lines

`command_options` says how files are read. `matrix.read` reads whole files into a matrix and labels;
`named_columns` does so for the command line, with the names of the columns.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.readers.matrix import read as read

__all__ = ["read"]


def __getattr__(name: str) -> Any:
    if name == "read":  # when first used: reading in blocks needs no SciPy
        from rosenblatt.readers.matrix import read

        return read
    raise AttributeError(f"module 'rosenblatt.readers' has no attribute {name!r}")
