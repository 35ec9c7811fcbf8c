"""The report of a system that may answer nothing."""

import math

import numpy as np
import pytest

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import aurc_score
from sklearn_rank.statistics import abstention_report, compare_models

TRUTH = {"q1": ["d1"], "q2": [], "q3": ["d3"], "q4": ["d4", "d5"], "q5": [], "q6": ["d6"]}
RUN = {
    "q1": {"d1": 0.9, "d2": 0.3},
    "q2": {},
    "q3": {"d3": 0.7},
    "q4": {"d9": 0.7, "d4": 0.5},
    "q5": {"d7": 0.6},
    "q6": {},
}
SYSTEMS = {"A": RUN, "B": RUN | {"q2": {"d8": 0.8}}}
few = pytest.mark.filterwarnings("ignore::UserWarning")


def report_of(system="A", metric="hit_rate@1", **given):
    rows = from_item_lists(TRUTH, SYSTEMS[system])
    return abstention_report(**rows, metric=metric, **given)


@few
@pytest.mark.parametrize(
    ("threshold", "values"),
    [
        (None, [0.666667, 0.5, 0.5, 0.25, 0.5]),
        (0.7, [0.5, 0.333333, 0, 0.25, 0.666667]),
        (0.75, [0.166667, 0, 0, 0.75, 0.5]),
    ],
)
def test_rates_at_a_threshold(threshold, values):
    report = report_of(threshold=threshold)
    names = "coverage", "risk", "false_answer_rate", "false_abstention_rate", "mean"
    assert [round(report.row(name).value, 6) for name in names] == values
    numbers = [report.row(name).n for name in names]
    answered = round(values[0] * 6)
    assert numbers == [6, answered, 2, 4, 6]
    assert round(report.row("aurc").value, 6) == 0.347222


@few
def test_rates_have_the_interval_of_clopper_and_pearson():
    row = report_of().row("false_answer_rate")
    assert (round(row.low, 6), round(row.high, 6)) == (0.012579, 0.987421)


@few
@pytest.mark.parametrize(
    ("system", "metric", "error"),
    [
        ("A", "hit_rate@1", 0.246153),
        ("A", "ndcg@10", 0.189673),
        ("B", "hit_rate@1", 0.287852),
        ("B", "ndcg@10", 0.272567),
    ],
)
def test_areas_are_means_of_values_per_query(system, metric, error):
    report = report_of(system, metric)
    rows = from_item_lists(TRUTH, SYSTEMS[system])
    for name, adjust in (
        ("aurc", None),
        ("excess", "excess"),
        ("normalized", "normalized"),
    ):
        name = "aurc" if adjust is None else f"{name}_aurc"
        expected = aurc_score(**rows, metric=metric, adjust=adjust)
        assert report.row(name).value == pytest.approx(expected, rel=1e-12)
    assert round(report.per_query.standard_error()["aurc"], 6) == error


@few
def test_two_systems_are_compared_in_pairs():
    a, b = report_of("A").per_query, report_of("B").per_query
    found = compare_models({"A": a, "B": b}, baseline="A", metrics="aurc")
    assert found.row("B").difference == pytest.approx(0.461111 - 0.347222, abs=2e-6)
    rows = from_item_lists(TRUTH, RUN)
    parts = [
        abstention_report(
            **{name: column[is_in] for name, column in rows.items()}
        ).per_query
        for is_in in (rows.groups < "q4", rows.groups >= "q4")
    ]
    with pytest.raises(ValueError, match=r"aurc.*queries"):
        parts[0].merge(parts[1])


@few
def test_text_frame_and_dict():
    report = report_of(threshold=0.7)
    text = report.to_text(width=120)
    assert "6 queries, 2 of them unanswerable" in text
    assert "answered if the confidence is 0.7 or more" in text
    assert "every list that is not empty is answered" in report_of().to_text(width=120)
    assert report.to_dict()["rows"][0]["name"] == "coverage"
    assert repr(report) == "AbstentionReport(hit_rate@1, 6 queries)"
    with pytest.raises(ValueError, match="`name`"):
        report.row("recall")


@few
def test_weights_count_queries_more_than_once():
    rows = from_item_lists(TRUTH, RUN)
    weight = np.where(rows.groups == "q5", 2.0, 1.0)
    report = abstention_report(**rows, metric="hit_rate@1", sample_weight=weight)
    assert report.row("coverage").value == pytest.approx(5 / 7)
    assert report.row("coverage").method == "t"
    expected = aurc_score(**rows, metric="hit_rate@1", sample_weight=weight)
    assert report.row("aurc").value == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore:`values` has 6")
def test_nothing_is_answered():
    with (
        pytest.warns(UserWarning, match="No query is answered"),
        pytest.warns(UserWarning, match="too narrow below 100 queries"),
    ):
        report = report_of(threshold=10)
    assert math.isnan(report.row("risk").value)
    assert report.row("mean").value == pytest.approx(1 / 3)


@few
def test_equal_losses_have_no_normalized_area():
    y_score = np.c_[np.arange(5), np.full(5, -1)]
    report = abstention_report(np.tile([1, 0], (5, 1)), y_score)
    assert math.isnan(report.row("normalized_aurc").value)
    assert math.isnan(report.row("false_answer_rate").value)
    assert report.row("aurc").value == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"threshold": np.nan}, "`threshold`"),
        ({"confidence_level": 2}, "`confidence_level`"),
        ({"metric": "dcg"}, "has the range"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(ValueError, match=message):
        report_of(**given)


@few
def test_a_report_needs_a_query_with_a_value():
    with pytest.raises(ValueError, match="No query has a value of 'auc'"):
        abstention_report([[1, 1]], [[2, 1]], metric="auc")
