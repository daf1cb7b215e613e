"""CRFsuite's averaged perceptron on a column file, for `tagging.py`; it imports nothing of ours.

    python benchmarks/crfsuite_peer.py TRAIN.gz MODEL PASSES

It prints the seconds of its parts.
"""

import gc
import gzip
import json
import sys
import time
from itertools import pairwise


def attributes(words, tags):
    """Write the attributes of each token of a sentence, as the templates of `tagging.py` say."""
    w, p = ["<s>", "<s>", *words, "</s>", "</s>"], ["<s>", "<s>", *tags, "</s>", "</s>"]
    found = []
    for t in range(2, len(words) + 2):
        a, b, c, d, e = p[t - 2 : t + 3]
        u, v, x, y, z = w[t - 2 : t + 3]
        found.append(
            [
                "w-2=" + u, "w-1=" + v, "w=" + x, "w+1=" + y, "w+2=" + z,
                "p-2=" + a, "p-1=" + b, "p=" + c, "p+1=" + d, "p+2=" + e,
                "w-1w=" + v + "|" + x, "ww+1=" + x + "|" + y,
                "p-2p-1=" + a + "|" + b, "p-1p=" + b + "|" + c,
                "pp+1=" + c + "|" + d, "p+1p+2=" + d + "|" + e,
                "p-2..0=" + a + "|" + b + "|" + c, "p-1..1=" + b + "|" + c + "|" + d,
                "p0..2=" + c + "|" + d + "|" + e,
            ]
        )  # fmt: skip
    return found


def sentences(path):
    """Read a column file the plain way: words, parts of speech and tags of each sentence."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for block in file.read().strip().split("\n\n"):
            words, tags, chunks = zip(*(line.split(" ") for line in block.split("\n")), strict=True)
            yield words, tags, chunks


def peer(path, model, passes):
    """Train CRFsuite from a file; return the seconds of its parts."""
    import pycrfsuite

    times = [time.perf_counter()]
    items = [(attributes(words, tags), chunks) for words, tags, chunks in sentences(path)]
    times.append(time.perf_counter())
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": passes, "epsilon": 0.0})
    for found, chunks in items:
        trainer.append(found, chunks)
    times.append(time.perf_counter())
    trainer.train(str(model))
    times.append(time.perf_counter())
    return dict(
        zip(
            ("features", "append", "train"),
            (after - before for before, after in pairwise(times)),
            strict=True,
        )
    )


def peer_tags(model, path):
    """Tag a file with CRFsuite; return the seconds with features, and the tags."""
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    read = list(sentences(path))
    start = time.perf_counter()
    found = [tagger.tag(attributes(words, tags)) for words, tags, _ in read]
    return time.perf_counter() - start, found


if __name__ == "__main__":
    gc.disable()  # it would look at millions of strings again and again
    print(json.dumps(peer(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
