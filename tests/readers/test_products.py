"""Products of features: the loops, one row in Python and the reference agree, and Vowpal Wabbit."""

import re

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from rosenblatt.data.rows import Sparse
from rosenblatt.kernels.text import products as loops
from rosenblatt.readers import vw
from rosenblatt.readers.blocks import DataError, ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.interactions import MOST_PARTS, MOST_PRODUCTS, parsed
from rosenblatt.readers.names import Hashed, Kept, Numbered
from rosenblatt.readers.products import Products, TooManyProductsError
from rosenblatt.readers.reader import Reader
from rosenblatt.readers.row_products import RowProducts
from rosenblatt.reference import product_hash, products
from tests.conftest import examples
from tests.readers.plain import Bytes

KEYS = ("a", "ab", "b", "é", "7", "a.b", "n^a", "n^b", "m")
AFTER = ("", "=x", "=y^z", "[0]", ".c", "^d", "=€")
NAMES = st.builds(lambda key, rest: key + rest, st.sampled_from(KEYS), st.sampled_from(AFTER))
VALUES = st.one_of(st.just(1.0), st.floats(-1e6, 1e6, width=32), st.just(0.0))
ROWS = st.lists(st.dictionaries(NAMES, VALUES, max_size=6), max_size=5)
PARTS = st.lists(st.sampled_from((*KEYS, "n", "", "x")), min_size=2, max_size=4).filter(any)
INTERACTIONS = st.lists(st.one_of(PARTS.map("*".join), st.just("*")), min_size=1, max_size=3)


def rows_by_loops(made, rows, dtype):
    """Return rows with their products, from a block of them."""
    columns = [made.columns(list(row)) for row in rows]
    indptr = np.cumsum([0, *map(len, columns)])
    values = np.array([value for row in rows for value in row.values()], dtype)
    block = made.rows(Sparse(indptr, np.concatenate([np.empty(0, int), *columns]), values))
    return [
        (block.indices[start:stop].tolist(), block.values[start:stop].tolist())
        for start, stop in zip(block.indptr[:-1], block.indptr[1:], strict=True)
    ]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("bits", "by_row"), [(None, False), (18, False), (5, False), (18, True)])
@examples(15, 300, rows=ROWS, interactions=INTERACTIONS)
def test_loops_python_and_the_reference_agree(rows, interactions, bits, by_row, dtype):
    try:
        factors = parsed(interactions)
    except ValueError:
        assume(False)
    names = Kept(2, 4) if bits is None else Hashed(bits)  # so that there is soon no space left
    hashed = Hashed(bits or 18)

    def order(name):
        return 0 if by_row else name if bits is None else int(hashed.columns([name])[0])

    found = rows_by_loops(Products(interactions, names, by_row=by_row), rows, dtype)
    one = RowProducts(Products(interactions, names, by_row=by_row))
    for row, (columns, values) in zip(rows, found, strict=True):
        own, numbers = list(row), list(row.values())
        wanted = [((name,), value) for name, value in row.items()]
        for parts in factors:
            wanted += products(own, numbers, parts, dtype, order)
        if bits is None:
            assert [names.name(c) for c in columns] == ["*".join(part) for part, _ in wanted]
        else:
            hashes = [names.columns(part).tolist() for part, _ in wanted]
            assert columns == [product_hash(each, bits) for each in hashes]
        assert values == [value for _, value in wanted]
        single = one.row(own, numbers, np.dtype(dtype))
        assert (single.indices.tolist(), single.values.tolist()) == (columns, values)
        assert single.values.dtype == dtype


@examples(15, 200, rows=ROWS, interactions=INTERACTIONS)
def test_products_that_are_remembered_are_the_same(rows, interactions):
    try:
        parsed(interactions)
    except ValueError:
        assume(False)
    names, alike = Kept(2, 4), Kept()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops, "KNOWN", 4)  # so that most of them have the same place
        made = Products(interactions, names)
    for again in rows, rows[::-1], rows:
        wanted = rows_by_loops(Products(interactions, alike), again, "float64")
        assert rows_by_loops(made, again, "float64") == wanted
    assert names.arrays()["letters"].tolist() == alike.arrays()["letters"].tolist()


def test_products_that_names_have_forgotten_are_not_remembered():
    names = Kept()
    made = Products(["a*b"], names)
    row = {"a=1": 1.0, "b=1": 1.0}
    (first,) = rows_by_loops(made, [row], "float64")
    names.forget(2)
    names.columns(["a=2"])  # which has the number that the product had
    for frozen, wanted in ((True, [0, 1]), (False, [0, 1, 3]), (True, [0, 1, 3])):
        names.frozen = frozen
        assert rows_by_loops(made, [row], "float64")[0][0] == wanted
    assert (first[0], names.name(3)) == ([0, 1, 2], "a=1*b=1")


