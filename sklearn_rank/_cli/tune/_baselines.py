"""What the winner of the search has to beat: popularity, plain and time-decayed."""

from argparse import Namespace
from collections.abc import Callable

from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV

from sklearn_rank._cli.tune._candidates import HALF_LIFE, popularity, time_decayed
from sklearn_rank._cli.tune._periods import Periods
from sklearn_rank._cli.tune._search import search_best
from sklearn_rank.recommenders import PopularityRecommender


def fit_baselines(
    search: GridSearchCV, periods: Periods, scorer: Callable, options: Namespace
) -> dict[str, BaseEstimator]:
    """Return the baselines, fitted on the training period.

    The half-life is the best of the search. Where --models left popularity out, a search
    over the same folds finds it. A log may be too short for a half-life to try; then
    "time_decayed_popularity" is missing.
    """
    half_life = _best_half_life(search)
    if half_life is None and not _tried_popularity(search):
        train = periods.train, periods.y_train
        half_life = _best_half_life(search_best(*train, ("popularity",), scorer, options))
    models = {"popularity": popularity()}
    if half_life is not None:
        models["time_decayed_popularity"] = time_decayed().set_params(half_life=half_life)
    return {
        name: model.fit(periods.train, periods.y_train) for name, model in models.items()
    }


def which_baseline(model: BaseEstimator) -> str | None:
    """Return the name of the baseline that a model is, None if it is another model."""
    if not isinstance(model, PopularityRecommender):
        return None
    return "popularity" if model.half_life is None else "time_decayed_popularity"


def _tried_popularity(search: GridSearchCV) -> bool:
    tried = [params["recommender"] for params in search.cv_results_["params"]]
    return any(isinstance(model, PopularityRecommender) for model in tried)


def _best_half_life(search: GridSearchCV) -> str | float | None:
    """Return the half-life of the best candidate that has one."""
    ranks = search.cv_results_["rank_test_score"]
    candidates = zip(ranks, search.cv_results_["params"], strict=True)
    having = [
        (rank, params[HALF_LIFE]) for rank, params in candidates if HALF_LIFE in params
    ]
    return min(having, key=lambda pair: pair[0], default=(0, None))[1]
