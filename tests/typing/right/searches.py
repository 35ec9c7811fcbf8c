"""Searches with splitters and scorers of this package."""

from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import LeaveLastOut, RefitWithinError, TimeSplit
from sklearn_rank.recommenders import EASERecommender, ItemNeighborsRecommender

log = make_interactions(60, 60, 900, random_state=0, as_frame=True)
search = GridSearchCV(
    EASERecommender(),
    {"regularization": [10.0, 100.0]},
    scoring=make_recommender_scorer("ndcg@5"),
    cv=TimeSplit(2, test_size="28D", time="time"),
).fit(log)
print(search.best_params_, search.best_score_)

best_of_two = RandomizedSearchCV(
    ItemNeighborsRecommender(similarity="jaccard"),
    {"n_neighbors": [5, 10, 20]},
    n_iter=2,
    random_state=0,
    scoring=make_recommender_scorer(["ndcg@5", "coverage@5"]),
    cv=LeaveLastOut(n_splits=2, user="user", time="time"),
).set_params(refit=RefitWithinError("ndcg@5", prefer="coverage@5", tolerance=0.01))
best_of_two.fit(log)
print(best_of_two.best_index_)
