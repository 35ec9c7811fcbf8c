"""Where no row is irrelevant, every order scores the same."""

import re
import warnings

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    ips_ndcg_score,
    mean_average_precision_score,
    ndcg_score,
    ranking_scores,
)

RNG = np.random.default_rng(0)
GROUPS = np.repeat(np.arange(50), 6)
S = RNG.random(300)
ONES = np.ones(300)
RATINGS = RNG.integers(1, 6, 300)


def warns(metric, advice="or set min_relevance."):
    text = (
        "All rows of all 50 queries are relevant, so every order scores the same by "
        f"{metric}. Add the others, {advice}"
    )
    return pytest.warns(MisleadingScoreWarning, match=re.escape(text))


@pytest.fixture
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error", MisleadingScoreWarning)
        yield


def test_acceptance_example():
    with warns("map"):
        mean_average_precision_score(ONES, S, groups=GROUPS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ndcg_score(RATINGS, S, groups=GROUPS)


@pytest.mark.parametrize("highest", [1, 4])
def test_probabilities_in_place_of_grades_warn(highest):
    # torchmetrics and XGBoost take the predictions first.
    grades, found = RNG.integers(0, highest + 1, 300), np.clip(S, 1e-6, None)
    for metric in (ndcg_score, mean_average_precision_score):
        with pytest.warns(MisleadingScoreWarning, match="The grades come first") as caught:
            metric(found, grades, groups=GROUPS)
        assert len(caught) == 1
    with pytest.warns(MisleadingScoreWarning, match="The grades come first"):
        ndcg_score(found.reshape(50, 6), grades.reshape(50, 6))


@pytest.mark.usefixtures("silent")
def test_fractions_that_may_be_grades_pass():
    gains = np.clip(S, 1e-6, None)
    ndcg_score(gains, RNG.random(300), groups=GROUPS)
    ndcg_score(gains, RNG.integers(0, 50, 300), groups=GROUPS)  # counts as scores
    ndcg_score(gains * 2, RNG.integers(0, 2, 300), groups=GROUPS)  # not probabilities
    ndcg_score(gains - gains.min(), RNG.integers(0, 2, 300), groups=GROUPS)
    ndcg_score(gains[:3], [1, 0, 1], groups=GROUPS[:3])  # few rows
    ndcg_score(gains, np.zeros(300), groups=GROUPS)  # a model that knows nothing


def test_ratings_by_metrics_of_both_kinds():
    with warns("map, mrr"):
        ranking_scores(RATINGS, S, groups=GROUPS, metrics=["ndcg", "map", "mrr"])


def test_graded_metrics_look_at_equal_grades():
    with warns("ndcg", "with grade 0."):
        ndcg_score(ONES, S, groups=GROUPS)
    with warns("ndcg", "with grade 0."):  # one grade per query
        ndcg_score(GROUPS % 3 + 1, S, groups=GROUPS)
    mixed = RNG.permutation(300)
    with warns("ndcg", "with grade 0."):  # rows that lie anywhere
        ndcg_score((GROUPS % 3 + 1)[mixed], S, groups=GROUPS[mixed])
    with warns("ndcg", "with grade 0."):
        ndcg_score(ONES.reshape(50, 6), S.reshape(50, 6))


def test_a_query_at_the_end_that_differs_is_found(silent):
    groups = np.repeat(np.arange(2000), 6)
    grades = groups % 3 + 1
    grades[-1] = 5
    order = RNG.permutation(len(groups))
    ndcg_score(grades, RNG.random(len(groups)), groups=groups)
    ndcg_score(grades[order], RNG.random(len(groups)), groups=groups[order])


def test_advice_runs(silent):
    mean_average_precision_score(RATINGS, S, groups=GROUPS, min_relevance=2)
    others = np.append(ONES, 0)
    mean_average_precision_score(others, np.append(S, 0.1), groups=np.append(GROUPS, 0))


def test_what_is_meant_is_silent(silent):
    few = GROUPS < 19
    mean_average_precision_score(ONES[few], S[few], groups=GROUPS[few])
    missed = np.where(S < 0.1, -np.inf, S)
    mean_average_precision_score(ONES, missed, groups=GROUPS)
    perfect = {user: ["a", "b"] for user in range(50)}
    mean_average_precision_score(**from_item_lists(perfect, perfect))
    # Weights differ within a query, and so its orders.
    ips_ndcg_score(ONES, S, groups=GROUPS, propensity=RNG.uniform(0.1, 1, 300))
    stored = sparse.csr_array(np.eye(50))  # all other cells are irrelevant
    mean_average_precision_score(stored, stored)
