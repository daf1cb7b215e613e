"""Checkpoints: all that a run of training needs to go on as if it had never been stopped."""

import os
import stat
from dataclasses import asdict, fields
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from rosenblatt.console import count, one_line, say
from rosenblatt.data.rows import Array
from rosenblatt.persist import container
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.readers.names import Hashed
from rosenblatt.readers.reader import CountingReader
from rosenblatt.readers.sources import FileDigest, Source, digest_of, expand
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.model import StreamModel
from rosenblatt.stream.regressor import OnlineRegressor
from rosenblatt.stream.rules import Options
from rosenblatt.training.command_options import TrainOptions
from rosenblatt.training.trainer import Progress, Trainer

_BROKEN = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_MOST = 1 << 53  # of whatever is counted
_ERRORS = ("mistakes", "history", "validation")
_LOSSES = ("loss_before", "weight", "losses")
_SHOWN = 60  # characters of an option's value
_FILES = {"files": "files", "validated_on": "validation files", "from": "models of --from"}
_OPTIONS = {  # what the description of a run calls otherwise than the command line
    "average": "averaging (--no-average)",
    "dtype": "the type of numbers (--float64)",
    "fit_intercept": "the intercept (--no-intercept)",
    "ignore_weights": "--ignore-weights",
    "interactions": "--interactions",
    "on_error": "--on-error",
}


class Checkpoints:
    """Writes down where training stands, every so many seconds."""

    def __init__(
        self, job: TrainOptions, trainer: Trainer, passes: int | None, options: Options
    ) -> None:
        self.job, self.trainer, self.path = job, trainer, job.checkpoint
        self.wanted = self.path is not None
        self.last = perf_counter()
        reader = trainer.reader
        assert isinstance(reader, CountingReader)
        reading = asdict(reader.reading)
        del reading["others"], reading["remembered"]  # no options
        for name in ("keep", "interactions"):
            if not reading[name]:
                del reading[name]  # as in checkpoints of earlier versions
        self.run: dict[str, Any] = {
            "files": reader.described,
            "reading": _plain(reading),
            "options": _plain(options.stored()) | ({"l2": None} if trainer.choose else {}),
            "passes": passes,
            "bits": job.bits,
            "classes": job.known_classes,
            "ignore_weights": job.ignore_weights,
            "validation": job.validation,
        }
        if self.wanted and job.origin is not None:  # others are as they always were
            self.run["reading"]["columns"] = []  # they are the model's
            self.run["from"] = [_content(source) for source in expand([job.origin])]
        if self.wanted and job.validation:
            self.run["validated_on"] = [_content(source) for source in expand(job.validation)]
        self.place = None if self.path is None else Place(self.path, self.run)

    def resume(self) -> None:
        """Go on where the checkpoint was taken, if that was asked for; refuse another run's."""
        if self.place is None:
            return
        quiet = self.job.quiet
        if not self.place.start(self.trainer, go_on=self.job.resume):
            if self.job.resume:
                say(
                    f"no checkpoint {self.path} yet: starting from the beginning",
                    quiet=quiet,
                )
            return
        progress = self.trainer.progress
        where = f"pass {progress.passes + 1}, after {count(progress.examples, 'example')}"
        say(f"continuing from {self.path}: {where}", quiet=quiet)

    def maybe(self, now: bool) -> None:
        """Write a checkpoint if it is time to."""
        if self.place is not None and (
            now or perf_counter() - self.last >= self.job.checkpoint_every
        ):
            try:
                self.place.write(self.trainer)
            except (OSError, ValueError, MemoryError) as error:
                # What was learned is worth more than a note of it.
                say(f"rosenblatt: no checkpoint was written, training continues: {one_line(error)}")
            else:
                if now:
                    say(f"checkpoint written to {self.path}; --resume continues from it")
            self.last = perf_counter()


