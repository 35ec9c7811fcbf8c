"""
Tune a recommender over time
============================

A recommender is trained on the past and used on the future. So it is tuned on
periods that follow its training rows, and judged once on a last period that no
search has seen.
"""

# %%
# The log
# -------
# Made up, with a year of interactions: users with tastes, fashions, and few
# items that get most of the rows.

from sklearn_rank.datasets import make_interactions
from sklearn_rank.model_selection import TimeSplit, plot_split

log = make_interactions(random_state=0, as_frame=True)
columns = {"user": "user", "item": "item", "time": "time"}
axes = plot_split(TimeSplit(n_splits=3, test_size=0.15, **columns), log)

# %%
# The search
# ----------
# One call holds out the last fifth of the rows, searches on folds of the rest,
# and judges the best of each model, user by user. Simple baselines are judged
# whatever is tried.

from sklearn_rank.experiments import tune_models

models = ["factorization", "neighbors", "ease"]
tuned = tune_models(log, time="time", models=models)
print(tuned)

# %%
# The same as a picture: nDCG at each length of the list, and the intervals of
# the means.

display = tuned.plot()

# %%
# The candidates
# --------------
# Too few components underfit, too many overfit. Some periods are harder than
# others for all candidates.

import matplotlib.pyplot as plt

candidates = tuned.candidates
some = candidates[candidates["model"] == "matrix factorization"]
some = some.sort_values("n_components")
_, ax = plt.subplots(layout="constrained")
for fold in range(tuned.n_splits_):
    scores = some[f"split{fold}_test_score"]
    ax.plot(some["n_components"], scores, "o-", alpha=0.5, label=f"period {fold + 1}")
ax.plot(some["n_components"], some["mean_test_score"], "k--", label="mean")
ax.set_xscale("log", base=2)
ax.set(xlabel="components", ylabel="nDCG@10")
ax.spines[["top", "right"]].set_visible(False)
_ = ax.legend(frameon=False)

# %%
# Whom it serves
# --------------
# Users with many interactions are served better than users with few, by all
# models.

counts = log["user"].value_counts()
activity = (counts > counts.median()).map({True: "heavy", False: "light"})
tuned.segments(by=activity).round(4)

# %%
# The winner of the search is fitted on all rows, ready to recommend, and the
# code that makes it can be kept.

print(tuned.best_estimator_.recommend([7, 11], 5))
print(tuned.python())

# sphinx_gallery_thumbnail_number = 2
