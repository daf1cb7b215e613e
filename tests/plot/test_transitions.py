"""Transitions as a table of colours."""

import numpy as np
import pytest

from rosenblatt import SequenceTagger
from rosenblatt.plot import plot_transitions

X = [["a", "cat", "in", "New", "York"], ["New", "cats"]]
Y = [["O", "O", "O", "B-L", "I-L"], ["O", "O"]]


@pytest.fixture(scope="module")
def tagger():
    return SequenceTagger("word").fit(X, Y)


def test_cells_are_weights_and_what_is_forbidden_is_masked(tagger):
    ax = plot_transitions(tagger)
    cells = ax.get_images()[0].get_array()
    assert cells.shape == (4, 3)
    names = tagger.classes_.tolist()
    assert [text.get_text() for text in ax.get_xticklabels()] == names
    inside = names.index("I-L")
    assert cells.mask[0, inside]  # at the start
    assert cells.mask[1 + names.index("O"), inside]
    assert not cells.mask[1 + names.index("B-L"), inside]
    weights = tagger.transitions_[np.isfinite(tagger.transitions_)]
    np.testing.assert_array_equal(cells[1:].data[~cells[1:].mask], weights)


def test_some_tags_in_another_order(tagger):
    ax = plot_transitions(tagger, ["O", "B-L"])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["(start)", "O", "B-L"]


@pytest.mark.parametrize(
    ("tags", "why"), [(["X"], "no tag 'X'; the tags are B-L, I-L, O"), ([], "0 tags")]
)
def test_tags_that_cannot_be_shown(tagger, tags, why):
    with pytest.raises(ValueError, match=why):
        plot_transitions(tagger, tags)
