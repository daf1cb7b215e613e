"""How files are to be read, as model files keep it."""

import pytest

from rosenblatt.readers import text
from rosenblatt.readers.command_options import MOST_NGRAMS, Reading


def test_headers_come_back():
    reading = Reading(usual="csv", label="kind", text=("a", "b"), ngrams=2, dtype="float64")
    header = {**reading.header(), "text": ["a", "b"], "drop": []}
    assert Reading.from_header(header) == reading
    assert Reading.from_header(header, format="tsv", on_error="skip").format == "tsv"
    assert MOST_NGRAMS == text.MOST_NGRAMS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("ngrams", value) for value in ("x", 2.5, None, 0, 11, True, [1])),
        *(("dtype", value) for value in ("object", 5, None, ["float32"])),
        *(("usual", value) for value in ("xml", 5, ["csv"])),
        *((name, value) for name in ("label", "weight", "labels") for value in (5, ["a"], True)),
        *((name, value) for name in ("text", "drop") for value in ("body", None, [1], 5, {})),
        ("format", "xml"),
        ("on_error", "hope"),
        ("labelled", 1),
        ("colour", 1),
    ],
)
def test_what_makes_no_sense_is_refused(name, value):
    with pytest.raises(ValueError, match=f"reading has '?{name}"):
        Reading.from_header({name: value})
