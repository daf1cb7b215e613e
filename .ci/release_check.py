"""Build what would be released, and try it as somebody would who has nothing else of the project.

``make release-check`` runs it, with ``build`` and ``twine`` installed. It ends with an error when

- the version, the changelog, the citation and a tag of this commit disagree,
- the metadata is not what the index expects, or a wheel lacks files or has too many,
- what was installed from the wheel alone, in an empty environment, does not work: the library, the
  command line, and both without a home folder on a disk that cannot be written to,
- something is left that can be imported when it was uninstalled.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
LARGEST = 25_000_000

LIBRARY = """
import numpy as np
from sklearn.datasets import load_digits
import rosenblatt
from rosenblatt import AveragedPerceptron, load, save, separate

X, y = load_digits(return_X_y=True)
model = AveragedPerceptron(random_state=0).fit(X[:1200], y[:1200])
assert model.score(X[1200:], y[1200:]) > 0.85
save(model, "digits.model")
assert np.array_equal(load("digits.model").predict(X), model.predict(X))
assert separate([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]).separable
assert rosenblatt.__version__ == VERSION, rosenblatt.__version__
np.savetxt("digits.csv", np.column_stack([X[:, 1:], y]), "%d", ",", comments="",
           header=",".join([f"p{j}" for j in range(1, 64)] + ["label"]))
print("the library works")
"""
# Something that no wheel has compiled; and what is then true when the package is gone.
COMPILES = """
import numpy as np
from rosenblatt import KernelPerceptron
X = np.arange(12.0).reshape(6, 2)
for multi_class in ("ovr", "joint"):
    KernelPerceptron(kernel="laplacian", multi_class=multi_class, max_iter=1).fit(X, range(6))
"""
GONE = """
import importlib.util
found = importlib.util.find_spec("rosenblatt")
assert found is None, f"pip left {found.submodule_search_locations}"
"""
COMMANDS = (
    "--version",
    "train digits.csv -o line.model --quiet",
    "evaluate line.model digits.csv",
    "predict line.model digits.csv -o predicted.txt",
    "inspect line.model",
    "separate digits.csv --class 0",
)


def main() -> None:
    """Run all checks."""
    version = agreed_version()
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST, ROOT)
    files = sorted(DIST.iterdir())
    run(sys.executable, "-m", "twine", "check", "--strict", *files)
    (wheel,) = DIST.glob("*-none-any.whl")
    (source,) = DIST.glob("*.tar.gz")
    check_contents(wheel, source)
    with tempfile.TemporaryDirectory() as folder:
        try_it(Path(folder), wheel, version)
    print(f"rosenblatt {version} can be released: {', '.join(file.name for file in files)}")


def agreed_version() -> str:
    """Return the version, if all places agree on it."""
    found = {
        "src/rosenblatt/_version.py": r'^__version__ = "(.+)"$',
        "CHANGELOG.md": r"^## (\S+)",
        "CITATION.cff": r"^version: (\S+)$",
    }
    said = {
        name: match[1] if (match := re.search(pattern, read(name), re.MULTILINE)) else "none"
        for name, pattern in found.items()
    }
    tags = subprocess.run(
        ["git", "tag", "--points-at", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    said |= {f"the tag {tag}": tag.removeprefix("v") for tag in tags if tag.startswith("v")}
    if len(set(said.values())) > 1:
        told = "; ".join(f"{name} says {version}" for name, version in said.items())
        sys.exit(f"the version is not clear: {told}")
    return next(iter(said.values()))


def check_contents(wheel: Path, source: Path) -> None:
    """End with an error if a file is missing, or one is there that should not be."""
    if wheel.stat().st_size > LARGEST:
        sys.exit(f"{wheel.name} has {wheel.stat().st_size:,} bytes, more than {LARGEST:,}")
    names = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    wanted = {name.removeprefix("src/") for name in tracked}
    more = {name for name in names if ".dist-info/" not in name} - wanted
    if wanted - names or more:
        sys.exit(f"{wheel.name} lacks {sorted(wanted - names)} and should not have {sorted(more)}")
    with tarfile.open(source) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    missing = {*tracked, "README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml"} - packed
    if missing:
        sys.exit(f"{source.name} lacks {sorted(missing)}")


def try_it(folder: Path, wheel: Path, version: str) -> None:
    """Install the wheel in an empty environment, and use it there."""
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[data]")
    for name, limits in (("with a home", False), ("without a home, and read-only", True)):
        place = folder / name.partition(" ")[0]
        place.mkdir()
        place.chmod(0o777)
        library = f"VERSION = {version!r}\n{LIBRARY}"
        start(python, ["-c", library], place, limits)
        for command in COMMANDS:
            start(python, ["-m", "rosenblatt", *command.split()], place, limits)
        print(f"the commands work {name}")
    check_uninstalling(python, folder / "with")


def check_uninstalling(python: Path, place: Path) -> None:
    """End with an error if something that can be imported is left, compiled loops included."""
    start(python, ["-c", COMPILES], place, limits=False)
    run(python, "-m", "pip", "uninstall", "--yes", "--quiet", "rosenblatt")
    start(python, ["-c", GONE], place, limits=False)
    print("nothing that can be imported is left behind")


def start(python: Path, arguments: list[str], place: Path, limits: bool) -> None:
    """Run Python in a folder; with limits, where it can write there alone."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "LC_ALL")}
    home = {"HOME": "/nonexistent"} if limits else {"HOME": str(place)}
    someone: dict[str, int] = {}
    if limits and os.getuid() == 0:  # root can write everywhere
        place.parent.chmod(0o755)
        someone = {"user": 65534, "group": 65534}
    done = subprocess.run(
        [python, *arguments], cwd=place, env={**kept, **home, "TMPDIR": str(place)},
        capture_output=True, text=True, check=False, **someone,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{' '.join(arguments)[-80:]}\n{done.stdout}\n{done.stderr}")


def read(name: str) -> str:
    """Return the text of a file of the project."""
    return ROOT.joinpath(name).read_text(encoding="utf-8")


def run(*command: object) -> None:
    """Run a command; end with its output and an error if it fails."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{done.stderr}\nthis failed: {' '.join(map(str, command))}")


if __name__ == "__main__":
    main()
