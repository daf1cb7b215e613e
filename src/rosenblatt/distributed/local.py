"""A cluster of processes on this machine."""

import gc
import logging
import multiprocessing
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import Any

from rosenblatt.distributed.cluster import ClusterError, dask_distributed

# Seconds after which a worker that does not answer is given up: on one machine it is dead.
CONNECT_TIMEOUT = "3s"
_LOOK = 2.0  # seconds between looks at the workers
PATIENCE = "10s"  # for a scheduler elsewhere
_SILENT = logging.CRITICAL + 1  # what matters comes as an exception
_CONFIG = {
    "distributed.comm.timeouts.connect": CONNECT_TIMEOUT,
    "distributed.comm.timeouts.tcp": "15s",
    "distributed.comm.retry.count": 0,
    # A worker that starts slowly on a busy machine must not be taken for one that never will.
    "distributed.deploy.lost-worker-timeout": "40s",
    "distributed.worker.daemon": True,
    # Dask's own value gives memory back after every array: half of the time went to getting it.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 26,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 1 << 24,
    "distributed.worker.preload": ["rosenblatt.distributed.worker_setup"],
}


@contextmanager
def remote_client(address: str) -> Iterator[Any]:
    """Connect to a scheduler."""
    distributed = dask_distributed()
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, TypeError, ValueError) as error:
        raise ClusterError(
            f"there is no Dask scheduler at {address}: check the address, and whether one was "
            f"started there (dask scheduler); {' '.join(str(error).split())}"
        ) from None
    with _quiet("asyncio", "distributed", "distributed.client"), client:
        yield client


@contextmanager
def local_client(workers: int) -> Iterator[Any]:
    """Start worker processes with one thread each, and end them in the end.

    A worker that dies is started anew, and costs seconds: Dask's own patience is 30 of them.
    In a script, put what it does below ``if __name__ == "__main__"``, as each worker imports the
    script before it starts.

    Parameters
    ----------
    workers : int
        How many processes.

    Yields
    ------
    distributed.Client
        It is Dask's current client while the block runs.

    Examples
    --------
    >>> from rosenblatt import NearestCentroid
    >>> from rosenblatt.distributed import fit
    >>> with local_client(workers=1):
    ...     model = fit(NearestCentroid(), [[[0.0], [1.0]], [[5.0], [6.0]]], [[0, 0], [1, 1]])
    >>> model.predict([[2.0], [4.0]]).tolist()
    [0, 1]
    """
    if workers < 1:
        raise ValueError(f"workers={workers} must be 1 or more")
    distributed = dask_distributed()
    import dask

    if getattr(multiprocessing.current_process(), "_inheriting", False):
        sys.exit(1)  # a worker that runs the script it was started by, once more
    with (
        _quiet("asyncio"),
        dask.config.set(_CONFIG),
        _started(distributed, workers) as cluster,
        distributed.Client(cluster) as client,
        _kept_at(cluster, workers),
    ):
        yield client


def _started(distributed: Any, workers: int) -> Any:
    """Start worker processes. If that is interrupted, what has been started is ended.

    A thread does it in which Ctrl-C is blocked, as it then is in all threads and processes that it
    starts: a terminal sends it to them as well.
    """
    pool, others = ThreadPoolExecutor(1), {*multiprocessing.active_children()}
    with _blocked():
        starting = pool.submit(
            distributed.LocalCluster,
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=_SILENT,
            host="127.0.0.1",
        )
    pool.shutdown(wait=False)
    try:
        while not starting.done():  # on Windows only what ends by itself can be interrupted
            wait([starting], timeout=0.1)
        return starting.result()
    except KeyboardInterrupt:
        while not starting.done():
            for child in {*multiprocessing.active_children()} - others:
                child.kill()
            wait([starting], timeout=0.1)
        with suppress(Exception):
            starting.result().close()
        raise
    except RuntimeError as error:
        raise ClusterError(
            "the worker processes did not start: try again, with fewer workers if memory is short. "
            "In a script, put what it does below if __name__ == '__main__', as each worker imports "
            f"the script before it starts ({' '.join(str(error).split())})"
        ) from None


@contextmanager
def _blocked() -> Iterator[None]:
    """Block Ctrl-C in threads that are started meanwhile; this one gets it afterwards."""
    mask = getattr(signal, "pthread_sigmask", None)  # Windows has none
    if mask is None:
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # Python 3.11 unblocks it when that starts
    before = mask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        mask(signal.SIG_SETMASK, before)


@contextmanager
def _quiet(*loggers: str) -> Iterator[None]:
    """Leave out what is logged of connections that are cut while all of them are closed."""
    logs = [logging.getLogger(name) for name in loggers]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(_SILENT)
    try:
        yield
    finally:
        gc.collect()  # tasks complain when they are deleted
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


@contextmanager
def _kept_at(cluster: Any, workers: int) -> Iterator[None]:
    """Replace workers for good that died while they started, which Dask does not."""
    end = threading.Event()

    def keep() -> None:
        while not end.wait(_LOOK):
            with suppress(Exception):  # the cluster may be closing
                cluster.scale(workers)

    threading.Thread(target=keep, name="keeping workers", daemon=True).start()
    try:
        yield
    finally:
        end.set()
