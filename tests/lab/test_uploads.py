"""CSV text as points: what is found, what is left out, and what is refused, with its line."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.lab.plane.points import as_points
from rosenblatt.lab.plane.uploads import LONGEST, uploaded
from rosenblatt.lab.worker import _json
from tests.conftest import first_quick, takes_at_most

PLAIN = "a,b,kind\n1,2,red\n3,4.5,blue\n-5,6e1,red\n"


def test_a_plain_file():
    told = uploaded(PLAIN)
    assert told["points"] == [[1, 2, 1], [3, 4.5, 0], [-5, 60, 1]]
    assert told["classes"] == ["blue", "red"]
    assert told["names"] == ["a", "b"]
    assert told["columns"] == {
        "numeric": ["a", "b"],
        "label": ["a", "b", "kind"],
        "chosen": ["a", "b", "kind"],
    }
    assert told["note"] == "3 points."
    as_points(told["points"], told["classes"], least=2)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_ends_of_lines(separator, end):
    text = PLAIN.replace(",", separator).replace("\n", end)
    assert uploaded(text) == uploaded(PLAIN)
    assert uploaded("\ufeff" + text) == uploaded(PLAIN)


def test_without_names():
    told = uploaded("1,2,red\n3,4,blue\n")
    assert told["names"] == ["column 1", "column 2"]
    assert told["columns"]["chosen"][2] == "column 3"


def test_quotes_hold_separators_and_lines():
    told = uploaded('x,y,label\n"1","2","a, b"\n3,4,"two\nlines"\n')
    assert told["classes"] == ["a, b", "two\nlines"]


def test_numbers_as_labels_are_sorted_as_numbers():
    assert uploaded("x,y,class\n1,2,10\n3,4,9\n5,6,-1\n")["classes"] == ["-1", "9", "10"]
    assert uploaded("x,y,class\n1,2,1.0\n3,4,0\n")["classes"] == ["0", "1"]
    assert uploaded("x,y,class\n1,2,0.5\n3,4,0\n")["classes"] == ["0", "0.5"]


@pytest.mark.parametrize(
    ("header", "chosen"),
    [
        ("class,u,v", ["u", "v", "class"]),
        ("u,target,v", ["u", "v", "target"]),
        ("u,v,Species ", ["u", "v", "Species"]),
        ("u,v,w", ["u", "v", "w"]),  # the last
        ("y,u,v", ["u", "v", "y"]),
        ("x,y,c", ["x", "y", "c"]),
        ("x,Y,kind", ["x", "Y", "kind"]),
    ],
)
def test_the_label_is_found(header, chosen):
    assert uploaded(f"{header}\n1,2,0\n3,4,1\n")["columns"]["chosen"] == chosen


def test_the_only_column_of_words_is_the_label():
    assert uploaded("u,v,w\na,2,0\nb,4,1\n")["columns"]["chosen"] == ["v", "w", "u"]
    assert uploaded("y,v,w\n1,2,a\n3,4,b\n")["columns"]["chosen"] == ["y", "v", "w"]


def test_columns_can_be_chosen():
    text = "a,b,c,kind\n1,2,3,red\n4,5,6,blue\n"
    told = uploaded(text, ["c", "a", "kind"])
    assert told["points"] == [[3, 1, 1], [6, 4, 0]]
    assert told["names"] == ["c", "a"]
    assert uploaded(text, ["a", "b", "c"])["classes"] == ["3", "6"]


def test_two_columns_of_one_name():
    told = uploaded("a,a,,kind\n1,2,3,x\n4,5,6,y\n")
    assert told["columns"]["numeric"] == ["a", "a (column 2)", "column 3"]


def test_decimals_with_a_comma_between_semicolons():
    told = uploaded("a;b;kind\n1,5;-2,25;x\n3;,5e1;y\n")
    assert told["points"] == [[1.5, -2.25, 0], [3, 5, 1]]


def test_rows_with_gaps_are_left_out_and_counted():
    told = uploaded("a,b,kind\n1,2,x\n3,,x\n\nNA,5,y\n6,7,?\n8,9,y\n")
    assert told["points"] == [[1, 2, 0], [8, 9, 1]]
    assert told["note"] == "2 points; 3 rows left out, as a value is missing (line 3 first)."


def test_many_rows_are_picked_evenly():
    text = "a,b,kind\n" + "".join(f"{k},{k % 7},{k % 3}\n" for k in range(12_000))
    told = uploaded(text)
    assert len(told["points"]) == 5_000
    assert told["points"][0][0] == 0
    assert told["points"][-1][0] == 11_999
    assert told["note"] == "5,000 of 12,000 rows, evenly picked."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "CSV text is needed"),
        (3, "CSV text is needed"),
        ("", "the file is empty"),
        ("\n \n,,\n", "the file is empty"),
        ("a,b,c\n", "no rows below the names"),
        ("1,2\n3,4\n", "the first row has 2 cells; two columns of numbers and one of labels"),
        ("1\n2\n", "the first row has 1 cell"),
        ("a,b,kind\n1,2,x\n3,4\n", "line 3 has 2 cells, and the first row has 3"),
        ('a,b,kind\n1,2,"x\n3,4,y\n', "not CSV .*a quote that is not closed"),
        ("a,b,kind\n1,oops,x\n3,4,y\n", "column 'b' has 'oops' in line 2, which is not a number"),
        ('a,b,kind\n1,"2,5",x\n3,4,y\n', "in line 2, .* write 1.5 and not 1,5"),
        (
            "a,b,kind\n1,inf,x\n3,4,y\n",
            "'inf' in line 2, which is not a number up to 1,000,000,000",
        ),
        ("a,b,kind\n1,1_0,x\n3,4,y\n", "'1_0' in line 2"),
        ("a,b,kind\n,,x\n,,y\n", "two columns of numbers are needed .* are none"),
        ("a,b,kind\n" + "".join(f"{k},{k},{k}\n" for k in range(9)), "'kind' has 9 different"),
        ("a,b,kind\n1,,x\n,2,y\n", "in every row 'a', 'b' or 'kind' is missing"),
        (f"a,b,kind\n1,2,{'x' * 61}\n3,4,y\n", "longer than 60 letters"),
        (",".join(["1"] * 201), "201 columns, and the lab takes up to 200"),
        ("1,2,3\n" * (LONGEST // 6 + 1), "letters, and the lab takes up to 2,000,000"),
    ],
)
def test_what_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        uploaded(text)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ([], "three different names"),
        ("abk", "three different names"),
        (["a", "b"], "three different names"),
        (["a", "a", "kind"], "three different names"),
        (["a", "b", 3], "three different names"),
        (["a", "z", "kind"], "no column 'z'; there are 'a', 'b' and 'kind'"),
        (["a", "kind", "b"], "column 'kind' has 'red' in line 2, which is not a number"),
    ],
)
def test_bad_columns(columns, says):
    with pytest.raises(ValueError, match=says):
        uploaded(PLAIN, columns)


piece = st.one_of(
    st.sampled_from([",", ";", "\t", "\n", "\r", '"', "1", "2.5", "-3", "NA", "a", "class", "nan"]),
    st.sampled_from(["\x00", "\ufeff", "\u2028", "\ud800", "1e999", "9" * 400, "'", " ", "="]),
    st.text(max_size=3),
)


@given(st.lists(piece, max_size=60).map("".join))
@example("1,2,a\r3,4,b")
@example('"')
@example("\x00,\x00,\x00\n1,2,3")
def test_any_text_gives_points_or_a_reason(text):
    try:
        told = uploaded(text)
    except ValueError:
        return
    _json(told)
    points = as_points(told["points"], told["classes"])
    assert len(points.y) > 0


@pytest.mark.parametrize(
    "text",
    first_quick(
        [
            "\n" * LONGEST,
            "," * LONGEST,
            '"' * LONGEST,
            "1,2,3\n" * (LONGEST // 6),
            "a,b,c\n" + '1,2,"x' * (LONGEST // 8),
            "\t;," * (LONGEST // 3),
            "a,b,c\n" + "9" * (LONGEST - 6),
            (",".join(["1"] * 199) + ",x\n") * (LONGEST // 400),
        ],
        3,
    ),
    ids=["lines", "commas", "quotes", "rows", "open", "mixed", "digits", "wide"],
)
def test_the_largest_text_takes_a_moment(text):
    def upload():
        with suppress(ValueError):
            uploaded(text)

    assert takes_at_most(10, upload, tries=3)