def test_frozen_names_leave_out_products_that_they_do_not_know():
    names = Kept()
    known = {"a=1": 1.0, "b=1": 1.0}
    made = Products(["a*b"], names)
    rows_by_loops(made, [known, {"a=2": 1.0}, {"b=2": 2.0}], "float64")
    assert names.size == 5
    names.frozen = True
    rows = [known, {"a=2": 1.0, "b=2": 3.0}, {"a=1": 1.0, "b=3": 1.0}, {"b=1": 2.0, "a=1": 1.0}]
    for found in (
        rows_by_loops(made, rows, "float64"),
        [
            (each.indices.tolist(), each.values.tolist())
            for row in rows
            for each in [RowProducts(made).row(list(row), list(row.values()), np.dtype(float))]
        ],
    ):
        assert [[names.name(c) for c in columns] for columns, _ in found] == [
            ["a=1", "b=1", "a=1*b=1"],
            ["a=2", "b=2"],
            ["a=1"],
            ["b=1", "a=1", "a=1*b=1"],
        ]
        assert found[3][1] == [2.0, 1.0, 2.0]
    assert names.size == 5


def test_a_column_whose_name_begins_like_another_is_its_own():
    columns = [
        "petal",
        "petal.length",
        "petal.length.mm",
        "sepal",
        *(f"petal.{k}" for k in range(99)),
    ]
    names = ["petal", "petal.length", "petal.length.mm", "sepal", "petal.98"]
    for known, wanted in (
        (columns, ["petal*sepal"]),
        ((), [f"{name}*sepal" for name in names if name != "sepal"]),
    ):
        kept = Kept()
        made = Products(["petal*sepal"], kept, known)
        ((found, _),) = rows_by_loops(made, [dict.fromkeys(names, 2.0)], "float64")
        assert [kept.name(column) for column in found][5:] == wanted
        other = Products(["petal.length*sepal"], kept, known)
        ((found, _),) = rows_by_loops(other, [dict.fromkeys(names, 2.0)], "float64")
        more = [] if known else ["petal.length.mm*sepal"]
        assert [kept.name(c) for c in found][5:] == ["petal.length*sepal", *more]
    assert Products(["*"], Kept(), columns).seen == set()


def test_what_is_no_interaction():
    for wrong, said in (
        (["a"], "has one part"),
        ([""], "has one part"),
        (["**"], "names no feature"),
        (["a*b*c*d*e"], "has 5 parts"),
        (["a*b", "b*a"], r"'a\*b' and 'b\*a' make the same products"),
        (["*", "*"], "make the same products"),
        (["m*n", "*"], r"'m\*n' and '\*' make the same products"),
        (["a*b", "b*a.x"], "make the same products"),
        (["a*b", "a*"], "make the same products"),
        ([f"a{k}*b{k}" for k in range(16)], f"more than {MOST_PARTS} different parts"),
    ):
        with pytest.raises(ValueError, match=said):
            parsed(wrong)
    with pytest.raises(ValueError, match="these are numbered"):
        Products(["1*2"], Numbered())


def test_a_row_with_too_many_products_is_named():
    wide = {f"a={k}": 1.0 for k in range(362)}  # 65,703 pairs
    for row, many in ((wide, True), (dict([*wide.items()][:361]), False)):
        made = Products(["a*a"], Hashed(20))
        if many:
            with pytest.raises(TooManyProductsError, match="65,703 products") as caught:
                rows_by_loops(made, [{"a": 1.0}, row], "float64")
            assert caught.value.row == 1
            with pytest.raises(TooManyProductsError):
                RowProducts(made).row(list(row), list(row.values()), np.dtype(float))
        else:
            assert len(rows_by_loops(made, [row], "float64")[0][0]) == 361 + 361 * 362 // 2
    four = Products(["a*a*a*a"], Hashed(20))
    with pytest.raises(TooManyProductsError):
        rows_by_loops(four, [{f"a={k}": 1.0 for k in range(100_000)}], "float64")
    text = b"1 |a x\n1 |a " + b" ".join(b"f%d" % k for k in range(400)) + b"\n"
    reading = Reading(interactions=("a*a",))
    with pytest.raises(DataError, match=r"^f:2: the interactions make 80,200 products"):
        list(vw.blocks(Bytes(text), "f", reading, Hashed(18), ErrorLog()))
    assert MOST_PRODUCTS == 65_536


def test_a_product_that_is_too_large_is_an_error_of_its_line():
    text = b"1 |a x:1e30 |b y:1e3\n-1 |a x:1e30 |b y:1e30\n1 |a x |b y\n"
    reading = Reading(interactions=("a*b",))
    with pytest.raises(DataError, match=r"^f:2: a product of features is too large for float32"):
        list(vw.blocks(Bytes(text), "f", reading, Kept(), ErrorLog()))
    errors = ErrorLog(skip=True)
    (block,) = vw.blocks(Bytes(text), "f", reading, Kept(), errors)
    assert errors.count == 1
    assert (block.lines.tolist(), block.labels.tolist()) == ([1, 3], [1.0, 1.0])
    assert block.rows.indptr.tolist() == [0, 3, 6]


