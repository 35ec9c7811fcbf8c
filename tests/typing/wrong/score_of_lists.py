"""Lists come without scores unless these are asked for."""

from sklearn_rank.recommenders import EASERecommender

model = EASERecommender().fit([["ann", "tea"], ["ann", "jam"], ["bob", "tea"]])
items, scores = model.recommend(["bob"], k=1, return_scores=True)
print(items, scores.max())
print(model.recommend(["bob"], k=1).best)  # wrong
