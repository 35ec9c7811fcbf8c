"""Where every query has one row, no order of the scores can be wrong."""

import re
import warnings

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_item_lists, from_relevance
from sklearn_rank.metrics import (
    bpref_score,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    per_query_scores,
    ranking_report,
    ranking_scores,
)

Y, S = np.array([1, 0] * 50), np.arange(100.0)
TEXT = (
    "All 100 queries have one row, so no order of y_score can be wrong. Check groups; for "
    "arrays of shape (n, 1) pass y.ravel() with groups."
)


def warns():
    return pytest.warns(MisleadingScoreWarning, match=re.escape(TEXT))


@pytest.fixture
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error", MisleadingScoreWarning)
        yield


@pytest.mark.filterwarnings("ignore:.*undefined for")
def test_acceptance_example():
    with warns() as told:
        ndcg_score([1, 0] * 50, range(100), groups=range(100))
    assert told[0].filename == __file__


@pytest.mark.filterwarnings("ignore:.*undefined for")
def test_entrances():
    rows = {"y_true": Y, "y_score": S, "groups": np.arange(100)}
    with warns():
        ndcg_score(Y[:, None], S[:, None])
    with warns():
        per_query_scores(**rows, metrics="map")
    with warns():
        ranking_report(**rows, metrics="map")
    with warns():  # rows that lie anywhere
        mean_average_precision_score(Y, S, groups=np.random.default_rng(0).permutation(100))


@pytest.mark.filterwarnings("ignore:.*undefined for")
def test_advice_runs(silent):
    y, score = Y[:, None], S[:, None]
    assert ndcg_score(y.ravel(), score.ravel(), groups=np.repeat(np.arange(10), 10)) > 0


@pytest.mark.filterwarnings("ignore:.*undefined for")
def test_scorer_says_it_once():
    X = np.column_stack([np.random.default_rng(0).random(100), np.arange(100)])
    scorer = make_ranking_scorer("ndcg@10", groups=1)
    with pytest.warns(MisleadingScoreWarning) as told:
        cross_val_score(Ridge(), X, Y, cv=3, scoring=scorer)
    told = [one for one in told if one.category is MisleadingScoreWarning]
    assert len(told) == 1


@pytest.mark.filterwarnings("ignore:.*undefined for")
def test_what_is_meant_is_silent(silent):
    few = np.arange(19)
    ndcg_score(Y[:19], S[:19], groups=few)
    one_longer = np.append(np.arange(99), 0)
    ndcg_score(Y, S, groups=one_longer)
    missed = np.where(Y == 1, -np.inf, S)
    ndcg_score(Y, missed, groups=np.arange(100))
    ranking_scores(Y, S, metrics="rmse")
    lists = {user: [user] for user in range(50)}
    ndcg_score(**from_item_lists(lists, lists))
    ndcg_score(**from_relevance([[1]] * 50))
    bpref_score(Y, S, groups=np.arange(100))
