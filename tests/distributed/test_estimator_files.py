"""Estimators on files in shards: what one machine gets from reading the same files."""

import gzip
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st

from rosenblatt import (
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    GradientDescent,
    LinearDiscriminant,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    NearestCentroid,
    OnlineRegressor,
    PassiveAggressive,
    Perceptron,
    load,
    save,
)
from rosenblatt.distributed import evaluate, fit, predict, rounds_of
from rosenblatt.distributed.files import cut_files
from rosenblatt.learner_registry import CLOSED_FORM, of_model
from rosenblatt.models import load_with_extra
from rosenblatt.prediction.model_files import matrix, open_model
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.matrix import gather, read
from rosenblatt.readers.names import from_header
from rosenblatt.readers.reader import Reader
from tests.conftest import examples
from tests.distributed.eager import Eager
from tests.distributed.test_files import FORMATS, rows_for, write
from tests.distributed.test_sums import name_of, same

SUMS = [
    NearestCentroid(),
    NearestCentroid("manhattan"),
    NaiveBayes(),
    LinearDiscriminant(),
    BatchPerceptron(max_iter=20, tol=None),
    LogisticRegression(batch_size=None, max_iter=10, tol=None, learning_rate="constant", eta0=1e-3),
    LinearSVM(batch_size=None, max_iter=10, tol=None, eta0=0.001, learning_rate="constant"),
    GradientDescent(loss="hinge", batch_size=None, max_iter=10, tol=None, eta0=1e-3,
                    learning_rate="constant"),
]  # fmt: skip
MIXED = [Perceptron(), AveragedPerceptron(), AROW(), PassiveAggressive()]


def whole(model, path):
    """Read files as `train` does for a learner, into a matrix.

    Columns are in the order of the model's, which depends on where blocks and shards end.
    """
    names = from_header(*model.metadata["names"].values())
    reader = Reader([path], Reading(dtype="float64", labelled=True), names=names)
    row = of_model(model)
    if hasattr(reader.names, "counts_words"):
        assert reader.names.counts_words == (row.trains == CLOSED_FORM and row.counts_words)
    found = gather(reader)
    assert names.n_features == model.n_features_in_
    have = np.array([label is not None and label == label for label in found.y.tolist()])
    y = found.y.astype(np.int64) if found.y.dtype.kind == "f" else found.y
    return found.X[have], y[have], found.weights


