"""Inverse propensities: the metrics against plain loops over all orders of tied rows.

A row of these references has (grade, propensity) where a grade stands in the others.
"""

from itertools import product
from math import inf, isnan, log2, nan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LinearRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GroupKFold, cross_validate

from sklearn_rank import metrics
from tests.metrics.reference import expected_over_ties, with_ties

# Among tiny inputs are those in which no query has a retrieved row.
pytestmark = pytest.mark.filterwarnings(
    "ignore:None of:sklearn_rank.exceptions.MisleadingScoreWarning"
)

SCORES = st.sampled_from([-inf, 0.0, 1.0, 2.0])
PROPENSITIES = st.sampled_from([1.0, 0.5, 0.25, 0.01])
ROWS = st.tuples(st.tuples(st.sampled_from([0, 0, 1, 3]), PROPENSITIES), SCORES)
QUERIES = st.lists(st.lists(ROWS, min_size=1, max_size=6), min_size=1, max_size=4)
CUTOFFS = st.sampled_from([1, 2, 3, 8, None])
CLIPS = st.sampled_from([None, 0.3])
NORMALIZED = st.booleans()


def weight(propensity, clip):
    return 1 / max(propensity, clip or 0)


def relevant_weights(rows, clip):
    return [weight(p, clip) for (grade, p), _ in rows if grade > 0]


def recall(rows, k, clip, self_normalized):
    every = relevant_weights(rows, clip)
    if not every:
        return nan
    top = [row for row in rows if row[1] > -inf][:k]
    divisor = sum(every) if self_normalized else len(every)
    return sum(relevant_weights(top, clip)) / divisor


def discounted(gains, k):
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:k], start=1))


def ndcg(rows, k, clip, self_normalized):
    if not relevant_weights(rows, clip):
        return nan
    found = [g * weight(p, clip) for (g, p), score in rows if score > -inf]
    if self_normalized:
        best = [g * weight(p, clip) for (g, p), _ in rows]
    else:
        best = [g for (g, _), _ in rows]
    return discounted(found, k) / discounted(sorted(best, reverse=True), k)


def weight_of_query(rows, clip):
    """Return the weight of the relevant row that comes first; of missed ones the mean."""
    found = relevant_weights([row for row in rows if row[1] > -inf], clip)
    every = relevant_weights(rows, clip)
    return found[0] if found else sum(every) / len(every)


def weighted_hit(rows, k, clip):
    top = [row for row in rows if row[1] > -inf][:k]
    return weight_of_query(rows, clip) if relevant_weights(top, clip) else 0.0


def flat(queries):
    labeled = [(n, row) for n, rows in enumerate(queries) for row in rows]
    return {
        "y_true": np.array([float(grade) for _, ((grade, _), _) in labeled]),
        "y_score": np.array([score for _, (_, score) in labeled]),
        "groups": np.array([label for label, _ in labeled]),
        "propensity": np.array([p for _, ((_, p), _) in labeled]),
    }


def columns_of(rows):
    return tuple(zip(*rows, strict=True))


@pytest.mark.parametrize(
    ("function", "reference"),
    [(metrics.ips_recall_at_k_score, recall), (metrics.ips_ndcg_score, ndcg)],
)
@pytest.mark.parametrize("ties", ["average", "first"])
@settings(max_examples=200, deadline=None)
@given(queries=QUERIES, k=CUTOFFS, clip=CLIPS, self_normalized=NORMALIZED)
def test_recall_and_ndcg(function, reference, ties, queries, k, clip, self_normalized):
    params = {"k": k, "clip": clip, "self_normalized": self_normalized}
    values = [with_ties(ties, reference, *columns_of(rows), **params) for rows in queries]
    defined = [value for value in values if not isnan(value)]
    assume(defined)
    kept = [rows for rows, v in zip(queries, values, strict=True) if not isnan(v)]
    actual = function(**flat(kept), ties=ties, **params)
    assert type(actual) is float
    assert actual == pytest.approx(np.mean(defined), rel=1e-12)


