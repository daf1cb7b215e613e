"""Record the signatures of loops that are worth compiling ahead: ``python docs/signatures.py``.

Runs the README's code, the guide's, and every command with its default options on small files, and
writes what they call to ``src/rosenblatt/kernels/common.json``. From it ``rosenblatt warm-up``
compiles, and ``make wheel`` builds the wheel that brings compiled code along. Run it after a change
to what is called with what; a test says so. With arguments, such as ``perceptron.md`` or ``train``,
only the runs whose names begin like this are recorded anew.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "src" / "rosenblatt" / "kernels" / "common.json"
# Executed when Python starts, in every process of a run: each call is written down as it is made.
RECORD = """
import json, os
from rosenblatt.kernels import jit

class Calls(list):
    def append(self, call):
        function, types = call
        if function.startswith("rosenblatt."):
            with open(os.environ["ROSENBLATT_CALLS"], "a", encoding="utf-8") as file:
                file.write(json.dumps([function, *types]) + chr(10))

jit.calls = Calls()
"""
MAIN = "import sys; from rosenblatt.cli.main import main; main()"
SVM = "\n".join(f"{k % 2} 1:{k % 7} 3:{k % 3 + 0.5} {k % 5 + 4}:1" for k in range(60)) + "\n"
THREE = "\n".join(f"{k % 3} 1:{k % 7} 3:{k % 3 + 0.5} {k % 5 + 4}:1" for k in range(90)) + "\n"
CSV = "x,y,colour,class\n" + "".join(
    f"{k % 7 / 2},{k % 5},{'red' if k % 3 else 'blue'},{'ab'[(k % 7 + k % 5) > 5]}\n"
    for k in range(80)
)
MAILS = "kind,body\n" + "".join(
    f"{'spam' if k % 3 else 'ham'},{'win money now' if k % 3 else 'see you at noon'} {k}\n"
    for k in range(60)
)
NUMBERS = "x,z,target\n" + "".join(f"{k % 7 / 2},{k % 5},{k % 7 - k % 5 / 3}\n" for k in range(80))
JSONL = "".join(
    json.dumps({"label": "pe"[k % 2], "odor": "nal"[k % 3], "cap": "xy"[k % 2], "size": k % 4})
    + "\n"
    for k in range(60)
)
VW = "".join(
    f"{1 if k % 2 else -1} |a price:{k % 7} word{k % 5} |b other{k % 3}\n" for k in range(60)
)
CONLL = "".join(
    f"the DT B-NP\n{['dog', 'cat', 'tree'][k % 3]} NN I-NP\n{['runs', 'sat'][k % 2]} VBD O\n\n"
    for k in range(20)
)
FILES = {
    "two.svm": SVM,
    "three.svm": THREE,
    "two.csv": CSV,
    "mails.csv": MAILS,
    "numbers.csv": NUMBERS,
    "two.jsonl": JSONL,
    "two.vw": VW,
    "text.conll": CONLL,
}


def page(path: Path) -> list[str]:
    """Return a Python program that runs the code of a page in an empty folder."""
    return [
        "import sys; sys.path.insert(0, sys.argv[1]); import build; from pathlib import Path;"
        "import tempfile; folder = tempfile.TemporaryDirectory();"
        "build.run_page(Path(sys.argv[2]), Path('images').resolve(), Path(folder.name))",
        str(ROOT / "docs"),
        str(path),
    ]


def snippet(path: Path, number: int) -> list[str]:
    """Return a Python program that runs one block of Python of a page."""
    sys.path.insert(0, str(ROOT / "docs"))
    from build import page_blocks

    blocks = [block for block in page_blocks(path.read_text("utf-8")) if block.language == "python"]
    return [blocks[number].code]


def command_runs() -> dict[str, list[str]]:
    """List the commands of each run, with their default options; what one writes the next reads."""
    runs = {}
    learning = {
        "two.svm": "",
        "three.svm": "",
        "two.csv": "",
        "mails.csv": " --text body --label kind",
        "two.jsonl": "",
        "two.vw": "",
    }
    for file, options in learning.items():
        name = file.replace(".", " ")
        runs[f"train {name}"] = [f"train {file}{options} -o {file}.model"]
        runs[f"use {name}"] = [
            f"predict {file}.model {file}",
            f"evaluate {file}.model {file}",
            f"inspect {file}.model",
            f"explain {file}.model {file}",
            f"calibrate {file}.model {file} -o {file}.calibrated",
        ]
        runs[f"compare {name}"] = [f"compare {file}{options}"]
        runs[f"tune {name}"] = [f"tune {file}{options}"]
        one = " --class 1" if file == "three.svm" else ""
        runs[f"separate {name}"] = [f"separate {file}{options}{one}"]
        runs[f"trace {name}"] = [f"trace {file}{options}"]
    runs["train numbers"] = ["train numbers.csv --label target --learner regression -o n.model"]
    runs["use numbers"] = ["predict n.model numbers.csv", "evaluate n.model numbers.csv"]
    runs["tag train"] = ["tag train text.conll -o t.model"]
    runs["tag use"] = [
        "tag apply t.model text.conll",
        "tag evaluate t.model text.conll",
        "tag inspect t.model",
    ]
    return runs


def record(program: list[str], folder: Path, calls: Path) -> list[str]:
    """Run Python with a program and its arguments; return the calls of loops that it made."""
    calls.write_text("")
    path = os.pathsep.join([str(folder / "record"), str(ROOT / "src")])
    env = {**os.environ, "PYTHONPATH": path, "ROSENBLATT_CALLS": str(calls), "MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, "-c", *program], cwd=folder, env=env, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stderr or done.stdout}")
    return sorted(set(calls.read_text("utf-8").splitlines()))


def record_all(chosen: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """Record the calls of every run, or of those whose names begin like this."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "record").mkdir()
        (folder / "record" / "sitecustomize.py").write_text(RECORD)
        for file, text in FILES.items():
            (folder / file).write_text(text)
        runs = {
            run: [[MAIN, *command.split()] for command in commands]
            for run, commands in command_runs().items()
        }
        runs = {"README, first snippet": [snippet(ROOT / "README.md", 0)], **runs}
        runs["make demo"] = [[(ROOT / "examples" / "demo.py").read_text("utf-8")]]
        for path in [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]:
            runs[path.name] = [page(path)]
        found = {}
        for run, programs in runs.items():
            if chosen and not run.startswith(chosen):
                continue
            print(f"{run} ...", end=" ", flush=True)
            lists = [record(program, folder, folder / "calls") for program in programs]
            found[run] = sorted({call for calls in lists for call in calls})
            print(len(found[run]))
        return found


def write(runs: dict[str, list[str]]) -> None:
    """Write the list: all calls, and for each run the numbers of its own."""
    calls = sorted({call for run in runs.values() for call in run})
    number = {call: k for k, call in enumerate(calls)}
    lines = ",\n".join(calls)
    listed = ",\n".join(
        f"{json.dumps(run)}: {json.dumps([number[call] for call in calls])}"
        for run, calls in sorted(runs.items())
    )
    LIST.write_text(f'{{"signatures": [\n{lines}\n],\n"runs": {{\n{listed}\n}}}}\n', "utf-8")
    print(f"{LIST.relative_to(ROOT)}: {len(calls)} signatures of {len(runs)} runs")


def written() -> dict[str, list[str]]:
    """Read the list as it is now."""
    listed = json.loads(LIST.read_text("utf-8"))
    calls = [json.dumps(signature) for signature in listed["signatures"]]
    return {run: [calls[k] for k in numbers] for run, numbers in listed["runs"].items()}


def main() -> None:
    """Record all runs, or those whose names begin as the arguments say, and keep the others."""
    chosen = tuple(sys.argv[1:])
    write({**(written() if chosen else {}), **record_all(chosen)})


if __name__ == "__main__":
    main()
