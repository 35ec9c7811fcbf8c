"""Bad input: the type of the error, and that it names the thing and the way out."""

import re
from datetime import datetime
from inspect import signature
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_rank import metrics
from sklearn_rank.metrics import ndcg_score, per_query_scores, ranking_scores
from tests.metrics.registered import ALLOWS_UNJUDGED, DIVIDED_BY_K, METRICS, PARAMETERS

every_metric = pytest.mark.parametrize("name", sorted(METRICS))
JUDGED_ONLY = sorted(set(METRICS) - ALLOWS_UNJUDGED)
TAKES_K = sorted(name for name in METRICS if METRICS[name].takes_k)
GOOD = {"y_true": [1, 0, 0, 2], "y_score": [4.0, 3, 2, 1], "groups": [0, 0, 1, 1]}


def matches(*parts):
    """Return a pattern for a message that holds all parts, in any order and any case."""
    return "(?is)" + "".join(f"(?=.*(?:{part}))" for part in parts)


def refused(kind, *parts):
    return pytest.raises(kind, match=matches(*parts))


# ---- rows ------------------------------------------------------------------------------


@every_metric
def test_groups_are_required_for_flat_input(name):
    with refused(ValueError, "groups", "metadata routing", "column"):
        METRICS[name].function([1, 0], [2.0, 1.0])


@every_metric
def test_groups_are_refused_for_a_grid(name):
    with refused(ValueError, "groups", "2-D|grid"):
        METRICS[name].function([[1, 0]], [[2.0, 1.0]], groups=[0])


@every_metric
@pytest.mark.parametrize("short", ["y_true", "y_score", "groups"])
def test_unequal_lengths(name, short):
    bad = GOOD | {short: GOOD[short][:3]}
    with refused(ValueError, "`?y_true", "3", "4"):
        METRICS[name].function(**bad)


def test_unequal_length_of_weights():
    with refused(ValueError, "sample_weight", "3", "4"):
        ndcg_score(**GOOD, sample_weight=[1, 1, 1])
    with refused(ValueError, "sample_weight", "3", "2"):
        ndcg_score([[1, 0], [0, 1]], [[1, 2], [3, 4]], sample_weight=[1, 1, 1])


def test_unequal_shapes_of_a_grid():
    with refused(ValueError, "y_score", r"\(1, 3\)", r"\(1, 2\)"):
        ndcg_score([[1, 0]], [[3.0, 2.0, 1.0]])
    with refused(ValueError, r"\(1, 3\)", r"\(1, 2\)"):
        ndcg_score(sparse.csr_array([[1, 0]]), [[3.0, 2.0, 1.0]])


def test_flat_grades_with_a_grid_of_scores():
    with refused(ValueError, "y_score", r"\(1, 2\)"):
        ndcg_score([1, 0], [[2.0, 1.0]], groups=[0, 0])


@every_metric
def test_three_dimensions(name):
    cube = np.ones((2, 2, 2))
    with refused(ValueError, r"\(2, 2, 2\)", "1-D", "2-D"):
        METRICS[name].function(cube, cube)


def test_a_scalar():
    with refused(ValueError, "y_true|y_score"):
        ndcg_score(1, 2.0, groups=[0])


@every_metric
def test_no_rows(name):
    with refused(ValueError, "empty|no rows|0 rows|at least one"):
        METRICS[name].function([], [], groups=[])


@every_metric
@pytest.mark.parametrize("bad", [nan, inf])
def test_scores_must_be_finite_or_minus_infinity(name, bad):
    with refused(ValueError, "y_score", str(bad), "first.* 1"):
        METRICS[name].function([1, 0], [1.0, bad], groups=[0, 0])


@pytest.mark.parametrize("name", JUDGED_ONLY)
def test_missing_grades(name):
    with refused(ValueError, "y_true", "nan|missing|unjudged"):
        METRICS[name].function([1, nan], [1.0, 2.0], groups=[0, 0])


@every_metric
def test_infinite_grades(name):
    with refused(ValueError, "y_true", "inf"):
        METRICS[name].function([1, inf], [1.0, 2.0], groups=[0, 0])


@every_metric
def test_negative_grades(name):
    with refused(ValueError, "y_true", "-2"):
        METRICS[name].function([1, -2], [1.0, 2.0], groups=[0, 0])


def test_negative_grades_in_sparse_truth():
    with refused(ValueError, "y_true", "-2"):
        ndcg_score(sparse.csr_array([[1.0, -2.0]]), [[1.0, 2.0]])


