r"""What a word of a text is, and what the features of a text are.

A text is cut into runs of letters, of digits and of other signs: "Won't cost £5!!" is
``won't cost £ 9 !!``. Blanks end a run and are nothing themselves.

- Letters are those of ASCII, which are made small, and the characters beyond it. An apostrophe
  between two letters is one of them. ’ is read as '.
- Each digit is a nine: who changes a telephone number does not change its length.
- Signs are all else, also what is between U+0080 and U+00BF (£, «) or U+2000 and U+206F (“, –, …).
- Of what is longer than 64 bytes, the first 64 count, to the end of a character.

A feature is a run of up to n words of a text, and it is there or not, however often.
"""

import re

_BLANK = rb"\xc2\xa0|\xe2\x80[\x80-\x8f\xa8-\xaf]"
_SIGN = rb"[!-/:-@\[-`{-~]|\xc2[\x80-\xbf]|\xe2[\x80\x81][\x80-\xbf]"
_LETTER = rb"(?:[a-z]|(?!%b)[\x80-\xff])" % _SIGN
_WORD = re.compile(rb"%b(?:'?%b)*|9+|(?:%b)+" % (_LETTER, _LETTER, _SIGN))


def words(text: bytes) -> list[bytes]:
    r"""Cut a text in UTF-8 into words.

    >>> words("Won't cost £5!! Call 0800-123".encode())[:5]
    [b"won't", b'cost', b'\xc2\xa3', b'9', b'!!']
    """
    text = re.sub(_BLANK, b" ", text.lower().replace("’".encode(), b"'"))
    found = _WORD.findall(re.sub(rb"[0-9]", b"9", text))
    return [re.findall(rb"(?s)^.{1,64}[\x80-\xbf]{,3}", word)[0] for word in found]


def features(text: bytes, ngrams: int, prefix: bytes = b"") -> list[bytes]:
    """Name the features of a text, in the order in which they first appear.

    >>> features(b"very very good", 2)
    [b'very', b'very very', b'very good', b'good']
    """
    w = words(text)
    runs = [
        b" ".join(w[i:j]) for i in range(len(w)) for j in range(i + 1, i + ngrams + 1)[: len(w) - i]
    ]
    return list(dict.fromkeys(prefix + run for run in runs))


def parts(line: bytes) -> tuple[bytes, bytes]:
    r"""Cut a line into its label and its text.

    >>> parts(b"spam\tfree offer"), parts(b"__label__spam free offer")
    ((b'spam', b'free offer'), (b'spam', b' free offer'))
    """
    label, tab, text = line.partition(b"\t")
    if not tab:
        line = line.lstrip()
        label = line.split()[0] if line else b""
        text = line[len(label) :]
    return label.strip().removeprefix(b"__label__"), text
