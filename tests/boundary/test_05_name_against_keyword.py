"""A keyword that the names of all metrics contradict has no effect, and is refused."""

import re

import numpy as np
import pytest

from sklearn_rank.distributed import QueryScorer
from sklearn_rank.metrics import (
    PerQueryDisplay,
    make_ranking_scorer,
    make_recommender_scorer,
    per_query_scores,
    ranking_report,
    ranking_scores,
)

ROWS = {"y_true": [2, 1, 0, 3], "y_score": [4, 3, 2, 1], "groups": list("aabb")}


def test_acceptance_example():
    message = (
        "'ndcg@10' sets k=10, so k=3 has no effect. Write 'ndcg@3', or 'ndcg' with k=3."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        make_ranking_scorer("ndcg@10", k=3)
    make_ranking_scorer("ndcg@10", k=10)


def test_the_first_of_several_metrics_is_named():
    message = "'mrr@5' sets k=5, so k=3 has no effect. Write 'mrr@3', or 'mrr' with k=3."
    with pytest.raises(ValueError, match=re.escape(message)):
        make_ranking_scorer(["mrr@5", "ndcg@10"], k=3)


def test_the_advice_for_a_parameter_other_than_k():
    message = (
        "sets persistence=0.5, so persistence=0.8 has no effect. Leave one of the two out."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        make_ranking_scorer(["rbp(persistence=0.5)@10"], persistence=0.8)


def test_advice_runs():
    assert repr(make_ranking_scorer("ndcg@3"))
    assert repr(make_ranking_scorer("ndcg", k=3))


@pytest.mark.parametrize(
    "call",
    [
        make_recommender_scorer,
        lambda metric, **given: ranking_scores(**ROWS, metrics=metric, **given),
        lambda metric, **given: per_query_scores(**ROWS, metrics=metric, **given),
        lambda metric, **given: ranking_report(**ROWS, metrics=metric, **given),
        lambda metric, **given: QueryScorer(
            metric, groups="q", y_true="y", y_score="s", **given
        ),
        lambda metric, **given: PerQueryDisplay.from_predictions(
            **ROWS, metrics=metric, **given
        ),
    ],
)
def test_every_entrance_refuses(call):
    pytest.importorskip("matplotlib")
    name = "map(min_relevance=2)@5"
    given = {"k": 3} if call is make_recommender_scorer else {"min_relevance": 3}
    with pytest.raises(ValueError, match=f"sets {next(iter(given))}=.* has no effect"):
        call(name, **given)


def test_what_has_an_effect_or_agrees_passes():
    make_ranking_scorer(["ndcg@10", "map"], k=3)
    make_ranking_scorer("ndcg@10", k=np.int64(10))
    ranking_scores(**ROWS, metrics=["map(min_relevance=2)", "mrr"], min_relevance=1)
    ranking_scores(**ROWS, metrics="map(min_relevance=2)", min_relevance=2.0)


def test_alias_and_parameter_in_parentheses():
    with pytest.raises(ValueError, match="no effect"):
        make_ranking_scorer("precision(k=5)", k=3)
    with pytest.raises(ValueError, match="sets percentile=True, so percentile=False"):
        make_ranking_scorer("mpr", percentile=False)


def test_wrong_value_is_wrong_first():
    with pytest.raises(TypeError, match="`k` must be an integer"):
        make_ranking_scorer("ndcg@10", k="3")
