"""Real data, where there are any, and settings of Hypothesis for all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Before anything imports NumPy: each process of pytest-xdist has a core, and more threads
# than cores wait for each other longer than they compute.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# How long one example takes depends on the machine and on what else runs there.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")


def pytest_configure():
    """Make all metrics known: tests look them up when they are collected."""
    from sklearn_rank.metrics._core._registry import load_families

    load_families()


@pytest.fixture(scope="session")
def real_data():
    """The folder of real data; tests that need it are skipped where there is none."""
    folder = os.environ.get("SKLEARN_RANK_DATA")
    if not folder:
        pytest.skip("SKLEARN_RANK_DATA does not name the folder of the real data")
    return Path(folder)


@pytest.fixture(scope="session")
def online_retail(real_data):
    """Real purchases as a DataFrame, in order of time."""
    pd = pytest.importorskip("pandas")
    return pd.read_csv(
        real_data / "online_retail.csv.gz",
        parse_dates=["InvoiceDate"],
        dtype={"StockCode": str},
    )
