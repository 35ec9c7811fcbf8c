"""Numbers of trec_eval: the order of ties, queries without a list, and levels of recall."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    PrecisionRecallAtKDisplay,
    explain_difference,
    mean_reciprocal_rank_score,
    per_query_scores,
    ranking_report,
    ranking_scores,
)
from tests.oracles.judgments import random_judgments

TIED = {"d2": 1.0, "d3": 1.0}
METRICS = ["mrr", "ndcg"]
# d3 comes first, by its id.
BY_ID = {"mrr": 1 / 2, "ndcg": pytest.approx(1 / np.log2(3))}


@pytest.mark.parametrize("run", [TIED, dict(reversed(TIED.items()))])
def test_equal_scores_of_a_mapping_are_in_descending_order_of_id(run):
    rows = from_item_lists({"q": {"d2": 1}}, {"q": run})
    assert ranking_scores(**rows, metrics=METRICS, convention="trec_eval") == BY_ID
    assert mean_reciprocal_rank_score(**rows) == (1 + 1 / 2) / 2


def test_only_tied_items_change_places():
    run = {"q": {"a": 1.0, "z": 2.0, "b": 1.0, "c": 3.0}, "r": {"a": 1.0, "b": 1.0}}
    rows = from_item_lists({"q": ["a"], "r": ["b"]}, run, return_items=True)
    assert rows["items"].tolist() == ["b", "z", "a", "c", "b", "a"]
    assert rows.y_score.tolist() == [1, 2, 1, 3, 1, 1]
    assert rows.y_true.tolist() == [0, 0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    "run",
    [
        [("d1", 1.0), ("d2", 1.0)],  # pairs are listed in an order
        {1: 1.0, 2: 1.0},  # trec_eval has no numbers as ids
        ["d1", "d2"],
    ],
)
def test_other_lists_keep_their_order(run):
    ids = [entry[0] if isinstance(entry, tuple) else entry for entry in run]
    rows = from_item_lists({"q": ids[:1]}, {"q": run}, return_items=True)
    assert rows["items"].tolist() == ids


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize("max_grade", [1, 4])
def test_two_hundred_tied_runs(max_grade, by_rows):
    """By the lists, and by rows in any order with `items=`."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    drawn = random_judgments(3, 200, max_grade=max_grade, tied=True)
    evaluator = pytrec_eval.RelevanceEvaluator(drawn.qrels, {"recip_rank", "map", "ndcg"})
    theirs = evaluator.evaluate(drawn.run)
    rows = from_item_lists(drawn.qrels, drawn.run, return_items=True)
    if by_rows:
        order = np.random.default_rng(5).permutation(len(rows.y_true))
        rows = {name: rows[name][order] for name in rows}
    else:
        del rows["items"]
    found = per_query_scores(**rows, metrics=["mrr", "map", "ndcg"], convention="trec_eval")
    names = ("recip_rank", "map", "ndcg")
    for ours, name in zip(found.scores.values(), names, strict=True):
        expected = [theirs[query][name] for query in found.groups]
        assert ours == pytest.approx(expected, abs=1e-12)


ROWS = {"y_true": [1, 0, 0], "y_score": [1.0, 1.0, 0.0]}


def test_items_order_ties_of_rows_and_of_columns():
    for items, expected in ((["d2", "d3", "d1"], 1 / 2), (["d4", "d3", "d1"], 1.0)):
        ask = {"items": items, "metrics": "mrr", "convention": "trec_eval"}
        assert ranking_scores(**ROWS, groups=[0] * 3, **ask) == {"mrr": expected}
        grid = {name: [values] for name, values in ROWS.items()}
        assert ranking_scores(**grid, **ask) == {"mrr": expected}
        stored = {name: sparse.csr_array(np.array(rows)) for name, rows in grid.items()}
        assert ranking_scores(**stored, **ask) == {"mrr": expected}


def test_numbers_as_items_are_compared_as_text():
    """'9' is above '10' where trec_eval compares ids."""
    ask = {"groups": [0] * 3, "metrics": "mrr", "convention": "trec_eval"}
    assert ranking_scores(**ROWS, **ask, items=[9, 10, 1]) == {"mrr": 1.0}
    assert ranking_scores(**ROWS, **ask, items=[10, 9, 1]) == {"mrr": 1 / 2}


def test_the_order_of_ties_that_is_given_wins():
    ask = {"groups": [0] * 3, "metrics": "mrr", "items": ["d2", "d3", "d1"]}
    first = ranking_scores(**ROWS, **ask, ties="first", convention="trec_eval")
    assert first == {"mrr": 1.0}
    assert ranking_scores(**ROWS, **ask) == {"mrr": 3 / 4}


