"""CSV and TSV: headers, kinds of columns, quotes, and errors with their lines."""

import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.readers import csv, tables
from rosenblatt.readers.blocks import DataError, ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.csv import records
from rosenblatt.readers.features import features_of
from rosenblatt.readers.names import Kept
from rosenblatt.readers.sources import expand, open_stream
from tests.conftest import first_quick
from tests.readers.back import read_back, separated, stream_of
from tests.readers.damage import FUZZ, corpus_lines, fuzz, mutated

ROWS = [{"age": 41, "label": "yes"}, {"age": None, "label": "no"}, {"age": 7, "label": None}]


@pytest.mark.parametrize(
    ("first", "options", "header"),
    [
        (b"1,2,3", {}, False),
        (b"1,,3", {}, False),
        (b"-1.5e3,.5,+2", {}, False),
        (b"5.1,3.5,setosa", {}, False),
        (b"39, State-gov, <=50K", {}, False),
        (b"2019,2020,2021", {}, False),
        (b"a,b,c", {}, True),
        (b"0,1,label", {}, True),
        (b"0,1,kind", {}, True),
        (b"1,2,kind", {}, True),
        (b"2019,2020,region", {"label": "region"}, True),
        (b"2019,2020,region", {"drop": ("2019",)}, False),
        (b'"a ""b""",b,"c\nd"', {}, True),
        (b" a , b , c ", {}, True),
        (b",a,b", {}, True),
    ],
)
def test_headers(first, options, header):
    second = b"7,8,9"
    read = read_back(tables, first + b"\n" + second + b"\n", format="csv", **options)
    assert read.lines[-1] - read.lines[0] == len(read.lines) - 1
    assert len(read.lines) == (1 if header else 2)
    if not header:
        assert {name.partition("=")[0] for name in read.dicts[-1]} <= {"c1", "c2"}


def test_names_of_columns():
    read = read_back(tables, b'\xef\xbb\xbf\n,"a ""b""", c ,"x\ny",y\n1,2,3,4,5\n6,7,8,9,10')
    assert read.dicts[0] == {"c1": 1.0, 'a "b"': 2.0, "c": 3.0, "x\ny": 4.0}
    assert read.lines == [4, 5]


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"a,b,c\n", b"a,b,c", b"a,b\r", b",,\n"]
)
def test_nothing(content):
    assert read_back(tables, content, format="csv").blocks == []
    assert read_back(tables, b"", format="parquet").blocks == []
    assert read_back(tables, b"", format="arrow").blocks == []


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", [True, False])
def test_line_ends(line_end, end):
    content = separated(ROWS, ["age", "label"], line_end=line_end)
    read = read_back(tables, content if end else content.rstrip(b"\r\n"))
    assert len(read.rows) == 3
    assert read.labels == ["yes", "no", None]


def test_numbers_are_told_from_the_first_rows():
    content = b"""n,s,mixed,space,plus,truth,late,y
    1,a,1, 1 ,+1,true,,1
    2.5,b,x,2,-1,FALSE,,1
    NA,c,2,?,+.5e1,1,,0
    """.replace(b"    ", b"")
    read = read_back(tables, content)
    assert read.dicts == [
        {"n": 1, "s=a": 1, "mixed=1": 1, "space": 1, "plus": 1, "truth": 1},
        {"n": 2.5, "s=b": 1, "mixed=x": 1, "space": 2, "plus": -1, "truth": 0},
        {"s=c": 1, "mixed=2": 1, "plus": 5, "truth": 1},
    ]
    assert read.labels == [1.0, 1.0, 0.0]


def test_spaces_around_cells_do_not_count():
    read = read_back(tables, b"39, State-gov ,  , <=50K\n50, Private, x y , >50K\n")
    assert read.dicts == [{"c1": 39, "c2=State-gov": 1}, {"c1": 50, "c2=Private": 1, "c3=x y": 1}]
    assert read.labels == ["<=50K", ">50K"]


