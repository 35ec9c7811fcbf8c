"""The tuned model against another: the interval of the statistics, and what it says."""

import warnings

import numpy as np
import pytest

from sklearn_rank._cli.tuning._comparison import compare_with_tuned, describe_paired
from sklearn_rank.metrics import PerQueryScores, per_query_scores
from sklearn_rank.statistics import compare_models


def values(tuned, other, name="ndcg@10"):
    groups = np.arange(len(tuned))
    return {
        "tuned": PerQueryScores(groups, {name: np.array(tuned, dtype=float)}),
        "other": PerQueryScores(groups, {name: np.array(other, dtype=float)}),
    }


def paired(tuned, other):
    return compare_with_tuned(values(tuned, other), "ndcg@10")["other"]


@pytest.mark.parametrize("name", ["ndcg@3", "mean_rank"])
def test_interval_is_that_of_compare_models(name):
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 5)
    grades = rng.integers(0, 3, 150)
    scores = {
        model: per_query_scores(
            grades, grades + rng.normal(0, noise, 150), groups=groups, metrics=name
        )
        for model, noise in {"tuned": 1, "other": 2}.items()
    }
    found = compare_with_tuned(scores, name)["other"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row = compare_models(scores, baseline="other").row("tuned")
    sign = -1 if name == "mean_rank" else 1
    assert sorted([found.low, found.high]) == pytest.approx(
        sorted([sign * row.low, sign * row.high])
    )
    assert found.difference == pytest.approx(sign * row.difference)
    assert found.p_value == pytest.approx(row.p_value)
    assert (found.better, found.worse, found.equal) == (row.better, row.worse, row.equal)
    assert found.may_be_chance == (row.verdict == "undecided")
    higher = scores["tuned"].scores[name] > scores["other"].scores[name]
    assert (found.worse if sign < 0 else found.better) == np.count_nonzero(higher)


def test_few_lists_need_more_than_two_standard_errors():
    found = paired([0.2, 0.1, 0.15, 0], [0, 0, 0, 0.05])
    assert found.difference > 1.5 * found.standard_error
    text = describe_paired(found, "user")
    assert text.startswith("It is better for 3 users, worse for 1 and equal for 0; ")
    assert text.endswith("The interval has 0 in it: chance alone may explain it.")
    text = describe_paired(paired(np.arange(1, 40), np.zeros(39)), "user")
    assert "95 % interval" in text
    assert "chance" not in text


@pytest.mark.parametrize(
    ("one", "counts"), [(0.5, "1 query, worse for 0"), (-0.5, "0 queries, worse for 1")]
)
def test_one_list_tells_nothing(one, counts):
    text = describe_paired(paired([one, np.nan], [0, 1]), "query")
    assert f"better for {counts} and equal for 0; difference {one:+.4f}. One query" in text
    assert text.endswith("has no interval: chance alone may explain it.")


def test_no_difference_at_all_is_not_put_down_to_chance():
    equal = paired(np.zeros(9), np.zeros(9))
    assert not equal.may_be_chance
    assert describe_paired(equal, "user").endswith("p 1.0000.")
