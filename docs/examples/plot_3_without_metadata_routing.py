"""
The same without metadata routing
=================================

Routing is off by default, and then scikit-learn hands groups to the splitter
and never to a scorer. What goes wrong, and the way around: the query as a
column of X.
"""

# %%
# What goes wrong
# ---------------
# A scorer of one's own that takes all rows it gets for one list. Nothing
# complains, and the number looks fine.

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import ndcg_score as sklearn_ndcg_score
from sklearn.model_selection import GridSearchCV, GroupKFold

from sklearn_rank.datasets import make_ranking

X, y, groups = make_ranking(n_queries=200, query_effect=2.0, random_state=0)


def one_long_list(estimator, X, y):
    """Return nDCG@10 of all rows, whatever their query."""
    return sklearn_ndcg_score([y], [estimator.predict(X)], k=10)


# %%
# The column
# ----------
# `GroupRanker` and the scorer are told its place, or its name where X is a
# DataFrame. The ranker drops it before its estimator sees X.

from sklearn_rank.metrics import make_ranking_scorer
from sklearn_rank.rankers import GroupRanker

X_with_query = np.column_stack([groups, X])
alphas = np.logspace(-2, 6, 9)


def search(scoring):
    """Return nDCG at each strength of regularisation."""
    return GridSearchCV(
        GroupRanker(Ridge(), groups=0),
        {"estimator__alpha": alphas},
        scoring=scoring,
        cv=GroupKFold(5),
        error_score="raise",
    ).fit(X_with_query, y, groups=groups)  # these groups are for GroupKFold


by_query = search(make_ranking_scorer("ndcg@10", groups=0, replace_undefined_by=0.0))
as_one = search(one_long_list)

# %%
# Two different numbers for the same models. The wrong one is the mean of five
# lists, one a fold, so that chance moves it far more than the model does.

import matplotlib.pyplot as plt

_, ax = plt.subplots(layout="constrained")
for name, found in {"per query": by_query, "one list a fold": as_one}.items():
    scores = found.cv_results_
    ax.errorbar(
        alphas,
        scores["mean_test_score"],
        scores["std_test_score"],
        marker="o",
        capsize=3,
        label=name,
    )
ax.set_xscale("log")
ax.set(xlabel="alpha", ylabel="nDCG@10, mean and spread of five folds")
ax.legend(frameon=False)

# %%
# Without groups our scorer raises an error that says what to do:

try:
    make_ranking_scorer("ndcg@10")(Ridge().fit(X, y), X, y)
except ValueError as error:
    print(error)

# sphinx_gallery_thumbnail_number = 1
