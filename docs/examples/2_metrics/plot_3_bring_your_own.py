"""
A metric and a recommender of your own
======================================

Extend the package: a custom gain in nDCG, a function as a metric, and a recommender in
two methods.
"""

# %%
# A gain of your own
# ------------------
# A shop wants revenue, and customers look at the first few items. With prices as grades,
# nDCG rewards lists with expensive purchases on top. A callable gain dampens the prices.

import numpy as np

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit

log = make_interactions(random_state=0, as_frame=True)
price = np.random.default_rng(0).lognormal(2, 1, size=log["item"].max() + 1)
paid = price[log["item"]]

# %%
# Pass the gain to a scorer like any parameter:

by_revenue = make_recommender_scorer("ndcg@10", gain=np.log1p)
by_count = make_recommender_scorer("ndcg@10", gain=np.sign)

# %%
# A metric of your own
# --------------------
# Any function of `y_true` and `y_score` of one user is a metric. This one is the revenue
# of the first two ranks over the highest possible revenue.

from sklearn_rank.metrics import make_metric, ranking_scores


def revenue_share(y_true, y_score):
    """Return the revenue of two places over that of the best two."""
    shown = y_true[np.argsort(-y_score, kind="stable")][:2].sum()
    return shown / np.sort(y_true)[-2:].sum()


metric = make_metric(revenue_share, value_range=(0, 1))
print(ranking_scores([5.0, 1.0, 30.0], [3, 2, 1], groups=["ann"] * 3, metrics=metric))

# %%
# It goes into a scorer, ``make_recommender_scorer(metric)``, or into `tune_models`.
#
# A recommender of your own
# -------------------------
# Customers who bought this also bought that, discounted by popularity. You write a
# constructor and two methods; `RecommenderMixin` handles ids, checks, unknown users and
# ties.

from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize

from sklearn_rank.recommenders import RecommenderMixin


class RandomWalk(RecommenderMixin, BaseEstimator):
    """A walk from a user to items, to their users, to the items of these."""

    def __init__(self, penalty=0.5, *, user=None, item=None):
        self.penalty = penalty
        self.user = user
        self.item = item

    def fit_interactions(self, interactions):
        """Keep where a walk from each item leads in two steps."""
        back = normalize(interactions.T, "l1")
        self.step_ = back @ normalize(interactions, "l1")

    def score_histories(self, histories):
        """Return where walks end, less what is popular anyway."""
        reached = normalize(histories, "l1") @ self.step_
        return reached.toarray() / self.popularity_**self.penalty


# %%
# Tune it like any other model, here with both metrics at once:

from sklearn.model_selection import GridSearchCV

columns = {"user": "user", "item": "item", "time": "time"}
search = GridSearchCV(
    RandomWalk(),
    {"penalty": np.linspace(0, 1, 9)},
    scoring={"revenue": by_revenue, "purchases": by_count},
    refit="revenue",
    cv=TimeSplit(3, test_size="28D", seen_items="drop", **columns),
    error_score="raise",
).fit(log, paid)

# %%
# A small penalty on popularity helps, and a large one hurts.

import matplotlib.pyplot as plt

_, ax = plt.subplots(layout="constrained")
found = search.cv_results_
for name in ("revenue", "purchases"):
    ax.errorbar(
        np.linspace(0, 1, 9),
        found[f"mean_test_{name}"],
        found[f"std_test_{name}"],
        marker="o",
        capsize=3,
        label=name,
    )
ax.axvline(search.best_params_["penalty"], color="gray", linestyle=":")
ax.set(xlabel="penalty of popularity", ylabel="nDCG@10, mean and spread of three periods")
ax.spines[["top", "right"]].set_visible(False)
_ = ax.legend(frameon=False)
