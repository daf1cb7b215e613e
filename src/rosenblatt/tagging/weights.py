"""What a tagger has learned, to look at; and in the form that loops want."""

import inspect
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.tagging import features, learner
from rosenblatt.tagging.corpus import Corpus
from rosenblatt.tagging.values import slices_of


class Light:
    """Base of an estimator that can be used without scikit-learn: its parameters and its name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; ``deep`` changes nothing, as none is an estimator."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; names that are not known raise ``ValueError``."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; there are "
                    f"{', '.join(sorted(known))}"
                )
        vars(self).update(params)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    def _need_fitted(self, attribute: str) -> None:
        """Raise scikit-learn's ``NotFittedError`` if it has not learned."""
        if not hasattr(self, attribute):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with sequences "
                "and their tags first, or load one from a file"
            )


class Ready(NamedTuple):
    """What is needed to tag: features, and the weights in the form that loops want."""

    features: features.Features
    state: learner.State


class TaggerWeights(Light):
    """The weights of a fitted tagger, by name."""

    _transient = ("_ready",)  # made anew where it is needed, and no part of a model file

    classes_: Array
    _state: learner.Model
    _features: features.Stored
    _ready: Ready

    @property
    def n_features_(self) -> int:
        """How many features have weights."""
        self._need_fitted("_state")
        return len(self._state.counts)

    @property
    def order_(self) -> int:
        """Whether the weight of a tag depends on the one before, or on the two before."""
        self._need_fitted("_state")
        return 1 if self._state.trigrams is None else 2

    @property
    def templates_(self) -> tuple[str, ...]:
        """The templates, with ranges written out."""
        self._need_fitted("_state")
        written: tuple[str, ...] = self._features.templates
        return written

    @property
    def transitions_(self) -> Array:
        """The weight of each tag (column) after each tag (row)."""
        self._need_fitted("_state")
        weights: Array = self._state.bigrams[:-1]
        return weights

    @property
    def start_(self) -> Array:
        """The weight of each tag at the start of a sequence."""
        self._need_fitted("_state")
        weights: Array = self._state.bigrams[-1]
        return weights

    def features_of(self, tag: Any, top: int | None = 20) -> list[tuple[str, float]]:
        """Return the features that speak most for a tag, or against it, and their weights.

        Parameters
        ----------
        tag : label
            One of ``classes_``.
        top : int or None, default=20
            How many, None for all; the strongest come first.

        Returns
        -------
        list of (str, float)
        """
        self._need_fitted("_state")
        if top is not None and top < 0:
            raise ValueError(f"top={top} must not be negative")
        places = np.flatnonzero(self.classes_ == tag)
        if not len(places):
            shown = ", ".join(map(str, self.classes_[:30]))
            raise ValueError(f"there is no tag {tag!r}; the tags are {shown}")
        model = self._state
        feature = np.repeat(np.arange(len(model.counts)), model.counts)
        mine = np.flatnonzero(model.labels == places[0])
        mine = mine[np.argsort(-np.abs(model.values[mine]), kind="stable")[:top]]
        names = self._made().features.names(feature[mine])
        return list(zip(names, map(float, model.values[mine]), strict=True))

    def codes(self, corpus: Corpus) -> Array:
        """Return the number of each token's tag, among ``classes_``, of a checked corpus."""
        made = self._made()
        return learner.tags(made.state, made.features.of(corpus), corpus.offsets)

    def codes_and_gaps(self, corpus: Corpus) -> tuple[Array, Array]:
        """Return this, and for each token how far the tags are ahead of those with another one."""
        made = self._made()
        matrix = made.features.of(corpus)
        found = learner.tags(made.state, matrix, corpus.offsets)
        return found, learner.gaps(made.state, matrix, corpus.offsets, found)

    def unknown_columns(self, corpus: Corpus) -> list[str]:
        """Return the columns of which no value has a weight by itself, if any may have one."""
        made = self._made().features
        unknown = []
        for value, vocabulary in zip(made.plan.values, made.vocabularies, strict=True):
            if value.of is None:
                column = corpus.columns[value.column]
                if (vocabulary.intern_slices(*slices_of(column)) < 0).all():
                    unknown.append(value.column)
        return unknown

    def _made(self) -> Ready:
        if not hasattr(self, "_ready"):
            known = features.Features.from_stored(self._features)
            self._ready = Ready(known, learner.expand(self._state))
        return self._ready
