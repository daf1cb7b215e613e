"""What Dask loads into the worker processes of a local cluster."""

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Leave Ctrl-C to the process that started the workers, which then ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
