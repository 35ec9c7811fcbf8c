"""The tuned model against another: the interval of the statistics, and what it says."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_rank._base._messages import quantity
from sklearn_rank._cli._tuning import describe_verdict
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import compare_models

TITLES = {"ease": "EASE (tuned)", "popularity": "popularity", "other": "other"}


def tuned(scores, best="ease", metric="ndcg@10", unit="user"):
    """What a search found: the values of each user by model."""
    groups = np.arange(len(next(iter(scores.values()))))
    lower = [metric] if metric == "mean_rank" else []
    values = {
        name: PerQueryScores(groups, {metric: np.array(of, float)}, lower_is_better=lower)
        for name, of in scores.items()
    }
    low = 0.0 if len(groups) > 1 else None
    return SimpleNamespace(
        best_name_=best,
        models_=dict.fromkeys(scores),
        metrics=[metric],
        settings={"lower_is_better": lower, "unit": unit, "confidence_level": 0.95},
        values_=values,
        means={name: {metric: np.mean(of)} for name, of in scores.items()},
        intervals=lambda: dict.fromkeys(scores, SimpleNamespace(low=low)),
        split_=SimpleNamespace(held_out="last period"),
        _short_title=TITLES.get,
    )


def said(scores, baselines=("popularity", "other"), **options):
    return "\n".join(describe_verdict(tuned(scores, **options), baselines))


@pytest.mark.parametrize("name", ["ndcg@10", "mean_rank"])
def test_interval_is_that_of_compare_models(name):
    rng = np.random.default_rng(0)
    scores = {"ease": rng.normal(0.3, 1, 30), "popularity": rng.normal(0, 1, 30)}
    found = tuned(scores, metric=name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row = compare_models(found.values_, baseline="popularity").row("ease")
    (text,) = describe_verdict(found, ["popularity"])
    assert f"difference {row.difference:+.4f}, SE {row.standard_error:.4f}" in text
    assert f"95% interval [{row.low:+.4f}, {row.high:+.4f}], p {row.p_value:.4f}." in text
    assert f"better for {row.better} users, worse for {row.worse} and equal for 0" in text
    higher = np.count_nonzero(scores["ease"] > scores["popularity"])
    assert higher == (row.worse if name == "mean_rank" else row.better)


def test_a_second_metric_may_have_too_few_values():
    scores = {"ease": [0.9, 0.7, 0.8], "popularity": [0.2, 0.3, 0.1]}
    found = tuned(scores)
    expected = describe_verdict(found, ["popularity"])
    for values in found.values_.values():
        values.scores["auc"] = np.array([0.5, np.nan, np.nan])
    assert describe_verdict(found, ["popularity"]) == expected


def test_few_lists_need_more_than_two_standard_errors():
    text = said({"ease": [0.2, 0.1, 0.15, 0], "popularity": [0, 0, 0, 0.05]})
    assert "It is better for 3 users, worse for 1 and equal for 0; " in text
    assert text.endswith("The interval contains 0: chance alone may explain it.")
    text = said({"ease": np.arange(1, 40), "popularity": np.zeros(39)})
    assert "95% interval" in text
    assert "chance" not in text


def test_one_list_tells_nothing():
    text = said({"ease": [0.5], "popularity": [0]}, unit="query")
    assert text.endswith("Without an interval, chance alone may explain it.")


def test_no_difference_at_all_is_not_put_down_to_chance():
    text = said({"ease": np.zeros(9), "popularity": np.zeros(9)})
    assert "does not beat popularity" in text
    assert text.endswith("p 1.0000.")


def test_each_baseline_that_was_judged_is_named():
    scores = {"ease": [0.2, 0.3], "popularity": [0.1, 0.1], "other": [0.4, 0.2]}
    text = said(scores)
    assert "beats popularity on the last period: ndcg@10 0.2500 against 0.1000. It" in text
    assert "does not beat other on the last period: ndcg@10 0.2500 against 0.3000" in text
    assert "other" not in said({name: scores[name] for name in ("ease", "popularity")})
    assert "other" not in said(scores, ["popularity"])


@pytest.mark.parametrize("own", [0.1, 0.2])
def test_a_model_that_does_not_beat_a_baseline(own):
    text = said({"ease": [own, own], "popularity": [0.2, 0.2]})
    assert "does not beat popularity on the last period" in text


def test_lower_is_better_is_said_and_nothing_is_negated():
    text = said({"ease": [3, 2], "popularity": [1, 2]}, metric="mean_rank")
    assert "does not beat popularity on the last period: mean_rank 2.5000 aga" in text
    assert "against 1.5000 (lower is better)" in text
    assert "difference +1.0000" in text


def test_a_baseline_does_not_beat_itself():
    text = said({"popularity": [0.4, 0.3], "other": [0.2, 0.2]}, best="popularity")
    assert "The search chose popularity" in text
    assert "does not beat popularity; it is popularity" in text
    assert "beats popularity" not in text
    assert "beats other on the last period" in text


def test_counts():
    assert [quantity(n, "row") for n in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert [quantity(n, "query") for n in (1, 2)] == ["1 query", "2 queries"]
