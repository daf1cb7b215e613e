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
from rosenblatt.serve.log import LEARNED, Entry, Log, Run, is_full, may_be_there
from rosenblatt.serve.model import REFUSALS, Served, decode, encode, said
from rosenblatt.serve.progress import since

MOST_WAITING = 10_000  # requests
MOST_TOGETHER = 20_000  # examples of one transaction
_GROUP = 1_000  # requests
_EXPIRE_EVERY = 60.0  # seconds
_RETRY = 1.0  # seconds from a failure of the disk until a prediction to keep is tried again
_MOST_KEPT = 64 << 20  # bytes of predictions to keep that are not on disk yet


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
        self.before: list[Run] = []  # examples that were learned before

    def runs(self) -> list[Run]:
        """Return where all examples of the request are in the log."""
        found = list(self.before)
        begun = 0
        for k in range(1, len(self.places) + 1):
            if k == len(self.places) or self.places[k] != self.places[k - 1] + 1:
                found.append(Run(self.places[begun], self.first + begun, k - begun))
                begun = k
        return found


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
        self.n_commits = 0
        self._expired = self._snapped = self._failed_at = time.monotonic()
        self._tried: dict[str, int] = {}  # positions at which there was no snapshot
        self._counted: list[tuple[Served, tuple[int, float, float]]] = []
        self._next: _Replace | None = None
        # What predictions to keep have put into the queue, counted by the thread that predicts, and
        # what of it was taken out, counted by the writer.
        self._put_bytes = self._kept_bytes = 0
        self._alerts = {name: served.progress.alert for name, served in models.items()}
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
        # It is tried again after a while, or nothing might ever find that the disk is well.
        refused = self.problem is not None and time.monotonic() - self._failed_at < _RETRY
        waiting = self._put_bytes - self._kept_bytes
        refused = refused or self._stopping.is_set() or waiting > _MOST_KEPT
        if refused or self.waiting.qsize() > MOST_WAITING:
            return False
        job = _Keep(served, ids, [encode(x) for x in instances])
        self._put_bytes += _size(job)
        self.waiting.put(job)
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
                # What is in memory may not be what is on disk: an end, and the next start replays
                # the log. What is answered may have been committed before.
                self._stopping.set()
                group.append(self._next)
                while not self.waiting.empty():
                    group.append(self.waiting.get_nowait())
                unknown = RefusedError(
                    BUSY,
                    f"the service ends ({error}), and may or may not have learned this",
                    "send it again once it has started, with the same Idempotency-Key",
                )
                self._refuse([job for job in group if job is not None], unknown)
                self.on_failure(error)
                return

    def _next_group(self) -> tuple[list[Any], bool]:
        """Return what waits, at most so much; and whether it is the last."""
        if self._next is not None:
            group: list[Any] = [self._next]
            self._next = None
            return group, False
        try:
            job = self.waiting.get(timeout=1.0)
        except queue.Empty:
            return [], False
        group, examples = [], 0
        while True:
            if job is None:
                return group, True
            if isinstance(job, _Replace):  # alone, once all before it has been learned
                if not group:
                    return [job], False
                self._next = job
                return group, False
            group.append(job)
            examples += len(job.examples) if isinstance(job, _Job) else 0
            if len(group) >= _GROUP or examples >= MOST_TOGETHER:
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
            self._roll_back()
            if may_be_there(error):
                raise
            self._failed(error)
            self._refuse(group, _problem(error))
            return
        finally:
            self._kept_bytes += sum(_size(job) for job in group)
        self._counted.clear()
        self.problem = None
        self.n_commits += 1
        self._learn(parts, replaced, refused)

    def _prepared(self, job: _Job) -> _Part:
        """Write the examples of a request to the log, but for those that were learned before."""
        number, part, given = job.served.number, _Part(job), set[str]()
        if job.key is not None and (known := self.log.answer(number, job.key)) is not None:
            part.before = known
            return part
        keys: list[tuple[str, int]] = []
        for place, example in enumerate(job.examples):
            x = example.x
            if example.id is not None:
                key = f"id:{example.id}"
                if (known := self.log.answer(number, key)) is not None or key in given:
                    if known is not None:
                        part.before += [run._replace(place=place) for run in known]
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
                        f"cannot be learned from: {said(error)}",
                        "correct it, and send all again: nothing was learned",
                        place,
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
            self.log.note_answer(number, key, [Run(0, part.first + place, 1)])
            self.log.drop_kept(number, key.removeprefix("id:"))
        if job.key is not None:
            self.log.note_answer(number, job.key, part.runs())
        return part

    def _kept(self, served: Served, id_: str, place: int) -> Any:
        body = self.log.kept(served.number, id_)
        if body is None:
            raise RefusedError(
                MISSING,
                f"has the id {id_[:60]!r}, and there is no prediction {id_[:60]!r} that is kept",
                "ids are those of :predict with parameters.keep, until their time is over; else "
                "send the features",
                place,
            )
        return decode(body)

    def _learn(
        self,
        parts: list[_Part],
        replaced: list[_Replace],
        refused: list[tuple[Done, RefusedError]],
    ) -> None:
        """Learn what is on disk now, have it predict, and answer."""
        now, touched = time.time(), dict[str, Served]()
        for part in parts:
            served = part.job.served
            if part.examples:
                touched[served.name] = served
                served.learn(part.examples, now)
        for job in replaced:
            job.served.replace(job.model)
            touched[job.served.name] = job.served
        self._note()
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
            self._tell(served)
            served.catch_up()
        for job in replaced:
            job.served.after_replacing()

    def _note(self) -> bool:
        """Write down what could not be learned; say whether all of it is on disk.

        Until there is a snapshot after it, a replay finds it again.
        """
        noted = [served for served in self.models.values() if served.unnoted]

        def write() -> None:
            for served in noted:
                self.log.note_refused(served.number, served.unnoted)

        if noted and not self._in_transaction(write):
            return False
        for served in noted:
            served.unnoted.clear()
        return True

    def _answer(self, part: _Part) -> Learned | RefusedError:
        """Return what a request is answered with."""
        runs, served = part.runs(), part.job.served
        refused: list[tuple[int, str]] = []
        for run in runs:
            found = dict(self.log.refused(served.number, run))
            found |= {at: why for at, why in served.unnoted if run.first <= at <= run.last}
            refused += [(run.place + at - run.first, why) for at, why in found.items()]
        refused.sort()
        last, size = max(run.last for run in runs), sum(run.size for run in runs)
        if refused and len(refused) == size and size:
            place, why = refused[0]
            return RefusedError(
                UNPROCESSABLE, f"cannot be learned from: {why}", "correct it", place
            )
        return Learned(last, size - len(refused), refused)

    def _tell(self, served: Served) -> None:
        """Say so if an alert began or ended."""
        progress, name = served.progress, served.name
        if progress.alert == self._alerts[name]:
            return
        self._alerts[name] = progress.alert
        now = f"the error over the last {len(progress.recent):,} examples is"
        if progress.alert:
            usual = f"far above {progress.error:.4g}, that over all time"
            now += f" {progress.window_error:.4g}, {usual}"
        else:
            now += f" back at {progress.window_error:.4g}"
        say(f"rosenblatt serve: {name}: {now}")

    def _failed(self, error: Exception) -> None:
        self.problem, self._failed_at = _problem(error), time.monotonic()

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
            new = served.position - max(served.saved_at, self._tried.get(served.name, 0))
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
                self._counted.append((served, stretch))
                self.log.count(served.number, *stretch)

    def _roll_back(self) -> None:
        """Forget all since the transaction began; what was counted is to be written again."""
        self.log.roll_back()
        for served, stretch in self._counted:
            served.progress.put_back(*stretch)
        self._counted.clear()

    def _snapshot(self, served: Served) -> None:
        """Write the copy behind, which nobody predicts with, and note it."""
        try:
            if not self._note():  # which no replay would find again
                raise OSError("the log cannot be written")
            states.snapshot(self.log, served, self.settings)
        except (sqlite3.Error, OSError, ValueError) as error:
            self._roll_back()
            say(f"rosenblatt serve: cannot write a snapshot of {served.name}: {error}")
            self._tried[served.name] = served.position  # try again after as many examples more
            if is_full(error):
                self._failed(error)

    def _in_transaction(self, work: Callable[[], None]) -> bool:
        """Do work in a transaction; say whether it is on disk."""
        try:
            self.log.begin()
            work()
            self.log.commit()
        except sqlite3.Error:
            self._roll_back()
            return False
        self._counted.clear()
        return True


def _size(job: Any) -> int:
    """Return the bytes of predictions to keep."""
    return sum(map(len, job.bodies)) if isinstance(job, _Keep) else 0


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
