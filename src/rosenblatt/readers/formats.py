"""Which format a file has: told from how it begins, with its name as a hint."""

import csv
import json
import re
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import NamedTuple

EMPTY = "svmlight"  # any would do: there are no examples
SEPARATORS = ",;\t|"
LABELS = ("label", "class", "target", "y")  # what the column of the labels is called
_PACKED = (".gz", ".gzip", ".zst", ".zstd")
_LINES = 20  # that are looked at
_OF_LINES = ("shared", "ccb", "slates", "ca")  # of VW's labels that no learner here can use
_WORDS = 2.0  # a cell, on average, from which on it is free text
NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_PAIR = re.compile(rf"[^\s:]+:(?:{NUMBER.pattern}|[-+]?(?:nan|inf|infinity))", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_LABEL = re.compile(r"[^\s:|]+")
_KEY = re.compile(r'"(_label(?:Index|_\w+)?|_multi)"\s*:')
_COST = re.compile(rf"{NUMBER.pattern}(?::{NUMBER.pattern})*", re.ASCII)


def label_among(names: Sequence[str]) -> str | None:
    """Return the name that says that it is the label's, whatever its case; None if none does.

    >>> label_among(["age", "Class"]), label_among(["Y", "target"]), label_among(["age"])
    ('Class', 'target', None)
    """
    lower = {name.lower(): name for name in reversed(names)}
    known = {**lower, **{name: name for name in names}}
    return next((known[name] for name in LABELS if name in known), None)


def recognise(name: str, start: bytes, usual: str | None = None) -> str:
    r"""Return the format of a file, one of `FORMATS`.

    The content decides where it is plain; the name's ending decides between formats that the
    content allows, and where the content says nothing. Lines of a label, a tab and a text are text
    whatever the name is, if it is clear that the first one is no header, or ``usual`` is text.

    >>> recognise("a9a", b"-1 3:1 11:1\n+1 5:1\n"), recognise("x.txt", b"ham\tsee you later\n")
    ('svmlight', 'text')
    """
    for known, row in FORMATS.items():
        if row.magic and start.startswith(row.magic):
            return known
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        advice = "convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)"
        raise ValueError(f"{name}: it looks like UTF-16; {advice}")
    hint = _hint(name)
    lines = _lines(start)
    if not lines:
        return hint or EMPTY
    first = lines[0].lstrip()
    if first.startswith("{") or (hint == "jsonl" and first.startswith("[")):
        return "vwjson" if _is_vw_json(lines, usual) else "jsonl"
    if hint == "csv" and len(lines) > 1 and " |" not in first and _columns(lines, "|"):
        return hint  # without its name it might be Vowpal Wabbit's
    fitting = _fitting(lines)
    if hint == "tsv" and "text" in fitting and (usual == "text" or _has_no_header(_all(start))):
        return "text"
    if hint in fitting and hint != "text":
        return hint
    for known in fitting if "\0" not in first else ():  # else it is not text
        # Sentences have commas, too.
        if not (hint == "text" and known == "csv" and _is_prose(lines)):
            return known
    if hint:
        return hint
    advice = ""
    if first.startswith("["):
        advice = " If it is one JSON list, write one object a line first (jq -c '.[]')."
    from rosenblatt.readers.blocks import shown

    raise ValueError(
        f"{name}: its format is not plain from its start {shown(lines[0])}; "
        f"say which it is: {', '.join(FORMATS)} (--format).{advice}"
    )


def _hint(name: str) -> str | None:
    path = PurePath(name.lower())
    if path.suffix in _PACKED:
        path = path.with_suffix("")
    return next((name for name, row in FORMATS.items() if path.suffix in row.endings), None)


def _fitting(lines: Sequence[str]) -> list[str]:
    """Return the formats that the first lines may be of, the likeliest first."""
    ranked = sorted(FORMATS, key=lambda name: FORMATS[name].rank)
    return [name for name in ranked if (fits := FORMATS[name].fits) is not None and fits(lines)]


def is_named_table(name: str) -> bool:
    """Say whether a file is called as a table is."""
    return _hint(name) in ("csv", "tsv")


def _has_no_header(lines: Sequence[str]) -> bool:
    """Say whether the first line is a label and a text as the others are, which have two fields.

    The label comes again, labels are short and few, and the texts have several words.
    """
    fields = [line.split("\t") for line in lines]
    if any(len(line) != 2 for line in fields):
        return False
    labels, texts = ([line[k].strip() for line in fields] for k in (0, 1))
    again = labels[0] in labels[1:] and 2 * len({*labels}) <= len(labels)
    short = sum(len(label.split()) for label in labels) < _WORDS * len(labels)
    several = sum(len(text.split()) for text in texts) >= _WORDS * len(texts)
    return again and short and several and len({*texts}) > len({*labels})


def _lines(start: bytes) -> list[str]:
    """Return the first few lines."""
    return _all(start)[:_LINES]


def _all(start: bytes) -> list[str]:
    """Return the lines that are not blank; one that may be cut off only if it is alone."""
    text = start.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    whole = re.split(r"\r\n|\n|\r", text)
    cut = whole.pop()
    lines = [line for line in whole if line.strip()]
    return lines or ([cut] if cut.strip() else [])


def _is_vw(lines: Sequence[str]) -> bool:
    """Say whether there is a bar after at most a label, two numbers and a tag in each line."""
    parts = [line.partition("|") for line in lines]
    # Without a space, bars may as well separate columns.
    spaced = any(not rest or " " in rest for _, _, rest in parts)
    return spaced and all(bar and _is_before_bar(before) for before, bar, _ in parts)


def _is_before_bar(text: str) -> bool:
    words = text.split()
    if words and (words[-1].startswith("'") or not text[-1].isspace()):
        words.pop()  # a tag
    # Labels of several parts are recognised too, to be refused by name.
    several = all(_COST.fullmatch(word) for word in words[1:])
    usual = len(words) <= 3 and all(NUMBER.fullmatch(word) for word in words[1:])
    return usual or (bool(words) and (several or words[0] in _OF_LINES))


def _is_vw_json(lines: Sequence[str], usual: str | None) -> bool:
    """Say whether there is a label, or another key of Vowpal Wabbit's, in one of the first lines.

    Where others of the same data are known to be JSON of either kind, these are it too.
    """
    if usual in ("jsonl", "vwjson"):
        return usual == "vwjson"
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):  # possibly cut off
            row = dict.fromkeys(_KEY.findall(line))
        if isinstance(row, dict) and any(_KEY.fullmatch(f'"{key}":') for key in row):
            return True
    return False


