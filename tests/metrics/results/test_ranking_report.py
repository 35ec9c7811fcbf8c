"""Reports: means, standard errors and the queries behind them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.datasets import make_ranking
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_files, from_item_lists
from sklearn_rank.metrics import (
    ndcg_score,
    per_query_scores,
    ranking_report,
    ranking_scores,
)
from sklearn_rank.metrics._core._registry import parse_metrics
from sklearn_rank.metrics._results._ranking_report import expand_cutoffs
from sklearn_rank.statistics import confidence_interval

DATA = {
    "y_true": [0, 1, 0, 1, 1, 0, 0, 0],
    "y_score": [6, 5, 4, 3, 2, 1, 2, 1],
    "groups": ["a", "a", "a", "b", "b", "b", "c", "c"],
}


def test_one_row_for_each_cutoff_of_the_metrics_that_take_one():
    report = ranking_report(
        **DATA, metrics=["ndcg", "auc", "mrr@2"], k=(1, 3), output_dict=True
    )
    assert list(report) == ["ndcg@1", "ndcg@3", "auc", "mrr@2"]


def test_a_metric_with_a_cutoff_takes_no_other():
    named = parse_metrics(["ndcg", "mrr"])
    once = expand_cutoffs(named, (1, 3))
    assert [one.name for one in once] == ["ndcg@1", "ndcg@3", "mrr@1", "mrr@3"]
    assert expand_cutoffs(once, 5) == once


def test_means_are_those_of_ranking_scores():
    names = ["precision@1", "map@3", "r_precision"]
    report = ranking_report(**DATA, metrics=names, output_dict=True)
    with pytest.warns(UndefinedMetricWarning, match="1 of 3 queries"):
        scores = ranking_scores(**DATA, metrics=names)
    assert {name: row["mean"] for name, row in report.items()} == scores


def test_standard_error_and_support():
    values = per_query_scores(**DATA, metrics="mrr").scores["mrr"]
    np.testing.assert_array_equal(values, [0.5, 1.0, np.nan])
    row = ranking_report(**DATA, metrics="mrr", k=5, output_dict=True)["mrr@5"]
    # s / sqrt(n) of 0.5 and 1
    assert row == {
        "mean": 0.75,
        "standard_error": pytest.approx(np.std([0.5, 1], ddof=1) / np.sqrt(2)),
        "queries": 2,
        "undefined": 1,
    }


def test_undefined_queries_that_are_replaced_count():
    row = ranking_report(
        **DATA, metrics="mrr", k=5, replace_undefined_by=0, output_dict=True
    )["mrr@5"]
    assert (row["mean"], row["queries"], row["undefined"]) == (0.5, 3, 0)
    assert row["standard_error"] == pytest.approx(np.std([0.5, 1, 0], ddof=1) / np.sqrt(3))


def test_a_weight_of_two_is_not_a_second_query():
    weight = [2, 2, 2, 1, 1, 1, 1, 1]
    row = ranking_report(**DATA, metrics="mrr@5", sample_weight=weight, output_dict=True)
    assert row["mrr@5"]["mean"] == pytest.approx((2 * 0.5 + 1) / 3)
    assert row["mrr@5"]["queries"] == 2


def test_one_query_has_no_standard_error():
    row = ranking_report([1], [1], groups=[0], metrics="mrr", k=1, output_dict=True)
    assert np.isnan(row["mrr@1"]["standard_error"])


def test_the_text_has_a_line_a_metric_and_the_decimals_asked_for():
    text = ranking_report(**DATA, metrics=["mrr", "map"], k=3, digits=2)
    head, *lines = text.splitlines()
    assert head.split() == ["mean", "std", "error", "queries", "undefined"]
    assert [line.split()[:2] for line in lines] == [["mrr@3", "0.75"], ["map@3", "0.75"]]
    assert len({len(line) for line in [head, *lines]}) == 1


def test_a_frame_prints_itself_for_papers():
    frame = ranking_report(**DATA, metrics=["mrr", "map"], k=3, as_frame=True)
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.tolist() == ["mrr@3", "map@3"]
    assert frame.columns.tolist() == ["mean", "standard_error", "queries", "undefined"]
    assert frame["queries"].tolist() == [2, 2]


def test_rating_errors_stand_beside():
    report = ranking_report(**DATA, metrics=["mae", "mrr"], k=1, output_dict=True)
    expected = np.abs(np.subtract(DATA["y_true"], DATA["y_score"])).mean()
    assert report["mae"]["mean"] == pytest.approx(expected)


def test_values_per_query_as_a_frame():
    frame = per_query_scores(**DATA, metrics=["mrr", "rmse"]).to_frame()
    assert frame.index.tolist() == ["a", "b", "c"]
    assert frame.loc["c", "rmse"] == pytest.approx(np.sqrt((2**2 + 1**2) / 2))


@pytest.mark.parametrize("k", [0, -1, (1, 0)])
def test_cutoffs_are_checked(k):
    with pytest.raises(ValueError, match="`k` must be an integer >= 1"):
        ranking_report(**DATA, k=k)


@pytest.mark.parametrize(
    ("digits", "kind"),
    [
        (-1, ValueError),
        (18, ValueError),
        (10**9, ValueError),
        (2.0, TypeError),
        (True, TypeError),
        ("4", TypeError),
        (None, TypeError),
        ([4], TypeError),
    ],
)
def test_decimals_are_a_small_integer(digits, kind):
    for form in ({}, {"output_dict": True}, {"as_frame": True}):
        with pytest.raises(kind, match="`digits` must be"):
            ranking_report(**DATA, digits=digits, **form)


def test_no_decimals_and_all_of_them():
    lines = {
        digits: ranking_report(**DATA, metrics="mrr@3", digits=digits).splitlines()
        for digits in (0, np.int8(4), 17)
    }
    assert lines[0][1].split()[:3] == ["mrr@3", "1", "0"]
    assert lines[4][1].split()[:3] == ["mrr@3", "0.7500", "0.2500"]
    assert lines[17][1].split()[1] == "0.75000000000000000"
    for head, line in lines.values():
        assert len(head) == len(line)


@pytest.mark.parametrize("bad", [5, None, 1.5, True, [None], b"ndcg", len])
def test_what_is_no_metric_is_named(bad):
    with pytest.raises((TypeError, ValueError), match="metric"):
        ranking_report(**DATA, metrics=bad)


def test_a_cutoff_that_a_name_carries_in_any_form_stands():
    names = ["ndcg(k=2)", "mrr@2", "recall", "auc"]
    report = ranking_report(**DATA, metrics=names, k=np.array([1, 3]), output_dict=True)
    assert list(report) == ["ndcg(k=2)", "mrr@2", "recall@1", "recall@3", "auc"]
    functions = ranking_report(**DATA, metrics=ndcg_score, k={3}, output_dict=True)
    assert list(functions) == ["ndcg@3"]
    assert (
        functions["ndcg@3"]
        == (ranking_report(**DATA, metrics="ndcg@3", output_dict=True)["ndcg@3"])
    )
    once = ranking_report(**DATA, metrics=["recall", "recall@3"], k=3, output_dict=True)
    assert list(once) == ["recall@3"]


@pytest.mark.parametrize("metrics", ["ndcg@10", "auc", ["mrr@2", "bpref"]])
def test_cutoffs_that_no_metric_takes_are_an_error(metrics):
    with pytest.raises(ValueError, match=r"`k` has no effect: .* Leave `k` out"):
        ranking_report(**DATA, metrics=metrics, k=5)


@pytest.mark.parametrize("function", [ranking_report, ranking_scores, per_query_scores])
def test_a_lowest_grade_that_no_metric_takes_is_an_error(function):
    with pytest.raises(ValueError, match="`min_relevance` has no effect: 'ndcg@2' takes"):
        function(**DATA, metrics="ndcg@2", min_relevance=2)
    how = {"min_relevance": 1, "replace_undefined_by": 0.0}
    both = function(**DATA, metrics=["ndcg@2", "mrr"], **how)
    assert both is not None
    ranking_report(**DATA, metrics="ndcg@2", min_relevance=1, support=True)


def test_cutoffs_are_needed_only_where_a_metric_has_none():
    report = ranking_report(**DATA, metrics=["mrr@2", "auc"], k=(), output_dict=True)
    assert list(report) == ["mrr@2", "auc"]
    with pytest.raises(ValueError, match="`k` is empty, but 'mrr' needs a cutoff"):
        ranking_report(**DATA, metrics="mrr", k=[])


@pytest.mark.parametrize("k", [range(1, 10**9), list(range(1, 1002)), np.arange(1, 5000)])
def test_more_cutoffs_than_a_table_can_hold_are_refused(k):
    with pytest.raises(ValueError, match=rf"`k` has {len(k)} cutoffs.*1000 at most"):
        ranking_report(**DATA, k=k)


@pytest.mark.parametrize("k", ["5", {5: 1}, np.array(5), [[1, 2]], np.ones((2, 2))])
def test_what_is_no_cutoff_is_named(k):
    with pytest.raises(TypeError, match="`k` must be an integer"):
        ranking_report(**DATA, k=k)


@pytest.mark.parametrize("form", ["output_dict", "as_frame"])
def test_forms_are_asked_for_by_booleans(form):
    with pytest.raises(ValueError, match=f"`{form}` got 'dict'"):
        ranking_report(**DATA, **{form: "dict"})


def test_values_per_query_take_what_the_means_take():
    shared = {"metrics": "mrr", "replace_undefined_by": 0.25, "ties": "worst"}
    weight = [2, 2, 2, 1, 1, 1, 3, 3]
    values = per_query_scores(**DATA, **shared, sample_weight=weight).scores["mrr"]
    assert values.tolist() == [0.5, 1.0, 0.25]
    mean = ranking_scores(**DATA, **shared, sample_weight=weight)["mrr"]
    assert mean == pytest.approx(np.average(values, weights=[2, 1, 3]))
    with pytest.raises(ValueError, match="differs within query"):
        per_query_scores(**DATA, **shared, sample_weight=range(1, 9))


# ---- by segment ------------------------------------------------------------------------


def by_country():
    """Five queries of two rows; their reciprocal ranks are 1, 1/2, 1, 1/2, none."""
    return {
        "y_true": [1, 0, 0, 1, 1, 0, 0, 1, 0, 0],
        "y_score": [2, 1] * 5,
        "groups": [*"aabbccddee"],
        "by": ["AT"] * 4 + ["DE"] * 2 + ["CH"] * 4,
    }


def test_segments_have_their_own_means_errors_and_counts():
    report = ranking_report(**by_country(), metrics="mrr(k=None)", output_dict=True)
    row = report["mrr(k=None)"]
    assert (row["mean"], row["queries"], row["undefined"]) == (0.75, 4, 1)
    segments = row["segments"]
    assert list(segments) == ["AT", "CH", "DE"]
    assert segments["AT"] == {
        "mean": 0.75,
        "standard_error": 0.25,
        "queries": 2,
        "undefined": 0,
    }
    assert (segments["CH"]["mean"], segments["CH"]["undefined"]) == (0.5, 1)
    difference = row["difference"]
    assert (difference["highest"], difference["lowest"]) == ("DE", "CH")
    assert difference["mean"] == 0.5
    assert difference["ratio"] == 2
    assert np.isnan(difference["standard_error"])  # of one query each


def test_the_error_of_a_difference_is_that_of_independent_queries():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (40, 5)), rng.normal(size=(40, 5))
    y_true[:, 0] = 1
    report = ranking_report(
        y_true, y_score, metrics="ndcg@3", by=np.arange(40) % 2, output_dict=True
    )["ndcg@3"]
    errors = [row["standard_error"] for row in report["segments"].values()]
    assert report["difference"]["standard_error"] == pytest.approx(np.hypot(*errors))


def test_extremes_of_three_segments_have_no_error():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (60, 5)), rng.normal(size=(60, 5))
    y_true[:, 0] = 1
    rows = {"y_true": y_true, "y_score": y_score, "metrics": "ndcg@3"}
    by_three = ranking_report(**rows, by=np.arange(60) % 3, output_dict=True)
    assert np.isnan(by_three["ndcg@3"]["difference"]["standard_error"])
    note = "The segments of this difference were chosen by their values"
    assert note in ranking_report(**rows, by=np.arange(60) % 3)
    assert note not in ranking_report(**rows, by=np.arange(60) % 2)


def test_a_table_by_segment():
    text = ranking_report(**by_country(), metrics="mrr(k=None)", digits=2)
    assert [line.split()[:2] for line in text.splitlines()[1:5]] == [
        ["mrr(k=None)", "all"],
        ["AT", "0.75"],
        ["CH", "0.50"],
        ["DE", "1.00"],
    ]
    assert text.splitlines()[5].split()[:4] == ["DE", "-", "CH", "0.50"]


def test_a_frame_by_segment():
    frame = ranking_report(**by_country(), metrics="mrr(k=None)", as_frame=True)
    assert frame.index.names == ["metric", "segment"]
    assert frame.loc[("mrr(k=None)", "AT"), "mean"] == 0.75
    assert frame.loc[("mrr(k=None)", "all"), "queries"] == 4


def test_one_segment_has_no_difference():
    rows = {**by_country(), "by": ["AT"] * 10}
    report = ranking_report(**rows, metrics="mrr(k=None)", output_dict=True)
    assert report["mrr(k=None)"]["difference"] is None
    text = ranking_report(**rows, metrics="mrr(k=None)")
    assert [line.split()[-5] for line in text.splitlines()[1:]] == ["all", "AT"]


def test_the_difference_of_equal_segments_names_two_of_them():
    rows = {"y_true": [1, 0, 1, 0, 1, 0], "y_score": [2, 1, 2, 1, 2, 1]}
    by, groups = list("aabbcc"), [0, 0, 1, 1, 2, 2]
    report = ranking_report(
        **rows, groups=groups, by=by, metrics="ndcg@10", output_dict=True
    )
    difference = report["ndcg@10"]["difference"]
    assert (difference["highest"], difference["lowest"]) == ("a", "c")
    assert difference["mean"] == 0


def test_a_segment_never_splits_a_query():
    rows = {**by_country(), "by": ["AT", "DE"] * 5}
    with pytest.raises(ValueError, match=r"differs within query 'a' \('AT' and 'DE'\)"):
        ranking_report(**rows, metrics="mrr")
    rows["by"] = ["AT"] * 9
    with pytest.raises(ValueError, match="`by` has 9 values, but needs 10: one per row"):
        ranking_report(**rows, metrics="mrr")


def test_rating_errors_by_segment():
    rows = by_country()
    report = ranking_report(**rows, metrics="mae", output_dict=True)
    assert report["mae"]["segments"]["DE"]["mean"] == 1.0
    assert report["mae"]["queries"] == 5


@pytest.mark.filterwarnings("ignore:Relevant rows score below")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", ["ndcg@10", "mean_rank", "mrr"])
def test_intervals_are_those_of_the_statistics(metric, weighted):
    X, y, groups = make_ranking(n_queries=40, random_state=0)
    weight = np.random.default_rng(0).uniform(0, 2, 40)[groups] if weighted else None
    rows = {"groups": groups, "sample_weight": weight, "metrics": metric}
    cutoffs = {"k": [50]} if metric == "mrr" else {}
    report = ranking_report(
        y, X[:, 0], **rows, **cutoffs, confidence_level=0.9, output_dict=True
    )
    scores = per_query_scores(y, X[:, 0], groups=groups, metrics=list(report))
    of_query = None if weight is None else weight[np.unique(groups, return_index=True)[1]]
    found = confidence_interval(scores, sample_weight=of_query, confidence_level=0.9)
    for name, row in report.items():
        share = found[name].largest_cluster  # a report adds up three powers of shares
        assert (row["low"], row["high"]) == pytest.approx(
            (found[name].low, found[name].high), rel=share**3 / (1 - share) / 2
        )


@pytest.mark.filterwarnings("ignore:.*queries; intervals")
def test_intervals_end_with_the_range_and_segments_have_their_own():
    rows = {**DATA, "metrics": "mrr", "k": 5, "by": list("xxxxxxyy")}
    rows["y_true"] = [0, 1, 0, 1, 1, 0, 0, 1]
    report = ranking_report(**rows, confidence_level=0.95, output_dict=True)["mrr@5"]
    ends = [0.5, 0.5, 1], [0.5, 1]  # of all queries, and of segment x
    for part, values in zip((report, report["segments"]["x"]), ends, strict=True):
        expected = confidence_interval(values, value_range=(0, 1))
        assert (part["mean"], part["low"], part["high"]) == pytest.approx(
            (expected.mean, expected.low, expected.high)
        )
    assert np.isnan(report["segments"]["y"]["low"])
    assert "low" not in report["difference"]
    frame = ranking_report(**rows, confidence_level=0.95, as_frame=True)
    assert list(frame)[2:4] == ["low", "high"]
    assert frame.loc["mrr@5", "x - y"].isna()[["low", "high"]].all()
    lines = ranking_report(**rows, confidence_level=0.95).splitlines()
    assert lines[0].split() == [
        "mean",
        "std",
        "error",
        "low",
        "high",
        "queries",
        "undefined",
    ]
    assert len({len(line) for line in lines}) == 1


@pytest.mark.parametrize("bad", [0, 1, 95, -0.5])
def test_levels_are_between_0_and_1(bad):
    with pytest.raises(ValueError, match="`confidence_level` must be a number above 0"):
        ranking_report(**DATA, confidence_level=bad)


def test_numbers_of_items():
    options = {"metrics": "mrr", "support": True, "sample_weight": [2] * 3 + [1] * 5}
    minus_inf = DATA | {"y_score": [6, 5, -np.inf, 3, 2, 1, 2, 1]}
    expected = {"queries": 3, "retrieved": 7, "relevant": 3, "relevant_retrieved": 3}
    assert ranking_report(**minus_inf, **options, output_dict=True)["support"] == expected
    frame = ranking_report(**minus_inf, **options, as_frame=True, by=[*"xxxyyyyy"])
    assert frame.attrs["support"] == expected
    text = ranking_report(**minus_inf, **options, ties="worst")
    assert text.endswith("relevant            3\nrelevant retrieved  3")
    hard = ranking_report(**minus_inf, **options, min_relevance=2, output_dict=True)
    assert hard["support"]["relevant"] == 0


def test_what_was_not_retrieved_is_no_hit():
    report = ranking_report(
        [1, 0, 1, 1],
        [2, 1, -np.inf, -np.inf],
        groups=["q"] * 4,
        metrics=["ndcg@3"],
        support=True,
        output_dict=True,
    )
    assert report["support"]["retrieved"] == 2
    assert report["support"]["relevant_retrieved"] == 1


SEGMENT = {"b": "new", "a": "old", "c": "new", "unused": "other"}


def report_by(by, groups=("a", "a", "b", "b", "c", "c")):
    y_true, y_score = [0, 1, 1, 0, 0, 1], [2, 1, 2, 1, 2, 1]
    rows = {"y_true": y_true, "y_score": y_score, "groups": list(groups)}
    return ranking_report(**rows, metrics="mrr", k=2, by=by)


def test_segments_by_query_are_those_by_row():
    expected = report_by([SEGMENT[query] for query in "aabbcc"])
    assert report_by(SEGMENT) == expected
    pandas = pytest.importorskip("pandas")
    assert report_by(pandas.Series(SEGMENT)) == expected
    by_row = pandas.Series([SEGMENT[query] for query in "aabbcc"])
    assert report_by(by_row) == expected


def test_a_series_of_queries_meets_values_by_label():
    pandas = pytest.importorskip("pandas")
    found = per_query_scores(
        [0, 1, 1, 0], [2, 1, 2, 1], groups=["a", "a", "b", "b"], metrics="mrr"
    )
    by = pandas.Series({"b": "new", "a": "old"})  # in another order
    (report,) = found.report(by=by, output_dict=True).values()
    assert report["segments"]["new"]["mean"] == 1
    assert report["segments"]["old"]["mean"] == 0.5


def test_segments_that_lack_a_query():
    with pytest.raises(ValueError, match=r"`by` lacks 1 of 3 .* such as 'c'; give each a"):
        report_by({"a": "old", "b": "new"})
    pandas = pytest.importorskip("pandas")
    twice = pandas.Series(["x", "y", "x", "y"], index=["a", "b", "c", "a"])
    with pytest.raises(ValueError, match="`by` has 'a' twice in its index"):
        report_by(twice)
    with pytest.raises(ValueError, match=r"`by` has .* missing value"):
        report_by({"a": "old", "b": None, "c": "new"})


def test_names_without_cutoffs_mean_whole_lists():
    long = {"y_true": [0] * 6 + [1], "y_score": range(7, 0, -1), "groups": ["q"] * 7}
    assert list(ranking_report(**long, metrics=["map"], output_dict=True)) == ["map"]
    mean = ranking_report(**long, metrics=["map"], output_dict=True)["map"]["mean"]
    assert mean == pytest.approx(1 / 7)
    cut = ranking_report(**long, metrics=["map"], k=5, output_dict=True)
    assert cut["map@5"]["mean"] == 0
    assert len(ranking_report(**long, output_dict=True)) == 18


def test_a_report_is_a_text_and_a_result():
    rows = {"y_true": [0, 1, 1, 0], "y_score": [4, 3, 2, 1], "groups": ["a", "a", "b", "b"]}
    report = ranking_report(**rows, metrics=["recip_rank", "ndcg@1"], support=True)
    lines = report.splitlines()
    assert isinstance(report, str)
    assert str(report) == report == pickle.loads(pickle.dumps(report))
    assert lines[1].split() == ["recip_rank", "0.7500", "0.2500", "2", "0"]
    assert lines[3:5] == ["recip_rank is mrr.", ""]
    frame = report.to_frame()
    assert frame["definition"].tolist() == ["mrr", "ndcg@1"]
    assert frame["mean"].tolist() == [0.75, 0.5]
    facts = report.to_dict()
    assert facts["support"]["relevant_retrieved"] == 2
    assert facts["rows"][0]["metric"] == "recip_rank"
    assert facts["warnings"] == report.warnings == []
    assert r"recip\_rank & 0.7500 & 0.2500 & 2 & 0 \\" in report.to_latex().splitlines()
    assert ">recip_rank</td>" in report._repr_html_()
    parts = ranking_report(**rows, metrics="mrr", by={"a": "x", "b": "y"}).to_frame()
    assert parts["segment"].tolist() == ["all", "x", "y", "y - x"]


def test_warnings_are_in_the_report():
    rows = {"y_true": [0, 1] * 2, "y_score": [-np.inf] * 4, "groups": [0, 0, 1, 1]}
    with pytest.warns(MisleadingScoreWarning, match="None of 2 queries has a retrieved"):
        report = ranking_report(**rows, metrics="mrr")
    assert [text[:15] for text in report.warnings] == ["None of 2 queri"]
    assert str(report) == f"{report[:]}\nWarning: {report.warnings[0]}"


def test_notes_of_missing_lists_and_unjudged_documents():
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(4)}
    run = {f"q{i}": {"x": 3, "y": 2, "a": 1} for i in range(3)}
    report = ranking_report(**from_files(qrels, run), metrics=["ndcg@3"])
    assert report.splitlines()[2:] == [
        "There is no list for 1 of 4 queries.",
        "judged@3 is 0.2500: unjudged documents count as irrelevant.",
    ]
    # Ranks that no list reaches are not unjudged: here half of three documents are judged.
    long = ranking_report(**from_files(qrels, run), metrics=["ndcg@10"])
    assert long.splitlines()[3].startswith("judged@3 is 0.2500")
    half = {"q0": {"x": 2, "a": 1}}
    assert "judged" not in ranking_report(**from_files({"q0": qrels["q0"]}, half), k=10)
    # Of relevant items alone, nobody knows what was judged.
    truth = {query: ["a"] for query in run}
    lists = {query: ["x", "y", "a"] for query in run}
    for rows in (
        from_item_lists(truth, lists),
        from_files(qrels, {q: qrels[q] for q in qrels}),
    ):
        assert len(ranking_report(**rows, metrics=["ndcg@3"]).splitlines()) == 2