VW_LINES = """1 |user a:2 b:3 |ad c:5 d 17
-1 2 'tag|ad c d:7 e 18 |user a 5
1 | x y:2 |user b city=Oslo é
-1 |user:2 a b:0.5 |ad z |ctx q:3 r
1 |user city:Oslo 7:x :2 |ad:3 at:home :0.5 :v |ctx r
"""
VW_CHOICES = [
    ("-q ua", ["user*ad"]),
    ("-q au", ["ad*user"]),
    ("-q uu", ["user*user"]),
    ("--interactions uau", ["user*ad*user"]),
    ("--cubic uac", ["user*ad*ctx"]),
    ("-q ua -q cu --interactions aauu", ["user*ad", "ctx*user", "ad*ad*user*user"]),
]


# What `vw --invert_hash` wrote for the first line.
@pytest.mark.parametrize(
    ("interaction", "wanted"),
    [
        ("user*ad", {"user^a*ad^c": 38440, "user^a*ad^d": 223529, "user^b*ad^c": 156633}),
        ("ad*user", {"ad^c*user^a": 217616, "ad^d*user^a": 245379, "ad^d*user^b": 95032}),
        ("user*user", {"user^a*user^a": 104002, "user^a*user^b": 220153, "user^b*user^b": 110088}),
        ("user*ad*user", {"ad^c*user^a*user^b": 105004, "ad^d*user^a*user^a": 102558}),
        ("user*user*user", {"user^a*user^a*user^b": 15610, "user^b*user^b*user^b": 213892}),
    ],
)
def test_hashes_are_those_of_vowpal_wabbit(interaction, wanted):
    text = b"1 |user a:2 b:3 |ad c:5 d\n"
    reading = Reading(interactions=(interaction,))
    names = Kept()
    (kept,) = vw.blocks(Bytes(text), "f", reading, names, ErrorLog())
    (hashed,) = vw.blocks(Bytes(text), "f", reading, Hashed(18), ErrorLog())
    found = dict(
        zip(map(names.name, kept.rows.indices.tolist()), hashed.rows.indices.tolist(), strict=True)
    )
    assert {name: found[name] for name in wanted} == wanted
    np.testing.assert_array_equal(kept.rows.values, hashed.rows.values)


def test_words_that_are_values_are_hashed_as_without_products():
    text = b"1 |user city:Oslo :2 a |ad id17 at:home\n1 |caret^s b:c d :1 |ad x\n"
    plain, multiplied = (
        next(vw.blocks(Bytes(text), "f", reading, Hashed(18), ErrorLog())).rows
        for reading in (Reading(), Reading(interactions=("user*ad",)))
    )
    first, second = plain.indptr[1:].tolist()
    assert multiplied.indptr.tolist() == [0, first + 6, second + 6]
    assert multiplied.indices[:first].tolist() == plain.indices[:first].tolist()
    assert multiplied.indices[first + 6 :].tolist() == plain.indices[first:].tolist()
    # What `vw --invert_hash` wrote.
    assert {76788, 165975} < {*plain.indices.tolist()}
    assert 178507 in multiplied.indices[first : first + 6].tolist()


@pytest.mark.parametrize(("options", "interactions"), VW_CHOICES)
def test_vowpal_wabbit_multiplies_the_same(options, interactions, tmp_path):
    theirs = pytest.importorskip("vowpalwabbit")
    (tmp_path / "d.vw").write_text(VW_LINES, "utf-8")
    inverted = tmp_path / "inverted"
    space = theirs.Workspace(
        f"-d {tmp_path / 'd.vw'} --noconstant -b 20 --quiet --invert_hash {inverted} {options}"
    )
    space.finish()
    lines = re.findall(r"^(\S+):(\d+):[-\d.e]+", inverted.read_text("utf-8"), re.MULTILINE)
    wanted = {int(column) for name, column in lines if "^" in name or name in "xy"}
    (block,) = Reader([tmp_path / "d.vw"], Reading(interactions=tuple(interactions)), bits=20)
    assert {*block.rows.indices.tolist()} == wanted


def test_n_grams_are_multiplied_if_they_have_names():
    text, names = b"1 |a x y |b z\n", Kept()
    reading = Reading(interactions=("a*b",), ngrams=2)
    (block,) = vw.blocks(Bytes(text), "f", reading, names, ErrorLog())
    found = [names.name(column) for column in block.rows.indices.tolist()]
    assert found[-3:] == ["a^x*b^z", "a^y*b^z", "a^x^y*b^z"]
    with pytest.raises(DataError, match="f: --ngrams and --interactions together need names"):
        list(vw.blocks(Bytes(text), "f", reading, Hashed(18), ErrorLog()))


def test_a_model_file_with_interactions_that_make_no_sense(tmp_path):
    with pytest.raises(ValueError, match="interactions="):
        Reading.from_header({"interactions": ["a"]})
    with pytest.raises(ValueError, match="interactions="):
        Reading.from_header({"interactions": [1, 2]})
    assert Reading.from_header({"interactions": ["a*b"]}).interactions == ("a*b",)
    assert "interactions" not in Reading().header()
