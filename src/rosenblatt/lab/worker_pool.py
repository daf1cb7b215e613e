"""Processes that compute, one for each tab: whatever one of them does, it can be stopped.

Starting one takes a second or two, so a spare one is kept ready, and one that is idle when its tab
goes forgets all and waits for the next. Both sides speak lines of JSON.
"""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import suppress
from typing import Any

from rosenblatt.lab.calls import FORGET

MOST = 16  # tabs at a time
KEPT = 2  # processes that wait for tabs
FORGETTING = 5.0  # seconds
LONGEST_LINE = 1 << 24
LATER = 1.0  # seconds until the next spare one is started: the page is being drawn now
STARTING = 300.0  # seconds: the very first time all is compiled
COMMAND = (
    sys.executable,
    "-P",  # the folder where the lab was started holds no modules of ours
    "-W",
    "ignore",  # a learner that diverges is there to be seen in the page
    "-m",
    "rosenblatt.lab.worker",
)


class WorkerEndedError(Exception):
    """The process ended before it answered."""


class Worker:
    """A process that answers one question after another."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, command: Sequence[str] = COMMAND) -> "Worker":
        """Start a process, and wait until it is ready to answer."""
        creating = asyncio.create_task(_create(command))
        try:
            process = await asyncio.shield(creating)
        except asyncio.CancelledError:  # asyncio would wait for ever for half a process
            await cls(await creating).end()
            raise
        worker = cls(process)
        try:
            async with asyncio.timeout(STARTING):
                await worker._line()
        except BaseException as error:
            await worker.end()
            if isinstance(error, TimeoutError):
                raise WorkerEndedError from None
            raise
        return worker

    async def ask(self, question: str) -> AsyncGenerator[str, None]:
        """Send a question (a line of JSON); yield its answers, the last of which ends it."""
        assert self.process.stdin is not None
        with suppress(ConnectionError):  # reading tells
            self.process.stdin.write(question.encode() + b"\n")
            await self.process.stdin.drain()
        while True:
            line = await self._line()
            more = line.startswith("+")
            yield line[1:]
            if not more:
                return

    async def forget(self) -> None:
        """Make it forget everything."""
        async with asyncio.timeout(FORGETTING):
            async for _ in self.ask(FORGET):
                pass

    async def _line(self) -> str:
        assert self.process.stdout is not None
        try:
            line = await self.process.stdout.readline()
        except ValueError:  # it is longer than any answer can be
            line = b""
        if not line.endswith(b"\n"):
            raise WorkerEndedError
        return line.decode().rstrip("\n")

    def kill(self) -> None:
        """End the process now."""
        with suppress(ProcessLookupError):
            self.process.kill()

    async def end(self) -> None:
        """End the process, and wait until it has ended."""
        self.kill()
        await self.process.wait()


class Workers:
    """Gives each tab a process of its own, and keeps a spare one."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self.command = command
        self.tabs: set[object] = set()
        self.spare: asyncio.Task[Worker] | None = None
        self.rested: list[Worker] = []
        self.out: set[Worker] = set()
        self.ending: set[asyncio.Task[Any]] = set()
        self.closed = False

    def prepare(self) -> asyncio.Task[Worker]:
        """Start a spare process, unless there is one that lives."""
        if self.spare is None or _is_over(self.spare):
            self.spare = asyncio.create_task(Worker.start(self.command))
        return self.spare

    async def take(self) -> Worker:
        """Return a process that is ready, and have the next spare one started soon."""
        if self.closed:
            raise WorkerEndedError
        while self.rested:
            worker = self.rested.pop()
            if worker.process.returncode is None:
                return self._given(worker)
        task, self.spare = self.prepare(), None
        try:
            worker = await asyncio.shield(task)
        except asyncio.CancelledError:  # the tab has gone; the next one may have it
            if self.spare is None and not self.closed:
                self.spare = task
            else:
                self._follow(_discard(task))
            raise
        return self._given(worker)

    def _given(self, worker: Worker) -> Worker:
        self.out.add(worker)
        loop = asyncio.get_running_loop()
        loop.call_later(LATER, lambda: self.closed or self.rested or self.prepare())
        return worker

    async def rest(self, worker: Worker) -> None:
        """Take an idle process back: it forgets all, and waits for the next tab, unless many do."""
        try:
            await worker.forget()
        except (TimeoutError, WorkerEndedError):
            self.give_back(worker)
            return
        except asyncio.CancelledError:
            self.give_back(worker)
            raise
        waiting = len(self.rested) + (self.spare is not None)
        if self.closed or waiting >= KEPT:
            self.give_back(worker)
        else:
            self.out.discard(worker)
            self.rested.append(worker)

    def give_back(self, worker: Worker) -> None:
        """End a process that a tab had."""
        self.out.discard(worker)
        self._follow(worker.end())

    async def close(self) -> None:
        """End all of them."""
        self.closed = True
        for worker in [*self.out, *self.rested]:
            self.give_back(worker)
        if self.spare is not None:
            self._follow(_discard(self.spare))
        if self.ending:
            await asyncio.wait(self.ending, timeout=5)

    def _follow(self, ending: Coroutine[Any, Any, Any]) -> None:
        """Remember what is about to end, for it must have ended when the server does."""
        task = asyncio.create_task(ending)
        self.ending.add(task)
        task.add_done_callback(self.ending.discard)


async def _create(command: Sequence[str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=LONGEST_LINE,
        start_new_session=os.name == "posix",  # Ctrl-C is for the server, which ends the others
    )


def _is_over(task: asyncio.Task[Worker]) -> bool:
    """Say whether a process could not be started, or has ended since."""
    if not task.done():
        return False
    return (
        task.cancelled()
        or task.exception() is not None
        or task.result().process.returncode is not None
    )


async def _discard(task: asyncio.Task[Worker]) -> None:
    """End a process, even one that is being started."""
    if not task.cancelling():  # it would no longer wait for the process that it has killed
        task.cancel()
    with suppress(asyncio.CancelledError, WorkerEndedError):
        await (await task).end()
