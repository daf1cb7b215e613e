"""Write files of today's format for tomorrow's versions to load: streams' models and a checkpoint.

    python -m tests.stream.write_golden

A file that is there is never written again: what counts is that an old version wrote it.
"""

import json
import tempfile
from itertools import islice
from pathlib import Path

from rosenblatt import OnlineClassifier, OnlineRegressor, save
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.persist.container import FORMAT
from rosenblatt.readers.reader import Reader
from rosenblatt.stream.rules import Options
from rosenblatt.training import checkpoints
from rosenblatt.training.trainer import Trainer
from tests.stream.test_classifier import LECTURE, stream_of, write_vw

FOLDER = Path(__file__).with_name("golden")
RUN = {"files": [["f.vw", 1]], "passes": 3}


def models():
    """Yield names and models that between them hold everything that a stream's model can hold."""
    for learner in trainable(ONLINE):
        for classes in (2, 4):
            model = OnlineClassifier(learner, bits=6 if classes == 2 else None, **LECTURE)
            for x, label in stream_of(40, classes):
                model.learn_one({**x, "città": label} if learner == "svm" else x, label)
            yield f"{learner}-{classes}", model
    for classes in (2, 4):
        model = OnlineClassifier()
        for x, label in stream_of(40, classes):
            model.learn_one({**x, "site": label[0]}, label)
        yield f"default-{classes}", model
    for rate in ("adaptive", "inverse_sqrt"):
        model = OnlineRegressor(learning_rate=rate, average=rate == "inverse_sqrt")
        for number, (x, label) in enumerate(stream_of(40, 4)):
            model.learn_one({**x, "site": label[0]}, 1e5 + 100 * number * len(x), 1 + number % 3)
        yield f"regression-{rate}", model
    model = OnlineClassifier(l1=1.0)
    for x, label in stream_of(40, 4):
        model.learn_one(x, label)
    yield "l1", model
    yield "empty", OnlineClassifier("logistic", dtype="float64", eta0=0.5, **LECTURE)


def answers(model):
    """Return what a model says of some examples."""
    examples = [x for x, _ in stream_of(10, 4, seed=9)]
    if isinstance(model, OnlineRegressor):
        return [model.predict_one(x) for x in examples]
    return [{str(k): v for k, v in model.scores_one(x).items()} for x in examples]


def write(folder=FOLDER):
    """Write what is not there yet."""
    folder.mkdir(exist_ok=True)
    for name, model in models():
        path = folder / f"{name}.v{FORMAT}.model"
        if not path.exists():
            save(model, path, extra={"reading": {"ngrams": 2}})
            path.with_suffix(".json").write_text(json.dumps(answers(model), indent=1))
    path = folder / f"half.v{FORMAT}.checkpoint"
    if not path.exists():
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "f.vw"
            write_vw(file, list(stream_of(60, 3)))
            trainer = trainer_of(file)
            run = trainer.run()
            list(islice(run, 2))
            checkpoints.write(path, trainer, RUN)
            run.close()


def trainer_of(file):
    """Return the trainer that the checkpoint is of."""
    reader = Reader([file])
    return Trainer(OnlineClassifier.with_names(Options(), reader.names), reader, 3)


if __name__ == "__main__":
    write()
