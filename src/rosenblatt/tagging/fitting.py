"""How a tagger learns: what is held out, which features and transitions there are, passes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.progress_line import reporting
from rosenblatt.kernels.jit import working_time
from rosenblatt.passes import (
    BlockEnd,
    History,
    Pass,
    PassEnd,
    Reporter,
    StopByMistakes,
    StopByValidation,
    choose_held_out,
    drive,
    run_passes,
)
from rosenblatt.tagging import features, learner, schemes, spans, templates
from rosenblatt.tagging.corpus import WORD, Corpus
from rosenblatt.tagging.input import (
    Tags,
    as_corpus,
    as_tags,
    check_names,
    is_flat,
    numbered,
    sorted_classes,
)
from rosenblatt.tagging.schemes import Allowed, allowed_by, check_feasible

_TOKENS = 100_000  # in a block: a twentieth of a second


class Task(NamedTuple):
    """What there is to learn from: features and classes of tokens, where sequences begin."""

    features: Array
    gold: Array
    offsets: Array


class Progress(NamedTuple):
    """Where training stands, for those who want to be told after each block of sequences.

    Attributes
    ----------
    number : int
        The number of the pass, from 1 on.
    sequences : int
        How many of this pass are done.
    of : int
        How many a pass has.
    mistakes : int
        How many of them were not tagged right, before they were learned from.
    wrong_tokens : int
        How many tokens were wrong.
    seconds : float
        Time spent on learning so far, in all passes.
    score : float or None
        After a pass with validation sequences: how good the tagger is on those.
    """

    number: int
    sequences: int
    of: int
    mistakes: int
    wrong_tokens: int
    seconds: float
    score: float | None = None


class Outcome(NamedTuple):
    """How training went: the state that tags, the passes, and the wrong tokens of each."""

    state: learner.State
    history: History
    wrong_tokens: list[int]


Judge = Callable[[learner.State], float]
Callback = Callable[[Progress], None]


def blocks(order: Array, lengths: Array) -> Iterator[Array]:
    """Cut an order of sequences into blocks of so many tokens that none takes long."""
    ends = np.cumsum(lengths[order])
    first = 0
    while first < len(order):
        before = int(ends[first - 1]) if first else 0
        last = int(np.searchsorted(ends, before + _TOKENS)) + 1
        yield order[first:last]
        first = last


class Passes:
    """Passes over sequences, with a callback after each block and each validation."""

    def __init__(
        self, task: Task, rng: np.random.Generator | None, callback: Callback | None
    ) -> None:
        self.task, self.rng, self.callback = task, rng, callback or (lambda _: None)
        self.lengths, self.n = np.diff(task.offsets), len(task.offsets) - 1
        self.wrong_tokens: list[int] = []
        self.now = Progress(0, 0, self.n, 0, 0, 0.0)

    def one_pass(self, state: learner.State, number: int, clean: bool) -> Pass:
        """Learn from all sequences once."""
        order = np.arange(self.n) if self.rng is None else self.rng.permutation(self.n)
        before, tokens, done, seconds = state.updates, 0, 0, self.now.seconds
        for block in blocks(order, self.lengths):
            began = working_time()
            state, more = learner.update(state, *self.task, block)
            seconds += working_time() - began
            tokens, done, mistakes = tokens + more, done + len(block), state.updates - before
            self.now = Progress(number, done, self.n, mistakes, tokens, seconds)
            self.callback(self.now)
            yield BlockEnd(state, block, number, done, mistakes, done == self.n)
        self.wrong_tokens.append(tokens)
        return PassEnd(state, state.updates - before)

    def run(
        self,
        state: learner.State,
        max_iter: int,
        finished: Callable[[learner.State], learner.State],
        judge: Judge | None,
        patience: int,
        report: Reporter,
    ) -> Outcome:
        """Make passes until one is clean, or they run out, or the validation score stalls.

        ``finished`` makes the weights to tag with of those that learn. With a judge, those of the
        best pass are returned.
        """
        ready = state

        def validate(state: learner.State) -> float:
            nonlocal ready
            ready = finished(state)
            assert judge is not None
            score = judge(ready)
            self.callback(self.now._replace(score=score))
            return score

        stop: Any = StopByMistakes(self.n)
        if judge is not None:
            stop = StopByValidation(0.0, patience, higher_is_better=True)
        passes = run_passes(
            self.one_pass,
            state,
            max_iter,
            stop,
            validate=None if judge is None else validate,
            keep=lambda _: ready,
            higher_is_better=True,
        )
        state, history = drive(passes, self.n, report)
        return Outcome(history.best or finished(state), history, self.wrong_tokens)


AUTO = "auto"
_MOST_TRIGRAMS = 1 << 27
Labelled = tuple[Corpus, Tags]


class Learned(NamedTuple):
    """What a fit found."""

    model: learner.Model
    features: features.Stored
    classes: Array
    scheme: str | None
    outcome: Outcome


def learn(
    estimator: Any, corpus: Corpus, tags: Tags, validation: Any, callback: Callback | None
) -> Learned:
    """Learn from a corpus and its tags, as an estimator's parameters say."""
    if not corpus.n_tokens:
        raise ValueError("X has no tokens, so there is nothing to learn from")
    rng = np.random.default_rng(seed_of(estimator.random_state))
    held, rows = None, np.arange(len(corpus))
    if validation is not None:
        held = _given(estimator, validation, corpus)
    elif estimator.early_stopping:
        rows, (corpus, tags), held = _held_out(estimator, corpus, tags, rng)
    # Tags that only sequences held out have cannot be learned, and are no classes.
    there = np.unique(tags.codes).tolist()
    classes = classes_of([tags.values[code] for code in there])
    gold, _ = numbered(tags, classes)
    names = classes.tolist()
    allowed, scheme = allowed_by(estimator.constraints, names, gold, corpus.offsets)
    check_feasible(allowed, names, gold, corpus.offsets, rows)
    asked, lists = asked_for(estimator, corpus.names, names)
    known, matrix = features.learn(asked, corpus, lists, estimator.min_count)
    often = np.bincount(gold, minlength=len(classes))
    state = start(estimator.order, len(known), often, allowed)
    with reporting(type(estimator).__name__, estimator.max_iter, estimator.verbose) as report:
        task = Task(matrix, gold, corpus.offsets)
        passes = Passes(task, rng if estimator.shuffle else None, callback)
        outcome = passes.run(
            state,
            estimator.max_iter,
            learner.average if estimator.averaged else learner.frozen,
            None if held is None else _judge(known, held, classes),
            estimator.n_iter_no_change,
            report,
        )
    model, kept = learner.compact(outcome.state)
    return Learned(model, known.only(kept).stored(), classes, scheme, outcome)


