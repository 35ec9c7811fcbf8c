"""RankFusion: its laws, learned weights, searches, and what it refuses."""

import json
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import make_metric, make_ranking_scorer, ndcg_score
from sklearn_rank.rankers import RankFusion
from sklearn_rank.rankers._learned_weights import candidate_weights, choose_weights
from tests.estimator_checks import every_check, run_check

METHODS = [
    *("rrf", "borda", "condorcet"),
    *("comb_sum", "comb_mnz", "comb_anz", "comb_max", "comb_min", "dbsf"),
]
NORMALIZATIONS = ["min_max", "sum", "z_score", "l2", "rank", None]
UNRETRIEVED = ["omit", "zero", "minimum"]
ENGINES = [
    *("elasticsearch", "opensearch", "azure", "mongodb"),
    *("qdrant", "chroma", "weaviate", "milvus"),
]
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
        "rrf_k": st.sampled_from([0, 1.5, 60, None]),
    }
) | st.fixed_dictionaries(
    {"convention": st.sampled_from(ENGINES), "unretrieved": st.sampled_from(UNRETRIEVED)}
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
    if options.get("method", "rrf") not in ("rrf", "borda", "condorcet"):
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


# ---- formulas of search engines --------------------------------------------------------

# Two runs: the first has the items 0, 1, 2 at ranks 1, 2, 3, the second 2, 3 at 1, 2.
LISTS = [[3, nan], [2, nan], [1, 9], [nan, 5]]


@pytest.mark.parametrize(
    ("convention", "k", "formula"),
    [
        (None, 60, lambda w, r: w / (60 + r)),
        ("elasticsearch", 60, lambda w, r: w / (60 + r)),
        ("opensearch", 60, lambda w, r: w / (60 + r)),
        ("azure", 60, lambda w, r: w / (60 + r)),
        ("mongodb", 60, lambda w, r: w / (60 + r)),
        ("qdrant", 2, lambda w, r: 1 / (1 + r / w)),
        ("chroma", 60, lambda w, r: w / (59 + r)),
        ("weaviate", 60, lambda w, r: w / (59 + r)),
    ],
)
def test_formulas_of_search_engines(convention, k, formula):
    for first, second in ((1, 1), (3, 0.5)):
        expected = [
            formula(first, 1),
            formula(first, 2),
            formula(first, 3) + formula(second, 1),
            formula(second, 2),
        ]
        for rrf_k in (None, k):
            options = {"convention": convention, "rrf_k": rrf_k, "weights": [first, second]}
            assert fuse(LISTS, [0] * 4, **options) == pytest.approx(expected, abs=1e-12)
    alone = fuse(LISTS, [0] * 4, convention=convention, weights=[0, 2])
    expected = [0, 0, formula(2, 1), formula(2, 2)]
    assert alone == pytest.approx(expected, abs=1e-12)


def test_formulas_with_a_k_of_the_user():
    found = fuse(LISTS, [0] * 4, convention="qdrant", rrf_k=10)
    assert found == pytest.approx([1 / 10, 1 / 11, 1 / 12 + 1 / 10, 1 / 11], abs=1e-12)
    found = fuse(LISTS, [0] * 4, convention="chroma", rrf_k=1)
    assert found == pytest.approx([1, 1 / 2, 1 / 3 + 1, 1 / 2], abs=1e-12)
    found = fuse(LISTS, [0] * 4, convention="milvus", rrf_k=0)
    assert found == pytest.approx([1, 1 / 2, 1 / 3 + 1, 1 / 2], abs=1e-12)


def test_what_the_documentation_of_engines_says():
    """Qdrant: the third item at weight 3 scores as the first at weight 1."""
    options = {"convention": "qdrant", "weights": [3, 1]}
    third, first = fuse([[1, nan], [2, nan], [3, nan], [nan, 1]], [0] * 4, **options)[
        [0, 3]
    ]
    assert third == pytest.approx(first, abs=1e-12)
    # OpenSearch: rank_constant 1, of two lists with ranks 1 and 2, 1, 2, 3.
    X = [[9, 8], [nan, 9], [8, nan], [7, nan]]
    found = fuse(X, [0] * 4, convention="opensearch", rrf_k=1)
    assert found == pytest.approx([5 / 6, 1 / 2, 1 / 3, 1 / 4], abs=1e-12)


def test_a_run_whose_weights_are_equal_in_the_limit():
    """Qdrant's formula with equal weights is the usual one, with k one lower."""
    X, _, groups = make_data(n_queries=5)
    qdrant = fuse(X, groups, convention="qdrant", rrf_k=61)
    assert qdrant == pytest.approx(fuse(X, groups, rrf_k=60), abs=1e-12)


@pytest.mark.parametrize("unretrieved", ["omit", "zero"])
def test_scores_by_three_deviations(unretrieved):
    """Qdrant's distribution-based fusion, with n - 1 in the deviation."""
    X = [[1, 5], [2, nan], [6, 5]]
    found = fuse(X, [0] * 3, method="dbsf", unretrieved=unretrieved)
    mean, sd = 3, np.sqrt((4 + 1 + 9) / 2)
    first = [(score - mean + 3 * sd) / (6 * sd) for score in (1, 2, 6)]
    expected = [first[0] + 0.5, first[1], first[2] + 0.5]
    assert found == pytest.approx(expected, abs=1e-12)
    # They are not cut at 0 and 1: the last of 12 is more than three deviations away.
    X = np.r_[np.zeros(11), 1.0][:, None]
    found = fuse(X, [0] * 12, method="dbsf")
    deviation = np.std(X, ddof=1)
    assert found[-1] == pytest.approx(0.5 + (11 / 12) / (6 * deviation), abs=1e-12)
    assert found[-1] > 1
    assert fuse([[7.0]], [0], method="dbsf").tolist() == [0.5]


def test_scores_of_unit_length():
    X = [[3, 0], [-4, 0], [nan, nan]]
    options = {"method": "comb_sum", "normalization": "l2"}
    assert fuse(X, [0] * 3, **options).tolist() == [0.6, -0.8, -np.inf]
    huge = fuse([[3e307], [4e307]], [0] * 2, **options)
    assert huge == pytest.approx([0.6, 0.8], abs=1e-12)
    # Each query for itself.
    assert fuse([[3], [4], [2]], [0, 0, 1], **options).tolist() == [0.6, 0.8, 1]


@pytest.mark.parametrize(
    ("convention", "settings"),
    [
        ("qdrant", {"query": {"rrf": {"k": 2, "weights": [3.0, 1.0]}}}),
        (
            "elasticsearch",
            {
                "retriever": {
                    "rrf": {
                        "rank_constant": 60,
                        "retrievers": [
                            {"retriever": {}, "weight": 3.0},
                            {"retriever": {}, "weight": 1.0},
                        ],
                    }
                }
            },
        ),
        (
            "opensearch",
            {
                "phase_results_processors": [
                    {
                        "score-ranker-processor": {
                            "combination": {
                                "technique": "rrf",
                                "rank_constant": 60,
                                "parameters": {"weights": [0.75, 0.25]},
                            }
                        }
                    }
                ]
            },
        ),
    ],
)
def test_settings_of_search_engines(convention, settings):
    X = [[1, 2], [2, 1]]
    model = RankFusion(convention=convention, weights=[3, 1])
    with pytest.raises(NotFittedError):
        model.configuration()
    assert json.loads(json.dumps(model.fit(X, groups=[0, 0]).configuration())) == settings
    model.set_params(rrf_k=7).fit(X, groups=[0, 0])
    assert ": 7," in json.dumps(model.configuration())


def test_settings_of_other_engines_are_refused():
    model = RankFusion().fit([[1, 2], [2, 1]], groups=[0, 0])
    message = "`convention` got None. Valid: 'qdrant', 'elasticsearch', 'opensearch'"
    with pytest.raises(ValueError, match=message):
        model.configuration()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rrf_k": 2.5}, "must be a whole number, 1 or more, .* got 2.5"),
        ({"convention": "elasticsearch", "rrf_k": 0}, "must be a whole number, 1 or more"),
        ({"unretrieved": "minimum"}, "`unretrieved` got 'minimum'. Valid: 'omit', 'zero'"),
    ],
)
def test_settings_that_no_engine_takes(parameters, message):
    model = RankFusion(**{"convention": "qdrant"} | parameters)
    with pytest.raises(ValueError, match=message):
        model.fit([[1, 2], [2, 1]], groups=[0, 0]).configuration()


