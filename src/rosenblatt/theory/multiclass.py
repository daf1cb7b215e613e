"""Separability of more than two classes: each against the rest, or all pairs."""

import json
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.theory.certificates import Certificate, Inseparable, Separable, Verdict
from rosenblatt.theory.problem import Classes, Problem, as_classes, problem_of

REST, PAIRS = "ovr", "ovo"


def questions(classes: Array, multi_class: str) -> list[Any]:
    """Return what is asked of these classes: the labels, or with "ovo" all pairs of them.

    >>> questions(np.array(["a", "b", "c"]), "ovo")
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    labels = classes.tolist()
    return list(combinations(labels, 2)) if multi_class == PAIRS else labels


def title(key: Any) -> str:
    """Return what a question is called: a label, or both of a pair."""
    return " – ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def asked(data: Classes, key: Any) -> Problem:
    """Return the two classes of a question; the second of a pair is the positive one."""
    labels = data.classes.tolist()
    if not isinstance(key, tuple):
        names = np.array([f"not {key}", str(key)], object)
        return problem_of(data, data.codes == labels.index(key), names)
    first, second = map(labels.index, key)
    rows = np.flatnonzero((data.codes == first) | (data.codes == second))
    codes = data.codes[rows]
    part = data._replace(matrix=data.matrix[rows], codes=codes)
    return problem_of(part, codes == second, data.classes[[first, second]])


class Separations(Mapping[Any, Separable | Inseparable]):
    """The answers for more than two classes, by label or, for pairs, by both labels.

    Parameters
    ----------
    answers : mapping
        The answers, by what `questions` asks.

    Attributes
    ----------
    multi_class : {"ovr", "ovo"}
        Whether each class is asked about against the rest, or each pair of classes.
    classes : list
        The labels, sorted.
    separable : bool
        Whether every answer is that a hyperplane separates the two.
    fit_intercept : bool
        Whether planes need not go through the origin.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> answers = separate([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "c"])
    >>> print(answers)
    Not separable: 2 of 3 classes are linearly separable from the rest.
      class   separable
      a       yes         margin 0.5
      b       no          3 points show it
      c       yes         margin 0.5
    >>> answers["b"].separable, answers.separable
    (False, False)
    """

    _answers: dict[Any, Separable | Inseparable]

    def __init__(
        self,
        multi_class: str,
        classes: list[Any],
        answers: Mapping[Any, Separable | Inseparable],
        fit_intercept: bool = True,
    ) -> None:
        self.multi_class, self.classes = multi_class, classes
        self.fit_intercept = fit_intercept
        self._answers = dict(answers)

    @property
    def separable(self) -> bool:
        """Whether all are separable."""
        return all(answer.separable for answer in self.values())

    def __getitem__(self, key: Any) -> Separable | Inseparable:
        return self._answers[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def __bool__(self) -> bool:
        return self.separable

    __hash__ = None  # type: ignore[assignment]

    def part(self, key: Any, X: Any, y: Any) -> tuple[Any, Array]:
        """Return the rows and labels that an answer is about, and that verify it.

        Of a pair these are the rows of both classes, and the answer's row numbers count them. Of a
        class against the rest they are all rows, labelled True or False.

        Parameters
        ----------
        key : label, or tuple of two
            Of one of the answers.
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows that were given to `separate`.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        tuple of rows and labels
        """
        data = as_classes(X, y, self.fit_intercept)
        labels = np.asarray(data.classes)[data.codes]
        if not isinstance(key, tuple):
            return data.matrix, labels == key
        rows = self.rows(key, y)
        return data.matrix[rows], labels[rows]

    def rows(self, key: Any, y: Any) -> Array:
        """Return the numbers of the rows that an answer counts: all of them, or a pair's."""
        labels = np.asarray(y)
        if not isinstance(key, tuple):
            return np.arange(len(labels))
        return np.flatnonzero((labels == key[0]) | (labels == key[1]))

    def verify(self, X: Any, y: Any) -> Verdict:
        """Check all certificates against data, from their own bits.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows that were given to `separate`.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        Verdict
            True or false in an ``if``; ``reason`` says why, ``exact`` whether beyond rounding.
        """
        try:
            data = as_classes(X, y, self.fit_intercept)
            if data.classes.tolist() != self.classes:
                raise ValueError(f"y has the classes {data.classes.tolist()}, not {self.classes}")
        except ValueError as error:
            return Verdict(False, False, f"these cannot be the certificates' data: {error}")
        exact = True
        for key, answer in self.items():
            verdict = answer.check(asked(data, key))
            if not verdict:
                return Verdict(False, False, f"{title(key)}: {verdict.reason}")
            exact = exact and verdict.exact
        return Verdict(True, exact, f"all {len(self)} answers hold")

    def to_json(self) -> str:
        """Write all certificates as JSON; numbers keep every bit."""
        return json.dumps(
            {
                "certificate": type(self).__name__,
                "multi_class": self.multi_class,
                "classes": self.classes,
                "fit_intercept": self.fit_intercept,
                "answers": [json.loads(answer.to_json()) for answer in self.values()],
            }
        )

    @classmethod
    def from_json(cls, text: str) -> "Separations":
        """Read what `to_json` wrote."""
        try:
            content = json.loads(text)
            if content["certificate"] != cls.__name__ or content["multi_class"] not in (
                REST,
                PAIRS,
            ):
                raise ValueError(f"this is a {content['certificate']!r}")
            classes = content["classes"]
            keys = questions(np.array(classes, object), content["multi_class"])
            found = [Certificate.from_json(json.dumps(one)) for one in content["answers"]]
            answers: Any = dict(zip(keys, found, strict=True))
            return cls(content["multi_class"], classes, answers, bool(content["fit_intercept"]))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise ValueError(
                f"these are not the certificates of several classes in JSON: {error}. Give the "
                "text that to_json() made, such as Path(name).read_text()"
            ) from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Separations) and self.to_json() == other.to_json()

    def __repr__(self) -> str:
        return f"Separations({self.multi_class!r}, {self._answers!r})"

    def summary(self) -> str:
        """Say in one line how many are separable."""
        good = sum(answer.separable for answer in self.values())
        what = "pairs of classes are" if self.multi_class == PAIRS else "classes are"
        rest = "" if self.multi_class == PAIRS else " from the rest"
        start = "Separable" if self.separable else "Not separable"
        return f"{start}: {good:,} of {len(self):,} {what} linearly separable{rest}."

    def table(self) -> list[tuple[str, str, str]]:
        """Return a row for each answer: the classes, yes or no, and the margin or the proof."""
        return [
            (title(key), "yes", f"margin {answer.margin:.6g}")
            if isinstance(answer, Separable)
            else (title(key), "no", f"{len(answer.points):,} points show it")
            for key, answer in self.items()
        ]

    def __str__(self) -> str:
        head = "classes" if self.multi_class == PAIRS else "class"
        rows = [(head, "separable", ""), *self.table()]
        width = max(len(row[0]) for row in rows)
        lines = [f"  {name:<{width}}   {good:<9}   {why}".rstrip() for name, good, why in rows]
        return "\n".join([self.summary(), *lines])

    def _repr_html_(self) -> str:
        from rosenblatt.theory.html import of_several

        return of_several(self)
