"""`OnlineClassifier` on shards of files: names, classes and moments united, then rounds.

Each shard is read once, with names of its own. The names are numbered in the order in which they
first appear, shard by shard, as if the files were read from start to end; the moments of the
columns of numbers are merged (Chan, Golub and LeVeque 1983), and rows are standardised with those
of all shards from the first round on.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.labels import as_labels, check_labels, positions
from rosenblatt.data.rows import Array, Sparse, all_finite, frozen, n_rows, usable
from rosenblatt.distributed.files import Read, fresh_names
from rosenblatt.distributed.mixing import Learned, Pass, Start, counted, with_changes
from rosenblatt.distributed.online import with_mean, without_mean
from rosenblatt.kernels.online.standardize import DENSE, LARGEST, SPARSE
from rosenblatt.learners import adaptive, online
from rosenblatt.learners.order import Orders, Visits
from rosenblatt.readers.blocks import ErrorLog
from rosenblatt.readers.features import features_of
from rosenblatt.readers.names import Kept, Names, Numbered
from rosenblatt.readers.products import Products, TooManyProductsError
from rosenblatt.stream import rules
from rosenblatt.stream.classifier import _one_label
from rosenblatt.stream.rules import Options, rule_of
from rosenblatt.stream.scaling import MOST, Scaling, words_of

_PIECE = 1 << 14  # rows that are scaled at once

Parts = tuple[Array, Array, Array]


class Moments(NamedTuple):
    """Counts, means and sums of squared deviations of some columns.

    ``columns`` are their numbers. ``first`` is the row of the first number other than 0 and 1, from
    which on a column is one of numbers; −1 if there is none. ``late`` are the moments from there.
    """

    columns: Array
    every: Parts
    first: Array
    late: Parts


class FileSurvey(NamedTuple):
    """What there is to know of a file shard before it is learned from."""

    rows: int
    unlabelled: int
    classes: Array
    n_features: int
    letters: Array | None
    ends: Array | None
    words: Array
    texts: Array
    moments: Moments | None
    errors: ErrorLog


class FileShape(NamedTuple):
    """What all shards have in common, and each one's columns among them."""

    names: Names
    classes: Array
    scaling: Scaling | None
    maps: list[Array | None]


class StreamShard(NamedTuple):
    """Rows as they are learned from, with class numbers."""

    rows: Sparse
    codes: Array
    weights: Array | None


def read_examples(
    number: int, examples: Any, kind: Names, dtype: str, interactions: Sequence[str] | None = None
) -> Read:
    """Read the examples of a shard: pairs of a dict and a label."""
    names, ends, columns = fresh_names(kind), [0], []
    numbers: list[float] = []
    labels: list[Any] = []
    for at, pair in enumerate(examples):
        try:
            x, label = pair
            found, values = features_of(x)
            labels.append(_one_label(label))
        except (TypeError, ValueError) as error:
            raise type(error)(f"shard {number}, example {at}: {error}") from None
        columns += found
        numbers += values
        ends.append(len(columns))
    every = as_labels(labels)
    check_labels(np.asarray(every))
    products = Products(interactions, names) if interactions else None
    places = (products or names).columns(columns) if columns else np.empty(0, np.int64)
    rows = Sparse(np.array(ends, np.int32), places, np.array(numbers, dtype))
    if products is None:
        rows = rows._replace(indices=places.astype(np.int32))
    else:
        rows = _multiplied(rows, products, number)
    texts = any(isinstance(label, str) for label in labels)
    kinds = np.array(labels, object if texts else np.int64)
    return Read(frozen(rows), kinds, None, names, ErrorLog(), 0)


def _multiplied(rows: Sparse, products: Products, number: int) -> Sparse:
    """Return the examples of a shard with their products."""
    try:
        rows = products.rows(rows)
    except TooManyProductsError as error:
        raise ValueError(f"shard {number}, example {error.row}: {error}") from None
    if not all_finite(rows.values):
        odd = int(np.argmin(np.isfinite(rows.values)))
        at = int(np.searchsorted(rows.indptr, odd, "right")) - 1
        raise ValueError(f"shard {number}, example {at}: a product of features is too large")
    return rows


