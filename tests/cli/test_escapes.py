"""Labels and names of files with what a terminal would obey: people see it, machines get it."""

import csv
import io
import json
from pathlib import Path

import pytest

from rosenblatt.console import visible
from tests.cli.test_terminal import in_terminal
from tests.conftest import first_quick

RED, CLEAR = "\x1b[31m", "\x1b[2J\x9b1m"
SHOWN_RED, SHOWN_CLEAR = "\\x1b[31m", "\\x1b[2J\\x9b1m"
FILE, OTHER, MODEL = f"t{CLEAR}.csv", f"o{CLEAR}.csv", f"m{CLEAR}.model"


@pytest.fixture
def odd(ros, folder):
    """The folder, with files whose labels, columns and names hold escape sequences."""
    rows = f"x{RED},y,label\n" + f"1,2,a{RED}\n-1,0,b\n2,1,a{RED}\n-2,-1,b\n" * 5
    Path(FILE).write_text(rows)
    Path(OTHER).write_text(rows + f'1,1,"q{RED}\nz"\n')
    ros("train", FILE, "-o", MODEL, "-q")
    return folder


@pytest.mark.parametrize(
    ("args", "shown"),
    first_quick(
        [
            (("train", FILE, "-o", MODEL), (f"2 (a{SHOWN_RED}, b)", f"m{SHOWN_CLEAR}.model")),
            (("inspect", MODEL), (f"2: a{SHOWN_RED}, b", f"t{SHOWN_CLEAR}.csv, 20 examples")),
            (("evaluate", MODEL, FILE), (f"\na{SHOWN_RED} ", f"predicted   a{SHOWN_RED}    b\n")),
            (("evaluate", MODEL, OTHER), (f"does not know: q{SHOWN_RED}\\nz\n",)),
            (("trace", FILE), (f"a{SHOWN_RED}",)),
            (("trace", FILE, OTHER), (f"t{SHOWN_CLEAR}.csv:2",)),
            (("separate", FILE), (f"separates b (+) from a{SHOWN_RED} (−)", f"·x{SHOWN_RED}")),
            (("separate", OTHER), (f"\na{SHOWN_RED} ", f"\nq{SHOWN_RED}\\nz   no")),
            (("compare", FILE), ()),
            (("predict", MODEL, FILE, "-o", f"p{RED}"), (f"written to p{SHOWN_RED}\n",)),
            (("train", f"no{CLEAR}*"), (f"no file matches no{SHOWN_CLEAR}*;",)),
            (("train", "no\x1bc"), ("there is no file no\\x1bc;",)),
            (("predict", f"no{CLEAR}", FILE), (f"no{SHOWN_CLEAR}: no such file",)),
            (("train", FILE, "-o", f"no{CLEAR}/x"), (f"--output no{SHOWN_CLEAR}/x:",)),
        ],
        3,
    ),
    ids=lambda value: value[0] if value else "",
)
def test_people_see_them(odd, args, shown):
    told, _ = in_terminal(list(args), odd, TERM="dumb", NO_COLOR="1")
    told = told.replace("\r\n", "\n")
    assert not {"\x1b", "\x9b"} & set(told)
    for text in shown:
        assert text in told


def test_machines_get_them(ros, odd):
    done = ros("predict", MODEL, FILE, "--lines")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert rows[0] == {"file": FILE, "line": "2", "prediction": f"a{RED}"}
    ros("predict", MODEL, FILE, "-o", "p.csv", "-q")
    assert f"a{RED}\n" in Path("p.csv").read_text()
    assert ros("predict", MODEL, FILE, "--json").out.startswith('{"prediction": "a\\u001b[31m"}\n')
    assert ros("inspect", MODEL, "--json").json["training"]["files"][0][0] == FILE
    assert ros("evaluate", MODEL, OTHER, "--json").json["unknown_labels"] == [f"q{RED}\nz"]
    assert ros("train", FILE, "--json", "-q").json["classes"] == [f"a{RED}", "b"]
    assert json.loads(ros("trace", FILE, "--json").out.splitlines()[0])["file"] == FILE
    assert f"a{RED}" in ros("separate", FILE, "--json").json["classes"]


def test_what_is_visible_stays():
    assert visible("é 漢 – −\n", "\n") == "é 漢 – −\n"
    assert visible("a\tb\x7f\u202e\ud800") == "a\\tb\\x7f\\u202e\\ud800"
