"""Laws that every registered metric obeys; the exceptions are listed by name and reason."""

from datetime import date, timedelta
from inspect import Parameter, signature
from math import isnan, nan

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    per_query_scores,
    precision_recall_at_k_curve,
    ranking_scores,
)
from tests.metrics.reference import REFERENCES, first_order
from tests.metrics.registered import (
    BLIND_TO_ORDER,
    COUNT_ROWS_NOT_RETRIEVED,
    DEFAULTS,
    METRICS,
    NOT_ZERO_FOR_NOTHING,
    ONE_WHEN_PERFECT,
    OTHER_UNDEFINED,
    RATIOS,
)


def every_metric_except(names):
    return pytest.mark.parametrize("name", sorted(set(METRICS) - set(names)))


every_metric = every_metric_except(())
TIES = ["average", "worst", "best", "first"]

N_QUERIES, N_ITEMS = 12, 9
LENGTHS = [3, 9, 5, 4, 9, 7, 6, 3, 8, 5, 4, 9]


def score(name, data, **params):
    """Return the metric at k = 3 with a fixed top grade, so that data can be taken away."""
    metric = METRICS[name]
    if metric.takes_k:
        params = {"k": 3} | params
    if "max_grade" in signature(metric.function).parameters:
        params = {"max_grade": 4} | params
    return metric.function(**data, **params)


def flat(y_true, y_score, groups):
    return {"y_true": y_true, "y_score": y_score, "groups": groups}


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(20)


@pytest.fixture(scope="module")
def grid():
    """Grades and scores, one row per query, with ties and rows that were not retrieved.

    The first two items of a query are relevant and irrelevant: every metric is defined.
    """
    rng = np.random.default_rng(7)
    y_true = rng.choice([0.0, 0.0, 1.0, 2.0, 4.0], size=(N_QUERIES, N_ITEMS))
    y_true[:, 0], y_true[:, 1] = 2.0, 0.0
    y_score = rng.choice([-1.5, 0.0, 0.25, 3.0], size=(N_QUERIES, N_ITEMS))
    y_score[rng.random(y_score.shape) < 0.15] = -np.inf
    return y_true, y_score


@pytest.fixture(scope="module")
def data(grid):
    """Ragged queries in flat form, rows shuffled."""
    kept = np.arange(N_ITEMS) < np.array(LENGTHS)[:, None]
    groups = np.broadcast_to(np.arange(N_QUERIES)[:, None], kept.shape)[kept]
    order = np.random.default_rng(3).permutation(len(groups))
    columns = flat(grid[0][kept][order], grid[1][kept][order], groups[order])
    for column in columns.values():
        column.flags.writeable = False
    return columns


# ---- the order of rows and the names of queries ----------------------------------------


@every_metric
@pytest.mark.parametrize("ties", ["average", "worst", "best"])
def test_row_order_is_irrelevant(name, ties, data, rng):
    expected = score(name, data, ties=ties)
    for _ in range(5):
        order = rng.permutation(len(data["groups"]))
        shuffled = {key: column[order] for key, column in data.items()}
        assert score(name, shuffled, ties=ties) == pytest.approx(expected, rel=1e-13)


@every_metric
def test_first_keeps_the_order_of_rows_within_a_query(name, data, rng):
    """Rows of one query may be spread among those of others."""
    order = np.argsort(data["groups"], kind="stable")
    together = {key: column[order] for key, column in data.items()}
    assert score(name, data, ties="first") == pytest.approx(
        score(name, together, ties="first"), rel=1e-13
    )


def categorical(codes):
    return pd.Categorical([f"q{code}" for code in codes])


