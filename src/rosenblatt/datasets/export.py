"""Data sets written as files that the other commands read: one line an example."""

import csv
import io
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.console import UsageError
from rosenblatt.datasets.loading import DataSet
from rosenblatt.persist.atomic import write_atomically

_LINES = 1000  # written at once
_BLANKS = str.maketrans("\t\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029", " " * 11)


class Exported:
    """A part of a data set: rows of numbers or categories, texts, or sentences."""

    def __init__(self, data: DataSet, part: str) -> None:
        suffix = "" if part == "train" else f"_{part}"
        X, y = getattr(data, f"X{suffix}"), getattr(data, f"y{suffix}")
        if X is None:
            raise UsageError(f"data set {data.name!r} has no {part} part")
        self.X, self.y, self.names = X, y, data.feature_names
        self.sparse = hasattr(X, "indptr")
        self.sentences = not self.sparse and X.ndim == 1 and isinstance(X[0], tuple)
        self.texts = not self.sparse and X.ndim == 1 and not self.sentences
        self.numbers = self.sparse or X.dtype != object

    def shuffle(self) -> None:
        """Put the examples into a random order, always the same."""
        order = np.random.default_rng(0).permutation(self.n)
        self.X, self.y = self.X[order], self.y[order]

    @property
    def n(self) -> int:
        """How many examples there are."""
        return len(self.y)

    def codes(self) -> dict[Any, int]:
        """Return the numbers of classes that have names: −1 and 1, or 0, 1, 2, …."""
        classes = [] if self.sentences else np.unique(self.y).tolist()
        if not classes or not isinstance(classes[0], str):
            return {}
        return dict(
            zip(classes, (-1, 1) if len(classes) == 2 else range(len(classes)), strict=True)
        )

    def rows(self) -> Iterator[list[Any]]:
        """Yield the cells of each row, as Python has them."""
        for start in range(0, self.n, _LINES):
            some = self.X[start : start + _LINES]
            yield from (some.toarray() if self.sparse else some).tolist()

    def pairs(self) -> Iterator[list[tuple[int, Any]]]:
        """Yield the columns that are not zero, with their values."""
        if not self.sparse:
            for row in self.rows():
                yield [(column, value) for column, value in enumerate(row) if value]
            return
        indptr, indices, data = self.X.indptr.tolist(), self.X.indices, self.X.data
        for start, stop in pairwise(indptr):
            columns, values = indices[start:stop].tolist(), data[start:stop].tolist()
            yield sorted(zip(columns, values, strict=True))


