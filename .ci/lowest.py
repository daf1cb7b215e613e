"""Print the lowest version of each dependency that pyproject.toml allows, as constraints for pip.

``python .ci/lowest.py plot lab``: of the package itself, of some extras, and of the libraries whose
frames it takes without depending on them.
"""

import re
import sys
import tomllib
from pathlib import Path

FRAMES = ("pandas", "polars")

described = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())
project = described["project"]
wanted = [*project["dependencies"]]
wanted += [one for one in described["dependency-groups"]["dev"] if one.startswith(FRAMES)]
for extra in sys.argv[1:]:
    wanted += project["optional-dependencies"][extra]
# What they depend on, where today's releases warn about them.
print("pyparsing<3.3")
for requirement in wanted:
    found = re.fullmatch(r"([\w.-]+)>=([\d.]+)(,<[\d.]+)?", requirement)
    if found is None:
        sys.exit(f"{requirement}: a dependency needs a lower bound, such as numpy>=2.0")
    print(f"{found[1]}=={found[2]}")
