"""The definition that gives another program's number is found, and no other is claimed."""

import json

import numpy as np
import pytest

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import (
    conventions,
    explain_difference,
    per_query_scores,
    ranking_scores,
)
from sklearn_rank.metrics._core._registry import METRICS

CASES = [
    (library, name)
    for library, convention in conventions.items()
    for name in convention.metrics
    if METRICS[name].rows == "relevant"
    and not METRICS[name].columns
    and METRICS[name].summary.per_query
    and METRICS[name].unjudged != "needed"
]


@pytest.fixture(scope="module")
def rows():
    X, y, groups = make_ranking(n_queries=60, query_size=(3, 25), random_state=0)
    # Ties, and queries without a relevant row.
    return {"y_true": y * (groups % 9 > 0), "y_score": X[:, 0].round(), "groups": groups}


@pytest.mark.parametrize(("library", "name"), CASES)
def test_values_by_a_convention_are_explained_by_it(rows, library, name):
    metric = f"{name}@5" if METRICS[name].takes_k else name
    theirs = per_query_scores(**rows, metrics=metric, convention=library)
    values = dict(zip(theirs.groups.tolist(), *theirs.scores.values(), strict=True))
    found = explain_difference(**rows, theirs=values, metric=metric)
    named = [text for changes in found.found for text in changes]
    assert found.found == [()] or any(f"{library!r}" in text for text in named)


@pytest.mark.parametrize(
    ("changes", "parameters"),
    [
        ((), {}),
        (("gain='exponential'",), {"metrics": "ndcg(gain='exponential')@10"}),
        (("k=None",), {"metrics": "ndcg"}),
        (("ties='worst'",), {"ties": "worst"}),
        (("replace_undefined_by=0.0",), {"replace_undefined_by": 0.0}),
        (
            ("gain='exponential'", "replace_undefined_by=0.0"),
            {"metrics": "ndcg(gain='exponential')@10", "replace_undefined_by": 0.0},
        ),
    ],
)
def test_the_fewest_changes_stand_first(rows, changes, parameters):
    asked = {"metrics": "ndcg@10", "replace_undefined_by": np.nan, **parameters}
    (theirs,) = ranking_scores(**rows, **asked).values()
    assert explain_difference(**rows, theirs=theirs).found[0] == changes


def test_an_early_grade_that_is_not_relevant(rows):
    theirs = ranking_scores(
        **rows, metrics="recall@5", min_relevance=2, replace_undefined_by=np.nan
    )
    found = explain_difference(**rows, theirs=theirs["recall@5"], metric="recall@5")
    assert ("min_relevance=2",) in found.found


@pytest.mark.filterwarnings("ignore:Relevant rows score below")
@pytest.mark.parametrize("mistake", ["all rows as one list", "lowest score first"])
def test_common_mistakes(rows, mistake):
    wrong = dict(rows)
    if mistake == "lowest score first":
        wrong["y_score"] = -rows["y_score"]
    else:
        wrong["groups"] = np.zeros(len(rows["groups"]))
    theirs = ranking_scores(**wrong, metrics="ndcg@10", replace_undefined_by=np.nan)
    assert explain_difference(**rows, theirs=theirs["ndcg@10"]).found[0] == (mistake,)


def test_a_number_that_nothing_gives_is_not_explained(rows):
    found = explain_difference(**rows, theirs=0.123456)
    assert found.found == []
    assert len({f"{value:.6g}" for _, value in found.nearest}) == 3
    assert "Nothing that was tried" in str(found)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["is_explained"] is False


def values_at_5(rows):
    """Return the values of queries by nDCG with exponential gains at 5, and their mean."""
    options = {"metrics": "ndcg(gain='exponential')@5", "replace_undefined_by": np.nan}
    scores = per_query_scores(**rows, **options)
    (values,) = scores.scores.values()
    return dict(zip(scores.groups.tolist(), values.tolist(), strict=True)), np.nanmean(
        values
    )


