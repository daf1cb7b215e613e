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
from rosenblatt import Perceptron, compare, select, separate, trace
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