def _content(source: Source) -> list[Any]:
    """Return what tells a file from another, and from itself after a change."""
    if source.path is None or source.size is None:
        return [source.name]
    return [source.name, *digest_of(source.path, source.size)]


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return what JSON would give back."""
    return {key: list(v) if isinstance(v, tuple) else v for key, v in values.items()}


class Checkpoint(NamedTuple):
    """What a file holds. ``read`` says of each file what was read of it; older ones do not say."""

    run: Any
    progress: Progress
    model: StreamModel
    best: StreamModel | None
    read: list[FileDigest] | None


def write(path: str | os.PathLike[str], trainer: Trainer, run: dict[str, Any]) -> None:
    """Write where a run stands, as a whole or not at all.

    ``run`` describes the run (its files, its options) in what JSON can hold: only the same run can
    be resumed.
    """
    header: dict[str, Any] = {
        "kind": container.CHECKPOINT,
        "run": run,
        "progress": asdict(trainer.progress),
    }
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
    if header.get("kind") != container.CHECKPOINT:
        raise ModelFileError(f"{path} is a model, not a checkpoint of training")
    try:
        model = _model("model", header, arrays)
        best = None if header.get("best") is None else _model("best", header, arrays)
        progress = _progress(header.get("progress"), model.predicts_numbers)
        return Checkpoint(header.get("run"), progress, model, best, _read(header.get("read")))
    except _BROKEN as error:
        raise ModelFileError(f"{path} is not a whole checkpoint: {error}") from None


def resume(path: str | os.PathLike[str], trainer: Trainer, run: dict[str, Any]) -> None:
    """Let a trainer go on where a checkpoint was written; raise ``ValueError`` if it cannot.

    What is learned from then on is to the last bit what the run would have learned. Files that
    changed since are an error, as far as they were read.
    """
    _go_on(path, read(path), trainer, run)


def _go_on(
    path: str | os.PathLike[str], found: Checkpoint, trainer: Trainer, run: dict[str, Any]
) -> None:
    if found.run != run:
        raise ValueError(
            f"{path} is a checkpoint of another run: {_difference(found.run, run)}; the same "
            "options and files are needed to resume"
        )
    _check(path, found, trainer)
    if found.read:
        trainer.reader.expect(found.read)
    trainer.model, trainer.best, trainer.progress = found.model, found.best, found.progress
    trainer.reader.names = found.model._names


class Place:
    """A file for the checkpoints of a run. What is there and is not one of these stays as it is.

    Parameters
    ----------
    path : str or path
        The file. An empty one, as ``mktemp`` makes it, may be used.
    run : dict, optional
        The run, as in `write`; without it, the checkpoints of all runs are taken for its own.
    """

    def __init__(self, path: str | os.PathLike[str], run: dict[str, Any] | None = None) -> None:
        self.path, self.run = Path(path), run
        self._ours: tuple[int, ...] | None = None

    def check(self) -> None:
        """Raise ``ValueError`` if something else than a whole checkpoint of this run is there."""
        there = self._there()
        if there is not None and there != self._ours:
            self._check_run(read(self.path))
            self._ours = there

    def start(self, trainer: Trainer, *, go_on: bool) -> bool:
        """Let a trainer go on from the checkpoint, if that is wanted; say whether there was one.

        Raises ``ValueError`` if there is one of another run, or one that would be lost.
        """
        assert self.run is not None
        there = self._there()
        if there is None:
            return False
        found = read(self.path)
        if go_on:
            _go_on(self.path, found, trainer, self.run)
        else:
            self._check_run(found)
            if found.progress.passes or found.progress.examples:
                raise ValueError(
                    f"{self.path} is a checkpoint of this run, in pass "
                    f"{found.progress.passes + 1:,} after {found.progress.examples:,} examples: "
                    "go on from it with --resume, or delete it to start again"
                )
        self._ours = there
        return go_on

    def write(self, trainer: Trainer) -> None:
        """Write where the run stands; see `write`."""
        assert self.run is not None
        self.check()
        write(self.path, trainer, self.run)
        self._ours = self._there()

    def remove(self) -> None:
        """Delete the checkpoint, if the run wrote one or went on from one."""
        if self._ours is not None:
            self.check()
            if self._there() == self._ours:
                self.path.resolve().unlink(missing_ok=True)

    def _check_run(self, found: Checkpoint) -> None:
        if self.run is not None and found.run != self.run:
            raise ValueError(
                f"{self.path} is a checkpoint of another run "
                f"({_difference(found.run, self.run)}): name another file, or delete it"
            )

    def _there(self) -> tuple[int, ...] | None:
        """Return what tells a file from another, and from itself after a change.

        None if there is none, or an empty one.
        """
        try:
            facts = self.path.stat()
        except FileNotFoundError:
            return None
        if stat.S_ISREG(facts.st_mode) and not facts.st_size:
            return None
        return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _check(path: str | os.PathLike[str], found: Checkpoint, trainer: Trainer) -> None:
    """Refuse what no run like this one can have written."""
    ours, progress = trainer.model, found.progress
    same = found.best is None or found.best._options == found.model._options
    if _kind(found.model, trainer) != _kind(ours, trainer) or not same:
        raise ModelFileError(f"{path} is not a whole checkpoint: its model is of another kind")
    if len(progress.losses) > progress.passes:
        raise ModelFileError(f"{path} is not a whole checkpoint: its losses do not add up")
    counts = len(progress.history), len(progress.validation)
    wanted = progress.passes, progress.passes if trainer.validate is not None else 0
    if counts != wanted:
        raise ModelFileError(f"{path} is not a whole checkpoint: its passes do not add up")
    if (found.best is not None) != bool(progress.validation):
        raise ModelFileError(f"{path} is not a whole checkpoint: the best model is missing")


def _kind(model: StreamModel, trainer: Trainer) -> tuple[Any, ...]:
    names, options = model._names, model._options
    if trainer.choose:
        options = options._replace(l2=0.0)  # it may have been chosen
    return options, type(names), names.n_features if isinstance(names, Hashed) else None


def _model(name: str, header: dict[str, Any], arrays: dict[str, Array]) -> StreamModel:
    prefix = f"{name}."
    own = {part.removeprefix(prefix): a for part, a in arrays.items() if part.startswith(prefix)}
    kind = OnlineRegressor if "target" in header[name] else OnlineClassifier
    return kind.from_parts(header[name], own)


def _progress(found: Any, squared: bool) -> Progress:
    empty = Progress()
    if isinstance(found, dict):
        # Older ones do not have these.
        found = {"folds": 0, "loss_before": -1.0, "weight": 0.0, "losses": [], **found}
    if not isinstance(found, dict) or set(found) != {field.name for field in fields(empty)}:
        raise ValueError("it does not say how far training was")
    for name, value in found.items():
        numbers = value if isinstance(getattr(empty, name), list) else [value]
        sound = _amount if name in _LOSSES or (squared and name in _ERRORS) else _count
        if name == "loss_before" and value == -1.0:
            continue
        if not isinstance(numbers, list) or not all(map(sound, numbers)):
            raise ValueError(f"{name}={str(value)[:50]} cannot be")
    return Progress(**found)


def _read(found: Any) -> list[FileDigest] | None:
    if found is None:
        return None
    pairs = isinstance(found, list) and all(isinstance(p, list) and len(p) == 2 for p in found)
    if not pairs or not all(_count(size) and isinstance(text, str) for size, text in found):
        raise ValueError("it does not say how far the files were read")
    return [(size, text) for size, text in found]


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _amount(value: Any) -> bool:
    """Say whether this may be a sum of squared errors."""
    return _count(value) or (type(value) is float and 0 <= value < float("inf"))


def _difference(then: Any, now: dict[str, Any]) -> str:
    """Say in which file or option two runs differ."""
    if not isinstance(then, dict):
        return "it does not say which"
    for name in _different(then, now):
        was, is_now = then.get(name), now.get(name)
        if name in _FILES:
            return _other_files(_FILES[name], _files(was), _files(is_now))
        if isinstance(was, dict) and isinstance(is_now, dict):
            for option in _different(was, is_now):
                return _other_option(option, was.get(option), is_now.get(option))
        return _other_option(name, was, is_now)
    return "it is not clear in what"


def _different(then: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return the keys whose values differ, in the order of the run that is now."""
    return [key for key in {**now, **then} if then.get(key) != now.get(key)]


def _other_option(name: str, was: Any, is_now: Any) -> str:
    return f"{_OPTIONS.get(name, name[:50])} was {_shown(was)} and is now {_shown(is_now)}"


def _shown(value: Any) -> str:
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return _cut(", ".join(map(str, value))) or "not given"
    if isinstance(value, dict):
        return "something else"
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _files(found: Any) -> dict[str, list[Any]]:
    """Return what is known of each file, by its name."""
    entries = found if isinstance(found, list) else []
    return {str(entry[0]): entry[1:] for entry in entries if isinstance(entry, list) and entry}


def _other_files(what: str, then: dict[str, list[Any]], now: dict[str, list[Any]]) -> str:
    if list(then) != list(now):
        return f"the {what} were {_shown([*then])} and are now {_shown([*now])}"
    for name, was in then.items():
        sizes = [*was[:1], *now[name][:1]]
        if len(sizes) == 2 and all(map(_count, sizes)) and sizes[0] != sizes[1]:
            return f"{name} has changed: it had {sizes[0]:,} bytes and now has {sizes[1]:,}"
        if was != now[name]:
            return f"{name} has changed"
    return f"the {what} are not the same"