def _is_svmlight(lines: Sequence[str]) -> bool:
    """Say whether lines are a label and pairs, and there is a pair."""
    words = [line.partition("#")[0].split() for line in lines]
    words = [line for line in words if line]
    if len(lines) == 1 and words and len(words[0]) > 2:
        words[0].pop()  # it may be cut off
    labelled = all(_LABEL.fullmatch(line[0]) for line in words)
    pairs = [pair for line in words for pair in line[1:]]
    return labelled and bool(pairs) and all(_PAIR.fullmatch(pair) for pair in pairs)


def _is_text(lines: Sequence[str]) -> bool:
    """Say whether lines are two fields, one of them free text, without a header."""
    fields = [line.split("\t") for line in lines]
    if any(len(line) != 2 for line in fields) or label_among(fields[0]):
        return False
    words = [sum(len(line[k].split()) for line in fields) / len(fields) for k in (0, 1)]
    return max(words) >= _WORDS


def _is_tsv(lines: Sequence[str]) -> bool:
    return _columns(lines, "\t")


def _is_csv(lines: Sequence[str]) -> bool:
    return _columns(lines, ",") or (len(lines) > 1 and _columns(lines, ";"))


def _columns(lines: Sequence[str], separator: str) -> bool:
    """Say whether all lines have the same number of cells, and more than one."""
    widths = {len(row) for row in _rows(lines, separator)}
    return len(widths) == 1 and widths.pop() > 1