def long_table(change, at=35_000):
    """Return rows of numbers, several blocks of them, with a change, near the end if not told."""
    rows = [b"%d,%d,x%d,%d" % (k, k % 7, k % 3, k % 2) for k in range(40_000)]
    rows[at:at] = change
    return b"a,b,c,label\n" + b"\n".join(rows) + b"\n"


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(csv, "_BLOCK", 1 << 16)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("row", "message"),
    first_quick(
        [
            (b"1.5,2,x,0", None),
            (b"NA,,,", None),
            (b" 7 , 8,12,-3", None),
            (b"abc,2,x,0", "column 'a' held numbers so far; drop it, or read it as text: \"abc\""),
            (b"1,2,x,maybe", "column 'label' held numbers so far.*: \"maybe\""),
            (b"1e999,2,x,0", "the number in column 'a' must be finite: \"inf\""),
            (b"1,-Infinity,x,0", "the number in column 'b' must be finite: \"-inf\""),
            (b"1,2,x,inf", "the number in column 'label' must be finite"),
            (b"1,2,x", 'expected 4 cells, found 3: "1,2,x"'),
            (b"1,2,x,0,5", 'expected 4 cells, found 5: "1,2,x,0,5"'),
            (b"1,2,Z\xfcrich,0", r"6: column 'c' is not UTF-8; .*iconv.*, found: \"Z\\xfcrich\""),
            (b'1,2,"a "" \xff\xfe",0', r"11: column 'c' is not UTF-8; .*: \"a \" \\xff\\xfe\""),
            (b"\xff,2,x,0", r"1: column 'a' is not UTF-8; .*found: \"\\xff\""),
        ],
        4,
    ),
)
def test_what_comes_later(row, message):
    content = long_table([row])
    if message is None:
        read = read_back(tables, content)
        assert len(read.rows) == 40_001
        assert len(read.blocks) > 5
        return
    with pytest.raises(DataError, match=f"^here:35002:{' ' * (not message[0].isdigit())}{message}"):
        read_back(tables, content)
    read = read_back(tables, content, skip=True)
    assert read.lines == [k for k in range(2, 40_003) if k != 35_002]
    assert read.dicts[35_000]["a"] == 35_000
    assert read.problems.count == 1


def test_numbers_in_a_column_of_strings_are_strings():
    read = read_back(tables, b"a,y\nx,1\n3,1\n1e999,0\n")
    assert [row[0][0] for row in read.rows] == ["a=x", "a=3", "a=1e999"]


def test_a_column_that_is_empty_at_first(small_blocks):
    rows = b"".join(b"%d,,0\n" % k for k in range(20_000))
    read = read_back(tables, b"a,b,y\n" + rows + b"1,2.5,1\n1,,0\n")
    assert read.dicts[0] == {"a": 0.0}
    assert read.dicts[-2:] == [{"a": 1.0, "b": 2.5}, {"a": 1.0}]
    read = read_back(tables, b"a,b,y\n" + rows + b"1,x,1\n1,3,0\n")
    assert read.dicts[-2:] == [{"a": 1.0, "b=x": 1.0}, {"a": 1.0, "b=3": 1.0}]
    assert read_back(tables, b"a,b\n1,\n2,\n").blocks[0].labels is None


def test_weights():
    read = read_back(tables, b"a,w,y\n1,2,0\n1,,0\n1,0,1\n", weight="w")
    assert read.weights == [2.0, 1.0, 0.0]
    assert read_back(tables, b"a,w,y\n1,1,0\n1,1,1\n", weight="w").blocks[0].weights is None
    assert read_back(tables, b"a,y\n1,1\n", weight="w").weights == [1.0]
    for bad in (b"-1", b"inf"):
        content = b"a,w,y\n1,1,0\n1," + bad + b",0\n1,3,1\n"
        with pytest.raises(DataError, match="here:3: "):
            read_back(tables, content, weight="w")
        assert read_back(tables, content, weight="w", skip=True).weights == [1.0, 3.0]


def test_several_errors_are_told_in_order():
    content = b"a,b,y\n1,2,0\n1,x\n1,inf,1\ninf,inf,1\n5\n3,4,0\n7,8,9,10\n"
    read = read_back(tables, content, skip=True, format="csv")
    assert read.lines == [2, 7]
    places = [message.split()[0] for message in read.problems.messages]
    assert places == ["here:3:", "here:4:", "here:5:", "here:6:", "here:8:"]
    assert read.problems.count == 5