RELABELLED = {
    "negative": lambda codes: -5 - codes,
    "uint8": lambda codes: codes.astype(np.uint8),
    "int64 beyond float": lambda codes: codes + 2**60,
    "float": lambda codes: codes / 7,
    "list of str": lambda codes: [f"q{code}" for code in codes],
    "numpy str": lambda codes: codes.astype(str),
    "bytes": lambda codes: codes.astype("S3"),
    "object str": lambda codes: np.array([f"q{c}" for c in codes], dtype=object),
    "mixed": lambda codes: [int(c) if c % 2 else f"q{c}" for c in codes],
    "tuple": lambda codes: [("fold", int(c)) for c in codes],
    "date": lambda codes: [date(2024, 1, 1) + timedelta(days=int(c)) for c in codes],
    "datetime64": lambda codes: np.datetime64("2024-01-01") + codes,
    "pandas int": pd.Series,
    "pandas str": lambda codes: pd.Series([f"q{code}" for code in codes]),
    "pandas Int64": lambda codes: pd.Series(codes, dtype="Int64"),
    "pandas categorical": categorical,
    "pandas categorical series": lambda codes: pd.Series(categorical(codes)),
    "pandas index": lambda codes: pd.Index([f"q{code}" for code in codes]),
    "polars int": lambda codes: pl.Series(codes),
    "polars str": lambda codes: pl.Series([f"q{code}" for code in codes]),
    "polars categorical": lambda codes: pl.Series(
        [f"q{code}" for code in codes], dtype=pl.Categorical
    ),
    "column": lambda codes: codes[:, None],
}


@every_metric
@pytest.mark.parametrize("relabel", RELABELLED.values(), ids=RELABELLED.keys())
def test_labels_of_queries_are_only_labels(name, relabel, data):
    relabeled = data | {"groups": relabel(data["groups"])}
    assert score(name, relabeled) == pytest.approx(score(name, data), rel=1e-13)


# ---- forms of input --------------------------------------------------------------------


def as_item_lists(y_true, y_score):
    """Return a grid without ties as true grades and ranked lists per user."""
    truth = [dict(enumerate(grades)) for grades in y_true]
    lists = [
        [item for item in np.argsort(-scores).tolist() if scores[item] > -np.inf]
        for scores in y_score
    ]
    return truth, lists


@pytest.fixture(scope="module")
def grid_without_ties(grid):
    y_true, y_score = grid
    distinct = np.random.default_rng(1).permuted(
        np.tile(np.arange(1.0, N_ITEMS + 1), (N_QUERIES, 1)), axis=1
    )
    return y_true, np.where(y_score == -np.inf, -np.inf, distinct)


def as_flat(y_true, y_score):
    groups = np.repeat(np.arange(len(y_true)), y_true.shape[1])
    return flat(y_true.ravel(), y_score.ravel(), groups)


def as_sparse_scores(y_score):
    kept = y_score > -np.inf
    return sparse.csr_array(
        (y_score[kept], np.nonzero(kept)[1], np.r_[0, kept.sum(axis=1).cumsum()]),
        shape=y_score.shape,
    )


GRID_FORMS = {
    "dense": lambda t, s: (t, s),
    "lists": lambda t, s: (t.tolist(), s.tolist()),
    "Fortran order": lambda t, s: (np.asfortranarray(t), np.asfortranarray(s)),
    "DataFrame": lambda t, s: (pd.DataFrame(t), pd.DataFrame(s)),
    "polars": lambda t, s: (pl.DataFrame(t), pl.DataFrame(s)),
    "CSR truth": lambda t, s: (sparse.csr_array(t), s),
    "CSR matrix truth": lambda t, s: (sparse.csr_matrix(t), s),
    "CSR scores": lambda t, s: (t, as_sparse_scores(s)),
    "CSR both": lambda t, s: (sparse.csr_array(t), as_sparse_scores(s)),
}


@every_metric
@pytest.mark.parametrize("form", GRID_FORMS.values(), ids=GRID_FORMS.keys())
def test_flat_equals_grid(name, form, grid):
    y_true, y_score = form(*grid)
    actual = score(name, {"y_true": y_true, "y_score": y_score})
    assert actual == pytest.approx(score(name, as_flat(*grid)), rel=1e-13)


def test_zero_stored_in_sparse_scores_was_retrieved():
    y_true = np.array([[1.0, 0.0]])
    scores = sparse.csr_array((np.array([0.0]), ([0], [0])), shape=(1, 2))
    data = {"y_true": y_true, "y_score": scores}
    assert METRICS["recall"].function(**data, k=1) == 1.0


