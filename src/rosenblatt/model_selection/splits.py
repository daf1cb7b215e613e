"""Parts of the rows: to learn from, to choose with, to test with."""

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import train_test_split

from rosenblatt.data.checks import check_sparse
from rosenblatt.data.labels import as_labels, check_labels
from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.checks import check_sample_weight

_FEW = 20  # rows of which it is not said that their labels are rather numbers
REGRESSION = "To predict numbers use LinearRegression, and select for its parameters"


class Part(NamedTuple):
    """Some rows and their labels, and weights if they have such."""

    X: Any
    y: Array
    weights: Array | None = None

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.y)


def as_part(
    X: Any, y: Any, name: str = "", classify: bool = True, sample_weight: Any = None
) -> Part:
    """Pair rows with their labels, or raise ``ValueError`` if they do not fit together.

    ``name`` is what sets them apart in messages, such as ``_test``.
    """
    labels = np.asarray(as_labels(y))
    if labels.ndim != 1:
        raise ValueError(f"y{name} must be a vector of labels, got the shape {labels.shape}")
    if sp.issparse(X) and X.format != "csr":
        check_sparse(X)
        X = X.tocsr()  # other formats do not give out rows
    X = X if hasattr(X, "shape") else list(X)
    rows = n_rows(X)
    if len(labels) != rows:
        raise ValueError(
            f"X{name} has {rows} rows but y{name} has {len(labels)} labels; give one for each row"
        )
    if classify:
        check_labels(labels)
    return Part(X, labels, check_sample_weight(sample_weight, rows))


def n_rows(X: Any) -> int:
    """Count the rows of anything."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def check_test_pair(test: Any, rows: Part, classify: bool) -> Part:
    """Return the test part that was given, which must be of the same kind as the other rows."""
    if len(test) not in (2, 3):
        raise ValueError(
            f"test must be a share, a pair (X_test, y_test) or None, got {len(test)} things"
        )
    part = as_part(test[0], test[1], "_test", classify, *test[2:])
    if not part.n:
        raise ValueError("X_test has no rows; use test=None to go without")
    widths = [table.shape[1:] for table in (part.X, rows.X) if hasattr(table, "shape")]
    if len(set(widths)) > 1 and all(len(width) == 1 for width in widths):
        raise ValueError(
            f"X_test has {widths[0][0]} columns and X has {widths[1][0]}; they must be the same"
        )
    if classify:
        strangers = part.y[~np.isin(part.y, rows.y)]
        if len(strangers):
            raise ValueError(
                f"y_test has the label {strangers.tolist()[0]!r}, which y has not: no model could "
                "learn it"
            )
    return part


def hold_out(
    rows: Part, share: Any, name: str, *, of: int | None = None, stratify: bool, random_state: Any
) -> tuple[Part, Part, Array]:
    """Set a share aside at random, with its part of every class; ``name`` is the parameter's.

    Returns what is left, what was set aside, and the row numbers of the latter. ``of`` is how many
    rows the share is of, by default those that there are.
    """
    n = rows.n
    wanted = held_rows(share, name, of or n)
    if stratify:
        check_classes(rows.y, 2, f"{name}={share} puts a row of each class in both parts")
        k = len(np.unique(rows.y))
        if wanted < k or n - wanted < k:
            raise ValueError(
                f"{name}={share} of {of or n} rows is {wanted}, and {n - wanted} of {n} are left; "
                f"both must have a row of each of {k} classes"
            )
    elif not 0 < wanted < n:
        raise ValueError(
            f"{name}={share} of {of or n} rows is {wanted}, and {n - wanted} are left; both parts "
            "need a row"
        )
    kept, aside = train_test_split(
        np.arange(n),
        test_size=wanted,
        stratify=rows.y if stratify else None,
        random_state=random_state,
    )
    kept.sort()
    aside.sort()
    return take(rows, kept), take(rows, aside), aside


def take(rows: Part, chosen: Array) -> Part:
    """Return some rows of a part, as what they came as."""
    X, weights = rows.X, None if rows.weights is None else rows.weights[chosen]
    if hasattr(X, "iloc"):
        return Part(X.iloc[chosen], rows.y[chosen], weights)
    if isinstance(X, list):
        return Part([X[i] for i in chosen], rows.y[chosen], weights)
    return Part(X[chosen], rows.y[chosen], weights)


def held_rows(share: Any, name: str, n: int) -> int:
    """Return how many rows a share of n is; a whole number is that many."""
    if isinstance(share, Integral) and not isinstance(share, bool) and int(share) >= 1:
        return int(share)
    if not isinstance(share, Real) or isinstance(share, bool) or not 0 < float(share) < 1:
        raise ValueError(
            f"{name} must be a share between 0 and 1, or a number of rows, got {share!r}"
        )
    return round(float(share) * n)


def check_few_labels(y: Array) -> None:
    """Raise ``ValueError`` if labels are rather numbers to predict: hardly any is there twice."""
    if y.dtype.kind not in "iuf" or len(y) < _FEW:
        return
    distinct = len(np.unique(y))
    if 2 * distinct > len(y):
        raise ValueError(
            f"y has {distinct:,} different numbers in {len(y):,} rows, too many for classes. "
            f"{REGRESSION}; if they are classes, make text of them"
        )


def check_classes(y: Array, least: int, why: str) -> None:
    """Raise ``ValueError`` naming the smallest class if it has fewer rows than are needed."""
    if not len(y):
        raise ValueError("X has no rows; there is nothing to learn from")
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class, {classes.tolist()[0]!r}; there is nothing to distinguish"
        )
    small = int(counts.argmin())
    if counts[small] < least:
        count = "one row" if counts[small] == 1 else f"{counts[small]} rows"
        raise ValueError(
            f"class {classes.tolist()[small]!r} has {count}, and {why}: at least {least} are "
            "needed. Drop or merge the class, or split the rows yourself"
        )
