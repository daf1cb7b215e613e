"""A folder with small files, and the command line to try on them."""

import csv
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rosenblatt.cli.main import app
from tests.distributed.eager import Eager

CITIES = ("Oslo", "Rome", "Paris, TX")
WORDS = {"spam": "free offer win cash now", "ham": "see you at the meeting tomorrow"}


@dataclass
class Run:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def ros(monkeypatch) -> Callable[..., Run]:
    """Run a command in this process."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*args: object, stdin: bytes | str | None = None, code: int | None = 0) -> Run:
        done = CliRunner().invoke(
            app, [str(arg) for arg in args], input=stdin, prog_name="rosenblatt"
        )
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        found = Run(done.exit_code, done.stdout, done.stderr)
        assert code is None or found.code == code, found
        return found

    return run


@pytest.fixture
def shell(tmp_path) -> Callable[..., Run]:
    """Run a line of bash, with ``rosenblatt`` in it, in processes of their own."""

    def run(line: str, cwd: Path | None = None, **env: str) -> Run:
        function = f'rosenblatt() {{ "{sys.executable}" -m rosenblatt "$@"; }}; set -o pipefail; '
        done = subprocess.run(
            ["bash", "-c", function + line],
            cwd=cwd or tmp_path,
            env={**os.environ, "COLUMNS": "80", **env},
            capture_output=True,
            timeout=300,
            check=False,
        )
        return Run(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def customers(n: int, seed: int) -> list[dict]:
    """Make rows of numbers and categories whose label is nearly a linear function of them."""
    rng = np.random.default_rng(seed)
    rows = []
    columns = rng.normal(size=n), rng.normal(size=n), rng.choice(CITIES, n)
    for a, b, city in zip(*columns, strict=True):
        bought = "yes" if a + 0.5 * b + (city == "Oslo") > 0.2 else "no"
        row = {"age": round(a, 3), "visits": round(b, 3), "city": str(city), "bought": bought}
        rows.append(row)
    return rows


def as_svmlight(rows: list[dict]) -> str:
    def line(row):
        city = 3 + CITIES.index(row["city"])
        sign = "+1" if row["bought"] == "yes" else "-1"
        return f"{sign} 1:{row['age']} 2:{row['visits']} {city}:1\n"

    return "".join(map(line, rows))


def as_vw(rows: list[dict]) -> str:
    def line(number, row):
        sign = "1" if row["bought"] == "yes" else "-1"
        city = row["city"].replace(", ", "_")
        return f"{sign} 'row{number}|n age:{row['age']} visits:{row['visits']} |c city={city}\n"

    return "".join(line(k, row) for k, row in enumerate(rows))


def write_csv(path: Path, rows: list[dict], separator: str = ",", drop: str = "") -> None:
    names = [name for name in rows[0] if name != drop]
    with path.open("w", newline="") as file:
        out = csv.writer(file, delimiter=separator)
        out.writerow(names)
        out.writerows([[row[name] for name in names] for row in rows])


def write_files(folder: Path) -> None:
    """Write the files that tests and the examples in help texts use."""
    parts = {"train": customers(300, 0), "valid": customers(100, 1), "test": customers(100, 2)}
    for name, rows in parts.items():
        (folder / f"{name}.svm").write_text(as_svmlight(rows))
        (folder / f"{name}.vw").write_text(as_vw(rows))
        write_csv(folder / f"{name}.csv", rows)
        write_csv(folder / f"{name}.tsv", rows, "\t")
        lines = [json.dumps(row) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        numbers = np.array([[row["age"], row["visits"]] for row in rows])
        np.save(folder / f"{name}.npy", numbers)
        np.save(folder / f"{name}-labels.npy", np.array([row["bought"] for row in rows]))
    for packed in ("train.svm", "test.svm"):
        with gzip.open(folder / f"{packed}.gz", "wb") as file:
            file.write((folder / packed).read_bytes())
    (folder / "new.svm").write_text(as_svmlight(parts["test"]))
    write_csv(folder / "new.csv", parts["test"], drop="bought")
    rng = np.random.default_rng(3)
    mails = []
    for kind in rng.choice(["ham", "spam"], 120):
        body = " ".join(rng.choice(WORDS[kind].split(), 4)) + ", hello"
        mails.append({"body": body, "kind": str(kind)})
    write_csv(folder / "mails.csv", mails)
    (folder / "mails.txt").write_text("".join(f"{m['kind']}\t{m['body']}\n" for m in mails))
    houses = []
    sizes, counts = rng.uniform(0.5, 2, 150).round(3), rng.integers(1, 6, 150)
    for size, rooms in zip(sizes, counts, strict=True):
        price = round(3 * size + 0.5 * rooms + 1 + rng.normal() / 50, 3)
        houses.append({"size": size, "rooms": int(rooms), "price": price})
    write_csv(folder / "houses.csv", houses)


GRAMMAR = {  # words of each part of speech, and the name of it in the Penn Treebank
    "DET": ("DT", ["the", "a", "this", "every"]),
    "ADJ": ("JJ", ["old", "red", "quiet", "famous", "small"]),
    "NOUN": ("NN", ["cat", "dog", "garden", "man", "song", "letter", "river", "winter"]),
    "PROPN": ("NNP", ["Oslo", "Rome", "Ada", "Grace"]),
    "VERB": ("VBD", ["saw", "heard", "painted", "crossed", "left"]),
    "ADP": ("IN", ["in", "near", "after", "with"]),
    "PUNCT": (".", [".", "!"]),
}
PHRASES = {"NP": ("DET NOUN", "DET ADJ NOUN", "PROPN"), "VP": ("VERB",), "PP": ("ADP",)}


def sentences(n: int, seed: int) -> list[list[tuple[str, str, str, str]]]:
    """Make sentences of tokens: word, universal and Penn part of speech, and tag of phrases."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        tokens = []
        for phrase in ("NP VP NP", "NP VP PP NP", "NP VP")[rng.integers(3)].split():
            upos = PHRASES[phrase][rng.integers(len(PHRASES[phrase]))].split()
            for place, name in enumerate(upos):
                penn, words = GRAMMAR[name]
                tag = f"{'I' if place else 'B'}-{phrase}"
                tokens.append((str(rng.choice(words)), name, penn, tag))
        tokens.append((str(rng.choice(GRAMMAR["PUNCT"][1])), "PUNCT", ".", "O"))
        made.append(tokens)
    return made


