"""The learners: one row each, from which commands, model files, the lab and the docs are made.

Rows hold names and plain values only. Modules are named and loaded when they are used, so that
importing this module costs next to nothing.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

# How `train` trains a learner from files; None is for those that it does not train.
ONLINE = "online"  # one example at a time, in passes over the files
CLOSED_FORM = "closed form"  # sums over blocks of rows
IN_MEMORY = "in memory"  # all rows at once, by the estimator's `fit`
REGRESSION = "regression"  # numbers instead of classes, in passes over the files

# The modules of `rosenblatt.tracing` that show a learner's steps.
STEPS, KERNEL_STEPS, MOVES = "perceptrons", "kernel", "descent"

# Whether `compare` includes a learner.
BY_DEFAULT, IF_NAMED = "by default", "if named"

USUAL_PASSES = 5
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Facts(NamedTuple):
    """A learner in the terms of deck E's table.

    ``problem`` is what it solves, ``model`` how it predicts, ``error`` what makes a hyperplane a
    bad one, ``optimisation`` how the error is made small.
    """

    problem: str
    model: str
    error: str
    optimisation: str


class Stream(NamedTuple):
    """How a learner updates its state from one example.

    ``module`` has the functions ``init``, ``update``, ``grow`` and, unless the last weights
    predict, ``average``. ``loss`` is what it descends, if it does that. ``one_by_one`` says that
    the fast path for single examples applies to it.
    """

    module: str
    loss: str | None = None
    one_by_one: bool = False


class StoredType(NamedTuple):
    """A type that model files hold: its permanent name there, and where it is defined today."""

    name: str
    module: str
    type: str = "State"


class Saved(NamedTuple):
    """What a model file holds: attributes that a fitted estimator always or sometimes has."""

    always: str
    sometimes: str
    states: tuple[StoredType, ...]


class LabView(NamedTuple):
    """What the lab shows of a learner.

    ``options`` names options of the lab, ``defaults`` the values of those that begin with another
    one than usual, ``fixed`` keywords that the estimator always gets. ``name`` and ``title`` are
    the learner's own unless they are given.
    """

    group: str
    note: str
    options: tuple[str, ...]
    defaults: Mapping[str, Any] = _NOTHING
    fixed: Mapping[str, Any] = _NOTHING
    name: str = ""
    title: str = ""
    two_classes_only: bool = False


class Learner(NamedTuple):
    """All that is known of a learner.

    Attributes
    ----------
    name, title : str
        What commands and sentences call it.
    estimator, module : str
        The estimator's class, and the module that defines it.
    trains : str or None
        How `train` trains it from files.
    options : tuple of str
        The options of `train` that it understands, besides those of all learners.
    passes : int
        How many passes `train` makes unless told otherwise.
    stream : Stream or None
        How it learns from a stream.
    facts : Facts or None
        Its column of deck E's table.
    deterministic : bool
        Whether neither the order of the rows nor a seed matters.
    pairwise : bool
        Whether it needs memory for each pair of features.
    compared : str or None
        Whether `compare` includes it.
    grid : mapping or None
        What `tune` tries unless told otherwise, of what matters for the data; None if it does not
        tune it.
    traced : str or None
        The module of `rosenblatt.tracing` that shows its steps.
    predicts_with : str
        Which weights predict, where the estimator has no parameter of this name.
    bounded : bool
        Whether the bound on a perceptron's mistakes holds for it.
    saved : Saved or None
        What its model files hold; None if there are none.
    lab : tuple of LabView
        What the lab shows of it.
    """

    name: str
    title: str
    estimator: str
    module: str
    trains: str | None = None
    options: tuple[str, ...] = ()
    passes: int = USUAL_PASSES
    stream: Stream | None = None
    facts: Facts | None = None
    deterministic: bool = False
    pairwise: bool = False
    compared: str | None = None
    grid: Mapping[str, list[Any]] | None = None
    traced: str | None = None
    predicts_with: str = "last"
    bounded: bool = False
    saved: Saved | None = None
    lab: tuple[LabView, ...] = ()

    @property
    def learns_online(self) -> bool:
        """Whether `train` takes one example at a time."""
        return self.trains in (ONLINE, REGRESSION)

    @property
    def counts_words(self) -> bool:
        """Whether it is given how often a word is in a text, to weight it; else 1."""
        return self.stream is not None or "distribution" in self.options

    def load(self) -> Any:
        """Return the estimator's class."""
        return getattr(import_module(self.module), self.estimator)

    def title_of(self, view: LabView) -> str:
        """Return what a view of the lab is called."""
        return view.title or self.title[0].upper() + self.title[1:]


