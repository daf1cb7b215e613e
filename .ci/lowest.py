"""Print the lowest version of each dependency that pyproject.toml allows, as constraints for pip.

``python .ci/lowest.py plot lab``: of the package itself, and of some extras.
"""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())["project"]
wanted = [*project["dependencies"]]
for extra in sys.argv[1:]:
    wanted += project["optional-dependencies"][extra]
# What they depend on, where today's releases warn about them.
print("pyparsing<3.3")
for requirement in wanted:
    found = re.fullmatch(r"([\w.-]+)>=([\d.]+)(,<[\d.]+)?", requirement)
    if found is None:
        sys.exit(f"{requirement}: a dependency needs a lower bound, such as numpy>=2.0")
    print(f"{found[1]}=={found[2]}")
