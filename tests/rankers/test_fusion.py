"""RankFusion: its laws, learned weights, searches, and what it refuses."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from sklearn_rank.metrics import make_ranking_scorer, ndcg_score
from sklearn_rank.rankers import RankFusion
from sklearn_rank.rankers._rank_fusion import ascend_coordinates
from tests.estimator_checks import every_check, run_check

METHODS = [
    *("rrf", "borda", "condorcet"),
    *("comb_sum", "comb_mnz", "comb_anz", "comb_max", "comb_min"),
]
NORMALIZATIONS = ["min_max", "sum", "z_score", "rank", None]
UNRETRIEVED = ["omit", "zero", "minimum"]
nan = float("nan")

SCORES = st.sampled_from([-np.inf, nan, -1.5, 0.0, 0.5, 1.0, 7.0])
ROWS = st.lists(
    st.tuples(st.integers(0, 3), SCORES, SCORES, SCORES), min_size=1, max_size=14
)
OPTIONS = st.fixed_dictionaries(
    {
        "method": st.sampled_from(METHODS),
        "normalization": st.sampled_from(NORMALIZATIONS),
        "unretrieved": st.sampled_from(UNRETRIEVED),
        "rrf_k": st.sampled_from([0, 1.5, 60]),
    }
)


def fuse(X, groups, **options):
    X = np.asarray(X, dtype=float)
    every = np.vstack([X, np.zeros((1, X.shape[1]))])  # no run is empty
    model = RankFusion(**options).fit(every, groups=[*groups, 99])
    return model.predict(X, groups=groups)


def make_data(seed=0, n_queries=60, n_items=12):
    """Return two good runs, the first one better, and one of noise."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_queries), n_items)
    y = (rng.random(len(groups)) < 0.2).astype(int)
    y[::n_items] = 1  # no query is undefined
    noise = rng.normal(size=(len(y), 3)) * [0.6, 1.2, 1.0]
    X = noise + np.outer(y, [1.0, 1.0, 0.0])
    X[rng.random(X.shape) < 0.2] = np.nan
    return X * [1, 20, 5] + [0, 3, 0], y, groups


# ---- what is fused ---------------------------------------------------------------------


@settings(deadline=None)
@given(ROWS, OPTIONS, st.randoms())
def test_the_order_of_rows_never_matters(rows, options, random):
    order = random.sample(range(len(rows)), len(rows))
    groups, X = [row[0] for row in rows], [row[1:] for row in rows]
    found = fuse(X, groups, **options)
    again = fuse([X[i] for i in order], [groups[i] for i in order], **options)
    assert again.tolist() == found[order].tolist()


@settings(deadline=None)
@given(ROWS, OPTIONS)
def test_a_query_alone_and_among_others(rows, options):
    groups, X = np.array([row[0] for row in rows]), np.array([row[1:] for row in rows])
    found = fuse(X, groups, **options)
    for query in set(groups):
        alone = fuse(X[groups == query], groups[groups == query], **options)
        assert alone.tolist() == found[groups == query].tolist()
    lost = ~np.isfinite(X).any(axis=1)
    assert (found[lost] == -np.inf).all()
    assert np.isfinite(found[~lost]).all()


@settings(deadline=None)
@given(ROWS, OPTIONS)
def test_ranks_and_scores_are_the_same_for_methods_by_rank(rows, options):
    if options["method"] not in ("rrf", "borda", "condorcet"):
        return
    groups, X = np.array([row[0] for row in rows]), np.array([row[1:] for row in rows])
    ranks = np.where(np.isfinite(X), -X, np.inf)
    by_rank = fuse(ranks, groups, **options, values="ranks")
    assert by_rank.tolist() == fuse(X, groups, **options).tolist()
    assert fuse(X * 8, groups, **options).tolist() == by_rank.tolist()


def mid_rank(scores, place):
    above = sum(other > scores[place] for other in scores)
    return above + (1 + sum(other == scores[place] for other in scores)) / 2