def alone(model, path):
    """Fit an estimator of the same kind on one machine."""
    X, y, weights = whole(model, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return type(model)(**model.get_params()).fit(X, y, sample_weight=weights), X


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("model", SUMS, ids=name_of)
@examples(1, 10, size=st.sampled_from([700, 10_000, 1_500, 300]), seed=st.integers(0, 5))
def test_sums_are_those_of_one_machine(model, kind, size, seed, tmp_path_factory):
    path = write(tmp_path_factory.mktemp("rows"), kind, seed)
    made = fit(type(model)(**model.get_params()), path, client=Eager(), shard_bytes=size)
    wanted, X = alone(made, path)
    same(made, wanted, X, 1e-8)
    assert made.classes_.dtype == wanted.classes_.dtype


@pytest.mark.parametrize("kind", ["svmlight", "csv", "text"])
@pytest.mark.parametrize("model", MIXED, ids=name_of)
def test_mixtures_are_those_of_the_same_shards_as_matrices(model, kind, tmp_path):
    path = write(tmp_path, kind)
    made = fit(type(model)(random_state=3), path, client=Eager(), rounds=4, shard_bytes=1000)
    sizes = [each.examples for each in rounds_of(made).passes[0]]
    assert len(sizes) > 1
    X, y, _ = whole(made, path)
    cuts = np.cumsum(sizes)[:-1]
    starts = [0, *cuts, len(y)]
    parts = [X[a:b] for a, b in pairwise(starts)]
    wanted = type(model)(random_state=3)
    fit(wanted, parts, np.split(y, cuts), client=Eager(), rounds=4)
    np.testing.assert_array_equal(made.coef_, wanted.coef_)
    assert made.mistakes_.tolist() == wanted.mistakes_.tolist()
    assert made.metadata["summary"]["mistakes"] == wanted.mistakes_.tolist()


@pytest.mark.parametrize("model", [NaiveBayes("multinomial"), AveragedPerceptron()], ids=name_of)
def test_models_save_load_predict_and_evaluate(model, tmp_path, inside):
    path, other = write(tmp_path, "text"), tmp_path / "test"
    other.mkdir()
    test = write(other, "text", seed=1)
    fit(model, path, client=inside, shard_bytes=1000)
    found = evaluate(model, test, client=inside, shard_bytes=1000)
    assert found.accuracy > 0.9
    save(model, tmp_path / "m.model")
    opened = open_model(str(tmp_path / "m.model"), "tag")
    reader = opened.reader([str(test)], {})
    labels = [
        opened.predictor.classes[code]
        for block in reader
        for code in opened.predictor.codes(block.rows)
    ]
    for one in (model, load(tmp_path / "m.model")):
        assert predict(one, test, client=Eager(), shard_bytes=700).tolist() == labels
    again = load(tmp_path / "m.model")
    save(again, tmp_path / "again.model")
    extra = load_with_extra(tmp_path / "again.model")[1]
    assert extra["reading"] == model.metadata["reading"]
    assert extra["names"]["header"] == model.metadata["names"]["header"]
    again.fit([[0.0], [1.0]], [0, 1])
    assert not hasattr(again, "metadata")  # which would be of other columns
    fit(model, [[[0.0], [1.0]]], [[0, 1]], client=Eager())
    assert not hasattr(model, "metadata")


@pytest.mark.parametrize("model", [*SUMS[1:5], *MIXED], ids=name_of)
def test_importance_weights(model, tmp_path):
    rng = np.random.default_rng(0)
    path, lines = tmp_path / "rows.vw", []
    for k in range(240):
        label, weight = int(rng.integers(3)), float(rng.choice([0, 0.5, 1, 3]) if k > 60 else 1)
        lines.append(f"{label + 1} {weight} | a:{label + rng.normal() / 4:.3f} is{label} w{k % 7}")
    path.write_text("\n".join(lines))
    options = model.get_params() | {"class_weight": "balanced"}
    options |= {"random_state": 0} if "random_state" in options else {}
    made = fit(type(model)(**options), path, client=Eager(), shard_bytes=900, rounds=5)
    assert evaluate(made, path, client=Eager()).accuracy > 0.9
    assert made.metadata["summary"]["examples"] == 240
    if not isinstance(model, tuple(map(type, MIXED))):
        wanted, X = alone(made, path)
        same(made, wanted, X, 1e-7)


@pytest.mark.parametrize(
    "model",
    [
        BatchPerceptron(max_iter=20, tol=None),
        LogisticRegression(batch_size=None, max_iter=10, tol=None, learning_rate="constant"),
    ],
    ids=name_of,
)
def test_weights_of_a_class_that_some_shards_lack(model):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), np.repeat([0, 1], [60, 30])
    model.class_weight = {1: 3.0}
    shards = [X[:40], X[40:]], [y[:40], y[40:]]
    made = fit(model, *shards, client=Eager())
    same(made, type(model)(**model.get_params()).fit(X, y), X, 1e-8)


def test_words_hashes_types_and_columns_of_options(tmp_path):
    path = write(tmp_path, "csv")
    model = fit(
        NearestCentroid(), path, "label", client=Eager(), shard_bytes=1000,
        bits=8, dtype="float32", text="text", drop=["b"],
    )  # fmt: skip
    assert model.n_features_in_ == 1 << 8
    X, y = read(path, label="label", text=("text",), drop=("b",), bits=8, dtype="float32")
    same(model, NearestCentroid().fit(X, y), X, 1e-6)
    with pytest.raises(ValueError, match="dtype='int' must be float32 or float64"):
        fit(model, path, client=Eager(), dtype="int")
    with pytest.raises(ValueError, match="bits=40 must be between 1 and 30"):
        fit(model, path, client=Eager(), bits=40)
    with pytest.raises(TypeError, match="unknown option 'colour'"):
        fit(model, path, client=Eager(), colour="red")
    with pytest.raises(TypeError, match="'text' says how to read files, and these are none"):
        fit(model, [[[0.0], [1.0]]], [[0, 1]], client=Eager(), text="a")


