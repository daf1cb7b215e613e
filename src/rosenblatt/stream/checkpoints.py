"""Checkpoints: all that a run of training needs to go on as if it had never been stopped."""

import os
from dataclasses import asdict, fields
from typing import Any

from rosenblatt.data.rows import Array
from rosenblatt.persist import container
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.training import Progress, Trainer

KIND = "Checkpoint"


def write(path: str | os.PathLike[str], trainer: Trainer, run: dict[str, Any]) -> None:
    """Write where a run stands, as a whole or not at all.

    ``run`` describes the run (its files, its options) in what JSON can hold: only the same run can
    be resumed.
    """
    header: dict[str, Any] = {"kind": KIND, "run": run, "progress": asdict(trainer.progress)}
    arrays: dict[str, Array] = {}
    for name, model in (("model", trainer.model), ("best", trainer.best)):
        header[name] = None
        if model is not None:
            header[name], own = model.to_parts()
            arrays |= {f"{name}.{part}": array for part, array in own.items()}
    container.write(path, header, arrays)


def resume(path: str | os.PathLike[str], trainer: Trainer, run: dict[str, Any]) -> None:
    """Let a trainer go on where a checkpoint was written; raise ``ValueError`` if it cannot.

    What is learned from then on is to the last bit what the run would have learned.
    """
    header, arrays = container.read(path)
    if header.get("kind") != KIND:
        raise ModelFileError(f"{path} is a model, not a checkpoint of training")
    then = header.get("run")
    if then != run:
        raise ValueError(f"{path} is a checkpoint of another run: {_difference(then, run)}")
    try:
        progress = _progress(header.get("progress"))
        model = _model("model", header, arrays)
        best = None if header.get("best") is None else _model("best", header, arrays)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path} is no whole checkpoint: {error}") from None
    trainer.model, trainer.best, trainer.progress = model, best, progress
    trainer.reader.names = model._names


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
        if not isinstance(numbers, list) or any(type(n) is not int or n < 0 for n in numbers):
            raise ValueError(f"{name}={value!r} cannot be")
    return Progress(**found)


def _difference(then: Any, now: dict[str, Any]) -> str:
    """Say what two runs differ in."""
    if not isinstance(then, dict):
        return "it does not say which"
    for name in sorted({*then, *now}):
        if then.get(name) != now.get(name):
            return f"{name} was {then.get(name)!r} and now is {now.get(name)!r}"
    return "it is not clear in what"
