"""Model selection in the lecture's four steps."""

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from rosenblatt.choosing.grid import full_names, settings_of
from rosenblatt.choosing.intervals import Interval, wilson
from rosenblatt.choosing.names import near
from rosenblatt.choosing.prepare import check_estimator, check_table, prepare
from rosenblatt.choosing.search import Judging, Task, first_best, judged
from rosenblatt.choosing.selection import Selection
from rosenblatt.choosing.splits import Part, as_part, check_classes, check_test_pair, hold_out


def select(
    estimator: Any,
    grid: Any,
    X: Any,
    y: Any,
    *,
    validation: float | None = None,
    cv: Any = None,
    test: Any = 0.2,
    scoring: Any = None,
    scale: bool = True,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Selection:
    """Choose an estimator's parameters, and find out once how good the choice is.

    1. Set test rows aside.
    2. Learn every setting from training rows, and judge it by validation rows; or cross-validate.
    3. Choose the best, and learn it anew from training and validation rows together.
    4. Judge that model by the test rows, once.

    Of equally good settings the first of the grid is chosen, so list the simplest first. The rows
    keep their share of each class in every part.

    Parameters
    ----------
    estimator : estimator
        Any of scikit-learn's manners. Unless it is a pipeline, :func:`rosenblatt.prepare` puts one
        around it, so that categories become features and numbers are standardised without a look
        at rows held out.
    grid : mapping, or list of mappings
        The values to try for each parameter. All combinations are tried.
    X : data frame, array or sparse matrix of shape (n_samples, n_features)
        The rows. A pipeline may take anything that has rows, such as a list of texts.
    y : array of shape (n_samples,)
        Their labels; numbers if the estimator is a regressor.
    validation : float or int, optional
        Judge by this share of the rows of X (or so many), held out once.
    cv : int or splitter, optional
        Judge by cross-validation with so many folds, or with those of a scikit-learn splitter. The
        default is 5 folds.
    test : float, int, pair (X_test, y_test) or None, default=0.2
        The share of the rows of X to set aside, or so many, or other rows. None: no test. They are
        drawn at random; if rows follow each other in time, give the last ones as a pair.
    scoring : str or callable, optional
        A score of scikit-learn's, more being better. The default is accuracy (R² of regressors).
    scale : bool, default=True
        Standardise numbers; plays no part if the estimator is a pipeline.
    random_state : int, default=0
        Seed of the parts. The same seed gives the same report.
    n_jobs : int, optional
        How many processes to use; -1 is one for each core.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    :class:`~rosenblatt.choosing.Selection`
        The model, the chosen parameters, all settings with their scores, and the test score.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rosenblatt import BatchPerceptron, select
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"learning_rate": ["constant", "inverse"]}
    >>> report = select(BatchPerceptron(max_iter=300, tol=None), grid, X, y, validation=0.2)
    >>> report.n_train, report.n_validation, report.n_test
    (341, 114, 114)
    >>> len(report.table), report.test_score > 0.9
    (2, True)
    """
    if validation is not None and cv is not None:
        raise ValueError("validation and cv are two ways to judge; give one of them")
    check_estimator(estimator)
    classify = is_classifier(estimator)
    built = not isinstance(estimator, Pipeline)
    settings = settings_of(grid)
    _check_scoring_name(scoring)
    rows = as_part(check_table(X) if built else X, y, classify=classify)
    learn, tested = _set_aside(rows, test, built, classify, random_state)
    model = prepare(estimator, learn.X, scale=scale) if built else estimator
    names = full_names(settings, model, built)
    judging = _judging(learn, rows.n, validation, cv, classify, random_state)
    accuracy = classify and scoring in (None, "accuracy")
    task = Task(model, learn, judging, scoring, accuracy)
    table = judged(task, settings, names, n_jobs, verbose)
    best = table[first_best(table)]
    chosen = clone(model).set_params(**{names[name]: best.params[name] for name in best.params})
    chosen.fit(learn.X, learn.y)
    score, interval = _test(chosen, tested, scoring, accuracy)
    return Selection(
        model=chosen,
        params=best.params,
        table=table,
        score=best.score,
        test_score=score,
        interval=interval,
        scoring="accuracy" if accuracy else _name(scoring),
        method=judging.method,
        n_train=judging.n_train,
        n_validation=judging.n_validation,
        n_test=0 if tested is None else tested.n,
        n_retrained=learn.n,
    )


def _set_aside(
    rows: Part, test: Any, built: bool, classify: bool, random_state: Any
) -> tuple[Part, Part | None]:
    """Step 1: part the rows that judge the model in the end from all others."""
    if test is None:
        return rows, None
    if isinstance(test, tuple | list):
        part = check_test_pair(test, rows, classify)
        return rows, part._replace(X=check_table(part.X)) if built else part
    learn, tested, _ = hold_out(rows, test, "test", stratify=classify, random_state=random_state)
    return learn, tested


def _judging(
    learn: Part, n: int, validation: Any, cv: Any, classify: bool, random_state: Any
) -> Judging:
    """Step 2: say which rows judge, and which are learned from meanwhile."""
    if validation is not None:
        rest, held, aside = hold_out(
            learn, validation, "validation", of=n, stratify=classify, random_state=random_state
        )
        others = np.setdiff1d(np.arange(learn.n), aside)
        method = f"{held.n:,} validation rows"
        return Judging([(others, aside)], method, rest.n, held.n)
    cv = 5 if cv is None else cv
    if hasattr(cv, "split") and not isinstance(cv, str):
        splitter = cv
    elif isinstance(cv, bool) or not isinstance(cv, int | np.integer) or cv < 2:
        raise ValueError(f"cv must be a number of folds, 2 or more, or a splitter, got {cv!r}")
    elif classify:
        check_classes(learn.y, int(cv), f"cv={cv} wants one for each fold (test rows set aside)")
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    elif cv > learn.n:
        raise ValueError(f"cv={cv} wants a row for each fold, and {learn.n} rows are left")
    else:
        splitter = KFold(int(cv), shuffle=True, random_state=random_state)
    folds = list(splitter.split(np.zeros((learn.n, 1)), learn.y))
    return Judging(folds, f"{len(folds)}-fold cross-validation", learn.n, learn.n)


def _test(
    model: Any, tested: Part | None, scoring: Any, accuracy: bool
) -> tuple[float | None, Interval | None]:
    """Step 4: judge the model by the test rows."""
    if tested is None:
        return None, None
    if accuracy:
        right = int(np.count_nonzero(np.asarray(model.predict(tested.X)) == tested.y))
        return right / tested.n, wilson(right, tested.n)
    return float(check_scoring(model, scoring=scoring)(model, tested.X, tested.y)), None


def _check_scoring_name(scoring: Any) -> None:
    if scoring is None or callable(scoring):
        return
    if not isinstance(scoring, str):
        raise ValueError(f"scoring must be the name of one score or a callable, got {scoring!r}")
    if scoring not in get_scorer_names():
        close = near(scoring, get_scorer_names())
        meant = f"; did you mean {close!r}?" if close else "."
        raise ValueError(
            f"scoring={scoring!r} is no score of scikit-learn's{meant} "
            "See sklearn.metrics.get_scorer_names()"
        )


def _name(scoring: Any) -> str:
    if scoring is None:
        return "R²"
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "your score")
