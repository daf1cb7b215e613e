"""Taggers at a terminal."""

from pathlib import Path

import pytest

from tests.cli.test_terminal import MOVES, in_terminal, width


@pytest.mark.slow
def test_a_terminal_of_80_columns(folder):
    for args in (
        ["train", "train.txt", "--dev", "dev.txt", "-o", "x.model"],
        ["evaluate", "chunks.model", "test.txt"],
        ["evaluate", "pos.model", "test.conllu"],
        ["inspect", "chunks.model"],
        ["train", "--help"],
    ):
        seen, code = in_terminal(["tag", *args], folder)
        assert code == 0
        assert all(width(line) <= 80 for line in seen.splitlines())


def test_a_bar_and_ctrl_c(folder):
    text = Path("train.txt").read_text()
    noise = text.replace("NN I-NP", "NN B-NP").replace("B-VP", "O")
    Path("long.txt").write_text((text + noise) * 300)
    args = ["tag", "train", "long.txt", "--passes", "100000", "-o", "x.model"]
    seen, code = in_terminal(args, folder, b"\x03", "pass 2")
    assert code == 130
    assert "sentences" in seen
    assert MOVES.sub("", seen).splitlines()[-1] == "rosenblatt: interrupted"
    assert not Path("x.model").exists()


def test_typing(folder):
    seen, code = in_terminal(
        ["tag", "apply", "pos.model", "--text"], folder, b"The cat.\n\n\x04", "Ctrl-D"
    )
    assert code == 0
    assert "reading from the terminal" in seen
    assert "cat\tNOUN" in seen.replace("     ", "\t")


@pytest.mark.slow
def test_what_a_terminal_would_obey(ros, folder):
    red = "\x1b[31m"
    lines = Path("train.txt").read_text().replace("B-NP", f"B-{red}").replace("I-NP", f"I-{red}")
    Path("odd.txt").write_text(lines)
    ros("tag", "train", "odd.txt", "-o", "x.model", "-q")
    for args in (
        ["train", "odd.txt", "--dev", "train.txt"],
        ["evaluate", "x.model", "odd.txt"],
        ["evaluate", "x.model", "train.txt"],
        ["inspect", "x.model"],
        ["inspect", "x.model", "--after", f"B-{red}"],
        ["inspect", "x.model", "--after", red],
        ["evaluate", "x.model", "odd.txt", "--conlleval"],
    ):
        seen, _ = in_terminal(["tag", *args], folder, TERM="dumb", NO_COLOR="1")
        assert "\x1b" not in seen, args
    assert f"B-{red}" in ros("tag", "apply", "x.model", "new.txt").out
