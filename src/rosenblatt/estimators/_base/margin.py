"""Base of the learners that want a margin of 1: AROW and passive-aggressive."""

from typing import Any

from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.linear import OnlinePerceptron


@estimator_class
class MarginLearner(OnlinePerceptron):
    """Base of the descendants of the perceptron that also learn from rows with a small margin.

    Parameters
    ----------
    ties : {"mistake", "positive"}
        Whether a score of exactly zero counts as a mistake, or as a prediction of the positive
        class (for K classes: of the first class among those with the largest score). They learn
        from it either way.

    Attributes
    ----------
    mistakes_ : array of shape (n_iter_,)
        The mistakes of each pass: rows that were predicted wrongly before they were learned from.
        Rows on the right side with a margin below 1 are learned from, too, and do not count.
    n_mistakes_ : int
        All mistakes made so far.
    converged_ : bool
        Whether the last pass made no mistake. Unlike a perceptron's, the weights may have moved in
        it, for larger margins. After ``partial_fit``, whether that call made none.
    """

    def _mistakes_of(self, state: Any) -> int:
        return int(state.mistakes)
