"""A pipeline that makes features of a table: categories become binary, numbers are standardised."""

from collections.abc import Iterator
from datetime import date
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from rosenblatt.data.checks import as_numbers, what_is_not_finite
from rosenblatt.data.frames import (
    as_floats,
    as_text,
    columns_of,
    floats,
    is_frame,
    is_missing,
    join,
    numbers_first,
)
from rosenblatt.data.rows import Array
from rosenblatt.estimators.svm import LinearSVM
from rosenblatt.model_selection.grid import short
from rosenblatt.models.frame_steps import Days, Words
from rosenblatt.readers.cells import MISSING, Categories, decided, without_missing
from rosenblatt.readers.column_types import DATE, DATES, TEXT


class Kinds(NamedTuple):
    """The columns of a table by what they hold: their names, or their numbers in an array."""

    numbers: list[Any]
    flags: list[Any]
    categories: list[Any]
    texts: list[Any]
    dates: dict[str, list[Any]]  # by their format


def as_table(X: Any) -> Any:
    """Return X as it is if it is a data frame or sparse, else as an array of two dimensions."""
    if is_frame(X) or sp.issparse(X):
        table = X
    else:
        table = np.asarray(X)
        if table.dtype.kind in "US" and isinstance(X, list | tuple):
            table = np.asarray(X, object)  # NumPy would make text of numbers beside text
    if len(table.shape) != 2 or 0 in table.shape:
        advice = ""
        if len(table.shape) == 1:
            advice = (
                "; one feature is X.reshape(-1, 1), and texts need a pipeline that counts words"
            )
        raise ValueError(
            f"X has the shape {table.shape}; it must have two dimensions, with at least one row "
            f"and one column{advice}"
        )
    return table


def is_mixed(table: Any) -> bool:
    """Tell tables whose columns differ in kind from arrays and sparse matrices of numbers."""
    return is_frame(table) or (not sp.issparse(table) and table.dtype.kind in "OUS")


def kinds_of(table: Any) -> Kinds:
    """Sort the columns of a data frame or an array of objects by what they hold."""
    kinds = Kinds([], [], [], [], {})
    seen = set()
    for name, column in columns_of(table):
        if name in seen:
            raise ValueError(f"X has two columns named {name!r}; give each a name of its own")
        seen.add(name)
        kind = _kind(name, column)
        if kind in DATES:
            kinds.dates.setdefault(kind, []).append(name)
        else:
            getattr(kinds, kind).append(name)
    return kinds


def _kind(name: Any, column: Any) -> str:
    """Say what a column holds, or raise ``ValueError`` if it is nothing to learn from.

    Of dates it is their format.
    """
    if str(getattr(column, "dtype", "")) == "category":
        return "categories"  # also if the categories are numbers
    values = np.asarray(column)
    if values.dtype.kind in "iuf":
        return "numbers"
    if values.dtype.kind == "b":
        return "flags"
    if values.dtype.kind == "M":
        return DATES[0]
    if values.dtype.kind == "U":
        return _kind_of_strings(values.tolist())
    if values.dtype.kind == "S":
        return "categories"
    if values.dtype.kind == "O":
        return _kind_of_objects(name, values)
    raise ValueError(_no_feature(name, str(values.dtype)))


def _kind_of_objects(name: Any, values: Array) -> str:
    """Look at the values themselves."""
    seen = set()
    if isinstance(next((v for v in values.tolist() if not is_missing(v)), None), str):
        strings = [value for value in values.tolist() if isinstance(value, str)]
        whole = all(isinstance(value, str) or is_missing(value) for value in values.tolist())
        return _kind_of_strings(strings) if whole else "categories"
    for value in values.tolist():
        if isinstance(value, str | bytes):
            return "categories"
        if is_missing(value):
            seen.add("missing")
        elif isinstance(value, bool | np.bool_):
            seen.add("flags")
        elif isinstance(value, date):
            seen.add("dates")
        elif isinstance(value, Real) or type(value).__name__ == "Decimal":
            seen.add("numbers")
        else:
            raise ValueError(_no_feature(name, type(value).__name__))
    if seen == {"flags"}:
        return "flags"
    if "dates" in seen and seen <= {"dates", "missing"}:
        return DATES[0]
    return "numbers" if "numbers" in seen and "flags" not in seen else "categories"


