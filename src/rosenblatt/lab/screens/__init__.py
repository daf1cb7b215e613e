"""The screens: what each computes for the page, in a file of its own."""

from typing import Any

SCREENS: dict[str, type[Any]] = {}
