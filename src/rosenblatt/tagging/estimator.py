"""`SequenceTagger`, and its weights by name."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.params import (
    at_least,
    check_params,
    flag,
    one_of,
    unchanged_on_error,
)
from rosenblatt.tagging import features, learner, spans
from rosenblatt.tagging.corpus import Corpus
from rosenblatt.tagging.fitting import AUTO, Learned, Progress, learn, score
from rosenblatt.tagging.input import (
    as_corpus,
    as_tags,
    check_no_answer,
    confidence_of,
    is_flat,
    numbered,
)
from rosenblatt.tagging.word_attributes import slices_of


class ParamsMixin:
    """Parameters and a repr as scikit-learn's estimators have, without importing scikit-learn."""

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


class TaggerWeights(ParamsMixin):
    """The weights of a fitted tagger, by name."""

    _transient = ("_ready",)  # computed where needed, and not part of a model file

    classes_: Array
    _state: learner.Model
    _features: features.Stored
    _ready: Ready
    metadata: dict[str, Any] | None = None

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


class SequenceTagger(TaggerWeights):
    """Tags every token of a sequence: parts of speech, phrases, names.

    The averaged structured perceptron over chains [1]_. A sequence of tags y has the score
    ``Σ_t w·φ(x, t, y_t) + v(y_{t−1}, y_t)``, where the templates say what φ looks at; the best of
    all sequences is found by dynamic programming. If it is not the right one, the features of the
    right one are added to the weights and those of the best one subtracted.

    Parameters
    ----------
    templates : str or list of str, default="auto"
        What to look at, in the language of `rosenblatt.tagging.templates`, or "pos", "chunking" or
        "entities" for templates that are good to begin with. "auto" takes "pos" for tags such as
        NOUN, and for tags of spans such as B-NP "chunking" if there are parts of speech, else
        "entities".
    columns : list of str, optional
        The names of a token's columns: by default word, pos, column3 and so on for tuples, and the
        names they have in dicts and data frames. Of those, only the ones named here are used.
    lists : dict of str to list of str, optional
        Word lists for templates such as ``in(word, cities)``. An entry may have several words, with
        blanks between them; functions such as lower apply to entries, too. For a list that no
        template looks into, ``in(word, NAME)[-1..1]`` is added.
    order : {1, 2}, default=1
        Whether the weight of a tag depends on the one before, or on the two before: a few times
        slower with twenty tags, and more with more.
    constraints : "auto", None, "iob1", "iob2", "iobes", "seen" or list of pairs, default="auto"
        Which tag may follow which. "auto" finds the scheme of the tags, in which for example I-NP
        cannot follow B-VP. "seen" allows what occurs in training, and a list of pairs such as
        ``[("B-VP", "I-NP")]`` forbids these.
    min_count : int, default=1
        Leave out features that occur less often in training.
    max_iter : int, default=10
        The most passes over the sequences. Passes end earlier when one makes no mistake.
    averaged : bool, default=True
        Tag with the mean of the weights over all steps, and not with the last ones.
    shuffle : bool, default=True
        Visit the sequences in a new random order each pass.
    early_stopping : bool, default=False
        Hold out ``validation_fraction`` of the sequences, and keep the weights of the pass that is
        best on them. The same is done with sequences that ``fit`` is given for validation.
    validation_fraction : float, default=0.1
        The share to hold out.
    n_iter_no_change : int, default=5
        With validation, stop after this many passes without progress.
    random_state : int, RandomState or None, default=0
        Seed of the orders, and of what is held out.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The tags, sorted.
    feature_names_in_ : array of str
        The columns that it learned from.
    n_features_in_ : int
        How many columns these are.
    templates_ : tuple of str
        The templates, with ranges written out.
    scheme_ : str or None
        The scheme of tags that is kept to.
    order_ : {1, 2}
        What was learned of ``order``.
    n_features_ : int
        How many features have weights.
    transitions_ : array of shape (n_classes, n_classes)
        The weight of each tag (column) after each tag (row); −∞ for what is not allowed.
    mistakes_ : array of shape (n_iter_,)
        How many sequences were not tagged right in each pass, before they were learned from.
    wrong_tokens_ : array of shape (n_iter_,)
        How many tokens were not.
    n_mistakes_ : int
        All mistakes in sequences.
    n_iter_ : int
        The number of passes.
    converged_ : bool
        Whether the last pass was clean.
    validation_curve_ : array of shape (n_iter_,)
        With validation, the score after each pass.
    metadata : dict or None
        What a model file keeps besides, of a tagger that learned from files: how they are read,
        and facts of its training.

    See Also
    --------
    StructuredPerceptron : The same algorithm for outputs of any kind.

    Notes
    -----
    There are no probabilities, and so no marginals: a perceptron has none. `confidence` says how
    far the best sequence is ahead of the second best, `token_confidence` the same for each token.

    References
    ----------
    .. [1] M. Collins (2002), "Discriminative training methods for hidden Markov models: theory and
       experiments with perceptron algorithms", EMNLP.

    Examples
    --------
    >>> from rosenblatt import SequenceTagger
    >>> X = [["the", "old", "man"], ["the", "man", "sings"], ["old", "songs"]]
    >>> y = [["DET", "ADJ", "NOUN"], ["DET", "NOUN", "VERB"], ["ADJ", "NOUN"]]
    >>> tagger = SequenceTagger(templates="word; suffix(word, 1)").fit(X, y)
    >>> tagger.predict([["the", "old", "songs"]]), tagger.score(X, y)
    ([['DET', 'ADJ', 'NOUN']], 1.0)
    """

    _rules = {  # noqa: RUF012 - as in the other estimators
        "columns": (
            lambda v: v is None or _are_names(v),
            "None, or a list of names such as ['word', 'pos'], each once",
        ),
        "templates": (lambda v: isinstance(v, str | list | tuple), "a text or a list of texts"),
        "order": (lambda v: at_least(1, Integral)(v) and v <= 2, "1 or 2"),
        "min_count": (at_least(1, Integral), "a whole number, 1 or more"),
        "averaged": (flag, "True or False"),
        "early_stopping": (flag, "True or False"),
        "validation_fraction": (
            lambda v: at_least(0)(v) and 0 < float(v) < 1,
            "a number between 0 and 1",
        ),
        "n_iter_no_change": (at_least(1, Integral), "a whole number, 1 or more"),
    }

    def __init__(
        self,
        templates: str | Sequence[str] = AUTO,
        *,
        columns: Sequence[str] | None = None,
        lists: Mapping[str, Iterable[str]] | None = None,
        order: int = 1,
        constraints: Any = AUTO,
        min_count: int = 1,
        max_iter: int = 10,
        averaged: bool = True,
        shuffle: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.templates = templates
        self.columns = columns
        self.lists = lists
        self.order = order
        self.constraints = constraints
        self.min_count = min_count
        self.max_iter = max_iter
        self.averaged = averaged
        self.shuffle = shuffle
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        groups: Any = None,
        validation: tuple[Any, ...] | None = None,
        callback: Callable[[Progress], None] | None = None,
    ) -> Self:
        """Learn from sequences and their tags.

        Parameters
        ----------
        X : list of sequences, Corpus, dict of columns or data frame
            A sequence is a list of tokens: texts, or tuples or dicts with a text for each column.
            Columns and data frames have a row for each token, and need ``groups``.
        y : list of lists, or a value for each row
            The tags.
        groups : array or str, optional
            For columns and data frames: to which sequence each row belongs, or the column that says
            so. A sequence's rows stand together.
        validation : tuple of X, y, and groups where they are needed, optional
            Sequences to evaluate each pass on.
        callback : callable, optional
            Called with a `Progress` after each block of sequences and after each pass.

        Returns
        -------
        self
        """
        with unchanged_on_error(self):
            check_params(self)
            corpus = as_corpus(X, self.columns, groups)
            tags = as_tags(y, corpus, is_flat(X))
            if is_flat(X):
                check_no_answer(corpus, tags)
            learned = learn(self, corpus, tags, validation, callback)
            self._set_fitted(learned, corpus.names)
        return self

    def _set_fitted(self, learned: Learned, names: Sequence[str]) -> None:
        outcome = learned.outcome
        for name in ("validation_curve_", "_ready", "metadata"):
            self.__dict__.pop(name, None)
        self.classes_ = learned.classes
        self.feature_names_in_ = np.array(names, object)
        self.n_features_in_ = len(names)
        self.scheme_ = learned.scheme
        self.mistakes_ = np.array(outcome.history.mistakes)
        self.wrong_tokens_ = np.array(outcome.wrong_tokens)
        self.n_mistakes_ = int(self.mistakes_.sum())
        self.n_iter_ = len(outcome.history.mistakes)
        self.converged_ = outcome.history.converged
        if outcome.history.validation:
            self.validation_curve_ = np.array(outcome.history.validation)
        self._state, self._features = learned.model, learned.features

    def predict(self, X: Any, groups: Any = None) -> Any:
        """Return the tags of sequences.

        Parameters
        ----------
        X : list of sequences, Corpus, dict of columns or data frame
            As for ``fit``.
        groups : array or str, optional
            For columns and data frames: to which sequence each row belongs, or the column that says
            so. A sequence's rows stand together.

        Returns
        -------
        list of lists, or array
            The tags of each sequence; for columns and data frames, one for each row.
        """
        corpus = self._corpus(X, groups)
        found = self.classes_[self.codes(corpus)]
        return found if is_flat(X) else _cut(found, corpus.offsets)

    def score(self, X: Any, y: Any, groups: Any = None, metric: str = AUTO) -> float:
        """Return how good the tags are, between 0 and 1.

        Parameters
        ----------
        X, y, groups
            As for ``fit``. Tags that were never seen count as mistakes.
        metric : {"auto", "accuracy", "f1"}, default="auto"
            The share of right tokens; the F1 of spans, as the script conlleval computes it; or the
            latter if the tags are of spans, else the former.

        Returns
        -------
        float
        """
        if not one_of(AUTO, "accuracy", "f1")(metric):
            raise ValueError(f"metric must be 'auto', 'accuracy' or 'f1', got {metric!r}")
        corpus, gold, every = self._gold_tags(X, y, groups)
        return score(self.classes_, every, gold, self.codes(corpus), corpus.offsets, metric)

    def evaluate(self, X: Any, y: Any, groups: Any = None) -> spans.SpanReport:
        """Count right tokens and spans, of each type, as the script conlleval does.

        Returns
        -------
        SpanReport
            Its text is conlleval's table.
        """
        corpus, gold, every = self._gold_tags(X, y, groups)
        return spans.evaluate(list(map(str, every)), gold, self.codes(corpus), corpus.offsets)

    def confidence(self, X: Any, groups: Any = None) -> Array:
        """Return how far each sequence's tags are ahead of the second best sequence of tags.

        It is a difference of scores and no probability; 0 is a tie. Sequences that leave no choice
        have infinity.
        """
        corpus = self._corpus(X, groups)
        return confidence_of(self.codes_and_gaps(corpus)[1], corpus.offsets)

    def token_confidence(self, X: Any, groups: Any = None) -> Any:
        """Return for each token how far the tags are ahead of the best ones with another tag there.

        Returns
        -------
        list of arrays, or array
            For each sequence; for columns and data frames, one for each row.
        """
        corpus = self._corpus(X, groups)
        gaps = self.codes_and_gaps(corpus)[1]
        if is_flat(X):
            return gaps
        return [gaps[a:b] for a, b in pairwise(corpus.offsets.tolist())]

    def _gold_tags(self, X: Any, y: Any, groups: Any) -> tuple[Corpus, Array, list[Any]]:
        corpus = self._corpus(X, groups)
        return corpus, *numbered(as_tags(y, corpus, is_flat(X)), self.classes_)

    def _corpus(self, X: Any, groups: Any) -> Corpus:
        self._need_fitted("_state")
        return as_corpus(X, tuple(self.feature_names_in_), groups)


def _are_names(names: Any) -> bool:
    listed = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    return listed and len(names) == len(set(names)) > 0


def _cut(flat: Array, offsets: Array) -> list[list[Any]]:
    listed = flat.tolist()
    return [listed[a:b] for a, b in pairwise(offsets.tolist())]
