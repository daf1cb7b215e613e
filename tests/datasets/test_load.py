"""The data sets are what their provenance says, and are found or refused in plain words."""

import doctest
import gzip

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt
from rosenblatt.datasets import fetch, load, loading, names, parsing, status, table
from rosenblatt.datasets.catalog import CATALOG, Entry
from rosenblatt.datasets.parsing import Parts
from tests.conftest import every_quick

SHAPES = {
    "a9a": ((32561, 123), (16281, 123), {-1: 24720, 1: 7841}),
    "adult": ((32561, 14), (16281, 14), {"<=50K": 24720, ">50K": 7841}),
    "banknote": ((1372, 4), None, {0: 762, 1: 610}),
    "cbcl_faces": ((6977, 361), (24045, 361), {0: 4548, 1: 2429}),
    "conll2000": ((8936,), (2012,), None),
    "ionosphere": ((351, 34), None, {"b": 126, "g": 225}),
    "khan_srbct": ((63, 2308), (20, 2308), {1: 8, 2: 23, 3: 12, 4: 20}),
    "mnist": ((60000, 784), (10000, 784), None),
    "mushroom": ((8124, 22), None, {"e": 4208, "p": 3916}),
    "ocr_letters": ((52152, 128), None, None),
    "sms_spam": ((5574,), None, {"ham": 4827, "spam": 747}),
    "sonar": ((208, 60), None, {"M": 111, "R": 97}),
    "spamassassin": ((6046,), None, {"ham": 4149, "spam": 1897}),
    "spambase": ((4601, 57), None, {0: 2788, 1: 1813}),
    "ud_english_ewt": ((12544,), (2077,), None),
    "w8a": ((49749, 300), None, {-1: 48270, 1: 1479}),
}
SENTENCES = ("conll2000", "ud_english_ewt")


@pytest.mark.parametrize("name", every_quick(SHAPES, 4))
def test_each_has_its_rows_and_classes(dataset, name):
    shape, test_shape, counts = SHAPES[name]
    data = dataset(name)
    assert data.X.shape == shape
    assert len(data.y) == shape[0]
    assert (data.X_test.shape if test_shape else data.X_test) == test_shape
    assert data.y_test is None if test_shape is None else len(data.y_test) == test_shape[0]
    if name not in SENTENCES:
        assert len(data.feature_names) == (data.X.shape[1] if data.X.ndim == 2 else 1)
    if counts:
        values, found = np.unique(data.y, return_counts=True)
        assert dict(zip(values.tolist(), found.tolist(), strict=True)) == counts
    if test_shape and name not in SENTENCES:
        assert set(data.y_test.tolist()) == set(data.y.tolist())
    assert name in repr(data)
    assert len(repr(data)) < 200


def test_names_and_table_list_them_all():
    assert names() == sorted(SHAPES) == sorted(CATALOG)
    assert [line.split()[0] for line in table().splitlines()] == names()
    assert len({line.index(" ", 14) for line in table().splitlines()}) == 1
    assert rosenblatt.datasets.names() == names()


def test_sparse_sets_are_sparse_and_pictures_are_bytes(dataset):
    assert sp.issparse(dataset("w8a").X)
    assert dataset("w8a").X.nnz == 579586
    mnist = dataset("mnist")
    assert mnist.X.dtype == np.uint8
    assert mnist.y[:5].tolist() == [5, 0, 4, 1, 9]
    assert np.bincount(mnist.y_test).tolist()[:2] == [980, 1135]


def test_columns_of_categories(dataset):
    adult = dataset("adult")
    assert adult.X[0, :4].tolist() == [39, "State-gov", 77516, "Bachelors"]
    frame = dataset("adult", as_frame=True).X
    assert frame.columns.tolist() == list(adult.feature_names)
    numbers = [name for name in frame.columns if frame[name].dtype.kind == "i"]
    assert numbers == [
        *("age", "fnlwgt", "education-num"),
        *("capital-gain", "capital-loss", "hours-per-week"),
    ]
    assert dataset("mushroom", as_frame=True).X["odor"].nunique() == 9


