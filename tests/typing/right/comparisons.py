"""Whether a difference is real."""

from typing import assert_type

import numpy as np
import pandas as pd

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import (
    ModelComparison,
    ModelRanking,
    ModelRankingDisplay,
    compare_models,
    confidence_interval,
    judge_assisted_mean,
    rank_models,
    system_confidence_interval,
)

X, y, groups = make_ranking(n_queries=60, random_state=0)
scores = {
    name: per_query_scores(y, X[:, column], groups=groups, metrics=["ndcg@10", "mrr"])
    for column, name in enumerate(["price", "sales", "age"])
}
found = compare_models(scores, baseline="price", correction="holm", alternative="greater")
assert_type(found, ModelComparison)
assert_type(found.to_frame(), pd.DataFrame)
print(found)
hits = [0.0, 1.0, 1.0, 0.0, 1.0] * 8
print(compare_models({"a": np.array(hits), "b": hits[::-1]}, test="t"))

interval = confidence_interval(hits)
assert_type(interval.low, float)
print(confidence_interval(scores["price"])["ndcg@10"].high, interval.mean)

judge = np.linspace(0, 1, 200)
human = np.where(np.arange(200) % 2, np.sqrt(judge), np.nan)
assert_type(judge_assisted_mean(human, judge).high, float)
two_judges = np.column_stack([judge, judge**2])
print(judge_assisted_mean(human, two_judges).weight.tolist())
gini = system_confidence_interval(
    np.zeros((20, 10)), X[:200, 0].reshape(20, 10), metrics="gini@5", n_resamples=99
)
assert_type(gini["gini@5"].low, float)

means = {f"task {n}": {"old": 0.5 + n / 20, "new": 0.52 + n / 18} for n in range(8)}
ranking = rank_models(means, missing="models", lower_is_better=False)
assert_type(ranking, ModelRanking)
assert_type(ranking.pair("old", "new").p_adjusted, float)
assert_type(ranking.row("old").rank_low, int)
assert_type(ranking.table(markup="markdown"), pd.DataFrame)
assert_type(ranking.plot(), ModelRankingDisplay)
print(rank_models(pd.DataFrame(means).T), ranking.tied_for_first)
print(rank_models({"x": scores, "y": scores}, metric="mrr", over="queries").by_dataset["x"])
