"""TwoStageRecommender with RankFusion: the lists of the models, fused as in a loop."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.rankers import RankFusion
from sklearn_rank.recommenders import (
    EASERecommender,
    FeatureTable,
    ItemNeighborsRecommender,
    PopularityRecommender,
    TwoStageRecommender,
    load_model,
    save_model,
)

LOG = make_interactions(150, 60, 2000, random_state=0, as_frame=True)
MODELS = [
    ("ease", EASERecommender()),
    ("near", ItemNeighborsRecommender(4)),
    ("popular", PopularityRecommender()),
]


def two_stages(fusion, **options):
    options = {"time": "time", "n_candidates": 12, "n_windows": 2} | options
    return TwoStageRecommender(MODELS, fusion, **options)


def reciprocal_ranks(lists, candidates):
    """Return the fused score of each candidate of one user, by loops."""
    fused = dict.fromkeys(candidates, 0.0)
    for items, scores in lists:
        run = {i: s for i, s in zip(items, scores, strict=True) if i in fused}
        for item, score in run.items():
            better = sum(other > score for other in run.values())
            tied = sum(other == score for other in run.values())
            fused[item] += 1 / (60 + better + (1 + tied) / 2)  # ties share their ranks
    return fused


def test_lists_are_fused_by_reciprocal_ranks(tmp_path):
    model = two_stages(RankFusion()).fit(LOG)
    users = np.arange(40)
    given = users, 12, _hidden(model, users)
    lists = [one.propose(*given) for one in model.candidates_.values()]
    items, scores = model.propose(*given)
    for user in users:
        own = [(found[user].tolist(), best[user]) for found, best in lists]
        own = [(i[: sum(s > -np.inf)], s[s > -np.inf]) for i, s in own]
        expected = reciprocal_ranks(own, items[user].tolist())
        found = dict(zip(items[user].tolist(), scores[user], strict=True))
        assert found == pytest.approx(expected, rel=1e-9)
    assert model.feature_names_ == ["ease", "near", "popular"]
    ids = model.users_[:40].tolist()
    shown, best = model.recommend(ids, 5, return_scores=True)
    assert_allclose(best, -np.sort(-scores, axis=1)[:, :5])
    assert np.isfinite(model.predict(LOG.head(200))).all()
    one = LOG.head(1).assign(user=ids[0], item=shown[0, 0])
    assert model.predict(one)[0] == pytest.approx(best[0, 0])
    assert model.recommend_for_items([[1, 2, 3]], k=4).shape == (1, 4)
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert (again.recommend(ids, 5) == shown).all()


def _hidden(model, rows):
    return model.seen_[rows]


def test_runs_are_the_scores_of_those_who_propose():
    model = two_stages(RankFusion("comb_max", normalization=None)).fit(LOG)
    ease, near, popular = model.candidates_.values()
    users = np.arange(30)
    lists = [one.propose(users, 12, _hidden(model, users)) for one in (ease, near, popular)]
    items, scores = model.propose(users, 12, _hidden(model, users))
    for user in users:
        best = {}
        for own, score in lists:
            for item, value in zip(own[user], score[user], strict=True):
                if item >= 0 and value > -np.inf:
                    best[item] = max(best.get(item, -np.inf), value)
        for item, value in zip(items[user], scores[user], strict=True):
            assert value == pytest.approx(best[item], rel=1e-6)


def test_weights_are_learned_and_methods_searched(tmp_path):
    fusion = RankFusion(weights="learned", convention="qdrant")
    model = two_stages(fusion, n_negatives=2).fit(LOG)
    assert model.ranker_.weights_.shape == (3,)
    assert model.ranker_.weights_.max() > 0
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model").ranker_
    assert again.tuning_["text"] == model.ranker_.tuning_["text"]
    assert again.configuration() == model.ranker_.configuration()
    search = GridSearchCV(
        two_stages(RankFusion()),
        {"ranker__method": ["rrf", "comb_sum"]},
        scoring=make_recommender_scorer("ndcg@5"),
        cv=TimeSplit(1, test_size=0.2, time="time", seen_items="drop"),
    ).fit(LOG)
    assert 0 < search.best_score_ < 1


@pytest.mark.parametrize(
    "options",
    [
        {
            "item_features": FeatureTable(
                LOG[["item"]].drop_duplicates().assign(a=1), id="item"
            )
        },
        {"features": [RankFusion()]},
    ],
)
def test_features_are_refused(options):
    if "features" in options:
        options["features"][0].transform = None
    with pytest.raises(ValueError, match="RankFusion fuses the lists"):
        two_stages(RankFusion(), **options).fit(LOG)
