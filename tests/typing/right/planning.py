"""How many queries a comparison takes, and what is left out of sampled ones."""

from typing import assert_type

from sklearn_rank.metrics import sampled_ranking_scores, unjudged_bounds
from sklearn_rank.statistics import detectable_difference, sample_size

n = sample_size(difference=0.02, standard_deviation=0.18)
assert_type(n, int)
print(n + 1)
control, treatment = sample_size(
    difference=0.5, standard_deviation=4, paired=False, allocation_ratio=3
)
print(control + treatment)
least = detectable_difference(n, standard_deviation=0.18, alternative="greater")
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