LEARNERS: dict[str, Learner] = {}


def register(learner: Learner) -> None:
    """Add a learner; its name and its estimator's must not be taken."""
    if learner.name in LEARNERS or of_estimator(learner.estimator) is not None:
        raise ValueError(f"there is a learner {learner.name!r} or a {learner.estimator} already")
    LEARNERS[learner.name] = learner


def of_estimator(name: str) -> Learner | None:
    """Return the learner whose estimator has this name.

    >>> of_estimator("LinearSVM").name
    'svm'
    """
    return next((row for row in LEARNERS.values() if row.estimator == name), None)


def of_model(model: Any) -> Learner | None:
    """Return the learner of an estimator; None if it is not a registered one."""
    row = of_estimator(type(model).__name__)
    return row if row is not None and row.module == type(model).__module__ else None


def trainable(*how: str) -> dict[str, Learner]:
    """Return the learners that `train` trains, or trains in one of these ways.

    >>> list(trainable(ONLINE))
    ['perceptron', 'averaged', 'voted', 'passive-aggressive', 'arow', 'logistic', 'svm']
    """
    ways = how or (ONLINE, CLOSED_FORM, IN_MEMORY, REGRESSION)
    return {name: row for way in ways for name, row in LEARNERS.items() if row.trains == way}


def understanding(option: str) -> dict[str, Learner]:
    """Return the learners that understand an option of `train`.

    >>> list(understanding("distribution"))
    ['naive-bayes']
    """
    return {name: row for name, row in trainable().items() if option in row.options}


def comparable(*when: str) -> dict[str, Learner]:
    """Return the learners that `compare` can include, or includes in one of these cases."""
    cases = when or (BY_DEFAULT, IF_NAMED)
    return {name: row for name, row in LEARNERS.items() if row.compared in cases}


def tunable() -> dict[str, Learner]:
    """Return the learners that `tune` can tune."""
    return {name: row for name, row in LEARNERS.items() if row.grid is not None}


def traceable(module: str = STEPS) -> dict[str, Learner]:
    """Return the learners whose steps a module of `rosenblatt.tracing` shows."""
    return {name: row for name, row in LEARNERS.items() if row.traced == module}


def savable() -> dict[str, Learner]:
    """Return the learners that have model files, by the names of their estimators."""
    return {row.estimator: row for row in LEARNERS.values() if row.saved is not None}


_CLASSIFY, _SIGN = "classification", "sign(w·x)"
ERRORS = {  # by loss
    "perceptron": "−Σ_M y w·x",
    "hinge": "Σ max(0, 1 − y w·x)",
    "squared_hinge": "Σ max(0, 1 − y w·x)²",
    "logistic": "cross-entropy",
    "modified_huber": "Σ max(0, 1 − y w·x)², straight below −1",
    "squared": "Σ (y − w·x)²",
    "huber": "Σ (y − w·x)²/2, straight beyond ε",
    "quantile": "Σ q|y − w·x|, 1 − q above y",
}
_PERCEPTRON = ERRORS["perceptron"]

