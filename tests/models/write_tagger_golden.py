"""Write files of taggers of today's format for tomorrow's versions to load.

    python -m tests.models.write_tagger_golden

A file that is there is never written again: what counts is that an old version wrote it.
"""

import hashlib
import json
from pathlib import Path

from rosenblatt import SequenceTagger, save
from rosenblatt.persist.container import FORMAT

FOLDER = Path(__file__).with_name("golden_taggers")
WORDS = [
    [("the", "DT"), ("old", "JJ"), ("man", "NN"), ("sings", "VBZ")],
    [("New", "NNP"), ("York", "NNP"), ("sings", "VBZ")],
    [("späm", "NN"), ("in", "IN"), ("New", "NNP"), ("York", "NNP")],
    [("the", "DT"), ("man", "NN"), ("in", "IN"), ("the", "DT"), ("song", "NN")],
]
CHUNKS = [
    ["B-NP", "I-NP", "I-NP", "O"],
    ["B-NP", "I-NP", "O"],
    ["B-NP", "O", "B-NP", "I-NP"],
    ["B-NP", "I-NP", "O", "B-NP", "I-NP"],
]
NUMBERS = [[len(word) for word, _ in sentence] for sentence in WORDS]
ALONE = [[word for word, _ in sentence] for sentence in WORDS]
TEMPLATES = "word[-1..1]; suffix(lower(word), 1..2); shape(word) & pos; in(word, towns); bias"
SETTINGS = {
    "chunks": (SequenceTagger(TEMPLATES, lists={"towns": ["New York", "späm"]}), WORDS, CHUNKS),
    "second-order": (SequenceTagger("word; pos[-1]", order=2, max_iter=3), WORDS, CHUNKS),
    "numbers": (SequenceTagger("lower(word)", averaged=False), ALONE, NUMBERS),
    "held-out": (
        SequenceTagger("pos", early_stopping=True, validation_fraction=0.3),
        ALONE,
        CHUNKS,
    ),
}


def models():
    """Yield names, fitted taggers and the sentences they learned from."""
    for name, (tagger, X, y) in SETTINGS.items():
        yield name, tagger.fit(X, y), X
    yield "unfitted", SequenceTagger("word; pos[-2..2]", constraints=[("B-VP", "I-NP")]), []


def main():
    FOLDER.mkdir(exist_ok=True)
    for name, tagger, X in models():
        path = FOLDER / f"{name}.v{FORMAT}.model"
        if path.exists():
            continue
        save(tagger, path, extra={"note": "golden"})
        record = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "X": X}
        if X:
            record["predict"] = tagger.predict(X)
            record["confidence"] = tagger.confidence(X).tolist()
            record["features_of"] = tagger.features_of(tagger.classes_[0])
        lines = ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in record.items())
        path.with_suffix(".json").write_text(f"{{\n{lines}\n}}\n", "utf-8")
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
