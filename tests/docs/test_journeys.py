"""The journeys on the page of the architecture: the files that calls really cross."""

import re
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import tune_models
from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer, ndcg_score
from sklearn_rank.recommenders import PopularityRecommender

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "sklearn_rank"
Y_TRUE, Y_SCORE, GROUPS = [0, 2, 1, 0, 1], [5, 4, 3, 2, 2], ["a", "a", "b", "b", "b"]


class Model:
    def predict(self, X):
        return X["score"]


def call_a_metric(_):
    ndcg_score(Y_TRUE, Y_SCORE, groups=GROUPS, k=3)


def call_a_scorer(pd):
    X = pd.DataFrame({"query": GROUPS, "score": Y_SCORE})
    make_ranking_scorer("ndcg@3", groups="query")(Model(), X, np.array(Y_TRUE))


def call_a_recommender_scorer(_):
    log = make_interactions(60, 40, 600, random_state=0, as_frame=True)
    columns = {"user": "user", "item": "item"}
    recommender = PopularityRecommender(**columns).fit(log[:500])
    make_recommender_scorer("ndcg@3", **columns)(recommender, log[500:])


def tune_a_model(_):
    log = make_interactions(60, 60, 900, random_state=0, as_frame=True)
    str(tune_models(log, time="time", models=["neighbors"]))


JOURNEYS = {
    "The life of ``y_score``": call_a_metric,
    "The life of ``groups``": call_a_scorer,
    "The life of ``X``": call_a_recommender_scorer,
    "The life of a candidate": tune_a_model,
}


@contextmanager
def files_called():
    """Collect the files of the package in which functions are called."""
    found = set()

    def note(frame, event, _):
        if event == "call":
            found.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)


def steps(title):
    """Return the files that the page names for each step of a journey."""
    page = (ROOT / "docs" / "architecture.rst").read_text()
    section = page.partition(f"{title} ")[2].partition("\n\n1. ")[2].partition("\n\n")[0]
    return [re.findall(r"``([\w/]+\.py)``", step) for step in section.split("\n")]


@pytest.mark.parametrize("title", JOURNEYS)
def test_a_journey_crosses_the_files_of_the_page(title):
    pd = pytest.importorskip("pandas")
    JOURNEYS[title](pd)  # what is done once is done
    with files_called() as found:
        JOURNEYS[title](pd)
    crossed = {
        str(Path(path).relative_to(PACKAGE)) for path in found if str(PACKAGE) in path
    }
    named = [file for step in steps(title) for file in step]
    assert len(named) >= 7
    assert set(named) <= crossed
