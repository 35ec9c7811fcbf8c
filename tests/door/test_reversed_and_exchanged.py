"""Ranks and distances given as scores, and grades exchanged with scores."""

import re
import warnings

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    explain_difference,
    gini_at_k_score,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    unjudged_bounds,
)
from sklearn_rank.metrics._core import _misleading_input

RNG = np.random.default_rng(0)
REVERSED = "Relevant rows score below the others (AUC "


@pytest.fixture
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error", MisleadingScoreWarning)
        yield


def warns_of_order(auc=""):
    end = "), and the highest score ranks first. Give -distance or -rank"
    text = re.escape(REVERSED) + (re.escape(auc) or r"0\.\d\d") + re.escape(end)
    return pytest.warns(MisleadingScoreWarning, match=text)


def queries(n_queries, n_rows=10, strength=1.0, seed=0):
    """Return grades 0 and 1, scores of a model, and groups."""
    rng = np.random.default_rng(seed)
    y_true = (rng.random((n_queries, n_rows)) < 0.3).astype(int)
    y_true[:, 0], y_true[:, 1] = 1, 0
    scores = strength * y_true + rng.normal(size=y_true.shape)
    return y_true.ravel(), scores.ravel(), np.repeat(np.arange(n_queries), n_rows)


def ranks(scores, n_rows=10):
    """Return the rank of each row in its query, from 1 on."""
    return 1 + (-scores.reshape(-1, n_rows)).argsort(1).argsort(1).ravel()


def test_ranks_as_scores(silent):
    y_true, scores, groups = queries(60)
    rank = ranks(scores)
    with warns_of_order():
        ndcg_score(y_true, rank, groups=groups)
    ndcg_score(y_true, -rank, groups=groups)
    ndcg_score(y_true, 11 - rank, groups=groups)


def test_the_auc_is_the_mean_over_queries():
    """One relevant row of four: above none, and above one. AUC 0 and 1/3."""
    y_true = [[0, 0, 0, 1], [0, 0, 1, 0]] * 10
    y_score = [[4, 3, 2, 1]] * 20
    with warns_of_order("0.17"):
        ndcg_score(y_true, y_score)
    tied = [[4, 1, 1, 1], [4, 3, 1, 1]] * 10  # 2/2 of 3, and 1/2 of 3: on average 1/4
    with warns_of_order("0.25"):
        ndcg_score(y_true, tied)


@pytest.mark.parametrize("form", ["grid", "sparse grades", "anywhere", "late"])
def test_all_forms_of_arrays(form):
    y_true, scores, groups = queries(600 if form == "late" else 60)
    distance = -scores
    if form == "grid":
        given = {"y_true": y_true.reshape(60, 10), "y_score": distance.reshape(60, 10)}
    elif form == "sparse grades":
        grades = sparse.csr_array(y_true.reshape(60, 10))
        given = {"y_true": grades, "y_score": distance.reshape(60, 10)}
    else:
        order = RNG.permutation(len(groups))
        given = {
            "y_true": y_true[order],
            "y_score": distance[order],
            "groups": groups[order],
        }
    with warns_of_order():
        ndcg_score(**given)


def test_the_lowest_relevant_grade_counts(silent):
    """Ratings of 1 to 5, where grade 1 is a dislike."""
    liked, scores, groups = queries(60)
    ratings = np.where(liked, 5, RNG.integers(1, 4, len(liked)))
    mean_average_precision_score(ratings, scores, groups=groups, min_relevance=4)
    with warns_of_order():
        mean_average_precision_score(ratings, -scores, groups=groups, min_relevance=4)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("strength", [0, 0.2, 1])
def test_models_and_scores_without_a_signal_are_silent(strength):
    """A hundred logs for each; the specification counts 0 of 1,200."""
    for seed in range(100):
        y_true, scores, groups = queries(20 + seed, strength=strength, seed=seed)
        ndcg_score(y_true, scores, groups=groups)


