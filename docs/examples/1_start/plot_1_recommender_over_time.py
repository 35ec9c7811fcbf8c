"""
Tune a recommender over time
============================

A recommender is trained on the past and used in the future. So tune it on periods after
its training rows, and evaluate it once on a last, held-out period.
"""

# %%
# The log
# -------
# A simulated year of interactions: users have tastes, fashions change, and few items get
# most of the rows.

from sklearn_rank.datasets import make_interactions
from sklearn_rank.model_selection import TimeSplit, plot_split

log = make_interactions(random_state=0, as_frame=True)
columns = {"user": "user", "item": "item", "time": "time"}
axes = plot_split(TimeSplit(n_splits=3, test_size=0.15, **columns), log)

# %%
# The search
# ----------
# One call holds out the last fifth of the rows, searches on folds of the rest, and
# evaluates the best candidate of each model, user by user. It always adds simple
# baselines.

from sklearn_rank.experiments import tune_models

models = ["factorization", "neighbors", "ease"]
tuned = tune_models(log, time="time", models=models)
print(tuned)

# %%
# The picture shows nDCG at each list length, and the intervals of the means.

display = tuned.plot()

# %%
# The candidates
# --------------
# Too few components underfit, too many overfit. Some periods are harder than others for
# all candidates. Only candidates without half-lives and recency are shown.

import matplotlib.pyplot as plt

candidates = tuned.candidates
is_plain = candidates["half_life"].isna() & candidates["recency"].isna()
some = candidates[is_plain & (candidates["model"] == "matrix factorization")]
some = some.sort_values("n_components")
_, ax = plt.subplots(layout="constrained")
for fold, marker in enumerate("os^"):  # gray, as colors mean models above
    scores = some[f"split{fold}_test_score"]
    label = f"period {fold + 1}"
    ax.plot(some["n_components"], scores, f"{marker}:", color="gray", label=label)
ax.plot(some["n_components"], some["mean_test_score"], linewidth=2, label="mean")
ax.set_xscale("log", base=2)
ax.set(xlabel="components", ylabel="nDCG@10")
ax.spines[["top", "right"]].set_visible(False)
_ = ax.legend(frameon=False)

# %%
# Segments of users
# -----------------
# For every model, users with many interactions get better lists than users with few.

counts = log["user"].value_counts()
activity = (counts > counts.median()).map({True: "heavy", False: "light"})
tuned.segments(by=activity).round(4)

# %%
# The winner of the search is fitted on all rows and ready to recommend. ``python()``
# returns the code that creates it.

print(tuned.best_estimator_.recommend([7, 11], 5))
print(tuned.python())

# sphinx_gallery_thumbnail_number = 2
