"""The one thread that learns: it takes requests in order, has them on disk, then learns from them.

What waits is taken together: one transaction and one sync for all of it (group commit). A request
is answered when its examples are on disk and in the model that predicts.
"""

import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rosenblatt.console import say
from rosenblatt.serve import states
from rosenblatt.serve.errors import (
    BROKEN,
    BUSY,
    FULL,
    MISSING,
    UNPROCESSABLE,
    RefusedError,
)
from rosenblatt.serve.log import LEARNED, Answer, Entry, Log, is_full
from rosenblatt.serve.model import REFUSALS, Served, encode, said
from rosenblatt.serve.progress import since

MOST_WAITING = 10_000  # requests
MOST_TOGETHER = 20_000  # examples of one transaction
_GROUP = 1_000  # requests
_EXPIRE_EVERY = 60.0  # seconds


class Labelled(NamedTuple):
    """An example to learn from: its features, or the id of a prediction that has them."""

    x: Any
    y: Any
    weight: float
    id: str | None


class Learned(NamedTuple):
    """What a request to learn is answered with."""

    position: int
    learned: int
    refused: list[tuple[int, str]]  # places in the request, and reasons


Done = Callable[[Learned | RefusedError], None]


class _Job(NamedTuple):
    served: Served
    examples: Sequence[Labelled]
    key: str | None
    done: Done


class _Keep(NamedTuple):
    served: Served
    ids: Sequence[str]
    bodies: Sequence[bytes]


class _Replace(NamedTuple):
    served: Served
    model: Any
    done: Done


class _Part:
    """What is to be learned and answered of a job whose transaction is under way."""

    def __init__(self, job: _Job) -> None:
        self.job, self.examples = job, list[Any]()
        self.places: list[int] = []  # of the examples in the request
        self.first = 0
        self.answers: list[tuple[int, Answer]] = []  # of examples that were learned before
        self.refused: list[tuple[int, str]] = []


