"""Memory for a chunk of text and for the rows in it, used again and again.

Fresh memory must be cleared by the system page by page, which takes as long as copying a file into
it. A reader needs a few rooms, whatever the size of its files.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.letters import PAD
from rosenblatt.kernels.parsing import LINE_END, Found, Spans

ERRORS = 8


class Room:
    """A buffer for text, and arrays for as many rows and numbers as such a text can have.

    The text begins at `PAD`, as the compiled readers look a little past both its ends.
    """

    def __init__(self, size: int, dtype: Any) -> None:
        self.dtype = dtype
        self.text = np.empty(0, np.uint8)
        self.enlarge(size)

    def enlarge(self, size: int, used: int = 0) -> None:
        """Make room for a text of this size, keeping the first ``used`` bytes of the one there."""
        text = np.empty(size + 2 * PAD + 1, np.uint8)
        text[:PAD] = LINE_END
        if used:
            text[PAD : PAD + used] = self.text[PAD : PAD + used]
        self.text, self.size, self.marks = text, size, np.empty(size + 2 * PAD, np.int32)
        self._found: Found | None = None
        self._spans: Spans | None = None

    def found(self) -> Found:
        """Return arrays for the rows, empty. A row has two letters at least, a number has four.

        What is not written to takes no memory.
        """
        if self._found is None:
            rows, numbers = self.size // 2 + 1, self.size // 2 + 1
            self._found = Found(
                np.empty(rows),
                np.empty(rows + 1, np.int32),
                np.empty(numbers, np.int32),
                np.empty(numbers, self.dtype),
                np.empty(rows, np.int32),
                np.empty((self.size // 4 + 1, 3), np.int64),
                np.empty((ERRORS, 3), np.int64),
                np.empty(9, np.int64),
            )
        self._found.counts[:] = 0
        self._found.indptr[0] = 0
        return self._found

    def spans(self, keep: bool) -> Spans:
        """Return arrays for what VW text has beside that."""
        if self._spans is None:
            rows, numbers = self.size // 2 + 1, self.size // 2 + 1
            letters = np.empty(2 * self.size if keep else 0, np.uint8)
            ends = np.empty(numbers if keep else 0, np.int64)
            self._spans = Spans(np.empty(rows), np.empty((rows, 4), np.int32), letters, ends)
        return self._spans

    def more_letters(self, used: int) -> Spans:
        """Make twice as much room for names, keeping those there."""
        assert self._spans is not None
        letters = np.empty(2 * len(self._spans.letters), np.uint8)
        letters[:used] = self._spans.letters[:used]
        self._spans = self._spans._replace(letters=letters)
        return self._spans

    def close_text(self, stop: int) -> None:
        """End a text so that the compiled readers may look a little past it."""
        self.text[stop : stop + PAD] = LINE_END


def letters_of(text: Array, start: int, stop: int) -> str:
    """Return a piece of a text; what is no UTF-8 is shown as its bytes."""
    return bytes(text[start:stop]).decode(errors="backslashreplace")
