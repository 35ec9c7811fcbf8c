"""What the winner of the search has to beat: popularity, plain and time-decayed."""

from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV

from sklearn_rank._cli.tune._candidates import HALF_LIFE
from sklearn_rank._cli.tune._periods import Periods
from sklearn_rank._cli.tune._recommenders import COLUMNS
from sklearn_rank._cli.tune._search import RecommenderSearch
from sklearn_rank.recommenders import PopularityRecommender

POPULARITY = "popularity"
TIME_DECAYED = "time_decayed_popularity"


def fit_baselines(
    fitted: GridSearchCV, periods: Periods, search: RecommenderSearch
) -> dict[str, BaseEstimator]:
    """Return the baselines, fitted on the training period.

    The half-life is the best of the search. Where --models left popularity out, a search
    over the same folds finds it. A log may be too short for a half-life to try; then
    "time_decayed_popularity" is missing.
    """
    train = periods.train, periods.y_train
    half_life = _best_half_life(fitted)
    if half_life is None and not _tried_popularity(fitted):
        half_life = _best_half_life(search.fit(("popularity",), *train))
    models = {POPULARITY: PopularityRecommender(**COLUMNS)}
    if half_life is not None:
        models[TIME_DECAYED] = PopularityRecommender(
            time="time", half_life=half_life, **COLUMNS
        )
    return {name: model.fit(*train) for name, model in models.items()}


def which_baseline(model: BaseEstimator) -> str | None:
    """Return the name of the baseline that a model is, None if it is another model."""
    if not isinstance(model, PopularityRecommender):
        return None
    return POPULARITY if model.half_life is None else TIME_DECAYED


def _tried_popularity(fitted: GridSearchCV) -> bool:
    tried = [params["recommender"] for params in fitted.cv_results_["params"]]
    return any(isinstance(model, PopularityRecommender) for model in tried)


def _best_half_life(fitted: GridSearchCV) -> str | float | None:
    """Return the half-life of the best candidate that has one."""
    ranks = fitted.cv_results_["rank_test_score"]
    candidates = zip(ranks, fitted.cv_results_["params"], strict=True)
    having = [
        (rank, params[HALF_LIFE]) for rank, params in candidates if HALF_LIFE in params
    ]
    return min(having, key=lambda pair: pair[0], default=(0, None))[1]