def as_columns(made: list, *columns: int, between: str = " ") -> str:
    """Write sentences as lines of some of their columns."""
    lines = [[between.join(token[k] for k in columns) for token in tokens] for tokens in made]
    return "".join("\n".join(tokens) + "\n\n" for tokens in lines)


def as_conllu(made: list, tagged: bool = True) -> str:
    def line(number, token):
        word, upos, xpos = token[:3]
        answers = (upos, xpos) if tagged else ("_", "_")
        return "\t".join([str(number), word, word.lower(), *answers, *"_____"])

    return "".join(
        f"# sent_id = {k}\n"
        + "\n".join(line(number, token) for number, token in enumerate(tokens, 1))
        + "\n\n"
        for k, tokens in enumerate(made, 1)
    )


def write_tagged(folder: Path) -> None:
    """Write sentences with tags: columns, and CoNLL-U."""
    for name, n, seed in (("train", 60, 4), ("dev", 20, 5), ("test", 20, 6)):
        made = sentences(n, seed)
        (folder / f"{name}.txt").write_text(as_columns(made, 0, 2, 3))
        (folder / f"{name}.conllu").write_text(as_conllu(made))
    new = sentences(10, 7)
    (folder / "new.txt").write_text(as_columns(new, 0, 2))
    (folder / "new.conllu").write_text(as_conllu(new, tagged=False))
    (folder / "letter.txt").write_text("The old man saw Oslo. Ada heard a song!\n\nRome left.\n")
    (folder / "cities.txt").write_text("Oslo\nRome\nNew York\n")


@pytest.fixture(scope="session")
def prepared(tmp_path_factory) -> Path:
    """A folder with files and models, not to be written to."""
    folder = tmp_path_factory.mktemp("prepared")
    write_files(folder)
    write_tagged(folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        for args in (
            ("train", "train.svm", "-o", "m.model"),
            ("train", "train.csv", "-o", "logistic.model", "--learner", "logistic"),
            ("train", "houses.csv", "-o", "price.model", "--learner", "regression"),
            ("tag", "train", "train.txt", "-o", "chunks.model"),
            ("tag", "train", "train.conllu", "-o", "pos.model"),
        ):
            done = CliRunner().invoke(app, [*args, "--quiet"])
            assert done.exit_code == 0, done.output
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def folder(prepared, tmp_path, monkeypatch) -> Path:
    """A folder of one's own with all of these files, in which commands run."""
    for file in prepared.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def at_once(monkeypatch):
    """Do the work of workers in this process."""

    class Threads(Eager):
        def __init__(self, client):
            super().__init__()

    class Client:
        def nthreads(self):
            return {"one": 1, "two": 1}

    @contextmanager
    def client(number_or_address):
        yield Client()

    for name in ("local_client", "remote_client"):
        monkeypatch.setattr(f"rosenblatt.training.cluster.{name}", client)
    monkeypatch.setattr("rosenblatt.training.cluster.Cluster", Threads)