def has_relevant(rows):
    return any(grade > 0 for (grade, _), _ in rows)


@settings(max_examples=300, deadline=None)
@given(queries=QUERIES, k=CUTOFFS, clip=CLIPS, self_normalized=NORMALIZED)
def test_hit_rate(queries, k, clip, self_normalized):
    """Weights of queries sum over all of them, so the mean is a ratio of two sums."""
    kept = [rows for rows in queries if has_relevant(rows)]
    assume(kept)
    hits = [
        expected_over_ties(weighted_hit, *columns_of(rows), k=k, clip=clip) for rows in kept
    ]
    weights = [
        expected_over_ties(weight_of_query, *columns_of(rows), clip=clip) for rows in kept
    ]
    divisor = sum(weights) if self_normalized else len(kept)
    actual = metrics.ips_hit_rate_at_k_score(
        **flat(kept), k=k, clip=clip, self_normalized=self_normalized
    )
    assert type(actual) is float
    assert actual == pytest.approx(sum(hits) / divisor, rel=1e-12)


PLAIN = {
    "ips_recall_at_k_score": "recall_at_k_score",
    "ips_ndcg_score": "ndcg_score",
    "ips_hit_rate_at_k_score": "hit_rate_at_k_score",
}
EVERY = pytest.mark.parametrize("name", PLAIN)


def random_rows(seed):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(40), 8))
    y_true = rng.integers(0, 3, len(groups)).astype(float)
    y_true[np.unique(groups, return_index=True)[1]] = 1.0
    y_score = rng.integers(0, 4, len(groups)).astype(float)
    return {"y_true": y_true, "y_score": y_score, "groups": groups}


@EVERY
@pytest.mark.parametrize("propensity", [1.0, 0.2])
def test_equal_propensities_change_nothing(name, propensity):
    rows = random_rows(1)
    expected = getattr(metrics, PLAIN[name])(**rows, k=3)
    same = np.full(len(rows["groups"]), propensity)
    actual = getattr(metrics, name)(**rows, propensity=same, k=3)
    assert actual == pytest.approx(expected, rel=1e-12)


@EVERY
def test_propensities_of_irrelevant_rows_do_not_count(name):
    rows = random_rows(2)
    rng = np.random.default_rng(3)
    propensity = rng.uniform(0.1, 1, len(rows["groups"]))
    other = np.where(rows["y_true"] > 0, propensity, rng.uniform(0.1, 1, len(propensity)))
    function = getattr(metrics, name)
    expected = function(**rows, propensity=propensity, k=3)
    assert function(**rows, propensity=other, k=3) == pytest.approx(expected, rel=1e-13)


@EVERY
def test_a_grid_and_its_rows(name):
    rng = np.random.default_rng(4)
    y_true = rng.integers(0, 2, (15, 6)).astype(float)
    y_true[:, 0] = 1
    y_score, of_items = rng.random((15, 6)), rng.uniform(0.05, 1, 6)
    function = getattr(metrics, name)
    propensity = np.broadcast_to(of_items, y_true.shape)
    grid = function(y_true, y_score, propensity=propensity, k=2)
    rows = function(
        y_true.ravel(),
        y_score.ravel(),
        groups=np.repeat(np.arange(15), 6),
        propensity=propensity.ravel(),
        k=2,
    )
    assert grid == pytest.approx(rows, rel=1e-13)