def test_reciprocal_ranks_by_hand():
    X = [[3, nan], [3, 5], [1, 9], [nan, nan]]
    found = fuse(X, [0] * 4, rrf_k=1)
    assert found.tolist() == pytest.approx(
        [1 / 2.5, 1 / 2.5 + 1 / 3, 1 / 4 + 1 / 2, -np.inf]
    )
    lowest = fuse(X, [0] * 4, rrf_k=1, unretrieved="minimum")
    # The second run leaves ranks 3 and 4 over.
    assert lowest[0] == pytest.approx(1 / 2.5 + 1 / 4.5)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=7))
def test_tied_scores_have_the_mean_of_their_ranks(scores):
    X = np.array(scores, dtype=float)[:, None]
    expected = [1 / (60 + mid_rank(scores, i)) for i in range(len(scores))]
    assert fuse(X, [0] * len(X)).tolist() == pytest.approx(expected)


def test_what_is_not_retrieved_counts_as_asked():
    X = [[3, nan], [1, 5], [nan, 4]]
    given = {"method": "comb_anz", "normalization": None}
    assert fuse(X, [0] * 3, **given).tolist() == [3, 3, 4]
    assert fuse(X, [0] * 3, **given, unretrieved="zero").tolist() == [1.5, 3, 2]
    assert fuse(X, [0] * 3, **given, unretrieved="minimum").tolist() == [3.5, 3, 2.5]
    given["method"] = "comb_mnz"
    assert fuse(X, [0] * 3, **given).tolist() == [3, 12, 4]
    # What a run did not retrieve may have a score, but does not count as retrieved.
    assert fuse(X, [0] * 3, **given, unretrieved="zero").tolist() == [3, 12, 4]
    assert fuse(X, [0] * 3, **given, unretrieved="minimum").tolist() == [7, 12, 5]


def test_a_run_that_retrieved_nothing_in_a_query():
    given = {"normalization": None, "unretrieved": "minimum"}
    X = [[-3, nan], [-1, nan]]
    assert fuse(X, [0] * 2, method="comb_sum", **given).tolist() == [-3, -1]
    assert fuse(X, [0] * 2, method="comb_max", **given).tolist() == [0, 0]
    # All ranks of the second run are left over: their mean is 1.5.
    found = fuse(X, [0] * 2, method="rrf", rrf_k=0, **given)
    assert found.tolist() == pytest.approx([1 / 2 + 1 / 1.5, 1 + 1 / 1.5])


def test_a_constant_run_has_z_scores_of_zero():
    X = [[1, 5], [2, 5], [3, nan]]
    found = fuse(X, [0] * 3, method="comb_sum", normalization="z_score")
    assert found.tolist() == pytest.approx([-np.sqrt(1.5), 0, np.sqrt(1.5)])


def test_condorcet_counts_majorities():
    X = [[3, 3, 1], [2, 1, 3], [1, 2, 2]]
    assert fuse(X, [0] * 3, method="condorcet").tolist() == [2, 1, 0]
    weighted = fuse(X, [0] * 3, method="condorcet", weights=[0.2, 0.2, 1])
    assert weighted.tolist() == [0, 2, 1]
    # A draw is half of a win, and what a run does not order has no vote of it.
    assert fuse([[2, 1], [1, 2]], [0] * 2, method="condorcet").tolist() == [0.5, 0.5]
    assert fuse([[1, 1], [1, 2]], [0] * 2, method="condorcet").tolist() == [0, 1]
    X = [[1.0, nan], [nan, 1.0], [nan, nan]]
    assert fuse(X, [0] * 3, method="condorcet").tolist() == [1.5, 1.5, -np.inf]


def test_extreme_scores_stay_finite():
    X = [[-1e308, 1], [1e308, 2], [0, 3]]
    for normalization in NORMALIZATIONS[:-1]:
        found = fuse(X, [0] * 3, method="comb_sum", normalization=normalization)
        assert np.isfinite(found).all()


# ---- fitting ---------------------------------------------------------------------------


