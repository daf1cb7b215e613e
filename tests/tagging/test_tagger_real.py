"""SequenceTagger on real text: as good as published, quickly, and small."""

from time import process_time

import numpy as np
import pytest

from rosenblatt import SequenceTagger
from rosenblatt.tagging.schemes import convert


def megabytes(model):
    parts = (*model._state, *model._features)
    return sum(part.nbytes for part in parts if isinstance(part, np.ndarray)) / 1e6


@pytest.fixture(scope="module")
def chunker():
    return SequenceTagger(max_iter=10)


@pytest.mark.slow
def test_phrases_of_conll2000(dataset, chunker):
    data = dataset("conll2000")
    began = process_time()
    chunker.fit(data.X, data.y)
    assert process_time() - began < 60  # two seconds, where nothing else runs
    assert chunker.scheme_ == "iob2"
    report = chunker.evaluate(data.X_test, data.y_test)
    assert report.f1 >= 0.938
    assert report.types["NP"].f1 >= 0.941
    assert chunker.score(data.X_test, data.y_test) == report.f1
    assert megabytes(chunker) < 10
    # No tags that are not allowed, in any sentence.
    for tags in chunker.predict(data.X_test):
        assert convert(tags, "iob2") == tags
    # The surest tenth of the sentences are right far more often than the others.
    found, sure = chunker.predict(data.X_test), chunker.confidence(data.X_test)
    right = np.array([a == list(b) for a, b in zip(found, data.y_test, strict=True)])
    order = np.argsort(-sure)
    tenth = len(order) // 10
    assert right[order[:tenth]].mean() > 0.9 > 0.5 > right[order[-tenth:]].mean()


@pytest.mark.slow
def test_parts_of_speech_of_ewt(dataset):
    data = dataset("ud_english_ewt")
    began = process_time()
    tagger = SequenceTagger(max_iter=10).fit(data.X, data.y)
    assert process_time() - began < 60
    assert tagger.score(data.X_test, data.y_test) >= 0.95
    assert tagger.scheme_ is None
    assert megabytes(tagger) < 10
    best = SequenceTagger(max_iter=10, n_iter_no_change=3).fit(
        data.X, data.y, validation=(data.X_validation, data.y_validation)
    )
    assert best.score(data.X_validation, data.y_validation) == best.validation_curve_.max()
