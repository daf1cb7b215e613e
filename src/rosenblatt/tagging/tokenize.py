"""Raw text as sentences of words, in the manner of the Penn Treebank as far as that is simple."""

import re
from itertools import pairwise

_ABBREVIATIONS = (
    "Mr Mrs Ms Dr Prof St Sr Jr Gen Sen Rep Gov Lt Col Sgt Capt Maj Adm Rev Hon Messrs "
    "Inc Corp Co Ltd Bros Cos vs etc cf al approx dept Dept est Ave Blvd Mt Ft "
    "Calif Mass Conn Ariz Fla Mich Colo Okla Tenn Wis "
    r"Ph\.D Jan Feb Mar Apr Aug Sept Sep Oct Nov Dec"
)
_BEFORE_NUMBERS = {"No.", "no.", "Nos.", "nos.", "p.", "pp.", "Fig.", "fig.", "Vol.", "vol."}
_ENDS = ".!?…"
_QUOTES = "\"'“”‘’«»„`"
_CLOSERS = {*_QUOTES, *")]}", "''"}
_OPENERS = "([{¿¡"

# A word's characters: letters, digits, and the accents and vowel signs that `\w` leaves out.
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u0900-\u0963\u0966-\u0eff"
_W = rf"[\w{_MARKS}\u200c\u200d]"
_CAPITAL = "[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]"
_END = f"(?!{_W})"
_TAIL = rf"(?i:s|m|d|ll|ve|re){_END}"
_NOT = rf"(?i:n['’]t){_END}"
# Groups are atomic, not possessive: about these Python before 3.11.5 goes wrong.
_LETTERS = rf"(?>(?:[^\W\d_]\.){{2,}})(?:[^\W\d_]{_END})?"  # U.S. and U.S.A
_NUMBER = rf"\d++(?>(?:[.,:/]\d++)*){_W}*+"
_PLAIN = rf"{_W}++(?>(?:['’](?!{_TAIL}){_W}++|\.[a-z\d]{_W}*+)*)"  # O'Brien and setup.py
_PART = rf"(?:{_LETTERS}|{_NUMBER}|{_PLAIN})"
# Pictures with what belongs to them: a style, the colour of a skin, and others that are joined.
_SIGN = (
    r"(?:(?!\w)[©®‼⁉™\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]|\S(?=\ufe0f))"
)
_STYLED = rf"{_SIGN}[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*+"
_FLAG = r"[\U0001f1e6-\U0001f1ff]{2}"
_EMOJI = rf"(?:[\d\#*]\ufe0f?\u20e3|{_FLAG}|{_STYLED}(?>(?:\u200d{_STYLED})*))"
# Not after a word: in "(as follows:)" the bracket closes.
_SMILEY = rf"(?<![\w\"'”’)\]])(?:[:;]['’]?-?(?:\)|\((?!{_W})|[DPp]{_END})|<3(?!{_W}|%|[.,]\d))"
# What may fail far from where it began has a bounded length: no text takes quadratic time.
_TOKEN = re.compile(
    rf"""
    {_EMOJI} | {_SMILEY}
    | [][(){{}}<>,;:"“”«»$%]
    | (?:https?://|www\.)\S*[\w/]
    | \w[\w.+-]{{0,63}}+@\w[\w-]{{0,62}}+(?>(?:\.[\w-]{{1,63}}+)+)(?<=\w)
    | (?:{"|".join(_ABBREVIATIONS.split())})\.{_END}
    | {_CAPITAL}\.{_END}
    | {_W}+?(?={_NOT}) | {_NOT}           # do n't
    | ['’]{_TAIL} | ['’]\d\ds?{_END}      # 's and '90s
    | (?i:can(?=not{_END}))
    | (?:(?<!{_W})[-+−]?\.?(?=\d))?{_PART}(?>(?:[-‐&/]{_PART})*)
    | \.{{2,}} | [-=*+]{{2,}} | [!?]+ | `` | '' | \S
    """,
    re.VERBOSE,
)


def sentences(text: str) -> list[list[str]]:
    """Split a text into sentences, and those into words and signs.

    A sentence ends with a period, question or exclamation mark before a word that does not begin
    with a small letter, unless the period is that of an abbreviation or an initial; and at an
    empty line.

    >>> sentences("Mr. Smith doesn't pay $3.50 (or 5%). Why? It's in the U.S. Constitution.")
    [['Mr.', 'Smith', 'does', "n't", 'pay', '$', '3.50', '(', 'or', '5', '%', ')', '.'],
     ['Why', '?'], ['It', "'s", 'in', 'the', 'U.S.', 'Constitution', '.']]
    """
    found: list[list[str]] = []
    chunks: list[str] = []
    for line in [*text.splitlines(), ""]:
        if words := line.split():
            chunks += words
        elif chunks:
            found += _sentences(chunks)
            chunks = []
    return found


def _sentences(chunks: list[str]) -> list[list[str]]:
    """Split what stands between empty lines, which is given as it is between spaces."""
    found: list[list[str]] = [[]]
    for chunk, after in pairwise([*chunks, ""]):
        if chunk in _BEFORE_NUMBERS and after[:1].isdigit():
            found[-1].append(chunk)
            continue
        tokens = _TOKEN.findall(chunk)
        found[-1] += tokens
        if after and _ends(tokens) and _begins(after):
            found.append([])
    return found


def _ends(tokens: list[str]) -> bool:
    last = next((token for token in reversed(tokens) if token not in _CLOSERS), "x")
    return not last.strip(_ENDS)


def _begins(chunk: str) -> bool:
    first = chunk.lstrip(_OPENERS)[:1]
    # Letters of scripts without capitals may begin one.
    capital = first.isalpha() and not first.islower()
    return capital or first.isdigit() or first in {*_QUOTES}