def test_all_rows_are_bad():
    read = read_back(tables, b"a,b,y\n1\n2\n3\n", skip=True, format="csv")
    assert read.rows == []
    assert read.problems.count == 3


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("longest", [1 << 16, 1 << 26])
def test_a_quote_that_is_not_closed(longest, monkeypatch):
    monkeypatch.setattr("rosenblatt.readers.csv.LONGEST", longest)
    content = long_table([b'1,2,"x,0'], 100)
    more = ", or a row is longer than 0 MiB" if longest < 1 << 20 else ""
    message = f'here:102: a quote is not closed{more}: "1,2,"x,0"'
    with pytest.raises(DataError, match=message):
        read_back(tables, content)
    read = read_back(tables, content, skip=True)
    assert read.lines == [k for k in range(2, 40_003) if k != 102]
    assert read.problems.count == 1
    for end in (b'4,5,"6', b'4,5,"6\n', b'"4,5,6\r\n'):
        content = b"a,b,y\r\n1,2,3\r\n" + end
        with pytest.raises(DataError, match="here:3: a quote is not closed"):
            read_back(tables, content)
        assert read_back(tables, content, skip=True).lines == [2]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b'a,b,y\n1,2,0\n1,"x,0\n2,"y",1\n3,"z",0\n', 'here:3: a quote is not closed: "1,"x,0"'),
        (b'a,b,y\n1,2,"x\n3,4,"y"\n5,6,"z"\n', 'here:2: a quote is not closed: "1,2,"x"'),
        (b'a,b,y\r\n1,"x,0\r\n2,"y,1,4\r\n', 'here:2: a quote is not closed: "1,"x,0"'),
        (b'a,"b,y\n1,2,3\n4,5,6\n', 'here:1: a quote is not closed: "a,"b,y"'),
        (b'\na,"b,y\n1,"2",3\n', 'here:2: a quote is not closed: "a,"b,y"'),
    ],
)
def test_a_quote_that_another_one_closes(content, place):
    """The quote that opens a later cell ended this one, and rows were lost without a word."""
    with pytest.raises(DataError) as error:
        read_back(tables, content, format="csv")
    assert str(error.value) == place
    whole = b'"a\nb",b,y\n1,"x\n""y"", z",0\n2,"y"z,1\n'
    assert read_back(tables, whole, format="csv").lines == [3, 5]


@pytest.mark.usefixtures("small_blocks")
def test_quoted_line_ends_at_the_ends_of_blocks():
    rows = [{"a": k, "text": "x\n" * (k % 9) + "y", "label": "l"} for k in range(20_000)]
    read = read_back(tables, separated(rows, ["a", "text", "label"]))
    assert [row[0][1] for row in read.rows] == list(range(20_000))
    assert len(read.rows[8]) == 2


@pytest.mark.parametrize("size", [1, 2, 3, 10, 1000])
def test_pieces_are_whole_records(size):
    texts = [b"1,2", b'"a\nb",3', b'5" pipe,"x"', b"", b'"q"x,""', b'"\r\n""\r",",\n"', b",", b'""']
    for line_end in (b"\n", b"\r\n", b"\r"):
        whole = [text.replace(b"\n", line_end) + line_end for text in texts]
        content = b"".join(whole)
        for last in (content, content[: -len(line_end)]):
            pieces = list(records(stream_of(last), b"", size, 5, ",", "x", ErrorLog()))
            joined = b"".join(piece for _, piece in pieces)
            assert joined in (content, last + b"\n")
            ends = {len(b"".join(whole[:k])) for k in range(len(whole) + 1)}
            place, lines = 0, 5
            for before, piece in pieces:
                assert before == lines
                lines += len(piece.splitlines())
                place += len(piece)
                assert place in ends or place == len(joined)
            if size == 1:
                assert len(pieces) >= 6


@pytest.mark.slow
def test_wide_rows():
    names = [f"f{k}" for k in range(30_000)]
    row = ",".join("0.12345678" for _ in names)
    content = (",".join([*names, "y"]) + "\n" + f"{row},1\n" * 20).encode()
    read = read_back(tables, content)
    assert [len(row) for row in read.rows] == [30_000] * 20


def test_too_large_for_float32():
    content = b"a,b,y\n1,2,0\n1,1e200,0\n"
    with pytest.raises(DataError, match="here:3: feature 'b' is too large for float32; scale it"):
        read_back(tables, content, dtype="float32")
    assert read_back(tables, content).dicts[1]["b"] == 1e200


