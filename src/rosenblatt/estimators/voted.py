"""The voted perceptron."""

from rosenblatt.data.rows import Array, Rows
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.linear import OnlinePerceptron, Recorded, ScaledIntercept
from rosenblatt.estimators._base.params import check_params
from rosenblatt.estimators._base.start import generator
from rosenblatt.learners import voted


@estimator_class
class VotedPerceptron(Recorded, ScaledIntercept, OnlinePerceptron):
    """The voted perceptron: every weight vector votes, weighted by how long it survived.

    ``sign(Σ c_n sign(w_n · x))``, where c_n counts the steps that w_n survived, the one that made
    it included. It keeps the rows mistaken in a call, each once, and the order of the mistakes; no
    weight vector is stored, and memory for k mistakes is O(k) beyond those rows.

    Parameters
    ----------
    predict_with : {"vote", "average", "last", "random"}
        All hypotheses by vote, their mean weighted by the counts, the last one, or for each row
        one drawn at random by the counts. It may be changed after ``fit``.
    max_iter : int
        The most passes over the data. Passes end earlier when one makes no mistake. Every mistake
        votes, so that predicting takes time in proportion to mistakes × rows: for each thousand
        mistakes about 3 to 8 µs a row of a hundred features, and 17 of 784 (on two cores).
        ``predict_with="average"`` does not.
    random_state : int, RandomState or None
        Seed of the orders, and of the draws of ``predict_with="random"``.

    Attributes
    ----------
    coef_, intercept_ : arrays
        The averaged weights and intercepts.
    counts_ : array of shape (n_mistakes_ + 1,)
        How many steps each hypothesis survived, from the one before any mistake on.

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

    predict_with: str = "vote"

    def _finish(self, state: voted.State, rows: Rows) -> None:
        super()._finish(voted.keep(state, rows), rows)
        self.counts_ = voted.counts(self._state).astype(int)

    def _hyperplanes(self, state: voted.State) -> tuple[Array, Array]:
        return voted.average(state)

    def _scores(self, rows: Rows) -> Array:
        check_params(self)
        rng = generator(self.random_state) if self.predict_with == "random" else None
        return voted.scores(self._state, rows, self.predict_with, rng)
