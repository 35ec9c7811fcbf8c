"""The picture of risk and coverage."""

from decimal import Decimal

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_validate

from sklearn_rank.datasets import make_interactions
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    RiskCoverageDisplay,
    aurc_score,
    make_recommender_scorer,
    risk_coverage_curve,
)
from sklearn_rank.recommenders import PopularityRecommender
from sklearn_rank.statistics import abstention_report

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
few = pytest.mark.filterwarnings("ignore::UserWarning")

TRUTH = {"q1": ["d1"], "q2": [], "q3": ["d3"], "q4": ["d4", "d5"], "q5": [], "q6": ["d6"]}
RUN = {
    "q1": {"d1": 0.9, "d2": 0.3},
    "q2": {},
    "q3": {"d3": 0.7},
    "q4": {"d9": 0.7, "d4": 0.5},
    "q5": {"d7": 0.6},
    "q6": {},
}
ROWS = from_item_lists(TRUTH, RUN)
HOW = {"metric": "hit_rate@1"}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def value_at(line, coverage):
    x, y = line.get_data()
    return y[np.flatnonzero(x == coverage)[0]]


def test_the_curve_the_best_order_a_random_order_and_the_threshold():
    display = RiskCoverageDisplay.from_predictions(**ROWS, **HOW, threshold=0.65)
    risk, coverage, threshold = risk_coverage_curve(**ROWS, **HOW)
    np.testing.assert_array_equal(display.risk, risk)
    np.testing.assert_array_equal(display.threshold, threshold)
    drawn = [value_at(display.line_, one) for one in coverage]
    np.testing.assert_allclose(drawn, risk, atol=1e-15)
    # Four of six queries, the last block has one loss of 1 among two: (2 + 0.5) / 5.
    assert value_at(display.line_, 0.85) == pytest.approx((2 + 0.55) / 5.1)
    # Losses are 0 0 0 1 1 1.
    assert value_at(display.oracle_, 0.5) == 0
    assert value_at(display.oracle_, 0.75) == pytest.approx(1.5 / 4.5)
    assert list(display.random_.get_ydata()) == [0.5, 0.5]
    assert (display.oracle_.get_linestyle(), display.random_.get_linestyle()) == ("--", ":")
    assert display.mark_.get_xydata().round(6).tolist() == [[0.5, 0.333333]]
    assert display.area == aurc_score(**ROWS, **HOW)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    named = ["0.347", "best order", "random order"]
    assert texts == [*named, "from 0.65 on: coverage 0.500, risk 0.333"]
    assert display.ax_.get_ylabel() == "risk (1 - hit_rate@1)"


@few
def test_a_report_is_drawn_with_its_threshold():
    report = abstention_report(**ROWS, **HOW, threshold=0.65)
    display = report.plot(name="A", line_kw={"color": "red"})
    assert isinstance(display, RiskCoverageDisplay)
    row = report.row("coverage"), report.row("risk"), report.row("aurc")
    assert display.mark_.get_xydata()[0].tolist() == [row[0].value, row[1].value]
    assert display.area == pytest.approx(row[2].value, rel=1e-12)
    assert display.line_.get_color() == "red"
    everything = abstention_report(**ROWS, **HOW)
    several = RiskCoverageDisplay.from_report({"A": report, "B": everything})
    assert several["B"].mark_ is None
    assert several["A"].ax_ is several["B"].ax_
    texts = [text.get_text() for text in several.ax_.get_legend().get_texts()]
    assert [text.split()[0] for text in texts] == ["A", "best", "random", "from", "B"]
    with pytest.raises(TypeError, match="`report` must be an AbstentionReport"):
        RiskCoverageDisplay.from_report(5)


@pytest.mark.parametrize("threshold", [2.0, np.inf, np.nan, Decimal("NaN"), Decimal(2)])
def test_a_threshold_above_all_confidences_has_no_mark(threshold):
    display = RiskCoverageDisplay.from_predictions(**ROWS, **HOW, threshold=threshold)
    assert display.mark_ is None


def test_lists_that_are_empty_are_not_answered_at_any_threshold():
    display = RiskCoverageDisplay.from_predictions(**ROWS, **HOW, threshold=-np.inf)
    assert display.mark_.get_xydata().round(6).tolist() == [[0.666667, 0.5]]


def test_weights_change_the_coverage():
    weight = np.where(ROWS.groups == "q1", 3.0, 1.0)
    display = RiskCoverageDisplay.from_predictions(**ROWS, **HOW, sample_weight=weight)
    assert display.coverage[0] == 3 / 8


def test_no_query_has_a_value():
    with pytest.warns(match="undefined for 1 of 1 queries"):
        display = RiskCoverageDisplay.from_predictions(
            [[1, 1]], [[2, 1]], metric="auc", threshold=1
        )
    assert [text.get_text() for text in display.ax_.texts] == ["no query has a value"]
    assert display.mark_ is None


def test_a_ranker_with_the_column_of_its_confidence():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=60), "sure": np.repeat(rng.random(20), 3)})
    y, groups = rng.integers(0, 2, 60), np.repeat(np.arange(20), 3)
    model = Ridge().fit(X, y)
    rows = {"y_true": y, "y_score": model.predict(X), "groups": groups}
    for confidence, of_rows in (("sure", X["sure"]), (None, None)):
        display = RiskCoverageDisplay.from_estimator(
            model, X, y, groups=groups, confidence=confidence, metric="ndcg@2"
        )
        expected = aurc_score(**rows, confidence=of_rows, k=2)
        assert display.area == pytest.approx(expected, rel=1e-12)
    assert display.name == "Ridge"
    found = cross_validate(
        Ridge(),
        X,
        y,
        groups=groups,
        cv=GroupKFold(2),
        scoring="r2",
        return_estimator=True,
        return_indices=True,
    )
    display = RiskCoverageDisplay.from_cv_results(found, X, y, groups=groups)
    assert display.coverage[-1] == 1
    with pytest.raises(TypeError, match="'confidence': folds hold out rows in another"):
        RiskCoverageDisplay.from_cv_results(
            found, X, y, groups=groups, confidence=X["sure"]
        )


def test_a_recommender_has_lists_of_the_cutoff():
    log = make_interactions(80, 60, 600, random_state=0, as_frame=True)
    model = PopularityRecommender().fit(log[:500])
    held_out = log[500:]
    # The scores of recommended items are not compared: lists have no confidence.
    with pytest.warns(UserWarning, match="the same confidence, -1"):
        display = RiskCoverageDisplay.from_estimator(model, held_out, metric="ndcg@5")
    scorer = make_recommender_scorer("ndcg@5")
    assert 1 - display.area == pytest.approx(scorer(model, held_out), rel=1e-12)
    sure = {user: number for number, user in enumerate(sorted(set(held_out["user"])))}
    display = RiskCoverageDisplay.from_estimator(
        model, held_out, metric="ndcg@5", confidence=sure
    )
    assert len(display.coverage) == len(sure)
    with pytest.raises(ValueError, match="'aurc@5' needs `confidence`"):
        make_recommender_scorer("aurc@5")
