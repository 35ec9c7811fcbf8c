"""The picture of learned weights on the page about fusion: gains held out, in sample."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.datasets import make_ranking
from sklearn_rank.rankers import RankFusion

SIZES, REPEATS = (10, 20, 40, 80), 100
BLOCK = SIZES[-1]
X, y, query = make_ranking(n_queries=REPEATS * BLOCK, query_size=(20, 20), random_state=0)
rng = np.random.default_rng(0)
# Two retrievers that are alike: a feature, and noise of each.
runs = np.column_stack([query, X[:, [5]] + rng.normal(0, 1, (len(y), 2))])
gains = np.empty((2, len(SIZES), REPEATS))
for at, size in enumerate(SIZES):
    for repeat in range(REPEATS):
        rows = (query >= repeat * BLOCK) & (query < repeat * BLOCK + size)
        fusion = RankFusion("comb_sum", weights="learned", groups=0)
        tuning = fusion.fit(runs[rows], y[rows]).tuning_
        gains[:, at, repeat] = tuning["gain_in_sample"], tuning["gain"]
figure, ax = plt.subplots(figsize=(6.4, 2.6), layout="constrained")
for name, color, gain in zip(("in sample", "held out"), ("C1", "C0"), gains, strict=True):
    errors = 2 * gain.std(axis=1, ddof=1) / REPEATS**0.5
    ax.errorbar(SIZES, gain.mean(axis=1), errors, fmt="o-", color=color, label=name)
ax.axhline(0, color="gray", linewidth=1)
ax.set_xscale("log")
ax.set_xticks(SIZES, SIZES)
ax.minorticks_off()
ax.set(xlabel="questions", ylabel="gain in ndcg@10")
ax.legend(frameon=False)