def _kind_of_strings(values: list[str]) -> str:
    """Look at the strings of a column as `train` looks at those of a table."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(value.strip(), len(numbers)) for value in values]
    found = decided(
        without_missing(Categories(np.array(codes, int), list(numbers))), "", False, False
    )
    if found is not None and found.kind == DATE and not found.word:
        return found.style
    return "texts" if found is not None and found.kind == TEXT else "categories"


def _no_feature(name: Any, kind: str) -> str:
    return (
        f"column {name!r} of X holds {kind}, which is neither number nor category. "
        f"{numbers_first(kind)}"
    )


def has_missing(values: Array) -> bool:
    """Tell whether some numbers of a column are missing."""
    if values.dtype.kind == "f":
        return bool(np.isnan(values).any())
    return values.dtype.kind == "O" and any(is_missing(value) for value in values.tolist())


def prepare(estimator: Any = None, X: Any = None, *, scale: bool = True) -> Pipeline:
    """Put in front of an estimator what makes features of a table's columns.

    Nothing is learned yet: the result is a scikit-learn pipeline to ``fit``, so that in a search or
    a comparison the rows held out play no part in the means, scales and categories.

    - **Categories** (text, pandas' and polars' categorical types): one binary feature for each
      category, such as ``weather=sunny``. A missing value is one of its own, ``weather=⟨missing⟩``.
      A category that was not there to learn from counts for none. The result is sparse if most of
      it is zero.
    - **Texts** (columns of strings in which half of the values or more differ, with two words or
      more on average, from 20 rows on): one feature for each word, such as ``note=free``, weighted
      as `rosenblatt train` weights words. Make a column categorical to keep its values whole.
    - **Dates** (of any type, also strings of one format): days since 1970, as a number.
    - **Truth values**: one feature, 0 or 1. Where some are missing they are categories.
    - **Numbers**: less their mean, divided by their standard deviation, unless all of them are 0 or
      1. A missing one counts as the mean, and ``missingindicator_…`` is a binary feature that says
      so. Numbers that are codes, such as a postal code, should be made text or categories first.
    - **Arrays of numbers** are standardised as a whole; NaN is refused, as everywhere else. Sparse
      matrices are left as they are.

    Parameters
    ----------
    estimator : estimator, optional
        Any of scikit-learn's manners. It becomes the step ``model``; what precedes it ``prepare``.
        Without one, ``prepare(X)``, it is ``LinearSVM()``: of our linear classifiers with their
        defaults it errs least over 51 tables (``benchmarks/defaults.py``).
        ``LogisticRegression()``, which has probabilities, comes next.
    X : pandas or polars data frame, array or sparse matrix of shape (n_samples, n_features)
        The table, or some rows of it: what its columns hold is looked at, and which of them have
        missing values; the steps called ``texts``, ``dates``, ``numbers``, … of the result list
        their columns. An array of objects is a table too.
    scale : bool, default=True
        Standardise the numbers.

    Returns
    -------
    :class:`sklearn.pipeline.Pipeline`
        Not fitted. ``pipeline[:-1].get_feature_names_out()`` names the features after ``fit``.

    Examples
    --------
    >>> import pandas as pd
    >>> from rosenblatt import Perceptron, prepare
    >>> days = pd.DataFrame({"weather": ["sunny", "rainy", "overcast", "sunny"],
    ...                      "windy": [False, True, False, True], "degrees": [24, 12, 15, 21]})
    >>> model = prepare(Perceptron(), days).fit(days, ["out", "in", "in", "out"])
    >>> model[:-1].get_feature_names_out().tolist()
    ['degrees', 'windy=True', 'weather=overcast', 'weather=rainy', 'weather=sunny']
    >>> model.predict(days).tolist()
    ['out', 'in', 'in', 'out']
    >>> prepare(days)["model"]
    LinearSVM()
    """
    if X is None and not hasattr(estimator, "fit"):
        estimator, X = None, estimator
    if X is None:
        raise ValueError("prepare needs X, whose columns it looks at: prepare(model, X)")
    estimator = LinearSVM() if estimator is None else estimator
    check_estimator(estimator)
    return Pipeline([("prepare", preparation(X, scale)), ("model", estimator)])


def check_estimator(estimator: Any) -> None:
    """Raise ``ValueError`` if this is no estimator, or a class of them."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        advice = "; write the parentheses" if isinstance(estimator, type) else ""
        raise ValueError(
            f"an estimator is needed, such as Perceptron(), got {short(estimator)}{advice}"
        )


