"""Frames hold names that are not UTF-8, which pandas cannot keep as its text."""

import numpy as np
import pandas as pd
import pytest

from sklearn_rank._base._validation import hold_text
from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import evaluate_models
from sklearn_rank.metrics import per_query_scores, ranking_report
from sklearn_rank.recommenders import PopularityRecommender
from sklearn_rank.statistics import compare_models

NAME = "caf\udce9"
LABELS, SCORES = [0, 1] * 30, [place * 0.37 % 1 for place in range(60)]
GROUPS = [place // 2 for place in range(60)]


@pytest.mark.parametrize("values", [[1, 2], ["a", "b"], np.array([0.5]), [("a", 1)], []])
def test_other_values_stay_as_they_are(values):
    assert hold_text(values) is values


def test_comparisons():
    values = per_query_scores(LABELS, SCORES, groups=GROUPS, metrics="mrr")
    comparison = compare_models({NAME: values, "b": values})
    frame = comparison.to_frame()
    assert frame["baseline"].tolist() == [NAME]
    assert frame["model"].dtype == pd.Series(["b"]).dtype
    assert comparison.superscripts().index.tolist() == [r"(a) caf\udce9", "(b) b"]
    assert comparison.to_html().count(r"caf\udce9") > 0


def test_values_of_queries():
    groups = np.array([f"{NAME}{group}" for group in GROUPS], dtype=object)
    values = per_query_scores(LABELS, SCORES, groups=groups, metrics="mrr")
    assert values.to_frame().index.tolist() == values.groups.tolist()
    assert values.to_frame().index.name == "group"


def test_segments():
    by = np.where(np.array(GROUPS) % 2, NAME, "b").astype(object)
    how = {"groups": GROUPS, "by": by, "metrics": "mrr", "as_frame": True}
    report = ranking_report(LABELS, SCORES, **how)
    assert NAME in report.index.get_level_values("segment")
    assert report.index.names == ["metric", "segment"]


def test_evaluated_models():
    log = make_interactions(60, 30, 400, random_state=0, as_frame=True)
    models = {NAME: PopularityRecommender().fit(log[:300])}
    evaluation = evaluate_models(models, log[300:], metrics=["ndcg@10"])
    assert NAME in evaluation.to_frame().index
    assert r"caf\udce9" in str(evaluation)