@EVERY
@pytest.mark.parametrize("form", ["dense", "sparse truth", "sparse", "lists"])
def test_one_propensity_an_item(name, form):
    rng = np.random.default_rng(14)
    y_true = rng.integers(0, 3, (15, 40)).astype(float)
    y_true[:, 0] = 1
    y_score, of_items = rng.random((15, 40)), rng.uniform(0.05, 1, 40)
    truth = sparse.csr_array(y_true) if form.startswith("sparse") else y_true
    score = sparse.csr_array(y_score) if form == "sparse" else y_score
    if form == "lists":
        truth, score, of_items = y_true.tolist(), y_score.tolist(), of_items.tolist()
    function = getattr(metrics, name)
    for params in ({"k": 2}, {"k": None}, {"k": 5, "ties": "first"}, {"clip": 0.2}):
        of_cells = np.tile(of_items, (15, 1))
        expected = function(y_true, y_score, propensity=of_cells, **params)
        assert function(truth, score, propensity=of_items, **params) == expected
        view = np.broadcast_to(of_items, y_true.shape)
        assert function(truth, score, propensity=view, **params) == expected


@EVERY
def test_one_propensity_an_item_of_a_matrix_that_fits_no_memory(name):
    n_queries, n_items = 40_000, 2_000_000
    rows, columns = np.arange(n_queries), np.arange(n_queries) * 7 + n_items // 2
    cells = sparse.csr_array(
        (np.ones(n_queries), (rows, columns)), shape=(n_queries, n_items)
    )
    propensity = np.full(n_items, 0.25)
    assert getattr(metrics, name)(cells, cells, propensity=propensity, k=3) == 1
    view = np.broadcast_to(propensity, cells.shape)
    assert getattr(metrics, name)(cells, cells, propensity=view, k=3) == 1


@EVERY
def test_propensities_of_another_shape_than_the_grid(name):
    grid = {"y_true": np.ones((2, 3)), "y_score": np.ones((2, 3))}
    message = (
        r"shape \(2,\).*one value per item, shape \(3,\), or one per cell, shape \(2, 3\)"
    )
    with pytest.raises(ValueError, match=message):
        getattr(metrics, name)(**grid, propensity=[0.5, 0.5])
    with pytest.raises(TypeError, match=r"`propensity` must be dense.*one for each item"):
        getattr(metrics, name)(**grid, propensity=sparse.csr_array(np.ones((2, 3))))
    with pytest.raises(ValueError, match=r"first at 1 \(2\.0\)"):
        getattr(metrics, name)(**grid, propensity=[0.5, 2, 0.5])
    column = {"y_true": [[1], [0], [1]], "y_score": [[3], [2], [1]], "groups": [0, 0, 0]}
    with pytest.raises(ValueError, match=r"shape \(1,\).*one value per row"):
        getattr(metrics, name)(**column, propensity=[0.5])
    assert getattr(metrics, name)(**column, propensity=[0.5] * 3, k=None) > 0.5


@EVERY
@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-200])
def test_an_inverse_too_large_to_be_added(name, tiny):
    rows = {"y_true": [1, 1, 0], "y_score": [3.0, 2.0, 1.0], "groups": [0, 0, 0]}
    function = getattr(metrics, name)
    with pytest.raises(ValueError, match=rf"`propensity` has the value {tiny}.*`clip`"):
        function(**rows, propensity=[tiny, tiny, 1])
    clipped = function(**rows, propensity=[tiny, tiny, 1], clip=0.01, k=1)
    assert clipped == function(**rows, propensity=[0.01, 0.01, 1], k=1)
    irrelevant = function(**rows, propensity=[0.5, 0.5, tiny], k=1)
    assert irrelevant == function(**rows, propensity=[0.5, 0.5, 1], k=1)


@pytest.mark.filterwarnings("ignore:All values of y_true are between 0 and 1")
@pytest.mark.parametrize("name", ["ips_recall_at_k_score", "ips_ndcg_score"])
def test_no_rounding_lifts_a_normalized_value_above_one(name):
    rng = np.random.default_rng(15)
    for _ in range(100):
        y_true, propensity = rng.random(30), rng.uniform(0.01, 1, 30)
        y_score = -np.arange(30) if rng.random() < 0.5 else rng.integers(0, 3, 30)
        rows = {"y_true": y_true, "y_score": y_score, "groups": [0] * 30}
        assert getattr(metrics, name)(**rows, propensity=propensity, k=None) <= 1


