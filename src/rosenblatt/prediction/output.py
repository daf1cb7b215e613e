"""Predictions as text: CSV with a header, or a JSON object a line; a block at a time."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.console import to_json
from rosenblatt.data.rows import Array
from rosenblatt.prediction.model_files import Predictor, located
from rosenblatt.readers.blocks import Block
from rosenblatt.readers.reader import CountingReader


class PredictionWriter:
    """Writes the predictions of a block as text.

    Parameters
    ----------
    predictor : Predictor
        The model.
    extra : {None, "scores", "probabilities"}
        What to write for each class.
    lines : bool
        Whether to write the file and line of each row.
    as_json : bool
        JSON, rather than CSV.
    """

    def __init__(self, predictor: Predictor, extra: str | None, lines: bool, as_json: bool) -> None:
        if extra and predictor.classes is None:
            raise ValueError(f"a model that predicts numbers has no {extra}; leave out --{extra}")
        self.predictor, self.extra, self.lines, self.as_json = predictor, extra, lines, as_json
        found = predictor.classes
        self.classes: list[Any] = [] if found is None else found.tolist()
        self.names = np.array([_cell(label) for label in self.classes], object)
        ready = [to_json({"prediction": label}) + "\n" for label in self.classes]
        self._ready = np.array(ready, object)  # most lines are one of a few
        self.tagged: bool | None = None  # as the first block is

    def header(self) -> str:
        """Return the first line of a CSV file."""
        first = ["file", "line"] * self.lines + ["tag"] * bool(self.tagged) + ["prediction"]
        what = {"scores": "score", "probabilities": "probability", None: ""}[self.extra]
        each = [f"{what}:{label}" for label in self.classes] if self.extra else []
        return ",".join(map(_cell, [*first, *each])) + "\n"

    def text(self, block: Block) -> str:
        """Return the lines of a block."""
        with located(block):
            predicted, each = self._predict(block)
        if self.as_json:
            return self._objects(block, predicted, each)
        columns: list[list[str]] = []
        if self.lines:
            columns += [[_cell(block.file)] * len(block.lines), list(map(str, block.lines))]
        if self.tagged:
            tags = block.tags or [""] * len(block.lines)
            columns.append([_cell(tag) for tag in tags])
        if self.classes:
            columns.append(self.names[predicted].tolist())
        else:
            columns.append([f"{value:.6g}" for value in predicted.tolist()])
        if each is not None:
            columns += [[f"{value:.6g}" for value in column] for column in each.T.tolist()]
        if len(columns) == 1:
            return "\n".join(columns[0]) + "\n"
        return "".join(",".join(cells) + "\n" for cells in zip(*columns, strict=True))

    def _predict(self, block: Block) -> tuple[Array, Array | None]:
        rows = block.rows
        if not self.classes:
            return self.predictor.values(rows), None
        if self.extra is None:
            return self.predictor.codes(rows), None
        return self.predictor.codes(rows), getattr(self.predictor, self.extra)(rows)

    def _objects(self, block: Block, predicted: Array, each: Array | None) -> str:
        if self.classes and each is None and block.tags is None and not self.lines:
            return "".join(self._ready[predicted].tolist())
        numbers = predicted.tolist()
        labels = [self.classes[code] for code in numbers] if self.classes else numbers
        lines = []
        for k, label in enumerate(labels):
            found: dict[str, Any] = {}
            if self.lines:
                found |= {"file": block.file, "line": int(block.lines[k])}
            if block.tags is not None and block.tags[k]:
                found["tag"] = block.tags[k]
            found["prediction"] = label
            if each is not None:
                assert self.extra is not None
                values = each[k].astype(float).tolist()
                found[self.extra] = dict(zip(self.classes, values, strict=True))
            lines.append(to_json(found) + "\n")
        return "".join(lines)


def predictions(reader: CountingReader, writer: PredictionWriter) -> Iterator[bytes]:
    """Yield the predictions for all rows of some files."""
    try:
        for block in reader:
            text = ""
            if writer.tagged is None:
                writer.tagged = block.tags is not None
                text = "" if writer.as_json else writer.header()
            if len(block.lines):
                text += writer.text(block)
            yield text.encode("utf-8", "backslashreplace")
        if writer.tagged is None and not writer.as_json:
            yield writer.header().encode()
    finally:
        reader.close()


def _cell(value: Any) -> str:
    """Return what stands in a cell of a CSV file, quoted where it must be.

    >>> _cell("ham, eggs"), _cell(-1)
    ('"ham, eggs"', '-1')
    """
    text = str(value)
    if not any(character in text for character in ',"\r\n'):
        return text
    cell = io.StringIO()
    csv.writer(cell, lineterminator="").writerow([text])
    return cell.getvalue()
