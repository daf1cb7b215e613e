"""What a model file keeps of a tagger's training: how files are read, facts, and the words."""

from typing import Any

from rosenblatt.data.rows import Array
from rosenblatt.tagging.file_layout import TagReading


def metadata_of(
    model: Any,
    reading: TagReading,
    files: list[list[Any]],
    sentences: int,
    tokens: int,
    words: tuple[Array, Array] | None,
    metric: str | None = None,
) -> dict[str, Any]:
    """Return what is kept with a tagger that learned from files.

    Parameters
    ----------
    model : SequenceTagger
        The tagger, fitted.
    reading : TagReading
        How its files are read.
    files : list of [str, int]
        Names and sizes of the training files.
    sentences, tokens : int
        How many there are in them.
    words : pair of arrays or None
        Their distinct words, as `rosenblatt.tagging.corpus.Column` has them: letters and ends.
    metric : str or None
        What passes were evaluated by: F1 or accuracy.

    Returns
    -------
    dict
        Only what is the same when the run is repeated.
    """
    scores = [] if metric is None else model.validation_curve_.tolist()
    found: dict[str, Any] = {
        "reading": reading.header(),
        "summary": {
            "files": files,
            "sentences": sentences,
            "tokens": tokens,
            "passes": model.n_iter_,
            "mistakes": model.mistakes_.tolist(),
            "wrong_tokens": model.wrong_tokens_.tolist(),
            "converged": bool(model.converged_),
            "metric": metric,
            "validation": scores,
            "best_pass": scores.index(max(scores)) + 1 if scores else None,
        },
    }
    if words is not None:
        found["words"] = {"letters": words[0], "ends": words[1]}
    return found