def preparation(X: Any, scale: bool = True) -> Any:
    """Return the step that makes features of a table like X, or "passthrough"."""
    table = check_table(X)
    if is_mixed(table):
        return _of_columns(table, kinds_of(table), scale)
    if not scale or sp.issparse(table) or np.isin(table, (0, 1)).all():
        return "passthrough"
    return StandardScaler()


def _of_columns(table: Any, kinds: Kinds, scale: bool) -> ColumnTransformer:
    """Return a transformer of columns by their kinds."""
    steps: list[tuple[str, Any, list[Any]]] = []
    if kinds.numbers:
        filled: list[Any] = [_each(as_floats), SimpleImputer(keep_empty_features=True)]
        if scale and not _all_binary(table, kinds.numbers):
            filled.append(StandardScaler())
        steps.append(("numbers", make_pipeline(*filled), kinds.numbers))
        holes = [name for name, values in _chosen(table, kinds.numbers) if has_missing(values)]
        if holes:
            indicator = make_pipeline(_each(as_floats), MissingIndicator(features="all"))
            steps.append(("holes", indicator, holes))
    for number, (style, names) in enumerate(kinds.dates.items(), 1):
        place = "" if len(kinds.dates) == 1 else f"_{number}"
        filled = [Days(style), SimpleImputer(keep_empty_features=True)]
        filled += [StandardScaler()] if scale else []
        steps.append((f"dates{place}", make_pipeline(*filled), names))
        gaps = [name for name, values in _chosen(table, names) if _has_no_date(values)]
        if gaps:
            indicator = make_pipeline(Days(style), MissingIndicator(features="all"))
            steps.append((f"gaps{place}", indicator, gaps))
    if kinds.flags:
        binary = OneHotEncoder(
            categories=[["False", "True"]] * len(kinds.flags),
            drop="first",
            handle_unknown="ignore",
            feature_name_combiner=join,
        )
        steps.append(("flags", make_pipeline(_each(as_text), binary), kinds.flags))
    if kinds.categories:
        binary = OneHotEncoder(handle_unknown="ignore", feature_name_combiner=join)
        steps.append(("categories", make_pipeline(_each(as_text), binary), kinds.categories))
    if kinds.texts:
        steps.append(("texts", Words(scale), kinds.texts))
    columns = ColumnTransformer(steps, verbose_feature_names_out=False)
    # Whatever the user's own setting is: a frame cannot be sparse.
    return columns.set_output(transform="default")


def described(step: Any) -> tuple[str, ...]:
    """Say which columns `preparation` takes for texts and dates."""
    told = {"texts": "cut into words", "dates": "as days since 1970"}
    parts = step.transformers if isinstance(step, ColumnTransformer) else ()
    named = [(told.get(name.split("_")[0]), columns) for name, _, columns in parts]
    return tuple(f"{', '.join(map(str, columns))}: {what}" for what, columns in named if what)


def _has_no_date(values: Array) -> bool:
    if values.dtype.kind == "M":
        return bool(np.isnat(values).any())
    return any(
        is_missing(v) or (isinstance(v, str) and v.strip().lower() in MISSING)
        for v in values.tolist()
    )


def _each(function: Any) -> FunctionTransformer:
    return FunctionTransformer(function, feature_names_out="one-to-one")


def _chosen(table: Any, names: list[Any]) -> Iterator[tuple[Any, Array]]:
    """Yield the names and values of some columns."""
    chosen = set(names)
    return ((name, np.asarray(v)) for name, v in columns_of(table) if name in chosen)


def _all_binary(table: Any, names: list[Any]) -> bool:
    """Tell whether the numbers are binary features already."""
    return all(
        values.dtype.kind != "O" and bool(np.isin(values, (0, 1)).all())
        for _, values in _chosen(table, names)
    )


def check_table(X: Any) -> Any:
    """Return X ready for `prepare`, or raise ``ValueError`` saying what is wrong with it."""
    table = as_table(X)
    if not is_mixed(table):
        return as_numbers(table)
    for name, values in _chosen(table, kinds_of(table).numbers):
        _refuse_infinite(name, values)
    return table


def _refuse_infinite(name: Any, values: Array) -> None:
    numbers = floats(name, values)
    bad = np.flatnonzero(np.isinf(numbers))
    if bad.size:
        raise ValueError(
            f"column {name!r} of X has {what_is_not_finite(numbers[bad[0]])} at row {bad[0]}; drop "
            "such rows, or replace the value by a finite one"
        )