def _rows(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Split lines into cells; a cell in quotes may go over several."""
    try:
        rows = list(csv.reader([line + "\n" for line in lines], delimiter=separator))
    except csv.Error:
        return []
    if len(rows) > 1 and rows[-1][-1].endswith("\n"):
        rows.pop()  # it goes on in a line that is not here
    return rows


def separator_of(start: bytes) -> str:
    r"""Return what separates the cells of a table, by its first lines: , ; | or a tab.

    It is what all lines have the same number of. Where that is true of several, it is the one that
    leaves the most numbers, and else the first of the four. If no line is like the others, it is
    what the header has.

    >>> separator_of(b"size;price\n1,5;3\n2,25;4\n"), separator_of(b'a,b\n"x;y",1\n"z;",2\n')
    (';', ',')
    """
    lines = _lines(start)
    fitting = [one for one in SEPARATORS if _columns(lines, one)]
    if not fitting:
        header = lines[0] if lines else ""
        most = len(lines) / 2
        often = [one for one in SEPARATORS if sum(one in line for line in lines) >= most]
        return next((one for one in often if one in header), ",")
    return max(fitting, key=lambda one: (_numbers(lines, one), -SEPARATORS.index(one)))


def _numbers(lines: Sequence[str], separator: str) -> float:
    """Return the share of cells that are numbers, possibly with a decimal comma."""
    cells = [cell.strip() for row in _rows(lines, separator) for cell in row]
    found = [NUMBER.fullmatch(cell) or _DECIMAL_COMMA.fullmatch(cell) for cell in cells]
    return sum(map(bool, found)) / len(cells)


def _is_prose(lines: Sequence[str]) -> bool:
    fitting = [one for one in SEPARATORS if _columns(lines, one)]
    cells = [cell for line in lines for cell in line.split(fitting[0])]
    return sum(len(cell.split()) for cell in cells) >= _WORDS * len(cells)


class FileFormat(NamedTuple):
    """A file format, and how it is recognised.

    Attributes
    ----------
    module : str
        The module of `rosenblatt.readers` whose function ``blocks`` reads it.
    endings : tuple of str
        What names of such files end with.
    magic : tuple of bytes
        What such files begin with, if that is enough to know them.
    fits : callable or None
        Says whether the first lines may be of this format.
    rank : int
        Formats that fit are preferred in this order, unless the name's ending says otherwise.
    numbered : bool
        Whether features have numbers instead of names.
    from_one : bool
        Whether these numbers may begin with 1.
    """

    module: str
    endings: tuple[str, ...]
    magic: tuple[bytes, ...] = ()
    fits: Callable[[Sequence[str]], bool] | None = None
    rank: int = 0
    numbered: bool = False
    from_one: bool = False


FORMATS = {
    "svmlight": FileFormat(
        "svmlight",
        (".svm", ".svmlight", ".libsvm"),
        fits=_is_svmlight,
        rank=2,
        numbered=True,
        from_one=True,
    ),
    "vw": FileFormat("vw", (".vw",), fits=_is_vw, rank=1),
    "csv": FileFormat("tables", (".csv",), fits=_is_csv, rank=5),
    "tsv": FileFormat("tables", (".tsv",), fits=_is_tsv, rank=4),
    "parquet": FileFormat("tables", (".parquet",), magic=(b"PAR1",)),
    "arrow": FileFormat(
        "tables", (".arrow", ".feather"), magic=(b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")
    ),
    "jsonl": FileFormat("jsonl", (".jsonl", ".ndjson", ".json")),
    "vwjson": FileFormat("vwjson", ()),
    "text": FileFormat("text", (".txt",), fits=_is_text, rank=3),
    "npy": FileFormat("npy", (".npy",), magic=(b"\x93NUMPY",), numbered=True),
}
