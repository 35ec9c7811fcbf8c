"""What new users type, and the lines that the errors name."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank.inputs import from_relevance
from sklearn_rank.metrics import (
    mean_reciprocal_rank_score,
    ndcg_score,
    per_query_scores,
    ranking_scores,
    recall_at_k_score,
)
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.statistics import compare_runs

Y_TRUE = np.array([1, 0, 0, 1, 1, 0])
Y_SCORE = np.array([3.0, 2, 1, 1, 2, 3])
GROUPS = np.array(["b", "b", "b", "a", "a", "a"])


def refusal(kind, call, *arguments, **keywords):
    with pytest.raises(kind) as raised:
        call(*arguments, **keywords)
    return str(raised.value)


def test_several_cutoffs():
    text = refusal(TypeError, recall_at_k_score, Y_TRUE, Y_SCORE, groups=GROUPS, k=[1, 5])
    assert text == (
        "`k` must be an integer >= 1 or None (the whole list), got [1, 5]. For several "
        'write ranking_scores(..., metrics=["recall@1", "recall@5"]).'
    )
    found = ranking_scores(Y_TRUE, Y_SCORE, groups=GROUPS, metrics=["recall@1", "recall@5"])
    assert found == {"recall@1": 0.5, "recall@5": 1.0}
    assert "For several" not in refusal(
        TypeError, recall_at_k_score, Y_TRUE, Y_SCORE, groups=GROUPS, k="5"
    )


def test_one_weight_per_query():
    sample_weight = np.array([1.0, 3.0])  # of a and b
    text = refusal(
        ValueError, ndcg_score, Y_TRUE, Y_SCORE, groups=GROUPS, sample_weight=sample_weight
    )
    line = "sample_weight[np.unique(groups, return_inverse=True)[1]]"
    assert text.endswith(f"got shape (2,). For one weight per query: {line}.")
    weight = sample_weight[np.unique(GROUPS, return_inverse=True)[1]]
    values = per_query_scores(Y_TRUE, Y_SCORE, groups=GROUPS, metrics="ndcg")["ndcg"]
    assert ndcg_score(
        Y_TRUE, Y_SCORE, groups=GROUPS, sample_weight=weight
    ) == pytest.approx(np.average(values, weights=[1, 3]))
    assert "For one weight" not in refusal(
        ValueError, ndcg_score, Y_TRUE, Y_SCORE, groups=GROUPS, sample_weight=[1, 2, 3]
    )


@pytest.mark.parametrize("keyword", [{"group": [3, 3]}, {"qid": GROUPS}])
def test_words_of_boosters_for_groups(keyword):
    X = Y_SCORE[:, None]
    text = refusal(TypeError, GroupRanker(Ridge()).fit, X, Y_TRUE, **keyword)
    assert text == (
        "GroupRanker takes the query of each row as groups=: for sizes, "
        "groups=np.repeat(np.arange(len(group)), group); for qid=, groups=qid."
    )
    group = [3, 3]
    GroupRanker(Ridge()).fit(X, Y_TRUE, groups=np.repeat(np.arange(len(group)), group))


def test_scores_of_several_models_in_columns():
    y_score = pd.DataFrame({"old": Y_SCORE, "new": -Y_SCORE})
    line = "compare_runs(y_true, {m: y_score[m] for m in y_score}, groups=...)"
    text = refusal(ValueError, ndcg_score, Y_TRUE, y_score, groups=GROUPS)
    assert text.endswith(f"one model at a time, or {line}.")
    with pytest.warns(UserWarning, match="rough"):
        found = compare_runs(Y_TRUE, {m: y_score[m] for m in y_score}, groups=GROUPS)
    assert found.row("new").baseline == "old"
    text = refusal(ValueError, ndcg_score, Y_TRUE, y_score.to_numpy(), groups=GROUPS)
    assert "{m: y_score[:, m] for m in range(y_score.shape[1])}" in text
    assert "one model" not in refusal(ValueError, ndcg_score, Y_TRUE, [[1.0] * 6])


def test_reciprocal_ranks():
    text = refusal(TypeError, mean_reciprocal_rank_score, [1, 0, 4])
    assert "of ranks np.mean([1 / r if r else 0 for r in ranks]); of lists" in text
    ranks = [1, 0, 4]
    assert np.mean([1 / r if r else 0 for r in ranks]) == pytest.approx(1.25 / 3)
    rows = from_relevance([[1, 0], [0, 1]])
    assert ranking_scores(**rows, metrics="mrr") == {"mrr": 0.75}


@pytest.mark.parametrize("convention", ["trec_eval", "lightgbm", "ranx"])
def test_what_is_alike_under_all_conventions(convention):
    rows = {"y_true": [1.0, np.nan, 0], "y_score": [2, 3, 1], "groups": ["q"] * 3}
    names = ["judged@2", "map"]
    found = ranking_scores(**rows, metrics=names[:1], convention=convention)
    assert found == ranking_scores(**rows, metrics=names[:1]) == {"judged@2": 0.5}
    whole = {**rows, "y_true": [1.0, 2, 0]}
    assert ranking_scores(**whole, metrics="mae", convention=convention) == ranking_scores(
        **whole, metrics="mae"
    )
    with pytest.raises(ValueError, match=re.escape(f"Convention {convention!r} has no")):
        ranking_scores(**whole, metrics="inst(max_grade=2)", convention=convention)