def test_packed_files_and_arrays(tmp_path):
    one = write(tmp_path, "svmlight")
    packed = tmp_path / "more.svmlight.gz"
    packed.write_bytes(gzip.compress(one.read_bytes()))
    model = fit(NaiveBayes(), [one, str(packed)], client=Eager(), shard_bytes=1000)
    assert model.metadata["summary"]["examples"] == 240
    X, y, _ = whole(model, one)
    np.testing.assert_allclose(model.coef_, NaiveBayes().fit(X, y).coef_, rtol=1e-9)
    dense = X.toarray()
    np.save(tmp_path / "rows.npy", dense)
    np.save(tmp_path / "labels.npy", y)
    arrays = {"labels": str(tmp_path / "labels.npy"), "client": Eager(), "rounds": 3}
    model = fit(AveragedPerceptron(random_state=0), tmp_path / "rows.npy", **arrays)
    wanted = fit(AveragedPerceptron(random_state=0), [dense], [y], client=Eager(), rounds=3)
    np.testing.assert_array_equal(model.coef_, wanted.coef_)


def test_a_checkpoint_is_of_the_files_it_was_made_from(tmp_path):
    path = write(tmp_path, "vw")
    given = {"client": Eager(), "shard_bytes": 1000, "checkpoint": tmp_path / "rounds"}
    wanted = fit(AROW(random_state=0), path, client=Eager(), shard_bytes=1000, rounds=4)
    fit(AROW(random_state=0), path, **given, rounds=2)
    made = fit(AROW(random_state=0), path, **given, rounds=4, resume=True)
    assert made.coef_.tobytes() == wanted.coef_.tobytes()
    with pytest.raises(ValueError, match="of another fit: shards was"):
        fit(AROW(random_state=0), path, **given | {"shard_bytes": 500}, resume=True)
    with pytest.raises(ValueError, match="rounds in which weights are mixed"):
        fit(NaiveBayes(), path, **given)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("model", [NaiveBayes(), Perceptron()], ids=name_of)
def test_a_bad_line_is_named_or_skipped(model, kind, tmp_path):
    path = write(tmp_path, kind)
    lines = path.read_text().splitlines()
    bad = {
        "svmlight": "1 3:x", "vw": "1 a:3", "csv": "ham,1", "tsv": "ham\t1", "jsonl": "{",
        "text": "3\tnumber",
    }  # fmt: skip
    lines[90] = bad[kind]
    path.write_text("\n".join(lines) + "\n")
    model = type(model)()
    with pytest.raises(ValueError, match=rf"^{path}:91\b") as found:
        fit(model, path, client=Eager(), shard_bytes=1000)
    assert "\n" not in str(found.value)
    assert vars(model) == vars(type(model)())
    fit(model, path, client=Eager(), shard_bytes=1000, on_error="skip")
    assert rounds_of(model).skipped == 1
    assert rounds_of(model).messages[0].startswith(f"{path}:91")
    assert model.metadata["summary"]["skipped"] == 1


def files(folder, *texts):
    for number, text in enumerate(texts):
        (folder / f"part-{number}.csv").write_text(text)
    return str(folder / "part-*.csv")


def test_empty_shards_and_rows_without_a_label(tmp_path):
    full = "a,b,label\n1,2,x\n2,1,y\n1,3,\n2,2,y\n0,4,x\n"
    patterns = files(tmp_path, full, "a,b,label\n", "a,b,label\n7,8,\n", full)
    model = fit(LinearDiscriminant(), patterns, client=Eager(), shard_bytes=20)
    same(model, *alone(model, patterns))
    assert model.metadata["summary"]["unlabelled"] == 3
    assert model.metadata["summary"]["examples"] == 8


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (["a,b,label\n1,2,x\n2,1,y\n", "a,b\n1,2\n"], r"part-1\.csv: .*no column 'label'"),
        (["a,b,label\n1,2,x\n2,1,y\n", "a,b,label\n1,q,x\n"], r"part-1\.csv:2: column 'b'.*\"q\""),
        (["a,label\n1,x\n1,x\n", "a,label\n1,x\n"], "all 3 examples have the label 'x'"),
        (["a,label\n", "a,label\n"], "there are no examples"),
        (["a,label\n1,\n", "a,label\n2,\n"], "none of the 2 rows has a label"),
        (["label\nx\ny\n"], "no column is left for features"),
    ],
)
def test_files_that_do_not_fit_together(texts, problem, tmp_path):
    patterns, model = files(tmp_path, *texts), NaiveBayes()
    with pytest.raises(ValueError, match=problem) as found:
        fit(model, patterns, client=Eager())
    assert "\n" not in str(found.value)
    assert vars(model) == vars(NaiveBayes())


