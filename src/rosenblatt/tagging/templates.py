"""The language of feature templates, and templates for three tasks.

A template says what a tagger looks at around a token, for example::

    word                        the word itself
    word[-1]                    the one before; [+1] the one after
    word[-2..2]                 five templates: from two before to two after
    lower(word), shape(word)    in lower case; its shape, such as Xx-0 for Boeing-747
    prefix(word, 1..4)          its first letters: four templates
    suffix(lower(word), 3)      functions go into each other
    word[0] & pos[-1]           a pair: both at once
    pos[-2..1] & pos[-1..2]     ranges run side by side: the four pairs of neighbours
    in(word, cities)            whether it stands in a list, also in an entry of several words
    bias                        always there

Lines or a list; ``#`` starts a comment. A token without a value, such as a word that is too short
for a prefix, has no feature of that template; before the first and behind the last token of a
sequence there are values of their own.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import product
from typing import Any, NamedTuple, NoReturn

WORD, POS = "word", "pos"  # the usual names of columns
BIAS = "bias"
MOST_AWAY = 1_000
MOST_PARTS = 16
_MOST_DIGITS = 9
NAME = re.compile(r"[^\W\d][\w-]*")
_DEEPEST = 16
_TEXT_FUNCTIONS = {"lower": 0, "shape": 0, "prefix": 1, "suffix": 1}
_FUNCTIONS = (*_TEXT_FUNCTIONS, "in")
_TOKEN = re.compile(
    rf"\s*(?:(?P<range>[+-]?\d+)|(?P<name>{NAME.pattern})|(?P<sign>\.\.|[(),&\[\]]))"
)
_CRFPP = re.compile(r"%x\[\s*([+-]?\d{1,3})\s*,\s*(\d{1,3})\s*\]")
NAMES = ("pos", "chunking", "entities")
_POS = """
word
lower(word)[-2..2]
lower(word)[-1..0] & lower(word)[0..1]
prefix(lower(word), 1..5)
suffix(lower(word), 1..5)
suffix(lower(word), 2..3)[-1]
suffix(lower(word), 2..3)[+1]
lower(word) & suffix(lower(word), 3)[-1]
lower(word) & suffix(lower(word), 3)[+1]
shape(word)[-1..1]
shape(word)[-1..0] & shape(word)[0..1]
"""
_CHUNKING = """
word[-2..2]
word[-1..0] & word[0..1]
lower(word)[-1..1]
prefix(word, 1..4)
suffix(word, 1..4)
shape(word)[-1..1]
"""
_CHUNKING_POS = """
pos[-2..2]
pos[-2..1] & pos[-1..2]
pos[-2..0] & pos[-1..1] & pos[0..2]
word[-1..1] & pos[-1..1]
word & pos[-1]
word & pos[+1]
"""
_ENTITIES = """
word[-2..2]
lower(word)[-1..1]
lower(word)[-1..0] & lower(word)[0..1]
prefix(word, 1..5)
suffix(word, 1..5)
shape(word)[-2..2]
shape(word)[-1..0] & shape(word)[0..1]
lower(word)[-1] & shape(word)
shape(word) & lower(word)[+1]
"""
_OTHER = """
other[-2..2]
other[-1..0] & other[0..1]
word & other
"""


class Value(NamedTuple):
    """What is looked at of a token: a column, or a function of another value.

    ``argument`` is a number of letters, the name of a list, or None.
    """

    function: str
    of: "Value | None"
    argument: int | str | None = None

    @property
    def column(self) -> str:
        """The column that it starts from."""
        return self.function if self.of is None else self.of.column

    def __str__(self) -> str:
        if self.of is None:
            return self.function
        more = "" if self.argument is None else f", {self.argument}"
        return f"{self.function}({self.of}{more})"


class Part(NamedTuple):
    """A value at a place relative to the token."""

    value: Value
    place: int

    def __str__(self) -> str:
        return f"{self.value}[{self.place:+d}]" if self.place else str(self.value)


class Template(NamedTuple):
    """Parts that are looked at together; none of them is the bias."""

    parts: tuple[Part, ...]

    @property
    def lists(self) -> set[str]:
        """The lists that it looks into."""
        looked = [part.value for part in self.parts if part.value.function == "in"]
        return {str(value.argument) for value in looked if value.of is not None}

    def __str__(self) -> str:
        return " & ".join(map(str, self.parts)) or BIAS


def parse(templates: str | Iterable[str]) -> list[Template]:
    """Read templates, each once, or raise ``ValueError`` that says which one is wrong, and where.

    >>> [str(template) for template in parse("word[-1..0]; prefix(word, 2) & pos[+1]")]
    ['word[-1]', 'word', 'prefix(word, 2) & pos[+1]']
    """
    if not isinstance(templates, Iterable):
        raise ValueError(f"templates must be a text or a list of texts, got {templates!r}")
    lines = [templates] if isinstance(templates, str) else list(templates)
    found: dict[Template, None] = {}
    for line in lines:
        if not isinstance(line, str):
            raise ValueError(f"a template must be a text, such as 'word[-1]'; got {line!r}")
        for text in re.split(r"[;\n]", re.sub(r"#[^\n]*", "", line)):
            if text.strip():
                _check_foreign(text.strip())
                found.update(dict.fromkeys(_Line(text.strip()).templates()))
    if not found:
        raise ValueError("there are no templates; the least would be 'word'")
    return list(found)


def check_columns(templates: Sequence[Template], columns: Sequence[str]) -> None:
    """Raise ``ValueError`` if a template asks for a column that is not there."""
    for template in templates:
        for part in template.parts:
            if part.value.column not in columns:
                name = part.value.column
                ready = NAMES if len(templates) == 1 and str(template) == name else ()
                hint = _meant(name, [*columns, *_FUNCTIONS, *ready])
                if ready:
                    hint += f" (ready templates: {', '.join(ready)})"
                raise ValueError(
                    f"template '{template}' needs a column {name!r}, and there are "
                    f"{', '.join(columns)}{hint}"
                )


def check_lists(templates: Sequence[Template], lists: Iterable[str]) -> None:
    """Raise ``ValueError`` if a template asks for a list that is not there."""
    known = list(lists)
    for template in templates:
        for part in template.parts:
            value: Value | None = part.value
            while value is not None:
                if value.function == "in" and value.of and value.argument not in known:
                    there = ", ".join(known) or "none"
                    give = f". Give it as lists={{{value.argument!r}: [...]}}"
                    raise ValueError(
                        f"template '{template}' needs the list {value.argument!r}; lists given: "
                        f"{there}{_meant(str(value.argument), known) or give}"
                    )
                value = value.of


def _meant(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _check_foreign(text: str) -> None:
    """Say what a template of CRF++, such as ``U05:%x[-1,0]/%x[0,0]``, is called here."""
    if theirs := _CRFPP.findall(text):
        names = {0: "word", 1: "pos"}
        parts = (
            Part(Value(names.get(int(column), f"column{int(column) + 1}"), None), int(place))
            for place, column in theirs
        )
        raise ValueError(f"template '{text}' is one of CRF++; write {' & '.join(map(str, parts))}")


class _Line:
    """Reads one template."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.tokens = text, 0, []
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                if not text[at:].strip():
                    break
                self._fail(at, f"cannot read {text[at:].strip()[:10]!r}")
            kind = str(match.lastgroup)
            self.tokens.append((kind, match[kind], match.start(kind)))
            at = match.end()

    def templates(self) -> Iterator[Template]:
        """Return what the line stands for: several templates, if there are ranges."""
        parts = [self._part()]
        while self._next("&"):
            parts.append(self._part())
        if self.at < len(self.tokens):
            self._expected(
                "'&', a place such as [-1], or the end; templates are separated by ';' or line ends"
            )
        if len(parts) > MOST_PARTS:
            self._fail(0, f"{len(parts)} parts are too many; the most is {MOST_PARTS}")
        many = {len(part) for part in parts} - {1}
        if len(many) > 1:
            self._fail(0, "ranges that run side by side must be of one length")
        for k in range(max(many, default=1)):
            each = [part[k if len(part) > 1 else 0] for part in parts]
            yield Template(tuple(part for part in each if part is not None))

    def _part(self) -> list[Part | None]:
        values = self._value()
        if values == [Value(BIAS, None)]:
            if self._next("["):
                self._fail(self.tokens[self.at - 1][2], f"'{BIAS}' is the same at every place")
            return [None]
        places = range(0, 1)
        if self._next("["):
            places = self._range("a place such as -1 or -2..2")
            self._need("]")
        if max(map(abs, (places[0], places[-1]))) > MOST_AWAY:
            self._fail(0, f"a place must be at most {MOST_AWAY:,} tokens away")
        self._check_number(len(values) * len(places))
        return [Part(value, place) for value, place in product(values, places)]

    def _value(self, depth: int = 0) -> list[Value]:
        if depth > _DEEPEST:
            self._fail(0, f"more than {_DEEPEST} functions in each other are too many")
        name = self._take("name", "a column or a function")
        if not self._next("("):
            return [Value(name, None)]
        if name not in _FUNCTIONS:
            at, hint = self.tokens[self.at - 2][2], _meant(name, _FUNCTIONS)
            self._fail(at, f"{name!r} is not one of {', '.join(_FUNCTIONS)}{hint}")
        inner = self._value(depth + 1)
        if inner[0].function == "in" and inner[0].of:
            self._fail(0, "'in' goes around other functions, and not into them")
        if name == "in":
            self._need(",", f" and the name of a list, such as in({inner[0]}, cities)")
            word = self._take("name", "the name of a list")
            made = [Value(name, value, word) for value in inner]
        elif _TEXT_FUNCTIONS[name]:
            self._need(",", f" and a number of letters, such as {name}({inner[0]}, 3)")
            at = self.at
            sizes = self._range("a number of letters such as 3 or 1..4")
            if sizes[0] < 1 or sizes[-1] > MOST_AWAY:
                self._fail(self.tokens[at][2], f"a number of letters must be 1 to {MOST_AWAY:,}")
            self._check_number(len(inner) * len(sizes))
            made = [Value(name, value, size) for value in inner for size in sizes]
        else:
            made = [Value(name, value) for value in inner]
        self._need(")")
        return made

    def _range(self, what: str) -> range:
        first = last = self._whole(what)
        if self._next(".."):
            last = self._whole("the end of the range")
        if last < first:
            self._fail(self.tokens[self.at - 1][2], f"a range must rise, {first}..{last} does not")
        if last - first > 2 * MOST_AWAY:
            self._fail(self.tokens[self.at - 1][2], f"{first}..{last} is too long a range")
        return range(first, last + 1)

    def _whole(self, what: str) -> int:
        digits = self._take("range", what)
        if len(digits) > _MOST_DIGITS:
            self._fail(self.tokens[self.at - 1][2], f"{digits[:_MOST_DIGITS]}… is too large")
        return int(digits)

    def _check_number(self, templates: int) -> None:
        if templates > 2 * MOST_AWAY + 1:
            self._fail(0, f"its ranges make {templates:,} templates, which are too many")

    def _next(self, sign: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at][:2] == ("sign", sign):
            self.at += 1
            return True
        return False

    def _need(self, sign: str, more: str = "") -> None:
        if not self._next(sign):
            self._expected(f"'{sign}'{more}")

    def _take(self, kind: str, what: str) -> str:
        if self.at == len(self.tokens) or self.tokens[self.at][0] != kind:
            self._expected(what)
        self.at += 1
        return self.tokens[self.at - 1][1]

    def _expected(self, what: str) -> NoReturn:
        at = self.tokens[self.at][2] if self.at < len(self.tokens) else len(self.text)
        self._fail(at, f"expected {what}")

    def _fail(self, at: int, problem: str) -> NoReturn:
        raise ValueError(f"template '{self.text}', at character {at + 1}: {problem}")


