"""The language of templates: what each form means, and where a wrong one is wrong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.tagging.templates import (
    MOST_AWAY,
    MOST_PARTS,
    NAMES,
    Part,
    Template,
    Value,
    check_columns,
    check_lists,
    parse,
    templates_for,
)
from tests.conftest import examples

WORD = Value("word", None)


def written(templates):
    return [str(template) for template in parse(templates)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word", ["word"]),
        ("word[0]", ["word"]),
        ("word[-0]", ["word"]),
        ("word[+0]", ["word"]),
        ("word[-1]", ["word[-1]"]),
        ("word[1]", ["word[+1]"]),
        ("word[+1]", ["word[+1]"]),
        (" word [ -1 ] ", ["word[-1]"]),
        ("word[-2..2]", ["word[-2]", "word[-1]", "word", "word[+1]", "word[+2]"]),
        ("word[ -1 .. +1 ]", ["word[-1]", "word", "word[+1]"]),
        ("word[2..2]", ["word[+2]"]),
        ("lower(word)", ["lower(word)"]),
        ("shape( word )[-1]", ["shape(word)[-1]"]),
        ("prefix(word, 1..3)", ["prefix(word, 1)", "prefix(word, 2)", "prefix(word, 3)"]),
        ("prefix(word,+2)", ["prefix(word, 2)"]),
        ("suffix(lower(word), 3)", ["suffix(lower(word), 3)"]),
        ("shape(suffix(lower(pos), 2))", ["shape(suffix(lower(pos), 2))"]),
        ("word[0] & pos[-1]", ["word & pos[-1]"]),
        ("word&pos&word[1]", ["word & pos & word[+1]"]),
        (
            "pos[-2..1] & pos[-1..2]",
            ["pos[-2] & pos[-1]", "pos[-1] & pos", "pos & pos[+1]", "pos[+1] & pos[+2]"],
        ),
        (
            "word & pos[-1..1] & pos[0..2]",
            ["word & pos[-1] & pos", "word & pos & pos[+1]", "word & pos[+1] & pos[+2]"],
        ),
        (
            "prefix(word, 1..2) & pos[-1..0]",
            ["prefix(word, 1) & pos[-1]", "prefix(word, 2) & pos"],
        ),
        (
            "suffix(word, 1..2)[-1..0]",
            ["suffix(word, 1)[-1]", "suffix(word, 1)", "suffix(word, 2)[-1]", "suffix(word, 2)"],
        ),
        (
            "prefix(suffix(word, 4..5), 1..2)",
            [f"prefix(suffix(word, {a}), {b})" for a in (4, 5) for b in (1, 2)],
        ),
        ("in(word, cities)", ["in(word, cities)"]),
        ("in(lower(word), a)[-1..0]", ["in(lower(word), a)[-1]", "in(lower(word), a)"]),
        ("in(prefix(word, 2..3), my-list)", [f"in(prefix(word, {k}), my-list)" for k in (2, 3)]),
        ("bias", ["bias"]),
        ("bias & word", ["word"]),
        ("word & bias & pos", ["word & pos"]),
        ("bias & bias", ["bias"]),
        ("word; pos", ["word", "pos"]),
        ("word\npos\r\n\n;; shape(word)", ["word", "pos", "shape(word)"]),
        ("word # and ; so & on (\n# nothing\npos", ["word", "pos"]),
        (["word", "pos; shape(word)", "lower(word)\nbias"],
         ["word", "pos", "shape(word)", "lower(word)", "bias"]),
        (["word # one", "pos"], ["word", "pos"]),
        (("word", "pos"), ["word", "pos"]),
        ((t for t in ("word", "pos")), ["word", "pos"]),
        ("word; word[0]; word[-1..0]", ["word", "word[-1]"]),
        (f"word[-{MOST_AWAY}]", [f"word[-{MOST_AWAY}]"]),
        # Columns may be called much.
        ("lower", ["lower"]),
        ("in[-1] & prefix", ["in[-1] & prefix"]),
        ("lower(lower)", ["lower(lower)"]),
        ("in(in, in)", ["in(in, in)"]),
        ("column3[-1..0]", ["column3[-1]", "column3"]),
        ("word-2[1]", ["word-2[+1]"]),
        ("_x & Größe & слово & 単語", ["_x & Größe & слово & 単語"]),
        ("biased", ["biased"]),
    ],
)  # fmt: skip
def test_what_templates_mean(text, expected):
    assert written(text) == expected


def test_parts_and_values():
    (template,) = parse("suffix(lower(word), 3)[-2] & in(pos, tags)")
    lower = Value("lower", WORD)
    assert template == Template(
        (Part(Value("suffix", lower, 3), -2), Part(Value("in", Value("pos", None), "tags"), 0))
    )
    assert [part.value.column for part in template.parts] == ["word", "pos"]
    assert parse("bias") == [Template(())]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no templates; the least would be 'word'"),
        ("# word", "there are no templates"),
        ([], "there are no templates"),
        (None, "templates must be a text or a list of texts, got None"),
        (5, "templates must be a text or a list of texts, got 5"),
        (["word", 5], "a template must be a text, such as 'word[-1]'; got 5"),
        (b"word", "a template must be a text"),
        ("word[", "template 'word[', at character 6: expected a place such as -1 or -2..2"),
        ("word[-1", "template 'word[-1', at character 8: expected ']'"),
        ("word[x]", "at character 6: expected a place such as -1 or -2..2"),
        ("word[1..]", "at character 9: expected the end of the range"),
        ("word[..1]", "at character 6: expected a place"),
        ("word[1.5]", "at character 7: cannot read '.5]'"),
        ("word[1...2]", "at character 9: cannot read '.2]'"),
        ("word[- 1]", "at character 6: cannot read '- 1]'"),
        ("word[2..1]", "at character 9: a range must rise, 2..1 does not"),
        ("word[-1001]", "a place must be at most 1,000 tokens away"),
        ("word[999..1001]", "a place must be at most 1,000 tokens away"),
        ("word[-1001..1000]", "-1001..1000 is too long a range"),
        ("word pos", "template 'word pos', at character 6: expected '&', a place"),
        ("word &", "at character 7: expected a column or a function"),
        ("& word", "at character 1: expected a column or a function"),
        ("word, pos", "at character 5: expected '&', a place such as [-1], or the end; templates "
                      "are separated by ';' or line ends"),
        ("word[1][2]", "at character 8: expected '&'"),
        ("[1]", "at character 1: expected a column or a function"),
        ("1word", "at character 1: expected a column or a function"),
        ("word = the", "at character 5: cannot read '= the'"),
        ('word["x"]', "at character 6: cannot read"),
        ("lower()", "at character 7: expected a column or a function"),
        ("lower(word", "at character 11: expected ')'"),
        ("lower(word))", "at character 12: expected '&'"),
        ("lower(word, 2)", "at character 11: expected ')'"),
        ("lower(word[-1])", "at character 11: expected ')'"),
        ("lower(word & pos)", "at character 12: expected ')'"),
        ("prefix(word)", "at character 12: expected ',' and a number of letters, such as "
                         "prefix(word, 3)"),
        ("suffix(lower(word))[-1]", "such as suffix(lower(word), 3)"),
        ("prefix(word, )", "at character 14: expected a number of letters such as 3 or 1..4"),
        ("prefix(word, x)", "at character 14: expected a number of letters"),
        ("prefix(word, 0)", "at character 14: a number of letters must be 1 to 1,000"),
        ("suffix(word, -1..2)", "at character 14: a number of letters must be 1 to 1,000"),
        ("suffix(word, 3..2)", "at character 17: a range must rise, 3..2 does not"),
        ("prefix(word, 1..9999)", "1..9999 is too long a range"),
        ("in(word)", "at character 8: expected ',' and the name of a list, such as "
                     "in(word, cities)"),
        ("in(word, 5)", "at character 10: expected the name of a list"),
        ("in(word, a, b)", "at character 11: expected ')'"),
        ("lower(in(word, cities))", "'in' goes around other functions, and not into them"),
        ("in(in(word, a), b)", "'in' goes around other functions"),
        ("lwoer(word)", "at character 1: 'lwoer' is not one of lower, shape, prefix, suffix, in; "
                        "did you mean 'lower'?"),
        ("word & suffixes(x, 2)", "at character 8: 'suffixes' is not one of lower, shape, prefix, "
                                  "suffix, in; did you mean 'suffix'?"),
        ("zzz(word)", "at character 1: 'zzz' is not one of lower, shape, prefix, suffix, in"),
        ("bias[1]", "at character 5: 'bias' is the same at every place"),
        ("word[-1..1] & pos[0..1]", "ranges that run side by side must be of one length"),
        ("word[-1..1] & prefix(word, 1..2)", "ranges that run side by side must be of one length"),
        ("word; pos[; shape(word)", "template 'pos[', at character 5"),
        (["word", "  pos[ # here"], "template 'pos[', at character 5"),
        (" & ".join(["word"] * (MOST_PARTS + 1)), "17 parts are too many; the most is 16"),
        ("lower(" * 5_000 + "word" + ")" * 5_000, "functions in each other are too many"),
        ("prefix(prefix(prefix(x, 1..900), 1..900), 1..900)", "templates, which are too many"),
        ("prefix(word, 99999999999999999999)", "at character 14: 999999999… is too large"),
        ("prefix(word, 1001)", "at character 14: a number of letters must be 1 to 1,000"),
        ("word[-9999999999]", "at character 6: -99999999… is too large"),
        ("prefix(word, 1..900)[-1000..1000]", "make 1,800,900 templates, which are too many"),
        ("word\u0000", "cannot read"),
        ("# Unigram\nU00:%x[-2,0]\nB", "template 'U00:%x[-2,0]' is one of CRF++; write word[-2]"),
        ("U05:%x[-1,0]/%x[0,0]", "is one of CRF++; write word[-1] & word"),
        ("U22:%x[0,1]/%x[ +1, 1 ]/%x[2,2]", "write pos & pos[+1] & column3[+2]"),
        ("%x[99999,0]", "at character 1: cannot read '%x[99999,0'"),
    ],
)  # fmt: skip
def test_errors_say_where(text, message):
    with pytest.raises(ValueError, match=r".") as error:
        parse(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


values = st.recursive(
    st.sampled_from(["word", "pos", "lower", "x-1"]).map(lambda name: Value(name, None)),
    lambda inner: st.one_of(
        st.builds(Value, st.sampled_from(["lower", "shape"]), inner, st.none()),
        st.builds(Value, st.sampled_from(["prefix", "suffix"]), inner, st.integers(1, 9)),
    ),
    max_leaves=3,
)
whole_values = st.one_of(values, st.builds(Value, st.just("in"), values, st.just("cities")))
some_templates = st.lists(
    st.lists(st.builds(Part, whole_values, st.integers(-9, 9)), max_size=4).map(
        lambda parts: Template(tuple(parts))
    ),
    min_size=1,
    unique=True,
)


@examples(quick=30, full=100, templates=some_templates)
def test_what_is_written_is_read_again(templates):
    assert parse(map(str, templates)) == templates
    assert parse("\n".join(map(str, templates))) == templates
    assert parse("; ".join(map(str, templates))) == templates


@given(st.text(alphabet="word pos[]().,&-+0123#;\n", max_size=30))
def test_anything_else_is_a_value_error(text):
    try:
        found = parse(text)
    except ValueError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - it may also be read
    else:
        assert parse(map(str, found)) == found


def test_columns_that_are_not_there():
    check_columns(parse("word & pos[-1]; bias"), ["word", "pos"])
    with pytest.raises(ValueError, match="needs a column 'ops', and there are word, pos") as error:
        check_columns(parse("word & shape(ops)[-1]"), ["word", "pos"])
    assert str(error.value).startswith("template 'word & shape(ops)[-1]' needs")
    assert str(error.value).endswith("; did you mean 'pos'?")
    with pytest.raises(ValueError, match=r"needs a column 'xyz', and there are word, pos$"):
        check_columns(parse("word; xyz"), ["word", "pos"])
    with pytest.raises(ValueError, match=r"needs a column 'lowr'.*; did you mean 'lower'\?"):
        check_columns(parse("lowr"), ["word"])


def test_a_name_alone_may_be_meant_for_ready_templates():
    ready = f" (ready templates: {', '.join(NAMES)})"
    with pytest.raises(ValueError, match=r".") as error:
        check_columns(parse("chunkings"), ["word", "tag"])
    assert str(error.value).endswith(f"word, tag; did you mean 'chunking'?{ready}")
    with pytest.raises(ValueError, match=re.escape(f"there are word{ready}") + "$"):
        check_columns(parse("xyz"), ["word"])
    for more in ("chunkings[-1]", "chunkings; word", "word & chunkings", "shape(chunkings)"):
        with pytest.raises(ValueError, match=r"there are word$"):
            check_columns(parse(more), ["word"])


def test_lists_that_are_not_there():
    check_lists(parse("in(word, cities); in; word"), {"cities": []})
    with pytest.raises(ValueError, match="needs the list 'towns'; lists given: cities, names") as e:
        check_lists(parse("in(lower(word), towns)"), ["cities", "names"])
    assert str(e.value).endswith(". Give it as lists={'towns': [...]}")
    with pytest.raises(ValueError, match=r"given: cities, names; did you mean 'cities'\?$"):
        check_lists(parse("in(word, citties)"), ["cities", "names"])
    with pytest.raises(ValueError, match="lists given: none"):
        check_lists(parse("word & in(word, cities)[-1]"), [])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "columns",
    [
        ["word"],
        ["word", "pos"],
        ["form", "upos"],
        ["pos"],
        ["form", "keyword", "pos"],
        ["other", "word", "position"],
        ["pos", "word"],
        ["word", "x", "y", "pos"],
    ],
)
def test_defaults_look_at_each_column(name, columns):
    templates = parse(templates_for(name, columns))
    check_columns(templates, columns)
    used = {part.value.column for template in templates for part in template.parts}
    assert used == set(columns)
    # What is looked at does not depend on names.
    plain = templates_for(name, ["word", "pos", "c", "d"][: len(columns)])
    assert len(parse(plain)) == len(templates)


def test_parts_of_speech_are_the_column_pos_or_the_second():
    assert "word & pos[-1]" in written(templates_for("chunking", ["word", "x", "pos"]))
    assert "form & x[-1]" in written(templates_for("chunking", ["form", "x", "y"]))
    assert "form & y" in written(templates_for("chunking", ["form", "x", "y"]))


@pytest.mark.parametrize("column", ["part of speech", "0", "a.b", "", "a[1]"])
def test_defaults_cannot_name_every_column(column):
    with pytest.raises(
        ValueError, match=r"templates cannot name a column '.*': call it by letters"
    ):
        templates_for("pos", ["word", column])


def test_the_name_of_the_bias_is_reserved():
    with pytest.raises(ValueError, match=r"cannot name a column 'bias': the name is reserved"):
        templates_for("pos", ["word", "bias"])
