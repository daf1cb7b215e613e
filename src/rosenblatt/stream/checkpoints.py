"""Checkpoints: all that a run of training needs to go on as if it had never been stopped."""

import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.data.rows import Array
from rosenblatt.persist import container
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.readers.digests import Found
from rosenblatt.readers.names import Hashed
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.training import Progress, Trainer

KIND = "Checkpoint"
_BROKEN = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_MOST = 1 << 53  # of whatever is counted


class Checkpoint(NamedTuple):
    """What a file holds. ``read`` says of each file what was read of it; older ones do not say."""

    run: Any
    progress: Progress
    model: OnlineClassifier
    best: OnlineClassifier | None
    read: list[Found] | None


def write(path: str | os.PathLike[str], trainer: Trainer, run: dict[str, Any]) -> None:
    """Write where a run stands, as a whole or not at all.

    ``run`` describes the run (its files, its options) in what JSON can hold: only the same run can
    be resumed.
    """
    header: dict[str, Any] = {"kind": KIND, "run": run, "progress": asdict(trainer.progress)}
    header["read"] = trainer.reader.read_so_far()
    arrays: dict[str, Array] = {}
    for name, model in (("model", trainer.model), ("best", trainer.best)):
        header[name] = None
        if model is not None:
            header[name], own = model.to_parts()
            arrays |= {f"{name}.{part}": array for part, array in own.items()}
    container.write(path, header, arrays)


def read(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint; raise ``ModelFileError`` if a file is not a whole one."""
    header, arrays = container.read(path)
    if header.get("kind") != KIND:
        raise ModelFileError(f"{path} is a model, not a checkpoint of training")
    try:
        model = _model("model", header, arrays)
        best = None if header.get("best") is None else _model("best", header, arrays)
        progress = _progress(header.get("progress"))
        return Checkpoint(header.get("run"), progress, model, best, _read(header.get("read")))
    except _BROKEN as error:
        raise ModelFileError(f"{path} is not a whole checkpoint: {error}") from None


def resume(path: str | os.PathLike[str], trainer: Trainer, run: dict[str, Any]) -> None:
    """Let a trainer go on where a checkpoint was written; raise ``ValueError`` if it cannot.

    What is learned from then on is to the last bit what the run would have learned. Files that
    changed since are an error, as far as they were read.
    """
    found = read(path)
    if found.run != run:
        raise ValueError(f"{path} is a checkpoint of another run: {_difference(found.run, run)}")
    _check(path, found, trainer)
    if found.read:
        trainer.reader.expect(found.read)
    trainer.model, trainer.best, trainer.progress = found.model, found.best, found.progress
    trainer.reader.names = found.model._names


class Place:
    """A file for checkpoints. What is there and is not a whole checkpoint stays as it is.

    Parameters
    ----------
    path : str or path
        The file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._ours: tuple[int, ...] | None = None

    def check(self) -> None:
        """Raise ``ModelFileError`` if something else than a whole checkpoint is there."""
        there = self._there()
        if there is not None and there != self._ours:
            read(self.path)
            self._ours = there

    def write(self, trainer: Trainer, run: dict[str, Any]) -> None:
        """Write where a run stands; see `write`."""
        self.check()
        write(self.path, trainer, run)
        self._ours = self._there()

    def remove(self) -> None:
        """Delete the checkpoint, if there is one."""
        self.check()
        self.path.resolve().unlink(missing_ok=True)

    def _there(self) -> tuple[int, ...] | None:
        """Return what tells a file from another, and from itself after a change."""
        try:
            facts = self.path.stat()
        except FileNotFoundError:
            return None
        return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _check(path: str | os.PathLike[str], found: Checkpoint, trainer: Trainer) -> None:
    """Refuse what no run like this one can have written."""
    ours, progress = trainer.model, found.progress
    same = found.best is None or found.best._options == ours._options
    if _kind(found.model) != _kind(ours) or not same:
        raise ModelFileError(f"{path} is not a whole checkpoint: its model is of another kind")
    counts = len(progress.history), len(progress.validation)
    wanted = progress.passes, progress.passes if trainer.validate is not None else 0
    if counts != wanted:
        raise ModelFileError(f"{path} is not a whole checkpoint: its passes do not add up")
    if (found.best is not None) != bool(progress.validation):
        raise ModelFileError(f"{path} is not a whole checkpoint: the best model is missing")


def _kind(model: OnlineClassifier) -> tuple[Any, ...]:
    names = model._names
    return model._options, type(names), names.n_features if isinstance(names, Hashed) else None


def _model(name: str, header: dict[str, Any], arrays: dict[str, Array]) -> OnlineClassifier:
    prefix = f"{name}."
    own = {part.removeprefix(prefix): a for part, a in arrays.items() if part.startswith(prefix)}
    return OnlineClassifier.from_parts(header[name], own)


def _progress(found: Any) -> Progress:
    empty = Progress()
    if not isinstance(found, dict) or set(found) != {field.name for field in fields(empty)}:
        raise ValueError("it does not say how far training was")
    for name, value in found.items():
        numbers = value if isinstance(getattr(empty, name), list) else [value]
        if not isinstance(numbers, list) or not all(map(_count, numbers)):
            raise ValueError(f"{name}={str(value)[:50]} cannot be")
    return Progress(**found)


def _read(found: Any) -> list[Found] | None:
    if found is None:
        return None
    pairs = isinstance(found, list) and all(isinstance(p, list) and len(p) == 2 for p in found)
    if not pairs or not all(_count(size) and isinstance(text, str) for size, text in found):
        raise ValueError("it does not say how far the files were read")
    return [(size, text) for size, text in found]


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _difference(then: Any, now: dict[str, Any]) -> str:
    """Say what two runs differ in."""
    if not isinstance(then, dict):
        return "it does not say which"
    for name in sorted({*then, *now}):
        if then.get(name) != now.get(name):
            was, is_now = (str(run.get(name))[:200] for run in (then, now))
            return f"{name} was {was} and now is {is_now}"
    return "it is not clear in what"
