"""XGBoost's own evaluation values after training a ranker.

Tied rows keep the order of the input there. A query without relevant rows counts 1, or 0
for a metric whose name ends in a minus.
"""

from itertools import combinations

import numpy as np
import pytest

from sklearn_rank import metrics
from tests.oracles.agreement import agree
from tests.oracles.query_features import query_features

xgboost = pytest.importorskip("xgboost")

CUTOFFS = [1, 2, 3, 5, 9, 12]


def trained(seed, eval_metrics, *, max_grade=4, **params):
    """Return held-out grades, scores and queries, and XGBoost's values of them."""
    train, held_out = query_features(seed, 200), query_features(seed + 100, 150)
    matrices = [
        xgboost.DMatrix(X, np.minimum(y, max_grade), qid=queries)
        for X, y, queries in (train, held_out)
    ]
    recorded: dict = {}
    booster = xgboost.train(
        {"max_depth": 2, "nthread": 1, "eval_metric": eval_metrics} | params,
        matrices[0],
        num_boost_round=2,
        evals=[(matrices[1], "valid")],
        evals_result=recorded,
        verbose_eval=False,
    )
    theirs = {name: history[-1] for name, history in recorded["valid"].items()}
    _, y, queries = held_out
    rows = {
        "y_true": np.minimum(y, max_grade),
        "y_score": booster.predict(matrices[1]),
        "groups": queries,
    }
    return rows, theirs


def evaluated(y_true, y_score, groups, eval_metrics):
    """Return XGBoost's values of given scores: a booster without trees passes them on."""
    data = xgboost.DMatrix(
        np.zeros((len(y_true), 1)), y_true, qid=groups, base_margin=y_score
    )
    params = {"objective": "rank:ndcg", "eval_metric": eval_metrics, "nthread": 1}
    booster = xgboost.train(params, data, num_boost_round=0)
    values = booster.eval(data).split("eval-")[1:]
    return {name: float(value) for name, value in (text.split(":") for text in values)}


def long_queries(seed, *, tied):
    """Return rows of queries of 1 to 80 rows; of some the only relevant row is deep."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(60), rng.integers(1, 81, 60))
    y_true = rng.integers(0, 5, len(groups)) * (rng.random(len(groups)) < 0.1)
    y_true[groups % 7 == 0] = 0
    y_score = rng.integers(0, 6, len(groups)) if tied else rng.permutation(len(groups))
    return {"y_true": y_true.astype(float), "y_score": y_score * 1.0, "groups": groups}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("ending", "undefined"), [("", 1.0), ("-", 0.0)])
@pytest.mark.parametrize("gain", ["exponential", "linear"])
def test_ndcg(seed, ending, undefined, gain):
    names = [f"ndcg@{k}{ending}" for k in CUTOFFS]
    params = {"objective": "rank:ndcg", "ndcg_exp_gain": gain == "exponential"}
    rows, theirs = trained(seed, names, **params)
    ours = [
        metrics.ndcg_score(
            **rows, k=k, gain=gain, ties="first", replace_undefined_by=undefined
        )
        for k in CUTOFFS
    ]
    expected = [theirs[name] for name in names]
    agree(f"ndcg(gain={gain!r})@k", "xgboost", ours, expected)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("ending", "undefined"), [("", 1.0), ("-", 0.0)])
def test_average_precision(seed, ending, undefined):
    names = [f"map@{k}{ending}" for k in CUTOFFS]
    rows, theirs = trained(seed, names, max_grade=1, objective="rank:map")
    ours = [
        metrics.mean_average_precision_score(
            **rows, k=k, ties="first", replace_undefined_by=undefined
        )
        for k in CUTOFFS
    ]
    expected = [theirs[name] for name in names]
    agree("map@k", "xgboost", ours, expected)


@pytest.mark.parametrize("seed", range(8))
def test_precision(seed):
    names = [f"pre@{k}" for k in CUTOFFS]
    rows, theirs = trained(seed, names, max_grade=1, objective="rank:map")
    asked = [f"precision@{k}" for k in CUTOFFS]
    ours = metrics.ranking_scores(**rows, metrics=asked, convention="xgboost")
    agree("precision@k", "xgboost", [*ours.values()], [theirs[name] for name in names])


def test_auc_there_counts_pairs_of_equal_labels():
    """So it is no area under a ROC curve, and there is nothing to compare.

    It sorts the rows of a query by label, keeping the order of the input among equal
    labels, and takes the share of all pairs that the scores put in that order.
    """
    rows, theirs = trained(3, ["auc"], max_grade=1, objective="rank:ndcg")
    shares = []
    for query in np.unique(rows["groups"]):
        of_query = rows["groups"] == query
        order = np.argsort(-rows["y_true"][of_query], kind="stable")
        y_score = rows["y_score"][of_query][order]
        if len(y_score) < 3:
            continue
        pairs = combinations(y_score.tolist(), 2)
        shares.append(np.mean([(one > other) + (one == other) / 2 for one, other in pairs]))
    assert theirs["auc"] == pytest.approx(np.mean(shares), rel=1e-12)
    assert metrics.ranking_scores(
        [0, 0, 0], [1.0, 3.0, 2.0], groups=[0, 0, 0], metrics="auc", replace_undefined_by=-1
    ) == {"auc": -1}


@pytest.mark.parametrize(("metric", "max_grade"), [("ndcg", 4), ("map", 1)])
def test_convention(metric, max_grade):
    assert set(metrics.conventions["xgboost"].metrics) == {"ndcg", "map", "precision"}
    names = [f"{metric}@{k}" for k in CUTOFFS]
    rows, theirs = trained(9, names, max_grade=max_grade, objective=f"rank:{metric}")
    ours = metrics.ranking_scores(**rows, metrics=names, convention="xgboost")
    for name in names:
        agree(f"{metric}@k, convention", "xgboost", ours[name], theirs[name])


@pytest.mark.parametrize("tied", [False, True], ids=["distinct", "tied"])
@pytest.mark.parametrize(("metric", "max_grade"), [("ndcg", 4), ("map", 1)])
def test_convention_without_a_cutoff_stops_at_rank_32(metric, max_grade, tied):
    for seed in range(5):
        rows = long_queries(seed, tied=tied)
        rows["y_true"] = np.minimum(rows["y_true"], max_grade)
        assert np.bincount(rows["groups"]).max() > 32
        names = [metric, f"{metric}@20", f"{metric}@40", f"{metric}@100"]
        theirs = evaluated(**rows, eval_metrics=names)
        ours = metrics.ranking_scores(**rows, metrics=names, convention="xgboost")
        for name in names:
            agree(f"{name}, convention", "xgboost", ours[name], theirs[name])
        assert theirs[metric] == pytest.approx(
            metrics.ranking_scores(**rows, metrics=f"{metric}@32", convention="xgboost")[
                f"{metric}@32"
            ]
        )
        (whole,) = metrics.ranking_scores(
            **rows, metrics=f"{metric}(k=None)", convention="xgboost"
        ).values()
        assert whole == pytest.approx(theirs[f"{metric}@100"])


def test_the_only_relevant_row_below_rank_32():
    rows = {"y_true": np.eye(40)[-1], "y_score": np.arange(40.0, 0, -1), "groups": [0] * 40}
    assert evaluated(**rows, eval_metrics=["ndcg", "map"]) == {"ndcg": 0, "map": 0}
    ours = metrics.ranking_scores(**rows, metrics=["ndcg", "map"], convention="xgboost")
    assert ours == {"ndcg": 0, "map": 0}