@every_metric_except(COUNT_ROWS_NOT_RETRIEVED)
def test_item_lists_equal_the_grid(name, grid_without_ties):
    truth, lists = as_item_lists(*grid_without_ties)
    expected = score(name, as_flat(*grid_without_ties))
    assert score(name, from_item_lists(truth, lists)) == pytest.approx(expected, rel=1e-13)


FLAT_FORMS = {
    "lists": lambda column: column.tolist(),
    "float32": lambda column: column.astype(np.float32),
    "view with steps": lambda column: np.repeat(column, 2)[::2],
    "pandas": lambda column: pd.Series(column, index=np.arange(len(column))[::-1]),
    "pandas float32": lambda column: pd.Series(column, dtype="float32"),
    "polars": lambda column: pl.Series(column),
    "one column": lambda column: column[:, None],
    "DataFrame of one column": lambda column: pd.DataFrame({"value": column}),
}


@every_metric
@pytest.mark.parametrize("form", FLAT_FORMS.values(), ids=FLAT_FORMS.keys())
def test_containers_of_flat_input(name, form, data):
    other = flat(form(data["y_true"]), form(data["y_score"]), data["groups"])
    assert score(name, other) == pytest.approx(score(name, data), rel=1e-13)


@every_metric
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, "object"])
def test_types_of_grades(name, dtype, data):
    binary = (data["y_true"] > 0).astype(float)
    other = data | {"y_true": binary.astype(dtype)}
    assert score(name, other) == score(name, data | {"y_true": binary})


@every_metric
def test_inputs_are_not_modified(name, data):
    copies = {key: column.copy() for key, column in data.items()}
    weights = np.ones(len(data["groups"]))
    score(name, copies, sample_weight=weights)
    for key, column in data.items():
        np.testing.assert_array_equal(copies[key], column)
    assert (weights == 1).all()


@every_metric
def test_sparse_inputs_are_not_modified(name, grid):
    y_true, y_score = sparse.csr_array(grid[0]), as_sparse_scores(grid[1])
    before = y_true.copy(), y_score.copy()
    score(name, {"y_true": y_true, "y_score": y_score})
    for now, then in zip((y_true, y_score), before, strict=True):
        np.testing.assert_array_equal(now.data, then.data)
        np.testing.assert_array_equal(now.indices, then.indices)
        np.testing.assert_array_equal(now.indptr, then.indptr)


@every_metric
def test_returns_a_python_float(name, data, grid):
    assert type(score(name, data)) is float
    assert type(score(name, {"y_true": grid[0], "y_score": grid[1]})) is float
    undefined = flat([0.0], [1.0], [1]) | {"replace_undefined_by": 0}
    assert type(score(name, undefined)) is float


# ---- scores count by their order only --------------------------------------------------

RISING = {
    "affine": lambda s: 3 * s - 17,
    "cubed": lambda s: s**3,
    "exp": lambda s: np.where(s == -np.inf, s, np.exp(s)),
    "tiny": lambda s: s * 1e-300,
    "huge": lambda s: s * 1e300,
    "neighbors": lambda s: np.where(s == -np.inf, s, neighbors_of_one(s)),
    "subnormal": lambda s: np.where(s == -np.inf, s, place_of(s) * 5e-324),
}


def place_of(scores):
    return np.searchsorted(np.unique(scores), scores).astype(float)


def neighbors_of_one(scores):
    """Return 1 + n spacings of float64: one and the same number in float32."""
    return 1 + place_of(scores) * np.spacing(1.0)


@every_metric
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("rise", RISING.values(), ids=RISING.keys())
def test_only_the_order_of_scores_counts(name, rise, ties, data):
    other = data | {"y_score": rise(data["y_score"])}
    assert score(name, other, ties=ties) == score(name, data, ties=ties)


@every_metric
def test_negative_zero_ties_with_zero(name, data):
    zeros = np.where(data["y_score"] == -np.inf, -np.inf, 0.0)
    signed = np.where(np.arange(len(zeros)) % 2 == 0, zeros, -zeros)
    signed = np.where(zeros == -np.inf, -np.inf, signed)
    assert score(name, data | {"y_score": signed}) == score(name, data | {"y_score": zeros})


