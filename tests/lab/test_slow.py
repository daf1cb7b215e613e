"""What takes too long, dies, or is cancelled: it ends, and the next question is answered."""

import os
import signal
import time

import pytest

from tests.lab.running import Talk, lives, started, trying, until

BAD, BUSY = 1008, 1013


pytestmark = pytest.mark.usefixtures("another")


class TestSlow:
    """What takes too long ends, and what was remembered is lost; the next question is answered."""

    @pytest.mark.slow
    def test_there_is_a_limit(self, hasty_lab):
        with Talk(hasty_lab) as talk:
            talk.ask("trying.keep", value="lost soon")
            process = talk.ask("trying.process")["result"]
            began = time.monotonic()
            answer = talk.ask("trying.spin")
            assert time.monotonic() - began > 1.5
            assert "longer than 2 seconds" in answer["error"]
            assert answer["lost"]
            assert talk.next()["ready"]
            until(lambda: not lives(process))
            assert talk.ask("trying.kept")["result"] is None

    @pytest.mark.slow
    def test_a_stream_has_it_too(self, hasty_lab):
        with Talk(hasty_lab) as talk:
            answer = talk.ask("trying.parts", count=1000, pause=0.01)
        assert "longer than 2 seconds" in answer["error"]
        assert len(answer["parts"]) > 5

    def test_it_can_be_cancelled(self, talk):
        process = talk.ask("trying.process")["result"]
        number = talk.send("trying.spin")
        assert talk.next()["part"] == "begun"
        talk.send("cancel", id=number)
        answer = talk.answer(number)
        assert answer == {
            "id": number,
            "lost": True,
            "error": "cancelled",
            "cancelled": True,
            "parts": [],
        }
        assert talk.next()["ready"]
        until(lambda: not lives(process))
        assert talk.ask("trying.echo", value=1)["result"] == 1

    def test_those_who_wait_are_told(self, talk):
        slow = talk.send("trying.spin")
        assert talk.next()["part"] == "begun"
        waiting = [talk.send("trying.echo", value=k) for k in range(3)]
        talk.send("cancel", id=slow)
        for number in (slow, *waiting):
            answer = talk.next()
            assert (answer["id"], answer["lost"], answer["cancelled"]) == (number, True, True)
        assert talk.next() == {"ready": True}
        assert talk.ask("trying.echo", value=1)["result"] == 1

    def test_one_that_waits_can_be_cancelled_alone(self, talk):
        process = talk.ask("trying.process")["result"]
        first = talk.send("trying.sleep", seconds=0.5)
        second, third = talk.send("trying.die"), talk.send("trying.process")
        talk.send("cancel", id=second)
        answer = talk.next()
        assert (answer["id"], answer["cancelled"]) == (second, True)
        assert "lost" not in answer
        assert talk.answer(first)["result"] == 0.5
        assert talk.answer(third)["result"] == process

    @pytest.mark.parametrize(
        "told", [{}, {"id": 99}, {"id": None}, {"id": "1"}, {"id": [1]}, {"x": 1}]
    )
    def test_cancelling_nothing_does_nothing(self, talk, told):
        talk.send("cancel", **told)
        assert talk.ask("trying.echo", value=1)["result"] == 1

    def test_cancelled_as_it_is_answered(self, talk):
        """Whichever is first, there is one answer, and the next question gets its own."""
        for pause in (0.0, 0.001, 0.003, 0.01):
            number = talk.send("trying.sleep", seconds=pause)
            time.sleep(pause)
            talk.send("cancel", id=number)
            answer = talk.answer(number)
            assert answer.get("cancelled") or answer["result"] == pause
            again = talk.ask("trying.echo", value=pause)
            while again.get("lost"):
                again = talk.ask("trying.echo", value=pause)
            assert again["result"] == pause


class TestGone:
    """A process that ends is replaced."""

    def test_by_itself(self, talk):
        answer = talk.ask("trying.die")
        assert answer["error"].startswith("the process that computes has ended")
        assert answer["lost"]
        assert talk.next()["ready"]
        assert talk.ask("trying.echo", value=1)["result"] == 1

    def test_killed_while_it_computes(self, talk):
        process = talk.ask("trying.process")["result"]
        number = talk.send("trying.spin")
        assert talk.next()["part"] == "begun"
        os.kill(process, signal.SIGKILL)
        assert "has ended" in talk.answer(number)["error"]
        assert talk.next()["ready"]
        assert talk.ask("trying.process")["result"] != process

    def test_killed_while_it_waits(self, talk):
        process = talk.ask("trying.process")["result"]
        os.kill(process, signal.SIGKILL)
        assert "has ended" in talk.ask("trying.echo")["error"]
        assert talk.next()["ready"]
        assert talk.ask("trying.echo", value=1)["result"] == 1

    def test_with_an_answer_that_is_too_long(self, talk):
        answer = talk.ask("trying.endless", size=20 << 20)
        assert "result" not in answer
        assert answer["lost"]
        assert talk.next()["ready"]
        assert talk.ask("trying.echo", value=1)["result"] == 1

    def test_it_ends_with_its_page(self, slow_lab):
        with Talk(slow_lab) as talk:
            process = talk.ask("trying.process")["result"]
            talk.send("trying.spin")
            assert talk.next()["part"] == "begun"
        until(lambda: not lives(process))


def test_two_pages_do_not_disturb_each_other(slow_lab, talk, another):
    process = talk.ask("trying.process")["result"]
    assert process != another.ask("trying.process")["result"]
    talk.ask("trying.keep", value="this page's")
    another.ask("trying.keep", value="that page's")
    assert talk.ask("trying.kept")["result"] == "this page's"
    with Talk(slow_lab) as busy:
        number = busy.send("trying.spin")  # which does not end by itself
        assert busy.next()["part"] == "begun"
        for k in range(20):
            assert talk.ask("trying.echo", value=k)["result"] == k
        busy.send("cancel", id=number)
        assert busy.answer(number)["cancelled"]
    another.ask("trying.keep", value="mine")


@pytest.mark.slow
def test_there_are_so_many_pages_and_no_more():
    with started(*trying()) as lab:
        talks = [Talk(lab, ready=False) for _ in range(17)]
        for talk in talks:
            talk.__enter__()
        ends = []
        for talk in talks[:16]:
            talk.wait_for("ready")
        assert talks[16].closed() == BUSY
        talks[3].__exit__(None, None, None)

        def one_more():
            with Talk(lab, ready=False) as talk:
                try:
                    return talk.next().get("ready")
                except Exception as error:
                    ends.append(error)
            return False

        until(one_more)
        for talk in talks:
            talk.__exit__(None, None, None)
