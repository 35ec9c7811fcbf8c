"""
Ties change everything
======================

A model that gives all rows the same score has learned nothing. In libraries that keep the
input order it can score perfectly, if the relevant rows come first, as in many data sets.
This package averages over all orders of tied rows.
"""

# %%
# A constant model
# ----------------
# Each query has twenty rows, four of them relevant, in three orders that a data set might
# have: relevant rows first, last, or shuffled.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.metrics import ranking_scores

random = np.random.default_rng(0)
n_queries, n_items = 200, 20
first = np.zeros((n_queries, n_items))
first[:, :4] = 1
orders = {
    "relevant first": first,
    "shuffled": random.permuted(first, axis=1),
    "relevant last": first[:, ::-1],
}
constant = np.zeros((n_queries, n_items))
metrics = ["ndcg@10", "mrr", "map", "precision@5"]
policies = {"first": "order of the input", "average": "mean over orders (default)"}

figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
places = np.arange(len(metrics))
for ax, (ties, title) in zip(axes, policies.items(), strict=True):
    for shift, (name, y_true) in enumerate(orders.items()):
        found = ranking_scores(y_true, constant, metrics=metrics, ties=ties)
        ax.bar(places + 0.27 * (shift - 1), found.values(), 0.25, label=name)
    ax.set_title(f"ties={ties!r}: {title}", loc="left", fontsize="medium")
    ax.set_xticks(places, metrics)
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("score of a constant model")
_ = axes[1].legend(frameon=False)

# %%
# On the left the same useless model scores 1.0 or nearly 0, depending only on the order
# of the rows. On the right it has the expected score of a random order, the same in all
# three cases.
#
# A tree
# ------
# Real models have ties, too: a tree gives one score to each of its leaves. With
# fewer leaves the gap between the worst and the best order of ties is larger.

from sklearn.tree import DecisionTreeRegressor

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import ndcg_score

X, y, groups = make_ranking(n_queries=100, query_effect=0.5, shuffle=True, random_state=0)
leaves = 2 ** np.arange(1, 10)
scores = {ties: [] for ties in ("best", "average", "first", "worst")}
for n_leaves in leaves:
    tree = DecisionTreeRegressor(max_leaf_nodes=int(n_leaves), random_state=0).fit(X, y)
    for ties, values in scores.items():
        values.append(
            ndcg_score(
                y,
                tree.predict(X),
                groups=groups,
                k=5,
                ties=ties,
                replace_undefined_by=np.nan,
            )
        )

_, ax = plt.subplots(layout="constrained")
ax.fill_between(leaves, scores["worst"], scores["best"], alpha=0.2, label="any order")
ax.plot(leaves, scores["average"], "o-", label="mean over orders")
ax.plot(leaves, scores["first"], "x--", label="order of the input")
ax.set_xscale("log", base=2)
ax.set(xlabel="leaves of the tree", ylabel="nDCG@5 on its own training rows")
_ = ax.legend(frameon=False, loc="lower right")