def survey_read(read: Read, scaled: bool) -> FileSurvey:
    """Look at the rows of a shard."""
    names, rows = read.names, read.rows
    assert isinstance(rows, Sparse)
    kept = names.arrays() if isinstance(names, Kept) else {}
    words = kept.get("words", np.zeros(0, np.uint8))
    texts = np.zeros(len(words), np.int64)
    moments = _MomentsSoFar(names.n_features)
    for part in _pieces(rows):
        columns, values = part.rows.indices, part.rows.values
        is_word = np.zeros(len(columns), bool)
        if len(words):
            is_word = words[columns] == 1
            texts += np.bincount(columns[is_word & (values > 0)], minlength=len(words))
        if scaled and not is_word.all():
            moments.add(part, ~is_word)
    return FileSurvey(
        len(read.labels),
        read.unlabelled,
        np.unique(read.labels),
        names.n_features,
        kept.get("letters"),
        kept.get("ends"),
        words,
        texts,
        moments.found() if scaled else None,
        read.errors,
    )


class _MomentsSoFar:
    """The moments of columns of numbers, to which pieces of rows are added in their order."""

    def __init__(self, n_features: int) -> None:
        self._n, self._first = n_features, np.full(n_features, -1)
        self._every, self._late = _no_moments(n_features), _no_moments(n_features)

    def add(self, part: "_Piece", which: Array) -> None:
        """Add rows, of which only some entries count."""
        columns = part.rows.indices[which]
        values = np.clip(part.rows.values[which].astype(np.float64), -LARGEST, LARGEST)
        begins = np.where(self._first < 0, len(columns), 0)
        at = np.flatnonzero((values != 0) & (values != 1) & (begins[columns] > 0))
        begun, first_entry = np.unique(columns[at], return_index=True)
        begins[begun] = at[first_entry]
        if len(begun):
            row_of = np.repeat(np.arange(n_rows(part.rows)), np.diff(part.rows.indptr))[which]
            self._first[begun] = part.start + row_of[at[first_entry]]
        later = np.arange(len(columns)) >= begins[columns]
        every = np.arange(self._n)
        _merge(*self._every, every, _moments(columns, values, self._n))
        _merge(*self._late, every, _moments(columns[later], values[later], self._n))

    def found(self) -> Moments:
        """Return those of the columns that occurred."""
        used = np.flatnonzero(self._every[0])
        return Moments(used, _at(self._every, used), self._first[used], _at(self._late, used))


def _no_moments(n_features: int) -> Parts:
    return np.zeros(n_features, np.int64), np.zeros(n_features), np.zeros(n_features)


def _at(parts: Parts, used: Array) -> Parts:
    count, mean, squares = (part[used] for part in parts)
    return count, mean, squares


def _moments(columns: Array, values: Array, n_features: int) -> Parts:
    count = np.bincount(columns, minlength=n_features)
    mean = np.bincount(columns, values, n_features) / np.maximum(count, 1)
    off = values - mean[columns]
    return count, mean, np.bincount(columns, off * off, n_features)


def united_files(
    surveys: Sequence[FileSurvey], options: Options, names: Names, classes: Array
) -> FileShape:
    """Unite names, classes and moments, in the order of the shards."""
    maps = united_names(surveys, names)
    scaling = None
    if surveys[0].moments is not None:
        scaling = _scaling(surveys, maps, options, names)
    return FileShape(names, united_classes(surveys, classes), scaling, maps)


def united_names(surveys: Sequence[FileSurvey], names: Names) -> list[Array | None]:
    """Add the names of all shards, in their order; return which column each one's become.

    None is for columns that are what they were.
    """
    maps: list[Array | None] = []
    for each in surveys:
        before = names.n_features
        if isinstance(names, Kept):
            assert each.letters is not None
            assert each.ends is not None
            found = names.intern(each.letters, each.ends)
            if len(each.words):
                _mark(names, found[each.words == 1], before)
            maps.append(found)
        else:
            names.seen(each.n_features)
            maps.append(None)
    return maps


