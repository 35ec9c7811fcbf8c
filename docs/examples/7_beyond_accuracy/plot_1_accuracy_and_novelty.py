"""
Trade accuracy for novelty
==========================

A recommender that is tuned by nDCG alone shows everybody the same popular items, and nDCG
does not reveal it. This search uses two metrics: accuracy, and the novelty of the
recommended items, which is high for items with few users.
"""

# %%
# A log with a long tail: few items have most of the rows.
import numpy as np
from sklearn.model_selection import GridSearchCV

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import TradeOffDisplay, make_recommender_scorer
from sklearn_rank.model_selection import RefitWithinError, TimeSplit
from sklearn_rank.recommenders import ItemNeighborsRecommender

columns = {"user": "user", "item": "item"}
log = make_interactions(500, 400, 20_000, random_state=0, as_frame=True)

# %%
# One scorer computes all four metrics from one list per user. The number of users of an
# item is counted in the training fold: the scorer gets it from the fitted recommender.
beyond = ["novelty@10", "intra_list_distance(distance='co_occurrence')@10", "coverage@10"]
scorer = make_recommender_scorer(["ndcg@10", *beyond], **columns)

# %%
# With more neighbors, lists contain more popular items. The search chooses the most novel
# candidate whose nDCG is within one standard error of the best.
search = GridSearchCV(
    ItemNeighborsRecommender(weighting="binary", **columns),
    {"n_neighbors": [5, 10, 20, 30, 50, 80, 120, 200, 400]},
    scoring=scorer,
    refit=RefitWithinError("ndcg@10", prefer="novelty@10"),
    cv=TimeSplit(n_splits=3, test_size=0.1, time="time", seen_items="drop", **columns),
).fit(log)
found = search.cv_results_
accuracy, novelty = found["mean_test_ndcg@10"], found["mean_test_novelty@10"]
neighbors = found["param_n_neighbors"].astype(int)
most_accurate, chosen = int(np.argmax(accuracy)), search.best_index_
print(f"most accurate: {neighbors[most_accurate]} neighbors")
print(f"chosen: {neighbors[chosen]} neighbors")

# %%
# The plot shows the trade-off, which a weighted sum would hide. A candidate is on the
# Pareto front if every candidate that is better in one metric is worse in the other.
display = TradeOffDisplay(
    model=["candidates"] * len(accuracy),
    x=accuracy,
    y=novelty,
    names=["nDCG@10", "novelty@10, in bits"],
).plot()
ax = display.ax_
ax.autoscale()  # to the range of the candidates, not from 0
for n, a, b in zip(neighbors, accuracy, novelty, strict=True):
    ax.annotate(str(n), (a, b), textcoords="offset points", xytext=(5, 4))
circle = {"s": 120, "facecolor": "none", "edgecolor": "#D55E00", "label": "chosen"}
ax.scatter(accuracy[chosen], novelty[chosen], **circle)
ax.set_title("Number of neighbors")
_ = ax.legend(frameon=False)

# %%
# The effect of the choice on all four metrics:
for name in ("ndcg@10", *beyond):
    values = found[f"mean_test_{name}"]
    print(f"{name}: {values[most_accurate]:.3f} before, {values[chosen]:.3f} now")
