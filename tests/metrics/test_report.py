"""Reports: means, standard errors and the queries behind them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import per_query_scores, ranking_report, ranking_scores

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


def test_values_per_query_take_what_the_means_take():
    shared = {"metrics": "mrr", "replace_undefined_by": 0.25, "ties": "worst"}
    weight = [2, 2, 2, 1, 1, 1, 3, 3]
    values = per_query_scores(**DATA, **shared, sample_weight=weight).scores["mrr"]
    assert values.tolist() == [0.5, 1.0, 0.25]
    mean = ranking_scores(**DATA, **shared, sample_weight=weight)["mrr"]
    assert mean == pytest.approx(np.average(values, weights=[2, 1, 3]))
    with pytest.raises(ValueError, match="differs within query"):
        per_query_scores(**DATA, **shared, sample_weight=range(1, 9))
