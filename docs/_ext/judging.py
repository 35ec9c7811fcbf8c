"""The picture of four intervals on the page about judging with a model."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank.inputs import make_pool
from sklearn_rank.statistics import compare_models, partly_judged_scores

rng = np.random.default_rng(0)
quality, shape = rng.normal(size=6000), (200, 30)
people = np.clip(quality + 0.5, 0, 3).round().reshape(shape)
by_judge = quality + 1 + rng.normal(0, 0.5, 6000)
judge = np.clip(by_judge, 0, 3).round().reshape(shape)
scores = {
    name: (quality + noise * rng.normal(size=6000)).reshape(shape)
    for name, noise in [("old", 1.3), ("new", 1.0)]
}
lists = {name: np.argsort(-score, axis=1)[:, :10] for name, score in scores.items()}
for score in scores.values():
    np.put_along_axis(score, np.argsort(-score, axis=1)[:, 10:], -np.inf, axis=1)
spread = [max(people[judge == grade].std(), 0.2) for grade in range(4)]
uncertainty = {
    query: dict(enumerate(np.take(spread, row.astype(int)).tolist()))
    for query, row in enumerate(judge)
}
runs = {name: dict(enumerate(found.tolist())) for name, found in lists.items()}
drawn = make_pool(runs, budget=600, uncertainty=uncertainty, random_state=0)
probability = np.full(shape, np.nan)
probability[drawn.groups, drawn["items"]] = drawn.probability
some = np.where(np.isnan(probability), np.nan, people)

ways = {
    "judge alone": partly_judged_scores(judge, scores),
    "600 by an expert": partly_judged_scores(some, scores, probability=probability),
    "both": partly_judged_scores(some, scores, probability=probability, judge=judge),
    "all by people": partly_judged_scores(people, scores),
}
figure, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
for place, values in enumerate(ways.values()):
    row = compare_models(values, baseline="old").row("new")
    ax.plot([row.low, row.high], [place, place], color="C0")
    ax.plot(row.difference, place, "o", color="C0")
ax.axvline(0, color="gray", linewidth=1)
ax.set_yticks(range(4), ways)
ax.invert_yaxis()
ax.set_xlabel("dcg@10, new - old, with 95 % intervals")
