"""The package's names, and what importing it costs."""

import subprocess
import sys
from operator import attrgetter

import pytest

import rosenblatt
from tests.conftest import first_quick

HEAVY = [
    "river",
    "sklearn",
    "numba",
    "scipy",
    "matplotlib",
    "dask",
    "starlette",
    "rich",
    "pandas",
    "numpy",
]


def test_all_names_exist():
    for name in rosenblatt.__all__:
        assert getattr(rosenblatt, name) is not None
    assert set(rosenblatt.__all__) <= set(dir(rosenblatt))


@pytest.mark.slow
def test_parts_are_reached_by_their_names():
    code = (
        "import rosenblatt; print(rosenblatt.reference.perceptron, rosenblatt.plot.plot_boundary)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert {"datasets", "plot", "reference", "geometry"} <= set(dir(rosenblatt))


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Perceptrom'"):
        attrgetter("Perceptrom")(rosenblatt)


def test_import_loads_nothing_heavy():
    code = "import rosenblatt, sys; print(*sorted(set(m.split('.')[0] for m in sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not set(HEAVY) & set(loaded)


def test_tagging_loads_no_scikit_learn(tmp_path):
    code = (
        "import sys; from rosenblatt import SequenceTagger, load, save;"
        "tagger = SequenceTagger('word').fit([['a', 'b']], [['X', 'Y']]); tagger.predict([['a']]);"
        f"save(tagger, {str(tmp_path / 't.model')!r}); load({str(tmp_path / 't.model')!r});"
        "print(*(name for name in ('sklearn', 'pandas', 'rich') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_fitting_loads_no_matplotlib():
    code = (
        "import sys; from rosenblatt import Perceptron; Perceptron().fit([[0.], [1.]], [0, 1]);"
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"matplotlib", "rich", "IPython", "dask"} & set(loaded)


@pytest.mark.slow
def test_a_module_hides_no_function_and_comparing_needs_no_pictures():
    code = (
        "import sys; from rosenblatt import model_selection;"
        "import rosenblatt.model_selection.compare;"
        "from rosenblatt import compare, select, prepare;"
        "assert callable(compare) and callable(model_selection.compare);"
        "compare([[0.], [1.]] * 4, [0, 1] * 4, models=['Perceptron']); print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"matplotlib", "polars", "IPython"} & set(loaded)


FORMER = (
    "import rosenblatt as r; r.choosing.corners('and'); r.sequence.templates.parse('word')",
    "from rosenblatt.choosing.select import select; from rosenblatt.choosing import compare",
    "from rosenblatt.sequence import spans; import rosenblatt.sequence.chains",
)


@pytest.mark.parametrize("code", first_quick(FORMER))
def test_former_names_work_for_one_release(code):
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True
    )
    assert "DeprecationWarning" in done.stderr