def test_a_run_whose_weight_became_0_can_return():
    """The first is better left out, but not once the second is left out."""

    def score(weights):
        first, second, _ = weights > 0
        return {(1, 1): 0, (0, 1): 1, (0, 0): 2, (1, 0): 3}[first, second]

    weights, best = ascend_coordinates(3, score)
    assert best == 3
    assert (weights > 0).tolist() == [True, False, True]


def test_the_search_for_weights_ends_though_each_step_is_better():
    calls = []

    def score(weights):
        calls.append(weights)
        return len(calls)

    weights, best = ascend_coordinates(2, score)
    assert weights is calls[-1]
    assert best == len(calls)


def test_learned_weights_are_those_of_what_helps():
    X, y, groups = make_data()
    model = RankFusion("comb_sum", weights="learned").fit(X, y, groups=groups)
    assert model.weights_.sum() == pytest.approx(1)
    assert model.weights_[0] > model.weights_[1] > model.weights_[2]
    X_new, y_new, groups_new = make_data(seed=1)
    equal = RankFusion("comb_sum").fit(X, groups=groups)
    learned, plain = (m.score(X_new, y_new, groups=groups_new) for m in (model, equal))
    assert learned > plain + 0.02
    fused = model.predict(X_new, groups=groups_new)
    assert learned == ndcg_score(y_new, fused, groups=groups_new)


def test_weights_of_queries_and_order_of_rows_in_learning():
    X, y, groups = make_data(n_queries=20)
    weight = np.where(groups < 10, 1.0, 0.0)
    options = {"method": "rrf", "weights": "learned", "metric": "mrr"}
    model = RankFusion(**options).fit(X, y, groups=groups, sample_weight=weight)
    few = groups < 10
    alone = RankFusion(**options).fit(X[few], y[few], groups=groups[few])
    assert model.weights_.tolist() == alone.weights_.tolist()
    order = np.random.default_rng(0).permutation(len(y))
    again = RankFusion(**options).fit(
        X[order], y[order], groups=groups[order], sample_weight=weight[order]
    )
    assert again.weights_.tolist() == model.weights_.tolist()


@pytest.mark.parametrize("routing", [False, True])
def test_a_search_tunes_the_fusion_by_query(routing):
    X, y, groups = make_data()
    grid = [
        {"method": ["rrf"], "rrf_k": [1, 60]},
        {"method": ["comb_sum"], "normalization": ["min_max", "z_score"]},
        {"method": ["comb_sum"], "weights": [[1, 0, 0], [1, 0.5, 0], [0, 0, 1]]},
    ]
    with config_context(enable_metadata_routing=routing):
        model = RankFusion() if routing else RankFusion(groups="query")
        if not routing:
            X = pd.DataFrame(X, columns=["bm25", "vectors", "noise"]).assign(query=groups)
        scorer = make_ranking_scorer("ndcg@10", groups=None if routing else "query")
        search = GridSearchCV(model, grid, scoring=scorer, cv=GroupKFold(3))
        search.fit(X, y, groups=groups)
        assert search.best_params_["method"] == "comb_sum"
        worst = search.cv_results_["params"][search.cv_results_["rank_test_score"].argmax()]
        assert worst == {"method": "comb_sum", "weights": [0, 0, 1]}
        assert not np.isnan(search.cv_results_["mean_test_score"]).any()
        given = {"groups": groups} if routing else {}
        assert search.score(X, y, **given) > 0.5


def test_learned_weights_in_cross_validation():
    X, y, groups = make_data()
    table = np.c_[groups, X]
    model = RankFusion("comb_sum", weights="learned", groups=0)
    scorer = make_ranking_scorer("ndcg@10", groups=0)
    learned = cross_val_score(model, table, y, scoring=scorer, cv=3)
    equal = cross_val_score(
        clone(model).set_params(weights=None), table, y, scoring=scorer, cv=3
    )
    assert learned.mean() > equal.mean()


