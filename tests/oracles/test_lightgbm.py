"""LightGBM's own validation values after training on lambdarank.

Tied rows keep the order of the input there, and a query without relevant rows counts 1.
"""

import numpy as np
import pytest

from sklearn_rank import metrics
from tests.oracles.agreement import agree
from tests.oracles.query_features import query_features

lightgbm = pytest.importorskip("lightgbm")

CUTOFFS = [1, 2, 3, 5, 9, 12]
CONVENTION = {"ties": "first", "replace_undefined_by": 1.0}


def trained(train, held_out, **params):
    """Return the scores of the held-out rows and LightGBM's own metrics of them."""
    X, y, queries = train
    data = lightgbm.Dataset(X, y, group=np.bincount(queries))
    X_valid, y_valid, queries_valid = held_out
    valid = data.create_valid(X_valid, y_valid, group=np.bincount(queries_valid))
    params |= {
        "objective": "lambdarank",
        "eval_at": CUTOFFS,
        "min_data_in_leaf": 5,
        "num_leaves": 4,
        "verbose": -1,
        "num_threads": 1,
    }
    recorded: dict = {}
    booster = lightgbm.train(
        params,
        data,
        num_boost_round=3,
        valid_sets=[valid],
        callbacks=[lightgbm.record_evaluation(recorded)],
    )
    (last,) = recorded.values()
    values = {name: history[-1] for name, history in last.items()}
    return booster.predict(X_valid, raw_score=True), values


@pytest.mark.parametrize("seed", range(12))
def test_ndcg(seed):
    held_out = query_features(seed + 100, 150)
    y_score, theirs = trained(query_features(seed, 200), held_out, metric="ndcg")
    _, y_true, groups = held_out
    ours = [
        metrics.ndcg_score(
            y_true, y_score, groups=groups, k=k, gain="exponential", **CONVENTION
        )
        for k in CUTOFFS
    ]
    agree(
        "ndcg(gain='exponential')@k",
        "lightgbm",
        ours,
        [theirs[f"ndcg@{k}"] for k in CUTOFFS],
    )


@pytest.mark.parametrize("seed", range(6))
def test_ndcg_of_a_table_of_gains(seed):
    table = np.array([0, 1, 5, 6, 20])
    held_out = query_features(seed + 100, 150)
    params = {"metric": "ndcg", "label_gain": table.tolist()}
    y_score, theirs = trained(query_features(seed, 200), held_out, **params)
    _, y_true, groups = held_out

    def gain(grades):
        return table[grades.astype(int)]

    ours = [
        metrics.ndcg_score(y_true, y_score, groups=groups, k=k, gain=gain, **CONVENTION)
        for k in CUTOFFS
    ]
    agree("ndcg(gain=callable)@k", "lightgbm", ours, [theirs[f"ndcg@{k}"] for k in CUTOFFS])


@pytest.mark.parametrize("seed", range(12))
def test_average_precision(seed):
    held_out = query_features(seed + 100, 150)
    y_score, theirs = trained(query_features(seed, 200), held_out, metric="map")
    _, y_true, groups = held_out
    ours = [
        metrics.mean_average_precision_score(
            y_true, y_score, groups=groups, k=k, **CONVENTION
        )
        for k in CUTOFFS
    ]
    agree("map@k", "lightgbm", ours, [theirs[f"map@{k}"] for k in CUTOFFS])


@pytest.mark.parametrize("seed", range(3))
def test_single_queries(seed):
    """One query a validation set: its value by itself, not as part of a mean."""
    X, y, queries = query_features(seed + 50, 60)
    for query in range(0, 60, 2):
        held_out = X[queries == query], y[queries == query], queries[queries == query] * 0
        y_score, theirs = trained(query_features(seed, 60), held_out, metric="ndcg")
        ours = [
            metrics.ndcg_score(
                held_out[1],
                y_score,
                groups=held_out[2],
                k=k,
                gain="exponential",
                **CONVENTION,
            )
            for k in CUTOFFS
        ]
        expected = [theirs[f"ndcg@{k}"] for k in CUTOFFS]
        agree("ndcg(gain='exponential')@k", "lightgbm", ours, expected)


@pytest.mark.parametrize("metric", ["ndcg", "map"])
def test_convention(metric):
    assert set(metrics.conventions["lightgbm"].metrics) == {"ndcg", "map"}
    held_out = query_features(300, 150)
    y_score, theirs = trained(query_features(7, 200), held_out, metric=metric)
    names = [f"{metric}@{k}" for k in CUTOFFS]
    ours = metrics.ranking_scores(
        held_out[1], y_score, groups=held_out[2], metrics=names, convention="lightgbm"
    )
    for name in names:
        agree(f"{metric}@k, convention", "lightgbm", ours[name], theirs[name])


@pytest.mark.parametrize("tied", [False, True], ids=["distinct", "tied"])
@pytest.mark.parametrize("metric", ["ndcg", "map"])
def test_convention_of_given_scores(metric, tied):
    """Trees of a constant feature have no split: what is evaluated are the first scores."""
    rng = np.random.default_rng(83)
    groups = np.repeat(np.arange(60), rng.integers(1, 81, 60))
    y_true = rng.integers(0, 5, len(groups)) * (rng.random(len(groups)) < 0.2)
    y_true[groups % 7 == 0] = 0
    y_score = rng.integers(0, 6, len(groups)) if tied else rng.permutation(len(groups))
    data = lightgbm.Dataset(
        np.zeros((len(groups), 1)),
        y_true,
        group=np.bincount(groups),
        init_score=y_score.astype(float),
        params={"verbose": -1},
    )
    names = [f"{metric}@{k}" for k in (1, 5, 40, 100)]
    params = {"objective": "lambdarank", "metric": metric, "verbose": -1, "num_threads": 1}
    recorded: dict = {}
    lightgbm.train(
        params | {"eval_at": [1, 5, 40, 100]},
        data,
        num_boost_round=1,
        valid_sets=[data],
        callbacks=[lightgbm.record_evaluation(recorded)],
    )
    ours = metrics.ranking_scores(
        y_true, y_score, groups=groups, metrics=names, convention="lightgbm"
    )
    for name in names:
        agree(f"{name}, convention", "lightgbm", ours[name], recorded["training"][name][-1])