def test_rows_that_were_not_retrieved_stay_so():
    rows = {"y_true": [0, 1, 1], "y_score": [1.0, -np.inf, -np.inf], "groups": [0] * 3}
    ask = {"items": ["a", "b", "c"], "metrics": ["mrr", "recall"]}
    found = ranking_scores(**rows, **ask, convention="trec_eval")
    assert list(found.values()) == [0, 0]


# Queries that the run does not answer.


def forty_queries():
    """Lists for 30 of 40 queries, with the first hit at rank 4."""
    truth = {f"q{n}": ["d4"] for n in range(40)}
    return from_item_lists(truth, {f"q{n}": ["d1", "d2", "d3", "d4"] for n in range(30)})


def test_queries_without_a_list():
    rows = forty_queries()
    assert ranking_scores(**rows, metrics="mrr") == {"mrr": 0.1875}
    for convention in ("trec_eval", "trec_eval_10"):
        found = ranking_scores(**rows, metrics="mrr", convention=convention)
        assert found == {"mrr": 0.25}
        ask = {"metrics": "mrr", "convention": convention}
        assert ranking_scores(**rows, **ask, replace_undefined_by=0) == {"mrr": 0.1875}


def test_a_query_with_a_list_and_nothing_relevant_counts_as_zero():
    found = per_query_scores(
        [1, 0, 1, 0, 0],
        [2, 1, -np.inf, 1, 2],
        groups=["c", "c", "a", "b", "b"],
        metrics="mrr",
        convention="trec_eval",
    )
    assert found.groups.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(found.scores["mrr"], [np.nan, 0, 1])
    assert found.mean()["mrr"] == 1 / 2


def test_reports_leave_them_out():
    report = ranking_report(
        **forty_queries(), metrics="mrr@5", convention="trec_eval", output_dict=True
    )
    assert report["mrr@5"]["mean"] == 0.25
    assert report["mrr@5"]["queries"] == 30


@pytest.mark.parametrize("weight", [None, 2.0])
def test_curves_leave_them_out(weight):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    rows = forty_queries()
    if weight is not None:
        rows["sample_weight"] = np.full(len(rows.y_true), weight)
    shown = PrecisionRecallAtKDisplay.from_predictions(**rows, convention="trec_eval")
    pyplot.close("all")
    assert shown.precision.tolist() == [0, 0, 0, 1 / 4]
    assert shown.recall.tolist() == [0, 0, 0, 1]
    assert shown.n_queries == 30


def test_the_difference_is_explained():
    found = explain_difference(**forty_queries(), theirs=0.25, metric="mrr").found
    assert found[0] == ("convention='trec_eval' or 'trec_eval_10'",)


# The levels of interpolated precision.

LEVELS = {"y_true": [1, 1, 1, 0, 0, 0], "y_score": [6, 3, 2, 5, 4, 1], "groups": [0] * 6}


@pytest.mark.parametrize(
    ("convention", "at_40", "mean"),
    [
        # Precision is 1, 2/4, 3/5 at the hits. A level needs int(.4 * 3 + .9) = 2 of them,
        # in version 10 int(.4 * 3 + .5) = 1.
        ("trec_eval", 3 / 5, (1 + 1 + 1 + 1 + 7 * 3 / 5) / 11),
        ("trec_eval_10", 1.0, (5 * 1 + 6 * 3 / 5) / 11),
    ],
)
def test_names_of_trec_eval_have_the_levels_of_the_version(convention, at_40, mean):
    ask = {"metrics": ["iprec_at_recall_0.40", "11pt_avg"], "convention": convention}
    found = list(ranking_scores(**LEVELS, **ask).values())
    assert found == pytest.approx([at_40, mean], rel=1e-12)
    if convention == "trec_eval_10":
        assert mean == pytest.approx(0.7818, abs=5e-5)


def test_what_a_name_says_wins():
    for name in (
        "iprec_at_recall_0.40(rounding='nearest')",
        "iprec(rounding='nearest')@.4",
    ):
        assert list(ranking_scores(**LEVELS, metrics=name).values()) == [1.0]
    name = "iprec_at_recall_0.40(rounding='nine_tenths')"
    (found,) = ranking_scores(**LEVELS, metrics=name, convention="trec_eval_10").values()
    assert found == 3 / 5


def test_without_a_convention_the_names_are_those_of_version_9():
    names = ["iprec_at_recall_0.40", "11pt_avg"]
    found = list(ranking_scores(**LEVELS, metrics=names).values())
    assert found[0] == 3 / 5


def test_a_level_that_is_given_twice():
    with pytest.raises(ValueError, match="it gives `recall_level` twice"):
        ranking_scores(**LEVELS, metrics="iprec_at_recall_0.40(recall_level=0.5)")
