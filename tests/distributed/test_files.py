"""Files as shards: the rows, names, classes and moments that one machine would have."""

import gc
import gzip
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron, OnlineClassifier, load, save
from rosenblatt.distributed import evaluate, fit, predict, rounds_of
from rosenblatt.distributed.files import (
    Read,
    cut_files,
    fresh_names,
    outside_quotes,
    read_shard,
)
from rosenblatt.distributed.stream import ready_stream, survey_read, united_files
from rosenblatt.prediction.model_files import open_model
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.matrix import read
from rosenblatt.readers.reader import CountingReader
from rosenblatt.stream.rules import Options
from rosenblatt.training.trainer import Trainer
from tests.conftest import examples
from tests.distributed.eager import Eager

WORDS = [
    *("free", "offer", "see", "you", "pills", "now"),
    *("and", "then", "lunch", "money", "bank", "tree"),
]
FORMATS = ["svmlight", "vw", "csv", "tsv", "jsonl", "text"]


def rows_for(seed, n=120):
    """Return labels, two numbers, a category and a text for some rows."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["ham", "spam"], size=n)
    shift = np.where(labels == "spam", 1.0, -1.0)
    return [
        (
            str(label),
            round(float(rng.normal(10 + s, 2)), 3),
            round(float(rng.normal(-s, 100)), 2),
            str(rng.choice(["Oslo", "Rome", "Bonn"])),
            " ".join(rng.choice(WORDS[:6] if s > 0 else WORDS[4:], size=rng.integers(1, 6))),
        )
        for label, s in zip(labels, shift, strict=True)
    ]


def write(folder, kind, seed=0, n=120):
    """Write a file of a format; return its path."""
    lines = []
    for label, a, b, city, text in rows_for(seed, n):
        number = 1 if label == "spam" else -1
        columns = [label, a, b, city, text]
        lines.append(
            {
                "svmlight": f"{number} 1:{a} 3:{b} {4 + len(city)}:1",
                "vw": f"{number} | a:{a} b:{b} {city} {text}",
                "csv": ",".join(map(str, columns)),
                "tsv": "\t".join(map(str, columns)),
                "jsonl": json.dumps(
                    dict(zip(("label", "a", "b", "city", "text"), columns, strict=True))
                ),
                "text": f"{label}\t{text}",
            }[kind]
        )
    header = {"csv": "label,a,b,city,text", "tsv": "label\ta\tb\tcity\ttext"}
    path = Path(folder, f"rows.{'txt' if kind == 'text' else kind}")
    path.write_text("\n".join([header[kind], *lines] if kind in header else lines) + "\n")
    return path


@pytest.mark.parametrize("kind", FORMATS)
@examples(3, 40, size=st.integers(40, 4000), seed=st.integers(0, 5))
def test_shards_have_the_rows_of_the_file(kind, size, seed, tmp_path_factory):
    path = write(tmp_path_factory.mktemp("rows"), kind, seed)
    reading = Reading(dtype="float64", labelled=True, text=("text",) if kind == "jsonl" else ())
    cut = cut_files([path], reading, None, size)
    shards = outside_quotes(Eager(), cut.shards)
    whole = CountingReader([path], reading)
    rows, labels = [], []
    for block in whole:
        for k in range(len(block.lines)):
            at = slice(block.rows.indptr[k], block.rows.indptr[k + 1])
            names = [whole.names.name(j) for j in block.rows.indices[at].tolist()]
            rows.append(dict(zip(names, block.rows.values[at].tolist(), strict=True)))
        labels += block.labels.tolist()
    found, theirs = [], []
    for shard in shards:
        part = read_shard(shard, cut.reading, cut.names)
        for k in range(len(part.labels)):
            at = slice(part.rows.indptr[k], part.rows.indptr[k + 1])
            names = [part.names.name(j) for j in part.rows.indices[at].tolist()]
            found.append(dict(zip(names, part.rows.values[at].tolist(), strict=True)))
        theirs += part.labels.tolist()
    assert len(shards) >= min(3, path.stat().st_size // size // 2)
    assert found == rows
    assert theirs == labels


@pytest.mark.parametrize("kind", FORMATS)
def test_names_classes_and_moments_are_those_of_one_machine(kind, tmp_path):
    path = write(tmp_path, kind)
    model = OnlineClassifier("averaged", dtype="float64")
    fit(model, path, client=Eager(), rounds=2, shard_bytes=1000)
    reader = CountingReader([path], Reading(dtype="float64", labelled=True))
    alone = OnlineClassifier.with_names(
        Options("averaged", dtype="float64", scale="standard"), reader.names
    )
    trainer = Trainer(alone, reader, 1)
    list(trainer.run())
    assert model.feature_names_ == alone.feature_names_
    assert model.classes_.tolist() == alone.classes_.tolist()
    (counts, arrays), (theirs, wanted) = model._scaling.to_parts(), alone._scaling.to_parts()
    assert counts["seen"] == theirs["seen"]
    assert arrays.keys() == wanted.keys()
    for name, array in wanted.items():
        np.testing.assert_allclose(arrays[name], array, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    "learner", ["logistic", "svm", "averaged", "perceptron", "passive-aggressive", "arow"]
)
def test_a_model_is_what_train_makes(learner, tmp_path):
    path, other = write(tmp_path, "csv", n=300), tmp_path / "test"
    other.mkdir()
    test = write(other, "csv", seed=1, n=300)
    model = OnlineClassifier(learner)
    assert fit(model, path, client=Eager(), rounds=5, shard_bytes=3000) is model
    assert len(rounds_of(model).passes[0]) > 3
    counted = evaluate(model, test, client=Eager(), shard_bytes=3000)
    assert counted.examples == 300
    assert counted.accuracy > 0.85
    save(model, tmp_path / "m.model")
    again = open_model(str(tmp_path / "m.model"), "tag")
    reader = again.reader([str(test)], {})
    labels = [
        again.predictor.classes[code]
        for block in reader
        for code in again.predictor.codes(block.rows)
    ]
    assert predict(model, test, client=Eager(), shard_bytes=3000).tolist() == labels
    assert predict(load(tmp_path / "m.model"), test, client=Eager()).tolist() == labels


@pytest.mark.parametrize("kind", ["csv", "svmlight"])
def test_rows_are_scaled_in_pieces(kind, tmp_path, monkeypatch):
    path = write(tmp_path, kind)
    wanted = fit(OnlineClassifier("logistic"), path, client=Eager(), rounds=3)
    monkeypatch.setattr("rosenblatt.distributed.stream._PIECE", 7)
    model = fit(OnlineClassifier("logistic"), path, client=Eager(), rounds=3)
    assert model.coef_.tobytes() == wanted.coef_.tobytes()


def test_looking_at_rows_takes_little_memory(tmp_path):
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(60_000, 12)).round(2), rng.integers(0, 2, 60_000)])
    path = tmp_path / "rows.csv"
    header = ",".join([*(f"x{k}" for k in range(12)), "label"])
    np.savetxt(path, table, "%g", ",", header=header, comments="")
    cut = cut_files([path], Reading(dtype="float32", labelled=True), None, 1 << 30)
    kind = fresh_names(cut.names)
    found = read_shard(cut.shards[0], cut.reading, kind)
    survey = survey_read(found, True)
    rows = sum(part.nbytes for part in found.rows)
    shape = united_files([survey], Options("logistic", scale="standard"), kind, np.empty(0))
    tracemalloc.start()
    try:
        survey_read(found, True)
        looking = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        ready_stream(found, shape.maps[0], shape.classes, shape.scaling)
        scaling = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert looking < 4 * rows  # pieces of 16,384 rows; all at once it was 9 times the rows
    assert scaling < 3 * rows


def test_workers_keep_rows_once(tmp_path):
    def reads():
        return [one for one in gc.get_objects() if type(one) is Read]

    def results(futures, what, tick=None):
        if "round" in what:
            held.append(sum(id(one) not in before for one in reads()))
        return list(futures)

    others = reads()  # of tests before, which nobody has collected yet
    before, held = set(map(id, others)), []
    cluster = Eager()
    cluster.results = results
    fit(OnlineClassifier(), write(tmp_path, "csv"), client=cluster, rounds=2, shard_bytes=1000)
    assert held == [0, 0]


def test_a_bad_label_is_named_by_its_line_in_the_file(tmp_path):
    path = write(tmp_path, "svmlight")
    model = fit(OnlineClassifier(), path, client=Eager(), rounds=1)
    lines = path.read_text().splitlines()
    lines[99] = f"1.5{lines[99][lines[99].index(' ') :]}"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match=r"rows\.svmlight:100"):
        evaluate(model, path, client=Eager(), shard_bytes=500)


def test_hashed_names(tmp_path):
    path = write(tmp_path, "text")
    model = fit(OnlineClassifier("averaged", bits=12), path, client=Eager(), shard_bytes=1000)
    assert model.n_features_ == 1 << 12
    assert evaluate(model, path, client=Eager()).accuracy > 0.9


@pytest.mark.parametrize("kind", ["svmlight", "vw", "jsonl", "text"])
def test_the_bits_do_not_depend_on_how_often_it_runs(kind, tmp_path):
    path = write(tmp_path, kind)
    made = [
        fit(OnlineClassifier(), path, client=Eager(), shard_bytes=900, rounds=3) for _ in range(2)
    ]
    assert made[0].coef_.tobytes() == made[1].coef_.tobytes()


def test_quoted_cells_with_line_ends_are_not_cut(tmp_path):
    path = tmp_path / "quoted.csv"
    cells = [f'{"ab"[k % 2]},"a text{chr(10) * (k % 4)} of ""{k}"" lines",{k}' for k in range(200)]
    path.write_text("label,text,n\n" + "\n".join(cells) + "\n")
    reading = Reading(dtype="float64", labelled=True)
    wanted = len(read(path, label="label")[1])
    assert wanted == 200
    for size in (200, 333, 1000):
        cut = cut_files([path], reading, None, size)
        shards = outside_quotes(Eager(), cut.shards)
        assert 3 < len(shards) <= len(cut.shards)
        parts = [read_shard(shard, cut.reading, cut.names) for shard in shards]
        assert sum(len(part.labels) for part in parts) == wanted


def test_a_table_without_a_header(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("".join(f"{k}.5,{-k},{'xy'[k % 2]}\n" for k in range(100)))
    model = fit(OnlineClassifier("perceptron"), path, client=Eager(), shard_bytes=200)
    assert model.feature_names_ == ["c1", "c2"]
    assert model.metadata["summary"]["examples"] == 100


def test_a_column_that_is_empty_at_first(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{k},{k * 2.5 if k > 40_000 else ''},{'xy'[k % 2]}" for k in range(100_000)]
    path.write_text("a,late,label\n" + "\n".join(lines) + "\n")
    model = fit(OnlineClassifier("perceptron"), path, client=Eager(), shard_bytes=300_000, rounds=1)
    assert "late" in model.feature_names_
    kinds = {column["name"]: column["kind"] for column in model.metadata["reading"]["columns"]}
    assert kinds["late"] == "number"


def test_several_files_and_packed_ones(tmp_path):
    one = write(tmp_path, "svmlight")
    packed = tmp_path / "more.svmlight.gz"
    packed.write_bytes(gzip.compress(one.read_bytes()))
    model = OnlineClassifier("averaged")
    fit(model, [one, str(tmp_path / "*.gz")], client=Eager(), shard_bytes=1000)
    passes = rounds_of(model).passes[0]
    assert passes[-1].examples == 120
    assert sum(each.examples for each in passes) == 240


@pytest.mark.parametrize("kind", FORMATS)
def test_a_bad_line_is_named_or_skipped(kind, tmp_path):
    path = write(tmp_path, kind)
    lines = path.read_text().splitlines()
    bad = {
        "svmlight": "1 3:x", "vw": "1 a:3", "csv": "ham,1", "tsv": "ham\t1", "jsonl": "{",
        "text": "3\tnumber",
    }  # fmt: skip
    lines[90] = bad[kind]
    path.write_text("\n".join(lines) + "\n")
    model = OnlineClassifier("averaged")
    with pytest.raises(ValueError, match=rf"^{path}:91\b") as found:
        fit(model, path, client=Eager(), shard_bytes=1000)
    assert "\n" not in str(found.value)
    assert model.t_ == 0
    fit(model, path, client=Eager(), shard_bytes=1000, on_error="skip")
    done = rounds_of(model)
    assert done.skipped == 1
    assert done.messages[0].startswith(f"{path}:91")
    assert model.metadata["summary"]["skipped"] == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\tx\na\ty\n", "all 2 examples have the label 'a'"),
        ("1\tx\n" * 30 + "b\ty\n" * 30, "numbers, and here is a name|all numbers or all names"),
    ],
)
def test_files_that_nothing_can_be_learned_from(text, problem, tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=problem):
        fit(OnlineClassifier(), path, client=Eager(), shard_bytes=120, format="text")


def test_refusals(tmp_path):
    path = write(tmp_path, "text")
    with pytest.raises(ValueError, match="the voted perceptron does not distribute"):
        fit(OnlineClassifier("voted"), path, client=Eager())
    with pytest.raises(ValueError, match="inverse_sqrt"):
        fit(OnlineClassifier(learning_rate="inverse_sqrt"), path, client=Eager())
    with pytest.raises(ValueError, match="has learned already"):
        fit(OnlineClassifier().learn_one({"a": 1}, 0).learn_one({"a": 2}, 1), path, client=Eager())
    with pytest.raises(ValueError, match="KernelPerceptron does not distribute"):
        fit(KernelPerceptron(), path, client=Eager())
    with pytest.raises(TypeError, match="unknown option 'labels_'"):
        fit(OnlineClassifier(), path, client=Eager(), labels_="x")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        fit(OnlineClassifier(), tmp_path / "none.csv", client=Eager())


def test_on_workers(inside, tmp_path):
    path = write(tmp_path, "csv")
    wanted = fit(OnlineClassifier(), path, client=Eager(), shard_bytes=1000, rounds=3)
    model = fit(OnlineClassifier(), path, client=inside, shard_bytes=1000, rounds=3)
    assert model.coef_.tobytes() == wanted.coef_.tobytes()
    assert evaluate(model, path, client=inside, shard_bytes=1000).accuracy > 0.9


def test_bags_frames_and_lists_are_examples_too(inside):
    import dask.bag as db
    import dask.dataframe as dd
    import pandas as pd

    rows = rows_for(0)
    pairs = [({"a": a, "b": b, "city": city}, label) for label, a, b, city, _ in rows]
    lists = [pairs[:40], pairs[40:80], pairs[80:]]
    wanted = fit(OnlineClassifier(), lists, client=Eager(), rounds=3)
    assert wanted.feature_names_[:2] == ["a", "b"]
    assert wanted.classes_.tolist() == ["ham", "spam"]
    assert wanted.predict_one({"a": 7.0, "b": 80.0, "city": "Oslo"}) == "ham"
    bag = db.from_sequence(pairs, npartitions=3)
    assert [len(part) for part in bag.map_partitions(lambda part: [list(part)]).compute()] == [
        40
    ] * 3
    model = fit(OnlineClassifier(), bag, client=inside, rounds=3)
    assert model.coef_.tobytes() == wanted.coef_.tobytes()
    table = pd.DataFrame([(label, a, b, city) for label, a, b, city, _ in rows])
    table.columns = ["label", "a", "b", "city"]
    frame = dd.from_pandas(table, npartitions=3, sort=False)
    model = fit(OnlineClassifier(), frame, "label", client=inside, rounds=3)
    assert model.coef_.tobytes() == wanted.coef_.tobytes()
    futures = [inside.submit(list, part, pure=False) for part in lists]
    model = fit(OnlineClassifier(), futures, client=inside, rounds=3)
    assert model.coef_.tobytes() == wanted.coef_.tobytes()


def test_examples_that_are_none_are_named():
    lists = [[({"a": 1}, 0), ({"a": 2}, 1)], [({"a": float("nan")}, 0)]]
    with pytest.raises(ValueError, match="shard 1, example 0: feature 'a' is nan"):
        fit(OnlineClassifier(), lists, client=Eager())
    with pytest.raises(TypeError, match="shard 0, example 0: an example must be a dict"):
        fit(OnlineClassifier(), [[(3, 0)]], client=Eager())
    with pytest.raises(ValueError, match="cannot make examples of a ndarray"):
        fit(OnlineClassifier(), np.eye(2), client=Eager())


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("kind", FORMATS)
def test_odd_ends_of_lines_and_files(kind, end, tmp_path):
    path = write(tmp_path, kind)
    lines = path.read_text().splitlines()
    start = "\ufeff" if kind != "jsonl" else ""
    if kind in ("csv", "tsv"):
        start += end * 3
    text = start + end.join([*lines[:50], *([""] * 7), *lines[50:]])
    path.write_bytes(text.encode())  # without an end of the last line
    reading = Reading(dtype="float64", labelled=True)
    for size in (50, 300, 1111):
        cut = cut_files([path], reading, None, size)
        parts = [read_shard(shard, cut.reading, cut.names) for shard in cut.shards]
        assert sum(len(part.labels) for part in parts) == 120


def test_binary_files_are_a_shard_each(tmp_path):
    import pandas as pd

    rows = [row[:4] for row in rows_for(0)]
    table = pd.DataFrame(rows, columns=["label", "a", "b", "city"])
    table[:60].to_parquet(tmp_path / "one.parquet")
    table[60:].to_parquet(tmp_path / "two.parquet")
    X, y = table[["a", "b"]].to_numpy(), (table["label"] == "spam").to_numpy().astype(np.int64)
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "labels.npy", y)
    model = fit(OnlineClassifier(), tmp_path / "*.parquet", client=Eager(), rounds=3)
    assert [each.examples for each in rounds_of(model).passes[0]] == [60, 60]
    assert evaluate(model, tmp_path / "*.parquet", client=Eager()).accuracy > 0.6
    arrays = {"labels": str(tmp_path / "labels.npy")}
    model = fit(OnlineClassifier(), tmp_path / "rows.npy", client=Eager(), rounds=3, **arrays)
    assert model.metadata["summary"]["examples"] == 120
    assert model.n_features_ == 2


def test_files_in_a_folder_of_their_own(tmp_path, monkeypatch):
    write(tmp_path, "text")
    monkeypatch.chdir(tmp_path)
    cut = cut_files(["rows.txt"], Reading(labelled=True), None, 500)
    assert {shard.name for shard in cut.shards} == {"rows.txt"}
    assert {shard.path for shard in cut.shards} == {str(tmp_path / "rows.txt")}
    (tmp_path / "rows.txt").unlink()
    with pytest.raises(ValueError, match=r"a worker cannot find .* under the same path"):
        read_shard(cut.shards[0], cut.reading, cut.names)


@pytest.mark.parametrize("mixing", ["mistakes", "uniform"])
def test_three_classes_and_importance_weights(mixing, tmp_path):
    rng = np.random.default_rng(0)
    path, lines = tmp_path / "rows.vw", []
    for k in range(300):
        label, weight = int(rng.integers(3)), float(rng.choice([0, 0.5, 1, 3]))
        lines.append(f"{label + 1} {weight} | a:{label + rng.normal() / 4:.3f} is{label} w{k % 7}")
    path.write_text("\n".join(lines))
    counted = sum(float(line.split()[1]) > 0 for line in lines)
    for learner in ("logistic", "perceptron", "arow"):
        model = OnlineClassifier(learner, classes=[1, 2, 3, 4])
        fit(model, path, client=Eager(), shard_bytes=1000, rounds=4, mixing=mixing)
        assert model.classes_.tolist() == [1, 2, 3, 4]
        assert sum(each.examples for each in rounds_of(model).passes[0]) == counted
        found = evaluate(model, path, client=Eager(), shard_bytes=1000)
        assert found.has_weights
        assert found.accuracy > 0.97