def test_integer_scores_beyond_float_are_told_apart():
    y_score = np.array([2**60 + 1, 2**60, 2**60 - 1])
    data = flat([0, 1, 0], y_score, [0, 0, 0])
    assert METRICS["mrr"].function(**data) == 1 / 2


# ---- what is good ----------------------------------------------------------------------


def better_or_equal(name, one, other):
    sign = -1 if METRICS[name].lower_is_better else 1
    return sign * one >= sign * other - 1e-12


@every_metric
def test_no_order_is_better_than_the_perfect_one(name, data, rng):
    perfect = score(name, data | {"y_score": data["y_true"]}, ties="first")
    for _ in range(20):
        scores = rng.permutation(len(data["groups"])).astype(float)
        assert better_or_equal(name, perfect, score(name, data | {"y_score": scores}))


@every_metric
def test_direction_of_the_metric(name, data):
    perfect = score(name, data | {"y_score": data["y_true"]})
    reversed_ = score(name, data | {"y_score": -data["y_true"]})
    if name in BLIND_TO_ORDER:
        assert perfect == reversed_
    elif METRICS[name].lower_is_better:
        assert perfect < reversed_
    else:
        assert perfect > reversed_


@pytest.mark.parametrize("name", sorted(ONE_WHEN_PERFECT))
def test_the_perfect_order_scores_one(name, data):
    assert score(name, data | {"y_score": data["y_true"]}) == pytest.approx(1, rel=1e-13)


@every_metric
@pytest.mark.parametrize("k", [1, 3])
def test_worst_average_best(name, k, data):
    params = {"k": k} if METRICS[name].takes_k else {}
    worst, average, best = (
        score(name, data, ties=ties, **params) for ties in ("worst", "average", "best")
    )
    assert better_or_equal(name, average, worst)
    assert better_or_equal(name, best, average)


@every_metric_except(BLIND_TO_ORDER)
def test_the_order_of_tied_rows_can_matter(name, data):
    params = {"k": 1} if METRICS[name].takes_k else {}
    assert score(name, data, ties="worst", **params) != score(
        name, data, ties="best", **params
    )


@every_metric
def test_a_constant_scorer_gains_nothing_from_row_order(name, data):
    constant = data | {"y_score": np.zeros(len(data["groups"]))}
    best_first = np.argsort(-data["y_true"], kind="stable")
    worst_first = best_first[::-1]
    scores = [
        score(name, {key: column[order] for key, column in constant.items()})
        for order in (best_first, worst_first)
    ]
    assert scores[0] == pytest.approx(scores[1], rel=1e-13)
    if name not in BLIND_TO_ORDER:
        perfect = score(name, constant | {"y_score": data["y_true"]})
        assert better_or_equal(name, perfect, scores[0])
        assert perfect != pytest.approx(scores[0])


@every_metric
def test_a_constant_scorer_scores_the_mean_of_random_orders(name, rng):
    """Over many copies of one query, random scores come near the expectation."""
    n_copies, grades = 4000, np.array([2.0, 0, 1, 0, 0, 4])
    y_true = np.tile(grades, n_copies)
    groups = np.repeat(np.arange(n_copies), len(grades))
    constant = score(name, flat(grades, np.zeros(len(grades)), groups[: len(grades)]))
    strict = score(name, flat(y_true, rng.random(len(groups)), groups))
    assert strict == pytest.approx(constant, abs=0.06 * max(1.0, abs(constant)))


@every_metric_except(NOT_ZERO_FOR_NOTHING)
@pytest.mark.filterwarnings("ignore:None of:sklearn_rank.exceptions.MisleadingScoreWarning")
def test_nothing_retrieved_scores_zero(name, data):
    nothing = data | {"y_score": np.full(len(data["groups"]), -np.inf)}
    assert score(name, nothing) == 0.0


# ---- weights ---------------------------------------------------------------------------


