"""Clusters: one in this process for logic, and one of worker processes for what needs them."""

import pytest
from distributed import Client


@pytest.fixture(scope="session")
def inside():
    """A client whose two workers are threads of this process, which starts at once."""
    with Client(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as client:
        yield client


@pytest.fixture(scope="module")
def processes():
    """A client with two worker processes."""
    with Client(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as client:
        yield client
