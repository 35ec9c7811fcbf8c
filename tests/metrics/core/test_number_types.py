"""Parameters and weights of any numeric type and size give the same number."""

from decimal import Decimal

import numpy as np
import pytest

from sklearn_rank.metrics import (
    Catalogue,
    MetricAtKDisplay,
    PrecisionRecallAtKDisplay,
    f1_at_k_score,
    ndcg_score,
    per_query_scores,
    precision_recall_at_k_curve,
    ranking_report,
    ranking_scores,
)
from tests.metrics.registered import METRICS

INTEGERS = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64]
TAKES_K = sorted(name for name in METRICS if METRICS[name].takes_k)
RNG = np.random.default_rng(0)
GRID = {"y_true": RNG.integers(0, 3, (2, 200)), "y_score": RNG.random((2, 200))}
TIED = {"y_true": GRID["y_true"], "y_score": GRID["y_score"].round(2)}


@pytest.mark.parametrize("integer", INTEGERS)
@pytest.mark.parametrize("name", TAKES_K)
def test_k_of_any_integer_type(name, integer):
    """On lists much longer than k, and with ties over the cutoff."""
    metric = METRICS[name].function
    for rows in (GRID, TIED):
        for k in (1, 10, 100):
            if name == "inst" and rows is TIED:
                continue  # too many orders
            assert metric(**rows, k=integer(k)) == metric(**rows, k=k)


@pytest.mark.parametrize("integer", INTEGERS)
def test_other_integers_of_any_type(integer):
    assert f1_at_k_score(**GRID, beta=integer(12)) == f1_at_k_score(**GRID, beta=12)
    for ours, plain in zip(
        precision_recall_at_k_curve(**GRID, max_k=integer(100)),
        precision_recall_at_k_curve(**GRID, max_k=100),
        strict=True,
    ):
        np.testing.assert_array_equal(ours, plain)
    assert ranking_report(**GRID, k=integer(100)) == ranking_report(**GRID, k=100)


def test_pictures_take_any_integer_type():
    pytest.importorskip("matplotlib")
    drawn = MetricAtKDisplay.from_predictions(**GRID, k=np.int8(100))
    assert drawn.k.tolist() == list(range(1, 101))
    PrecisionRecallAtKDisplay.from_predictions(**GRID, max_k=np.uint8(100))


@pytest.mark.parametrize("integer", INTEGERS)
def test_ids_of_items_up_to_the_highest_of_their_type(integer):
    """One item in all rows, or two: 3 of 4 users have the first, and 1 the second."""
    first = int(np.iinfo(integer).max)
    catalogue = Catalogue(popularity={first: 3, first - 1: 1}, n_users=4)
    rows = {"y_true": [0, 0, 0], "y_score": [2, 1, 1], "groups": [0, 0, 1]}
    for second, bits in ((first, np.log2(4 / 3)), (first - 1, 2)):
        items = np.array([first, second, first], dtype=integer)
        found = per_query_scores(
            **rows, items=items, catalogue=catalogue, metrics="novelty@2"
        )
        expected = [(np.log2(4 / 3) + bits) / 2, np.log2(4 / 3)]
        assert found.scores["novelty@2"] == pytest.approx(expected)


@pytest.mark.parametrize("real", [np.float16, np.float32, np.float64])
def test_reals_of_any_type(real):
    for name, given in {
        "f1": {"beta": 0.5},
        "ndcg": {"log_base": 3},
        "rbp": {"persistence": 0.5},
        "err": {"max_grade": 4},
        "insq": {"desired_gain": 2.5},
        "recall": {"min_relevance": 2},
    }.items():
        metric = METRICS[name].function
        typed = {key: real(value) for key, value in given.items()}
        assert metric(**GRID, **typed) == metric(**GRID, **given)


@pytest.mark.parametrize("wrong", [np.timedelta64(5, "D"), np.bool_(True), Decimal(5)])
def test_durations_and_truth_values_are_no_cutoffs(wrong):
    with pytest.raises(TypeError, match="`k` must be an integer >= 1 or None"):
        ndcg_score(**GRID, k=wrong)


@pytest.mark.parametrize("huge", [2**53 + 1, 2**63, 2**64, 10**400])
def test_huge_integers_are_refused_in_few_words(huge):
    with pytest.raises(ValueError, match="`k` must be an integer") as caught:
        ndcg_score(**GRID, k=huge)
    assert len(str(caught.value)) < 200
    assert ndcg_score(**GRID, k=2**53) == ndcg_score(**GRID)


def test_huge_reals_are_refused_in_few_words():
    for wrong in (1e200, 10**400):
        with pytest.raises(ValueError, match="`beta` must be a positive number up to"):
            f1_at_k_score(**GRID, beta=wrong)
    assert ndcg_score(**GRID, log_base=10**30) == pytest.approx(ndcg_score(**GRID))


@pytest.mark.parametrize("weight", [5e-324, 1e-300, 1.0, 1e300, 1.7e308])
def test_weights_of_any_size(weight):
    """1 and 1/2 with equal weights; and with weights from positives on top."""
    rows = {"y_true": [1, 0, 0, 1], "y_score": [2, 1, 2, 1], "groups": [0, 0, 1, 1]}
    weights = np.full(4, weight)
    found = ranking_scores(
        **rows, metrics=["mrr", "auc(weighting='pairs')"], sample_weight=weights
    )
    expected = {"mrr": 0.75, "auc(weighting='pairs')": 0.5}
    assert found == pytest.approx(expected, rel=1e-15)
    options = {"sample_weight": weights, "output_dict": True}
    report = ranking_report(**rows, metrics="mrr@1", **options)["mrr@1"]
    assert (report["mean"], report["standard_error"]) == pytest.approx((0.5, 0.5))
    precision, recall, _ = precision_recall_at_k_curve(**rows, sample_weight=weights)
    np.testing.assert_allclose([precision, recall], [[0.5, 0.5], [0.5, 1.0]])


def test_scaled_weights_keep_their_ratio():
    rows = {"y_true": [1, 0, 0, 1], "y_score": [2, 1, 2, 1], "groups": [0, 0, 1, 1]}
    heavy = ranking_scores(
        **rows, metrics="mrr", sample_weight=[1e308, 1e308, 5e307, 5e307]
    )
    assert heavy["mrr"] == pytest.approx((1 * 2 + 0.5) / 3)
