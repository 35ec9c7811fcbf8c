"""What scikit-learn asks of every estimator."""

import pytest
from sklearn.decomposition import NMF

from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RepeatRecommender,
    RerankingRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
)
from tests.estimator_checks import every_check, run_check


def distance(one, other):
    """Return how far two ids are from each other."""
    return abs(one - other)


RECOMMENDERS = [
    PopularityRecommender(),
    PopularityRecommender(half_life=1.0, time=0),
    ItemNeighborsRecommender(),
    ItemNeighborsRecommender(similarity="jaccard"),
    ItemNeighborsRecommender(similarity="tfidf"),
    ItemNeighborsRecommender(similarity="bm25"),
    UserNeighborsRecommender(),
    UserNeighborsRecommender(similarity="jaccard"),
    UserNeighborsRecommender(similarity="tfidf"),
    UserNeighborsRecommender(similarity="bm25"),
    EASERecommender(),
    EASERecommender(new_users=PopularityRecommender(half_life=1.0, time=0)),
    EASERecommender(recency=2.0, time=0),
    RepeatRecommender(time=0),
    SLIMRecommender(),
    MatrixFactorizationRecommender(),
    MatrixFactorizationRecommender(NMF(n_components=1, random_state=0)),
    RerankingRecommender(EASERecommender(), "popularity"),
    RerankingRecommender(EASERecommender(), "mmr", distance=distance),
]


# The ids of the checks hardly repeat: nothing that NMF could converge to.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@every_check(*RECOMMENDERS)
def test_scikit_learn_checks_pass(estimator, check):
    run_check(estimator, check, refused={})
