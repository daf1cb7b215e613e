"""The averaged perceptron's face."""

from typing import Any, Self

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.linear import LinearPerceptron
from rosenblatt.learners import averaged


class AveragedPerceptron(LinearPerceptron):
    """The averaged perceptron: predict with the mean of the weights after every step.

    It learns exactly as the perceptron does, and keeps ``w̄ = (1/T) Σ_t w_t`` beside it at the cost
    of the mistakes alone. On data that no hyperplane separates it is the one to use: the last
    weights depend on the last mistakes, the mean does not.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Learn an intercept b; without it every hyperplane goes through the origin.
    max_iter : int, default=10
        The most passes over the data. Passes end earlier when one makes no mistake. More of them
        seldom make a better mean.
    tol : float or None, default=None
        Stop when the share of mistakes in a pass has not fallen by ``tol`` below the best so far
        for ``n_iter_no_change`` passes. None makes all ``max_iter`` passes unless one is clean.
    n_iter_no_change : int or "auto", default="auto"
        How many passes to wait for that: "auto" is as many as look at 1,000 rows, but at least 5
        and at most 500. The fewer the rows, the more time they are given to converge.
    shuffle : bool, default=True
        Visit the rows in a new random order each pass, instead of the given one.
    ties : {"mistake", "positive"}, default="mistake"
        What a score of exactly zero is: a mistake, or a prediction of the positive class.
    warm_start : bool, default=False
        Let ``fit`` go on from where it stands, the mean included.
    random_state : int, RandomState or None, default=0
        Seed of the orders.
    verbose : int, default=0
        1 shows a progress bar.
    record : bool, default=False
        Keep a ledger of every update in ``ledger_``. Without it none is written, at no cost.

    Attributes
    ----------
    coef_, intercept_ : arrays
        The averaged weights and intercepts.
    classes_, mistakes_, n_mistakes_, n_iter_, converged_, t_, ledger_
        As in :class:`Perceptron`. The mistakes are those of the weights while they learned.

    References
    ----------
    Y. Freund and R. E. Schapire (1999), "Large margin classification using the perceptron
    algorithm", Machine Learning 37.

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron
    >>> X = [[-1, 2], [1, 0], [1, 1]]
    >>> model = AveragedPerceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None)
    >>> model.fit(X, [-1, 1, 1]).coef_.round(3).tolist()  # of (1, −2), (1, −2) and (2, −1)
    [[1.333, -1.667]]
    """

    _learner = averaged

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        max_iter: int = 10,
        tol: float | None = None,
        n_iter_no_change: int | str = "auto",
        shuffle: bool = True,
        ties: str = "mistake",
        warm_start: bool = False,
        random_state: Any = 0,
        verbose: int = 0,
        record: bool = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.ties = ties
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.record = record

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all rows until a pass is clean, or the stopping rule says enough.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers. float32 and float64 are used as they are, without a copy.
        y : array of shape (n_samples,)
            Labels of two or more classes.

        Returns
        -------
        self
        """
        return self._learn_fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from some rows once, in the order given; see :meth:`Perceptron.partial_fit`."""
        return self._learn_partial(X, y, classes)

    def _hyperplanes(self, state: averaged.State) -> tuple[Array, Array]:
        return averaged.average(state)