def _mark(names: Kept, words: Array, before: int) -> None:
    """Take note of which names are words, if they were not known before."""
    if len(names._words) < names.size:
        longer = np.zeros(names.size, np.uint8)
        longer[: len(names._words)] = names._words
        names._words = longer
    names._words[words[words >= before]] = 1


def united_classes(surveys: Sequence[FileSurvey], known: Array) -> Array:
    """Return the classes of all shards, and those that are known."""
    parts = [part for part in (known, *(each.classes for each in surveys)) if len(part)]
    kinds = {part.dtype.kind == "O" for part in parts}
    if len(kinds) > 1:
        names = next(part for part in parts if part.dtype.kind == "O")
        numbers = next(part for part in parts if part.dtype.kind != "O")
        raise ValueError(
            f"labels are either all numbers or all names; some shards have {names.tolist()[0]!r}, "
            f"others {numbers.tolist()[0]!r}"
        )
    return np.unique(np.concatenate(parts)) if parts else np.empty(0, object)


def _scaling(
    surveys: Sequence[FileSurvey], maps: Sequence[Array | None], options: Options, names: Names
) -> Scaling:
    """Merge the moments of shards into those that one pass over all rows would have."""
    n, seen = names.n_features, 0
    count, mean, squares = np.zeros(n, np.int64), np.zeros(n), np.zeros(n)
    first, order = np.full(n, -1), []
    texts = np.zeros(n if isinstance(names, Kept) else 0, np.int64)
    for each, own in zip(surveys, maps, strict=True):
        found = each.moments
        assert found is not None
        columns = found.columns if own is None else own[found.columns]
        starts = (first[columns] < 0) & (found.first >= 0)
        going = first[columns] >= 0
        by_row = np.argsort(found.first[starts], kind="stable")
        order.append(columns[starts][by_row])
        first[columns[starts]] = seen + found.first[starts]
        for chosen, parts in ((going, found.every), (starts, found.late)):
            _merge(count, mean, squares, columns[chosen], [part[chosen] for part in parts])
        if len(each.texts) and own is not None:
            np.add.at(texts, own, each.texts)
        seen += each.rows
    features = np.concatenate(order)
    zeros_left_out = isinstance(names, Numbered)
    dense = (not zeros_left_out) & (2 * count[features] >= seen - first[features])
    words = words_of(options, names)
    arrays = {
        "features": features.astype(np.int32),
        "kind": np.where(dense, DENSE, SPARSE).astype(np.uint8),
        "first": first[features],
        "count": count[features],
        "mean": mean[features],
        "squares": squares[features],
    }
    if words is not None and len(words.words):
        arrays["texts"] = texts
    return Scaling.from_parts({"seen": seen, "cut": 0}, arrays, n, words)


def _merge(
    count: Array, mean: Array, squares: Array, columns: Array, parts: Sequence[Array]
) -> None:
    """Add the moments of some rows to those of others."""
    more, their_mean, their_squares = parts
    total = count[columns] + more
    step = their_mean - mean[columns]
    share = np.divide(more, total, out=np.zeros(len(total)), where=total > 0)
    squares[columns] += their_squares + step * step * count[columns] * share
    mean[columns] += step * share
    count[columns] = total


def ready_stream(
    read: Read, own: Array | None, classes: Array, scaling: Scaling | None
) -> StreamShard:
    """Return the rows of a shard with the columns and the scaling of all shards."""
    rows = with_columns(read, own)
    if scaling is not None:
        numbers = np.zeros(scaling._place.size, bool)
        numbers[scaling.features] = True
        values = np.empty_like(rows.values)
        for part in _pieces(rows):
            scaled = scaling.transform(part.rows).values
            clipped = np.clip(scaled, -MOST, MOST)
            values[part.place] = np.where(numbers[part.rows.indices], clipped, scaled)
        rows = rows._replace(values=values)
    codes = positions(classes, read.labels) if len(read.labels) else np.empty(0, np.intp)
    assert codes is not None
    return StreamShard(frozen(rows), codes, read.weights)


