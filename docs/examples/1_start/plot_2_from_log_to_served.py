"""
From log to served lists in 30 lines
====================================

What a shop runs: tune on the past, judge on the newest rows, fit on all of them, keep the
model in a file, and answer users from it.
"""

# %%
# Tune
# ----
# A log, made up here, has a row for each purchase. The newest fifth is held out; the search
# validates on windows of time before it, so that nothing of the future is learned from.

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
# Judge
# -----
# On rows that no search has seen, next to the baseline that is hardest to beat. Without
# `half_life` it would show what was popular all year.

baseline = PopularityRecommender(half_life="10D", time="time").fit(past)
for name, model in {"tuned EASE": search, "time-decayed popularity": baseline}.items():
    print(f"{name:24} nDCG@10 {ndcg(model, newest):.3f}")

# %%
# Keep
# ----
# The winner is fitted on all rows. Its file holds numbers and text, and nothing of it runs
# when it is read, unlike a pickle.

path = Path(mkdtemp(), "model.npz")
save_model(search.best_estimator_.fit(log), path)
served = load_model(path)
print(f"{path.stat().st_size / 1e6:.1f} MB")

# %%
# Serve
# -----
# One user's list, and why its first item is there.

items, scores = served.recommend([7], k=5, return_scores=True)
print(items, scores.round(3))
print(served.explain(7, items[0, 0]))

# %%
# The next day
# ------------
# The user bought this item, and dislikes the next one. `update` serves it at once: lists
# leave both out. What is known of items grows old, so fit again from time to time.

day = log[-1:].assign(user=7, item=items[0, 0])
served.update(day, dislikes=[[7, items[0, 1]]])
save_model(served, path)
print(load_model(path).recommend([7], k=5))
