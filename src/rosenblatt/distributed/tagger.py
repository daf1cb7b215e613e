"""`fit` for a `SequenceTagger`: what all shards have is united, then rounds over shards.

Tags, columns and transitions are united first, as they decide on templates and constraints; then
the features that the templates find, numbered in the order in which they first appear, shard by
shard. All of that is what one machine would find in the shards one after the other.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.distributed.checkpoint import Checkpoint, described
from rosenblatt.distributed.cluster import Cluster, Tasks
from rosenblatt.distributed.deltas import Part
from rosenblatt.distributed.file_fitting import Plan, is_files, kept_rounds, listed
from rosenblatt.distributed.mixing import (
    Learned,
    Pass,
    Rounds,
    Start,
    in_tree,
    with_changes,
)
from rosenblatt.distributed.sources import pairs_of, parts_of_bag
from rosenblatt.distributed.tagged_files import (
    READING,
    Sequences,
    TaggedShard,
    cut_tagged,
    place_of,
    read_tagged,
)
from rosenblatt.estimators._base.params import check_params
from rosenblatt.passes import CONVERGED, History
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.readers.names import Vocabulary
from rosenblatt.readers.sources import expand
from rosenblatt.tagging import features, fitting, learner, mixing
from rosenblatt.tagging.corpus import WORD
from rosenblatt.tagging.estimator import SequenceTagger
from rosenblatt.tagging.file_layout import TagReading
from rosenblatt.tagging.fitting import Outcome, Task
from rosenblatt.tagging.input import Tags, as_corpus, as_tags, is_flat, numbered
from rosenblatt.tagging.metadata import metadata_of
from rosenblatt.tagging.schemes import (
    Allowed,
    BrokenConstraintsError,
    allowed_for,
    breaks,
    check_feasible,
    check_possible,
    seen,
)
from rosenblatt.tagging.templates import Template


class TaggerWork(NamedTuple):
    """One pass over a shard of sequences; one that is ``alone`` is visited as on one machine."""

    shuffle: bool
    alone: bool

    @property
    def learner(self) -> str:
        """The module with ``merge``."""
        return mixing.__name__

    def finished(self, mistakes: Sequence[int]) -> bool:
        """Say whether the last round made no mistake."""
        return list(mistakes[-1:]) == [0]

    def begin(self, start: Start, number: int) -> Start:
        """Begin the mean anew: that of a round is the mixture of the shards' means."""
        return Start(mixing.begun_anew(start.state))

    def needed(self, shard: "TaggerShard | None", start: Start) -> tuple[Start, Part]:
        """Return the weights of the features that a shard has: of many shards, few of all."""
        own = NO_FEATURES if shard is None else shard.own
        state, places = mixing.of_features(start.state, own)
        width = state.bigrams.shape[1]
        return Start(state), Part(places, own.astype(state.keys.dtype) * width, width)

    def learn(
        self, shard: "TaggerShard | None", start: Start, seed: list[int], clean: bool
    ) -> tuple[Start, Pass]:
        """Make a pass over a shard, in an order that the seed gives."""
        if shard is None:
            return start, Pass(0, 0, 0)
        state = mixing.from_sparse(start.state)
        order, before = self._order(len(shard.offsets) - 1, seed), state.updates
        # Arrays that travelled may be read-only, for which other code would be compiled.
        task = Task(*(np.require(array, requirements=["C", "W"]) for array in shard[:3]))
        state, wrong = learner.update(state, *task, order)
        mistakes = state.updates - before
        tokens = int(task.offsets[-1])
        done = Pass(len(order), mistakes, mistakes, wrong_tokens=wrong, tokens=tokens)
        return Start(mixing.to_sparse(state)), done

    def _order(self, n: int, seed: list[int]) -> Array:
        if not self.shuffle:
            return np.arange(n)
        if not self.alone:
            return np.random.default_rng(seed).permutation(n)
        rng = np.random.default_rng(seed[0])
        for _ in range(seed[1]):  # of the rounds before
            rng.permutation(n)
        return rng.permutation(n)

    def advance(self, before: Start, begun: Start, learned: Learned) -> Start:
        """Return the state after a round; of its mean, all rounds so far are part."""
        return Start(mixing.continued(before.state, with_changes(begun, learned).state))


class TaggerShard(NamedTuple):
    """What there is to learn from: features are numbered among those that the shard has.

    ``own`` are these by their numbers among all, which rise; the first one, 0, is none.
    """

    features: Array
    gold: Array
    offsets: Array
    own: Array