def number(value: Any) -> str:
    """Write a number that reads back as the same, and a whole one without a point.

    >>> number(1.0), number(0.1), number(-3)
    ('1', '0.1', '-3')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)


def svmlight(part: Exported) -> Iterator[str]:
    """Write ``label index:value …``, features numbered from 1 on; named classes become numbers."""
    if not part.numbers or part.texts or part.sentences:
        raise UsageError("svmlight is for numbers; write .csv, .jsonl or .txt instead")
    codes = part.codes() or {label: label for label in np.unique(part.y).tolist()}
    for label, pairs in zip(part.y.tolist(), part.pairs(), strict=True):
        yield " ".join([str(codes[label]), *(f"{j + 1}:{number(v)}" for j, v in pairs)])


def tables(separator: str) -> Callable[[Exported], Iterator[str]]:
    """Return what writes a table with a header: the label last, or before a text."""

    def lines(part: Exported) -> Iterator[str]:
        if part.sentences:
            raise UsageError("sentences are not a table; write .conll or .jsonl instead")
        if part.texts:
            yield _row(["label", *part.names], separator)
            yield from (_row([*pair], separator) for pair in zip(part.y, part.X, strict=True))
            return
        yield _row([*part.names, "label"], separator)
        for row, label in zip(part.rows(), part.y.tolist(), strict=True):
            yield _row([*map(number, row), label], separator)

    return lines


def _row(cells: list[Any], separator: str) -> str:
    out = io.StringIO()
    # Cells with either of these characters are quoted.
    csv.writer(out, delimiter=separator, lineterminator="\r\n").writerow(cells)
    return out.getvalue().removesuffix("\r\n")


def jsonl(part: Exported) -> Iterator[str]:
    """Write one JSON object an example; numbers that are zero are left out of sparse rows."""
    for label, features in zip(part.y.tolist(), _objects(part), strict=True):
        value = list(label) if isinstance(label, tuple) else label
        yield json.dumps({"label": value, **features}, ensure_ascii=False)


def _objects(part: Exported) -> Iterator[dict[str, Any]]:
    if part.sentences:
        for sentence in part.X:
            columns = zip(*sentence, strict=True)
            yield {name: list(column) for name, column in zip(part.names, columns, strict=True)}
    elif part.texts:
        yield from ({part.names[0]: text} for text in part.X.tolist())
    elif part.sparse:
        yield from ({part.names[j]: v for j, v in pairs} for pairs in part.pairs())
    else:
        yield from (dict(zip(part.names, row, strict=True)) for row in part.rows())


def texts(part: Exported) -> Iterator[str]:
    """Write ``label<TAB>text``; line ends and tabs in a text become spaces."""
    if not part.texts:
        raise UsageError(
            ".txt is for texts, and this data set has rows; write .csv or .svm instead"
        )
    for label, text in zip(part.y.tolist(), part.X.tolist(), strict=True):
        yield f"{label}\t{text.translate(_BLANKS)}"


def conll(part: Exported) -> Iterator[str]:
    """Write a token a line, its tag last, and an empty line after each sentence."""
    if not part.sentences:
        raise UsageError(".conll is for sentences, which this data set has not")
    for tokens, tags in zip(part.X, part.y, strict=True):
        for token, tag in zip(tokens, tags, strict=True):
            yield "\t".join([*token, tag])
        yield ""


_WRITERS: dict[str, Callable[[Exported], Iterator[str]]] = {
    ".svm": svmlight,
    ".svmlight": svmlight,
    ".libsvm": svmlight,
    ".csv": tables(","),
    ".tsv": tables("\t"),
    ".jsonl": jsonl,
    ".ndjson": jsonl,
    ".txt": texts,
    ".conll": conll,
}


def check_ending(path: str) -> str:
    """Return the ending of a file's name that says how to write it, or say which there are."""
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if ending not in _WRITERS:
        raise UsageError(f"--output {path} must end with {', '.join(_WRITERS)}, or .gz after these")
    return ending


def usual_ending(entry: Any) -> str:
    """Return the ending that suits a data set of the catalogue best."""
    if "sentences" in entry.description:
        return ".conll"
    if entry.feature_names == ("text",):
        return ".txt"
    return ".svm" if "sparse" in entry.description else ".csv"


def export(data: DataSet, part: str, path: str, shuffled: bool = False) -> dict[str, Any]:
    """Write a part of a data set to a file, whole or not at all."""
    ending, chosen = check_ending(path), Exported(data, part)
    if shuffled:
        chosen.shuffle()
    pieces = _pieces(_WRITERS[ending](chosen))
    write_atomically(path, _packed(pieces) if path.endswith(".gz") else pieces)
    return {
        "examples": chosen.n,
        "bytes": Path(path).stat().st_size,
        "classes": chosen.codes() if _WRITERS[ending] is svmlight else {},
        "hint": _hint(chosen, ending, path),
    }


def _hint(part: Exported, ending: str, path: str) -> str | None:
    """Return the command that learns from the file."""
    if part.sentences:
        return f"rosenblatt tag train {path}" if ending == ".conll" else None
    columns = " --text text" if part.texts and ending != ".txt" else ""
    return f"rosenblatt train {path}{columns}"


def _pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """Put lines together, so that few are written at a time and not all are in memory."""
    waiting: list[str] = []
    for line in lines:
        waiting.append(line)
        if len(waiting) >= _LINES:
            yield ("\n".join(waiting) + "\n").encode()
            waiting = []
    if waiting:
        yield ("\n".join(waiting) + "\n").encode()


def _packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
