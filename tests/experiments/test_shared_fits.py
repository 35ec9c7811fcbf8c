"""Candidates that share work score what they score alone."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.decomposition import NMF, TruncatedSVD
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import _fold_scores, tune_models
from sklearn_rank.experiments._fold_scores import reads_logs
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RepeatRecommender,
    RerankingRecommender,
    SLIMRecommender,
    TwoStageRecommender,
    UserNeighborsRecommender,
    _ease,
)


@pytest.fixture(scope="module")
def small_log():
    log = make_interactions(100, 60, 1_500, random_state=0, as_frame=True)
    return log.assign(other=log["time"].to_numpy()[::-1])


def split_scores(log, models, **options):
    usual = {"metrics": "ndcg@5", "n_splits": 2, "test_size": None, "refit": False}
    results = tune_models(
        log, time="time", models=models, **{**usual, **options}
    ).cv_results_
    keys = [(one["model"], repr(sorted(one.items()))) for one in results["params"]]
    scores = np.column_stack([results[f"split{fold}_test_score"] for fold in range(2)])
    return dict(zip(keys, map(tuple, scores.tolist()), strict=True))


def scores_alone(log, models, monkeypatch, **options):
    """Return the scores of a search in which no candidate shares anything."""
    with monkeypatch.context() as patch:
        patch.setattr(_fold_scores, "reads_logs", lambda estimator: False)
        return split_scores(log, models, **options)


class Scaled(ItemNeighborsRecommender):
    """Scales what its base class learned, in place."""

    def fit_interactions(self, interactions):
        super().fit_interactions(interactions)
        self.similarity_.data *= np.linspace(1, 2, len(self.similarity_.data))


class Wrapper(BaseEstimator):
    """Scales the popularity that its recommender learned, in place."""

    def __init__(self, recommender=None):
        self.recommender = recommender

    def fit(self, X, y=None):
        self.recommender_ = PopularityRecommender(**self.recommender).fit(X, y)
        self.recommender_.popularity_ *= -1
        return self

    def recommend(self, users, k=10, exclude_seen=True):
        return self.recommender_.recommend(users, k, exclude_seen=exclude_seen)


def swap_in_place(X):
    X.iloc[:, 1] = X.iloc[::-1, 1].to_numpy()
    return X


def neighbors(**grid):
    return {"own": (ItemNeighborsRecommender(5), grid)}


LATELY = [PopularityRecommender(half_life=h, time="time") for h in (50.0, 5000.0)]
GRIDS = {
    "ages": {
        "own": (
            EASERecommender(),
            [
                {
                    "half_life": [100.0, 5000.0],
                    "weighting": ["binary", "sum"],
                    "reference_time": [None, 1e7],
                    "time": ["time", "other"],
                },
                {"regularization": [1, True, 1.0, 0, 5]},
            ],
        )
    },
    "user neighbors": {
        "own": (
            UserNeighborsRecommender(),
            {
                "n_neighbors": [3, 7, 0, 500],
                "recency": [None, 2.0],
                "exclude_seen": [True, False],
            },
        )
    },
    "factors": {
        "own": (
            MatrixFactorizationRecommender(TruncatedSVD(3, random_state=0)),
            {
                "estimator__n_components": [2, 3],
                "recency": [None, 2.0],
                "exclude_seen": [True, False],
            },
        ),
        "nmf": (MatrixFactorizationRecommender(NMF(2, random_state=0, max_iter=500)), {}),
    },
    "ease": {
        "own": (EASERecommender(), {"recency": [None, 2.0], "exclude_seen": [True, False]})
    },
    "new users": neighbors(new_users=[*LATELY, "popularity"], recency=[None, 2.0]),
    "bad counts": neighbors(n_neighbors=[5, 0, "x", 9], similarity=["cosine", "bm25"]),
    "tfidf": neighbors(n_neighbors=[2, 59, 7], similarity=["tfidf", "jaccard"]),
    "slim": {
        "own": (SLIMRecommender(), {"alpha": [0.1, -1, 0.01], "recency": [None, 1.0]})
    },
    "repeats": {
        "own": (RepeatRecommender(), {"recency": [1.0, 10.0], "popularity_share": [0, 0.5]})
    },
    "reranking": {
        "own": (
            RerankingRecommender(ItemNeighborsRecommender(), "popularity"),
            {"strength": [0.1, 0.6], "recommender__n_neighbors": [2, 9]},
        ),
        "inner": (ItemNeighborsRecommender(), {"n_neighbors": [2, 9]}),
    },
    "in place": {
        "own": (ItemNeighborsRecommender(5), {"recency": [None, 2.0]}),
        "subclass": (Scaled(5), {}),
        "pipeline": (
            make_pipeline(
                FunctionTransformer(swap_in_place), PopularityRecommender(user=0, item=1)
            ),
            {},
        ),
        "wrapper": (Wrapper({"half_life": 100.0, "time": "time"}), {}),
        "popularity": (PopularityRecommender(), {"half_life": [None, 100.0]}),
    },
}


@pytest.mark.filterwarnings("ignore:.*of its candidates failed:UserWarning")
@pytest.mark.parametrize("name", GRIDS)
def test_candidates_score_what_they_score_alone(small_log, name, monkeypatch):
    models = GRIDS[name]
    alone = scores_alone(small_log, models, monkeypatch)
    assert any(np.isfinite(scores).all() for scores in alone.values())
    for turned, n_jobs in ((models, 1), (models, 2), (turn_around(models), 1)):
        found = split_scores(small_log, turned, n_jobs=n_jobs)
        assert found.keys() == alone.keys()
        for key, scores in found.items():
            np.testing.assert_array_equal(scores, alone[key], err_msg=str(key))


def turn_around(models):
    """Return the models and the values of their grids in the other order."""
    found = {}
    for name, (estimator, grid) in reversed(models.items()):
        grids = grid if isinstance(grid, list) else [grid]
        found[name] = (
            estimator,
            [{key: values[::-1] for key, values in one.items()} for one in grids],
        )
    return found


def test_two_stages_beside_their_own_first_stages(log, monkeypatch):
    models = {
        "two": TwoStageRecommender(
            [("popular", PopularityRecommender()), ("near", ItemNeighborsRecommender(5))],
            LogisticRegression(max_iter=10_000),
            n_candidates=10,
        ),
        "near": (ItemNeighborsRecommender(5), {"recency": [None, 2.0]}),
        "popular": PopularityRecommender(),
    }
    assert split_scores(log, models) == scores_alone(log, models, monkeypatch)


@pytest.mark.parametrize("options", [{"items": "rows"}, {"min_relevance": 1}])
def test_scorers_that_read_the_rows_of_a_fold(small_log, options, monkeypatch):
    scorer = make_recommender_scorer("ndcg@5", user="user", item="item", **options)
    y = np.ones(len(small_log))
    models = {"own": (ItemNeighborsRecommender(5), {"n_neighbors": [2, 9]})}
    found = split_scores(small_log, models, y=y, metrics=scorer)
    assert found == scores_alone(small_log, models, monkeypatch, y=y, metrics=scorer)


@pytest.mark.parametrize("search", ["grid", "halving"])
@pytest.mark.parametrize("road", ["budget", "progress", "memory"])
def test_all_roads_find_the_same(small_log, road, search, monkeypatch, tmp_path):
    models = {
        "ease": (EASERecommender(), {"regularization": [1, 10, 100]}),
        "slim": (SLIMRecommender(), {"alpha": [0.1, 0.03, 0.01]}),
        "near": (ItemNeighborsRecommender(), {"n_neighbors": [2, 9, 30]}),
    }
    calls = []
    options = {
        "budget": {"time_budget": 1e9},
        "progress": {"progress": lambda **told: calls.append(told["done"])},
        "memory": {"memory": tmp_path},
    }[road]
    usual = split_scores(small_log, models, search=search)
    for _ in range(1 + (road == "memory")):  # the second run reads what the first wrote
        found = split_scores(small_log, models, search=search, **options)
        np.testing.assert_equal(found, usual)
    assert calls == [*range(1, 1 + len(calls))]


def test_ease_inverts_once_in_each_fold_for_all_values_of_recency(small_log, monkeypatch):
    inverted = []
    usual = _ease._inverse_in_place

    def count(matrix):
        inverted.append(matrix.shape)
        return usual(matrix)

    monkeypatch.setattr(_ease, "_inverse_in_place", count)
    grid = {"recency": [None, 1.0, 2.0, 3.0]}
    split_scores(small_log, {"own": (EASERecommender(), grid)})
    assert len(inverted) == 2


def test_random_decompositions_are_drawn_for_each_candidate(small_log):
    class Counted(TruncatedSVD):
        n_fits = 0

        def fit_transform(self, X, y=None):
            Counted.n_fits += 1
            return super().fit_transform(X)

    # A class of scikit-learn, as far as its name tells.
    Counted.__module__ = TruncatedSVD.__module__
    for state, n_fits in ((None, 4), (0, 2)):
        Counted.n_fits = 0
        model = MatrixFactorizationRecommender(Counted(2, random_state=state))
        split_scores(small_log, {"own": (model, {"exclude_seen": [True, False]})})
        assert Counted.n_fits == n_fits


def test_a_search_that_progress_stops_has_candidates_that_finished_all_folds(small_log):
    models = {
        "ease": (EASERecommender(), {"regularization": [1, 10, 100]}),
        "near": (ItemNeighborsRecommender(), {"n_neighbors": [2, 9, 30]}),
    }
    called = []

    def stop_at_the_second_of_a_model(*, model, **_):
        called.append(model)
        return called.count("near") == 3

    found = split_scores(small_log, models, progress=stop_at_the_second_of_a_model)
    assert all(one == other for one, other in zip(called[:-1:2], called[1::2], strict=True))
    finished = [model for (model, _), own in found.items() if np.isfinite(own).all()]
    assert finished == ["ease", "near"]  # one of each, on both folds


def test_no_model_that_leaves_the_search_holds_shared_arrays(log):
    models = {"near": (ItemNeighborsRecommender(), {"n_neighbors": [2, 9]})}
    tuned = tune_models(log, time="time", models=models, metrics="ndcg@5")
    for model in (*tuned.models_.values(), tuned.best_estimator_):
        assert model.popularity_.flags.writeable
        assert model.interactions_.data.flags.writeable


def test_only_classes_that_change_nothing_in_place_share():
    near = ItemNeighborsRecommender()
    shares = [
        near,
        MatrixFactorizationRecommender(NMF()),
        RerankingRecommender(near, "mmr"),
    ]
    assert all(map(reads_logs, shares))
    two = TwoStageRecommender([("a", Scaled())], LogisticRegression())
    alone = [
        Scaled(),
        Wrapper(),
        make_pipeline(near),
        RerankingRecommender(Scaled(), "mmr"),
    ]
    alone += [two, ItemNeighborsRecommender(new_users=Scaled()), NMF()]
    assert not any(map(reads_logs, alone))