@pytest.mark.parametrize("bad", [nan, inf])
def test_sparse_scores_must_be_finite(bad):
    with refused(ValueError, "y_score"):
        ndcg_score([[1.0, 2.0]], sparse.csr_array([[1.0, bad]]))


@pytest.mark.parametrize("bad", [["a", "b"], [None, 1], [datetime.max, datetime.max]])
@pytest.mark.parametrize("column", ["y_true", "y_score"])
def test_what_is_not_a_number(column, bad):
    data = {"y_true": [1, 0], "y_score": [1.0, 2.0], "groups": [0, 0]} | {column: bad}
    with refused((TypeError, ValueError), column):
        ndcg_score(**data)


@pytest.mark.parametrize("column", ["y_true", "y_score"])
def test_complex_numbers(column):
    data = {"y_true": [1, 0], "y_score": [1.0, 2.0], "groups": [0, 0]}
    with refused((TypeError, ValueError), column):
        ndcg_score(**data | {column: [1j, 2]})


@pytest.mark.parametrize("missing", [None, nan])
def test_missing_group_labels(missing):
    with refused(ValueError, "groups", "missing", "row 1"):
        ndcg_score([1, 0], [1.0, 2.0], groups=[1, missing])


def test_unhashable_group_labels():
    groups = np.empty(2, dtype=object)
    groups[:] = [{"a": 1}, {"a": 1}]
    with refused(TypeError, "groups"):
        ndcg_score([1, 0], [1.0, 2.0], groups=groups)


# ---- weights and what to do with undefined queries -------------------------------------


def test_weights_must_agree_within_a_query():
    with refused(ValueError, "sample_weight", "quer"):
        ndcg_score(**GOOD, sample_weight=[1, 2, 1, 1])


@pytest.mark.parametrize("bad", [-1.0, nan, inf])
def test_weights_must_be_finite_and_not_negative(bad):
    with refused(ValueError, "sample_weight"):
        ndcg_score(**GOOD, sample_weight=[1, 1, bad, bad])


def test_weights_must_not_all_be_zero():
    with refused(ValueError, "sample_weight", "zero|0|positive"):
        ndcg_score(**GOOD, sample_weight=[0, 0, 0, 0])


@pytest.mark.parametrize("bad", ["zero", None, [0.0]])
def test_replace_undefined_by_must_be_a_number(bad):
    with refused((TypeError, ValueError), "replace_undefined_by"):
        ndcg_score(**GOOD, replace_undefined_by=bad)


# ---- parameters ------------------------------------------------------------------------


@pytest.mark.parametrize("name", TAKES_K)
@pytest.mark.parametrize(
    ("k", "kind"),
    [
        (0, ValueError),
        (-3, ValueError),
        (1.5, TypeError),
        ("5", TypeError),
        (True, TypeError),
        ([1, 2], TypeError),
    ],
)
def test_k_must_be_a_positive_integer(name, k, kind):
    with refused(kind, "`k`", "integer", re.escape(repr(k))):
        METRICS[name].function(**GOOD, k=k)


@pytest.mark.parametrize("name", TAKES_K)
@pytest.mark.parametrize("k", [2**53 + 1, 2**63, 2**64, 10**5000], ids=int.bit_length)
def test_k_is_a_number_that_ranks_can_be_compared_with(name, k):
    with refused(ValueError, "`k`", r"2\*\*53 at most"):
        METRICS[name].function(**GOOD, k=k)


@pytest.mark.parametrize("name", TAKES_K)
@pytest.mark.parametrize("ties", ["average", "first"])
def test_a_cutoff_far_below_the_end_of_the_list(name, ties):
    y_true = np.zeros((2, 100))
    y_true[:, 40] = 1
    y_score = np.arange(200.0).reshape(2, 100) // 3
    function = METRICS[name].function
    value = function(y_true, y_score, k=2**53, ties=ties)
    expected = function(y_true, y_score, k=1000, ties=ties)
    if name in DIVIDED_BY_K:
        assert 0 < value < 1e-12
    else:
        assert value == pytest.approx(expected)


def test_a_large_integer_is_a_base_of_the_logarithm():
    data = {"y_true": [0, 1, 2], "y_score": [3.0, 2, 1], "groups": [0, 0, 0]}
    for discount in ("log", "jarvelin"):
        score = ndcg_score(**data, discount=discount, log_base=10**30)
        assert score == ndcg_score(**data, discount=discount, log_base=1e30)
    with refused(ValueError, "log_base", "integer of 1329 bits"):
        ndcg_score(**data, log_base=10**400)