@every_metric
def test_weight_zero_is_left_out_and_weight_two_is_twice(name, data):
    weight_of_query = np.arange(N_QUERIES) % 3
    weights = weight_of_query[data["groups"]]
    in_data = np.repeat(np.arange(len(weights)), weights)
    copy = np.concatenate([np.arange(weight) for weight in weights])
    repeated = {key: column[in_data] for key, column in data.items()}
    repeated["groups"] = repeated["groups"] * 10 + copy
    weighted = score(name, data, sample_weight=weights.astype(float))
    assert weighted == pytest.approx(score(name, repeated), rel=1e-12)


@every_metric
def test_weights_of_a_grid_are_one_a_query(name, grid, rng):
    weights = rng.random(N_QUERIES)
    of_grid = score(name, {"y_true": grid[0], "y_score": grid[1]}, sample_weight=weights)
    rows = np.repeat(weights, N_ITEMS)
    of_rows = score(name, as_flat(*grid), sample_weight=rows)
    assert of_grid == pytest.approx(of_rows, rel=1e-13)


@every_metric
def test_equal_weights_change_nothing(name, data):
    weights = np.full(len(data["groups"]), 0.3)
    expected = score(name, data)
    assert score(name, data, sample_weight=weights) == pytest.approx(expected, rel=1e-13)


def test_an_undefined_query_of_weight_zero_is_not_warned_about():
    data = flat([1, 0, 0], [2, 1, 1], [0, 0, 1])
    weights = [1.0, 1.0, 0.0]
    assert METRICS["ndcg"].function(**data, sample_weight=weights) == 1.0


# ---- undefined queries -----------------------------------------------------------------


@every_metric_except(OTHER_UNDEFINED | RATIOS)
def test_a_query_without_relevant_rows_is_undefined(name, data):
    n_rows = 4
    empty = flat(np.zeros(n_rows), np.arange(n_rows, dtype=float), np.full(n_rows, 99))
    both = {key: np.concatenate([data[key], empty[key]]) for key in data}
    defined = score(name, data)
    with pytest.warns(UndefinedMetricWarning, match="1 of 13") as caught:
        assert score(name, both) == pytest.approx(defined, rel=1e-13)
    assert len(caught) == 1
    as_zero = score(name, both, replace_undefined_by=0.0)
    assert as_zero == pytest.approx(defined * N_QUERIES / (N_QUERIES + 1), rel=1e-13)
    as_one = score(name, both, replace_undefined_by=1.0)
    assert as_one == pytest.approx((defined * N_QUERIES + 1) / (N_QUERIES + 1), rel=1e-13)
    with pytest.warns(UndefinedMetricWarning):
        assert isnan(score(name, empty))


@pytest.mark.parametrize("name", ["cg", "dcg"])
def test_sums_of_gains_are_zero_without_relevant_rows(name):
    assert score(name, flat([0, 0], [1, 2], [0, 0])) == 0.0


def test_accuracy_is_defined_without_relevant_rows():
    assert score("accuracy", flat([0, 0, 0, 0], [1, 2, 3, 4], [0] * 4), k=1) == 3 / 4


def test_fallout_is_undefined_without_irrelevant_rows():
    assert score("fallout", flat([0, 0], [1, 2], [0, 0]), k=1) == 1 / 2
    with pytest.warns(UndefinedMetricWarning):
        assert isnan(score("fallout", flat([1, 1], [1, 2], [0, 0])))


@pytest.mark.parametrize("grades", [[0, 0], [1, 1]])
def test_auc_needs_both_kinds_of_rows(grades):
    with pytest.warns(UndefinedMetricWarning):
        assert isnan(score("auc", flat(grades, [1, 2], [0, 0])))


def test_judged_is_always_defined():
    assert score("judged", flat([nan, nan], [1, 2], [0, 0]), k=2) == 0.0
    assert score("judged", flat([nan, 0], [1, 2], [0, 0]), k=2) == 1 / 2


# ---- several at once -------------------------------------------------------------------


def spelled(name):
    inside = "(n_items=None)" if name == "accuracy" else ""
    if "max_grade" in signature(METRICS[name].function).parameters:
        inside = "(max_grade=4)"
    return f"{name}{inside}@3" if METRICS[name].takes_k else f"{name}{inside}"


