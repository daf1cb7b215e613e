"""The sequence tagger against CRFsuite's averaged perceptron, on CoNLL-2000; and parts of speech.

    python benchmarks/tagging.py    as in run.py, two minutes

Both get the same attributes, by the templates of CRFsuite's own example for chunking: words and
parts of speech around a token, pairs and triples of them. `crfsuite_peer.py` writes them as
strings, which is how CRFsuite's Python door takes them.
"""

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from crfsuite_peer import peer_tags, sentences
from files import PEAK

from rosenblatt import SequenceTagger, datasets, save
from rosenblatt.tagging import conll

PEER = Path(__file__).with_name("crfsuite_peer.py")
PASSES = 10
ROUNDS = 5
SAME = """
word[-2..2]; pos[-2..2]
word[-1..0] & word[0..1]
pos[-2..1] & pos[-1..2]
pos[-2..0] & pos[-1..1] & pos[0..2]
"""


def missing():
    """Say what is not here, if anything."""
    if find_spec("pycrfsuite") is None:
        return "python-crfsuite is not here"
    away = [name for name in ("conll2000", "ud_english_ewt") if datasets.status(name) != "here"]
    return f"the data set {away[0]} is not here" if away else ""


@cache
def files():
    folder = datasets.fetch("conll2000")
    return folder / "train.txt.gz", folder / "test.txt.gz"


@cache
def corpora():
    return tuple(conll.read(path).corpus for path in files())


def parts(corpus):
    return corpus.only(("word", "pos")), corpus.columns["tag"]


def run(command):
    """Run a command; return its seconds, and what it printed."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    return time.perf_counter() - start, done.stdout


def peak_memory(command):
    """Return the largest memory of a command in MB, as a small process sees it."""
    whole = (sys.executable, "-c", PEAK, *command)
    said = subprocess.run(whole, capture_output=True, text=True, check=True).stdout
    return float(said.splitlines()[-1])


def passes(model):
    """Return the seconds of the passes alone."""
    seconds = []
    model.fit(*parts(corpora()[0]), callback=lambda now: seconds.append(now.seconds))
    return seconds[-1]


def side_by_side(folder):
    """Yield what was measured: whole processes, passes, tagging, and scores."""
    train, test = files()
    ours, theirs = folder / "ours.model", folder / "theirs.crfsuite"
    templates = folder / "same.txt"
    templates.write_text(SAME)
    rosenblatt = [
        str(Path(sys.executable).with_name("rosenblatt")), "tag", "train", str(train),
        "--templates", str(templates), "--passes", str(PASSES), "-o", str(ours), "--quiet",
    ]  # fmt: skip
    crfsuite = [sys.executable, str(PEER), str(train), str(theirs), str(PASSES)]
    run(rosenblatt)  # compiled
    model = SequenceTagger(SAME, max_iter=PASSES)
    whole, train_times, tag_times = [], [], []
    X, y = parts(corpora()[1])
    model.fit(*parts(corpora()[0])).predict(X)
    words = [list(sentence) for sentence in (X[k] for k in range(len(X)))]
    gc.disable()  # here and in the peer's process, as timeit does
    for _ in range(ROUNDS):
        took, said = run(crfsuite)
        mine, _ = run(rosenblatt)
        whole.append((took, mine))
        train_times.append((json.loads(said)["train"], passes(model)))
        their_time, found = peer_tags(theirs, test)
        model.predict(words[:1])  # as the peer has opened its model
        start = time.perf_counter()
        model.predict(words)
        tag_times.append((their_time, time.perf_counter() - start))
    gc.enable()
    from rosenblatt.tagging.spans import report

    gold = [list(chunks) for *_, chunks in sentences(test)]
    scores = 100 * report(gold, found).f1, 100 * model.score(X, y)
    return whole, train_times, tag_times, scores, X.n_tokens, peak_memory(rosenblatt)


def medians(times):
    return median(t for t, _ in times), median(t for _, t in times)


def rows():
    """Yield rows of the table of run.py."""
    names = {
        "whole": "tagger, CoNLL-2000: file to model, 10 passes, whole process",
        "passes": "tagger: the 10 passes alone",
        "tagging": "tagger: tagging 47,377 tokens, features included",
        "f1": "tagger: F1 with the same attributes",
        "default": "tagger: F1 with default templates, all / noun phrases",
        "pos": "tagger: parts of speech on EWT, default templates",
        "memory": "tagger: memory of training, whole process",
        "size": "tagger: files of both models",
    }
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        whole, passed, tagged, scores, n, memory = side_by_side(folder)
        for name, times, floor in (("whole", whole, 4), ("passes", passed, 2.5)):
            theirs, mine = medians(times)
            ratio = theirs / mine
            yield (
                names[name], "CRFsuite", theirs, mine, f"{ratio:.1f}×", f"≥ {floor}×",
                ratio >= floor, "",
            )  # fmt: skip
        theirs, mine = medians(tagged)
        rates = f"{n / theirs:,.0f} / {n / mine:,.0f} tokens/s"
        met = theirs / mine >= 5
        yield (
            names["tagging"],
            "CRFsuite",
            theirs,
            mine,
            f"{theirs / mine:.1f}×",
            "≥ 5×",
            met,
            rates,
        )
        shown = f"{scores[0]:.2f} / {scores[1]:.2f}"
        yield names["f1"], "CRFsuite", None, None, "", "≥ 93.4", scores[1] >= 93.4, shown
        shown = f"{memory:.0f} MB"
        yield names["memory"], "", None, None, shown, "< 1 GB", memory < 1000, ""
        yield from _quality(names, folder)


def _quality(names, folder):
    start = time.perf_counter()
    chunker = SequenceTagger().fit(*parts(corpora()[0]))
    took = time.perf_counter() - start
    found = chunker.evaluate(*parts(corpora()[1]))
    f1, noun = 100 * found.f1, 100 * found.types["NP"].f1
    met = f1 >= 93.8 and noun >= 94.1
    yield names["default"], "", None, took, "", "≥ 93.8 / 94.1", met, f"{f1:.2f} / {noun:.2f}"
    data = datasets.load("ud_english_ewt")
    start = time.perf_counter()
    pos = SequenceTagger().fit(data.X, data.y)
    took = time.perf_counter() - start
    accuracy = 100 * pos.score(data.X_test, data.y_test)
    yield names["pos"], "", None, took, "", "≥ 95.0 %", accuracy >= 95.0, f"{accuracy:.2f} %"
    sizes = []
    for name, model in (("chunks", chunker), ("pos", pos)):
        save(model, folder / name)
        sizes.append((folder / name).stat().st_size / 1e6)
    shown = f"{sizes[0]:.1f} and {sizes[1]:.1f} MB"
    yield names["size"], "", None, None, shown, "< 10 MB", max(sizes) < 10, ""


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ", flush=True)
