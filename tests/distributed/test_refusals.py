"""What cannot be distributed, and shards that do not fit together: one clear line each."""

import subprocess
import sys

import dask.array as da
import numpy as np
import pytest
from distributed import Client

from rosenblatt import KernelPerceptron, OnlineClassifier, Perceptron, VotedPerceptron
from rosenblatt.distributed import ClusterError, fit
from rosenblatt.distributed.cluster import Cluster, _check_workers
from rosenblatt.distributed.local import local_client
from tests.distributed.eager import Eager

X, Y = [np.eye(2), np.eye(2)], [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("source", "y", "problem"),
    [
        ([np.eye(2), np.eye(3)], [[0, 1], [0, 1, 1]], "shard 1 has 3 columns, but shard 0 has 2"),
        ([np.eye(2), np.eye(2)], [[0, 1], ["a", "b"]], "shard 1: .* mixed types"),
        ([np.eye(2), np.eye(2)], [[0, 1], [0]], "shard 1: X has 2 rows but y has 1 labels"),
        ([np.eye(2), [[np.nan, 1]]], [[0, 1], [0]], "shard 1: .*NaN"),
        ([np.eye(2), np.eye(2)], [[0, 0], [0, 0]], "one class only"),
        ([np.empty((0, 2))], [[]], "all shards are empty"),
        (np.eye(2), [0, 1], "in the memory of this process"),
        ([], None, "cannot make shards of a list"),
        ([np.eye(2)], None, "shard 0 is not a pair"),
        ([np.eye(2), np.eye(2)], [[0, 1]], "2 shards of rows, and y is 1"),
        (3, None, "cannot make shards of a int"),
    ],
)
def test_shards_that_do_not_fit(inside, source, y, problem):
    model = Perceptron()
    with pytest.raises((TypeError, ValueError), match=problem) as found:
        fit(model, source, y, client=inside)
    assert "\n" not in str(found.value)
    assert not hasattr(model, "classes_")


def test_dask_collections_that_do_not_fit(inside):
    rows, labels = da.ones((4, 2), chunks=2), da.ones(4, chunks=1)
    with pytest.raises(ValueError, match="rows are cut into 2 parts, and y into 4"):
        fit(Perceptron(), rows, labels, client=inside)
    with pytest.raises(ValueError, match="y is missing"):
        fit(Perceptron(), rows, client=inside)
    with pytest.raises(ValueError, match="y must be a Dask collection"):
        fit(Perceptron(), rows, [0, 1], client=inside)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (VotedPerceptron(), "VotedPerceptron does not distribute: .* use AveragedPerceptron"),
        (KernelPerceptron(), "KernelPerceptron does not distribute: .* a linear learner"),
        (Perceptron(record=True), "record=False"),
        (Perceptron(eta0=-1), "eta0 must be a positive number"),
    ],
)
def test_learners_that_do_not_distribute_say_why(inside, model, why):
    with pytest.raises(ValueError, match=why) as found:
        fit(model, X, Y, client=inside)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"rounds": 0}, "rounds=0 must be 1 or more"),
        ({"mixing": "mean"}, "mixing='mean' must be one of mistakes, uniform"),
        ({"resume": True}, "resume=True needs a checkpoint"),
    ],
)
def test_options_that_make_no_sense(inside, options, problem):
    with pytest.raises(ValueError, match=problem):
        fit(Perceptron(), X, Y, client=inside, **options)


def _no_client():
    raise ValueError("No global client found")


def test_workers_with_another_version(inside, monkeypatch):
    monkeypatch.setattr("rosenblatt.distributed.cluster.__version__", "999.0")
    with pytest.raises(ClusterError, match=r"has rosenblatt .*, and this is 999\.0: install"):
        _check_workers(inside)


def test_without_a_client(monkeypatch):
    monkeypatch.setattr("distributed.get_client", _no_client)
    with pytest.raises(ClusterError, match="there is no Dask client: start one"):
        fit(Perceptron(), X, Y)


def test_a_cluster_without_workers_is_one_line(monkeypatch):
    monkeypatch.setattr("rosenblatt.distributed.cluster.WAIT_FOR_WORKERS", 0.2)
    monkeypatch.setattr("rosenblatt.distributed.cluster.WITHOUT_WORKERS", 0.5)
    monkeypatch.setattr("rosenblatt.distributed.cluster._LOOK", 0.1)
    with Client(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as client:
        cluster = Cluster(client)
        client.retire_workers()
        while client.nthreads():
            pass
        with pytest.raises(ClusterError, match=r"^waiting: the cluster has had no workers for"):
            cluster.results([cluster.submit("wait", len, "abc")], "waiting")
        with pytest.raises(ClusterError, match="has no workers: start some, such as dask worker"):
            fit(Perceptron(), X, Y, client=client)


def test_words_that_mean_nothing_are_refused():
    pairs = [[({"a": 1.0}, "x"), ({"b": 1.0}, "y")]]
    with pytest.raises(TypeError, match="'rounds_' says how to read files, and these are none"):
        fit(OnlineClassifier(), pairs, client=Eager(), rounds_="rounds")
    with pytest.raises(ValueError, match=r"rounds=2\.5 must be 1 or more, and whole"):
        fit(OnlineClassifier(), pairs, client=Eager(), rounds=2.5)
    with pytest.raises(ValueError, match="shard_bytes=-1 must be 1 or more"):
        fit(OnlineClassifier(), pairs, client=Eager(), shard_bytes=-1)


def test_dask_is_loaded_when_it_is_used():
    code = "import rosenblatt.distributed, sys; print({'dask', 'distributed'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'rosenblatt\[cluster\]'"):
        fit(Perceptron(), X, Y)
    with pytest.raises(ModuleNotFoundError, match="needs Dask"), local_client(2):
        pass


@pytest.mark.slow
def test_a_script_that_each_worker_would_run_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from rosenblatt.distributed import local_client\nwith local_client(2): print('started')\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert not done.stdout
    assert "put what it does below if __name__ == '__main__'" in done.stderr.splitlines()[-1]
    assert done.stderr.count("Traceback") == 1