@pytest.mark.parametrize(("strength", "least"), [(0.8, 0.7), (1.5, 0.95)])
def test_most_reversed_models_of_twenty_queries_are_found(strength, least):
    found = 0
    for seed in range(60):
        y_true, scores, groups = queries(20, strength=strength, seed=seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", MisleadingScoreWarning)
            ndcg_score(y_true, -scores, groups=groups)
        found += len(caught)
    assert found >= least * 60


@pytest.mark.usefixtures("silent")
def test_what_is_meant_is_silent():
    y_true, scores, groups = queries(60)
    few = groups < 19
    ndcg_score(y_true[few], -scores[few], groups=groups[few])
    one_kind = np.where(groups < 45, 1, y_true)  # 15 queries with both kinds
    ndcg_score(one_kind, -scores, groups=groups)
    missed = np.where(scores > 1, -np.inf, -scores)
    ndcg_score(y_true, missed, groups=groups)
    # Lists: what was shown is the model's choice, and its order was.
    lists = {user: ["a", "b", "c"] for user in range(40)}
    ndcg_score(**from_item_lists({user: ["c"] for user in range(40)}, lists))
    # A metric of shown items alone.
    items = np.tile(np.arange(10), 60)
    gini_at_k_score(y_true, -scores, groups=groups, items=items, n_items=10)


def test_only_the_first_rows_are_read_if_these_are_right(monkeypatch):
    """One query of 5,000 rows fills them, too."""
    read = []
    look = _misleading_input._auc_of_first_queries

    def spy(rows, n_queries, lowest):
        read.append(n_queries)
        return look(rows, n_queries, lowest)

    monkeypatch.setattr(_misleading_input, "_auc_of_first_queries", spy)
    y_true, scores, groups = queries(1000)
    ndcg_score(y_true, scores, groups=groups)
    assert read == [51]  # 512 rows
    with warns_of_order():
        ndcg_score(y_true, -scores, groups=groups)
    assert read == [51, 51, 409, 1000]  # then 4,096, then all
    y_true, scores, _ = queries(20, n_rows=5000)
    with warns_of_order():
        ndcg_score(y_true.reshape(20, 5000), -scores.reshape(20, 5000))
    assert read[-2:] == [1, 20]
    y_true[:5000] = 0  # the first rows tell nothing
    grid = y_true.reshape(20, 5000), -scores.reshape(20, 5000)
    ndcg_score(*grid, replace_undefined_by=0)
    assert read[-1] == 1


def test_scorers_warn_once(silent):
    class Distance:
        def predict(self, X):
            return X[:, 0]

    y_true, scores, groups = queries(60)
    scorer = make_ranking_scorer("ndcg", groups=1)
    X = np.column_stack([-scores, groups])
    with warns_of_order():
        scorer(Distance(), X, y_true)
    scorer(Distance(), X, y_true)


def test_functions_that_change_the_rows_themselves_are_silent(silent):
    """explain_difference tries reversed scores, unjudged_bounds the worst judgments."""
    y_true, scores, groups = queries(60)
    with warns_of_order():
        theirs = ndcg_score(y_true, -scores, groups=groups)
    found = explain_difference(
        y_true, scores, groups=groups, theirs=theirs, metric="ndcg"
    ).found
    assert ("lowest score first",) in found
    grades = np.where(scores.argsort().argsort() % 3 == 0, np.nan, y_true)
    unjudged_bounds(grades, scores, groups=groups, metrics="mrr")


# Grades and scores in the other order, as torchmetrics and XGBoost take them.

EXCHANGED = "The grades come first"


@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [
        ([[0.9, 0.2, 0.4, 0.7]], [[1, 0, 0, 1]]),
        ([[0.9, 0.2], [0.4, 0.7]], [[3, 0], [1, 2]]),
        ([[0.9, 0.2, 0.3, 0.4, 0.7]], [[4, 3, 2, 1, 0]]),
    ],
)
def test_exchanged_in_any_number_of_queries(y_true, y_score):
    with pytest.warns(MisleadingScoreWarning, match=EXCHANGED):
        ndcg_score(y_true, y_score)
    flat = np.ravel(y_true), np.ravel(y_score)
    groups = np.repeat(np.arange(len(y_true)), len(y_true[0]))
    with pytest.warns(MisleadingScoreWarning, match=EXCHANGED):
        ndcg_score(*flat, groups=groups)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [
        ([[0.9, 0.2, 0.4]], [[1, 0, 0]]),  # three rows
        ([[0.9, 0.2, 0.2, 0.7]], [[1, 0, 0, 1]]),  # a grade twice, as of graded lists
        ([[1.0, 0.2, 0.4, 0.7]], [[1, 0, 0, 1]]),
        ([[0.0, 0.2, 0.4, 0.7]], [[1, 0, 0, 1]]),
        ([[0.9, 0.2, 0.4, 0.7]], [[5, 0, 0, 1]]),
        ([[0.9, 0.2, 0.4, 0.7]], [[1.5, 0, 0, 1]]),
        ([[0.9, 0.2, 0.4, 0.7]], [[1, 1, 1, 1]]),
        ([[0.9, 0.2, 0.4, 0.7]], [[1, 0, 0, -np.inf]]),
    ],
)
def test_other_values_pass(y_true, y_score):
    ndcg_score(y_true, y_score)