@EVERY
def test_weight_zero_is_left_out_and_weight_two_is_twice(name):
    rows = random_rows(5)
    rows["propensity"] = np.random.default_rng(6).uniform(0.1, 1, len(rows["groups"]))
    weights = rows["groups"] % 3
    row_numbers = np.repeat(np.arange(len(weights)), weights)
    copy = np.concatenate([np.arange(weight) for weight in weights])
    repeated = {key: column[row_numbers] for key, column in rows.items()}
    repeated["groups"] = repeated["groups"] * 10 + copy
    function = getattr(metrics, name)
    weighted = function(**rows, k=3, sample_weight=weights.astype(float))
    assert weighted == pytest.approx(function(**repeated, k=3), rel=1e-12)


@EVERY
@pytest.mark.parametrize("bad", [0.0, -0.1, 1.5, nan, inf])
def test_propensities_are_above_zero_and_up_to_one(name, bad):
    rows = {"y_true": [1, 0], "y_score": [2.0, 1.0], "groups": [0, 0]}
    with pytest.raises(ValueError, match="propensity"):
        getattr(metrics, name)(**rows, propensity=[bad, 0.5])


@EVERY
@pytest.mark.parametrize("bad", [[0.5], [0.5, 0.5, 0.5], [[0.5, 0.5]], "ab", None])
def test_one_propensity_a_row(name, bad):
    rows = {"y_true": [1, 0], "y_score": [2.0, 1.0], "groups": [0, 0]}
    with pytest.raises((TypeError, ValueError), match="propensity"):
        getattr(metrics, name)(**rows, propensity=bad)


@EVERY
@pytest.mark.parametrize("bad", [0, -1, 1.5, nan, "0.1"])
def test_clip_is_above_zero_and_up_to_one(name, bad):
    rows = {"y_true": [1, 0], "y_score": [2.0, 1.0], "groups": [0, 0]}
    with pytest.raises((TypeError, ValueError), match="clip"):
        getattr(metrics, name)(**rows, propensity=[0.5, 0.5], clip=bad)


# ---- what it is for --------------------------------------------------------------------


def test_the_weighted_hits_of_all_logs_are_the_true_hits():
    """Over all 2**5 logs of five relevant items, each as likely as its propensities say."""
    propensity = np.array([0.9, 0.5, 0.8, 0.2, 0.1, 1.0])
    y_score, k = np.array([6.0, 3, 5, 2, 4, 1]), 3
    expected = 0.0
    for log in product([0, 1], repeat=5):
        chance = np.prod(np.where(log, propensity[:5], 1 - propensity[:5]))
        score = metrics.ips_recall_at_k_score(
            [*log, 0],
            y_score,
            groups=[0] * 6,
            propensity=propensity,
            k=k,
            self_normalized=False,
            replace_undefined_by=0.0,
        )
        expected += chance * score * sum(log)
    assert expected == pytest.approx(3)


@pytest.mark.parametrize("self_normalized", [True, False])
def test_a_log_of_what_is_popular_is_set_right(self_normalized):
    """Each user likes one item; found are the popular ones, which are logged most."""
    rng = np.random.default_rng(0)
    n_users, n_items = 20_000, 20
    propensity = np.linspace(0.9, 0.05, n_items)
    liked = rng.integers(n_items, size=n_users)
    logged = rng.random(n_users) < propensity[liked]
    y_true = np.eye(n_items)[liked]
    y_score = np.tile(-np.arange(float(n_items)), (n_users, 1))
    true = metrics.hit_rate_at_k_score(y_true, y_score, k=5)
    naive = metrics.hit_rate_at_k_score(y_true[logged], y_score[logged], k=5)
    weighted = metrics.ips_hit_rate_at_k_score(
        y_true[logged],
        y_score[logged],
        propensity=np.broadcast_to(propensity, y_true[logged].shape),
        k=5,
        self_normalized=self_normalized,
    )
    if not self_normalized:  # the sum of weights over all users, known here
        weighted *= logged.sum() / n_users
    assert naive > true + 0.1
    assert abs(weighted - true) < 0.02


