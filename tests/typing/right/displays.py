"""Pictures."""

from typing import assert_type

import matplotlib.pyplot as plt

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.metrics import (
    MetricAtKDisplay,
    PerQueryDisplay,
    PrecisionRecallAtKDisplay,
    per_query_scores,
)
from sklearn_rank.model_selection import TimeSplit, plot_split
from sklearn_rank.statistics import compare_models

X, y, groups = make_ranking(n_queries=30, random_state=0)
display = MetricAtKDisplay.from_predictions(
    y, X[:, 0], groups=groups, metrics=["recall", "ndcg"], k=5
)
assert_type(display, MetricAtKDisplay)
display.plot(confidence_level=None)
figure, ax = plt.subplots()
PrecisionRecallAtKDisplay.from_predictions(y, X[:, 0], groups=groups, max_k=10, ax=ax)
scores = {
    name: per_query_scores(y, X[:, column], groups=groups)
    for column, name in enumerate(["price", "sales"])
}
queries = PerQueryDisplay.from_scores(scores["price"], baseline=scores["sales"])
assert_type(queries, PerQueryDisplay)
compare_models(scores).plot()
log = make_interactions(60, 60, 900, random_state=0, as_frame=True)
print(plot_split(TimeSplit(2, test_size="28D", time="time"), log).shape)
plt.close("all")