NO_FEATURES = np.zeros(1, np.int32)


class TagSurvey(NamedTuple):
    """What there is to know of a shard's tags; ``often`` and ``there`` are by their numbers.

    ``words`` are those of a file, for its model: letters, and where each ends.
    """

    columns: tuple[str, ...]
    sequences: int
    tokens: int
    tags: list[Any]
    often: Array
    there: Allowed
    words: tuple[Array, Array] | None


class Common(NamedTuple):
    """What is the same for all shards."""

    columns: tuple[str, ...]
    classes: Array
    often: Array
    allowed: Allowed
    scheme: str | None
    templates: list[Template]
    lists: dict[str, list[list[str]]]


def check_sequences(columns: Sequence[str] | None, number: int, X: Any, y: Any) -> Sequences | None:
    """Make a corpus of a shard's sequences; None if it has no tokens."""
    try:
        if is_flat(X):
            raise ValueError(
                f"X is a {type(X).__name__} with columns; on a cluster give lists of sequences"
            )
        corpus = as_corpus(X, columns)
        tags = as_tags(y, corpus)
    except ValueError as error:
        raise ValueError(f"shard {number}: {error}") from None
    return Sequences(corpus, tags) if corpus.n_tokens else None


def survey_tags(part: Sequences | None) -> TagSurvey | None:
    """Count the tags of a shard, and see which follow one another."""
    if part is None:
        return None
    corpus, tags, lines = part
    assert tags is not None
    words = corpus.columns.get(WORD) if lines is not None else None
    there = np.unique(tags.codes)
    codes = np.searchsorted(there, tags.codes)
    return TagSurvey(
        corpus.names,
        len(corpus),
        corpus.n_tokens,
        [tags.values[code] for code in there.tolist()],
        np.bincount(codes),
        seen(len(there), codes, corpus.offsets),
        None if words is None else (words.letters, words.ends),
    )


def common_of(estimator: Any, surveys: Sequence[TagSurvey | None]) -> Common:
    """Unite tags and transitions, and decide on constraints and templates as one machine does."""
    columns: tuple[str, ...] = ()
    for number, each in enumerate(surveys):
        if each is not None and each.columns != (columns or each.columns):
            raise ValueError(
                f"shard {number} has the columns {', '.join(each.columns)}, and those before "
                f"{', '.join(columns)}; all must have the same"
            )
        columns = columns or (each.columns if each is not None else ())
    known = [each for each in surveys if each is not None]
    if not known:
        raise ValueError("no shard has tokens, so there is nothing to learn from")
    classes = fitting.classes_of(list(dict.fromkeys(tag for each in known for tag in each.tags)))
    n = len(classes)
    often = np.zeros(n, np.int64)
    there = Allowed(np.zeros(n, bool), np.zeros((n, n), bool), np.zeros(n, bool))
    for each in known:
        at, _ = numbered(Tags(each.tags, np.arange(len(each.tags))), classes)
        often[at] += each.often
        there.first[at] |= each.there.first
        there.pairs[np.ix_(at, at)] |= each.there.pairs
        there.last[at] |= each.there.last
    names = classes.tolist()
    allowed, scheme = allowed_for(estimator.constraints, names, there)
    templates, lists = fitting.asked_for(estimator, columns, names)
    return Common(columns, classes, often, allowed, scheme, templates, lists)


def broken_in(common: Common, surveys: Sequence[TagSurvey | None]) -> int | None:
    """Return the first shard in which tags break the constraints, if there is one."""
    for number, each in enumerate(surveys):
        if each is not None:
            at, _ = numbered(Tags(each.tags, np.arange(len(each.tags))), common.classes)
            allowed = common.allowed
            rules = Allowed(allowed.first[at], allowed.pairs[np.ix_(at, at)], allowed.last[at])
            if breaks(rules, each.there):
                return number
    return None


def check_constraints(
    allowed: Allowed, classes: Array, number: int, shard: TaggedShard | None, part: Sequences
) -> None:
    """Raise ``ValueError`` that names the sequence of a shard that breaks the constraints."""
    assert part.tags is not None
    gold, _ = numbered(part.tags, classes)
    rows, offsets = np.arange(len(part.corpus)), part.corpus.offsets
    try:
        check_feasible(allowed, classes.tolist(), gold, offsets, rows)
    except BrokenConstraintsError as error:
        if shard is None or part.lines is None:
            raise ValueError(f"shard {number}: {error}") from None
        place = place_of(shard, int(part.lines[offsets[error.sequence]]))
        raise ValueError(
            f"{place}: the sentence that begins here breaks the constraints: {error.why}"
        ) from None