@pytest.mark.parametrize("method", ["comb_sum", "comb_mnz", "comb_anz"])
def test_sums_beyond_floats_are_refused(method):
    X, groups = [[1.5e308, 1.6e308], [1.7e308, 1.2e308]], ["a", "a"]
    model = RankFusion(method, normalization=None).fit(X, groups=groups)
    with pytest.raises(ValueError, match="larger than floats; choose a `normalization`"):
        model.predict(X, groups=groups)
    # The advice.
    RankFusion(method, normalization="min_max").fit(X, groups=groups).predict(X, groups)
    X = np.divide(X, 10)
    assert np.isfinite(model.predict(X, groups=groups)).all()


def test_a_fitted_model_pickles_and_serves_new_queries():
    X, _, groups = make_data(n_queries=5)
    model = RankFusion("comb_mnz").fit(pd.DataFrame(X, columns=[*"abc"]), groups=groups)
    again = pickle.loads(pickle.dumps(model))
    new = pd.DataFrame({"a": [1, 2], "b": [nan, 1], "c": [0, 1]})
    assert again.predict(new, groups=["x", "x"]).tolist() == [0, 9]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(new[[*"bac"]], groups=["x", "x"])


@pytest.mark.filterwarnings("ignore::UserWarning")
@every_check(RankFusion(groups=1), RankFusion("comb_sum", groups=1))
def test_the_checks_of_scikit_learn(estimator, check):
    missing = (ValueError, r"`groups` has \d+ missing value")  # NaN in its column, too
    run_check(estimator, check, refused={"check_estimators_pickle": missing})


# ---- what is refused -------------------------------------------------------------------

X, Y, GROUPS = make_data(n_queries=4)
EMPTY = np.where(np.arange(3) == 1, np.nan, X)
BAD = [
    ({"method": "rff"}, X, "`method` got 'rff'"),
    ({"normalization": "max"}, X, "`normalization` got 'max'"),
    ({"unretrieved": None}, X, "`unretrieved` got None"),
    ({"values": "distance"}, X, "`values` got 'distance'"),
    ({"rrf_k": -1}, X, "`rrf_k` must be a number, 0 or more"),
    ({"weights": [1, 1]}, X, "one for each of 3 runs"),
    ({"weights": [1, -1, 1]}, X, "`weights` must be finite numbers >= 0"),
    ({"weights": [0, 0, 0]}, X, "not all of them 0"),
    ({"weights": [1, np.nan, 1]}, X, "`weights` must be finite numbers"),
    ({"weights": "learnt"}, X, "`weights` got 'learnt'"),
    ({"method": "comb_max", "weights": [1, 1, 1]}, X, "`weights` have no effect with"),
    ({"weights": "learned", "metric": "ndgc"}, X, "Unknown metric 'ndgc'"),
    ({}, EMPTY, "Run 1 of X, counted from 0, has no score at all"),
    ({}, np.full(X.shape, -np.inf), "Run 0 of X, counted from 0, has no score at all"),
    ({}, np.where(X > 1, np.inf, X), "scores and ranks must be finite, or NaN or -inf"),
    ({"values": "ranks"}, np.where(X > 1, -np.inf, X), "or NaN or inf for an item"),
]


@pytest.mark.parametrize(("options", "runs", "message"), BAD)
def test_bad_input(options, runs, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        RankFusion(**options).fit(runs, Y, groups=GROUPS)


def test_learned_weights_need_grades():
    model = RankFusion(weights="learned")
    with pytest.raises(ValueError, match="requires y to be passed"):
        model.fit(X, groups=GROUPS)
    with pytest.raises(ValueError, match="'ndcg@10' is undefined for all 4 queries"):
        model.fit(X, np.zeros(len(Y)), groups=GROUPS)


def test_groups_are_needed_for_prediction_too():
    model = RankFusion().fit(X, groups=GROUPS)
    with pytest.raises(ValueError, match="RankFusion needs `groups`"):
        model.predict(X)
    with pytest.raises(ValueError, match="`groups` has 2 values, but X has"):
        model.predict(X, groups=[1, 2])
