"""Fit the probabilities of a model to rows of files that it did not learn from."""

from rosenblatt.data.labels import places
from rosenblatt.evaluation.files import labelled_rows
from rosenblatt.evaluation.metrics import Confusion
from rosenblatt.prediction.model_files import Online, located
from rosenblatt.readers.reader import CountingReader
from rosenblatt.stream.calibration import Rows, joined

ENOUGH = 1 << 20  # scores, of all classes together: more would not change the digits


def calibrate_files(predictor: Online, reader: CountingReader) -> int:
    """Fit the probabilities of a model to the labelled rows, or the first of very many.

    Return how many there were; of none, nothing changes.
    """
    classes = Confusion(predictor.model.classes_).classes
    names = predictor.names
    frozen, names.frozen = names.frozen, True
    reader.names = names
    found: list[Rows] = []
    size = 0
    try:
        for block in reader:
            rows, labels, weights = labelled_rows(block, False)
            if not len(labels):
                continue
            with located(block, labelled_only=True):
                scores = predictor.ranking(rows)
            codes = places(classes, labels)
            used = codes >= 0 if weights is None else (codes >= 0) & (weights > 0)
            own = None if weights is None else weights[used]
            found.append(Rows(scores[used], codes[used], own))
            size += scores.size
            if size >= ENOUGH:
                break
    finally:
        names.frozen = frozen
        reader.close()
    whole = joined(found)
    if whole is None:
        return 0
    predictor.model.fit_calibration(*whole)
    return len(whole.codes)
