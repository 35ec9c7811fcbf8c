"""Single numbers that were wrong or misleading."""

import numpy as np
import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import ndcg_score, rank_biased_overlap_score, ranking_scores
from sklearn_rank.metrics._core._misleading_input import warn_unless_reversed
from sklearn_rank.model_selection import RefitWithinError
from sklearn_rank.online import off_policy_value
from sklearn_rank.statistics import compare_candidates


def test_overlap_is_never_above_1():
    lists = [list(range(11))]
    assert rank_biased_overlap_score(lists, lists, p=0.8) == 1.0
    for variant in ("extrapolated", "min", "max", "truncated", "normalized"):
        value = rank_biased_overlap_score(lists, lists, p=0.8, variant=variant)
        assert 0 <= value <= 1


@pytest.mark.filterwarnings("ignore:The effective sample size")
def test_products_of_400_ratios():
    # All rewards are 1, so that each of 400 positions is worth 1 under any policy.
    n, k = 60, 400
    log = {
        "reward": np.ones(n * k),
        "propensity": np.full(n * k, 0.01),
        "target_probability": np.full(n * k, 0.1),
        "slate": np.repeat(np.arange(n), k),
        "position": np.tile(np.arange(k), n),
        "assumption": "cascade",
    }
    found = off_policy_value(**log)
    assert found.value == pytest.approx(400, rel=1e-12)
    assert off_policy_value(**log, clip=5.0).value == pytest.approx(400, rel=1e-12)
    with pytest.raises(ValueError, match=r"Products of 400 ratios exceed.*Give clip="):
        off_policy_value(**log, self_normalized=False)


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("gauc", "weighting='rows'"),
        ("roc_auc", "'auc'"),
        ("context_precision@10", r"map\(denominator='retrieved'\)@k"),
        ("ContextualRecall", "recall@k"),
        ("faithfulness", "tables of its values"),
    ],
)
def test_words_that_are_no_metric(word, advice):
    rows = {"y_true": [1, 0], "y_score": [1, 2], "groups": [1, 1]}
    with pytest.raises(ValueError, match=f"'{word}' is not a metric here.*{advice}"):
        ranking_scores(**rows, metrics=word)
    for line in ("auc(weighting='rows')", "auc(weighting='positives')", "auc"):
        assert ranking_scores(**rows, metrics=line) == {line: 0.0}


def test_nothing_retrieved():
    rows = from_item_lists({"a": ["x"], "b": ["y"]}, {"a": [], "b": []})
    with pytest.warns(
        MisleadingScoreWarning, match="None of 2 queries has a retrieved row"
    ):
        assert ranking_scores(**rows, metrics="mrr") == {"mrr": 0.0}
    ranking_scores(**rows, metrics="mrr", replace_undefined_by="abstained")


def test_candidates_of_halving_are_those_of_the_last_iteration():
    results = {
        "iter": [0, 0, 0, 1, 1],
        "params": [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 1}, {"a": 2}],
        "split0_test_score": np.array([0.9, 0.8, 0.1, 0.6, 0.5]),
        "split1_test_score": np.array([0.8, 0.9, 0.2, 0.5, 0.6]),
        "split2_test_score": np.array([0.8, 0.9, 0.2, 0.7, 0.3]),
        "mean_test_score": np.array([0.83, 0.87, 0.17, 0.6, 0.47]),
        "mean_test_cost": np.array([-1.0, -2, -3, -1, -2]),
    }
    found = compare_candidates(results, test_size=0.2)
    assert len(found) == 1
    assert "(candidate" not in str(found)
    assert RefitWithinError("score", "cost", tolerance=1.0)(results) == 3


def test_one_column_of_scores_and_one_weight_per_query():
    assert ndcg_score([1, 0], [[1], [0]], groups=[0, 0]) == 1
    with pytest.raises(ValueError, match="For one weight per query: sample_weight"):
        ndcg_score([1, 0, 0, 1], [1, 2, 3, 4], groups=[0, 0, 1, 1], sample_weight=[1, 2])


def test_an_order_that_is_tried_out_may_be_reversed():
    warn_unless_reversed("reversed", "not shown")
    with pytest.warns(MisleadingScoreWarning, match="shown"):
        warn_unless_reversed("rows", "shown.")
