"""Measure how long a fresh installation takes to start, and what it compiles.

Installs the wheel for this platform that ``make wheel`` built (or the one that is named) into an
empty folder, with an empty cache, and runs the README's first snippet and every command on small
files: seconds of processor time, how many of them are beyond importing scikit-learn, and how many
loops were compiled. Run it with ``python benchmarks/startup.py``, after ``make wheel``.
"""

import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

import signatures  # noqa: E402

# Counts what is compiled, for whoever sets the name of a file; loading Numba would be measured.
COUNT = """
import os, sys
if "ROSENBLATT_COUNT" in os.environ:
    from numba.core import event
    class Listener(event.Listener):
        def on_start(self, happened):
            with open(os.environ["ROSENBLATT_COUNT"], "a") as file:
                file.write(happened.data["dispatcher"].__qualname__ + chr(10))
        def on_end(self, happened): pass
    event.register("numba:compile", Listener())
"""


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel alone; what it depends on is taken from this environment."""
    target = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target)]
    subprocess.run([*pip, str(wheel)], check=True)
    (target / "sitecustomize.py").write_text(COUNT)
    return target


def run(program: list[str], folder: Path, target: Path, count: bool) -> tuple[float, list[str]]:
    """Run Python; return its processor time and the names of the loops that it compiled."""
    log = folder / "compiled"
    log.write_text("")
    env = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    env |= {"PYTHONPATH": str(target), "XDG_CACHE_HOME": str(folder / "cache")}
    env |= {"ROSENBLATT_COUNT": str(log)} if count else {}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", *program], cwd=folder, env=env, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stderr}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, log.read_text().splitlines()


def programs() -> dict[str, list[str]]:
    """Return what is run, by name."""
    found = {"README, first snippet": signatures.snippet(ROOT / "README.md", 0)}
    for commands in signatures.command_runs().values():
        found |= {command: [signatures.MAIN, *command.split()] for command in commands}
    return found


def measure(
    wheel: Path, chosen: tuple[str, ...] = (), repeat: int = 2
) -> dict[str, tuple[float, list[str]]]:
    """Install a wheel and run everything; return seconds, and what was compiled.

    Of so many runs after the first, the fastest counts; without any, there are no seconds.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target = install(wheel, folder)
        for file, text in signatures.FILES.items():
            (folder / file).write_text(text)
        learn = ["import sklearn.linear_model, sklearn.model_selection, sklearn.pipeline"]
        base = fastest(learn, folder, target, repeat + 1 if repeat else 0)
        found = {"import scikit-learn": (base, [])}
        for title, program in programs().items():
            if chosen and not title.startswith(chosen):
                continue
            _, compiled = run(program, folder, target, True)
            found[title] = fastest(program, folder, target, repeat), compiled
        return found


def fastest(program: list[str], folder: Path, target: Path, repeat: int) -> float:
    """Return the least processor time of some runs."""
    times = (run(program, folder, target, False)[0] for _ in range(repeat))
    return min(times, default=math.nan)


def main() -> None:
    """Print a table."""
    built = sys.argv[1:] or sorted((ROOT / "dist").glob("rosenblatt-*-cp*.whl"))
    if not built:
        raise SystemExit("no wheel for this platform in dist: run make wheel, or name one")
    found = measure(Path(built[-1]))
    base, _ = found["import scikit-learn"]
    print(f"{'':60}  seconds  beyond  compiled")
    for title, (seconds, compiled) in found.items():
        beyond = max(seconds - base, 0.0)
        names = " ".join(compiled[:3])
        print(f"{title[:60]:60}  {seconds:7.2f}  {beyond:6.2f}  {len(compiled):8}  {names}")


if __name__ == "__main__":
    main()
