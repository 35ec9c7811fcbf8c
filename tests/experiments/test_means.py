"""Means of models, their intervals, and which of them may be the best."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank.experiments import evaluate_models
from sklearn_rank.experiments._evaluation_views import draw_metric_at_k, notes
from sklearn_rank.experiments._fold_scores import Judged
from sklearn_rank.experiments._means import compare_all, estimate_means
from sklearn_rank.metrics import PerQueryScores, TradeOffDisplay, make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import EASERecommender, PopularityRecommender
from sklearn_rank.statistics import compare_models, confidence_interval


@pytest.fixture(scope="module")
def judged(log):
    """Three models and their evaluation, of which one is chance apart from the best."""
    columns = {"user": "user", "item": "item", "time": "time"}
    cv = TimeSplit(1, 0.2, cold_users="drop", seen_items="drop", **columns)
    train, test = next(cv.split(log))
    models = {
        "one": EASERecommender(regularization=100),
        "other": EASERecommender(regularization=110),
        "popularity": PopularityRecommender(),
    }
    for model in models.values():
        model.fit(log.iloc[train])
    return models, log.iloc[test], evaluate_models(models, log.iloc[test])


def test_means_and_marks_are_those_of_the_statistics(judged):
    models, test, found = judged
    scorer = make_recommender_scorer("ndcg@10")
    values = {name: scorer.per_query(model, test) for name, model in models.items()}
    pairs = compare_models(values, correction="holm")
    means = found.intervals()
    for name, of in values.items():
        interval = confidence_interval(of)["ndcg@10"]
        assert means[name].mean == interval.mean
        assert means[name].standard_error == interval.standard_error
        assert (means[name].low, means[name].high) == (interval.low, interval.high)
    best = found.best_on_test
    (other,) = {"one", "other"} - {best}
    assert pairs.row("popularity", "one").p_adjusted < 0.001
    assert pairs.row("other", "one").p_adjusted > 0.05
    assert found.may_be_best == [best, other]
    assert list(means) == [best, other, "popularity"]


def test_a_metric_may_be_undefined_for_lists_of_one_model(judged):
    models, test, _ = judged
    items = test["item"].value_counts().index[8:]  # popular ones have no category
    categories = {item: "ab"[item % 2] for item in items.tolist()}
    scorer = make_recommender_scorer("calibration@5", categories=categories)
    found = evaluate_models(models, test, metrics=scorer)
    values = {name: scorer.per_query(model, test) for name, model in models.items()}
    n_defined = {
        name: np.isfinite(of.scores["calibration@5"]).sum() for name, of in values.items()
    }
    few, many = n_defined["popularity"], max(n_defined.values())
    assert few < n_defined["one"]
    assert f"mean over {few} to {many} users:" in str(found)
    for name, of in values.items():
        assert found.means[name] == of.mean()
        assert found.intervals()[name].mean == of.mean()["calibration@5"]
    with pytest.warns(UserWarning, match="undefined for different queries"):
        expected = compare_models(values, correction="holm").row("popularity", "one")
    assert found.comparison.row("popularity", "one").p_value == expected.p_value


def means(values, sign=1, name="mrr"):
    lower = {name} if sign < 0 else ()
    judged = {}
    for model, of in values.items():
        of = np.array(of, dtype=float)
        scores = PerQueryScores(np.arange(len(of)), {name: of}, lower_is_better=lower)
        judged[model] = Judged(scores, scores.mean(), {}, [], [])
    pairs = None
    if len(values) > 1 and len(next(iter(values.values()))) > 1:
        pairs = compare_all({model: one.values for model, one in judged.items()})
    return estimate_means(name, judged, pairs, lower_is_better=sign < 0, level=0.95)


def test_lower_may_be_better():
    rng = np.random.default_rng(0)
    found = means({"tuned": rng.random(50), "popularity": rng.random(50) + 5}, sign=-1)
    assert found["tuned"].is_best
    assert not found["popularity"].may_be_best


def test_one_user_tells_nothing():
    found = means({"tuned": [0.5], "popularity": [0.1]})
    assert found["tuned"].is_best
    assert found["popularity"].may_be_best
    assert found["popularity"].low is None
    assert notes(found.values(), 0.95) == [
        "Without intervals, chance alone may explain every difference."
    ]


def test_a_metric_has_intervals_beside_one_that_has_too_few_values():
    y = np.array([1, 1, 1, 0, 0, 1, 1, 1])  # only one query has an irrelevant item
    X, groups = np.arange(16.0).reshape(8, 2) % 5, [1, 1, 2, 2, 2, 3, 3, 3]
    models = {"up": Ridge().fit(X, y), "down": Ridge().fit(X, -y)}
    found = evaluate_models(models, X, y, groups=groups, metrics=["ndcg", "auc"])
    alone = evaluate_models(models, X, y, groups=groups, metrics="ndcg")
    assert found.intervals("auc")["up"].low is None
    few = evaluate_models(models, X, y, groups=groups, metrics="auc")
    assert few._title() == f"{few.best_on_test.capitalize()} is best: auc 1.0000"
    for name, mean in alone.intervals().items():
        assert found.intervals()[name].low == mean.low is not None


def test_values_that_are_all_the_same_have_an_interval_without_width():
    found = means({"tuned": np.ones(20), "popularity": np.zeros(20)})
    assert (found["tuned"].low, found["tuned"].high) == (1, 1)
    assert not found["popularity"].may_be_best


def test_pairs_are_corrected_for_their_number():
    rng = np.random.default_rng(0)
    scores = {
        name: PerQueryScores(np.arange(20), {"mrr": rng.random(20) + shift})
        for name, shift in {"a": 0, "b": 0.1, "c": 0.2}.items()
    }
    rows = compare_all(scores).rows()
    assert len(rows) == 3
    assert all(row.p_adjusted >= row.p_value for row in rows)


def test_a_model_that_is_alone_is_better_than_none():
    assert notes(means({"one": [0.5, 0.6]}).values(), 0.95) == []


def test_the_picture_has_every_model():
    curves = {f"model {i}": ([i / 20, i / 10], [0, 0], [1, 1]) for i in range(9)}
    intervals = {name: (curve[0], 0.0, 1.0) for name, (curve, *_) in curves.items()}
    lines, means = draw_metric_at_k(
        curves, "ndcg", "Last period", "ndcg@10", intervals
    ).axes
    assert len(lines.lines) == len(curves)
    assert len({(line.get_color(), line.get_marker()) for line in lines.lines}) == len(
        curves
    )
    labels = [label.get_text() for label in means.texts]
    assert labels[0] == "model 0 0.000 [0.000, 1.000]"
    assert [label.partition(" 0.")[0] for label in labels] == list(intervals)
    assert "95% interval" in means.get_xlabel()


def test_the_front_has_what_nothing_beats_in_both():
    accuracy, novelty = [3, 2, 1, 2, 3, 0], [1, 2, 3, 1, 1, 3]
    front = TradeOffDisplay(model=[*"abcdef"], x=accuracy, y=novelty).on_front
    assert front.tolist() == [True, True, True, False, True, False]