def test_settings_are_those_of_the_fit():
    model = RankFusion(convention="chroma").fit([[1, 2], [2, 1]], groups=[0, 0])
    with pytest.raises(ValueError, match="`convention` got 'chroma'"):
        model.set_params(convention="opensearch").configuration()


# ---- fitting ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_runs", "n_candidates", "step"), [(2, 11, 0.2), (3, 28, 0.5), (4, 35, 1)]
)
def test_candidates_are_all_weights_of_a_grid(n_runs, n_candidates, step):
    grid = candidate_weights(n_runs)
    assert len({tuple(weights) for weights in grid.tolist()}) == n_candidates
    assert grid[0].tolist() == [1] * n_runs
    assert grid.sum(axis=1) == pytest.approx(np.full(n_candidates, n_runs))
    assert grid / step == pytest.approx(np.rint(grid / step))


def test_candidates_of_more_runs_leave_out_and_double_each():
    grid = candidate_weights(5)
    assert grid[0].tolist() == [1] * 5
    rows = {tuple(weights) for weights in grid.tolist()}
    assert rows == {
        *((1, 1, 1, 1, 1), (0, 1, 1, 1, 1), (1, 0, 1, 1, 1), (1, 1, 0, 1, 1)),
        *((1, 1, 1, 0, 1), (1, 1, 1, 1, 0), (2, 1, 1, 1, 1), (1, 2, 1, 1, 1)),
        *((1, 1, 2, 1, 1), (1, 1, 1, 2, 1), (1, 1, 1, 1, 2)),
    }
    assert candidate_weights(1).tolist() == [[1], [2]]


