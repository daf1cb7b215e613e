"""What a notebook shows: every table once, and as text where text was asked for."""

import re
from ast import literal_eval

import nbformat
import pytest
from nbclient import NotebookClient

ROWS = r"learner .*\n.*\n?─+\nAveragedPerceptron .*\nPerceptron .*"


@pytest.fixture(scope="module")
def outputs():
    """What the cells put out, by their first words."""
    cells = [
        """
from sklearn.datasets import load_iris
from rosenblatt import Perceptron, compare, mistake_bound, select, separate, trace, waiting
X, y = load_iris(return_X_y=True)
both = ["Perceptron", "AveragedPerceptron"]
compared = compare(X, y, models=both)
texts = [str(compared), repr(compared), compared.describe()]
texts += [str(select(Perceptron(), {"shuffle": [True, False]}, X, y == 0, n_jobs=1))]
texts += [str(separate(X, y == 0)), str(trace(X, y == 0))]
""",
        "print(texts[0])",
        "texts",
        "compared",
        "watched = compare(X, y, models=both, verbose=1)",
        "certificate = separate(X, y == 0)\ncertificate",
        "bound = mistake_bound(X, y == 0)\nbound",
        """
import sys, warnings
sys.modules["ipywidgets"] = None  # whoever imports it fails
warnings.simplefilter("error")
Perceptron(max_iter=3, tol=None, verbose=1).fit(X, y)
print("done")
""",
        """
waiting.PATIENCE = 0.0
late = separate(X, y == 0)
""",
    ]
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return {cell.source.split()[0]: cell.outputs for cell in notebook.cells}


@pytest.mark.slow
def test_text_is_made_without_a_word(outputs):
    assert outputs["from"] == []


def test_the_text_has_the_table(outputs):
    (shown,) = outputs["print(texts[0])"]
    assert re.search(ROWS, shown["text"])


def test_all_texts_have_theirs(outputs):
    (shown,) = outputs["texts"]
    texts = literal_eval(shown["data"]["text/plain"])
    assert texts[0] == texts[1]
    for text in texts[:4]:
        assert re.search(r"\n?─{20,}\n\S", text)
    assert all(texts)


def test_what_a_cell_ends_with_is_shown_once(outputs):
    (shown,) = outputs["compared"]
    assert shown["output_type"] == "execute_result"
    assert re.search(ROWS, shown["data"]["text/plain"])
    assert shown["data"]["text/html"].count("<table>") == 1


def test_progress_is_one_line(outputs):
    (shown,) = outputs["watched"]
    assert shown["data"]["text/plain"] == f"compare {'█' * 12} 2/2"


@pytest.mark.parametrize("cell", ["certificate", "bound"])
def test_certificates_and_bounds_are_shown_once_with_a_picture(outputs, cell):
    (shown,) = outputs[cell]
    assert shown["output_type"] == "execute_result"
    html = shown["data"]["text/html"]
    assert html.count('<svg role="img" aria-label="') == 1
    assert html.count("<table>") == 1


def test_a_bar_is_a_line_of_text_where_there_are_no_widgets(outputs):
    bar, printed = outputs["import"]
    assert list(bar["data"]) == ["text/plain"]
    assert re.match(r"Perceptron █{12} pass 3/3 · .* rows/s", bar["data"]["text/plain"])
    assert printed["output_type"] == "stream"
    assert printed["name"] == "stdout"  # no warning


def test_long_work_ends_as_one_line(outputs):
    (shown,) = outputs["waiting.PATIENCE"]
    assert re.fullmatch(r"separate: [\d.]+ s", shown["data"]["text/plain"])
