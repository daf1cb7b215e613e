"""Files that older versions wrote load for ever, and say what they said then."""

import json

import pytest

from rosenblatt.models import load_with_extra
from rosenblatt.training import checkpoints

from ..conftest import OWN_LOOPS, slow
from .test_classifier import same, stream_of, write_vw
from .write_golden import FOLDER, RUN, answers, models, trainer_of

FILES = sorted(FOLDER.glob("*.model"))
CASES = [slow([path])[0] if path.stem.startswith(tuple(OWN_LOOPS)) else path for path in FILES]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_golden_file_says_what_it_said(path):
    model, extra = load_with_extra(path)
    assert extra == {"reading": {"ngrams": 2}}
    recorded = json.loads(path.with_suffix(".json").read_text("utf-8"))
    for found, expected in zip(answers(model), recorded, strict=True):
        assert found == pytest.approx(expected, rel=1e-5)
    model.learn_one({"f1": 1.0}, 1.0 if model.predicts_numbers else "ham")


@pytest.mark.slow
def test_there_is_one_of_each():
    kinds = {path.name.split(".")[0] for path in FILES}
    assert kinds == {name for name, _ in models()}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.checkpoint")), ids=lambda path: path.stem)
def test_a_golden_checkpoint_goes_on(path, tmp_path):
    write_vw(tmp_path / "f.vw", list(stream_of(60, 3)))
    resumed, whole = trainer_of(tmp_path / "f.vw"), trainer_of(tmp_path / "f.vw")
    checkpoints.resume(path, resumed, RUN)
    list(resumed.run())
    list(whole.run())
    same(resumed.result(), whole.result())
