"""Tasks on a Dask cluster: submitting them, waiting for them, and errors in one line.

The only module that calls Dask for work. Dask is imported when it is first used.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from rosenblatt._version import __version__

WAIT_FOR_WORKERS = 10.0  # seconds
_LARGE = "Sending large graph"  # weights travel as arguments, so that they can be sent again


class ClusterError(OSError):
    """The cluster cannot be used, or lost more than it can compute again."""


class Cluster:
    """A Dask client, checked: every worker has this version of the package.

    Parameters
    ----------
    client : distributed.Client or None
        None is Dask's current one.
    """

    def __init__(self, client: Any = None) -> None:
        self.client = _client(client)
        self.token = uuid4().hex[:12]
        self._count = 0
        _check_workers(self.client)

    @classmethod
    def of(cls, client: Any) -> "Cluster":
        """Return the cluster of a client; one that is a cluster already is taken as it is."""
        return client if isinstance(client, Cluster) else cls(client)

    def key(self, name: str) -> str:
        """Return a key that no other task has; Dask groups tasks by what is before the dash."""
        self._count += 1
        return f"rosenblatt_{name}-{self.token}-{self._count}"

    def submit(self, name: str, function: Any, *args: Any) -> Any:
        """Submit a task; return its future."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=_LARGE)
            return self.client.submit(function, *args, key=self.key(name), pure=False)

    def results(self, futures: Sequence[Any], what: str) -> list[Any]:
        """Wait for futures and return their results."""
        from distributed import CancelledError, KilledWorker
        from distributed.comm import CommClosedError

        try:
            return list(self.client.gather(list(futures)))
        except KilledWorker as error:
            raise ClusterError(
                f"{what}: workers died {error.allowed_failures + 1} times while they worked on "
                "the same part, which may be too large for their memory; cut the data into more "
                "shards, or start larger workers"
            ) from None
        except (CancelledError, CommClosedError, TimeoutError) as error:
            raise ClusterError(f"{what}: {_lost(self.client, error)}") from None

    def watched(self, futures: Sequence[Any]) -> Iterator[int]:
        """Yield how many futures are done, whenever one is; an error ends it."""
        from distributed import as_completed

        for number, future in enumerate(as_completed(futures), 1):
            if future.status != "finished":
                return
            yield number

    @contextmanager
    def tasks(self, what: str) -> Iterator["Tasks"]:
        """Give tasks that belong together; what is still running is cancelled in the end."""
        tasks = Tasks(self, what)
        try:
            yield tasks
        except BaseException:
            tasks.cancel()
            raise
        finally:
            tasks.futures.clear()


class Tasks:
    """Some tasks of one kind of work, such as a round."""

    def __init__(self, cluster: Cluster, what: str) -> None:
        self.cluster, self.what = cluster, what
        self.futures: list[Any] = []

    def submit(self, name: str, function: Any, *args: Any) -> Any:
        """Submit a task; return its future."""
        future = self.cluster.submit(name, function, *args)
        self.futures.append(future)
        return future

    def results(self, *futures: Any) -> list[Any]:
        """Wait for futures and return their results."""
        return self.cluster.results(futures, self.what)

    def watched(self, futures: Sequence[Any]) -> Iterator[int]:
        """Yield how many futures are done, whenever one is."""
        return self.cluster.watched(futures)

    def cancel(self) -> None:
        """Cancel everything that is not done."""
        client = self.cluster.client
        if client is not None and client.status == "running":
            client.cancel(self.futures)


def _client(client: Any) -> Any:
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "training on a cluster needs Dask: pip install 'rosenblatt[cluster]'",
            name="distributed",
        ) from error
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ClusterError(
                "there is no Dask client: start one, such as distributed.Client(), or with "
                "the address of a scheduler distributed.Client('tcp://…:8786')"
            ) from None
    if client.asynchronous:
        raise ClusterError("the Dask client is asynchronous; give one with asynchronous=False")
    if client.status != "running":
        raise ClusterError(f"the Dask client is {client.status}; start another")
    return client


def _check_workers(client: Any) -> None:
    """Raise `ClusterError` if there are no workers, or some lack this version of the package."""

    # Within a function, so that it travels by value: workers may lack the module that it is in.
    def version_of() -> str | None:
        from importlib import import_module

        try:
            return str(import_module("rosenblatt").__version__)
        except ImportError:
            return None

    try:
        client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
    except TimeoutError:
        raise ClusterError(
            f"the cluster {client.scheduler.address} has no workers: start some, such as "
            f"dask worker {client.scheduler.address}"
        ) from None
    for address, version in sorted(client.run(version_of, on_error="return").items()):
        if isinstance(version, Exception):
            continue  # a worker that has just died
        if version is None:
            raise ClusterError(
                f"the worker {address} does not have rosenblatt: install version {__version__} "
                "there"
            )
        if version != __version__:
            raise ClusterError(
                f"the worker {address} has rosenblatt {version}, and this is {__version__}: "
                "install the same version everywhere"
            )


def _lost(client: Any, error: BaseException) -> str:
    if client.status != "running":
        return "the connection to the scheduler was lost"
    return (
        "data that cannot be computed again were lost with a worker, as scattered data are; give "
        f"futures of tasks, or a Dask collection ({type(error).__name__})"
    )
