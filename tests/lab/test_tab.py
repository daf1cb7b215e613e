"""What a page may say, and what becomes of it: answered, or closed, but nothing breaks."""

import json

import pytest

from rosenblatt.lab.page_session import LARGEST, MUCH, WAITING

BAD, BUSY = 1008, 1013


pytestmark = pytest.mark.usefixtures("another")


class TestNoQuestion:
    """What is no question ends the connection."""

    @pytest.mark.parametrize(
        "said",
        [
            b'{"id": 1, "do": "trying.echo"}',
            b"\0\xff",
            "",
            "{",
            "null",
            "7",
            "[]",
            '"trying.echo"',
            "{}",
            '{"id": 1}',
            '{"do": "trying.echo"}',
            '{"id": 1, "do": ""}',
            '{"id": 1, "do": 7}',
            '{"id": 1, "do": null}',
            '{"id": 1, "do": ["trying.echo"]}',
            '{"id": "1", "do": "trying.echo"}',
            '{"id": 1.5, "do": "trying.echo"}',
            '{"id": true, "do": "trying.echo"}',
            '{"id": null, "do": "trying.echo"}',
            '{"id": 1, "do": "trying.echo", "path": "/etc/passwd"}',
            '{"id": 1, "do": "trying.echo", "with": {"value": NaN}}',
            '{"id": 1, "do": "trying.echo", "with": {"value": Infinity}}',
            '{"id": 1, "do": "trying.echo", "with": {"value": -Infinity}}',
            '{"id": 1, "do": "trying.echo", "with": {"value": 1e999}}',
            '{"id": 1, "do": "trying.echo", "with": {"value": ' + "9" * 5000 + "}}",
            '{"id": 1, "do": "trying.echo"} {}',
            "[" * 100_000,
            '{"id": 1, "do": "trying.echo", "with": ' + "[" * 50_000 + "]" * 50_000 + "}",
            '{"a":' * 50_000 + "1" + "}" * 50_000,
        ],
        ids=lambda said: repr(said[:60]),
    )
    def test_it_is_closed(self, talk, said):
        talk.say(said)
        assert talk.closed() == BAD

    # Where much is on its way, the connection may be gone before its code is read.
    def test_a_message_that_is_too_large(self, talk):
        talk.say(json.dumps({"id": 1, "do": "trying.echo", "with": {"value": "x" * LARGEST}}))
        assert talk.closed() in (1009, 1006)

    def test_one_that_comes_in_pieces_and_is_too_large(self, talk):
        talk.say("x" * (LARGEST // 4) for _ in range(6))
        assert talk.closed() in (1009, 1006)

    def test_what_is_no_text(self, talk):
        talk.say(b"\xff\xfe", text=True)
        assert talk.closed() == 1007

    def test_too_many_questions(self, talk):
        for _ in range(WAITING + 3):
            talk.send("trying.sleep", seconds=0.5)
        assert talk.closed() == BAD

    def test_too_much_in_all(self, talk):
        talk.send("trying.sleep", seconds=1)
        for _ in range(MUCH // LARGEST + 2):
            talk.send("trying.echo", value="x" * (LARGEST - 1000))
        assert talk.closed() == BAD


class TestRefused:
    """A question about what is not there is answered, and the next one too."""

    @pytest.mark.parametrize(
        "do",
        [
            "trying",
            "trying.",
            ".echo",
            "echo",
            "other.echo",
            "trying.none",
            "trying.hidden",
            "trying._private",
            "trying.__init__",
            "trying.__class__",
            "trying.__class__.__init__",
            "trying.memory",
            "trying.echo.__func__",
            "trying.echo ",
            "trying.Echo",
            "trying.écho",
            "__import__.os",
            "os.system",
            "x" * 100_000,
        ],
        ids=lambda do: do[:40],
    )
    def test_no_such_call(self, talk, do):
        answer = talk.ask(do)
        assert "result" not in answer
        assert answer["error"].endswith("reload the page")
        assert len(answer["error"]) < 200
        assert talk.ask("trying.echo", value=1)["result"] == 1

    @pytest.mark.parametrize(
        ("do", "told"),
        [
            ("keep", {}),
            ("keep", {"other": 1}),
            ("keep", {"value": 1, "other": 2}),
            ("keep", {"self": 1, "value": 1}),
            ("kept", {"value": 1}),
            ("echo", {"__class__": 1}),
            ("echo", {"": 1}),
        ],
    )
    def test_told_too_much_or_too_little(self, talk, do, told):
        answer = talk.ask(f"trying.{do}", **told)
        assert "reload the page" in answer["error"]
        assert talk.ask("trying.kept")["result"] is None

    @pytest.mark.parametrize("told", [[1], "value", 7, True])
    def test_told_no_names(self, talk, told):
        talk.say(json.dumps({"id": 1, "do": "trying.echo", "with": told}))
        assert "with names" in talk.answer(1)["error"]

    def test_of_a_wrong_kind(self, talk):
        for seconds in ("long", None, [], {}):
            assert "itself failed" in talk.ask("trying.sleep", seconds=seconds)["error"]
        assert talk.ask("trying.echo", value=1)["result"] == 1

    def test_what_a_screen_says(self, talk):
        assert talk.ask("trying.refuse")["error"] == "row 3 has no label; give it one"

    def test_a_fault_of_ours(self, talk, slow_lab):
        assert "KeyError" in talk.ask("trying.fail")["error"]
        assert "in fail" in slow_lab.errors()
        for do in ("nan", "strange"):
            assert "itself failed" in talk.ask(f"trying.{do}")["error"]
        assert talk.ask("trying.echo", value=1)["result"] == 1

    def test_a_number_that_is_too_large(self, talk):
        assert "too large" in talk.ask("trying.overflow", number=10**4000)["error"]

    def test_what_is_printed_is_no_answer(self, talk, slow_lab):
        assert talk.ask("trying.chatter")["result"] == "an answer"
        assert "this is no answer" in slow_lab.errors()


def test_any_text_comes_back_as_it_was(talk):
    for value in ("\n", "\r\n=x", "\u2028", "\0", "é😀", "\ud800", '"', "+", {"a": [1, 2.5, None]}):
        assert talk.ask("trying.echo", value=value)["result"] == value


def test_parts_come_in_order(talk):
    answer = talk.ask("trying.parts", count=50)
    assert answer["parts"] == [*range(50)]
    assert answer["result"] == 50


def test_questions_are_answered_in_order(talk):
    numbers = [talk.send("trying.echo", value=k) for k in range(100)]
    assert [talk.answer(number)["result"] for number in numbers] == [*range(100)]


def test_a_number_used_twice_is_answered_twice(talk):
    for _ in range(2):
        talk.say('{"id": 1, "do": "trying.echo"}')
    assert [talk.next()["id"], talk.next()["id"]] == [1, 1]