@pytest.mark.slow
def test_as_frame_of_numbers_and_of_texts(dataset):
    assert dataset("banknote", as_frame=True).X.dtypes.unique().tolist() == [np.float64]
    assert dataset("sms_spam", as_frame=True).X["text"][1] == "Ok lar... Joking wif u oni..."
    with pytest.raises(ValueError, match="'a9a' is sparse; load it without as_frame"):
        dataset("a9a", as_frame=True)
    with pytest.raises(ValueError, match="'conll2000' is made of sentences; load it without as_f"):
        dataset("conll2000", as_frame=True)


def test_a_data_set_cannot_be_changed(dataset):
    with pytest.raises(AttributeError):
        dataset("sonar").X = None


@pytest.mark.parametrize("name", ["iris", "../sonar", "", None, ["sonar"]])
@pytest.mark.parametrize("ask", [load, fetch, status])
def test_unknown_name_lists_the_known(name, ask):
    with pytest.raises(ValueError, match="there are a9a, adult"):
        ask(name)


def test_status_looks_for_files_and_parts(cache):
    here = cache / "khan_srbct"
    assert status("khan_srbct") == "not here"
    here.mkdir(parents=True)
    assert status("khan_srbct") == "not here"
    (here / "Khan_xtest.csv.part").touch()
    assert status("khan_srbct") == "partly here"
    (here / "Khan_xtest.csv.part").unlink()
    for file in ("Khan_xtest.csv.gz", "Khan_xtrain.csv", "Khan_ytest.csv", "Khan_ytrain.csv"):
        assert status("khan_srbct") == ("partly here" if list(here.iterdir()) else "not here")
        (here / file).touch()
    assert status("khan_srbct") == "here"


def test_fetch_then_load(site, cache, monkeypatch):
    def read(files):
        return Parts(np.frombuffer(files["toy.csv"], np.uint8).reshape(-1, 2), np.zeros(100_000))

    entry = Entry("bytes", (site.file(),), read, ("left", "right"), "home")
    monkeypatch.setitem(CATALOG, "toy", entry)
    told = []
    assert fetch("toy", lambda *now: told.append(now)) == cache / "toy"
    assert told[-1] == (200_000, 200_000)
    assert status("toy") == "here"
    data = load("toy", as_frame=True, progress=lambda *now: told.append("nothing to do"))
    assert data.X.shape == (100_000, 2)
    assert told[-1] != "nothing to do"
    (cache / "toy" / "toy.csv").unlink()
    assert load("toy", progress=lambda *now: told.append("here again")).X.shape == (100_000, 2)
    assert told[-1] == "here again"
    assert site.asked == [None, None]


def test_svmlight_skips_empty_lines_and_keeps_empty_rows():
    X, y = parsing.svmlight(b"1 2:0.25 3:-1e3\r\n\r\n-1\r\n+1 1:7\r\n", 4)
    assert X.toarray().tolist() == [[0, 0.25, -1000, 0], [0, 0, 0, 0], [7, 0, 0, 0]]
    assert y.tolist() == [1, -1, 1]


def test_an_archive_with_a_pickle_is_refused(tmp_path):
    np.savez(tmp_path / "bad.npz", X=np.array([{}], object))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        parsing.arrays((tmp_path / "bad.npz").read_bytes())


def test_idx_reads_its_dimensions():
    content = bytes([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, *range(6)])
    assert parsing.idx(content).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_packed_or_not_is_the_same(dataset, tmp_path, monkeypatch):
    packed = dataset("banknote")
    stored = rosenblatt.datasets.files.folder() / "banknote" / "banknote_authentication.csv"
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path))
    (tmp_path / "banknote").mkdir()
    with gzip.open(tmp_path / "banknote" / f"{stored.name}.gz", "wb") as out:
        out.write(stored.read_bytes())
    np.testing.assert_array_equal(load("banknote").X, packed.X)


def test_examples_of_the_reference_are_right_where_their_data_are(dataset):
    """They are skipped by themselves, so that nobody downloads anything to run them."""
    dataset("sonar")
    found = doctest.DocTestFinder().find(loading, globs={**vars(loading)})
    examples = [test for test in found if any(one.options for one in test.examples)]
    assert len(examples) == 3
    for test in examples:
        for one in test.examples:
            one.options.clear()
        assert doctest.DocTestRunner().run(test).failed == 0
