"""Tasks on a Dask cluster: submitting them, waiting for them, and errors in one line.

The only module that calls Dask for work. Dask is imported when it is first used.
"""

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from time import perf_counter
from typing import Any
from uuid import uuid4

from rosenblatt._version import __version__

WAIT_FOR_WORKERS = 10.0  # seconds
WITHOUT_WORKERS = 120.0  # seconds without a worker, after which work is given up
_LOOK, _TICK = 2.0, 0.1  # seconds between looks at the workers, and at what is done
_LARGE = "Sending large graph"  # weights travel as arguments, so that they can be sent again


class ClusterError(OSError):
    """The cluster cannot be used, or lost more than it can compute again.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.distributed import fit
    >>> try:
    ...     fit(Perceptron(), [[[0.0], [1.0]]], [[0, 1]])
    ... except ClusterError as error:
    ...     print(error)
    there is no Dask client: start one, such as distributed.Client(), or with the address ...
    """


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
        self._alone, self._asked = False, 0.0
        _check_workers(self.client)

    @classmethod
    def of(cls, client: Any) -> "Cluster":
        """Return the cluster of a client; one that is a cluster already is taken as it is."""
        return client if isinstance(client, Cluster) else cls(client)

    @property
    def threads(self) -> int:
        """How many tasks run at a time."""
        return sum(self.client.nthreads().values())

    def key(self, name: str) -> str:
        """Return a key that no other task has; Dask groups tasks by what is before the dash."""
        self._count += 1
        return f"rosenblatt_{name}-{self.token}-{self._count}"

    def submit(self, name: str, function: Any, *args: Any) -> Any:
        """Submit a task; return its future."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=_LARGE)
            return self.client.submit(function, *args, key=self.key(name), pure=False)

    def later(self, name: str, function: Any, *args: Any) -> Any:
        """Describe a task, which `start` submits with others at once: Dask is faster at that."""
        from dask.delayed import delayed

        return delayed(function, pure=False, traverse=False)(*args, dask_key_name=self.key(name))

    def start(self, described: Sequence[Any]) -> list[Any]:
        """Submit described tasks and what they depend on; return their futures."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=_LARGE)
            return list(self.client.compute(list(described), optimize_graph=False))

    def results(
        self, futures: Sequence[Any], what: str, tick: Callable[[], None] | None = None
    ) -> list[Any]:
        """Wait for futures and return their results; ``tick`` is called now and then meanwhile.

        Dask waits for ever where no worker is left: here that is an error after a while.
        """
        from distributed import CancelledError, KilledWorker
        from distributed.comm import CommClosedError

        gathering = _Gathering(self.client, futures)
        try:
            alone = perf_counter()
            while not gathering.ready(_TICK if tick is not None else _LOOK):
                if tick is not None:
                    tick()
                if not self._is_alone():
                    alone = perf_counter()
                elif perf_counter() - alone > WITHOUT_WORKERS:
                    raise ClusterError(
                        f"{what}: the cluster has had no workers for {WITHOUT_WORKERS:.0f} seconds"
                    )
            return gathering.result()
        except KilledWorker as error:
            raise ClusterError(
                f"{what}: workers died {error.allowed_failures + 1} times while they worked on "
                "the same part, which may be too large for their memory; cut the data into more "
                "shards, or start larger workers"
            ) from None
        except (CancelledError, CommClosedError, TimeoutError) as error:
            if getattr(error, "errno", None) is not None:  # of a worker's files
                raise
            raise ClusterError(f"{what}: {_lost(self.client, error)}") from None

    def _is_alone(self) -> bool:
        """Say whether there is no worker; asked at most every few seconds."""
        if perf_counter() - self._asked >= _LOOK:
            self._alone, self._asked = not self.client.nthreads(), perf_counter()
        return self._alone

    @contextmanager
    def tasks(self, what: str) -> Iterator["Tasks"]:
        """Give tasks that belong together; what is still running is cancelled in the end."""
        tasks = Tasks(self, what)
        try:
            yield tasks
        except BaseException as error:
            tasks.cancel()
            ours = isinstance(error, ClusterError) or not isinstance(error, Exception)
            if not ours and self.client is not None and self.client.status != "running":
                raise ClusterError(f"{what}: {_lost(self.client, error)}") from None
            raise
        finally:
            tasks.futures.clear()


class _Gathering:
    """Gathers results in a thread, so that waiting for them can be interrupted."""

    def __init__(self, client: Any, futures: Sequence[Any]) -> None:
        self._client, self._futures = client, list(futures)
        self._done = threading.Event()
        self._found: list[Any] = []
        self._error: BaseException | None = None
        threading.Thread(target=self._run, name="gathering", daemon=True).start()

    def _run(self) -> None:
        try:
            self._found = list(self._client.gather(self._futures))
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def ready(self, seconds: float) -> bool:
        """Wait for so long at most; say whether the results are there, or an error."""
        return self._done.wait(seconds)

    def result(self) -> list[Any]:
        """Return the results, or raise the error."""
        if self._error is not None:
            raise self._error
        return self._found


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

    def later(self, name: str, function: Any, *args: Any) -> Any:
        """Describe a task; see `start`."""
        return self.cluster.later(name, function, *args)

    def start(self, *described: Any) -> list[Any]:
        """Submit described tasks and what they depend on; return their futures."""
        futures = self.cluster.start(described)
        self.futures += futures
        return futures

    def results(self, *futures: Any, tick: Callable[[], None] | None = None) -> list[Any]:
        """Wait for futures and return their results; ``tick`` is called now and then meanwhile."""
        return self.cluster.results(futures, self.what, tick)

    def cancel(self) -> None:
        """Cancel everything that is not done."""
        client = self.cluster.client
        if client is not None and client.status == "running":
            client.cancel(self.futures)


def dask_distributed() -> Any:
    """Return Dask's package for clusters, which need not be installed."""
    try:
        return import_module("distributed")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "training on a cluster needs Dask: pip install 'rosenblatt[cluster]'",
            name="distributed",
        ) from error


def _client(client: Any) -> Any:
    distributed = dask_distributed()
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
    except OSError as error:
        raise ClusterError(f"looking for workers: {_lost(client, error)}") from None
    for address, version in sorted(_asked(client, version_of).items()):
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


def _asked(client: Any, question: Callable[[], Any]) -> dict[str, Any]:
    """Return the answer of each worker, or its error."""
    try:
        return dict(client.run(question, on_error="return"))
    except OSError as error:
        raise ClusterError(f"looking at the workers: {_lost(client, error)}") from None


def _lost(client: Any, error: BaseException) -> str:
    if client.status != "running":
        return "the connection to the scheduler was lost"
    return (
        "data that cannot be computed again were lost with a worker, as scattered data are; give "
        f"futures of tasks, or a Dask collection ({type(error).__name__})"
    )
