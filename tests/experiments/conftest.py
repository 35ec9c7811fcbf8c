import pytest

from sklearn_rank.datasets import make_interactions, make_ranking


@pytest.fixture(scope="session")
def log():
    """Return a log of users with a taste, as a frame."""
    return make_interactions(300, 120, 9_000, random_state=0, as_frame=True)


@pytest.fixture(scope="session")
def queries():
    """Return X, y and groups of queries."""
    return make_ranking(n_queries=60, random_state=0)