def task_for(classes: Sequence[Any], columns: Sequence[str]) -> str:
    """Return the name of the templates that suit tags and columns.

    >>> task_for(["NOUN", "VERB"], ["word"]), task_for(["B-NP", "O"], ["word", "pos"])
    ('pos', 'chunking')
    """
    from rosenblatt.tagging.schemes import is_spans  # which loads NumPy

    if not is_spans(list(map(str, classes))):
        return "pos"
    return "chunking" if len(columns) > 1 else "entities"


def templates_for(name: str, columns: Sequence[str]) -> str:
    """Return the templates of a task for the columns there are.

    The column word, or else the first, is taken for the words; for chunking the column pos, or else
    the next, for parts of speech. Further columns are looked at around a token and together with
    the word.

    >>> templates_for("pos", ["word"]).split()[:2]
    ['word', 'lower(word)[-2..2]']
    """
    for column in columns:
        if column == BIAS:
            raise ValueError(
                f"templates cannot name a column {column!r}: the name is reserved for the template "
                "that is always there; call it otherwise"
            )
        if not NAME.fullmatch(column):
            raise ValueError(
                f"templates cannot name a column {column!r}: call it by letters, digits, _ and -, "
                "with a letter first"
            )
    word = WORD if WORD in columns else columns[0]
    others = [column for column in columns if column != word]
    text = _called({"pos": _POS, "chunking": _CHUNKING, "entities": _ENTITIES}[name], word)
    if name == "chunking" and others:
        pos = POS if POS in others else others[0]
        text += _called(_CHUNKING_POS, word, pos)
        others.remove(pos)
    return text + "".join(_called(_OTHER, word, other) for other in others)


def _called(text: str, word: str, other: str = "") -> str:
    """Put the names of columns where word stands, and pos or other."""
    return re.sub(rf"\b({WORD}|{POS}|other)\b", lambda m: word if m[1] == WORD else other, text)
