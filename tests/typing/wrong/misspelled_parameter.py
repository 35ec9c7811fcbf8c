"""A parameter of a recommender with another name."""

from sklearn_rank.recommenders import EASERecommender

print(EASERecommender(regularization=10.0))
print(EASERecommender(lambda_=10.0))  # wrong