@EVERY
def test_sparse_scores(name):
    rng = np.random.default_rng(8)
    y_true = rng.integers(0, 3, (12, 7)).astype(float)
    y_true[:, 2] = 1
    stored = rng.random((12, 7)) < 0.6
    y_score = np.where(stored, rng.random((12, 7)), 0)
    propensity = rng.uniform(0.1, 1, (12, 7))
    function = getattr(metrics, name)
    dense = function(y_true, np.where(stored, y_score, -np.inf), propensity=propensity, k=3)
    for truth in (y_true, sparse.csr_array(y_true)):
        actual = function(truth, sparse.csr_array(y_score), propensity=propensity, k=3)
        assert actual == pytest.approx(dense, rel=1e-13)


@EVERY
def test_undefined_queries(name):
    rows = {
        "y_true": [1, 0, 0, 0, 1, 0],
        "y_score": [2.0, 1, 2, 1, 2, 1],
        "groups": [*"aabbcc"],
        "propensity": [0.5, 1, 1, 1, 0.1, 1],
    }
    function = getattr(metrics, name)
    with pytest.warns(UndefinedMetricWarning, match="1 of 3"):
        assert function(**rows, k=1) == pytest.approx(1)
    # A query without relevant items has no weight in a ratio of sums.
    is_ratio = name == "ips_hit_rate_at_k_score"
    expected = pytest.approx(1 if is_ratio else 2 / 3)
    assert function(**rows, k=1, replace_undefined_by=0.0) == expected


@EVERY
def test_it_has_a_name_in_strings(name):
    rows = {"y_true": [1, 0, 1, 0], "y_score": [2, 1, 1, 2], "groups": [*"aabb"]}
    propensity = [0.5, 1, 0.25, 1]
    function = getattr(metrics, name)
    named = function.metric.name + "@1"
    found = metrics.ranking_scores(**rows, metrics=[named, "mrr"], propensity=propensity)
    assert found[named] == function(**rows, propensity=propensity, k=1)
    with pytest.raises(ValueError, match="`propensity` is needed"):
        metrics.ranking_scores(**rows, metrics=[named])
    with pytest.raises(TypeError, match=r"'propensities'\. Write propensity="):
        metrics.ranking_scores(**rows, metrics=[named], propensities=propensity)


@EVERY
@pytest.mark.parametrize("bad", [None, "yes", 2])
def test_self_normalized_is_a_boolean(name, bad):
    rows = {"y_true": [1, 0], "y_score": [2.0, 1.0], "groups": [0, 0]}
    with pytest.raises(ValueError, match="self_normalized"):
        getattr(metrics, name)(**rows, propensity=[0.5, 0.5], self_normalized=bad)


@EVERY
def test_a_scorer_of_scikit_learn_carries_the_propensities(name):
    rows = random_rows(9)
    propensity = np.random.default_rng(10).uniform(0.1, 1, len(rows["groups"]))
    X = np.c_[rows["y_score"], propensity]
    folds = list(GroupKFold(3).split(X, groups=rows["groups"]))
    function = getattr(metrics, name)
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(function, k=3)
        scorer.set_score_request(groups=True, propensity=True)
        scored = cross_validate(
            LinearRegression(),
            X,
            rows["y_true"],
            scoring=scorer,
            cv=folds,
            params={"groups": rows["groups"], "propensity": propensity},
        )
    for score, (train, test) in zip(scored["test_score"], folds, strict=True):
        model = LinearRegression().fit(X[train], rows["y_true"][train])
        of_fold = {"groups": rows["groups"][test], "propensity": propensity[test]}
        assert score == function(
            rows["y_true"][test], model.predict(X[test]), **of_fold, k=3
        )