_PASSES = ("passes", "no_intercept")
_STREAMED = (
    *_PASSES,
    *("classes", "validation", "retrain", "checkpoint", "resume", "scale", "no_shuffle"),
)
_DESCENDING = (*_STREAMED, "eta0", "average", "no_average", "learning_rate", "l2", "l1", "forget")
_SHORT_GRID = {"passes": [1, 2, 3, 5]}
_LONG_GRID = {"passes": [1, 2, 3, 5, 10, 20]}
_MARGIN_GRID: dict[str, list[Any]] = {"passes": [1, 3, 10], "eta0": [0.001, 0.01, 0.1, 1.0]}
_DESCENT_GRID: dict[str, list[Any]] = {"passes": [3, 10], "eta0": ["auto", 0.01, 0.1, 1.0]}

_ADAPTIVE_GRID: dict[str, list[Any]] = {"l2": [0.03, 0.3, 3.0]}

_COUNTS = "mistakes_ n_mistakes_ n_iter_ converged_ t_"
_LINEAR = f"classes_ coef_ intercept_ {_COUNTS}"
_DESCENT = StoredType("descent.State", "rosenblatt.learners.descent")
_MOMENTS = StoredType("moments.State", "rosenblatt.learners.closed_form.moments")
_DESCENTS = (_DESCENT, StoredType("adaptive.State", "rosenblatt.learners.adaptive"))
_DESCENT_SAVED = Saved(f"{_LINEAR} loss_curve_", "eta0_ validation_curve_", _DESCENTS)

LAB_GROUPS = ("Perceptrons", "Kernels", "Gradient descent", "Closed form")
_PERCEPTRONS, _KERNELS, _DOWNHILL, _AT_ONCE = LAB_GROUPS
_DOWNHILL_OPTIONS = (
    *("batch", "descent-rate", "descent-eta0", "penalty", "alpha"),
    *("bias", "order", "passes", "seed"),
)
_ALL_PASSES = {"tol": None}
_LAST = {"average": False}  # the lab shows every move

