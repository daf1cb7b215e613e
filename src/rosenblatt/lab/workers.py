"""Processes that compute, one for each tab: whatever one of them does, it can be stopped.

Starting one takes a second or two, so a spare one is kept ready. Both sides speak lines of JSON.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import suppress

MOST = 16  # tabs at a time
LONGEST_LINE = 1 << 26


class WorkerEndedError(Exception):
    """The process ended before it answered."""


class Worker:
    """A process that answers one question after another."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls) -> "Worker":
        """Start a process, and wait until it is ready to answer."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # the folder where the lab was started holds no modules of ours
            "-m",
            "rosenblatt.lab.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=os.name == "posix",  # Ctrl-C is for the server, which ends the others
        )
        worker = cls(process)
        try:
            await worker._line()
        except BaseException:
            worker.kill()
            raise
        return worker

    async def ask(self, question: str) -> AsyncIterator[str]:
        """Send a question (a line of JSON); yield its answers, of which the last has no "part"."""
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

    async def _line(self) -> str:
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise WorkerEndedError
        return line.decode().rstrip("\n")

    def kill(self) -> None:
        """End the process now."""
        with suppress(ProcessLookupError):
            self.process.kill()


class Workers:
    """Gives each tab a process of its own, and keeps a spare one."""

    def __init__(self) -> None:
        self.spare: asyncio.Task[Worker] | None = None
        self.out: set[Worker] = set()
        self.closed = False

    def prepare(self) -> asyncio.Task[Worker]:
        """Start a spare process, unless there is one."""
        if self.spare is None:
            self.spare = asyncio.create_task(Worker.start())
        return self.spare

    async def take(self) -> Worker:
        """Return a process that is ready, and start the next spare one."""
        task, self.spare = self.prepare(), None
        try:
            worker = await task
        except asyncio.CancelledError:
            task.cancel()
            raise
        self.out.add(worker)
        if not self.closed:
            self.prepare()
        return worker

    def give_back(self, worker: Worker) -> None:
        """End a process that a tab had; what it remembers is of no use to others."""
        self.out.discard(worker)
        worker.kill()

    async def close(self) -> None:
        """End all of them."""
        self.closed = True
        for worker in [*self.out]:
            self.give_back(worker)
        if self.spare is not None:
            self.spare.cancel()
            with suppress(asyncio.CancelledError, WorkerEndedError):
                (await self.spare).kill()
