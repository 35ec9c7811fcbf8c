"""
From log to served lists in 30 lines
====================================

The steps of a shop: tune on the past, evaluate on the newest rows, fit on all rows, save
the model to a file, and recommend from it.
"""

# %%
# Tune
# ----
# This simulated log has a row for each purchase. The newest fifth is held out. The search
# validates on windows of time before it, so the model never learns from the future.

from pathlib import Path
from tempfile import mkdtemp

from sklearn.model_selection import GridSearchCV

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import (
    EASERecommender,
    PopularityRecommender,
    load_model,
    save_model,
)

log = make_interactions(800, 300, 20_000, random_state=0, as_frame=True)
past, newest = log[:16_000], log[16_000:]
ndcg = make_recommender_scorer("ndcg@10")
search = GridSearchCV(
    EASERecommender(time="time"),
    {"regularization": [30, 100, 300], "half_life": [None, "30D", "90D"]},
    scoring=ndcg,
    cv=TimeSplit(n_splits=3, time="time", seen_items="drop"),
).fit(past)
print(search.best_params_)

# %%
# Evaluate
# --------
# Evaluate on rows that no search has seen, next to the baseline that is hardest to beat.
# Without `half_life` the baseline would recommend items that were popular all year.

baseline = PopularityRecommender(half_life="10D", time="time").fit(past)
for name, model in {"tuned EASE": search, "time-decayed popularity": baseline}.items():
    print(f"{name:24} nDCG@10 {ndcg(model, newest):.3f}")

# %%
# Keep
# ----
# The winner is fitted on all rows. Its file has only numbers and text. Unlike a pickle,
# reading it runs no code.

path = Path(mkdtemp(), "model.npz")
save_model(search.best_estimator_.fit(log), path)
served = load_model(path)
print(f"{path.stat().st_size / 1e6:.1f} MB")

# %%
# Serve
# -----
# The list of one user, and an explanation of its first item.

items, scores = served.recommend([7], k=5, return_scores=True)
print(items, scores.round(3))
print(served.explain(7, items[0, 0]))

# %%
# The next day
# ------------
# The user bought this item, and dislikes the next one. After `update` lists leave both
# out. `update` does not change the item model, so fit again from time to time.

day = log[-1:].assign(user=7, item=items[0, 0])
served.update(day, dislikes=[[7, items[0, 1]]])
save_model(served, path)
print(load_model(path).recommend([7], k=5))

# sphinx_gallery_thumbnail_path = "_static/online_retail.png"