def test_a_large_beta_is_recall():
    data = {"y_true": [0, 1, 2], "y_score": [3.0, 2, 1], "groups": [0, 0, 0]}
    recall = metrics.recall_at_k_score(**data, k=2)
    assert metrics.f1_at_k_score(**data, k=2, beta=10**30) == pytest.approx(recall)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("ndcg", "gain"),
        ("ndcg", "discount"),
        ("recall", "denominator"),
        ("map", "average"),
        ("auc", "weighting"),
        ("mrr", "ties"),
    ],
)
@pytest.mark.parametrize(
    "bad",
    [np.array(["log", "linear"]), np.array("log"), ["log"], {}, 5, None, pd.NA, "x" * 5000],
    ids=["array", "scalar array", "list", "dict", "int", "None", "missing", "long"],
)
def test_words_are_not_compared_with_tables(name, parameter, bad):
    with refused(ValueError, f"`{parameter}` got", "valid") as caught:
        METRICS[name].function(**GOOD, **{parameter: bad})
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", ["rbp", "ndcg", "insq", "f1"])
def test_numbers_are_not_arrays(name):
    own = {"rbp": "persistence", "ndcg": "log_base", "insq": "desired_gain", "f1": "beta"}
    with refused(TypeError, own[name], "got array"):
        METRICS[name].function(**GOOD, **{own[name]: np.linspace(0.1, 0.9, 10**6)})


@pytest.mark.parametrize("name", TAKES_K)
def test_numpy_integers_are_integers(name):
    query = {"y_true": [2, 0], "y_score": [4.0, 3], "groups": [0, 0]}
    function = METRICS[name].function
    assert function(**query, k=np.int64(2)) == function(**query, k=2)


@every_metric
def test_ties_name_one_of_four(name):
    with refused(ValueError, "ties", "'avrage'", "average", "worst", "best", "first"):
        METRICS[name].function(**GOOD, ties="avrage")


@pytest.mark.parametrize(
    "name",
    [
        n
        for n in sorted(METRICS)
        if "min_relevance" in signature(METRICS[n].function).parameters
    ],
)
@pytest.mark.parametrize(
    ("bad", "kind"),
    [(0, ValueError), (-1, ValueError), (nan, ValueError), ("1", TypeError)],
)
def test_min_relevance_must_be_positive(name, bad, kind):
    with refused(kind, "min_relevance"):
        METRICS[name].function(**GOOD, min_relevance=bad)


def test_binary_metrics_take_min_relevance_and_graded_ones_do_not():
    takes = {
        n for n, m in METRICS.items() if "min_relevance" in signature(m.function).parameters
    }
    assert takes == {n for n, own in PARAMETERS.items() if "min_relevance" in own}


@pytest.mark.parametrize(
    ("function", "valid"),
    [
        (metrics.recall_at_k_score, ["relevant", "attainable"]),
        (metrics.mean_average_precision_score, ["relevant", "attainable", "retrieved"]),
    ],
)
def test_denominator_lists_the_options_and_the_nearest(function, valid):
    with refused(
        ValueError, "denominator", "'relevent'", *valid, "did you mean 'relevant'"
    ):
        function(**GOOD, denominator="relevent")


@pytest.mark.parametrize("function", [metrics.dcg_score, ndcg_score])
def test_gain_and_discount_list_their_options(function):
    with refused(
        ValueError, "gain", "'exponental'", "linear", "exponential", "callable|function"
    ):
        function(**GOOD, gain="exponental")
    with refused(
        ValueError,
        "discount",
        "'logg'",
        "log",
        "jarvelin",
        "reciprocal",
        "callable|function",
    ):
        function(**GOOD, discount="logg")


@pytest.mark.parametrize(
    ("bad", "kind"),
    [(1, ValueError), (0.5, ValueError), (-2, ValueError), ("e", TypeError)],
)
def test_log_base_must_exceed_one(bad, kind):
    with refused(kind, "log_base", "1"):
        ndcg_score(**GOOD, log_base=bad)


@pytest.mark.parametrize(
    "gain",
    [lambda g: g[:1], lambda g: g * nan, lambda g: -g, lambda g: "x"],
    ids=["shape", "nan", "negative", "text"],
)
def test_a_gain_function_must_return_a_gain_a_row(gain):
    with refused((TypeError, ValueError), "gain"):
        ndcg_score(**GOOD, gain=gain)