def classes_of(values: list[Any]) -> Array:
    """Return distinct tags, sorted; there must be two at least, and not too many."""
    classes = sorted_classes(values)
    if len(classes) < 2:
        raise ValueError(
            f"there is one tag only, {classes.tolist()[0]!r}; two at least make a task"
        )
    if len(classes) > learner.MOST_TAGS:
        raise ValueError(
            f"there are {len(classes):,} different tags; more than {learner.MOST_TAGS:,} cannot be "
            "learned"
        )
    return classes


def asked_for(
    estimator: Any, columns: Sequence[str], classes: Sequence[Any]
) -> tuple[list[templates.Template], dict[str, list[list[str]]]]:
    """Return the templates and lists that an estimator's parameters ask for."""
    lists = _lists(estimator.lists)
    asked = _templates(estimator.templates, columns, classes)
    asked += _templates_for_lists(asked, lists, columns)
    templates.check_columns(asked, columns)
    templates.check_lists(asked, lists)
    return asked, lists


def seed_of(random_state: Any) -> Any:
    """Return what a generator starts from: a number drawn from what the user gave."""
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        number = int(random_state)
        if not 0 <= number < 1 << 32:
            raise ValueError(f"random_state={number} must be between 0 and 2³² − 1")
        random_state = np.random.RandomState(number)
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(0, 2**31)
    if random_state is None:
        return None
    raise ValueError(
        f"random_state must be a whole number, a RandomState or None, got {random_state!r:.60}"
    )


def _given(estimator: Any, validation: Any, corpus: Corpus) -> Labelled:
    if not isinstance(validation, tuple | list) or len(validation) not in (2, 3):
        raise ValueError("validation must be a tuple (X, y), or (X, y, groups)")
    there = as_corpus(validation[0], estimator.columns, *validation[2:])
    check_names(there, corpus.names, "validation")
    if not there.n_tokens:
        raise ValueError("validation has no tokens, so there is nothing to judge by")
    return there, as_tags(validation[1], there, is_flat(validation[0]))


