"""One open page: its questions, one after another, to a process of its own.

A question that takes too long is ended with its process, and so is one that the page cancels. What
a screen remembers is lost then, so the answer says ``"lost": true``, and so do those to questions
that wait. The page is notified when there is a new process, and asks again.
"""

import asyncio
import json
from collections import deque
from contextlib import aclosing, suppress
from typing import Any, NamedTuple

from starlette.websockets import WebSocket, WebSocketDisconnect

from rosenblatt.lab.worker_pool import MOST, Worker, WorkerEndedError, Workers

LIMIT = 30.0  # seconds for one question
WAITING = 200  # questions that may wait
LARGEST = 4 << 20  # bytes of a message
MUCH = 4 * LARGEST  # bytes of all that wait
_BAD, _BUSY, _BROKEN = 1008, 1013, 4000  # wire.js knows the last two
_CANCELLED = {"error": "cancelled", "cancelled": True}


class Question(NamedTuple):
    """What a page asks: a call by name, and all of it as a line of JSON."""

    id: int
    do: str
    arguments: Any
    line: str


class Tab:
    """Talks to one page."""

    def __init__(self, socket: WebSocket, workers: Workers, limit: float = LIMIT) -> None:
        self.socket, self.workers, self.limit = socket, workers, limit
        self.waiting: deque[Question] = deque()
        self.more = asyncio.Event()
        self.worker: Worker | None = None
        self.current: int | None = None
        self.cancelled: int | None = None

    async def run(self) -> None:
        """Serve the page until it goes away."""
        await self.socket.accept()
        tabs = self.workers.tabs
        if len(tabs) >= MOST:
            await self.socket.close(_BUSY, f"{MOST} pages are open already")
            return
        tabs.add(self)
        both = [asyncio.create_task(one) for one in (self._listen(), self._answer_all())]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            idle = self.current is None
            for task in both:
                task.cancel()
            ends = await asyncio.gather(*both, return_exceptions=True)
            tabs.discard(self)
            await self._leave_worker(idle)
        with suppress(WebSocketDisconnect, RuntimeError):  # it may have gone
            if any(isinstance(end, WorkerEndedError) for end in ends):
                await self.socket.close(_BROKEN, "the process that computes does not start")
        for end in ends:
            if isinstance(end, Exception) and not isinstance(end, _USUAL):
                raise end

    async def _listen(self) -> None:
        """Take questions in until the page goes away, or sends something that is not a question."""
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            question = _question(message.get("text"))
            if question is None or not self._has_room(question):
                await self.socket.close(_BAD, "that is not a question, or one too many")
                return
            if question.do == "cancel":
                await self._cancel(question.arguments)
            else:
                self.waiting.append(question)
                self.more.set()

    def _has_room(self, question: Question) -> bool:
        size = sum(len(one.line) for one in (*self.waiting, question))
        return len(self.waiting) < WAITING and size <= MUCH

    async def _cancel(self, arguments: Any) -> None:
        """End the question of a number, whether it waits or is being answered."""
        number = arguments.get("id") if isinstance(arguments, dict) else None
        if type(number) is not int:
            return
        if number == self.current and self.worker is not None:
            self.cancelled = number
            self.worker.kill()
        for question in [one for one in self.waiting if one.id == number]:
            self.waiting.remove(question)
            await self._send({"id": number, **_CANCELLED})

    async def _answer_all(self) -> None:
        await self._new_worker()
        while True:
            while not self.waiting:
                self.more.clear()
                await self.more.wait()
            await self._answer(self.waiting.popleft())

    async def _answer(self, question: Question) -> None:
        """Pass on what the process answers; if it is too slow, or ends, say so."""
        number = self.current = question.id
        failure: dict[str, Any] = {}
        try:
            async with asyncio.timeout(self.limit):
                await self._pass_on(question)
        except TimeoutError:
            text = f"this took longer than {self.limit:g} seconds and was stopped; try fewer points"
            failure = {"error": text}
        except WorkerEndedError:
            text = "the process that computes has ended, and was started again; try once more"
            failure = _CANCELLED if self.cancelled == number else {"error": text}
        too_late = self.cancelled == number and not failure  # it was answered, and is dead now
        self.current = self.cancelled = None
        if failure:
            await self._send({"id": number, "lost": True, **failure})
        if failure or too_late:
            await self._start_again()

    async def _pass_on(self, question: Question) -> None:
        assert self.worker is not None
        async with aclosing(self.worker.ask(question.line)) as answers:
            async for line in answers:
                await self.socket.send_text(line)

    async def _start_again(self) -> None:
        """Get another process; those who wait for this one are answered with an error."""
        self._drop_worker()
        while self.waiting:
            await self._send({"id": self.waiting.popleft().id, "lost": True, **_CANCELLED})
        await self._new_worker()

    async def _new_worker(self) -> None:
        """Get a process, and tell the page that nothing is remembered there."""
        self.worker = await self.workers.take()
        await self._send({"ready": True})

    async def _leave_worker(self, idle: bool) -> None:
        """Leave an idle process to the next tab; end one that computes."""
        worker, self.worker = self.worker, None
        if worker is not None and idle:
            await self.workers.rest(worker)
        elif worker is not None:
            self.workers.give_back(worker)

    def _drop_worker(self) -> None:
        if self.worker is not None:
            self.workers.give_back(self.worker)
            self.worker = None

    async def _send(self, value: dict[str, Any]) -> None:
        await self.socket.send_text(json.dumps(value))


# How talking to a page ends: it has gone, or its process does not start.
_USUAL = (WebSocketDisconnect, RuntimeError, WorkerEndedError)


def _question(text: str | None) -> Question | None:
    """Return a question, or None if the text is not one."""
    try:
        message = json.loads(text or "")
        line = json.dumps(message, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not set(message) <= {"id", "do", "with"}:
        return None
    number, do = message.get("id"), message.get("do")
    if type(number) is not int or not isinstance(do, str) or not do:
        return None
    return Question(number, do, message.get("with"), line)
