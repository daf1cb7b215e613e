"""Shared data: deck B's example, and data with whole numbers, on which all arithmetic is exact."""

import functools
import inspect
import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

# SciPy reads this when it is imported; scikit-learn skips a check without it.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# Processes that tests start load compiled modules, as those of people do.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Started in the background by a script, pytest ignores Ctrl-C, and so would all that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import HealthCheck, given, settings
from sklearn.utils.fixes import parse_version

from rosenblatt.datasets import load
from rosenblatt.datasets.files import folder

# Real data sets, where this checkout has them beside it; tests that need one skip otherwise.
_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
if _DATA.is_dir():
    os.environ.setdefault("ROSENBLATT_DATA", str(_DATA))

settings.register_profile(
    "rosenblatt", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("rosenblatt")


OWN_LOOPS = {"arow", "passive-aggressive"}


def since_sklearn(version, why):
    """Leave a comparison out where an older scikit-learn, which is supported, computes another."""
    older = parse_version(sklearn.__version__) < parse_version(version)
    return pytest.mark.skipif(older, reason=f"before scikit-learn {version} {why}")


def pytest_collection_modifyitems(items):
    """Sort out what `make test` leaves out, and begin with the longest tests.

    Four rules mark tests as slow, besides the marker itself:

    - A rare layout has code compiled that hardly anybody runs. ``C order`` and ``CSR, 32-bit``
      are quick, so that each loop is tested on dense and on sparse rows.
    - So does a layout of float32, unless the test is marked as quick.
    - So do learners with loops of their own, which have tests of their own, in tests of all.
    - A browser takes seconds. Few of its tests are marked as quick, some for each screen.
    """
    for item in items:
        costly = has_float32_layout(item) or needs_browser(item) or params_of(item) & OWN_LOOPS
        if has_rare_layout(item) or (costly and not item.get_closest_marker("quick")):
            item.add_marker(pytest.mark.slow)
    # A long test at the end would have one core wait.
    items.sort(key=lambda item: item.path.name not in ("test_docs.py", "test_threads.py"))


def params_of(item):
    """Return what a test is parametrised with, as far as it can be looked up."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return {value for value in values if isinstance(value, str | type)}


def has_rare_layout(item):
    """Tell whether a test is parametrised with the name of a layout that is not an everyday one."""
    return bool(params_of(item) & (set(LAYOUTS) - EVERYDAY))


def has_float32_layout(item):
    """Tell whether a test is parametrised with a layout and with float32."""
    return bool(params_of(item) & EVERYDAY and params_of(item) & {np.float32, "float32", "f4"})


def needs_browser(item):
    """Tell whether a test opens a page of the lab in Chromium."""
    return "launch" in getattr(item, "fixturenames", ())


def slow(cases):
    """Mark cases of a parametrised test as slow.

    >>> slow(["a", ("b", 2)])[1]
    ParameterSet(values=('b', 2), marks=(MarkDecorator(mark=Mark(name='slow', ...),), id=None)
    """
    params = (case if hasattr(case, "marks") else as_param(case) for case in cases)
    return [param._replace(marks=(*param.marks, pytest.mark.slow)) for param in params]


def as_param(case):
    return pytest.param(*case) if isinstance(case, tuple) else pytest.param(case)


def first_quick(cases, quick=1):
    """Mark all cases as slow but the first ones, where those show that it works."""
    cases = list(cases)
    return [*cases[:quick], *slow(cases[quick:])]


def every_quick(cases, step):
    """Mark all cases as slow but every so many-th, where they are alike.

    >>> [isinstance(case, str) for case in every_quick("abcdef", 3)]
    [True, False, False, True, False, False]
    """
    return [case if k % step == 0 else slow([case])[0] for k, case in enumerate(cases)]


def examples(quick, full, **strategies):
    """Make two tests of a property: a quick one of some examples, and a slow one of all.

    It stands for ``@settings(max_examples=full)`` and ``@given(**strategies)``.
    """

    def decorate(check):
        tests = {n: settings(max_examples=n)(given(**strategies)(check)) for n in (quick, full)}

        @functools.wraps(check)
        def test(*args, n_examples, **others):
            tests[n_examples](*args, **others)

        given_by_pytest = [
            parameter
            for name, parameter in inspect.signature(check).parameters.items()
            if name not in strategies
        ]
        n_examples = inspect.Parameter("n_examples", inspect.Parameter.KEYWORD_ONLY)
        test.__signature__ = inspect.Signature([*given_by_pytest, n_examples])
        return pytest.mark.parametrize("n_examples", [quick, *slow([full])])(test)

    return decorate


@pytest.fixture
def dataset():
    """For every test: ``dataset("sonar")`` is the data set of that name, or skips, saying so."""

    def get(name, **options):
        if not (folder() / name).is_dir():
            pytest.skip(f"needs the data set {name!r}, and there is no {folder() / name}")
        return load(name, **options)

    return get


@pytest.fixture
def file(tmp_path):
    """Return a function that writes bytes or text to a file, and returns its path."""

    def write(content, name="f"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def bounded(tmp_path):
    """Return a function that runs a script in a process where compiled code checks its indices."""

    def run(script):
        environment = {
            **os.environ,
            "NUMBA_BOUNDSCHECK": "1",
            "NUMBA_CACHE_DIR": str(tmp_path),
            "PYTHONPATH": os.pathsep.join(["src", "."]),
        }
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.stdout.splitlines() == ["checks are on", "nothing was outside"], done.stderr

    return run


@pytest.fixture
def deck_b():
    """The six examples of deck B, whose perceptron errs on the 1st, 3rd and 5th."""
    X = np.array([[-1.0, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]])
    return X, np.array([-1, 1, 1, -1, -1, 1])


def takes_at_most(seconds, act, tries=5):
    """Return whether the fastest of several tries takes at most so much processor time.

    Seconds are those of a usual processor: on a slow machine there may be more. Time that others
    take does not count, nor what else this process does during one of the tries.
    """
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

    def total():
        used = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
        return sum(each.ru_utime + each.ru_stime for each in used)

    def spent(act):
        began = total()
        act()
        return total() - began

    def slowness():
        return max(1, spent(lambda: sum(k * k for k in range(100_000))) / 0.005)

    return any(spent(act) / slowness() <= seconds for _ in range(tries))


def whole_numbers(seed, n=120, d=7, n_classes=2, noise=0.1):
    """Rows of small integers: sums of them are exact in float32, in any order."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)) * (rng.random((n, d)) < 0.6)
    scores = X @ rng.integers(-3, 4, size=(d, n_classes))
    y = scores.argmax(axis=1)
    flips = rng.random(n) < noise
    y[flips] = rng.integers(n_classes, size=flips.sum())
    y[:n_classes] = np.arange(n_classes)  # every class is there
    return X.astype(float), y


def rounding(seed, n=150, d=9, n_classes=2, dtype=np.float64, noise=0.2):
    """Rows whose sums round, so that one more or less fused operation would show."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)).astype(dtype)
    y = (X @ rng.standard_normal((d, n_classes))).argmax(axis=1)
    flips = rng.random(n) < noise
    y[flips] = rng.integers(n_classes, size=flips.sum())
    y[:n_classes] = np.arange(n_classes)
    return X, y


def separable(seed, n=60, d=4, margin=0.5):
    """Rows of normal numbers at least a margin away from a random plane, and their sides of it."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((4 * n, d))
    w = rng.standard_normal(d)
    score = X @ w / np.linalg.norm(w) + 0.3
    X, score = X[np.abs(score) > margin][:n], score[np.abs(score) > margin][:n]
    return X, np.where(score > 0, 1, -1)


def csr(X, index, kind=sp.csr_matrix):
    matrix = kind(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return matrix


def in_turn(cases, choices, each=1):
    """Give every case some of the choices, which take turns, where all of them cost too much.

    >>> in_turn([("a", 2), ("a", 3), ("b", 2), ("b", 3)], ["f4", "f8"])
    [('a', 2, 'f4'), ('a', 3, 'f8'), ('b', 2, 'f8'), ('b', 3, 'f4')]
    """
    choices = [choice if isinstance(choice, tuple) else (choice,) for choice in choices]
    # Each round starts one further on, so that no choice is always with the same of two cases.
    turns = (choices[(j + j // len(choices)) % len(choices)] for j in itertools.count())
    return [(*case, *next(turns)) for case in cases for _ in range(each)]


LAYOUTS = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "CSR, 32-bit": lambda X: csr(X, np.int32),
    "CSR, 64-bit": lambda X: csr(X, np.int64),
    "CSR array": lambda X: csr(X, np.int32, sp.csr_array),
    "CSR, shuffled and doubled indices": lambda X: messy(X),
}
EVERYDAY = {"C order", "CSR, 32-bit"}


def messy(X):
    """A CSR matrix with unsorted indices, and each value split into two that add up to it."""
    clean = sp.csr_matrix(X)
    rng = np.random.default_rng(0)
    indptr, indices, data = 2 * clean.indptr, [], []
    for start, stop in zip(clean.indptr[:-1], clean.indptr[1:], strict=True):
        order = rng.permutation(2 * (stop - start))
        indices.append(np.repeat(clean.indices[start:stop], 2)[order])
        halves = np.stack([clean.data[start:stop] - 1, np.ones(stop - start)], axis=1).ravel()
        data.append(halves[order])
    parts = np.concatenate(data).astype(X.dtype), np.concatenate(indices), indptr
    return sp.csr_matrix(parts, shape=X.shape)
