"""The README as the package index shows it: there, its links lead to the repository.

All else about the package is in ``pyproject.toml``.
"""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
PICTURES = (".gif", ".png", ".svg")


def absolute(text: str, repository: str) -> str:
    """Make the links of a page in the root of the repository absolute."""

    def whole(link: "re.Match[str]") -> str:
        form = "raw" if link[1].endswith(PICTURES) else "blob"
        return f"]({repository}/{form}/main/{link[1]})"

    return re.sub(r"\]\((?![a-z]+:|#)([^)\s]+)\)", whole, text)


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    setup(
        long_description=absolute(readme, project["urls"]["Repository"]),
        long_description_content_type="text/markdown",
    )