def values_of(gains):
    """Return values of eleven candidates of which two differ from equal weights."""
    grid = candidate_weights(2)
    values = np.zeros((len(gains), len(grid)))
    for weights, column in (([1.2, 0.8], 0), ([0.8, 1.2], 1)):
        place = grid.tolist().index(pytest.approx(weights))
        values[:, place] = np.asarray(gains)[:, column]
    return grid, values


def test_gains_of_learned_weights_by_hand():
    """Without the first query the second candidate is the best: +.6 against +.5."""
    gains = [[0.3, 0.1], *[[0.05, 0.06]] * 10, [0.0, 0.0]]
    grid, values = values_of(gains)
    weights, tuning = choose_weights(grid, values, np.ones(12), "ndcg@10")
    assert weights.tolist() == [1, 1]
    assert tuning["best"].tolist() == [1.2, 0.8]
    assert tuning["gain_in_sample"] == pytest.approx(0.8 / 12)
    # Held out, the first query has +.1; each other has the first candidate's.
    assert tuning["gain"] == pytest.approx((0.1 + 10 * 0.05) / 12)
    column = np.array(gains)[:, 0]
    half = tuning["high"] - tuning["gain_in_sample"]
    assert half == pytest.approx(tuning["gain_in_sample"] - tuning["low"])
    assert half >= 2.2009 * column.std(ddof=1) / np.sqrt(12)  # Student's t
    assert tuning["n_queries"] == 12
    assert tuning["p"] > 0.05  # most exchanges have a higher sum: 0.3 + 10 * 0.055
    assert not tuning["leaves"]