@pytest.mark.parametrize("ties", TIES)
def test_many_metrics_at_once_equal_each_alone(ties, data):
    names = {spelled(name): name for name in METRICS}
    together = ranking_scores(**data, metrics=list(names), ties=ties)
    assert list(together) == list(names)
    for metric, name in names.items():
        assert together[metric] == score(name, data, ties=ties)
        assert type(together[metric]) is float


@every_metric_except(RATIOS)
def test_the_score_is_the_mean_of_the_queries(name, data, rng):
    weight_of_query = rng.random(N_QUERIES)
    each = per_query_scores(**data, metrics=[spelled(name)])
    assert list(each.groups) == list(range(N_QUERIES))
    (values,) = each.scores.values()
    assert score(name, data) == pytest.approx(values.mean(), rel=1e-12)
    weighted = score(name, data, sample_weight=weight_of_query[data["groups"]])
    expected = np.average(values, weights=weight_of_query)
    assert weighted == pytest.approx(expected, rel=1e-12)


@every_metric
def test_queries_do_not_know_of_each_other(name, data):
    (together,) = per_query_scores(**data, metrics=[spelled(name)]).scores.values()
    for query in range(N_QUERIES):
        alone = {key: column[data["groups"] == query] for key, column in data.items()}
        assert score(name, alone) == pytest.approx(together[query], rel=1e-12)


def test_the_curve_is_precision_and_recall_at_each_k(data, rng):
    weights = rng.random(N_QUERIES)[data["groups"]]
    arguments = {"sample_weight": weights, "ties": "worst", "min_relevance": 2}
    curve = precision_recall_at_k_curve(**data, max_k=11, **arguments)
    precision, recall, k = curve
    assert k.tolist() == list(range(1, 12))
    for name, values in [("precision", precision), ("recall", recall)]:
        each = [METRICS[name].function(**data, k=cut, **arguments) for cut in k.tolist()]
        assert values == pytest.approx(each, rel=1e-12)


def test_the_curve_ends_where_the_longest_list_does(data):
    retrieved = data["groups"][data["y_score"] > -np.inf]
    longest = np.bincount(retrieved).max()
    precision, recall, k = precision_recall_at_k_curve(**data)
    assert len(precision) == len(recall) == len(k) == k[-1] == longest


def test_the_curve_below_the_end_of_every_list(data):
    longest = np.bincount(data["groups"][data["y_score"] > -np.inf]).max()
    precision, recall, k = precision_recall_at_k_curve(**data, max_k=100_000)
    below = slice(longest - 1, None)
    assert precision[below] * k[below] == pytest.approx(precision[longest - 1] * longest)
    assert (recall[below] == recall[-1]).all()
    assert len(precision) == len(recall) == len(k) == k[-1] == 100_000
    for max_k in (1_000_001, 10**9, 2**53):
        with pytest.raises(ValueError, match=rf"`max_k` is {max_k}, .*has {longest} rows"):
            precision_recall_at_k_curve(**data, max_k=max_k)


def test_the_curve_of_a_list_longer_than_what_may_lie_below_one(data):
    y_score = np.arange(1_000_002.0)[None]
    y_true = sparse.csr_array(([1.0], ([0], [1])), shape=y_score.shape)
    precision, recall, k = precision_recall_at_k_curve(y_true, y_score, max_k=1_000_001)
    assert (k[-1], recall[-1], recall[-2]) == (1_000_001, 1.0, 0.0)
    assert precision[-1] == 1 / 1_000_001


def test_the_curve_leaves_undefined_queries_out(data):
    """Precision too, so that both means are over the same queries."""
    empty = flat(np.zeros(2), np.arange(2.0), np.full(2, 99))
    both = {key: np.concatenate([data[key], empty[key]]) for key in data}
    precision, recall, _ = precision_recall_at_k_curve(**data, max_k=5)
    with pytest.warns(UndefinedMetricWarning, match="1 of 13") as caught:
        curve = precision_recall_at_k_curve(**both, max_k=5)
    assert len(caught) == 1
    assert curve[0] == pytest.approx(precision, rel=1e-12)
    assert curve[1] == pytest.approx(recall, rel=1e-12)
    zeros = precision_recall_at_k_curve(**both, max_k=5, replace_undefined_by=0.0)
    assert zeros[0] == pytest.approx(precision * 12 / 13, rel=1e-12)
    assert zeros[1] == pytest.approx(recall * 12 / 13, rel=1e-12)


