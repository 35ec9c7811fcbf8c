"""
Who is seen: fairness of exposure
=================================

A marketplace has products of large and of small makers. If a model scores the products of
large makers slightly higher, they get most of the attention, because users look mostly at
the top. This example measures the exposure of both groups, compares it with a target, and
corrects it.
"""

# %%
# A small difference in scores
# ----------------------------
# Each of 300 queries has 20 products, half of them from small makers. These are relevant
# as often as the others, but the model scores them lower.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.metrics import expected_exposure, group_exposure, ranking_scores

random = np.random.default_rng(0)
n_queries, n_items = 300, 20
is_small = np.tile(np.arange(n_items) % 2 == 1, (n_queries, 1))
quality = random.normal(size=(n_queries, n_items))
y_true = (quality + random.normal(size=quality.shape) > 1).astype(float)
y_score = quality + random.normal(size=quality.shape) - is_small
makers = np.where(is_small[0], "small", "large")

relevant = {
    name: y_true[:, makers == name].sum() / y_true.sum() for name in ("large", "small")
}
exposure = group_exposure(y_true, y_score, item_groups=makers, k=10)
for name in relevant:
    print(f"{name}: {relevant[name]:.2f} of what is relevant, {exposure[name]:.2f} seen")

# %%
# A target, and a correction
# --------------------------
# Fairness needs a target, and there is no default. Here the target is the share of
# relevant products. A bonus on the scores of small makers moves exposure to them.

additions = np.linspace(0, 2, 11)
target = "target='relevant'"
metrics = [f"awrf({target})@10", f"min_skew({target})@10", f"ndkl({target})@10", "ndcg@10"]
found = [
    ranking_scores(
        y_true,
        y_score + addition * is_small,
        metrics=metrics,
        item_groups=makers,
        replace_undefined_by=np.nan,
    )
    for addition in additions
]
seen = [
    group_exposure(y_true, y_score + addition * is_small, item_groups=makers, k=10)
    for addition in additions
]

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
axes[0].plot(additions, [one["small"] for one in seen], marker="o")
axes[0].axhline(relevant["small"], color="gray", linestyle="--", label="target")
axes[0].set(xlabel="added to small makers", ylabel="attention to small makers")
axes[0].legend()
for name in (metrics[0], "ndcg@10"):
    label = name.partition("(")[0].partition("@")[0]
    change = [one[name] - found[0][name] for one in found]
    axes[1].plot(additions, change, marker="o", label=label)
axes[1].set(xlabel="added to small makers", ylabel="change of the mean over queries")
_ = axes[1].legend()

# %%
# Here fairness and accuracy agree: both curves are highest near a bonus of 1, the bias of
# the model.

# %%
# Equally relevant items
# ----------------------
# A fixed ranking always puts one of two equally relevant items first. A stochastic
# ranking lets them take turns. ``expected_exposure`` compares the attention that each
# item gets over several draws with the attention that its relevance deserves. A more
# random ranking has less loss, but also gives less attention to relevant items.

n_draws, rows = 20, np.arange(n_queries * n_items)
query, item = rows // n_items, rows % n_items
losses, relevances = [], []
noises = [0, 0.25, 0.5, 1, 2, 4]
for noise in noises:
    drawn = [
        (y_score + is_small + noise * random.gumbel(size=y_score.shape)).ravel()
        for _ in range(n_draws)
    ]
    values = expected_exposure(
        np.tile(y_true.ravel(), n_draws),
        np.concatenate(drawn),
        groups=(np.tile(query, n_draws), np.repeat(np.arange(n_draws), len(rows))),
        items=np.tile(item, n_draws),
        persistence=0.8,
    ).mean()
    losses.append(values["eel"])
    relevances.append(values["eer"])

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.plot(losses, relevances, marker="o")
for noise, loss, relevance in zip(noises, losses, relevances, strict=True):
    ax.annotate(
        f"noise {noise}", (loss, relevance), xytext=(6, -4), textcoords="offset points"
    )
ax.margins(x=0.15)
_ = ax.set(
    xlabel="expected exposure loss (lower is better)", ylabel="expected exposure relevance"
)
