"""Where shards come from: Dask arrays and data frames, lists of futures, lists of arrays."""

from collections.abc import Sequence
from typing import Any

from rosenblatt.distributed.cluster import Cluster
from rosenblatt.readers.tables import no_column

_ADVICE = (
    "give a Dask array or data frame, a list with the rows of each shard, or a list of futures of "
    "pairs (X, y)"
)


def pairs_of(cluster: Cluster, source: Any, y: Any) -> list[tuple[Any, Any]]:
    """Return the rows and the labels of each shard, as futures or as they are."""
    if _is_collection(source):
        return _collection(cluster, source, y)
    if isinstance(source, list | tuple) and source:
        if y is None:
            return [_pair(cluster, number, each) for number, each in enumerate(source)]
        if not isinstance(y, list | tuple) or len(y) != len(source):
            n = len(y) if isinstance(y, list | tuple) else type(y).__name__
            raise ValueError(
                f"there are {len(source)} shards of rows, and y is {n}: give a list with the "
                "labels of each shard"
            )
        return list(zip(source, y, strict=True))
    if hasattr(source, "shape"):
        raise ValueError(
            f"a {type(source).__name__} is in the memory of this process; fit it here, or cut it "
            "into shards, for example with dask.array.from_array(X, chunks=(10_000, X.shape[1]))"
        )
    raise ValueError(f"cannot make shards of a {type(source).__name__}; {_ADVICE}")


def parts_of_bag(cluster: Cluster, source: Any, y: Any) -> list[tuple[Any, Any]] | None:
    """Return the inputs and outputs of each part of a Dask bag of pairs; None if it is none."""
    if not _is_collection(source) or hasattr(source, "ndim") or y is not None:
        return None
    futures = cluster.client.compute(_parts(source), optimize_graph=False)
    return [
        _pair(cluster, number, cluster.submit("pairs", _unzipped, number, each))
        for number, each in enumerate(futures)
    ]


def _unzipped(number: int, pairs: Any) -> tuple[list[Any], list[Any]]:
    each = list(pairs)
    if any(not isinstance(pair, tuple | list) or len(pair) != 2 for pair in each):
        raise ValueError(f"part {number} of the bag must have pairs, of a sequence and its tags")
    return [pair[0] for pair in each], [pair[1] for pair in each]


def examples_of(cluster: Cluster, source: Any, y: Any) -> list[Any]:
    """Return lists of pairs, a dict and a label, as futures: of a bag, a data frame, or futures."""
    if hasattr(source, "columns") and _is_collection(source):
        if not isinstance(y, str):
            raise ValueError(
                "an OnlineClassifier takes the whole data frame, with the name of the label's "
                "column as y"
            )
        if y not in source.columns:
            raise ValueError(no_column(y, list(source.columns)))
        parts = cluster.client.compute(_parts(source), optimize_graph=False)
        return [cluster.submit("part", _records, part, y) for part in parts]
    if y is not None:
        raise ValueError("a bag has its labels in it: pairs of a dict and a label; leave out y")
    if _is_collection(source) and not hasattr(source, "ndim"):
        return list(cluster.client.compute(_parts(source), optimize_graph=False))
    if isinstance(source, list | tuple) and source:
        return list(source)
    raise ValueError(
        f"cannot make examples of a {type(source).__name__}: give files, a Dask bag of pairs of a "
        "dict and a label, a Dask data frame with the name of the label's column, or lists of pairs"
    )


def _records(frame: Any, label: str) -> list[tuple[dict[str, Any], Any]]:
    """Return the rows of a data frame as dicts, and their labels; what is missing is None."""
    rows = frame.astype(object).where(frame.notna(), None)
    labels = frame[label].tolist()
    records = rows.drop(columns=label).to_dict("records")
    return list(zip(records, labels, strict=True))


def rows_of(cluster: Cluster, source: Any) -> list[Any]:
    """Return the rows of each shard, as futures or as they are."""
    if _is_collection(source):
        return list(cluster.client.compute(_parts(source), optimize_graph=False))
    if isinstance(source, list | tuple) and source:
        return list(source)
    raise ValueError(f"cannot make shards of a {type(source).__name__}; {_ADVICE}")


def _is_collection(source: Any) -> bool:
    return hasattr(source, "__dask_graph__") and hasattr(source, "to_delayed")


def _pair(cluster: Cluster, number: int, each: Any) -> tuple[Any, Any]:
    """Return the two parts of a pair, or of the future of one."""
    if _is_future(each):
        first, second = (cluster.submit("part", _item, number, each, at) for at in (0, 1))
        return first, second
    if not isinstance(each, tuple) or len(each) != 2:
        raise ValueError(f"shard {number} is not a pair (X, y) of rows and labels; {_ADVICE}")
    return each


def _is_future(value: Any) -> bool:
    from distributed import Future

    return isinstance(value, Future)


def _item(number: int, pair: Any, at: int) -> Any:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ValueError(
            f"shard {number} is a {type(pair).__name__}, not a pair (X, y) of rows and labels"
        )
    return pair[at]


def _collection(cluster: Cluster, source: Any, y: Any) -> list[tuple[Any, Any]]:
    if y is None:
        raise ValueError("y is missing: give the labels, or of a data frame the label's column")
    if isinstance(y, str):
        if not hasattr(source, "columns"):
            raise ValueError(f"y={y!r} names a column, but the source is not a data frame")
        if y not in source.columns:
            raise ValueError(f"the data frame has no column {y!r}; name the label's column")
        source, y = source.drop(columns=y), source[y]
    if not _is_collection(y):
        raise ValueError("y must be a Dask collection, cut into as many parts as the rows are")
    rows, labels = _parts(source), _parts(y)
    if len(rows) != len(labels):
        raise ValueError(
            f"the rows are cut into {len(rows)} parts, and y into {len(labels)}; rechunk one of "
            "them"
        )
    futures = cluster.client.compute([*rows, *labels], optimize_graph=False)
    return list(zip(futures[: len(rows)], futures[len(rows) :], strict=True))


def _parts(collection: Any) -> Sequence[Any]:
    """Return a delayed object for each part of a collection, cut along its rows alone."""
    if getattr(collection, "ndim", 1) == 2 and hasattr(collection, "chunks"):
        collection = collection.rechunk({1: -1})
    delayed = collection.to_delayed()
    return list(delayed.ravel() if hasattr(delayed, "ravel") else delayed)
