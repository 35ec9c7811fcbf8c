"""
Tune a recommender over time
============================

A recommender is trained on the past and used on the future. So it is tuned on
periods that follow its training rows, and evaluated once on a last period that
no search has seen.
"""

# %%
# The log
# -------
# Made up, with a year of interactions: users with tastes, fashions, and few
# items that get most of the rows. The last four weeks are put aside.

from sklearn_rank.datasets import make_interactions
from sklearn_rank.model_selection import TimeSplit, plot_split

log = make_interactions(random_state=0, as_frame=True)
columns = {"user": "user", "item": "item", "time": "time"}

final = TimeSplit(test_size="28D", seen_items="drop", **columns)
((past, future),) = final.split(log)
train, test = log.iloc[past], log.iloc[future]

folds = TimeSplit(n_splits=3, test_size="28D", seen_items="drop", **columns)
axes = plot_split(folds, train)

# %%
# The search
# ----------
# Any decomposition of scikit-learn, with any scikit-learn search. The scorer
# asks each candidate for ten items for each user of the held-out period.

from sklearn.decomposition import TruncatedSVD
from sklearn.model_selection import GridSearchCV

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import (
    MatrixFactorizationRecommender,
    PopularityRecommender,
)

search = GridSearchCV(
    MatrixFactorizationRecommender(TruncatedSVD(random_state=0)),
    {"estimator__n_components": [2, 4, 8, 16, 32, 64]},
    scoring=make_recommender_scorer("ndcg@10"),
    cv=folds,
    error_score="raise",
).fit(train)
print(search.best_params_, round(search.best_score_, 3))

# %%
# Too few components underfit, too many overfit. Some weeks are harder than
# others for all candidates. The best candidate is the same in each.

import matplotlib.pyplot as plt

found = search.cv_results_
components = [parameters["estimator__n_components"] for parameters in found["params"]]
_, ax = plt.subplots(layout="constrained")
for fold in range(3):
    scores = found[f"split{fold}_test_score"]
    ax.plot(components, scores, "o-", alpha=0.5, label=f"period {fold + 1}")
ax.plot(components, found["mean_test_score"], "k--", label="mean")
ax.set_xscale("log", base=2)
ax.set(xlabel="components", ylabel="nDCG@10")
ax.spines[["top", "right"]].set_visible(False)
_ = ax.legend(frameon=False)

# %%
# The last period
# ---------------
# The tuned model and the baselines, popularity and time-decayed popularity. On
# this log they hardly differ; on logs with a strong season they do. Bands are
# 95% intervals.

from sklearn_rank.metrics import MetricAtKDisplay, PrecisionRecallAtKDisplay

popularity = PopularityRecommender().fit(train)
decayed = PopularityRecommender(half_life="30D", time="time").fit(train)
models = {
    "tuned": search,
    "time-decayed popularity": decayed,
    "popularity": popularity,
}

_, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
ids = {"user": "user", "item": "item"}
for name, model in models.items():
    MetricAtKDisplay.from_estimator(model, test, name=name, ax=left, **ids)
for name in ("tuned", "popularity"):
    PrecisionRecallAtKDisplay.from_estimator(models[name], test, name=name, ax=right, **ids)

# sphinx_gallery_thumbnail_number = 3
