"""
RP3beta as a recommender of your own, tuned
===========================================

RP3beta [#]_ is a random walk in three steps, from a user to an item, to another user and
to one of their items, with a penalty on popularity. The package has it, as
``ItemNeighborsRecommender(similarity="walk", keep="both", normalize=True)``; this page
writes it again. Two methods make it an estimator. It is tuned next to another model.

.. [#] B. Paudel, F. Christoffel, C. Newell, A. Bernstein: Updatable, accurate, diverse, and
   scalable recommendations for interactive applications, ACM TiiS 7, 2017.
"""

# %%
# The model
# ---------
# A step goes to a neighbor with a probability proportional to its weight, raised to the
# power `alpha`. Walks of three steps often end at popular items, so the probability of an
# item is divided by its number of users, raised to the power `beta`. Each item keeps the
# `n_neighbors` most probable end points.
#
# `RecommenderMixin` handles ids, unknown users, ties, seen items and blocks of users.

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize

from sklearn_rank.recommenders import RecommenderMixin


class RP3beta(RecommenderMixin, BaseEstimator):
    """A random walk over users and items that turns away from the popular ones."""

    def __init__(self, alpha=1.0, beta=0.5, n_neighbors=100, *, user=None, item=None):
        self.alpha = alpha
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.user = user
        self.item = item

    def fit_interactions(self, interactions):
        """Keep where two steps from an item, to a user and to an item of theirs, lead."""
        to_user = normalize(interactions.T, "l1").power(self.alpha)
        to_item = normalize(interactions, "l1").power(self.alpha)
        n_users = np.bincount(interactions.indices, minlength=interactions.shape[1])
        ends = (to_user @ to_item @ sparse.diags_array(n_users**-self.beta)).tocsr()
        ends.setdiag(0)
        row = np.repeat(np.arange(ends.shape[0]), np.diff(ends.indptr))
        order = np.lexsort((-ends.data, row))  # the entries of each row, highest first
        kept = order[np.arange(ends.nnz) - ends.indptr[row] < self.n_neighbors]
        entries = ends.data[kept], (row[kept], ends.indices[kept])
        self.steps_ = sparse.csr_array(entries, shape=ends.shape)

    def score_histories(self, histories):
        """Walk on from the items of each user."""
        return normalize(histories, "l1").power(self.alpha) @ self.steps_


# %%
# The log
# -------
# A simulated year of interactions. The last four weeks are held out; the search uses
# three periods of four weeks before them.

from sklearn_rank.datasets import make_interactions
from sklearn_rank.model_selection import TimeSplit

log = make_interactions(random_state=0, as_frame=True)
protocol = {"test_size": "28D", "seen_items": "drop", "cold_users": "drop"}
columns = {"user": "user", "item": "item", "time": "time"}
((past, future),) = TimeSplit(**protocol, **columns).split(log)
train, test = log.iloc[past], log.iloc[future]

# %%
# The searches
# ------------
# Both models get the same kind of search. The values of `beta` matter most.

from sklearn.model_selection import GridSearchCV

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import ItemNeighborsRecommender, PopularityRecommender

ids = {"user": "user", "item": "item"}
ndcg = make_recommender_scorer("ndcg@10", **ids)
folds = TimeSplit(3, **protocol, **columns)
tuning = {"scoring": ndcg, "cv": folds, "error_score": "raise"}
betas = [0.0, 0.3, 0.6, 0.9, 1.2]
walk = GridSearchCV(RP3beta(**ids), {"alpha": [0.7, 1.0], "beta": betas}, **tuning)
walk.fit(train)
neighbors = GridSearchCV(
    ItemNeighborsRecommender(**ids),
    {"n_neighbors": [50, 200], "similarity": ["cosine", "bm25"]},
    **tuning,
).fit(train)
for name, search in {"RP3beta": walk, "item neighbors": neighbors}.items():
    print(f"{name}: {search.best_params_}, nDCG@10 {search.best_score_:.3f}")

# %%
# The walk is sensitive: a wrong `beta` costs most of its accuracy.

import matplotlib.pyplot as plt

_, ax = plt.subplots(layout="constrained")
found = walk.cv_results_
for alpha in (0.7, 1.0):
    tried = np.flatnonzero(found["param_alpha"] == alpha)
    mean, spread = found["mean_test_score"][tried], found["std_test_score"][tried]
    ax.errorbar(betas, mean, spread, marker="o", capsize=3, label=f"alpha={alpha}")
ax.axhline(neighbors.best_score_, color="gray", linestyle="--", label="item neighbors")
ax.set(xlabel="beta", ylabel="nDCG@10, mean and spread of three periods")
ax.spines[["top", "right"]].set_visible(False)
_ = ax.legend(frameon=False)

# %%
# The last period
# ---------------
# Each winner is evaluated once on the held-out weeks.

models = {
    "RP3beta": walk,
    "item neighbors": neighbors,
    "popularity": PopularityRecommender(**ids).fit(train),
}
for name, model in models.items():
    print(f"{name}: {ndcg(model, test):.3f}")
