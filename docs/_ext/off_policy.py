"""The picture of estimates beside the truth on the page on off-policy values."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.datasets import make_click_log
from sklearn_rank.online import off_policy_value

rng = np.random.default_rng(0)
relevance = rng.beta(1, 4, size=(4000, 20))


def draw(weights):
    """Return lists of three items, drawn in proportion to weights."""
    return (rng.exponential(size=weights.shape) / weights).argsort(axis=1)[:, :3]


def chances(weights, lists):
    """Return the chance of each item of the lists, given the items above."""
    drawn = np.take_along_axis(weights, lists, axis=1)
    above = drawn.cumsum(axis=1) - drawn
    return (drawn / (weights.sum(axis=1, keepdims=True) - above)).ravel()


old = np.exp(rng.normal(0, 0.3, relevance.shape))
lists = draw(old)
log = make_click_log(lists, relevance, random_state=2)
columns = {"slate": log.impression, "position": log.position}
strengths, estimates, truths = range(6), [], []
for strength in strengths:
    new = np.exp(strength * relevance)
    propensities = chances(old, lists), chances(new, lists)
    estimates.append(off_policy_value(log.clicked, *propensities, **columns))
    truths.append(make_click_log(draw(new), relevance).probability.sum() / 4000)
values = np.array([estimate.value for estimate in estimates])
ends = [[estimate.low, estimate.high] for estimate in estimates]
figure, ax = plt.subplots(figsize=(4.8, 2.4), layout="constrained")
errors = np.abs(np.transpose(ends) - values)
ax.errorbar(strengths, values, errors, fmt="o", capsize=3, label="estimate, 95% interval")
ax.plot(strengths, truths, "--", color="C1", label="truth")
ax.set_xlabel("how strongly the new ranker prefers relevant items")
ax.set_ylabel("clicks per list")
ax.grid(alpha=0.3)
ax.legend(frameon=False)
