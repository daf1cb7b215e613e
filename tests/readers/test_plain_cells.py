"""CSV without pyarrow: the same features, labels and errors as with it, to the bit.

All other tests of CSV files compare the two as well: see `read_back`.
"""

import gzip
import sys
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.readers import arrow_cells, csv, plain_cells, tables
from rosenblatt.readers.arrow_cells import ArrowCells
from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.cells import _ALL_MISSING, MISSING_LABELS
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.csv import NO_UTF8
from rosenblatt.readers.plain_cells import PlainCells
from rosenblatt.readers.reader import Reader
from tests.conftest import examples, takes_at_most
from tests.readers.back import assert_same_block, read_back, splitting

BOM = b"\xef\xbb\xbf"
NUMBERS = [
    *("1", "+1", "-1", "1.", ".5", "-.5", "1e5", "1E+05", "1.e-5", "00012", "-0", "0e999"),
    *("1e400", "-1e400", "1e-400", "4.9e-324", "2e-324", "1e" + "9" * 30, "9" * 400),
    *("0.1", "2.2250738585072011e-308", "9007199254740993", "0." + "0" * 400 + "1"),
    *("1.7976931348623159e308", "123456789.123456789", "nan", "NaN", "-nan", "+nan", "nan()"),
    *("nan(a_1)", "NAN(0x1)", "inf", "-Inf", "+INFINITY"),
]
NO_NUMBERS = [
    *("", ".", "-.", "1e", "1e+", "e5", "--1", "+-1", "1_000", "0x10", "0x1p3", "1d5", "1f", "1L"),
    *(" 1", "1 ", "\t1", "1\n", "\u00a01", "1\u2003", "\x1c1", "1\0", "\0", "\ufeff1"),
    *("\u0663", "\uff11", "\u00b2", "\u00bd", "\u22121"),  # digits and signs of other scripts
    *("1,5", "1.000,5", "1 000", "1'000", "$3", "5 %", "1.5.2", "infi", "nanx", "nan(", "nan(-)"),
    *("nan(\u00e9)", "\u0131nf", "\u0130nf", "\u0131nf\u0131n\u0131ty"),  # i without a dot
    *("NA", "n/a", "?", "-", "--", "null", "nA", "true", "False", "-true", "free offer"),
    *("2024-02-30", "31.01.2024 9:00", "Jan 5, 2024", "Z\u00fcrich"),
]
ODD = [*NUMBERS, *NO_NUMBERS, '"', '"x', 'a"b', "a\nb", "a\r\nb", "a\rb", ",", "\u2028", "\x0b"]
LONG = 140_000 * b"z"  # letters: more than Python's module reads in a cell by default