def survey_features(
    templates: Sequence[Template], lists: features.Lists, part: Sequences | None
) -> features.Survey | None:
    """Find the features of a shard."""
    return None if part is None else features.survey(templates, part.corpus, lists)


def unite_features(
    templates: Sequence[Template], left: features.Survey | None, right: features.Survey | None
) -> features.Survey | None:
    """Unite the features of two groups of shards."""
    if left is None or right is None:
        return right if left is None else left
    return features.united(templates, left, right)


def ready_sequences(
    part: Sequences | None, given: tuple[features.Stored, Array]
) -> TaggerShard | None:
    """Return a shard as it is learned from."""
    if part is None:
        return None
    assert part.tags is not None
    stored, classes = given
    known = features.Features.from_stored(stored)
    matrix = known.of(part.corpus)
    there = np.zeros(len(known) + 1, bool)
    there[matrix] = there[0] = True
    number = (np.cumsum(there) - 1).astype(matrix.dtype)
    own = np.flatnonzero(there).astype(np.int32)
    return TaggerShard(number[matrix], numbered(part.tags, classes)[0], part.corpus.offsets, own)


def check_tagger(estimator: SequenceTagger) -> None:
    """Raise ``ValueError`` for parameters that have no meaning on a cluster."""
    check_params(estimator)
    if estimator.early_stopping:
        raise ValueError("early_stopping=True needs sequences held out; set it to False")


def fit_tagger(
    cluster: Cluster,
    estimator: SequenceTagger,
    source: Any,
    y: Any,
    plan: Plan,
    shard_bytes: int,
    **reading: Any,
) -> Rounds:
    """Fit a tagger to sequences in shards."""
    Checkpoint(plan.path, {}).check_kind(plan.resume)
    files = cut_source(source, y, shard_bytes, **reading)
    described = [[one.name, one.size] for one in expand(listed(source))] if files else []
    common, surveys, known, shards = _prepared(cluster, estimator, source, y, files)
    fresh = Start(_first_state(estimator, common, len(known)))
    kept = Checkpoint(
        plan.path,
        {
            **_run(estimator, plan, files, common, surveys, len(known)),
            **({"shard_bytes": shard_bytes} if files else {}),
        },
    )
    drawn = fitting.seed_of(estimator.random_state)
    seed = int(np.random.default_rng().integers(2**31)) if drawn is None else int(drawn)
    seed, start, done = kept.load(seed, fresh, plan.resume)
    _check_loaded(plan.path, start, fresh)
    work = TaggerWork(bool(estimator.shuffle), len(shards) == 1)
    start = kept_rounds(cluster, work, shards, start, seed, done, plan, kept)
    _finish(estimator, common, known, start, done, work.finished(done.mistakes))
    if files:
        columns = files[0].reading.only(common.columns)
        size, words = _size(surveys), _words(surveys)
        estimator.metadata = metadata_of(estimator, columns, described, *size, words)
    return done


def _size(surveys: Sequence[TagSurvey | None]) -> tuple[int, int]:
    """Return how many sequences and tokens there are."""
    known = [each for each in surveys if each is not None]
    return sum(each.sequences for each in known), sum(each.tokens for each in known)


def _words(surveys: Sequence[TagSurvey | None]) -> tuple[Array, Array] | None:
    """Return the words of all shards, in the order in which they first appear."""
    every = [each.words for each in surveys if each is not None and each.words is not None]
    united = Vocabulary()
    for letters, ends in every:
        united.intern(letters, ends)
    found = united.arrays()
    return (found["letters"], found["ends"]) if every else None


def cut_source(
    source: Any,
    y: Any,
    size: int,
    known: TagReading | None = None,
    tagged: bool = True,
    **reading: Any,
) -> list[TaggedShard]:
    """Cut files into shards, as `cut_tagged` does; what is not files has none."""
    unknown = sorted(reading.keys() - {*READING})
    if unknown:
        raise TypeError(
            f"unknown option {unknown[0]!r}; files of sequences are read by {' and '.join(READING)}"
        )
    if is_files(source):
        tag = None if y is None else str(y)
        return cut_tagged(listed(source), tag, size, known=known, tagged=tagged, **reading)
    if reading:
        raise TypeError(f"{next(iter(reading))!r} says how to read files, and these are none")
    return []


