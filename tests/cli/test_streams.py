"""Standard output and error that are closed or full: files are written, and no traceback."""

from pathlib import Path

import pytest

from rosenblatt import load
from tests.conftest import first_quick

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
CORPUS = "the DT\ndog NN\nbarks VB\n\na DT\ncat NN\nsleeps VB\n\n" * 4


@pytest.fixture
def files(folder):
    Path("corpus.txt").write_text(CORPUS)
    return folder


# What each command may say: results that cannot be written are an error, messages are not.
@pytest.mark.parametrize(
    ("redirected", "out_works"),
    first_quick(
        [
            (">&-", False),
            (">/dev/full", False),
            ("2>&-", True),
            ("2>/dev/full", True),
            ("<&- >&- 2>&-", False),
            (">/dev/full 2>/dev/full", False),
        ],
        1,
    ),
)
def test_a_model_is_saved_whoever_listens(files, shell, redirected, out_works):
    lines = [
        "train train.svm -o a.model",
        "train train.svm -o b.model -q",
        "tag train corpus.txt -o c.model",
        "predict a.model train.svm",
        "train nowhere.svm",
        "train --what",
        "--help",
    ]
    each = (f"rosenblatt {line} {redirected}; echo -n $?, >>statuses" for line in lines)
    done = shell("; ".join(each), cwd=files)
    broken = "0" if out_works else "1"
    expected = [broken, "0", broken, broken, "1", "2", broken]
    assert Path("statuses").read_text() == ",".join(expected) + ","
    assert "Traceback" not in done.out + done.err
    if "2>" not in redirected:
        assert "cannot write to standard output: " in done.err
    assert load("a.model").t_ == load("b.model").t_ > 0
    assert load("c.model") is not None


def test_a_file_does_not_become_standard_output(files, shell):
    """With 1 closed the next file that is opened has its number."""
    assert shell("rosenblatt train train.svm -o a.model >&- 2>&-", cwd=files).code == 1
    shell("rosenblatt train train.svm -o b.model", cwd=files)
    assert Path("a.model").read_bytes() == Path("b.model").read_bytes()
