"""Pictures."""

from typing import assert_type

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.metrics import (
    MetricAtKDisplay,
    MetricBySegmentDisplay,
    PerQueryDisplay,
    PrecisionRecallAtKDisplay,
    RiskCoverageDisplay,
    per_query_scores,
)
from sklearn_rank.model_selection import TimeSplit, plot_split
from sklearn_rank.statistics import abstention_report, compare_models

X, y, groups = make_ranking(n_queries=30, random_state=0)
display = MetricAtKDisplay.from_predictions(
    y, X[:, 0], groups=groups, metrics=["recall", "ndcg"], k=5
)
assert_type(display, MetricAtKDisplay)
display.plot(confidence_level=None)
models = MetricAtKDisplay.from_predictions(y, {"price": X[:, 0]}, groups=groups, k=5)
assert_type(models["price"], MetricAtKDisplay)
figure, ax = plt.subplots()
curve = PrecisionRecallAtKDisplay.from_predictions(y, X[:, 0], groups=groups, ax=ax)
assert_type(curve, PrecisionRecallAtKDisplay)
risk = RiskCoverageDisplay.from_predictions(y, X[:, 0], groups=groups)
assert_type(risk, RiskCoverageDisplay)
relevance, score = np.random.default_rng(0).random((2, 200, 9))
report = abstention_report(relevance > 0.7, score)
assert_type(RiskCoverageDisplay.from_report(report), RiskCoverageDisplay)
scores = {
    name: per_query_scores(y, X[:, column], groups=groups)
    for column, name in enumerate(["price", "sales"])
}
queries = PerQueryDisplay.from_scores(scores["price"], baseline=scores["sales"])
assert_type(queries, PerQueryDisplay)
both = PerQueryDisplay.from_predictions(y, X[:, 0], groups=groups, baseline=X[:, 1])
assert_type(both, PerQueryDisplay)
assert_type(scores["price"].report(), str)
halves = {group: group % 2 for group in scores["price"].groups.tolist()}
bars = MetricBySegmentDisplay.from_scores(scores["price"], by=halves)
assert_type(bars, MetricBySegmentDisplay)
compare_models(scores).plot()
log = make_interactions(60, 60, 900, random_state=0, as_frame=True)
print(plot_split(TimeSplit(2, test_size="28D", time="time"), log).shape)
plt.close("all")