def parts_of(
    tasks: Tasks, source: Any, y: Any, files: Sequence[TaggedShard], columns: Sequence[str] | None
) -> list[Any]:
    """Return futures of the parts of a source."""
    if files:
        return [tasks.submit("read", read_tagged, one, columns) for one in files]
    pairs = parts_of_bag(tasks.cluster, source, y) or pairs_of(tasks.cluster, source, y)
    return [
        tasks.submit("check", check_sequences, columns, number, *pair)
        for number, pair in enumerate(pairs)
    ]


def _prepared(
    cluster: Cluster, estimator: Any, source: Any, y: Any, files: Sequence[TaggedShard]
) -> tuple[Common, list[TagSurvey | None], features.Features, list[Any]]:
    """Read all shards, unite what they have, and return them ready to learn from."""
    with cluster.tasks("reading the shards") as tasks:
        parts = parts_of(tasks, source, y, files, estimator.columns)
        surveys = tasks.results(*[tasks.submit("survey", survey_tags, part) for part in parts])
        common = common_of(estimator, surveys)
        broken = broken_in(common, surveys)
        if broken is not None:
            shard = files[broken] if files else None
            given = common.allowed, common.classes, broken, shard, parts[broken]
            tasks.results(tasks.submit("constraints", check_constraints, *given))
        check_possible(common.allowed)
        templates, lists = common.templates, common.lists
        found = [
            tasks.submit("features", survey_features, templates, lists, part) for part in parts
        ]
        joined = in_tree(found, partial(tasks.submit, "unite", unite_features, templates))
        (every,) = tasks.results(joined)
        known = features.from_survey(templates, lists, every, estimator.min_count)
        published = tasks.submit("publish", same, (known.stored(), common.classes))
        ready = [cluster.submit("shard", ready_sequences, part, published) for part in parts]
    return common, surveys, known, ready


def same(value: Any) -> Any:
    """Publish a value: what a task was given can be sent again."""
    return value


def _first_state(estimator: Any, common: Common, n_features: int) -> mixing.SparseState:
    return mixing.to_sparse(
        fitting.start(estimator.order, n_features, common.often, common.allowed)
    )


def _run(
    estimator: Any,
    plan: Plan,
    files: Sequence[TaggedShard],
    common: Common,
    surveys: Sequence[TagSurvey | None],
    n_features: int,
) -> dict[str, Any]:
    """Return what must be the same to continue from a checkpoint."""
    return {
        **described(estimator, random=True),
        "mixing": plan.mixing,
        "files": [
            [one.file.name, Path(one.file.path).stat().st_mtime_ns, one.file.start, one.file.stop]
            for one in files
        ],
        "shards": [0 if each is None else each.tokens for each in surveys],
        "classes": [str(label) for label in common.classes.tolist()],
        "features": n_features,
    }


def _check_loaded(path: Any, start: Start, fresh: Start) -> None:
    try:
        if start.state.n_features != fresh.state.n_features:
            raise ValueError("it has another number of features")
        mixing.check(start.state)
        if not (
            np.array_equal(start.state.rank, fresh.state.rank)
            and np.array_equal(start.state.last, fresh.state.last)
            and np.array_equal(np.isfinite(start.state.bigrams), np.isfinite(fresh.state.bigrams))
        ):
            raise ValueError("its tags follow each other in another way")
    except ValueError as error:
        raise ModelFileError(f"{path} is not a whole checkpoint: {error}") from None


def _finish(
    estimator: Any, common: Common, known: features.Features, start: Start, done: Rounds,
    converged: bool,
) -> None:  # fmt: skip
    """Set what a tagger learned."""
    state = mixing.from_sparse(start.state)
    state = learner.average(state) if estimator.averaged else learner.frozen(state)
    model, kept = learner.compact(state)
    history = History(done.mistakes, ending=CONVERGED if converged else "")
    wrong = [sum(each.wrong_tokens for each in passes) for passes in done.passes]
    outcome = Outcome(state, history, wrong)
    learned = fitting.Learned(
        model, known.only(kept).stored(), common.classes, common.scheme, outcome
    )
    estimator._set_fitted(learned, common.columns)
