"""One open page: its questions, one after another, to a process of its own.

A question that takes too long is ended with its process, and so is one that the page cancels. What a
screen remembers is lost then, so the answer says ``"lost": true``, and the page asks for it again.
"""

import asyncio
import json
from collections import deque
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from rosenblatt.lab.workers import MOST, Worker, WorkerEndedError, Workers

LIMIT = 30.0  # seconds for one question
WAITING = 200  # questions that may wait
LARGEST = 4 << 20  # bytes of a message
_BAD, _BUSY = 1008, 1013


class Tab:
    """Talks to one page."""

    def __init__(self, socket: WebSocket, workers: Workers, limit: float = LIMIT) -> None:
        self.socket, self.workers, self.limit = socket, workers, limit
        self.waiting: deque[dict[str, Any]] = deque()
        self.more = asyncio.Event()
        self.worker: Worker | None = None
        self.current: Any = None
        self.cancelled: Any = None

    async def run(self) -> None:
        """Serve the page until it goes away."""
        await self.socket.accept()
        if len(self.workers.out) >= MOST:
            await self.socket.close(_BUSY, f"{MOST} pages are open already; close one of them")
            return
        answering = asyncio.create_task(self._answer_all())
        try:
            await self._listen()
        finally:
            answering.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await answering
            self._drop_worker()

    async def _listen(self) -> None:
        """Take questions in until the page goes away, or sends what is no question."""
        with suppress(WebSocketDisconnect):
            while True:
                message = await self.socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                question = _question(message.get("text"))
                if question is None or len(self.waiting) >= WAITING:
                    await self.socket.close(_BAD, "that is no question, or one too many")
                    return
                if question["do"] == "cancel":
                    self._cancel(question.get("with"))
                else:
                    self.waiting.append(question)
                    self.more.set()

    def _cancel(self, told: Any) -> None:
        """End the question of a number, whether it waits or is being answered."""
        number = told.get("id") if isinstance(told, dict) else None
        if number is None:
            return
        if number == self.current and self.worker is not None:
            self.cancelled = number
            self.worker.kill()
            return
        for question in [one for one in self.waiting if one["id"] == number]:
            question["do"] = ""

    async def _answer_all(self) -> None:
        await self._new_worker()
        while True:
            while not self.waiting:
                self.more.clear()
                await self.more.wait()
            question = self.waiting.popleft()
            if question["do"]:
                await self._answer(question)
            else:
                await self._send({"id": question["id"], "error": "cancelled", "cancelled": True})

    async def _answer(self, question: dict[str, Any]) -> None:
        """Pass on what the process answers; if it is too slow, or ends, say so."""
        number = self.current = question["id"]
        failure: dict[str, Any] = {"id": number, "lost": True}
        try:
            async with asyncio.timeout(self.limit):
                assert self.worker is not None
                async for line in self.worker.ask(json.dumps(question)):
                    await self.socket.send_text(line)
            return
        except TimeoutError:
            failure["error"] = (
                f"this took longer than {self.limit:g} seconds and was stopped; try fewer points"
            )
        except WorkerEndedError:
            failure["error"] = "the process that computes has ended; it was started again"
            if self.cancelled == number:
                failure |= {"error": "cancelled", "cancelled": True}
        finally:
            self.current = self.cancelled = None
        self._drop_worker()
        await self._send(failure)
        await self._new_worker()

    async def _new_worker(self) -> None:
        """Get a process, and tell the page that nothing is remembered there."""
        self.worker = await self.workers.take()
        await self._send({"ready": True})

    def _drop_worker(self) -> None:
        if self.worker is not None:
            self.workers.give_back(self.worker)
            self.worker = None

    async def _send(self, value: dict[str, Any]) -> None:
        await self.socket.send_text(json.dumps(value))


def _question(text: str | None) -> dict[str, Any] | None:
    """Return a question, or None if the text is none."""
    try:
        found = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not set(found) <= {"id", "do", "with"}:
        return None
    if not isinstance(found.get("do"), str) or not found["do"]:
        return None
    return found if type(found.get("id")) is int else None
