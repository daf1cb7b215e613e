"""Pictures are drawn to memory, and closed after each test."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")
