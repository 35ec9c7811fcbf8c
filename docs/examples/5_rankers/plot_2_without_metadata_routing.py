"""
The wrong numbers without a column
==================================

By default scikit-learn passes groups to the splitter but never to a scorer. This page shows
the wrong numbers that a scorer of scikit-learn then returns, and the right way: name the
query as a column of X.
"""

# %%
# Data and models
# ---------------
# Some queries have better documents than others, and one feature shows this. It is the
# same for all documents of a query, so it cannot help to order them.

import numpy as np

from sklearn_rank.datasets import make_ranking

X, y, groups = make_ranking(n_queries=200, query_effect=2.0, random_state=0)
richness = np.random.default_rng(0).integers(0, 3, size=200)[groups]
y = np.where(y > 0, y + richness, 0)
X_with_query = np.column_stack([groups, richness, X])

# %%
# There are two rankers. The pointwise ranker predicts the grade of a document. The
# pairwise ranker compares the documents of a query. Both take the query from column 0 of
# X, and drop it before their estimator sees X.

from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_rank.rankers import GroupRanker, PairwiseRanker

rankers = {
    "pointwise": GroupRanker(Ridge(), groups=0),
    "pairwise": PairwiseRanker(LogisticRegression(), groups=0),
}

# %%
# What goes wrong
# ---------------
# This metric follows the usual style of scikit-learn: groups are optional, and without
# them all rows are one query. ``make_scorer`` turns it into a scorer, and
# ``cross_val_score`` gets the groups. The metric records its arguments.

import warnings

from sklearn.metrics import make_scorer
from sklearn.model_selection import GroupKFold, cross_val_score

from sklearn_rank.metrics import ndcg_score

received = []


def ndcg_at_10(y_true, y_score, groups=None):
    """Return nDCG@10; without groups all rows are one query."""
    received.append((groups, len(y_true)))
    if groups is None:
        groups = np.zeros(len(y_true))
    return ndcg_score(y_true, y_score, groups=groups, k=10)


def scores_of(scoring):
    """Return the scores of five folds for each ranker; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return {
            name: cross_val_score(
                ranker,
                X_with_query,
                y,
                groups=groups,  # without routing these reach GroupKFold only
                cv=GroupKFold(5),
                scoring=scoring,
                error_score="raise",
            )
            for name, ranker in rankers.items()
        }


wrong = scores_of(make_scorer(ndcg_at_10))
for name, scores in wrong.items():
    print(f"{name}: {scores.mean():.3f}")
print("groups and rows that the metric got in the first fold:", received[0])

# %%
# There is no error and no warning, and the numbers look like nDCG. But the metric got no
# groups. It treated each fold of forty queries as a single list, and evaluated the best
# ten rows of all queries together. A model that finds the rich queries scores well there.
#
# The right way
# -------------
# The scorer reads the query of each row from the same column of X. It gets X before the
# first step of a pipeline. ``replace_undefined_by=np.nan`` leaves queries without
# relevant documents out of the mean without a warning.

from sklearn_rank.metrics import make_ranking_scorer

right = scores_of(make_ranking_scorer("ndcg@10", groups=0, replace_undefined_by=np.nan))
for name, scores in right.items():
    print(f"{name}: {scores.mean():.3f}")

# %%
# The wrong scorer picks the wrong model. It strongly prefers the pointwise ranker, but
# within queries the pairwise one is better in every fold.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
titles = {"wrong: each fold is one list": wrong, "right: each query is a list": right}
for ax, (title, found) in zip(axes, titles.items(), strict=True):
    ax.plot(list(found), list(found.values()), "o-", color="C0", alpha=0.5)
    means = [scores.mean() for scores in found.values()]
    ax.plot(list(found), means, "ks--", label="mean of the folds")
    ax.set_title(title, loc="left", fontsize="medium")
    ax.set(xlim=(-0.3, 1.3), ylabel="nDCG@10 of each fold")
    ax.spines[["top", "right"]].set_visible(False)
_ = axes[0].legend(frameon=False)

# %%
# A search works the same way, with the same scorer:

from sklearn.model_selection import GridSearchCV

search = GridSearchCV(
    PairwiseRanker(LogisticRegression(), groups=0),
    {"estimator__C": [0.001, 0.1, 10.0]},
    scoring=make_ranking_scorer("ndcg@10", groups=0, replace_undefined_by=np.nan),
    cv=GroupKFold(5),
    error_score="raise",
).fit(X_with_query, y, groups=groups)
print(search.best_params_, round(search.best_score_, 3))

# %%
# Without groups our scorer does not guess. It raises an error with the solution:

import textwrap

try:
    make_ranking_scorer("ndcg@10")(Ridge().fit(X, y), X, y)
except ValueError as error:
    print(textwrap.fill(str(error), 80))

# sphinx_gallery_thumbnail_number = 1
