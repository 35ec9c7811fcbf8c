"""What libraries want of each row beside grades: positions, scores to start from, pairs."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_val_score

from sklearn_rank.metrics import make_ranking_scorer
from sklearn_rank.rankers import GroupRanker
from tests.rankers.conftest import catboost_ranker, lightgbm_ranker, make_queries
from tests.rankers.test_early_stopping import RANKERS

FEW = {"n_estimators": 10}


@pytest.fixture
def held_out():
    return make_queries(seed=1)


@pytest.fixture
def position(queries):
    return np.random.default_rng(0).integers(0, 8, len(queries.y))


def by_query(rows, *columns):
    order = np.argsort(rows.query, kind="stable")
    return [column[order] for column in columns]


def trained_with_positions(ranker, queries, position, **given):
    """Return what LightGBM itself learns from positions."""
    lightgbm = pytest.importorskip("lightgbm")
    X, y, query, place = by_query(queries, queries.X, queries.y, queries.query, position)
    rows = lightgbm.Dataset(X, y, group=np.bincount(query), position=place)
    parameters = {**ranker.get_params(), "objective": "lambdarank"}
    n_rounds = parameters.pop("n_estimators")
    known = {n: v for n, v in parameters.items() if v is not None}
    return lightgbm.train(known, rows, n_rounds, **given)


@pytest.mark.parametrize("more", [{}, {"subsample": 0.5, "subsample_freq": 1}])
def test_positions_are_those_that_lightgbm_knows(queries, position, more):
    booster = lightgbm_ranker(**FEW, **more)
    ranker = GroupRanker(booster)
    ranker.fit(queries.X, queries.y, groups=queries.groups, position=position)
    direct = trained_with_positions(booster, queries, position)
    assert np.array_equal(ranker.predict(queries.X), direct.predict(queries.X))
    without = GroupRanker(booster).fit(queries.X, queries.y, groups=queries.groups)
    assert not np.allclose(ranker.predict(queries.X), without.predict(queries.X))


@pytest.mark.parametrize("metric", [None, "ndcg@3"])
def test_positions_with_early_stopping(queries, held_out, position, metric):
    how = {"early_stopping_rounds": 3, "stopping_metric": metric}
    ranker = GroupRanker(lightgbm_ranker(**FEW), **how)
    sets = {"eval_set": [(held_out.X, held_out.y, held_out.groups)]}
    ranker.fit(queries.X, queries.y, groups=queries.groups, position=position, **sets)
    booster = ranker.estimator_.booster_
    direct = trained_with_positions(lightgbm_ranker(**FEW), queries, position)
    n_trees = booster.best_iteration
    expected = direct.predict(queries.X, num_iteration=n_trees)
    assert np.array_equal(booster.predict(queries.X, num_iteration=n_trees), expected)
    part = GroupRanker(lightgbm_ranker(**FEW), random_state=0, **how)
    part.fit(queries.X, queries.y, groups=queries.groups, position=position)


def test_positions_go_with_their_rows_in_folds(queries, position):
    ranker = GroupRanker(lightgbm_ranker(**FEW))
    with config_context(enable_metadata_routing=True):
        asking = ranker.set_fit_request(position=True)
        scores = cross_val_score(
            asking,
            queries.X,
            queries.y,
            cv=GroupKFold(2),
            scoring=make_ranking_scorer("ndcg", replace_undefined_by=np.nan),
            params={"groups": queries.groups, "position": position},
            error_score="raise",
        )
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ([1, 2], r"`position` has 2 values, but X has \d+ rows"),
        (-1, r"the first at 0 \(-1.*give whole numbers >= 0"),
        (0.5, r"the first at 0 \(0.5\); give whole numbers >= 0"),
    ],
)
def test_positions_that_are_none(queries, position, message):
    if np.ndim(position) == 0:
        position = np.full(len(queries.y), position)
    with pytest.raises(ValueError, match=message):
        GroupRanker(lightgbm_ranker()).fit(
            queries.X, queries.y, groups=queries.groups, position=position
        )


@pytest.mark.parametrize("name", ["ridge", "xgboost", "regressor", "own objective"])
def test_only_rankers_of_lightgbm_learn_from_positions(name, queries, position):
    lightgbm = pytest.importorskip("lightgbm")
    inner = {
        "ridge": Ridge,
        "xgboost": RANKERS["xgboost"],
        "regressor": lightgbm.LGBMRegressor,
        "own objective": lambda: lightgbm_ranker(objective=np.subtract),
    }[name]()
    with pytest.raises(ValueError, match="`position` is for LightGBM's LGBMRanker"):
        GroupRanker(inner).fit(
            queries.X, queries.y, groups=queries.groups, position=position
        )


# How each library calls the scores that a model starts from, for rows and for a set.
START = {
    "lightgbm": ("init_score", "eval_init_score"),
    "xgboost": ("base_margin", "base_margin_eval_set"),
}


@pytest.mark.parametrize("library", list(START))
def test_scores_to_start_from_are_those_of_the_rows(library, queries, held_out):
    name, of_set = START[library]
    random = np.random.default_rng(0)
    start, start_held_out = (
        random.normal(size=len(queries.y)),
        random.normal(size=len(held_out.y)),
    )
    order = random.permutation(len(held_out.y))
    values = []
    for rows in (np.arange(len(order)), order):
        ranker = GroupRanker(RANKERS[library](), early_stopping_rounds=5)
        one = held_out.X[rows], held_out.y[rows], held_out.groups[rows]
        given = {name: start, of_set: [start_held_out[rows]]}
        ranker.fit(queries.X, queries.y, groups=queries.groups, eval_set=[one], **given)
        found = ranker.estimator_
        is_xgboost = library == "xgboost"
        by_set = found.evals_result() if is_xgboost else found.evals_result_
        (of_metrics,) = by_set.values()
        values.append(next(iter(of_metrics.values())))
    assert np.allclose(*values)  # the order of rows does not matter
    with pytest.raises(ValueError, match=rf"`{name}` was passed .* pass {of_set}=\[val"):
        ranker.fit(
            queries.X, queries.y, groups=queries.groups, eval_set=[one], **{name: start}
        )
    with pytest.raises(ValueError, match=f"`{of_set}` must hold one array"):
        ranker.fit(
            queries.X,
            queries.y,
            groups=queries.groups,
            eval_set=[one],
            **{name: start, of_set: start_held_out},
        )


@pytest.mark.parametrize("library", list(START))
def test_held_out_queries_start_from_their_scores(library, queries):
    name, _ = START[library]
    far = np.where(queries.y > 0, 50.0, -50.0)  # the order is perfect before any tree
    ranker = GroupRanker(RANKERS[library](), early_stopping_rounds=5, random_state=0)
    ranker.fit(queries.X, queries.y > 0, groups=queries.groups, **{name: far})
    found = ranker.estimator_
    by_set = found.evals_result() if library == "xgboost" else found.evals_result_
    (of_metrics,) = by_set.values()
    assert next(iter(of_metrics.values()))[0] == 1


def test_pairs_of_catboost_move_with_their_rows(queries):
    """Before, pairs had the numbers of other rows once rows were sorted by query."""
    better, worse = [], []
    for query in np.unique(queries.query):
        rows = np.flatnonzero(queries.query == query)
        best, last = rows[np.argmax(queries.y[rows])], rows[np.argmin(queries.y[rows])]
        if queries.y[best] > queries.y[last]:
            better.append(best)
            worse.append(last)
    pairs = np.column_stack([better, worse])
    how = {"loss_function": "PairLogit", "iterations": 10}
    ranker = GroupRanker(catboost_ranker(**how))
    ranker.fit(queries.X, queries.y, groups=queries.groups, pairs=pairs)
    order = np.argsort(queries.query, kind="stable")
    place = np.argsort(order)
    direct = catboost_ranker(**how).fit(
        queries.X[order],
        queries.y[order],
        group_id=queries.query[order],
        pairs=place[pairs],
    )
    assert np.allclose(ranker.predict(queries.X), direct.predict(queries.X))
    stopped = GroupRanker(catboost_ranker(**how), early_stopping_rounds=2, random_state=0)
    stopped.fit(
        queries.X,
        queries.y,
        groups=queries.groups,
        pairs=pairs,
        pairs_weight=[1] * len(pairs),
    )
    assert stopped.estimator_.tree_count_ > 0


def test_several_sets_are_refused(queries, held_out):
    one = held_out.X, held_out.y, held_out.groups
    with pytest.raises(ValueError, match="`eval_set` must hold one set"):
        GroupRanker(lightgbm_ranker()).fit(
            queries.X, queries.y, groups=queries.groups, eval_set=[one, one]
        )
