"""The online perceptron's face."""

from collections.abc import Callable
from typing import Any, Self

from rosenblatt.estimators._base.linear import LinearPerceptron
from rosenblatt.learners import perceptron
from rosenblatt.learners.schedule import schedule


class Perceptron(LinearPerceptron):
    """The online perceptron: receive, predict, suffer, update.

    On a mistake ``w ← w + η y x`` and ``b ← b + η y``; otherwise nothing happens. With K > 2
    classes there are K linear functions, and on a mistake x is added to the right class's weights
    and subtracted from those of the class it was taken for.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Learn an intercept b; without it every hyperplane goes through the origin.
    max_iter : int, default=1000
        The most passes over the data. Passes end earlier when one makes no mistake.
    tol : float or None, default=1e-3
        Stop when the share of mistakes in a pass has not fallen by ``tol`` below the best so far
        for ``n_iter_no_change`` passes. None makes all ``max_iter`` passes unless one is clean.
    n_iter_no_change : int or "auto", default="auto"
        How many passes to wait for that: "auto" is as many as look at 1,000 rows, but at least 5
        and at most 500. The fewer the rows, the more time they are given to converge.
    shuffle : bool, default=True
        Visit the rows in a new random order each pass, instead of the given one.
    selection : {"cyclic", "random_mistake"}, default="cyclic"
        Visit every row in turn, or learn from a random misclassified row each step. A pass is then
        as many looks as there are rows, and ``shuffle`` plays no part.
    learning_rate : {"constant", "inverse"} or callable, default="constant"
        η = ``eta0``, or ``eta0`` / t, or ``eta0`` · f(t), where t = 1, 2, … numbers the updates.
    eta0 : float, default=1.0
        The step size. From zero weights a constant one scales w and changes no prediction.
    ties : {"mistake", "positive"}, default="mistake"
        What a score of exactly zero is: a mistake, or a prediction of the positive class (for K
        classes: of the first class among those with the largest score).
    warm_start : bool, default=False
        Let ``fit`` go on from where it stands.
    random_state : int, RandomState or None, default=0
        Seed of the orders.
    verbose : int, default=0
        1 shows a progress bar.
    record : bool, default=False
        Keep a ledger of every update in ``ledger_``. Without it none is written, at no cost.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : array of shape (1,) or (n_classes,)
        The intercepts.
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    mistakes_ : array of shape (n_iter_,)
        The mistakes of each pass; after ``partial_fit``, of that call.
    n_mistakes_ : int
        All mistakes made to get here.
    n_iter_ : int
        The number of passes.
    converged_ : bool
        Whether the last pass was clean: every row classified correctly. After ``partial_fit``,
        whether that call was.
    t_ : int
        The number of rows looked at since there were two classes.
    ledger_ : :class:`~rosenblatt.theory.ledger.Ledger`
        Every update since the start, with ``record=True`` only. ``partial_fit`` and warm starts go
        on with it.

    References
    ----------
    F. Rosenblatt (1958), "The perceptron: a probabilistic model for information storage and
    organization in the brain", Psychological Review 65.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> y = [-1, 1, 1, -1, -1, 1]
    >>> model = Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> model.coef_.tolist(), model.mistakes_.tolist(), model.converged_
    ([[3.0, 1.0]], [3, 0], True)
    """

    _learner = perceptron

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int | str = "auto",
        shuffle: bool = True,
        selection: str = "cyclic",
        learning_rate: str | Callable[[int], float] = "constant",
        eta0: float = 1.0,
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
        self.selection = selection
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.ties = ties
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.record = record

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> Self:
        """Learn from all rows until a pass is clean, or the stopping rule says enough.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers. float32 and float64 are used as they are, without a copy.
        y : array of shape (n_samples,)
            Labels of two or more classes.
        coef_init : array of the shape of ``coef_``, optional
            Weights to start from, instead of zeros.
        intercept_init : array of the shape of ``intercept_``, optional
            Intercepts to start from, instead of zeros.

        Returns
        -------
        self
        """
        return self._learn_fit(X, y, coef_init, intercept_init)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from some rows once, in the order given.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers.
        y : array of shape (n_samples,)
            Labels; classes that were not seen before are welcome at any time.
        classes : array, optional
            Classes that will come, if they are known. They compete from the start.

        Returns
        -------
        self
        """
        return self._learn_partial(X, y, classes)

    def _order_options(self) -> dict[str, Any]:
        return {"shuffle": self.shuffle, "selection": self.selection}

    def _update_options(self) -> dict[str, Any]:
        return {"schedule": schedule(self.learning_rate, self.eta0)}