FILES = {
    "quotes": b'a,b,y\n"1","x, ""y""",p\n"2"3,q"r",p\n"", "z" ,q\n"a"b"c,"","q"\n',
    "line ends in cells": b'a,b,y\n1,"x\ny",p\n2,"x\r\n\r\nz",q\n3,"\r",p\n4,"\n",q\n',
    "CRLF": b"a,b,y\r\n1,x,p\r\n\r\n2,,q\r\n",
    "CR": b"a,b,y\r1,x,p\r\r2,,q\r",
    "mixed line ends": b"a,b,y\r\n1,x,p\n\r2,,q\r3,z,p",
    "a byte order mark": BOM + b"a,b,y\n1,x,p\n",
    "marks that are not at the start": b"a,y\n" + BOM + b"1,p\n" + BOM + b"2,q\n",
    "a mark before a quote": b"a,y\n" + BOM + b'"1\n",p\n2,q\n',
    "a mark before a blank line": b"a,y\n" + BOM + b"\n1,p\n2\n",
    "two marks": b"a,y\n" + BOM + BOM + b"1,p\n",
    "ragged rows": b'a,b,y\n1,2\n1,2 \t\r\n1,2,p\n\n1,2,3,4\r\n"x\ny"\n,\n,,\n,,,\n3,4,q',
    "quotes that are not closed": b'a,b,y\n1,"x,p\n2,"y",q\n3,"z",p\n4,"w\n',
    "empty cells": b"a,b,c,y\n,,,\n1,,,p\n,2,,q\n,,,p\n",
    "blank lines": b"\n\n,,\n\na,b,y\n\n\n1,2,p\n\n3,4,q\n\n",
    "spaces": b" a , b , y \n 1 , x , p \n2,  ,q\n\t3,y\t,  \n",
    "missing words": b"a,b,y\n1,NA,p\nnA,-,q\n?,none,p\n N/A ,x,?\nnan,NULL,null\n#N/A,n.a.,NaN\n",
    "not finite": b"a,b,y\n1,2,p\ninf,2,p\n1e400,2,p\n-Infinity,3,q\nnan,-nan,q\n",
    "NaN with a payload": b"a,y\nnan(1),p\n1,q\n",
    "underscores": b"a,b,y\n1_000,1,p\n2,1_0,q\n",
    "hex": b"a,y\n0x10,p\n0x1p3,q\n",
    "digits of other scripts": "a,b,y\n\u0663,\uff11,p\n1,2,q\n".encode(),
    "decimal commas": b"a;b;y\n1,5;1.000,5;p\n-2,25;3;q\n",
    "signs": b'a,b,y\n$3,5 %,p\n"1,000",1\'000,q\n-$2,+7%,p\n',
    "dates": b"a,b,y\n2024-02-30,31.01.2024 9:00,p\n2024-03-01T10:00:00Z,01.02.2024,q\n",
    "truth": b"a,y\ntrue,1\nFALSE,0\n-True,1\n1,0\n",
    "numbers as labels": b"a,y\n1,1\n2, 2\n3,-0\n4,NA\n5,x\n6,1e400\n",
    "weights": b"a,w,y\n1,2,p\n1,,q\n1,0,p\n1,-1,q\n1,inf,p\n1,x,q\n",
    "tabs": b'a\tb\ty\n1\tx, y\tp\n2\t"q\t"\tq\n',
    "no final line end": b'a,b,y\n1,x,p\n2,"y",q',
    "only a header": b"a,b,y\n",
    "zeros": b"a,y\n\0,p\n1\0,q\n",
    "invalid UTF-8": b'a,b,y\n1,Z\xfcrich,p\n\xff,x,q\n2,"a\n\xff",p\n3,x,\xfe\n4\xff\n5,y,q\n',
    "one column of text": b'text,y\nfree offer,p\n"Call, me",q\n,p\nZ\xc3\xbcrich,q\n' * 10,
    "one cell in a row": b'a\n1\n\n""\n2\n',
    "line ends of Unicode": "a,b,y\nx\u2028y,\x0b1,p\n\x851,\x1c,q\n".encode(),
    "long cells": b"a,b,y\n1,x,p\n2," + LONG + b',q\n3\n"' + LONG + b'",1,p\n',
}
READINGS = {
    "guessed": {},
    "learning": {"learning": True},
    "weights": {"weight": "w"},
    "categories": {"learning": True, "category": ("a",)},
    "text": {"text": ("b",)},
}


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("skip", [False, True])
def test_odd_files_are_read_as_with_pyarrow(file, reading, skip):
    for times in (1, 30):  # with enough rows, some may be unlike the others
        head, line_end, rows = FILES[file].partition(b"\n")
        with suppress(DataError):
            content = head + line_end + rows * times
            read_back(tables, content, skip=skip, format="csv", **READINGS[reading])


CELLS = st.sampled_from(ODD) | st.text(max_size=4) | st.floats().map(repr) | st.integers().map(str)
COLUMN = st.sampled_from(NUMBERS) | st.sampled_from(ODD)


@examples(
    100,
    1000,
    table=st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=8),
    again=st.integers(1, 12),
    separator=st.sampled_from(",;\t|"),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    quote=st.booleans(),
    reading=st.sampled_from(sorted(READINGS)),
)
def test_tables_are_read_as_with_pyarrow(table, again, separator, line_end, quote, reading):
    """Quoted properly, or not at all."""
    written = [
        separator.join('"' + cell.replace('"', '""') + '"' if quote else cell for cell in row)
        for row in [("a", "b", "y"), *table * again]
    ]
    content = (line_end.join(written) + line_end).encode(errors="surrogatepass")
    for skip in (False, True):
        with suppress(DataError):
            read_back(tables, content, skip=skip, format="csv", **READINGS[reading])


# --- columns --------------------------------------------------------------------------------------


def both(cells):
    """Return a column in both ways; an empty cell is none."""
    return ArrowCells(pa.array([cell or None for cell in cells], pa.string())), PlainCells(cells)


def same(arrays, others):
    for array, other in zip(arrays, others, strict=True):
        np.testing.assert_array_equal(array, other)


@pytest.mark.parametrize("cell", [*NUMBERS, *NO_NUMBERS])
def test_a_cell_is_a_number_for_both_or_for_none(cell):
    arrow, plain = (cells.floats() for cells in both(["2", "", cell]))
    assert (arrow is None) == (plain is None) == (cell in NO_NUMBERS and cell != "")
    if arrow is not None:
        assert repr(arrow.tolist()) == repr(plain.tolist())
        assert arrow.dtype == plain.dtype


