"""What scikit-learn asks of every estimator."""

import numpy as np
import pytest
from sklearn.decomposition import NMF
from sklearn.linear_model import LinearRegression

from sklearn_rank.recommenders import (
    ColdStartRecommender,
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RandomRecommender,
    RepeatRecommender,
    RerankingRecommender,
    SLIMRecommender,
    TwoStageRecommender,
    UserNeighborsRecommender,
    _read_pairs,
)
from tests.estimator_checks import every_check, run_check


def distance(one, other):
    """Return how far two ids are from each other."""
    return abs(one - other)


RECOMMENDERS = [
    PopularityRecommender(),
    PopularityRecommender(half_life=1.0, time=0),
    RandomRecommender(),
    ItemNeighborsRecommender(),
    ItemNeighborsRecommender(similarity="jaccard"),
    ItemNeighborsRecommender(similarity="tfidf"),
    ItemNeighborsRecommender(similarity="bm25"),
    ItemNeighborsRecommender(similarity="walk", keep="both", normalize=True),
    ItemNeighborsRecommender(similarity="walk", keep="candidate", self_weight=True),
    UserNeighborsRecommender(),
    UserNeighborsRecommender(similarity="jaccard"),
    UserNeighborsRecommender(similarity="tfidf"),
    UserNeighborsRecommender(similarity="bm25"),
    EASERecommender(),
    EASERecommender(new_users=PopularityRecommender(half_life=1.0, time=0)),
    EASERecommender(recency=2.0, time=0),
    EASERecommender(self_weight=True, exclude_seen=False),
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


@every_check(
    TwoStageRecommender(
        [("all", PopularityRecommender(exclude_seen=False))],
        LinearRegression(),
        time=0,
        n_windows=1,
        label_window=None,
        exclude_seen=False,
    ),
    ColdStartRecommender(
        EASERecommender(), (np.arange(3), np.eye(3)), (np.arange(3), np.eye(3))
    ),
)
def test_scikit_learn_checks_of_known_ids_pass(estimator, check, monkeypatch):
    """With few ids made of the numbers: those of the checks never repeat."""
    id_columns = _read_pairs._id_columns

    def few_ids(X, columns):
        ids = id_columns(X, columns)
        return tuple(np.array([hash(one) % 2 for one in side.tolist()]) for side in ids)

    monkeypatch.setattr(_read_pairs, "_id_columns", few_ids)
    run_check(estimator, check, refused={})
