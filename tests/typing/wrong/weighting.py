"""Weights of pairs have three names."""

from sklearn_rank.recommenders import ItemNeighborsRecommender

print(ItemNeighborsRecommender(weighting="log"))
print(ItemNeighborsRecommender(weighting="logarithm"))  # wrong