@given(st.lists(COLUMN | CELLS | st.text("0123456789.+-eEnaif_( )x", max_size=8), max_size=6))
@example([])
@example(["", ""])
@example(["a", " a", "", "b", "a"])
@example(["\U0010fe80", "x", ""])
def test_columns_are_the_same(cells):
    with suppress(UnicodeEncodeError):  # half characters are in no file
        arrow, plain = both(cells)
        assert (len(arrow), arrow.null_count) == (len(plain), plain.null_count)
        one, other = arrow.floats(), plain.floats()
        assert (one is None) == (other is None)
        assert one is None or repr(one.tolist()) == repr(other.tolist())
        (codes, values), (others, strings) = arrow.distinct(), plain.distinct()
        assert (codes.tolist(), values) == (others.tolist(), strings)
        offsets, letters = arrow.letters()
        starts, plain_letters = plain.letters()
        np.testing.assert_array_equal(offsets - offsets[0], starts)
        assert bytes(letters)[offsets[0] : offsets[-1]] == bytes(plain_letters)
        assert list(arrow.matching(NO_UTF8)) == list(plain.matching(NO_UTF8))
        for words in (MISSING_LABELS, _ALL_MISSING):
            trimmed, stripped = arrow.without(words), plain.without(words)
            assert trimmed.null_count == stripped.null_count
            assert trimmed.distinct()[1] == stripped.distinct()[1]


def test_all_characters_that_are_spaces():
    cells = [chr(k) + "x" + chr(k) for k in range(0x2_0000) if not 0xD800 <= k < 0xE000]
    arrow, plain = both(cells)
    assert arrow.without([""]).distinct()[1] == plain.without([""]).distinct()[1]


def test_numbers_of_plain_columns_cannot_be_changed():
    """They are kept, and used again."""
    cells = PlainCells(["1", ""])
    assert cells.floats() is cells.floats()
    assert not cells.floats().flags.writeable


def test_long_cells_that_are_nearly_numbers_take_linear_time():
    content = b"a,y\n" + b"9" * 20_000 + b"x,p\n1,q\n"  # 7 seconds for each, once
    assert takes_at_most(1, lambda: read_back(tables, content, learning=True, format="csv"))


def test_the_limit_of_cells_is_as_it_was():
    import csv as python_csv

    before = python_csv.field_size_limit()
    found = plain_cells.split(b"a," + b"x" * (before + 1) + b"\n1\n", ",", 2, [1])
    assert (found.rows, found.odd) == (1, [(1, 1, "1")])
    assert python_csv.field_size_limit() == before


# --- which of the two -----------------------------------------------------------------------------


@pytest.fixture
def fresh(monkeypatch):
    """As in a process that has read nothing."""
    monkeypatch.setattr(csv, "_read_plainly", 0)


@pytest.fixture
def no_pyarrow(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("fresh")
def test_small_files_are_read_without_pyarrow():
    assert csv._splitter(csv.SMALL // 2) is plain_cells
    assert csv._splitter(csv.SMALL) is arrow_cells
    assert csv._splitter(csv.SMALL // 2 - 1) is plain_cells
    assert csv._splitter(100) is arrow_cells  # many of them are a large file


@pytest.mark.usefixtures("fresh")
def test_a_full_block_may_not_be_all(monkeypatch):
    monkeypatch.setattr(csv, "_BLOCK", 1000)
    assert csv._splitter(1000 - len(BOM)) is arrow_cells
    assert csv._splitter(999 - len(BOM)) is plain_cells


def read_all(path, **options):
    reader = Reader([path], Reading(dtype="float64", **options))
    return list(reader), reader


@pytest.mark.parametrize("packed", [False, True])
def test_large_files_can_be_read_without_pyarrow(tmp_path, packed, monkeypatch, request):
    monkeypatch.setattr(csv, "_BLOCK", 1 << 14)
    rows = b"".join(
        b'%d,"x,%d",2024-01-%02d,%d\n' % (k, k % 3, k % 28 + 1, k % 2) for k in range(3000)
    )
    content = b"a,b,c,y\n" + rows  # fmt: skip
    path = tmp_path / ("x.csv.gz" if packed else "x.csv")
    path.write_bytes(gzip.compress(content) if packed else content)
    with splitting(arrow_cells):
        expected, _ = read_all(path, learning=True)
    request.getfixturevalue("no_pyarrow")
    found, _ = read_all(path, learning=True)
    assert len(found) > 3
    for one, other in zip(expected, found, strict=True):
        assert_same_block(one, other)


@pytest.mark.usefixtures("no_pyarrow")
@pytest.mark.parametrize(
    ("name", "start", "what"),
    [
        ("x.parquet", b"PAR1", "Parquet"),
        ("x.arrow", b"ARROW1\0\0", "Arrow"),
        ("x.csv.zst", b"\x28\xb5\x2f\xfd" + b"\0" * 8, "zstd archives"),
    ],
)
def test_what_needs_pyarrow_says_so(tmp_path, name, start, what):
    (tmp_path / name).write_bytes(start)
    message = rf"reading {what} needs pyarrow: pip install 'rosenblatt\[data\]'"
    with pytest.raises(ModuleNotFoundError, match=message):
        read_all(tmp_path / name)