@pytest.mark.parametrize(
    "discount",
    [lambda rank: rank[:1], lambda rank: rank * nan, lambda rank: "x"],
    ids=["shape", "nan", "text"],
)
def test_a_discount_function_must_return_a_weight_a_rank(discount):
    with refused((TypeError, ValueError), "discount"):
        ndcg_score(**GOOD, discount=discount)


@pytest.mark.parametrize("function", [metrics.dcg_score, ndcg_score])
@pytest.mark.parametrize(
    ("discount", "parts"),
    [
        (lambda rank: rank, ["must not increase", "1.0 for rank 1 and 2.0 for rank 2"]),
        (np.log2, ["more than 0 for rank 1", "0.0 for rank 1"]),
        (lambda rank: 0 * rank, ["more than 0 for rank 1"]),
        (lambda rank: -1 / rank, ["0 or more", "-1.0 for rank 1"]),
        (lambda rank: 2.0 - rank, ["0 or more", "-1.0 for rank 3"]),
        (lambda rank: np.where(rank < 3, 1, 5), ["must not increase", "rank 2 and 5.0"]),
    ],
    ids=["rank", "log", "nothing", "negative", "negative below", "rises below"],
)
def test_a_discount_function_must_not_rise_or_be_negative(function, discount, parts):
    query = {"y_true": [0, 1, 1], "y_score": [3.0, 2, 1], "groups": [0, 0, 0]}
    with refused(ValueError, "`discount`", *parts):
        function(**query, discount=discount)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_each_factor_of_a_discount_is_finite(bad):
    with refused(ValueError, "`discount`", "finite"):
        ndcg_score(
            [0, 1, 1],
            [3, 2, 1],
            groups=[0] * 3,
            discount=lambda r: np.where(r == 2, bad, 1),
        )


def test_a_discount_is_checked_at_the_ranks_in_use():
    """It may be anything where no relevant row is, and differ by how it was rounded."""
    data = {"y_true": [1, 1, 0], "y_score": [3.0, 2, 1], "groups": [0, 0, 0]}
    assert ndcg_score(**data, discount=lambda rank: np.where(rank < 3, 1, 5)) == 1.0
    nearly = np.array([0.5, 0.5 + 1e-16, 0.5])
    assert ndcg_score(**data, discount=lambda rank: nearly[: len(rank)]) == 1.0


@pytest.mark.parametrize("name", ["f1", "q_measure"])
@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (-1, ValueError),
        (nan, ValueError),
        ("1", TypeError),
        (1e200, ValueError),
        (10**400, ValueError),
    ],
)
def test_beta_must_be_positive(name, bad, kind):
    with refused(kind, "beta"):
        METRICS[name].function(**GOOD, beta=bad)


@pytest.mark.parametrize("bad", [0, 1, -0.1, 1.5, nan])
def test_persistence_lies_between_zero_and_one(bad):
    with refused(ValueError, "persistence", "0", "1"):
        metrics.rank_biased_precision_score(**GOOD, persistence=bad)


@pytest.mark.parametrize("name", ["rbp", "err", "insq", "inst"])
def test_max_grade_is_no_smaller_than_the_grades(name):
    function = METRICS[name].function
    with refused(ValueError, "max_grade", "1", "2"):
        function(**GOOD, max_grade=1)
    with refused(ValueError, "max_grade"):
        function(**GOOD, max_grade=0)


def test_weighting_of_auc():
    with refused(ValueError, "weighting", "query", "positives", "pairs"):
        metrics.roc_auc_per_query_score(**GOOD, weighting="pair")


def test_a_misspelled_keyword():
    with pytest.raises(TypeError, match="min_relevence"):
        metrics.precision_at_k_score(**GOOD, min_relevence=2)


def test_parameters_are_keyword_only():
    with pytest.raises(TypeError, match=r"takes 2 argument\(s\) by position \("):
        ndcg_score([1, 0], [1.0, 2.0], [0, 0])


@pytest.mark.parametrize("bad", [0, -1, 2.5])
def test_max_k_of_the_curve(bad):
    with refused((TypeError, ValueError), "max_k", "integer"):
        metrics.precision_recall_at_k_curve(**GOOD, max_k=bad)


def test_what_was_judged_relevant_was_in_the_pool():
    with refused(ValueError, "pooled", "y_true", "relevant"):
        METRICS["infap"].function(**GOOD, pooled=[True, True, True, False])


def test_one_value_of_pooled_a_row():
    with refused(ValueError, "pooled", "3", "4"):
        METRICS["infap"].function(**GOOD, pooled=[True, True, True])


