"""The processes that compute: a spare one is ready, none outlives its page or the server."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from rosenblatt.lab.worker import MEMORY
from rosenblatt.lab.worker_pool import Worker, WorkerEndedError, Workers
from tests.conftest import first_quick
from tests.lab.running import TRYING, Talk, children, lives, started, trying, until

COMMAND = (sys.executable, "-P", str(TRYING))


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """The next spare process starts soon, and not only after a second."""
    monkeypatch.setattr("rosenblatt.lab.worker_pool.LATER", 0.05)


def in_loop(coroutine):
    """Run a coroutine in a thread: Playwright has a loop in this one."""
    outcome = []

    def run():
        try:
            outcome.append((asyncio.run(coroutine), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    result, error = outcome[0]
    if error is not None:
        raise error
    return result


def with_workers(act, command=COMMAND):
    """Run ``act(workers)``, close them, and check that no process is left."""

    async def run():
        workers = Workers(command)
        before = set(children(os.getpid()))
        try:
            return await act(workers)
        finally:
            await workers.close()
            assert not set(children(os.getpid())) - before

    return in_loop(run())


def test_one_is_taken_and_the_next_is_made_ready():
    async def act(workers):
        first = await workers.take()
        while workers.spare is None:
            await asyncio.sleep(0.02)
        spare = await workers.spare
        second = await workers.take()
        assert second is spare
        assert len({first.process.pid, second.process.pid}) == 2
        answers = [line async for line in second.ask('{"id": 1, "do": "trying.echo"}')]
        assert answers == ['{"id":1,"result":null}']

    with_workers(act)


def test_a_page_that_goes_early_leaves_its_process_to_the_next():
    async def act(workers):
        taking = asyncio.create_task(workers.take())
        await asyncio.sleep(0.01)
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
        spare = workers.spare
        assert await workers.take() is await spare

    with_workers(act)


def test_many_pages_that_go_early_leave_no_process():
    async def act(workers):
        taking = [asyncio.create_task(workers.take()) for _ in range(4)]
        await asyncio.sleep(0.02)
        for task in taking:
            task.cancel()
        await asyncio.gather(*taking, return_exceptions=True)
        await workers.take()
        await asyncio.gather(*workers.ending)
        await workers.prepare()
        assert len(children(os.getpid())) <= 2 + before

    before = len(children(os.getpid()))
    with_workers(act)


def test_a_spare_one_that_has_died_is_not_given_away():
    async def act(workers):
        dead = await workers.prepare()
        dead.kill()
        await dead.process.wait()
        worker = await workers.take()
        assert worker is not dead
        assert [line async for line in worker.ask('{"id": 1, "do": "trying.echo"}')]

    with_workers(act)


def test_a_process_that_does_not_start_is_told_and_tried_again():
    async def act(workers):
        for _ in range(2):
            with pytest.raises(WorkerEndedError):
                await workers.take()
        workers.command = COMMAND
        assert await workers.take()

    with_workers(act, (sys.executable, "-c", "raise SystemExit(1)"))


def test_one_that_is_slow_to_start_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr("rosenblatt.lab.worker_pool.STARTING", 0.2)

    async def act(workers):
        with pytest.raises(WorkerEndedError):
            await workers.take()

    with_workers(act, (sys.executable, "-c", "import time; time.sleep(60)"))


def test_nothing_is_given_after_the_end():
    async def act():
        workers = Workers(COMMAND)
        await workers.close()
        with pytest.raises(WorkerEndedError):
            await workers.take()

    in_loop(act())


def test_asking_one_that_is_dead():
    async def act():
        worker = await Worker.start(COMMAND)
        worker.kill()
        await worker.process.wait()
        with pytest.raises(WorkerEndedError):
            _ = [line async for line in worker.ask("{}")]

    in_loop(act())


@pytest.mark.skipif(sys.platform != "linux", reason="others do not count all memory as data")
def test_one_that_wants_too_much_memory_says_so_and_lives(talk):
    process = talk.ask("trying.process")["result"]
    assert "more memory than the lab allows" in talk.ask("trying.hoard", size=MEMORY + 1)["error"]
    assert talk.ask("trying.hoard", size=1 << 20)["result"] == 1 << 20
    assert talk.ask("trying.process")["result"] == process


class TestNoneIsLeft:
    """However the server ends, idle and computing processes end with it."""

    @pytest.mark.parametrize(
        "how", first_quick([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], 1)
    )
    def test_by_a_signal(self, how):
        stop = lambda process: None  # noqa: E731
        with started(*trying(), stop=stop) as lab, Talk(lab) as idle, Talk(lab) as busy:
            busy.send("trying.spin")
            assert busy.next()["part"] == "begun"
            assert idle.ask("trying.echo", value=1)["result"] == 1
            found = until(lambda: (now := children(lab.process.pid)) and len(now) == 3 and now)
            lab.process.send_signal(how)
            lab.process.wait(60)
            until(lambda: not any(map(lives, found)))

    def test_by_ctrl_c_twice(self):
        stop = lambda process: None  # noqa: E731
        with started(*trying(), stop=stop) as lab, Talk(lab) as busy:
            busy.send("trying.spin")
            assert busy.next()["part"] == "begun"
            found = children(lab.process.pid)
            for _ in range(2):
                lab.process.send_signal(signal.SIGINT)
                time.sleep(0.12)  # the server looks ten times a second
            lab.process.wait(60)
            until(lambda: not any(map(lives, found)))


class TestAlone:
    """The process without its server."""

    def start(self):
        process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "=ready\n"
        return process

    def test_it_ends_when_nobody_asks(self):
        with self.start() as process:
            process.stdin.close()
            assert process.wait(60) == 0

    def test_it_ends_in_the_midst_of_computing(self):
        with self.start() as process:
            process.stdin.write('{"id": 1, "do": "trying.spin"}\n')
            process.stdin.flush()
            assert "begun" in process.stdout.readline()
            process.stdin.close()
            assert process.wait(60) == 0

    def test_it_ends_when_nobody_reads(self):
        with self.start() as process:
            process.stdout.close()
            process.stdin.write('{"id": 1, "do": "trying.echo"}\n')
            process.stdin.flush()
            assert process.wait(60) is not None

    @pytest.mark.slow
    def test_it_ends_even_where_no_thread_can_run(self):
        """Compiled code may hold the interpreter for good; an alarm of the system ends it."""
        code = (
            "import re, sys, types\n"
            "sys.modules['rosenblatt.lab.screens'] = types.SimpleNamespace(SCREENS={})\n"
            "from rosenblatt.lab.worker import _at_most\n"
            "print('begun', flush=True)\n"
            "with _at_most(1):\n"
            "    re.match('(a+)+$', 'a' * 60 + 'b')\n"  # never ends, and never lets go
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
        assert done.stdout == b"begun\n"
        assert done.returncode == -signal.SIGALRM


def test_an_idle_process_forgets_and_waits_for_the_next_page():
    async def asked(worker, do, told=""):
        question = f'{{"id": 1, "do": "trying.{do}", "with": {{{told}}}}}'
        return [line async for line in worker.ask(question)]

    async def act(workers):
        first = await workers.take()
        await asked(first, "keep", '"value": "mine"')
        assert await asked(first, "kept") == ['{"id":1,"result":"mine"}']
        await workers.rest(first)
        again = await workers.take()
        assert again is first
        assert await asked(again, "kept") == ['{"id":1,"result":null}']

    with_workers(act)


def test_no_more_wait_than_are_wanted():
    async def act(workers):
        several = [await workers.take() for _ in range(4)]
        for worker in several:
            await workers.rest(worker)
        assert len(workers.rested) + (workers.spare is not None) <= 2

    with_workers(act)
