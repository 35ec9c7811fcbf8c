"""The picture of recency on the part on sessions."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import ItemNeighborsRecommender

rng = np.random.default_rng(0)
rows = []
for session in range(2000):
    item, topic = 0, rng.integers(12)
    for click in range(rng.integers(2, 9)):
        if click == 0 or rng.random() > 0.3:
            item = 10 * topic + min(rng.geometric(0.3), 10) - 1
        rows.append((session, item, 60 * session + click))
clicks = pd.DataFrame(rows, columns=["user", "item", "time"])
train, test = clicks[clicks["user"] < 1700], clicks[clicks["user"] >= 1700]
score = make_recommender_scorer("mrr@20", reveal=True, exclude_seen=False)
recency = [0.3, 0.5, 1, 2, 4, 8]
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for own in (True, False):
    values = [
        score(
            ItemNeighborsRecommender(
                200, similarity="walk", self_weight=own, recency=r, time="time"
            ).fit(train),
            test,
        )
        for r in recency
    ]
    ax.plot(recency, values, marker="o", label=f"self_weight={own}")
ax.set(xscale="log", xlabel="recency, in clicks", ylabel="MRR@20", ylim=(0, 0.7))
ax.set_xticks(recency, map(str, recency))
ax.minorticks_off()
ax.legend()