def with_columns(read: Read, own: Array | None) -> Sparse:
    """Return the rows of a shard with the columns of all shards."""
    rows = read.rows
    assert isinstance(rows, Sparse)
    if own is None:
        return rows
    indices = np.empty_like(rows.indices)
    for part in _pieces(rows):
        indices[part.place] = own[part.rows.indices]
    return frozen(rows._replace(indices=indices))


class _Piece(NamedTuple):
    """Some rows, where their entries are among those of all, and the number of the first."""

    rows: Sparse
    place: slice
    start: int


def _pieces(rows: Sparse) -> Iterator[_Piece]:
    """Cut rows into pieces, so that what is computed of one takes little memory beside them."""
    for start in range(0, len(rows.indptr) - 1, _PIECE):
        indptr = rows.indptr[start : start + _PIECE + 1]
        place = slice(int(indptr[0]), int(indptr[-1]))
        part = Sparse(indptr - indptr[0], rows.indices[place], rows.values[place])
        yield _Piece(frozen(part), place, start)


class StreamWork(NamedTuple):
    """One pass over a shard by a learner of streams."""

    options: Options
    n_classes: int
    scaled: bool
    places: tuple[str, ...]

    @property
    def learner(self) -> str:
        """The module with ``merge``."""
        return rule_of(self.options).module.__name__

    def finished(self, mistakes: Sequence[int]) -> bool:
        """Perceptrons end after a round without a mistake."""
        return not rule_of(self.options).adapts and list(mistakes[-1:]) == [0]

    def begin(self, start: Start, number: int) -> Start:
        """Begin another pass over the same rows, and its mean."""
        if not rule_of(self.options).adapts:
            return start._replace(state=without_mean(start.state))
        if not number:
            return start
        state = adaptive.next_pass(online.copy(start.state), **rules.pace(self.options))
        return start._replace(state=state)

    def needed(self, shard: Any, start: Start) -> tuple[Start, None]:
        """Return all of a start."""
        return start, None

    def learn(
        self, shard: StreamShard, start: Start, seed: list[int], clean: bool
    ) -> tuple[Start, Pass]:
        """Make a pass over a shard, in an order that the seed gives."""
        n, before = len(shard.codes), start.state
        if not n:
            return start, Pass(0, 0, 0)
        rows = usable(shard.rows)
        y = online.targets(shard.codes, self.n_classes, before.weights.dtype)
        visits = Orders(rows, y, np.random.default_rng(seed)).next()
        sums, wrong, updates = np.array([start.extra]), rules.mistakes_of(before), before.updates
        state = self._update(before, rows, y, visits, sums, shard.weights)
        if state.steps - before.steps < n:
            raise self._overflow(seed[-1])
        done = Pass(n, rules.mistakes_of(state) - wrong, state.updates - updates)
        return Start(state, float(sums[0])), done

    def _update(
        self, state: Any, rows: Sparse, y: Array, visits: Visits, sums: Array, weights: Array | None
    ) -> Any:
        """Learn as `rosenblatt.stream.rules.update` does, but in any order."""
        options, rule = self.options, rule_of(self.options)
        given = (state, rows, y, visits.order, visits.ahead)
        if not rule.adapts:
            more: dict[str, Any] = {} if weights is None else {"weights": weights}
            margin = rules._margin(options, rule)
            return rule.module.update(*given, **margin, **more, until_overflow=True)
        return adaptive.update(
            *given,
            **rules.pace(options),
            usual=rules.usual(options, True if self.scaled else None),
            lengths=sums,
            average=options.average,
            weights=weights,
            until_overflow=True,
        )

    def _overflow(self, number: int) -> ValueError:
        what = f"{self.places[number]}: an example makes a score or a weight"
        return ValueError(str(online.too_large(what, np.dtype(self.options.dtype))))

    def advance(self, before: Start, begun: Start, learned: Learned) -> Start:
        """Return the state after a round."""
        after = with_changes(begun, learned)
        state = after.state
        if not rule_of(self.options).adapts:
            state = with_mean(before.state, state)
        return after._replace(state=counted(before.state, state))
