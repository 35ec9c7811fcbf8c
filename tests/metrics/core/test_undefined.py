"""What undefined queries do to means: a warning, nothing, or a number."""

import pickle
import warnings
from math import isnan, nan

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold

from sklearn_rank.metrics import (
    PerQueryDisplay,
    PrecisionRecallAtKDisplay,
    make_ranking_scorer,
    make_recommender_scorer,
    per_query_scores,
    precision_recall_at_k_curve,
    ranking_report,
    ranking_scores,
    sampled_ranking_scores,
)
from tests.metrics.registered import ALWAYS_DEFINED, METRICS

# Query 1 has no relevant row, and query 2 no irrelevant one.
ROWS = {"y_true": [0, 1, 0, 0, 1], "y_score": [5, 4, 3, 2, 1], "groups": [0, 0, 1, 1, 2]}
SOMETIMES_UNDEFINED = sorted(set(METRICS) - ALWAYS_DEFINED)


@pytest.mark.parametrize("name", SOMETIMES_UNDEFINED)
def test_nan_leaves_undefined_queries_out_quietly(name):
    metric = METRICS[name].function
    with pytest.warns(UndefinedMetricWarning) as caught:
        warned = metric(**ROWS)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert metric(**ROWS, replace_undefined_by=nan) == warned
    with pytest.warns(UndefinedMetricWarning):
        assert metric(**ROWS, replace_undefined_by="warn") == warned


def test_nan_is_quiet_wherever_means_are_taken():
    quiet = {"replace_undefined_by": nan}
    assert ranking_scores(**ROWS, metrics="mrr", **quiet) == {"mrr": 0.75}
    precision_recall_at_k_curve(**ROWS, **quiet)
    ranking_report(**ROWS, **quiet)
    one = {"y_true": [0, 1, 0], "y_score": [3, 2, 1], "groups": [0, 0, 1]}
    sampled_ranking_scores(**one, metrics="mrr", n_negatives=1, n_items=5, **quiet)


def test_a_curve_of_undefined_queries():
    rows = {"y_true": [0, 0], "y_score": [2, 1], "groups": [1, 1]}
    precision, recall, _ = precision_recall_at_k_curve(**rows, replace_undefined_by=np.nan)
    assert np.isnan([precision, recall]).all()


def test_values_per_query_never_warn():
    for fill in ("warn", nan):
        found = per_query_scores(**ROWS, metrics="mrr", replace_undefined_by=fill)
        np.testing.assert_array_equal(found.scores["mrr"], [0.5, nan, 1.0])


def test_displays_warn_by_default_alone():
    pytest.importorskip("matplotlib")
    for display in (PerQueryDisplay, PrecisionRecallAtKDisplay):
        with pytest.warns(UndefinedMetricWarning, match="1 of 3 queries"):
            display.from_predictions(**ROWS)
        display.from_predictions(**ROWS, replace_undefined_by=nan)


@pytest.mark.parametrize("wrong", ["zero", "WARN", None, [0.0], True, float("inf")])
def test_other_values_are_refused(wrong):
    needed = "`replace_undefined_by` must be 'warn',( 'abstained',)? NaN or a finite number"
    calls = (
        METRICS["ndcg"].function,
        ranking_scores,
        per_query_scores,
        ranking_report,
        precision_recall_at_k_curve,
    )
    for call in calls:
        with pytest.raises(ValueError, match=needed):
            call(**ROWS, replace_undefined_by=wrong)
    for make in (make_ranking_scorer, make_recommender_scorer):
        with pytest.raises(ValueError, match=needed):
            make("ndcg@10", replace_undefined_by=wrong)


def test_a_scorer_warns_once_in_a_process():
    """Also in a search, where scikit-learn resets what Python remembers of warnings."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 4)
    X = np.c_[groups, rng.random((120, 2))]
    y = (rng.random(120) < 0.1).astype(int)
    scorer = make_ranking_scorer("ndcg@3", groups=0)
    search = GridSearchCV(Ridge(), {"alpha": [1, 2, 3]}, scoring=scorer, cv=GroupKFold(3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(X, y, groups=groups)
        pickle.loads(pickle.dumps(scorer))(search, X, y)
    assert [warning.category for warning in caught] == [UndefinedMetricWarning]
    with pytest.warns(UndefinedMetricWarning, match="ndcg@3: undefined for some queries"):
        make_ranking_scorer("ndcg@3", groups=0)(search, X, y)
    quiet = make_ranking_scorer("ndcg@3", groups=0, replace_undefined_by=nan)
    assert not isnan(quiet(search, X, y))


def test_advice_on_missing_grades_and_scores_runs():
    """To drop rows is no advice: lists would be condensed, and misses forgotten."""
    y_true, y_score, groups = [0, 1, 1, 0], [4, 3, 2, 1], ["a"] * 4
    metrics = ["precision@2", "recall@2"]
    with pytest.raises(ValueError, match="give 0 to rows that count as not relevant"):
        ranking_scores([np.nan, 1, 1, 0], y_score, groups=groups, metrics=metrics)
    found = ranking_scores(y_true, y_score, groups=groups, metrics=metrics)
    assert list(found.values()) == [0.5, 0.5]
    with pytest.raises(ValueError, match="give -inf to rows that were not retrieved"):
        ranking_scores(y_true, [4, 3, np.nan, 1], groups=groups, metrics=metrics)
    found = ranking_scores(y_true, [4, 3, -np.inf, 1], groups=groups, metrics=metrics)
    assert list(found.values()) == [0.5, 0.5]


def test_only_metrics_of_shown_items_need_a_list():
    with pytest.warns(UndefinedMetricWarning) as told:
        ranking_scores([0, 0], [1, 2], groups=["a", "a"], metrics="ndcg")
    assert "shown items" not in str(told[0].message)
    rows = {"y_true": [0], "y_score": [-np.inf], "groups": ["a"], "values": [1.0]}
    with pytest.warns(UndefinedMetricWarning, match="shown items need a list"):
        ranking_scores(**rows, metrics="mean_value@1")
