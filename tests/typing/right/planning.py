"""How many queries a comparison takes, and what is left out of sampled ones."""

from typing import assert_type

from sklearn_rank.metrics import sampled_ranking_scores, unjudged_bounds
from sklearn_rank.statistics import plan_evaluation

n = plan_evaluation(difference=0.02, standard_deviation=0.18).n_queries
print(n + 1)
control, treatment = plan_evaluation(
    difference=0.5, standard_deviation=4, paired=False, allocation_ratio=3
).n_queries
print(control + treatment)
least = plan_evaluation(
    n_queries=n, components={"query": 0.18, "repeat": 0.01}, n_repeats=3
).difference
assert_type(least, float)
print(f"{least:.3f}")

sampled = sampled_ranking_scores(
    [1, 0, 0, 1, 0, 0],
    [0.9, 0.2, 0.1, 0.3, 0.5, 0.2],
    groups=[1, 1, 1, 2, 2, 2],
    n_negatives=2,
    n_items=100,
    metrics="ndcg@10",
)
assert_type(sampled, dict[str, float])
bounds = unjudged_bounds(
    [1, float("nan"), 0], [3, 2, 1], groups=[1, 1, 1], metrics=["ndcg@3"]
)
print(bounds, sampled)