# In the lectures' order: closed forms, learning from mistakes, other losses, structured outputs.
for _row in (
    Learner(
        name="centroid",
        title="nearest centroid",
        estimator="NearestCentroid",
        module="rosenblatt.estimators.centroid",
        trains=CLOSED_FORM,
        options=("classes",),
        facts=Facts(_CLASSIFY, _SIGN, "distance to m", "closed form"),
        deterministic=True,
        compared=BY_DEFAULT,
        grid={"shrink_threshold": [None, 0.5, 1.0, 2.0, 4.0]},
        saved=Saved(
            "classes_ centroids_ class_prior_",
            "coef_ intercept_ variance_ threshold_ deviations_ within_class_std_dev_ "
            "n_features_left_ path_ _dtype",
            (_MOMENTS, StoredType("values.State", "rosenblatt.learners.closed_form.value_tables")),
        ),
        lab=(
            LabView(_AT_ONCE, "A point belongs to the class whose mean is nearest.", ("priors",)),
            LabView(
                _AT_ONCE,
                "Nearest centroid in units of the spread, the means shrunk towards their middle.",
                ("shrink", "priors"),
                name="shrunken",
                title="Shrunken centroids",
            ),
        ),
    ),
    Learner(
        name="naive-bayes",
        title="naive Bayes",
        estimator="NaiveBayes",
        module="rosenblatt.estimators.naive_bayes",
        trains=CLOSED_FORM,
        options=("classes", "distribution"),
        facts=Facts(_CLASSIFY, _SIGN, "−log P(x, y), features independent", "closed form"),
        deterministic=True,
        compared=BY_DEFAULT,
        grid={"alpha": [1.0, 0.1, 0.01], "var_smoothing": [1e-9, 1e-6, 1e-3, 1e-1]},
        saved=Saved(
            "classes_ coef_ intercept_ class_prior_ class_count_",
            "theta_ var_ feature_log_prob_",
            (_MOMENTS, StoredType("counts.State", "rosenblatt.learners.closed_form.naive_bayes")),
        ),
        lab=(
            LabView(
                _AT_ONCE,
                "Normal features, independent within a class, with variances that the classes "
                "share.",
                ("priors",),
                {"priors": "empirical"},
                name="naive_bayes",
            ),
        ),
    ),
    Learner(
        name="discriminant",
        title="linear discriminant",
        estimator="LinearDiscriminant",
        module="rosenblatt.estimators.discriminant",
        trains=CLOSED_FORM,
        options=("classes",),
        facts=Facts(_CLASSIFY, _SIGN, "distance to m, by the covariance", "closed form"),
        deterministic=True,
        pairwise=True,
        compared=BY_DEFAULT,
        grid={"shrinkage": [0.0, 0.01, 0.1, 0.5, 1.0]},
        saved=Saved(
            "classes_ coef_ intercept_ means_ priors_ shrinkage_",
            "",
            (StoredType("discriminant.State", "rosenblatt.learners.closed_form.discriminant"),),
        ),
        lab=(
            LabView(
                _AT_ONCE,
                "Nearest mean by the covariance that the classes share.",
                ("shrinkage", "priors"),
                {"priors": "empirical"},
            ),
        ),
    ),
    Learner(
        name="perceptron",
        title="perceptron",
        estimator="Perceptron",
        module="rosenblatt.estimators.perceptron",
        trains=ONLINE,
        options=(*_STREAMED, "ties"),
        stream=Stream("rosenblatt.learners.perceptron", one_by_one=True),
        facts=Facts(_CLASSIFY, _SIGN, _PERCEPTRON, "SGD"),
        compared=BY_DEFAULT,
        grid=_LONG_GRID,
        traced=STEPS,
        bounded=True,
        saved=Saved(
            _LINEAR, "ledger_", (StoredType("perceptron.State", "rosenblatt.learners.perceptron"),)
        ),
        lab=(
            LabView(
                _PERCEPTRONS,
                "On a mistake it adds η·y·x to w.",
                ("bias", "any-order", "ties", "eta0", "rate", "passes", "seed"),
                fixed=_ALL_PASSES,
            ),
        ),
    ),
    Learner(
        name="averaged",
        title="averaged perceptron",
        estimator="AveragedPerceptron",
        module="rosenblatt.estimators.averaged",
        trains=ONLINE,
        options=(*_STREAMED, "ties"),
        stream=Stream("rosenblatt.learners.averaged", one_by_one=True),
        facts=Facts(_CLASSIFY, _SIGN, _PERCEPTRON, "SGD, mean of all w"),
        compared=BY_DEFAULT,
        grid=_LONG_GRID,
        traced=STEPS,
        predicts_with="average",
        bounded=True,
        saved=Saved(
            _LINEAR, "ledger_", (StoredType("averaged.State", "rosenblatt.learners.averaged"),)
        ),
        lab=(
            LabView(
                _PERCEPTRONS,
                "Learns as the perceptron does, and predicts with the mean of all its w.",
                ("bias", "order", "ties", "passes", "seed"),
                {"passes": 10},
                _ALL_PASSES,
            ),
        ),
    ),
    Learner(
        name="voted",
        title="voted perceptron",
        estimator="VotedPerceptron",
        module="rosenblatt.estimators.voted",
        trains=ONLINE,
        options=(*_STREAMED, "ties"),
        stream=Stream("rosenblatt.learners.voted"),
        facts=Facts(_CLASSIFY, "Σ c sign(w·x)", _PERCEPTRON, "SGD, all w vote"),
        compared=BY_DEFAULT,
        grid=_SHORT_GRID,
        traced=STEPS,
        bounded=True,
        saved=Saved(
            f"{_LINEAR} counts_",
            "ledger_",
            (StoredType("voted.State", "rosenblatt.learners.voted"),),
        ),
        lab=(
            LabView(
                _PERCEPTRONS,
                "Every w of its life votes, as often as it survived a point.",
                ("predict", "bias", "order", "ties", "passes", "seed"),
                {"passes": 10},
                _ALL_PASSES,
            ),
        ),
    ),
    Learner(
        name="passive-aggressive",
        title="passive-aggressive",
        estimator="PassiveAggressive",
        module="rosenblatt.estimators.passive_aggressive",
        trains=ONLINE,
        options=(*_STREAMED, "ties", "eta0"),
        stream=Stream("rosenblatt.learners.passive_aggressive", one_by_one=True),
        facts=Facts(_CLASSIFY, _SIGN, ERRORS["hinge"], "least change of w"),
        compared=BY_DEFAULT,
        grid=_MARGIN_GRID,
        traced=STEPS,
        saved=Saved(
            _LINEAR,
            "",
            (StoredType("passive_aggressive.State", "rosenblatt.learners.passive_aggressive"),),
        ),
        lab=(
            LabView(
                _PERCEPTRONS,
                "Moves w as little as it must so that the point has a margin of 1, or by C·x.",
                ("variant", "C", "bias", "order", "ties", "passes", "seed"),
                {"passes": 10},
                _ALL_PASSES,
                name="passive_aggressive",
            ),
        ),
    ),
    Learner(
        name="arow",
        title="AROW",
        estimator="AROW",
        module="rosenblatt.estimators.arow",
        trains=ONLINE,
        options=(*_STREAMED, "ties", "eta0"),
        stream=Stream("rosenblatt.learners.arow", one_by_one=True),
        facts=Facts(
            _CLASSIFY, _SIGN, f"{ERRORS['squared_hinge']}, by variances", "least change of w"
        ),
        compared=BY_DEFAULT,
        grid=_MARGIN_GRID,
        traced=STEPS,
        saved=Saved(_LINEAR, "", (StoredType("arow.State", "rosenblatt.learners.arow"),)),
        lab=(
            LabView(
                _PERCEPTRONS,
                "Wants a margin of 1, and moves least the weights that it is surest of.",
                ("r", "bias", "order", "ties", "passes", "seed"),
                {"passes": 10},
                _ALL_PASSES,
            ),
        ),
    ),
    Learner(
        name="batch",
        title="batch perceptron",
        estimator="BatchPerceptron",
        module="rosenblatt.estimators.batch",
        trains=IN_MEMORY,
        options=(*_PASSES, "ties", "eta0"),
        passes=1000,
        facts=Facts(_CLASSIFY, _SIGN, _PERCEPTRON, "gradient descent"),
        deterministic=True,
        compared=BY_DEFAULT,
        grid={"learning_rate": ["constant", "inverse"], "normalize": [True, False]},
        traced=STEPS,
        saved=Saved(_LINEAR, "ledger_", (StoredType("batch.State", "rosenblatt.learners.batch"),)),
        lab=(
            LabView(
                _PERCEPTRONS,
                "Adds up the mistakes of a whole pass, then moves once.",
                ("bias", "ties", "eta0", "searched-rate", "normalize", "passes"),
                fixed=_ALL_PASSES,
            ),
        ),
    ),
    Learner(
        name="kernel",
        title="kernel perceptron",
        estimator="KernelPerceptron",
        module="rosenblatt.estimators.kernel",
        facts=Facts(_CLASSIFY, "Σ c sign(Σ a k)", _PERCEPTRON, "SGD, all w vote"),
        compared=IF_NAMED,  # it takes time that grows with the square of the rows
        grid={"gamma": ["scale", 0.01, 0.1, 1.0]},
        traced=KERNEL_STEPS,
        saved=Saved(
            f"classes_ support_ dual_coef_ mean_dual_coef_ gamma_ {_COUNTS}",
            "",
            (StoredType("kernel.State", "rosenblatt.learners.kernel_perceptron.learning"),),
        ),
        lab=(
            LabView(
                _KERNELS,
                "A sum over its mistakes, in a space of features that is never written out.",
                (
                    *("kernel", "gamma", "degree", "predict"),
                    *("bias", "order", "ties", "passes", "seed"),
                ),
                {"passes": 10},
                _ALL_PASSES,
            ),
        ),
    ),
    Learner(
        name="gradient",
        title="gradient descent",
        estimator="GradientDescent",
        module="rosenblatt.estimators.gradient",
        facts=Facts(_CLASSIFY, _SIGN, _PERCEPTRON, "SGD"),
        compared=IF_NAMED,  # its losses are those of the perceptron, svm and logistic regression
        traced=MOVES,
        saved=_DESCENT_SAVED,
        lab=(
            LabView(
                _DOWNHILL,
                "Goes down the loss of your choice; with one point a move and η = 1 the "
                "perceptron.",
                ("loss", *_DOWNHILL_OPTIONS),
            ),
        ),
    ),
    Learner(
        name="logistic",
        title="logistic regression",
        estimator="LogisticRegression",
        module="rosenblatt.estimators.logistic",
        trains=ONLINE,
        options=_DESCENDING,
        stream=Stream("rosenblatt.learners.descent", "logistic"),
        facts=Facts(f"{_CLASSIFY}, probabilities", "σ(w·x)", ERRORS["logistic"], "SGD"),
        compared=BY_DEFAULT,
        grid=_ADAPTIVE_GRID,
        traced=MOVES,
        saved=_DESCENT_SAVED,
        lab=(
            LabView(
                _DOWNHILL,
                "Goes down the cross-entropy; its scores are log-odds.",
                _DOWNHILL_OPTIONS,
                fixed=_LAST,
            ),
        ),
    ),
    Learner(
        name="svm",
        title="linear SVM",
        estimator="LinearSVM",
        module="rosenblatt.estimators.svm",
        trains=ONLINE,
        options=_DESCENDING,
        stream=Stream("rosenblatt.learners.descent", "hinge"),
        facts=Facts(_CLASSIFY, _SIGN, f"{ERRORS['hinge']}, and ‖w‖²", "SGD"),
        compared=BY_DEFAULT,
        grid=_ADAPTIVE_GRID,
        traced=MOVES,
        saved=_DESCENT_SAVED,
        lab=(
            LabView(
                _DOWNHILL,
                "Goes down the hinge loss and the length of w: a wide street between the classes.",
                _DOWNHILL_OPTIONS,
                {"penalty": "l2"},
                _LAST,
                title="Support vector machine",
            ),
        ),
    ),
    Learner(
        name="regression",
        title="linear regression",
        estimator="LinearRegression",
        module="rosenblatt.estimators.regression",
        trains=REGRESSION,
        options=tuple(name for name in _DESCENDING if name != "classes"),
        stream=Stream("rosenblatt.learners.descent", "squared"),
        passes=20,
        facts=Facts("regression", "w·x", ERRORS["squared"], "SGD"),
        traced=MOVES,
        saved=Saved(
            "coef_ intercept_ n_iter_ converged_ t_ loss_curve_",
            "eta0_ validation_curve_",
            _DESCENTS,
        ),
        lab=(
            LabView(
                _DOWNHILL,
                "Linear regression on the numbers −1 and +1: points far on the right side pull "
                "too.",
                _DOWNHILL_OPTIONS,
                fixed=_LAST,
                title="Least squares",
                two_classes_only=True,
            ),
        ),
    ),
    Learner(
        name="structured",
        title="structured perceptron",
        estimator="StructuredPerceptron",
        module="rosenblatt.estimators.structured",
    ),
    Learner(
        name="tagger",
        title="sequence tagger",
        estimator="SequenceTagger",
        module="rosenblatt.tagging.estimator",
        saved=Saved(
            "classes_ feature_names_in_ scheme_ mistakes_ wrong_tokens_ n_mistakes_ n_iter_ "
            "converged_ _features",
            "validation_curve_",
            (StoredType("tagger.Model", "rosenblatt.tagging.learner", "Model"),),
        ),
    ),
):
    register(_row)
