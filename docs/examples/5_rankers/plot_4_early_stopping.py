"""
Stop boosting by your own metric
================================

A booster that is left alone learns the noise of its training queries. Early
stopping watches held-out queries and keeps the best round, but best by what?
The libraries watch their own metric. `GroupRanker` lets any metric of
:mod:`sklearn_rank.metrics` decide, on the latest queries, with the groups known.
"""

# %%
# Queries of thirty days, ten a day, in which each document has a noisy grade.
# The rows of a query have times of their own, some past midnight.

import numpy as np
import pandas as pd

from sklearn_rank.datasets import make_ranking

X, y, groups = make_ranking(n_queries=300, noise=1.5, shuffle=True, random_state=0)
rng = np.random.default_rng(0)
hours = (groups // 10) * 24 + 22.0 + rng.uniform(0, 3, len(y))
rows = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
rows["query"], rows["hour"] = groups, hours

# %%
# The last five days are for the one look at the end. Midnight would cut some
# queries; ``keep_together`` keeps them whole.

from sklearn_rank.model_selection import TimeSplit, describe_split

midnight = 25 * 24
cutting = TimeSplit(cutoff=midnight, time="hour")
found = describe_split(cutting, rows, query="query", check=None)
print(f"{found['cut_queries'][0]} queries cut by midnight")
whole = TimeSplit(cutoff=midnight, time="hour", keep_together="query")
((past, future),) = whole.split(rows)

# %%
# The booster sees the features alone: time is dropped in a pipeline, and the
# queries are the ranker's. It stops by the latest five days of what is left,
# which go through the same steps.

from lightgbm import LGBMRanker
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline

from sklearn_rank.rankers import GroupRanker

latest = TimeSplit(cutoff=midnight - 5 * 24, time="hour", keep_together="query")


def ranker(metric):
    """Return a ranker that stops by a metric on its latest queries."""
    drop_time = make_column_transformer(("drop", ["hour"]), remainder="passthrough")
    booster = LGBMRanker(
        n_estimators=400, learning_rate=0.05, n_jobs=1, verbose=-1, random_state=0
    )
    return GroupRanker(
        make_pipeline(drop_time.set_output(transform="pandas"), booster),
        groups="query",
        early_stopping_rounds=40,
        stopping_metric=metric,
        validation_fraction=latest,
    )


metrics = ["map@10", "mrr", "ndcg@10"]
fitted = {metric: ranker(metric).fit(rows.iloc[past], y[past]) for metric in metrics}
for metric, model in fitted.items():
    print(f"{metric:8} keeps {model.estimator_[-1].best_iteration_} of 400 rounds")

# %%
# Each metric has a best round of its own. The reciprocal rank looks at one
# document a query, so its curve is the least smooth, and its best round is the
# most a matter of luck.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(layout="constrained")
for metric, model in fitted.items():
    values = model.validation_scores_
    (line,) = axes.plot(np.arange(1, len(values) + 1), values, label=metric)
    best = values.argmax()
    axes.plot(best + 1, values[best], "o", color=line.get_color())
axes.set(xlabel="rounds", ylabel="mean over the latest queries")
axes.legend()
plt.show()

# %%
# How much did it matter? On the queries of the future, each model by all three
# metrics, beside one that never stops:

from sklearn.base import clone

from sklearn_rank.metrics import ranking_scores

all_rounds = clone(fitted["map@10"]).set_params(
    early_stopping_rounds=None, stopping_metric=None
)
fitted["never"] = all_rounds.fit(rows.iloc[past], y[past])
table = {
    name: ranking_scores(
        y[future],
        model.predict(rows.iloc[future]),
        groups=groups[future],
        metrics=metrics,
        replace_undefined_by=np.nan,
    )
    for name, model in fitted.items()
}
print(pd.DataFrame(table).T.round(3))

# %%
# A fraction of the rounds can do as well as all of them, and a metric that moves
# in jumps can stop too soon. With 50 queries much of this is chance: compare
# models query by query before you believe it. The lists themselves, as a table:

print(pd.DataFrame(fitted["map@10"].rank(rows.iloc[future], k=3)).head(6).round(2))
