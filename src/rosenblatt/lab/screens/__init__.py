"""The screens: what each computes for the page, in a file of its own."""

from typing import Any

from rosenblatt.lab.screens.compare import Compare
from rosenblatt.lab.screens.descent import Descent
from rosenblatt.lab.screens.mark1 import Mark1
from rosenblatt.lab.screens.playground import Playground
from rosenblatt.lab.screens.truth import Truth

SCREENS: dict[str, type[Any]] = {}
SCREENS["playground"] = Playground
SCREENS["compare"] = Compare
SCREENS["mark1"] = Mark1
SCREENS["descent"] = Descent
SCREENS["truth"] = Truth
