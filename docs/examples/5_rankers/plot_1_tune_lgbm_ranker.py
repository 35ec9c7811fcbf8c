"""
Tune LGBMRanker with groups
===========================

LightGBM's ranker needs sorted rows and group sizes, which scikit-learn's searches cannot
pass. `GroupRanker` reads the query of each row from a column of X, with rows in any order,
and so does the scorer.
"""

# %%
# Queries have graded documents, with the rows in random order. Each query shifts its
# features by a different amount, so only comparisons within a query are informative.

import numpy as np
from sklearn.model_selection import GroupShuffleSplit

from sklearn_rank.datasets import make_ranking

X, y, groups = make_ranking(n_queries=300, query_effect=2.0, shuffle=True, random_state=0)
X = np.column_stack([groups, X])  # the query of each row is a column
((train, test),) = GroupShuffleSplit(1, test_size=0.3, random_state=0).split(X, y, groups)

# %%
# ``GroupKFold`` keeps each query in one fold; ``groups=`` of ``fit`` is for this splitter.
# Some queries have no relevant document; with ``replace_undefined_by=np.nan`` the mean
# leaves them out. ``error_score="raise"`` stops at an error, which otherwise becomes nan.

from lightgbm import LGBMRanker
from sklearn.model_selection import GridSearchCV, GroupKFold

from sklearn_rank.metrics import make_ranking_scorer
from sklearn_rank.rankers import GroupRanker

search = GridSearchCV(
    GroupRanker(LGBMRanker(n_jobs=1, verbose=-1, random_state=0), groups=0),
    {"estimator__num_leaves": [3, 7, 15], "estimator__n_estimators": [25, 50, 100]},
    scoring=make_ranking_scorer("ndcg@10", replace_undefined_by=np.nan),
    cv=GroupKFold(4),
    error_score="raise",
).fit(X[train], y[train], groups=groups[train])
print(search.best_params_, round(search.best_score_, 3))

# %%
# A pointwise regression of grades ignores queries. Compare both models on held-out
# queries:

import matplotlib.pyplot as plt
from lightgbm import LGBMRegressor

from sklearn_rank.metrics import MetricAtKDisplay, PerQueryDisplay

pointwise = GroupRanker(LGBMRegressor(n_jobs=1, verbose=-1, random_state=0), groups=0)
pointwise.set_params(
    estimator__num_leaves=search.best_params_["estimator__num_leaves"],
    estimator__n_estimators=search.best_params_["estimator__n_estimators"],
)
pointwise.fit(X[train], y[train])

_, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
held_out = {"groups": groups[test], "replace_undefined_by": np.nan}
models = {"LGBMRanker": search, "LGBMRegressor": pointwise}
MetricAtKDisplay.from_estimators(models, X[test], y[test], ax=left, **held_out)
PerQueryDisplay.from_estimator(
    search,
    X[test],
    y[test],
    baseline=pointwise,
    name="LGBMRanker",
    baseline_name="LGBMRegressor",
    ax=right,
    **held_out,
)

# %%
# The means on the left show that the ranker is better. The right side shows the gain or
# loss of each query. The bands are 95% intervals.
