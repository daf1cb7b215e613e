"""Sentences that a small grammar makes, with parts of speech and phrases."""

import numpy as np

WORDS = {
    "DT": ["the", "a", "this"],
    "JJ": ["old", "small", "new", "blue"],
    "NN": ["man", "cat", "songs", "house", "Paris"],
    "VB": ["sings", "sees", "buys", "sleeps"],
    "RB": ["often", "here"],
}
PHRASES = {
    "NP": [["DT", "NN"], ["DT", "JJ", "NN"], ["NN"], ["JJ", "NN"]],
    "VP": [["VB"], ["RB", "VB"]],
}
SENTENCES = [["NP", "VP"], ["NP", "VP", "NP"], ["NP", "VP", "NP", "RB"], ["VP", "NP"], ["RB"]]


def sentences(n=60, seed=0):
    """Return words, parts of speech and chunks of each sentence."""
    rng = np.random.default_rng(seed)
    made = [[], [], []]
    for _ in range(n):
        words, pos, chunks = [], [], []
        for phrase in SENTENCES[rng.integers(len(SENTENCES))]:
            tags = PHRASES.get(phrase, [[phrase]])
            tags = tags[rng.integers(len(tags))]
            words += [WORDS[tag][rng.integers(len(WORDS[tag]))] for tag in tags]
            pos += tags
            chunks += ["O" if phrase == "RB" else f"{'I' if k else 'B'}-{phrase}"
                       for k in range(len(tags))]  # fmt: skip
        for part, row in zip(made, (words, pos, chunks), strict=True):
            part.append(row)
    return made


def bits(value):
    """Return what a fitted model holds as something that can be compared to the last bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes() if value.dtype != object else [*value]
    if isinstance(value, tuple | list):
        return [bits(part) for part in value]
    return {k: bits(v) for k, v in value.items()} if isinstance(value, dict) else value


def model_bits(model):
    """Return all that fit has found; not what is made anew of it."""
    names = sorted(name for name in vars(model) if name.endswith("_") or name.startswith("_"))
    return {name: bits(vars(model)[name]) for name in names if name != "_ready"}
