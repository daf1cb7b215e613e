"""The voted perceptron's face."""

from typing import Any, Self

from rosenblatt.data.rows import Array, Rows
from rosenblatt.estimators._base.linear import LinearPerceptron
from rosenblatt.estimators._base.params import check_params
from rosenblatt.estimators._base.start import generator
from rosenblatt.learners import voted


class VotedPerceptron(LinearPerceptron):
    """The voted perceptron: every weight vector of its life votes, as long as it lived.

    ``sign(Σ c_n sign(w_n · x))``, where c_n counts the steps that w_n survived, the one that made
    it included. It keeps the rows mistaken in a call, each once, and the order of the mistakes; no
    weight vector is stored, and memory for k mistakes is O(k) beyond those rows.

    Parameters
    ----------
    predict_with : {"vote", "average", "last", "random"}, default="vote"
        All hypotheses by vote, their mean weighted by the counts, the last one, or for each row
        one drawn at random by the counts. It may be changed after ``fit``.
    fit_intercept : bool, default=True
        Learn an intercept b; without it every hyperplane goes through the origin.
    max_iter : int, default=10
        The most passes over the data. Passes end earlier when one makes no mistake. Every mistake
        votes, so that predicting takes time in proportion to mistakes × rows: for each thousand
        mistakes about 3 to 8 µs a row of a hundred features, and 17 of 784 (on two cores).
        ``predict_with="average"`` does not.
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
        Let ``fit`` go on from where it stands, the votes included.
    random_state : int, RandomState or None, default=0
        Seed of the orders, and of the draws of ``predict_with="random"``.
    verbose : int, default=0
        1 shows a progress bar.
    record : bool, default=False
        Keep a ledger of every update in ``ledger_``. Without it none is written, at no cost.

    Attributes
    ----------
    coef_, intercept_ : arrays
        The averaged weights and intercepts.
    counts_ : array of shape (n_mistakes_ + 1,)
        How long each hypothesis lived, from the one before any mistake on.
    classes_, mistakes_, n_mistakes_, n_iter_, converged_, t_, ledger_
        As in :class:`Perceptron`. The mistakes are those of the weights while they learned.

    References
    ----------
    Y. Freund and R. E. Schapire (1999), "Large margin classification using the perceptron
    algorithm", Machine Learning 37.

    Examples
    --------
    >>> from rosenblatt import VotedPerceptron
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> y = [-1, 1, 1, -1, -1, 1]
    >>> model = VotedPerceptron(fit_intercept=False, shuffle=False, max_iter=1).fit(X, y)
    >>> model.counts_.tolist()  # (0, 0) never survived; (1, −2), (2, −1) and (3, 1) two steps each
    [0, 2, 2, 2]
    >>> model.decision_function([[0.0, -1.0]]).round(3).tolist()  # 2 + 2 for, 2 against, of 6
    [0.333]
    """

    _learner = voted

    def __init__(
        self,
        *,
        predict_with: str = "vote",
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
        self.predict_with = predict_with
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
            Rows of numbers. float32 and float64 are used as they are; mistaken rows are copied.
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

    def _finish(self, state: voted.State, rows: Rows) -> None:
        super()._finish(voted.keep(state, rows), rows)
        self.counts_ = voted.counts(self._state).astype(int)

    def _hyperplanes(self, state: voted.State) -> tuple[Array, Array]:
        return voted.average(state)

    def _scores(self, rows: Rows) -> Array:
        check_params(self)
        rng = generator(self.random_state) if self.predict_with == "random" else None
        return voted.scores(self._state, rows, self.predict_with, rng)