def _held_out(
    estimator: Any, corpus: Corpus, tags: Tags, rng: np.random.Generator
) -> tuple[Array, Labelled, Labelled]:
    """Set a share of the sequences aside; return those to learn from, and those aside.

    The numbers of those to learn from come first.
    """
    there = np.flatnonzero(corpus.lengths)
    if len(there) < 2:
        raise ValueError("early_stopping needs two sequences at least; set it to False")

    def part(chosen: Array) -> Labelled:
        taken = corpus.take(chosen)
        shift = np.repeat(corpus.offsets[chosen] - taken.offsets[:-1], taken.lengths)
        return taken, tags._replace(codes=tags.codes[shift + np.arange(len(shift))])

    aside = choose_held_out([there], estimator.validation_fraction, rng)
    rows = np.setdiff1d(there, aside)
    return rows, part(rows), part(aside)


def start(order: int, n_features: int, often: Array, allowed: Allowed) -> learner.State:
    """Return the state before any sequence; ``often`` says how often each class occurs."""
    n = len(allowed.first)
    if order == 2 and (n + 1) ** 3 > _MOST_TRIGRAMS:
        raise ValueError(
            f"order=2 has a weight for every three of {n} tags, which are too many; set order=1"
        )
    # Frequent tags stand side by side, so that most features need one block of weights.
    rank = np.empty(n, np.int64)
    rank[np.argsort(-often, kind="stable")] = np.arange(n)
    return learner.init(n_features, n, order=order, rank=rank, allowed=allowed)


def _judge(known: features.Features, held: Labelled, classes: Array) -> Judge:
    corpus, tags = held
    matrix, (gold, every) = known.of(corpus), numbered(tags, classes)

    def judge(state: learner.State) -> float:
        found = learner.tags(state, matrix, corpus.offsets)
        return score(classes, every, gold, found, corpus.offsets)

    return judge


def score(
    classes: Array, every: list[Any], gold: Array, found: Array, offsets: Array, metric: str = AUTO
) -> float:
    """Return the F1 of spans, or the share of right tokens, as is asked for or suits the classes.

    ``every`` has further tags that were never learned.
    """
    if metric == "f1" or (metric == AUTO and schemes.is_spans(list(map(str, classes.tolist())))):
        return float(spans.evaluate(list(map(str, every)), gold, found, offsets).f1)
    return float((gold == found).mean()) if len(gold) else 0.0


def _templates(
    asked: str | Sequence[str], names: Sequence[str], classes: Sequence[Any]
) -> list[templates.Template]:
    """Read templates, or take those that suit the tags."""
    if isinstance(asked, str) and asked == AUTO:
        asked = templates.task_for(classes, names)
    if isinstance(asked, str) and asked in templates.NAMES:
        asked = templates.templates_for(asked, names)
    return templates.parse(asked)


def _templates_for_lists(
    asked: Sequence[templates.Template], lists: Mapping[str, Any], columns: Sequence[str]
) -> list[templates.Template]:
    """Return templates for the lists that no template looks into: who gives one wants it used."""
    word = WORD if WORD in columns else columns[0]
    used = {name for template in asked for name in template.lists}
    return [
        template
        for name in lists
        if name not in used
        for template in templates.parse(f"in({word}, {name})[-1..1]")
    ]


def _lists(lists: Any) -> dict[str, list[list[str]]]:
    """Split the entries of lists into words."""
    if lists is None:
        return {}
    if not isinstance(lists, Mapping):
        raise ValueError("lists must be a dict of names and their entries")
    split = {}
    for name, entries in lists.items():
        several = isinstance(entries, Iterable) and not isinstance(entries, str)
        entries = list(entries) if several else None
        if not templates.NAME.fullmatch(str(name)):
            raise ValueError(
                f"templates cannot name a list {name!r}: call it by letters, digits, _ and -, with "
                "a letter first"
            )
        if entries is None or not all(isinstance(entry, str) for entry in entries):
            raise ValueError(f"the list {name!r} must have texts as entries, such as 'New York'")
        split[str(name)] = [entry.split() for entry in entries]
    return split
