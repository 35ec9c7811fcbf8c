"""Without y every row has grade 1, so a lowest grade above 1 leaves nothing."""

import pytest

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import PopularityRecommender

LOG = make_interactions(n_users=30, n_interactions=500, random_state=0, as_frame=True)
MODEL = PopularityRecommender(user="user", item="item").fit(LOG)
MESSAGE = "min_relevance=4 needs y; without y every row counts 1. Pass y, or leave it out."


def scorer(**given):
    return make_recommender_scorer("ndcg@10", user="user", item="item", **given)


def test_scorer_refuses():
    with pytest.raises(ValueError, match=MESSAGE):
        scorer(min_relevance=4)(MODEL, LOG)


def test_values_per_query_refuse():
    with pytest.raises(ValueError, match=MESSAGE):
        scorer(min_relevance=4).per_query(MODEL, LOG)


# Scores the rows of fit.
@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
def test_advice_runs():
    scorer(min_relevance=4, exclude_seen=False)(MODEL, LOG, [5.0] * len(LOG))
    scorer(exclude_seen=False)(MODEL, LOG)
    scorer(min_relevance=1, exclude_seen=False)(MODEL, LOG)
