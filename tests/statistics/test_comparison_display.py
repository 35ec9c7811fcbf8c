"""ModelComparisonDisplay: rows against a baseline, and the matrix of all pairs."""

import sys

import matplotlib
import numpy as np
import pytest

from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import (
    ModelComparison,
    ModelComparisonDisplay,
    compare_candidates,
    compare_models,
)
from tests.statistics.examples import TEN_SMALL, THREE_MODELS, against_zero

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

FEW = pytest.mark.filterwarnings("ignore:.*queries; intervals")
BETTER, WORSE = "#608D9F", "#B2724D"
N = 40
RNG = np.random.default_rng(0)
OLD = RNG.uniform(size=N)
CHANGE, OTHER = RNG.normal(0, 0.05, (2, N))
MODELS = {
    "worse": OLD - 0.1 + OTHER,
    "old": OLD,
    "better": OLD + 0.1 + CHANGE - OTHER,
    "alike": OLD + CHANGE - CHANGE.mean(),
}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def rows_drawn(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def is_filled(point):
    return point.get_markerfacecolor() == point.get_color()


@FEW
def test_a_row_is_the_difference_and_its_interval():
    display = compare_models(THREE_MODELS, baseline="A").plot()
    assert isinstance(display, ModelComparisonDisplay)
    assert rows_drawn(display) == ["C", "B"]
    c, b = display.points_
    assert c.get_xdata()[0] == pytest.approx(0.126667, abs=1e-6)
    assert b.get_xdata()[0] == pytest.approx(0.083333, abs=1e-6)
    of_c, of_b = (line.get_xdata() for line in display.intervals_)
    assert of_c == pytest.approx([0.081814, 0.171519], abs=1e-6)
    assert of_b == pytest.approx([0.010425, 0.156242], abs=1e-6)
    assert display.zero_.get_xdata()[0] == 0
    assert display.band_ is None


def test_the_best_is_on_top_and_color_and_fill_say_what_is_known():
    display = compare_models(MODELS, baseline="old").plot()
    assert rows_drawn(display) == ["better", "alike", "worse"]
    assert [is_filled(point) for point in display.points_] == [True, False, True]
    best, alike, worst = (point.get_color() for point in display.points_)
    assert (best, worst) == (BETTER, WORSE)
    assert alike not in (BETTER, WORSE)
    bottom, top = display.ax_.get_ylim()
    assert bottom > top


def test_a_lower_error_is_better():
    labels = np.arange(N)
    scores = {
        name: PerQueryScores(labels, {"mae": values}, lower_is_better={"mae"})
        for name, values in MODELS.items()
    }
    display = compare_models(scores, baseline="old").plot()
    assert rows_drawn(display) == ["worse", "alike", "better"]
    assert display.points_[0].get_color() == BETTER
    assert display.points_[0].get_xdata()[0] < 0
    assert "lower is better" in display.ax_.get_xlabel()


def test_the_corrected_p_fills_a_point_and_the_interval_colors_it():
    display = ModelComparisonDisplay(
        model=["a"],
        baseline=["b"],
        difference=[0.1],
        low=[0.01],
        high=[0.19],
        p_adjusted=[0.06],
    ).plot()
    (point,) = display.points_
    assert point.get_color() == BETTER
    assert not is_filled(point)


@pytest.mark.parametrize(("p_value", "filled"), [(0.05, True), (0.0500001, False)])
def test_a_p_value_at_the_level_is_significant(p_value, filled):
    display = ModelComparisonDisplay(
        model=["a"], baseline=["b"], difference=[0], low=[0], high=[0], p_adjusted=[p_value]
    ).plot()
    assert is_filled(display.points_[0]) is filled


def test_the_margin_is_a_band():
    found = compare_models(against_zero(TEN_SMALL), baseline="zero", margin=0.02)
    display = found.plot()
    left, width = display.band_.get_x(), display.band_.get_width()
    assert (left, width) == pytest.approx((-0.02, 0.04))
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["p ≤ 0.05", "p > 0.05", "within the margin 0.02"]


@pytest.mark.parametrize(("alternative", "end"), [("greater", 1), ("less", 0)])
def test_an_interval_without_an_end_goes_to_the_edge(alternative, end):
    found = compare_models(MODELS, baseline="old", alternative=alternative)
    display = found.plot()
    for line in display.intervals_:
        assert line.get_xdata()[end] == display.ax_.get_xlim()[end]
        assert np.isfinite(line.get_xdata()).all()


@pytest.mark.parametrize("margin", [None, 0, 0.1])
def test_equal_models_can_be_drawn(margin):
    found = compare_models({"a": OLD, "b": OLD}, baseline="a", margin=margin)
    display = found.plot()
    assert display.points_[0].get_xdata()[0] == 0
    left, right = display.ax_.get_xlim()
    assert left < 0 < right


@FEW
def test_all_pairs_are_a_matrix_of_row_minus_column():
    display = ModelComparisonDisplay.from_comparison(compare_models(THREE_MODELS))
    means = np.array([np.mean(values) for values in THREE_MODELS.values()])
    expected = means[:, None] - means
    np.fill_diagonal(expected, np.nan)
    np.testing.assert_allclose(display.image_.get_array().filled(np.nan), expected)
    most = means.max() - means.min()
    assert display.image_.get_clim() == pytest.approx((-most, most))
    texts = [[text and text.get_text() for text in row] for row in display.texts_]
    assert texts == [
        [None, "-0.083", "-0.127*"],  # p of the first pair is .0647 after Holm
        ["+0.083", None, "-0.043"],
        ["+0.127*", "+0.043", None],
    ]
    assert rows_drawn(display) == ["A", "B", "C"]
    assert {text.get_text() for text in display.ax_.texts} == {
        text for row in texts for text in row if text
    }


@pytest.mark.parametrize("baseline", [None, "old"])
def test_names_of_metrics_are_no_formulas(baseline):
    name = r"$\frac{$"
    scores = {model: {name: values} for model, values in MODELS.items()}
    display = compare_models(scores, baseline=baseline).plot()
    display.figure_.canvas.draw()
    shown = display.ax_.get_title(loc="left") + display.ax_.get_xlabel()
    assert name in shown


def test_the_axis_has_the_scale_of_the_differences():
    large = {name: 1000 * values for name, values in MODELS.items()}
    ends, of_large = (
        compare_models(models, baseline="old").plot().ax_.get_xlim()
        for models in (MODELS, large)
    )
    assert of_large == pytest.approx([1000 * end for end in ends])


def test_marks_of_the_matrix_follow_the_margin():
    display = compare_models(MODELS, margin=0.05).plot()
    marks = [
        [text.get_text()[-1] if text else "" for text in row] for row in display.texts_
    ]
    places = {name: place for place, name in enumerate(MODELS)}
    assert marks[places["old"]][places["alike"]] == "="
    assert marks[places["better"]][places["old"]] == "*"
    assert marks[places["old"]][places["better"]] == "*"
    assert "margin 0.05" in display.ax_.get_title(loc="left")


def test_stars_are_of_corrected_p_values_as_letters_are():
    rng = np.random.default_rng(1)
    common = rng.normal(size=40)
    models = {f"m{n}": common + 0.2 * n * (n == 4) + rng.normal(size=40) for n in range(6)}
    models["m4"] = models["m1"] + 0.25 + 0.6 * rng.normal(size=40)
    found = compare_models(models)
    low, high = found.columns["low"], found.columns["high"]
    is_sure, p_adjusted = (low > 0) | (high < 0), found.columns["p_adjusted"]
    assert (is_sure & (p_adjusted > 0.05)).any()
    display = found.plot()
    places = {name: place for place, name in enumerate(models)}
    for row in found.rows():
        text = display.texts_[places[row.model], places[row.baseline]].get_text()
        assert text.endswith("*") == (row.p_adjusted <= 0.05)
    assert "* p ≤ 0.05" in display.ax_.get_title(loc="left")


def test_one_pair_is_a_row_without_a_baseline_too():
    display = compare_models({"a": OLD, "b": OLD + CHANGE}).plot()
    assert rows_drawn(display) == ["b"]
    assert "to a" in display.ax_.get_xlabel()


def test_candidates_of_a_search():
    folds = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.4, 0.3], "c": [0.2, np.nan, 0.1]}
    found = compare_candidates(folds, test_size=0.3, baseline="a")
    display = found.plot()
    assert rows_drawn(display) == ["b", "c"]
    assert np.isnan(display.points_[1].get_xdata()[0])


