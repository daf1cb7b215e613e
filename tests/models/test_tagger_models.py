"""Files of taggers: what they hold, what is refused, and that old ones load for ever."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import SequenceTagger, load, save
from rosenblatt.models import ModelFileError, load_with_extra, read_header
from rosenblatt.persist import container
from tests.conftest import first_quick
from tests.models.forging import array, fitted_values, put
from tests.models.write_tagger_golden import FOLDER, SETTINGS, WORDS
from tests.models.zoo import same

FILES = sorted(FOLDER.glob("*.model"))
MUTATED = 2_500


def same_tagger(one, other):
    own = {k: v for k, v in vars(one).items() if k != "_ready"}
    same(own, {k: v for k, v in vars(other).items() if k != "_ready"})


class Fitted(dict):
    """Taggers by name, each fitted when it is first asked for."""

    def __missing__(self, name):
        tagger, X, y = SETTINGS[name]
        self[name] = tagger.fit(X, y)
        return self[name]


@pytest.fixture(scope="module")
def fitted():
    return Fitted()


@pytest.mark.parametrize("name", first_quick(sorted(SETTINGS, key="chunks".__ne__)))
def test_what_is_saved_comes_back(name, fitted, tmp_path):
    tagger, X = fitted[name], SETTINGS[name][1]
    save(tagger, tmp_path / "t.model", extra={"columns": ["word", "pos"]})
    again, extra = load_with_extra(tmp_path / "t.model")
    same_tagger(tagger, again)
    assert extra == {"columns": ["word", "pos"]}
    assert again.predict(X) == tagger.predict(X)
    np.testing.assert_array_equal(again.confidence(X), tagger.confidence(X))
    assert again.features_of(again.classes_[0]) == tagger.features_of(tagger.classes_[0])
    header = read_header(tmp_path / "t.model")
    assert header["kind"] == "SequenceTagger"
    assert header["holds_training_values"]


def test_a_tagger_that_was_used_is_saved_as_before(fitted, tmp_path):
    tagger = fitted["chunks"]
    save(tagger, tmp_path / "a.model")
    tagger.predict(WORDS)
    save(tagger, tmp_path / "b.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()


def test_one_that_learned_nothing_comes_back(tmp_path):
    tagger = SequenceTagger(["word"], lists={"towns": ["York"]}, constraints="seen")
    save(tagger, tmp_path / "t.model")
    assert load(tmp_path / "t.model").get_params() == tagger.get_params()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_file_says_what_it_said(path, tmp_path):
    record = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert hashlib.sha256(path.read_bytes()).hexdigest() == record["sha256"]
    tagger, extra = load_with_extra(path)
    assert extra == {"note": "golden"}
    if record["X"]:
        X = [[t if isinstance(t, str) else tuple(t) for t in s] for s in record["X"]]
        assert tagger.predict(X) == record["predict"]
        np.testing.assert_allclose(tagger.confidence(X), record["confidence"], rtol=1e-6)
        first = tagger.features_of(tagger.classes_[0])
        assert [list(pair) for pair in first] == record["features_of"]
    save(tagger, tmp_path / "again.model")
    same_tagger(tagger, load(tmp_path / "again.model"))


def test_there_is_a_golden_file_of_every_setting():
    assert {path.stem.split(".")[0] for path in FILES} == {*SETTINGS, "unfitted"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (array("_state.labels", put(0, 200)), "labels must lie in 0…2"),
        (array("_state.labels", lambda a: a[:-1]), "values is of"),
        (array("_state.labels", lambda a: a[::-1]), "labels of a feature must rise"),
        (array("_state.counts", put(0, 0)), "counts, less one"),
        (array("_state.counts", put(0, 9)), "counts, less one"),
        (array("_state.counts", lambda a: a[:-1]), "as many labels"),
        (array("_state.counts", np.int64), "counts is of int64"),
        (array("_state.values", put(0, np.nan)), "values has a number"),
        (array("_state.bigrams", put((0, 0), np.nan)), "bigrams has NaN or infinity"),
        (array("_state.bigrams", put((0, 0), np.inf)), "bigrams has NaN or infinity"),
        (array("_state.bigrams", lambda a: a[:-1]), "bigrams is of"),
        (array("_state.last", lambda a: a[:-1]), "last is of"),
        (array("_features.keys", put(0, -1)), "keys must lie in"),
        (array("_features.keys", put(0, 2**40)), "keys must lie in"),
        (array("_features.keys", lambda a: a[:-1]), "a key for each feature"),
        (array("_features.keys", put(slice(None), 0)), "occurs twice"),
        (array("_features.counts", put(0, -1)), "counts must lie in"),
        (array("_features.counts", put(slice(0, 4), 2**62)), "counts must lie in"),  # sums run over
        (array("_features.sizes", put(slice(0, 4), 2**62)), "sizes must lie in"),
        (array("_features.counts", lambda a: a[:-1]), "counts is of"),
        (array("_features.sizes", put(0, 10**6)), "sizes must lie in"),
        (array("_features.sizes", put(0, 0)), "sizes must add up"),
        (array("_features.ends", put(0, -1)), "ends must"),
        (array("_features.ends", put(-1, 10**6)), "ends must rise"),
        (array("_features.letters", lambda a: a[:-1]), "ends must rise"),
        (fitted_values(scheme_="bi"), "there is no such scheme"),
        (fitted_values(_features=None), "_features must be features"),
        (fitted_values(wrong_tokens_=3), "wrong_tokens_ must be a vector"),
    ],
)
def test_what_makes_no_sense_is_refused(change, why, fitted, tmp_path):
    path = tmp_path / "t.model"
    save(fitted["chunks"], path)
    header, arrays = container.read(path)
    arrays = {name: stored.copy() for name, stored in arrays.items()}
    change(header, arrays)
    container.write(path, header, arrays)
    with pytest.raises(ModelFileError, match=why):
        load(path)


@pytest.mark.parametrize(
    ("templates", "why"),
    [
        (["word", 3], "templates must be texts"),
        (["word["], "expected a place"),
        (["lemma"], "needs a column 'lemma'"),
        (["word[-1..1]"], "written out, each once"),
        (["in(word, cities)"], "needs the list 'cities'"),
        ([], "templates must be texts"),
    ],
)
def test_templates_of_a_file_are_checked(templates, why, fitted, tmp_path):
    path = tmp_path / "t.model"
    save(fitted["second-order"], path)
    header, arrays = container.read(path)
    header["fitted"]["_features"]["templates"] = {"is": "tuple", "items": templates}
    container.write(path, header, arrays)
    with pytest.raises(ModelFileError, match=why):
        load(path)


@pytest.mark.slow
def test_no_mutated_file_does_harm():
    script = Path(__file__).with_name("mutated_files.py")
    command = [sys.executable, str(script), str(MUTATED), "7", str(FOLDER)]
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    child = subprocess.run(command, capture_output=True, text=True, timeout=600, env=alone)
    assert child.returncode == 0, child.stderr[-3000:]
    tally = json.loads(child.stdout)
    assert tally["refused"] + tally["models"] == MUTATED
    assert tally["refused"] > MUTATED // 2
    assert tally["models"] > MUTATED // 20
    assert tally["predict"] > 200  # the others had learned nothing
