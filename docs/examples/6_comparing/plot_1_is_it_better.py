"""
Is it better?
=============

Compare four models on the same queries: differences of their means with intervals, the
smallest difference that matters, and the table for a paper.
"""

# %%
# The models are fitted on some queries and compared on held-out queries.

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models

X, y, groups = make_ranking(n_queries=200, random_state=0)
train, test = groups < 80, groups >= 80
models = {
    "linear": Ridge(),
    "shrunk": Ridge(alpha=300),
    "two columns": Ridge(),
    "forest": RandomForestRegressor(20, random_state=0),
}
scores = {}
for name, model in models.items():
    columns = slice(2) if name == "two columns" else slice(None)
    model.fit(X[train, columns], y[train])
    scores[name] = per_query_scores(
        y[test],
        model.predict(X[test, columns]),
        groups=groups[test],
        metrics=["ndcg@10", "mrr"],
    )

# %%
# Differences to a baseline
# -------------------------
# Suppose that 0.02 is the smallest difference that matters. A model is better or worse if
# its interval is outside the band, and equivalent if it is inside.

comparison = compare_models(scores, baseline="linear", margin=0.02)
print(comparison)

# %%
# A point is filled if p, corrected for the number of models, is at most 5%.

figure, axes = plt.subplots(2, 1, figsize=(7, 5), layout="constrained")
for ax, metric in zip(axes, ["ndcg@10", "mrr"], strict=True):
    comparison.plot(metric=metric, ax=ax)

# %%
# All pairs
# ---------
# Without a baseline all pairs of models are compared. A star means that the interval of
# the difference excludes 0.

all_pairs = compare_models(scores)
display = all_pairs.plot(metric="ndcg@10")

# %%
# The table for a paper
# ---------------------
# A model has the letters of the models that it beats significantly, after correction.
# ``superscripts(markup="latex").to_latex()`` writes the table as LaTeX.

all_pairs.superscripts()