def test_the_axis_is_that_of_the_user():
    _, ax = plt.subplots()
    display = compare_models(MODELS, baseline="old").plot(ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.plot(ax=None).ax_ is not ax


def test_keywords_go_to_matplotlib():
    rows = compare_models(MODELS, baseline="old")
    display = rows.plot(point_kw={"marker": "s"}, line_kw={"linewidth": 5})
    assert display.points_[0].get_marker() == "s"
    assert display.intervals_[0].get_linewidth() == 5
    display = compare_models(MODELS).plot(
        image_kw={"cmap": "PuOr"}, text_kw={"color": "red"}
    )
    assert display.image_.get_cmap().name == "PuOr"
    assert display.texts_[0, 1].get_color() == "red"
    for name in ("point_kw", "line_kw", "image_kw", "text_kw"):
        with pytest.raises(TypeError, match=f"`{name}` must be a dict of keywords"):
            rows.plot(**{name: 5})


def test_one_metric_is_drawn():
    scores = {
        name: PerQueryScores(np.arange(N), {"ndcg@10": values, "mrr": values[::-1]})
        for name, values in MODELS.items()
    }
    found = compare_models(scores, baseline="old")
    with pytest.raises(
        ValueError, match=r"`metric` must name one of several.*ndcg@10.*mrr"
    ):
        found.plot()
    with pytest.raises(ValueError, match="Did you mean 'mrr'"):
        found.plot(metric="mmr")
    display = found.plot(metric="mrr")
    assert len(display.points_) == 3
    assert "of mrr to old" in display.ax_.get_xlabel()


@pytest.mark.parametrize("bad", [None, 5, "mrr", {"a": [1.0]}])
def test_what_is_no_comparison_is_named(bad):
    with pytest.raises(TypeError, match="`comparison` must be a ModelComparison"):
        ModelComparisonDisplay.from_comparison(bad)


def test_what_is_no_axis_is_named():
    with pytest.raises(TypeError, match="`ax` must be a matplotlib Axes"):
        compare_models(MODELS, baseline="old").plot(ax=5)


@pytest.mark.parametrize("model", [[], ["a"], ["a", "b", "c"]])
def test_columns_are_of_one_length(model):
    numbers = {name: [0.1, 0.2] for name in ("difference", "low", "high", "p_adjusted")}
    with pytest.raises(ValueError, match="must be of one length"):
        ModelComparisonDisplay(model=model, baseline=["b", "b"], **numbers).plot()


def test_matplotlib_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    found = compare_models(MODELS, baseline="old")
    assert isinstance(found, ModelComparison)
    with pytest.raises(ImportError, match="matplotlib"):
        found.plot()


def test_numbers_are_vectors():
    numbers = {name: [0.1] for name in ("low", "high", "p_adjusted")}
    display = ModelComparisonDisplay(
        model=["a"], baseline=["b"], difference=[[0.1]], **numbers
    )
    with pytest.raises(ValueError, match=r"`difference` must be 1-D, got shape \(1, 1\)"):
        display.plot()