@pytest.mark.parametrize("decimals", [3, 4])
def test_a_number_with_few_decimals_is_a_rounded_one(rows, decimals):
    values, mean = values_at_5(rows)
    rounded = {query: round(value, decimals) for query, value in values.items()}
    note = f"Equal when rounded to {decimals} decimals; with more decimals fewer"
    for theirs in (round(mean, decimals), rounded):
        of_both = {"theirs": theirs, "metric": "ndcg@5"}
        explained = explain_difference(**rows, **of_both)
        assert explained.found[0] == ("gain='exponential'",)
        assert note in str(explained)
        assert explain_difference(**rows, **of_both, tolerance=1e-6).found == []
        exact = explain_difference(**rows, **of_both, tolerance=0.5 * 10**-decimals)
        assert (exact.found, note in str(exact)) == (explained.found, False)


def test_a_rounded_number_of_our_own_is_no_change(rows):
    ours = explain_difference(**rows, theirs=0.5).ours
    assert explain_difference(**rows, theirs=round(ours, 3)).found == [()]


def test_a_half_is_rounded_either_way():
    one = {"y_true": [[0, 0, 1] + [0] * 13], "y_score": [[*range(16, 0, -1)]]}
    for theirs in (0.062, 0.063):  # 1 of 16 is 0.0625
        explained = explain_difference(**one, theirs=theirs, metric="precision@16")
        assert explained.found == [()]


def test_numbers_that_may_be_exact_are_not_taken_for_rounded_ones(rows):
    _, mean = values_at_5(rows)
    for theirs in (round(mean, 1), round(mean, 2), 0):
        explained = explain_difference(**rows, theirs=theirs, metric="ndcg@5")
        assert ("gain='exponential'",) not in explained.found
        assert "rounded" not in str(explained)


@pytest.mark.parametrize("decimals", [3, 15])
def test_a_forgotten_cutoff_of_another_library(rows, decimals):
    (theirs,) = ranking_scores(**rows, metrics="ndcg@5", convention="lightgbm").values()
    explained = explain_difference(**rows, theirs=round(theirs, decimals))
    assert ("k=5", "convention='lightgbm' or 'xgboost'") in explained.found


def test_a_forgotten_cutoff_and_a_gain(rows):
    _, theirs = values_at_5(rows)
    assert explain_difference(**rows, theirs=theirs).found == [
        ("k=5", "gain='exponential'")
    ]


def test_grades_that_are_no_numbers(rows):
    times = np.zeros(len(rows["y_true"]), "datetime64[s]")
    with pytest.raises(ValueError, match=r"`y_true` must .*number"):
        explain_difference(**{**rows, "y_true": times}, theirs=0.5)


def test_values_of_queries_tell_apart_what_a_mean_does_not():
    one = {"y_true": [1, 0, 0, 1], "y_score": [1, 1, 1, 1], "groups": [1, 1, 2, 2]}
    assert explain_difference(**one, theirs=0.75, metric="mrr").found == [()]
    by_query = explain_difference(**one, theirs={1: 1.0, 2: 0.5}, metric="mrr")
    assert by_query.found[0] == ("ties='first'",)


def test_grids_are_queries_by_place(rows):
    y_true, y_score = [[1, 0, 2], [0, 1, 0]], [[3, 2, 1], [3, 2, 1]]
    theirs = ranking_scores(y_true, y_score, metrics="ndcg(gain='exponential')@10")
    (value,) = theirs.values()
    assert explain_difference(y_true, y_score, theirs=value).found[0] == (
        "gain='exponential'",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"theirs": {"x": 0.5}}, "none of the queries"),
        ({"theirs": {}}, "no query with a value"),
        ({"theirs": "0.5"}, "a number or a mapping"),
        ({"theirs": 0.5, "metric": "coverage@10"}, "needs more than grades"),
        ({"theirs": 0.5, "tolerance": -1}, "tolerance"),
    ],
)
def test_what_cannot_be_explained_is_an_error(rows, arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        explain_difference(**rows, **arguments)