def test_tabs():
    read = read_back(tables, b'a\tb\ty\n1\tx, y\t0\n2\t"q"\t1\n')
    assert read.dicts == [{"a": 1.0, "b=x, y": 1.0}, {"a": 2.0, "b=q": 1.0}]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found(separator):
    rows = [
        {"a": 1.5, "b": 'x, y; z | "q"\tw', "y": "p"},
        {"a": 2, "b": "two\nlines, of; text|s", "y": "q"},
        {"a": -3, "b": ",;|,;|", "y": "p"},
    ]
    read = read_back(tables, separated(rows, ["a", "b", "y"], separator), format="csv")
    assert read.dicts == [{"a": row["a"], f"b={row['b']}": 1.0} for row in rows]
    assert (read.labels, read.lines) == (["p", "q", "p"], [2, 3, 5])
    without = f"1{separator}x{separator}0\n" * 3
    assert read_back(tables, without.encode(), format="csv").dicts == [{"c1": 1.0, "c2=x": 1.0}] * 3


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (b"1,5;2,5;3\n4,5;5,5;6\n", [["1,5", "2,5"], ["4,5", "5,5"]]),
        (b"tags,y\na;b,1\nc;d,0\n", [["a;b"], ["c;d"]]),
        (b"a,b\n1,2\n3;4\n5,6\n", [["1"], ["5"]]),
        (b"a;b\n1;2\n3;4;5\n5;6\n", [["1"], ["5"]]),
    ],
)
def test_which_separator_it_is(content, rows):
    read = read_back(tables, content, format="csv", skip=True)
    cells = [[name.partition("=")[2] or f"{value:g}" for name, value in row] for row in read.rows]
    assert cells == rows


def test_a_first_line_that_never_ends(monkeypatch):
    monkeypatch.setattr("rosenblatt.readers.csv._LONGEST", 1 << 21)
    with pytest.raises(DataError, match="here:1: the first line is longer than 2 MiB"):
        read_back(tables, b"a," * (1 << 21), format="csv")


def test_damaged_archive(tmp_path):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(long_table([]))[:-200])
    with pytest.raises(DataError, match=r"x\.csv\.gz: the gzip archive is truncated"):
        read_back(tables, path)


def test_stopping_early(tmp_path):
    """Nobody reads the file after it was closed, although pyarrow reads ahead."""
    path = tmp_path / "x.csv"
    path.write_bytes(long_table([]) * 20)
    for _ in range(5):
        with open_stream(expand([path])[0]) as stream:
            blocks = tables.blocks(stream, "x", Reading(), Kept(), ErrorLog())
            assert next(blocks).lines[0] == 2
            blocks.close()
            assert stream.consumed < path.stat().st_size


# --- anything at all ------------------------------------------------------------------------------

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
TEXTS = CELLS.map(str.strip)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**60), 2**60)


@given(st.lists(st.tuples(NUMBERS | st.none(), TEXTS, NUMBERS, TEXTS), min_size=1, max_size=8), st.sampled_from(",\t"))  # fmt: skip  # noqa: E501
def test_round_trip(rows, separator):
    """What Python writes as CSV is read as `features_of` says."""
    names = ["n", "s", "m", "label"]
    # A word first, so that the column is one of strings whatever follows.
    rows = [(1.5, "word", 1.0, "word"), *rows]
    dicts = [dict(zip(names, row, strict=True)) for row in rows]
    content = separated(dicts, names, separator)
    read = read_back(tables, content, format="csv" if separator == "," else "tsv")
    expected = []
    for row in dicts:
        features, values = features_of({k: v for k, v in row.items() if k != "label"})
        expected.append(list(zip(features, values, strict=True)))
    assert read.rows == expected
    assert read.labels == [row["label"] or None for row in dicts]


PARTS = [
    *(b",", b'"', b'""', b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b",,,,", b"label"),
    *(b"1e999", b"inf", b"nan", b"NA", b"?", b"true", b" ", b"\t", b";", b"'", b"1_0", b"0x1"),
    *(b"$3", b'"1,5"', b"2024-02-30", b"31.01.2024 9:00", b"-999", b"n.a.", b"5 %", b"1'000"),
    *(b'"a\nb"', b"-", b"+", b"\xe2\x80\xa8", b"9" * 400, b"age", b"w", b"\\"),
]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_fuzz(part):
    chance = random.Random(part)
    corpus = corpus_lines("*.csv")
    for _ in range(FUZZ // 4):
        picked = [corpus[0]] * chance.randint(0, 1) + chance.choices(corpus, k=chance.randint(1, 4))
        content = b"\n".join(mutated(line, PARTS, chance) for line in picked)
        kind = chance.choice(["csv", "tsv"])
        if chance.random() < 0.5:
            fuzz(tables, content, format=kind, weight="w", drop=("city",))
        else:
            fuzz(tables, content, format=kind, learning=True)
