"""
The same model, four protocols, four numbers
============================================

The score of a recommender depends on the held-out rows. Here models, metric and log stay
the same; only the splitter changes.
"""

# %%
# Four ways to hold out
# ---------------------
# Each answers a different question. Only in the last two does the model never see rows
# that are later than the test.

import matplotlib.pyplot as plt

from sklearn_rank.datasets import make_interactions
from sklearn_rank.model_selection import (
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserTimeSplit,
    plot_split,
)

log = make_interactions(drift=0.9, random_state=0, as_frame=True)
columns = {"user": "user", "item": "item", "time": "time", "seen_items": "drop"}
protocols = {
    "random rows of each user": LeaveRandomOut(0.1, n_splits=3, random_state=0, **columns),
    "last rows of each user": LeaveLastOut(0.1, n_splits=3, **columns),
    "a period of time": TimeSplit(3, test_size=0.1, **columns),
    "other users, later": UserTimeSplit(3, test_size=0.1, fold_in=True, **columns),
}
figure, axes = plt.subplots(4, 2, figsize=(9, 9), layout="constrained")
for row, (name, splitter) in zip(axes, protocols.items(), strict=True):
    plot_split(splitter, log, axes=row)
    row[0].set_title(name, loc="left")

# %%
# The same models under all four
# ------------------------------

from sklearn.model_selection import cross_validate

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import ItemNeighborsRecommender, PopularityRecommender

scorer = make_recommender_scorer("ndcg@10")
models = {
    "item neighbors": ItemNeighborsRecommender(),
    "popularity": PopularityRecommender(),
    "time-decayed popularity": PopularityRecommender(time="time", half_life="14D"),
}
figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
for shift, (model_name, model) in enumerate(models.items()):
    for place, splitter in enumerate(protocols.values()):
        found = cross_validate(
            model, log, cv=splitter, scoring=scorer, error_score="raise"
        )["test_score"]
        at = place + 0.27 * (shift - 1)
        ax.bar(
            at, found.mean(), 0.25, color=f"C{shift}", label=None if place else model_name
        )
        ax.plot([at] * len(found), found, ".", color="black")
ax.set_xticks(range(len(protocols)), protocols)
ax.set_ylabel("nDCG@10, mean and each fold")
ax.spines[["top", "right"]].set_visible(False)
_ = ax.legend(frameon=False)

# %%
# The models are the same, but the winner changes. With random rows held out, item
# neighbors have seen what a user did right after, and trends do not help. To predict the
# future, time-decayed popularity is better. Report the protocol with each number, and
# choose the protocol that resembles production.

# sphinx_gallery_thumbnail_number = 2
