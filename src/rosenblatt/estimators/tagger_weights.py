"""What a tagger has learned, to look at; and in the form that loops want."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.estimators.light import Light
from rosenblatt.learners import tagger, tagger_model
from rosenblatt.sequence import features


class Ready(NamedTuple):
    """What is needed to tag: features, and the weights in the form that loops want."""

    features: features.Features
    state: tagger.State


class TaggerWeights(Light):
    """The weights of a fitted tagger, by name."""

    _transient = ("_ready",)  # made anew where it is needed, and no part of a model file

    classes_: Array
    _state: tagger_model.Model
    _features: features.Stored
    _ready: Ready

    @property
    def n_features_(self) -> int:
        """How many features have weights."""
        self._need_fitted("_state")
        return len(self._state.counts)

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

    def features_of(self, tag: Any, top: int = 20) -> list[tuple[str, float]]:
        """Return the features that speak most for a tag, or against it, and their weights.

        Parameters
        ----------
        tag : label
            One of ``classes_``.
        top : int, default=20
            How many; the strongest come first.

        Returns
        -------
        list of (str, float)
        """
        self._need_fitted("_state")
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

    def _made(self) -> Ready:
        if not hasattr(self, "_ready"):
            known = features.Features.from_stored(self._features)
            self._ready = Ready(known, tagger_model.expand(self._state))
        return self._ready