# ---- data of real size -----------------------------------------------------------------

SHAPES = {
    "one query": (1, 60_000),
    "two rows per query": (30_000, 2),
    "ragged": (700, 90),
    "one row per query": (20_000, 1),
}


def awkward_numbers(rng, size):
    """Return numbers that single precision cannot tell apart, and the ends of the range."""
    near = np.array([1.0, -1.0, 0.1, 1e-3, 7e5])
    near = near[:, None] + np.spacing(near)[:, None] * np.arange(40)
    ends = np.array([5e-324, 1e-323, 2e-308, 1e308, 1.7e308, 0.0, 1e-45, 3.4e38, 3.5e38])
    return rng.choice(np.concatenate([near.ravel(), ends, -ends]), size)


@pytest.mark.parametrize("ties", ["average", "worst", "first"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_large_data_with_awkward_scores(shape, ties):
    """The order of 64-bit floats is that of their dense ranks, which are small integers."""
    rng = np.random.default_rng(12)
    n_rows = shape[0] * shape[1]
    groups = rng.permutation(np.repeat(np.arange(shape[0]), shape[1]))
    kept = rng.random(n_rows) < 0.9 if shape[1] > 2 else np.full(n_rows, True)
    y_true = rng.integers(0, 4, n_rows).astype(float)[kept]
    y_score = awkward_numbers(rng, n_rows)[kept]
    y_score[rng.random(len(y_score)) < 0.02] = -np.inf
    levels = np.unique(y_score, return_inverse=True)[1].astype(float)
    dense = np.where(y_score == -np.inf, -np.inf, levels)
    names = ["ndcg@10", "mrr", "map@5", "precision@3", "auc", "err(max_grade=4)@7"]
    names += ["mean_rank", "q_measure"]
    arguments = {"metrics": names, "ties": ties, "replace_undefined_by": 0.0}
    assert ranking_scores(y_true, y_score, groups=groups[kept], **arguments) == (
        ranking_scores(y_true, dense, groups=groups[kept], **arguments)
    )


@pytest.mark.parametrize("name", ["ndcg", "map", "mrr", "auc", "q_measure", "err"])
def test_long_lists_equal_the_reference(name):
    rng = np.random.default_rng(5)
    queries = []
    for n_rows in (50, 400, 1500):
        grades = rng.choice([0, 0, 0, 1, 2], n_rows).tolist()
        queries.append((grades, rng.permutation(n_rows).astype(float).tolist()))
    params = {"max_grade": 4} if name == "err" else {}
    expected = [
        float(REFERENCES[name](first_order(*columns), **params)) for columns in queries
    ]
    grades, scores = (np.concatenate(column) for column in zip(*queries, strict=True))
    groups = np.repeat([0, 1, 2], [50, 400, 1500])
    metric = f"{name}(max_grade=4)" if name == "err" else name
    each = per_query_scores(grades, scores, groups=groups, metrics=[metric])
    assert each.scores[metric] == pytest.approx(expected, rel=1e-12)


# ---- the contract's defaults -----------------------------------------------------------

COMMON = {"groups": None, "ties": "average", "sample_weight": None}


@every_metric
def test_defaults(name):
    found = {
        parameter.name: parameter.default
        for parameter in signature(METRICS[name].function).parameters.values()
        if parameter.kind is Parameter.KEYWORD_ONLY
    }
    assert found.pop("replace_undefined_by") == "warn"
    assert found.pop("min_relevance", None) is None
    assert found == COMMON | DEFAULTS.get(name, {})


@pytest.mark.parametrize("name", ["rbp", "err", "insq", "inst"])
def test_the_highest_grade_of_the_data_is_the_default(name, data):
    assert data["y_true"].max() == 4
    function = METRICS[name].function
    assert function(**data, k=3) == function(**data, k=3, max_grade=4)
    assert function(**data, k=3) != function(**data, k=3, max_grade=5)
