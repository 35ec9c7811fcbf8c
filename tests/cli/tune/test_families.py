"""The best of each family on the rows held out: means, intervals, and marks."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_rank._cli import main
from sklearn_rank._cli._log import read_log
from sklearn_rank._cli.tune import _means
from sklearn_rank._cli.tune._comparison import compare
from sklearn_rank._cli.tune._contenders import Contender
from sklearn_rank._cli.tune._periods import split_periods
from sklearn_rank._cli.tune._scorer import RelevantRowsScorer
from sklearn_rank.metrics import PerQueryScores, make_recommender_scorer
from sklearn_rank.recommenders import EASERecommender, PopularityRecommender
from sklearn_rank.statistics import compare_models, confidence_interval

COLUMNS = {"user": "user", "item": "item"}
FAMILIES = {"tuned", "popularity", "time_decayed_popularity"}


@pytest.fixture(scope="module")
def found(small_csv, tmp_path_factory):
    folder = tmp_path_factory.mktemp("families")
    arguments = ["--folds", "2", "--output", str(folder)]
    assert main(["tune", str(small_csv), *arguments]) == 0
    report = json.loads((folder / "report.json").read_text())
    return report, pd.read_csv(folder / "cv_results.csv")


def test_each_family_stands_for_itself_with_its_best_candidate(found):
    report, candidates = found
    comparison = report["comparison"]
    best = candidates.drop_duplicates("model")["candidate"]
    assert set(comparison["titles"].values()) == set(best)
    assert set(comparison["scores"]) == set(comparison["titles"]) > FAMILIES
    assert len(best) == 8
    assert comparison["titles"]["tuned"] == candidates["candidate"][0]


def test_every_model_has_a_standard_error_and_an_interval(found):
    comparison = found[0]["comparison"]
    for name, mean in comparison["means"].items():
        assert mean["mean"] == pytest.approx(comparison["scores"][name])
        at_10 = comparison["report"][name]["ndcg@10"]
        assert mean["standard_error"] == pytest.approx(at_10["standard_error"])
        assert mean["low"] < mean["mean"] < mean["high"]
    best = [name for name, mean in comparison["means"].items() if mean["is_best"]]
    assert best == [max(comparison["scores"], key=comparison["scores"].get)]


@pytest.fixture(scope="module")
def judged(small_csv):
    """Three models and their comparison, of which one is chance apart from the best."""
    log = read_log(str(small_csv), {**COLUMNS, "time": "time"})
    periods = split_periods(log, "time", 0.2, np.ones(len(log.X), dtype=bool))
    models = {
        "tuned": EASERecommender(regularization=100, **COLUMNS),
        "ease": EASERecommender(regularization=110, **COLUMNS),
        "popularity": PopularityRecommender(**COLUMNS),
    }
    for model in models.values():
        model.fit(periods.train)
    contenders = {name: Contender(name, name, model) for name, model in models.items()}
    scorer = RelevantRowsScorer("ndcg@10", None)
    return models, periods, compare(contenders, periods, scorer, log.columns)


def test_means_and_marks_are_those_of_the_statistics(judged):
    models, periods, comparison = judged
    scorer = make_recommender_scorer("ndcg@10", **COLUMNS)
    values = {name: scorer.per_query(model, periods.test) for name, model in models.items()}
    pairs = compare_models(values, correction="holm")
    for name, of in values.items():
        interval = confidence_interval(of)["ndcg@10"]
        mean = comparison.means[name]
        assert (mean.mean, mean.standard_error) == pytest.approx(
            (interval.mean, interval.standard_error)
        )
        assert (mean.low, mean.high) == pytest.approx((interval.low, interval.high))
    best = max(comparison.means, key=lambda name: comparison.means[name].mean)
    (other,) = {"tuned", "ease"} - {best}
    assert pairs.row("popularity", "tuned").p_adjusted < 0.001
    assert pairs.row("ease", "tuned").p_adjusted > 0.05
    assert comparison.means[best].is_best
    assert comparison.means[other].may_be_best
    assert not comparison.means[other].is_best
    assert not comparison.means["popularity"].may_be_best


def means(values, sign=1, chosen=None, name="mrr"):
    lower = {name} if sign < 0 else ()
    scores = {
        model: PerQueryScores(
            np.arange(len(of)), {name: np.array(of)}, lower_is_better=lower
        )
        for model, of in values.items()
    }
    return _means.means_of(name, scores, sign, chosen)


def test_lower_may_be_better():
    rng = np.random.default_rng(0)
    values = {"tuned": rng.random(50), "popularity": rng.random(50) + 5}
    found = means(values, sign=-1)
    assert found["tuned"].is_best
    assert not found["popularity"].may_be_best


def test_one_user_tells_nothing():
    found = means({"tuned": [0.5], "popularity": [0.1]})
    assert found["tuned"].is_best
    assert found["popularity"].may_be_best
    assert found["popularity"].low is None


def test_values_that_are_all_the_same_have_an_interval_without_width():
    found = means({"tuned": np.ones(20), "popularity": np.zeros(20)})
    assert (found["tuned"].low, found["tuned"].high) == (1, 1)
    assert not found["popularity"].may_be_best


def test_a_baseline_that_was_chosen_is_as_good_as_itself():
    rng = np.random.default_rng(0)
    same = rng.random(50)
    values = {"tuned": same, "popularity": same, "ease": same - 0.5}
    found = means(values, chosen="popularity")
    assert found["tuned"].is_best
    assert found["popularity"].is_best
    assert not found["ease"].may_be_best


def test_a_single_model_is_the_best(run, tmp_path, small_csv):
    pairs = pd.read_csv(small_csv)[["user", "item"]]
    pairs.to_csv(tmp_path / "log.csv", index=False)
    options = ["--cv", "random", "--models", "popularity", "--folds", 1]
    code, out, _ = run("tune", tmp_path / "log.csv", *options, "--output", tmp_path)
    assert code == 0
    assert "popularity (tuned)  <- best" in out
    means = json.loads((tmp_path / "report.json").read_text())["comparison"]["means"]
    assert means["popularity"]["is_best"]
    assert "does not beat popularity; it is popularity" in out


def test_the_picture_has_every_model(found, monkeypatch):
    from sklearn_rank._cli import _picture

    drawn = []
    monkeypatch.setattr(_picture, "as_png", drawn.append)
    comparison = found[0]["comparison"]
    intervals = {
        name: (mean["mean"], mean["low"], mean["high"])
        for name, mean in comparison["means"].items()
    }
    _picture.draw_metric_at_k(
        comparison["curves"], "ndcg", "Last period", "ndcg@10", intervals
    )
    lines, means = drawn[0].axes
    assert len(lines.lines) == len(comparison["scores"])
    assert len({line.get_color() for line in lines.lines}) == len(lines.lines)
    labels = [label.get_text() for label in means.get_yticklabels()]
    assert labels == list(intervals)
    assert "95 % interval" in means.get_xlabel()