def test_files_with_other_columns_are_read_as_on_one_machine(tmp_path):
    one, other = "a,b,label\n1,2,x\n2,1,y\n0,3,x\n", "c,a,label\n1,2,x\n2,1,y\n3,2,y\n"
    patterns = files(tmp_path, one, other)
    model = fit(NearestCentroid(), patterns, client=Eager())
    assert bytes(model.metadata["names"]["arrays"]["letters"]) == b"abc"
    same(model, *alone(model, patterns))


def test_rows_without_any_weight(tmp_path):
    path = tmp_path / "rows.vw"
    path.write_text("1 0 | a\n2 0 | b\n")
    with pytest.raises(ValueError, match="all examples have importance weight 0"):
        fit(NaiveBayes(), path, client=Eager())


def test_rows_are_matrices_in_which_no_column_is_twice(tmp_path):
    path = tmp_path / "rows.vw"
    path.write_text("1 | a:1 a:2 b\n2 | b a\n" * 10)
    model = fit(NaiveBayes("multinomial"), path, client=Eager(), shard_bytes=60)
    block = next(iter(Reader([path], Reading(dtype="float64", labelled=True))))
    X = matrix(block.rows, 2)
    same(model, NaiveBayes("multinomial").fit(X, block.labels.astype(int)), X)


@pytest.mark.parametrize("model", [NaiveBayes(), LinearDiscriminant()], ids=name_of)
def test_row_groups_of_parquet_files_are_shards(model, tmp_path):
    import pandas as pd

    rows = [row[:4] for row in rows_for(0)]
    table = pd.DataFrame(rows, columns=["label", "a", "b", "city"])
    path = tmp_path / "rows.parquet"
    table.to_parquet(path, row_group_size=13)
    cut = cut_files([path], Reading(labelled=True), None, path.stat().st_size // 4)
    assert [shard.place[len(str(path)) :] for shard in cut.shards] == [
        f", row groups {a} to {b}" for a, b in ((1, 3), (4, 5), (6, 7), (8, 10))
    ]
    made = fit(type(model)(), path, client=Eager(), shard_bytes=path.stat().st_size // 4)
    assert made.metadata["summary"]["examples"] == 120
    same(made, *alone(made, path))
    found = predict(made, path, client=Eager(), shard_bytes=path.stat().st_size // 3)
    assert found.tolist() == predict(made, path, client=Eager()).tolist()


def test_a_bad_row_of_a_row_group_is_named(tmp_path):
    import pandas as pd

    labels = [float(k % 2) for k in range(100)]
    table = pd.DataFrame({"a": np.arange(100.0), "label": labels})
    path = tmp_path / "rows.parquet"
    table.loc[77, "label"] = 0.5
    table.to_parquet(path, row_group_size=10)
    with pytest.raises(ValueError, match=rf"^{path}:78\b.*a class must be a whole number"):
        fit(NaiveBayes(), path, client=Eager(), shard_bytes=path.stat().st_size // 5)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match="Parquet"):
        fit(NaiveBayes(), path, client=Eager())


def test_what_predicts_numbers_is_refused_in_one_line(tmp_path):
    path = write(tmp_path, "svmlight")
    for model in (OnlineRegressor(), LinearRegression()):
        with pytest.raises(ValueError, match="cannot be fitted on a cluster; fit it on one"):
            fit(model, path, client=Eager())
