"""A parameter that is not there."""

from sklearn_rank.recommenders import PopularityRecommender, RerankingRecommender

popular = PopularityRecommender()
print(RerankingRecommender(popular, "popularity", strength=0.2))
print(RerankingRecommender(popular, "popularity", lambda_=0.2))  # wrong
