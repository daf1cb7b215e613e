"""The state after each complete round, on disk: what a fit continues from, to the same bits."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.distributed.deltas import arrays_of, listed_by_keys
from rosenblatt.distributed.mixing import Pass, Rounds, Start
from rosenblatt.persist import container
from rosenblatt.persist.errors import ModelFileError

_MARK = "distributed"
_MOST = 1 << 53


class Checkpoint:
    """A file for the state after the last complete round.

    Parameters
    ----------
    path : str, path or None
        The file; None writes nothing.
    run : dict
        What must be the same to continue: the estimator, its parameters, and the data.
    """

    def __init__(self, path: str | os.PathLike[str] | None, run: dict[str, Any]) -> None:
        self.path, self.run = None if path is None else Path(path), run

    def save(self, seed: int, start: Start, done: Rounds) -> None:
        """Write the state after a round, as a whole or not at all."""
        if self.path is None:
            return
        arrays = arrays_of(start.state)
        numbers = {k: v for k, v in start.state._asdict().items() if k not in arrays}
        header = {
            "kind": container.CHECKPOINT,
            _MARK: True,
            "run": self.run,
            "seed": seed,
            "extra": start.extra,
            "numbers": {name: _plain(value) for name, value in numbers.items()},
            "passes": [[list(each) for each in passes] for passes in done.passes],
        }
        container.write(self.path, header, arrays)

    def shard_bytes(self) -> int | None:
        """Return the size of shards that an earlier fit had, if there is one and it is known."""
        if self.path is None or not self.path.exists() or not self.path.stat().st_size:
            return None
        run = container.read(self.path)[0].get("run")
        size = run.get("shard_bytes") if isinstance(run, dict) else None
        return size if isinstance(size, int) and size > 0 else None

    def load(self, seed: int, start: Start, resume: bool) -> tuple[int, Start, Rounds]:
        """Return the seed, the state and the rounds to continue from.

        These are the ones given, unless there is a checkpoint.
        """
        if self.path is None or not self.path.exists() or not self.path.stat().st_size:
            return seed, start, Rounds()
        header, arrays = self._read(resume)
        self._check_run(header.get("run"))
        try:
            return int(header["seed"]), _start(start, header, arrays), _rounds(header["passes"])
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise ModelFileError(f"{self.path} is not a whole checkpoint: {error}") from None

    def check_kind(self, resume: bool) -> None:
        """Raise ``ValueError`` now for a file that `load` would refuse after all rows are read."""
        if self.path is not None and self.path.exists() and self.path.stat().st_size:
            self._read(resume)

    def _read(self, resume: bool) -> tuple[dict[str, Any], dict[str, Any]]:
        assert self.path is not None
        header, arrays = container.read(self.path)
        if header.get("kind") != container.CHECKPOINT or not header.get(_MARK):
            raise ValueError(
                f"{self.path} is not a checkpoint of a fit on a cluster: name another file"
            )
        if not resume:
            raise ValueError(
                f"{self.path} is the checkpoint of an earlier fit: continue from it with "
                "resume=True, or delete it to start again"
            )
        return header, arrays

    def remove(self) -> None:
        """Delete the file, which is not needed once the model is saved."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _check_run(self, then: Any) -> None:
        then = then if isinstance(then, dict) else {}
        for name in {**self.run, **then}:
            was, is_now = then.get(name), self.run.get(name)
            if was != is_now:
                raise ValueError(
                    f"{self.path} is the checkpoint of another fit: {name} was {_shown(was)} and "
                    f"is now {_shown(is_now)}; the same estimator and shards are needed to continue"
                )


def is_of_cluster(path: str | os.PathLike[str]) -> bool:
    """Say whether a file is a checkpoint of a fit on a cluster."""
    try:
        return bool(container.read(Path(path))[0].get(_MARK))
    except (OSError, ValueError):
        return False


def _start(fresh: Start, header: dict[str, Any], arrays: dict[str, Any]) -> Start:
    """Return the stored state, in the memory order of a fresh one."""
    state, numbers = fresh.state, header["numbers"]
    known = arrays_of(state)
    if arrays.keys() != known.keys() or {*numbers, *arrays} != {*state._fields}:
        raise ValueError("it holds another kind of state")
    changes: dict[str, Any] = {}
    listed = listed_by_keys(state)
    for name, own in known.items():
        like = arrays["keys"] if listed and name in ("keys", *listed) else own  # of any length
        if (
            arrays[name].shape != like.shape
            or arrays[name].ndim != own.ndim
            or arrays[name].dtype != own.dtype
        ):
            raise ValueError(f"its {name} are of another shape")
        changes[name] = np.asarray(arrays[name], order="C" if own.flags.c_contiguous else "F").copy(
            "K"
        )
    for name, value in numbers.items():
        own = getattr(state, name)
        changes[name] = value if own is None or isinstance(own, str) else type(own)(value)
    return Start(state._replace(**changes), float(header["extra"]))


def _rounds(found: Any) -> Rounds:
    return Rounds([tuple(_pass(each) for each in passes) for passes in found])


def _pass(found: Any) -> Pass:
    examples, mistakes, updates, weight, *rest = found
    read = Pass(int(examples), int(mistakes), int(updates), float(weight), *map(int, rest))
    if not all(0 <= number < _MOST for number in read):
        raise ValueError("its counts cannot be")
    return read


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def described(estimator: Any, random: bool) -> dict[str, Any]:
    """Return an estimator's name and parameters in what JSON can hold.

    ``random`` leaves out a state of a random generator: the seed that was drawn is kept.
    """
    params = {name: _value(value) for name, value in sorted(estimator.get_params().items())}
    if random and not isinstance(params.get("random_state"), int):
        params["random_state"] = "drawn"
    return {"estimator": type(estimator).__name__, **params}


def _value(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__name__))
    return repr(value)
