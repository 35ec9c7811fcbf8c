"""Real data, where there are any: their folder, and the log that several tests read."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes is the machine's matter: on a busy one any may be slow.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


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
    pd = pytest.importorskip("pandas", reason="the data are a CSV file")
    return pd.read_csv(
        real_data / "online_retail.csv.gz",
        parse_dates=["InvoiceDate"],
        dtype={"StockCode": str},
    )