def test_the_swap_test_counts_exchanges():
    """With all gains in ten queries equal, only one of 2 ** 10 exchanges is as good."""
    grid, values = values_of([[1.0, -1.0]] * 10)
    _, tuning = choose_weights(grid, values, np.ones(10), "mrr")
    assert 1 / 1000 <= tuning["p"] <= 8 / 1000  # the other way round is as good, too
    # The gains of both are the same: any exchange is as good.
    grid, values = values_of([[1.0, 1.0]] * 10)
    weights, tuning = choose_weights(grid, values, np.ones(10), "mrr")
    assert tuning["p"] == 1
    assert weights.tolist() == [1, 1]
    assert tuning["text"] == (
        "10 queries: equal weights stay; best 0.8, 1.2: mrr +1 held out, in sample "
        "+1 [+1, +1] over all weights; test that the runs are alike: p = 1"
    )


def test_weights_of_queries_are_those_of_means():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 11))
    weight = rng.random(20)
    _, tuning = choose_weights(candidate_weights(2), values, weight, "mrr")
    _, other = choose_weights(candidate_weights(2), values, weight * 8, "mrr")
    gains = values - values[:, :1]
    means = np.average(gains, axis=0, weights=weight)
    assert tuning["gain_in_sample"] == pytest.approx(means.max())
    rest = [
        np.average(np.delete(gains, q, 0), axis=0, weights=np.delete(weight, q)).argmax()
        for q in range(20)
    ]
    held_out = np.average(gains[range(20), rest], weights=weight)
    assert tuning["gain"] == pytest.approx(held_out)
    assert other["p"] == tuning["p"]
    assert other["low"] == pytest.approx(tuning["low"])


def test_learned_weights_need_ten_queries():
    X, y, groups = make_data(n_queries=9)
    model = RankFusion(weights="learned").fit(X, y, groups=groups)
    assert model.weights_.tolist() == [1, 1, 1]
    assert not model.tuning_["leaves"]
    assert np.isnan([model.tuning_[name] for name in ("gain", "low", "high", "p")]).all()
    assert model.tuning_["text"] == (
        "9 queries: to learn weights takes 10, so equal weights stay."
    )
    # Queries without a relevant row do not count.
    X, y, groups = make_data(n_queries=12)
    y[groups >= 9] = 0
    model = RankFusion(weights="learned").fit(X, y, groups=groups)
    assert model.tuning_["n_queries"] == 9
    assert not hasattr(model.set_params(weights=None).fit(X, groups=groups), "tuning_")


@pytest.mark.parametrize("n_runs", [1, 2, 3, 4, 5, 7])
@pytest.mark.parametrize("method", ["rrf", "comb_anz", "condorcet"])
def test_learned_weights_of_any_number_of_runs(method, n_runs):
    X, y, groups = make_data(n_queries=30)
    X = np.tile(X, 3)[:, :n_runs]
    model = RankFusion(method, weights="learned").fit(X, y, groups=groups)
    assert model.weights_.shape == model.tuning_["best"].shape == (n_runs,)
    assert 0.001 <= model.tuning_["p"] <= 1
    assert (type(model.tuning_["p"]), type(model.tuning_["leaves"])) == (float, bool)


