"""
Stop boosting by your own metric
================================

With too many rounds a booster overfits its training queries. Early stopping evaluates
held-out queries and keeps the best round. The libraries use their own metrics.
`GroupRanker` uses any metric of :mod:`sklearn_rank.metrics`, on the latest queries and
with their groups.
"""

# %%
# There are ten queries on each of thirty days, and each document has a noisy grade. Each
# row has its own time, sometimes past midnight.

import numpy as np
import pandas as pd

from sklearn_rank.datasets import make_ranking

X, y, groups = make_ranking(n_queries=300, noise=1.5, shuffle=True, random_state=0)
rng = np.random.default_rng(0)
hours = (groups // 10) * 24 + 22.0 + rng.uniform(0, 3, len(y))
rows = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
rows["query"], rows["hour"] = groups, hours

# %%
# The last five days are held out for the final evaluation. A split at midnight would cut
# some queries; ``keep_together`` keeps them whole.

from sklearn_rank.model_selection import TimeSplit, describe_split

midnight = 25 * 24
cutting = TimeSplit(cutoff=midnight, time="hour")
found = describe_split(cutting, rows, query="query", check=None)
print(f"{found['cut_queries'][0]} queries cut by midnight")
whole = TimeSplit(cutoff=midnight, time="hour", keep_together="query")
((past, future),) = whole.split(rows)

# %%
# The booster sees only the features: a pipeline drops the time, and the ranker takes the
# queries. It stops by the latest five days of the training rows, which go through the
# same steps.

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
# Each metric has a different best round. The reciprocal rank depends on one document per
# query, so its curve is the least smooth, and its best round depends most on chance.

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
# Evaluate each model with all three metrics on the held-out queries, next to a model
# without early stopping:

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
# A fraction of the rounds can be as good as all of them. A metric that changes in jumps
# can stop too soon. With 50 queries many differences are due to chance: compare models
# query by query before you rely on them. ``rank`` returns the ranked lists as a
# table:

print(pd.DataFrame(fitted["map@10"].rank(rows.iloc[future], k=3)).head(6).round(2))