@pytest.mark.parametrize("name", ["insq", "inst"])
@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (0, ValueError),
        (0.4, ValueError),
        (-1, ValueError),
        (nan, ValueError),
        (1e308, ValueError),
        ("1", TypeError),
    ],
)
def test_desired_gain_is_at_least_one_half(name, bad, kind):
    with refused(kind, "desired_gain", "0.5"):
        METRICS[name].function(**GOOD, desired_gain=bad)


# ---- names of metrics ------------------------------------------------------------------

SEVERAL = pytest.mark.parametrize("several", [ranking_scores, per_query_scores])


@SEVERAL
def test_unknown_metric_names_the_nearest(several):
    with refused(ValueError, "'ngcd", "did you mean 'ndcg", "'ndcg@k'", "more"):
        several(**GOOD, metrics=["ngcd@10"])


@SEVERAL
def test_unknown_parameter_lists_the_valid_ones(several):
    with refused(
        (TypeError, ValueError), "gian", "gain", "discount", "did you mean 'gain'"
    ):
        several(**GOOD, metrics=["ndcg(gian='linear')@10"])


@SEVERAL
@pytest.mark.parametrize("bad", ["ndcg@", "ndcg@ten", "ndcg@1.5", "ndcg@0", "ndcg@-1"])
def test_bad_cut_off_in_a_name(several, bad):
    with refused((TypeError, ValueError), bad.split("@")[0], "integer|`k`|did you mean"):
        several(**GOOD, metrics=[bad])


@SEVERAL
def test_a_cut_off_for_a_metric_without_one(several):
    with refused((TypeError, ValueError), "r_precision"):
        several(**GOOD, metrics=["r_precision@5"])


@SEVERAL
@pytest.mark.parametrize(
    "bad",
    [
        "ndcg(",
        "ndcg(gain=)",
        "ndcg)@5",
        "ndcg(gain=open('x'))@5",
        "ndcg('linear')@5",
        "@5",
        "",
    ],
)
def test_malformed_names(several, bad):
    with refused((TypeError, ValueError), "ndcg|metric"):
        several(**GOOD, metrics=[bad])


@SEVERAL
def test_a_bad_value_in_a_name_is_the_error_of_the_function(several):
    with refused(ValueError, "gain", "'x'", "linear"):
        several(**GOOD, metrics=["ndcg(gain='x')@5"])


@SEVERAL
@pytest.mark.parametrize("bad", [[], ()])
def test_no_metrics(several, bad):
    with refused(ValueError, "metrics"):
        several(**GOOD, metrics=bad)


@SEVERAL
@pytest.mark.parametrize("bad", [[5], 5, [None]])
def test_what_is_not_a_metric(several, bad):
    with refused((TypeError, ValueError), "metric", "name|str"):
        several(**GOOD, metrics=bad)


@SEVERAL
def test_one_name_need_not_be_wrapped_in_a_list(several):
    """A string is one metric, not a sequence of letters."""
    one = several(**GOOD, metrics="ndcg@5")
    scores = one if several is ranking_scores else one.scores
    assert list(scores) == ["ndcg@5"]


def test_missing_grades_among_several_metrics():
    data = {"y_true": [1, 0, nan], "y_score": [3.0, 2.0, 1.0], "groups": [0, 0, 0]}
    assert ranking_scores(**data, metrics=["bpref", "judged@3"]) == {
        "bpref": 1.0,
        "judged@3": pytest.approx(2 / 3),
    }
    with refused(ValueError, "y_true", "nan", "bpref"):
        ranking_scores(**data, metrics=["bpref", "ndcg@3"])


# ---- conventions -----------------------------------------------------------------------


def test_unknown_convention_names_the_nearest():
    with refused(ValueError, "convention", "'lightgmb'", "did you mean 'lightgbm'"):
        ranking_scores(**GOOD, metrics=["ndcg@5"], convention="lightgmb")


@pytest.mark.parametrize("metric", ["err@5", "auc", "precision@5"])
def test_a_metric_that_the_convention_does_not_know(metric):
    name = metric.partition("@")[0]
    with refused(ValueError, f"'{name}", "lightgbm", "ndcg", "map"):
        ranking_scores(**GOOD, metrics=[metric], convention="lightgbm")


def test_too_many_orders_of_tied_rows():
    """INST has no closed form under ties: it says which query, and what to do."""
    y_true = [1, 2, 3, 4] * 6
    with refused(ValueError, "long", "ties", "worst", "break"):
        METRICS["inst"].function(y_true, [0.0] * 24, groups=["long"] * 24)