def leaving_sets(quality, n_sets, seed, **options):
    """Return in how many sets of 42 queries the weights of two runs leave equal ones."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(42), 30)
    n_leaving = 0
    for _ in range(n_sets):
        y = rng.random(groups.shape) < 0.15
        y[::30] = True
        shift = np.repeat(rng.normal(0, 0.7, (42, 2)), 30, axis=0) + quality
        X = rng.normal(size=(len(y), 2)) + y[:, None] * shift
        order = rng.permutation(len(y))
        model = RankFusion(weights="learned", **options)
        model.fit(X[order], y[order], groups=groups[order])
        n_leaving += model.tuning_["leaves"]
    return n_leaving


@pytest.mark.slow
@pytest.mark.parametrize("convention", [None, "qdrant"])
def test_equal_weights_are_left_with_reason_only(convention):
    assert leaving_sets([1, 1], 120, 0, convention=convention) <= 12
    assert leaving_sets([1.5, 0.3], 30, 1, convention=convention) >= 20


def test_learned_weights_of_a_metric_that_is_better_if_low():
    X, y, groups = make_data()

    def first_grade(y_true, y_score):
        return y_true[np.argmax(y_score)]

    def first_miss(y_true, y_score):
        return 1 - first_grade(y_true, y_score)

    low = make_metric(first_miss, lower_is_better=True)
    high, low = (
        RankFusion("comb_sum", weights="learned", metric=metric).fit(X, y, groups=groups)
        for metric in (first_grade, low)
    )
    assert low.weights_.tolist() == high.weights_.tolist()
    assert low.tuning_["gain"] == pytest.approx(high.tuning_["gain"])
    assert low.tuning_["p"] == high.tuning_["p"]
    assert ": neg_first_miss +" in low.tuning_["text"]


def test_learned_weights_are_those_of_what_helps():
    X, y, groups = make_data()
    model = RankFusion("comb_sum", weights="learned").fit(X, y, groups=groups)
    assert model.weights_.sum() == 3
    assert model.tuning_["leaves"]
    assert "60 queries: equal weights replaced by " in model.tuning_["text"]
    assert model.weights_[0] > model.weights_[1] > model.weights_[2]
    X_new, y_new, groups_new = make_data(seed=1)
    equal = RankFusion("comb_sum").fit(X, groups=groups)
    learned, plain = (m.score(X_new, y_new, groups=groups_new) for m in (model, equal))
    assert learned > plain + 0.02
    fused = model.predict(X_new, groups=groups_new)
    assert learned == ndcg_score(y_new, fused, groups=groups_new)


# ---- runs that are best if small --------------------------------------------------------


def test_columns_named_like_distances_or_ranks():
    X, _, groups = make_data()
    rank = pd.Series(X[:, 0]).groupby(groups).rank(ascending=False)
    frame = pd.DataFrame({"q": groups, "bm25": X[:, 0], "distance": 3 - X[:, 2]})
    frame["distance"] -= frame["distance"].min()
    ranked = pd.DataFrame({"q": groups, "bm25": X[:, 0], "rank": rank})
    for table in (frame, ranked):
        name = table.columns[-1]
        with pytest.warns(MisleadingScoreWarning, match=f"Column '{name}' of X ranks the"):
            RankFusion(groups="q").fit(table)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            RankFusion(groups="q").fit(table.assign(**{name: -table[name]}))
            RankFusion(groups="q", values="ranks").fit(table)


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
UNWEIGHTED = [("method", method) for method in ("comb_max", "comb_min", "dbsf")]
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
    *(
        ({**options, "weights": weights}, X, "`weights` have no effect with")
        for options in (
            {"method": "comb_max"},
            {"method": "dbsf"},
            {"convention": "milvus"},
        )
        for weights in ([1, 1, 1], "learned")
    ),
    ({"convention": "vespa"}, X, "`convention` got 'vespa'"),
    ({"convention": "qdrant", "method": "borda"}, X, "is a formula of method='rrf'"),
    *(
        ({"convention": engine, "rrf_k": 30}, X, "has rrf_k=60, got 30; leave `rrf_k` out")
        for engine in ("weaviate", "mongodb")
    ),
    *(
        ({"convention": engine, "rrf_k": 0.5}, X, "`rrf_k` must be a number, 1 or more")
        for engine in ("qdrant", "chroma", "weaviate")
    ),
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
