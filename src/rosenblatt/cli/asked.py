"""Options as a command was given them."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.cli.options import reading_options
from rosenblatt.cli.output import UsageError

_READING = ("format", "label", "text", "ngrams", "weight", "drop", "labels", "on_error")


def reading_given(given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the options that say how to read files, among all that were given."""
    return reading_options(**{name: given[name] for name in _READING})


def share_or_file(text: str | None, option: str) -> float | str | None:
    """Return a share of the rows, or else the name of a file.

    >>> share_or_file("0.2", "--test"), share_or_file("a.svm", "--test")
    (0.2, 'a.svm')
    """
    if text is None:
        return None
    try:
        share = float(text)
    except ValueError:
        return text
    if not 0 < share < 1:
        raise UsageError(f"{option} {text} must be a share between 0 and 1, or a file")
    return share


def share_or_files(given: list[str] | None, usual: float) -> float | list[str] | None:
    """Return the share of rows to test with, or files; None is no test."""
    if not given:
        return usual
    if given == ["0"]:
        return None
    if len(given) == 1:
        share = share_or_file(given[0], "--test")
        return share if isinstance(share, float) else given
    return given
