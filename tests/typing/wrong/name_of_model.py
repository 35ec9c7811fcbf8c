"""A recommender is an object, not a name."""

from sklearn_rank.recommenders import EASERecommender, RerankingRecommender

print(RerankingRecommender(EASERecommender(), "mmr"))
print(RerankingRecommender("EASERecommender", "mmr"))  # wrong
