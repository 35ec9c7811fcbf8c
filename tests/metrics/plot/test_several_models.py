"""Pictures of several models from one call."""

import matplotlib
import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import (
    MetricAtKDisplay,
    PerQueryDisplay,
    PrecisionRecallAtKDisplay,
    per_query_scores,
)
from tests.drawn_labels import read_labels

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

pytestmark = pytest.mark.filterwarnings(
    "ignore:Relevant rows score below"  # features of made-up queries, drawn as they are
)
DISPLAYS = (MetricAtKDisplay, PrecisionRecallAtKDisplay, PerQueryDisplay)
X, y, GROUPS = make_ranking(n_queries=30, random_state=0)
HOW = {"groups": GROUPS, "replace_undefined_by": 0.0}
SCORES = {"one": X[:, 0], "two": X[:, 1], "three": X[:, 2]}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def legend(display):
    return [label.split()[0] for label in read_labels(display.ax_)[1]]


def main_lines(display):
    return {
        MetricAtKDisplay: lambda: display.lines_[0],
        PrecisionRecallAtKDisplay: lambda: display.line_,
        PerQueryDisplay: lambda: display.bars_,
    }[type(display)]()


@pytest.mark.parametrize("display", DISPLAYS)
def test_scores_of_several_models(display):
    found = display.from_predictions(y, SCORES, **HOW)
    assert legend(found) == list(found) == list(SCORES)
    assert len({id(one.ax_) for one in found.values()}) == 1
    assert found.figure_ is found.ax_.figure
    assert len({main_lines(one).get_color() for one in found.values()}) == 3
    alone = display.from_predictions(y, SCORES["two"], **HOW)
    expected = main_lines(alone).get_xydata()
    np.testing.assert_array_equal(main_lines(found["two"]).get_xydata(), expected)


@pytest.mark.parametrize("display", DISPLAYS)
def test_several_estimators(display):
    models = {"line": Ridge().fit(X, y), "constant": DummyRegressor().fit(X, y)}
    _, ax = plt.subplots()
    found = display.from_estimators(models, X, y, **HOW, ax=ax)
    assert found.ax_ is ax
    assert legend(found) == ["line", "constant"]


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("bad", [None, {}, 5, [Ridge()], Ridge()])
def test_what_is_no_mapping_is_named(display, bad):
    with pytest.raises(TypeError, match="`estimators` must be a mapping with a name"):
        display.from_estimators(bad, X, y, **HOW)


@pytest.mark.parametrize("display", DISPLAYS)
def test_several_models_have_their_own_names(display):
    with pytest.raises(TypeError, match="`name` is for a single model; `y_score` has"):
        display.from_predictions(y, SCORES, **HOW, name="all")
    with pytest.raises(TypeError, match=r"`y_score` must be a mapping .* got {}"):
        display.from_predictions(y, {}, **HOW)


def test_long_names_of_several_models_stay_distinct():
    long = "x" * 40
    scores = {f"{long}1{long}": X[:, 0], f"{long}2{long}": X[:, 1]}
    found = MetricAtKDisplay.from_predictions(y, scores, **HOW)
    assert legend(found)[0] != legend(found)[1]
    assert list(found) == list(scores)


def test_differences_of_several_models_are_shares():
    found = PerQueryDisplay.from_predictions(y, SCORES, **HOW, baseline=X[:, 3])
    for display in found.values():
        x, share = display.bars_.get_data()
        assert sorted(x[1:]) == sorted(display.differences)
        assert share[-1] == 1
    assert found.ax_.get_xlabel() == "difference of ndcg@10 of a query"
    assert "minus baseline" in found.ax_.get_legend().get_title().get_text()
    with pytest.raises(ValueError, match="`kind`"):
        found["one"].plot(kind="bars")


def test_known_values_of_several_models():
    values = {name: per_query_scores(y, s, **HOW) for name, s in SCORES.items()}
    found = PerQueryDisplay.from_scores(values)
    assert legend(found) == list(SCORES)
    against = PerQueryDisplay.from_scores(values, baseline=values["one"])
    assert against["one"].mean_.get_xdata()[0] == 0


def test_a_model_without_values_says_so_beside_others():
    y_true, groups = [0, 0, 1, 0], list("aabb")
    nowhere = {"one": [1, 2, 3, 4]}
    with pytest.warns(UndefinedMetricWarning):
        display = MetricAtKDisplay.from_predictions([0, 0], [1, 2], groups=["a", "a"])
    assert [text.get_text() for text in display.ax_.texts] == ["no query has a value"]
    with pytest.warns(UndefinedMetricWarning):
        MetricAtKDisplay.from_predictions(y_true, nowhere, groups=groups, ax=display.ax_)
    assert list(display.ax_.texts) == []
    assert "no value" in display.ax_.get_legend().get_texts()[0].get_text()


def test_the_warning_points_at_the_call():
    for make in DISPLAYS:
        with pytest.warns(UndefinedMetricWarning) as warned:
            make.from_predictions([0, 0, 1, 0], [1, 2, 3, 4], groups=list("aabb"))
        assert {one.filename for one in warned} == {__file__}