class Writer:
    """Learns in a thread of its own.

    Parameters
    ----------
    log : Log
        Where everything is written first.
    models : dict
        The models that learn, by name.
    on_loop : callable
        Calls a function soon, in the thread that predicts.
    settings : Settings
        When snapshots are taken, and how long what is kept.
    """

    def __init__(
        self,
        log: Log,
        models: dict[str, Served],
        on_loop: Callable[[Callable[[], None]], Any],
        settings: states.Settings,
    ) -> None:
        self.log, self.models, self.on_loop, self.settings = log, models, on_loop, settings
        self.waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.problem: RefusedError | None = None  # why the last transaction failed
        self.n_commits = self.n_snapshots = 0
        self._expired = self._snapped = time.monotonic()
        self._stopping = threading.Event()
        self.on_failure: Callable[[Exception], None] = lambda error: None
        self.thread = threading.Thread(target=self._run, name="writer", daemon=True)

    def start(self) -> None:
        """Begin to take requests."""
        self.thread.start()

    def stop(self) -> None:
        """Finish what waits, take a snapshot of what has changed, and end."""
        self._stopping.set()
        self.waiting.put(None)
        self.thread.join()

    def learn(
        self, served: Served, examples: Sequence[Labelled], key: str | None, done: Done
    ) -> None:
        """Have examples learned; ``done`` is called in the thread that predicts."""
        self._room()
        self.waiting.put(_Job(served, examples, key, done))

    def keep(self, served: Served, ids: Sequence[str], instances: Sequence[Any]) -> bool:
        """Keep the features of predictions until their labels come; False if that cannot be."""
        if self.problem is not None or self.waiting.qsize() > MOST_WAITING:
            return False
        self.waiting.put(_Keep(served, ids, [encode(x) for x in instances]))
        return True

    def replace(self, served: Served, model: Any, done: Done) -> None:
        """Put another model in place of one."""
        self._room()
        self.waiting.put(_Replace(served, model, done))

    def _room(self) -> None:
        if self._stopping.is_set():
            raise RefusedError(BUSY, "the service is stopping", "send it again once it has started")
        if self.waiting.qsize() > MOST_WAITING:
            raise RefusedError(
                BUSY,
                f"more than {MOST_WAITING:,} requests wait to be learned",
                "send it again in a second, and several examples in each request",
            )

    # The thread

    def _run(self) -> None:
        last = False
        while not last:
            group, last = self._next_group()
            try:
                if group:
                    self._work(group)
                self._look_after(bool(group), last)
            except Exception as error:
                # What is in memory may not be what is on disk: no answer, but an end, and the next
                # start replays the log.
                self._stopping.set()
                while not self.waiting.empty():
                    group.append(self.waiting.get_nowait())
                self._refuse([job for job in group if job is not None], _problem(error))
                self.on_failure(error)
                return

    def _next_group(self) -> tuple[list[Any], bool]:
        """Return what waits, at most so much; and whether it is the last."""
        try:
            first = self.waiting.get(timeout=1.0)
        except queue.Empty:
            return [], False
        group: list[Any] = []
        examples, job = 0, first
        while True:
            if job is None:
                return group, True
            group.append(job)
            examples += len(job.examples) if isinstance(job, _Job) else 0
            if len(group) >= _GROUP or examples >= MOST_TOGETHER or isinstance(job, _Replace):
                return group, False
            try:
                job = self.waiting.get_nowait()
            except queue.Empty:
                return group, False

    def _work(self, group: list[Any]) -> None:
        self.positions = {name: served.position for name, served in self.models.items()}
        parts: list[_Part] = []
        refused: list[tuple[Done, RefusedError]] = []
        replaced: list[_Replace] = []
        try:
            self.log.begin()
            for job in group:
                if isinstance(job, _Keep):
                    for id_, body in zip(job.ids, job.bodies, strict=True):
                        self.log.keep(job.served.number, id_, body)
                elif isinstance(job, _Replace):
                    self._prepare_replacing(job)
                    replaced.append(job)
                else:
                    try:
                        parts.append(self._prepared(job))
                    except RefusedError as error:
                        refused.append((job.done, error))
            self._count()
            self.log.commit()
        except (sqlite3.Error, OSError) as error:
            self.log.roll_back()
            self.problem = _problem(error)
            self._refuse(group, self.problem)
            return
        self.problem = None
        self.n_commits += 1
        self._learn(parts, replaced, refused)

    def _prepared(self, job: _Job) -> _Part:
        """Write the examples of a request to the log, but for those that were learned before."""
        number, part, given = job.served.number, _Part(job), set[str]()
        if job.key is not None and (known := self.log.answer(number, job.key)) is not None:
            part.answers.append((0, known))
            return part
        keys: list[tuple[str, int]] = []
        for place, example in enumerate(job.examples):
            x = example.x
            if example.id is not None:
                key = f"id:{example.id}"
                if (known := self.log.answer(number, key)) is not None or key in given:
                    if known is not None:
                        part.answers.append((place, known))
                    continue
                x = self._kept(job.served, example.id, place)
                given.add(key)
                keys.append((key, len(part.examples)))
            else:
                try:
                    job.served.check(x)
                except REFUSALS as error:
                    raise RefusedError(
                        UNPROCESSABLE,
                        f"instance {place} cannot be learned from: {said(error)}",
                        "correct it, and send all again: nothing was learned",
                    ) from None
            part.examples.append((x, example.y, example.weight))
            part.places.append(place)
        name = job.served.name
        part.first = self.positions[name] + 1
        if part.examples:
            size = len(part.examples)
            self.log.append(number, Entry(part.first, size, LEARNED, encode(part.examples)))
            self.positions[name] += size
        for key, place in keys:
            self.log.note_answer(number, key, Answer(part.first + place, 1))
            self.log.drop_kept(number, key.removeprefix("id:"))
        if job.key is not None:
            self.log.note_answer(number, job.key, Answer(part.first, len(part.examples)))
        return part

    def _kept(self, served: Served, id_: str, place: int) -> Any:
        body = self.log.kept(served.number, id_)
        if body is None:
            raise RefusedError(
                MISSING,
                f"instance {place}: there is no prediction {id_[:60]!r} that is kept",
                "ids are those of :predict with parameters.keep, until their time is over; else "
                "send the features",
            )
        return decode_one(body)

    def _learn(
        self,
        parts: list[_Part],
        replaced: list[_Replace],
        refused: list[tuple[Done, RefusedError]],
    ) -> None:
        """Learn what is on disk now, have it predict, and answer."""
        now, touched = time.time(), dict[str, Served]()
        notes: dict[int, list[tuple[int, str]]] = {}
        for part in parts:
            served = part.job.served
            if part.examples:
                touched[served.name] = served
                found = served.learn(part.examples, now)
                part.refused = [(part.places[at - part.first], why) for at, why in found]
                if found:
                    notes.setdefault(served.number, []).extend(found)
        for job in replaced:
            job.served.replace(job.model)
            touched[job.served.name] = job.served
        if notes:
            self._note(notes)
        for served in touched.values():
            served.about_to_swap()
        answers = [(part.job.done, self._answer(part)) for part in parts]
        answers += [(job.done, Learned(job.served.position, 0, [])) for job in replaced]

        def finish() -> None:
            for served in touched.values():
                served.swap()
            for done, answer in (*answers, *refused):
                done(answer)

        self.on_loop(finish)
        for served in touched.values():
            served.catch_up()
        for job in replaced:
            job.served.after_replacing()

    def _note(self, notes: dict[int, list[tuple[int, str]]]) -> None:
        """Write down what could not be learned, which a replay would find again."""
        try:
            self.log.begin()
            for number, found in notes.items():
                self.log.note_refused(number, found)
            self.log.commit()
        except sqlite3.Error:
            self.log.roll_back()

    def _answer(self, part: _Part) -> Learned | RefusedError:
        """Return what a request is answered with."""
        refused, last = list(part.refused), part.first + len(part.examples) - 1
        number = part.job.served.number
        for place, known in part.answers:
            before = self.log.refused(number, known)
            refused += [(place + at - known.first, why) for at, why in before]
            last = max(last if part.examples else 0, known.first + known.size - 1)
        size = len(part.examples) + sum(known.size for _, known in part.answers)
        if refused and len(refused) == size and size:
            place, why = refused[0]
            return RefusedError(
                UNPROCESSABLE, f"instance {place} cannot be learned from: {why}", "correct it"
            )
        return Learned(last, size - len(refused), refused)

    def _prepare_replacing(self, job: _Replace) -> None:
        """Write a snapshot of another model, and that it takes over."""
        served = job.served
        position = self.positions[served.name] + 1
        states.write_model(self.log, served, job.model, position)
        states.note_replaced(self.log, served, position)
        self.positions[served.name] = position

    def _refuse(self, group: list[Any], problem: RefusedError) -> None:
        dones = [job.done for job in group if not isinstance(job, _Keep)]

        def finish() -> None:
            for done in dones:
                done(problem)

        if dones:
            self.on_loop(finish)

    # Snapshots and what is out of date

    def _look_after(self, busy: bool, stopping: bool) -> None:
        now, settings = time.monotonic(), self.settings
        late = now - self._snapped > settings.snapshot_seconds
        if not busy or stopping:
            self._save_history()
        for served in self.models.values():
            new = served.position - served.saved_at
            if new >= settings.snapshot_examples or (new and (late or stopping)):
                self._snapshot(served)
        if late:
            self._snapped = now
        if now - self._expired > _EXPIRE_EVERY:
            self._expired = now
            self._in_transaction(
                lambda: self.log.expire(
                    time.time() - settings.keep_seconds,
                    time.time() - settings.answer_seconds,
                    since(),
                )
            )

    def _save_history(self) -> None:
        """Write down what was counted since the last transaction."""
        if any(served.progress.unsaved for served in self.models.values()):
            self._in_transaction(self._count)

    def _count(self) -> None:
        for served in self.models.values():
            for stretch in served.progress.take_unsaved():
                self.log.count(served.number, *stretch)

    def _snapshot(self, served: Served) -> None:
        """Write the copy behind, which nobody predicts with, and note it."""
        try:
            states.snapshot(self.log, served, self.settings)
        except (sqlite3.Error, OSError, ValueError) as error:
            self.log.roll_back()
            say(f"rosenblatt serve: no snapshot of {served.name}: {error}")
            served.saved_at = served.position  # try again after as many examples more
            self.problem = _problem(error) if is_full(error) else self.problem
        else:
            self.n_snapshots += 1

    def _in_transaction(self, work: Callable[[], None]) -> None:
        try:
            self.log.begin()
            work()
            self.log.commit()
        except sqlite3.Error:
            self.log.roll_back()


def decode_one(body: bytes) -> Any:
    """Return an instance that was kept."""
    import orjson

    return orjson.loads(body)


def _problem(error: Exception) -> RefusedError:
    """Return what requests to learn are answered with when the log cannot be written."""
    if is_full(error) or (isinstance(error, OSError) and error.errno == 28):
        return RefusedError(
            FULL, "the disk is full, so nothing was learned", "make room; predictions go on"
        )
    return RefusedError(
        BROKEN,
        f"the log cannot be written ({error}), so nothing was learned",
        "look after the disk of the service; predictions go on",
    )
