"""The tuned model against another: the interval of the statistics, and what it says."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from sklearn_rank._cli._metric import read_metric
from sklearn_rank._cli._paired import PairedDifference, compare_with_tuned
from sklearn_rank._cli._text_tables import describe_paired
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models

FEW = PairedDifference("ndcg@10", 3, 1, 0, difference=0.1, standard_error=0.04)


@pytest.mark.parametrize("name", ["ndcg@3", "mean_rank"])
def test_interval_is_that_of_compare_models(name):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 5)
    grades = rng.integers(0, 3, 150)
    rows = {
        model: {"y_true": grades, "y_score": grades + rng.normal(0, noise, 150)}
        for model, noise in {"tuned": 1, "other": 2}.items()
    }
    rows = {model: {**of, "groups": groups} for model, of in rows.items()}
    metric = read_metric(name)
    found = compare_with_tuned(metric, rows)["other"]
    scores = {model: per_query_scores(**of, metrics=name) for model, of in rows.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row = compare_models(scores, baseline="other").row("tuned")
    expected = [-row.high, -row.low] if metric.lower_is_better else [row.low, row.high]
    assert found.interval == pytest.approx(expected)
    assert found.p_value == pytest.approx(row.p_value)
    assert found.may_be_chance == (row.verdict == "undecided")


def test_few_lists_need_more_than_two_standard_errors():
    (counts, chance) = describe_paired(FEW, "user")
    difference = "difference +0.1000 ± 0.0400, 95 % interval -0.0273 to +0.2273, p 0.0877."
    assert counts.endswith(difference)
    assert chance == "The interval has 0 in it: chance alone may explain it."
    assert len(describe_paired(replace(FEW, better=30), "user")) == 1


def test_one_list_tells_nothing():
    one = PairedDifference("mrr", 1, 0, 0, difference=0.5, standard_error=np.nan)
    assert describe_paired(one, "query")[1].startswith("One query has no interval: chance")


def test_no_difference_at_all_is_not_put_down_to_chance():
    equal = PairedDifference("mrr", 0, 0, 9, difference=0.0, standard_error=0.0)
    assert not equal.may_be_chance
    assert describe_paired(equal, "user")[0].endswith("p 1.0000.")
