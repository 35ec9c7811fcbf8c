"""Real queries: every ranker tuned by nDCG@10, and the boosters' own numbers."""

from inspect import signature
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

from sklearn_rank.metrics import make_ranking_scorer, ndcg_score
from sklearn_rank.rankers import GroupRanker, PairwiseRanker
from tests.rankers.conftest import catboost_ranker, lightgbm_ranker, xgboost_ranker


@pytest.fixture(scope="module")
def lambdarank(real_data):
    train, test = (_load(real_data / "lambdarank", part) for part in ("train", "test"))
    order = np.random.default_rng(0).permutation(len(train.y))
    train = SimpleNamespace(X=train.X[order], y=train.y[order], groups=train.groups[order])
    return SimpleNamespace(train=train, test=test)


def _load(folder, part):
    X, y = load_svmlight_file(str(folder / f"rank.{part}"), n_features=300)
    sizes = np.loadtxt(folder / f"rank.{part}.query", dtype=int)
    return SimpleNamespace(X=X, y=y, groups=np.repeat(np.arange(len(sizes)), sizes))


RANKERS = {
    "lightgbm": (
        lambda: GroupRanker(lightgbm_ranker(n_estimators=50, min_child_samples=20)),
        {"estimator__num_leaves": [7, 15]},
    ),
    "xgboost": (
        lambda: GroupRanker(xgboost_ranker(n_estimators=50)),
        {"estimator__max_depth": [3, 5]},
    ),
    "catboost": (
        lambda: GroupRanker(catboost_ranker(iterations=50)),
        {"estimator__depth": [3, 5]},
    ),
    "pointwise": (
        lambda: GroupRanker(Ridge(solver="lsqr")),
        {"estimator__alpha": [10.0, 100.0]},
    ),
    "pairwise": (
        lambda: make_pipeline(MaxAbsScaler(), PairwiseRanker(LinearSVC())),
        {"pairwiseranker__estimator__C": [1e-3, 1e-2]},
    ),
    "pairwise logistic": (
        lambda: PairwiseRanker(LogisticRegression(max_iter=1000)),
        {"estimator__C": [1e-3, 1e-2]},
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("kind", list(RANKERS))
def test_every_ranker_is_tuned_and_beats_chance(kind, lambdarank, with_routing):
    make, grid = RANKERS[kind]
    train, test = lambdarank.train, lambdarank.test
    scorer = make_ranking_scorer("ndcg@10")
    search = GridSearchCV(
        make(), grid, scoring=scorer, cv=GroupKFold(3), error_score="raise"
    ).fit(train.X, train.y, groups=train.groups)
    chance = ndcg_score(test.y, np.zeros(len(test.y)), groups=test.groups, k=10)
    score = search.score(test.X, test.y, groups=test.groups)
    assert search.best_score_ > chance + 0.08
    assert score > chance + 0.08


def fitted_and_own_ndcg(library, gain, train, test):
    """Return the fitted ranker and nDCG@10 of the test queries by the library itself."""
    ranker = RANKERS[library][0]()
    module = pytest.importorskip(library)
    if library == "lightgbm":
        seen = {}
        ranker.fit(
            train.X,
            train.y,
            groups=train.groups,
            eval_group=[np.bincount(test.groups)],
            eval_at=[10],
            callbacks=[module.record_evaluation(seen)],
            **_held_out(ranker.estimator, test),
        )
        return ranker, seen["valid_0"]["ndcg@10"][-1]
    ranker.fit(train.X, train.y, groups=train.groups)
    if library == "xgboost":
        booster = ranker.estimator_.get_booster()
        booster.set_param({"eval_metric": "ndcg@10"})
        report = booster.eval(module.DMatrix(test.X, test.y, qid=test.groups))
        return ranker, float(report.rpartition(":")[2])
    # From a sparse matrix CatBoost takes indices of 32 bits only, which these are not.
    pool = module.Pool(test.X.toarray(), test.y, group_id=test.groups)
    name = f"NDCG:top=10;type={gain}"
    return ranker, ranker.estimator_.eval_metrics(pool, [name])[name][-1]


def _held_out(estimator, test):
    if "eval_X" in signature(estimator.fit).parameters:
        return {"eval_X": (test.X,), "eval_y": (test.y,)}
    return {"eval_set": [(test.X, test.y)]}


@pytest.mark.parametrize(
    ("library", "own_gain", "gain", "ties"),
    [
        ("lightgbm", None, "exponential", "first"),
        ("xgboost", None, "exponential", "first"),
        ("catboost", "Base", "linear", "worst"),
        ("catboost", "Exp", "exponential", "worst"),
    ],
)
def test_ndcg_is_what_the_library_reports(library, own_gain, gain, ties, lambdarank):
    test = lambdarank.test
    ranker, own = fitted_and_own_ndcg(library, own_gain, lambdarank.train, test)
    ours = ndcg_score(
        test.y,
        ranker.predict(test.X),
        groups=test.groups,
        k=10,
        gain=gain,
        ties=ties,
        replace_undefined_by=1.0,
    )
    assert ours == pytest.approx(own, abs=1e-6)
