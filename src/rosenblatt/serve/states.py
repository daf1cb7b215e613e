"""States of models on disk: snapshots, and what follows from them and the log."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.models.saving import load, save
from rosenblatt.serve.log import (
    LEARNED,
    REPLACED,
    ROLLED_BACK,
    Entry,
    Log,
    LogError,
    make_folder,
)
from rosenblatt.serve.model import Served, decode
from rosenblatt.serve.progress import Progress, since

INCOMING, _SUFFIX = "incoming", ".model"


class Settings(NamedTuple):
    """When snapshots are taken, and how long what is kept.

    Attributes
    ----------
    snapshot_examples, snapshot_seconds : int and float
        A snapshot is taken after so many examples, or so many seconds with at least one.
    snapshots : int
        How many snapshots are kept; the log is kept back to the oldest of them.
    keep_seconds, answer_seconds : float
        How long predictions wait for their labels, and answers for a repetition.
    """

    snapshot_examples: int = 100_000
    snapshot_seconds: float = 600.0
    snapshots: int = 10
    keep_seconds: float = 7 * 86_400.0
    answer_seconds: float = 8 * 86_400.0


def path_of(log: Log, name: str, position: int) -> Path:
    """Return where the snapshot of a model at a position is."""
    return log.folder / name / f"{position:015d}{_SUFFIX}"


def write_model(log: Log, served: Served, model: Any, position: int) -> None:
    """Write a model's state to the file of a position."""
    path = path_of(log, served.name, position)
    make_folder(path.parent)
    save(model, path)


def snapshot(log: Log, served: Served, settings: Settings) -> None:
    """Write the state that a model has now, and forget what is no longer needed."""
    write_model(log, served, served.back, served.position)
    log.begin()
    log.note_snapshot(served.number, served.position, served.progress.to_json())
    old = log.snapshots(served.number)[settings.snapshots :]
    for one in old:
        log.drop_snapshot(served.number, one.position)
    if old:
        log.prune(served.number, log.snapshots(served.number)[-1].position)
    log.commit()
    served.note_saved()
    for one in old:
        path_of(log, served.name, one.position).unlink(missing_ok=True)


def add(log: Log, name: str, model: Any) -> None:
    """Add a model at position 0."""
    served = Served(name, model)
    folder = log.folder / name
    if folder.exists():  # of a start that was cut off before the model was added
        shutil.rmtree(folder)
    write_model(log, served, model, 0)
    log.begin()
    try:
        number = log.add_model(name)
        log.note_snapshot(number, 0, served.progress.to_json())
        log.commit()
    except BaseException:
        log.roll_back()
        raise


def restored(
    log: Log, name: str, until: int | None = None, tell: Callable[[int], None] = lambda done: None
) -> Served:
    """Return a model as it was at a position, by default the last.

    ``tell`` is called with the number of examples that were learned again so far.
    """
    number = log.models()[name]
    last = log.last(number) if until is None else until
    served = _from_snapshot(log, name, number, last)
    start = served.position
    for entry in log.entries(number, start, last):
        _apply(log, served, entry, last)
        tell(served.position - start)
    if served.position != last:
        raise LogError(
            f"{log.folder}: the log of {name} ends at position {served.position:,}, before "
            f"{last:,}; restore the folder from a backup"
        )
    served.replayed()
    if until is None:
        served.progress.load_history(log.history(number, since()))
    return served


def _from_snapshot(log: Log, name: str, number: int, last: int) -> Served:
    """Return the newest snapshot up to a position that can be read."""
    problem = ""
    for one in log.snapshots(number):
        if one.position > last:
            continue
        path = path_of(log, name, one.position)
        try:
            model = load(path)
        except (OSError, ValueError) as error:
            problem = problem or f" ({path}: {error})"
            continue
        served = Served(name, model, one.position)
        served.progress = Progress.from_json(one.progress, served.predicts_numbers)
        served.number = number
        return served
    raise LogError(f"{log.folder} has no snapshot of {name} up to position {last:,}{problem}")


def _apply(log: Log, served: Served, entry: Entry, last: int) -> None:
    """Have an entry of the log happen again."""
    if entry.first != served.position + 1:
        raise LogError(
            f"{log.folder}: positions {served.position + 1:,} to {entry.first - 1:,} of "
            f"{served.name} are missing in the log; restore the folder from a backup"
        )
    if entry.kind == LEARNED:
        examples = decode(entry.body)[: last - entry.first + 1]
        served.learn(examples, repeat=False)
    elif entry.kind == ROLLED_BACK:
        before = restored(log, served.name, int(entry.body))
        served.replace(before.back)
        served.progress = before.progress
    elif entry.kind == REPLACED:
        served.replace(load(path_of(log, served.name, entry.first)))


def first_covered(log: Log, name: str) -> int:
    """Return the first position that snapshots and log cover."""
    return log.snapshots(log.models()[name])[-1].position


def roll_back(log: Log, name: str, position: int) -> int:
    """Have a model go on from an earlier state; return the position where it does."""
    number = log.models()[name]
    before, last = restored(log, name, position), log.last(number)
    write_model(log, before, before.back, last + 1)
    log.begin()
    try:
        log.append(number, Entry(last + 1, 1, ROLLED_BACK, str(position).encode()))
        log.note_snapshot(number, last + 1, before.progress.to_json())
        log.commit()
    except BaseException:
        log.roll_back()
        path_of(log, name, last + 1).unlink(missing_ok=True)
        raise
    return last + 1


def tidy(log: Log, name: str) -> None:
    """Delete files of snapshots that no entry tells of, as a kill may leave behind."""
    known = {path_of(log, name, one.position) for one in log.snapshots(log.models()[name])}
    for path in (log.folder / name).glob(f"*{_SUFFIX}"):
        if path not in known:
            path.unlink(missing_ok=True)


def put_incoming(folder: Path, model: Any, name: str) -> Path:
    """Put a model where a running service takes it from; return its file."""
    incoming = folder / INCOMING
    incoming.mkdir(mode=0o700, exist_ok=True)
    file = incoming / f"{name}{_SUFFIX}"
    save(model, file)
    return file


def replace(log: Log, name: str, model: Any) -> int:
    """Put another model in the place of one, in a service that does not run."""
    served = restored(log, name)
    if type(model) is not type(served.back):
        raise ValueError(kinds_differ(name, served.back, model))
    position = served.position + 1
    write_model(log, served, model, position)
    log.begin()
    try:
        log.note_refused(served.number, served.unnoted)
        note_replaced(log, served, position)
        log.commit()
    except BaseException:
        log.roll_back()
        path_of(log, name, position).unlink(missing_ok=True)
        raise
    return position


def note_replaced(log: Log, served: Served, position: int) -> None:
    """Note that another model, whose file is there, takes over at a position."""
    log.append(served.number, Entry(position, 1, REPLACED, b""))
    log.note_snapshot(served.number, position, served.progress.to_json())


def kinds_differ(name: str, old: Any, new: Any) -> str:
    """Return the message for a model of another kind."""
    return (
        f"{name} is an {type(old).__name__}, and the new model an {type(new).__name__}; serve that "
        "under another name"
    )
