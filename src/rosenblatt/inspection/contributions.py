"""Why a model predicts what it does: what each feature of a row contributes to its score."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.console import shortened, text_width
from rosenblatt.data.rows import Array, Rows, Sparse, frozen, n_rows, take
from rosenblatt.inspection.model import bar_line, name_of
from rosenblatt.prediction.model_files import OpenModel, located
from rosenblatt.readers.blocks import Block
from rosenblatt.readers.names import Hashed, Kept
from rosenblatt.readers.reader import CountingReader
from rosenblatt.stream.explaining import INTERCEPT, Contributions

_NAME, _BAR = 22, 11  # columns of a name, and of a bar to one side
_LINE = 76


class Part(NamedTuple):
    """What a feature contributes: ``weight`` for each unit of its ``value``, less its mean."""

    feature: str
    value: float
    weight: float
    contribution: float


class Explanation(NamedTuple):
    """A row, what is predicted for it, and why.

    Attributes
    ----------
    label, against : object
        The class whose score is explained, and the other one if there are two; None for numbers.
    score : float
        The score of the class, or the number predicted: the sum of all parts.
    probability : float or None
        That of the class, if the model has probabilities.
    parts : list of Part
        The largest contributions, from the largest down.
    others, rest : int, float
        How many more features there are, and the sum of what they contribute.
    """

    file: str
    line: int
    prediction: Any
    label: Any
    against: Any
    score: float
    probability: float | None
    parts: list[Part]
    others: int
    rest: float
    intercept: float

    def as_json(self) -> dict[str, Any]:
        """Return a JSON object."""
        found = self._asdict()
        parts = [part._asdict() for part in found.pop("parts")]
        found.pop("against")
        return {**found, "class": found.pop("label"), "contributions": parts}


def explanations(
    opened: OpenModel, reader: CountingReader, most: int, top: int, label: str | None
) -> Iterator[Explanation]:
    """Explain the predictions for the first rows of some files."""
    wanted = _class_number(opened, label)
    names = _HashedNames(opened, reader, most)
    done = 0
    try:
        for block in reader:
            for at in range(min(n_rows(block.rows), most - done)):
                own = names.of_row(done, _columns_of(block.rows, at))
                yield _explained(opened, block, at, top, wanted, own)
                done += 1
            if done >= most:
                return
    finally:
        reader.close()


def _class_number(opened: OpenModel, label: str | None) -> int | None:
    classes = opened.predictor.classes
    if label is None:
        return None
    if classes is None:
        raise ValueError(f"{opened.path} predicts numbers, so there is no --class")
    texts = [str(one) for one in classes.tolist()]
    if label not in texts:
        shown = ", ".join(shortened(one, 20) for one in texts[:8])
        raise ValueError(f"--class {label!r} is not a class of {opened.path}: {shown}")
    return texts.index(label)


def _explained(
    opened: OpenModel, block: Block, at: int, top: int, wanted: int | None, own: dict[int, str]
) -> Explanation:
    predictor = opened.predictor
    row = frozen(take(block.rows, np.array([at])))
    with located(Block(row, None, None, block.file, block.lines[at : at + 1], 0)):
        found = predictor.contributions(row)
        label = against = likely = None
        if predictor.classes is None:
            prediction: Any = float(predictor.values(row)[0])
            found, score = found.of_class(0, False), prediction
        else:
            classes, code = predictor.classes.tolist(), int(predictor.codes(row)[0])
            prediction, k = classes[code], code if wanted is None else wanted
            two = len(classes) == 2
            label, against = classes[k], classes[1 - k] if two else None
            found, score = found.of_class(k, two), float(predictor.scores(row)[0, k])
            if predictor.has_probabilities:
                likely = float(predictor.probabilities(row)[0, k])
    parts, others, rest = _largest(opened, found, top, own)
    line, intercept = int(block.lines[at]), float(found.intercepts[0])
    about = block.file, line, prediction, label, against, score, likely
    return Explanation(*about, parts, others, rest, intercept)


def _largest(
    opened: OpenModel, found: Contributions, top: int, own: dict[int, str]
) -> tuple[list[Part], int, float]:
    """Return the largest contributions; how many others there are, and their sum."""
    weights, parts = found.weights[0], found.parts[0]
    order = np.argsort(-np.abs(parts), kind="stable")
    shown, others = order[:top], order[top:]

    def name(column: int) -> str:
        return own.get(column) or name_of(opened.predictor, column)

    return (
        [
            Part(name(int(found.columns[j])), *map(float, (found.values[j], weights[j], parts[j])))
            for j in shown
        ],
        len(others),
        float(parts[others].sum()),
    )


def _columns_of(rows: Rows, at: int) -> Array:
    """Return the columns of a row; those of an array are not hashed."""
    if not isinstance(rows, Sparse):
        return np.empty(0, np.int64)
    return rows.indices[rows.indptr[at] : rows.indptr[at + 1]]


class _HashedNames:
    """What the features of hashed columns are called in some rows, which are read once more."""

    def __init__(self, opened: OpenModel, reader: CountingReader, most: int) -> None:
        self._hashed = opened.predictor.names
        self._rows: list[list[str]] = []
        files = all(source.path and source.path.is_file() for source in reader.sources)
        if not (isinstance(self._hashed, Hashed) and files):  # a pipe can be read only once
            return
        names = Kept()
        again = CountingReader(
            [source.name for source in reader.sources], replace(reader.reading), names=names
        )
        try:
            for block in again:
                rows = block.rows
                if not isinstance(rows, Sparse):
                    return
                for at in range(min(n_rows(rows), most - len(self._rows))):
                    self._rows.append([str(names.name(j)) for j in _columns_of(rows, at).tolist()])
                if len(self._rows) >= most:
                    return
        finally:
            again.close()

    def of_row(self, number: int, columns: Array) -> dict[int, str]:
        """Return the names of a row's columns; several, if some have the same hash.

        Names stand in the order of the columns. The hash of a product, of an n-gram, or of a word
        that is a value in VW text is not that of its name.
        """
        if number >= len(self._rows):
            return {}
        names, found = self._rows[number], dict[int, str]()
        if len(names) != len(columns):  # words of a text with the same hash are one column
            columns = self._hashed.columns(names) if names else np.empty(0, np.int64)
        for column, name in dict.fromkeys(zip(columns.tolist(), names, strict=True)):
            found[column] = f"{found[column]}, {name}" if column in found else name
        return found


def drawn(found: Explanation) -> Iterator[str]:
    """Draw contributions as bars, to the right for the class, to the left against it."""
    yield f"{shortened(found.file, 40, middle=True)}:{found.line}  {_headline(found)}"
    left, right = (
        "" if label is None else shortened(label, _BAR - 2, middle=True)
        for label in (found.against, found.label)
    )
    for arrow, label, short in (("◂", found.against, left), ("▸", found.label, right)):
        if "…" in short:
            yield f"{arrow} {shortened(label, _LINE, middle=True)}"
    left = left and f"◂ {left}"
    padding = " " * (_BAR - text_width(left))
    titles = f"{'contribution':>12} {'value':>9} {'weight':>9}"
    yield f"{'feature':<{_NAME - 1}} {titles}  {padding}{left}│{right}{' ▸' if right else ''}"
    ends = [INTERCEPT, found.intercept, f"({found.others} more)", found.rest]
    finite = [abs(part.contribution) for part in found.parts] + [abs(found.rest)]
    finite += [abs(found.intercept)] if np.isfinite(found.intercept) else []
    largest = max(finite, default=0.0) or 1.0

    def line(name: str, amount: float, after: str) -> str:
        share = float(np.clip(amount / largest, -1, 1))
        return bar_line(name, amount, share, _NAME - 1, _BAR, after)

    for part in found.parts:
        yield line(part.feature, part.contribution, f" {part.value:>9.4g} {part.weight:>+9.4g}")
    nothing = " " * 20
    if found.others:
        yield line(str(ends[2]), found.rest, nothing)
    yield line(INTERCEPT, found.intercept, nothing)


def _headline(found: Explanation) -> str:
    """Say what is predicted, and how sure that is."""
    if found.label is None:
        return f"prediction {found.prediction:.6g}"
    words = f"prediction {shortened(found.prediction, 20)}"
    of = "" if found.label == found.prediction else f" of {shortened(found.label, 20)}"
    words += f", score{of} {found.score:.4g}"
    return words if found.probability is None else f"{words}, probability {found.probability:.4g}"
