"""The models of the final comparison: the best of each family, and the baselines."""

from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.parallel import delayed

from sklearn_rank._cli._grid_search import run_jobs
from sklearn_rank._cli.tune._candidates import describe, family_of
from sklearn_rank._cli.tune._periods import Periods
from sklearn_rank._cli.tune._recommenders import BASELINES, COLUMNS, POPULARITY
from sklearn_rank._cli.tune._search import RecommenderSearch
from sklearn_rank.recommenders import PopularityRecommender

TUNED = "tuned"


@dataclass(frozen=True)
class Contender:
    """A model of the final comparison."""

    title: str
    family: str
    model: BaseEstimator  # fitted on the training rows


def fit_contenders(
    fitted: GridSearchCV, periods: Periods, search: RecommenderSearch
) -> dict[str, Contender]:
    """Return the best candidate of each family, fitted on the training rows.

    The winner is "tuned", the others have the names of their families. Popularity is always
    among them, and time-decayed popularity unless the log is too short for a half-life to
    try or has no times: where --models left them out, a search over the same folds finds
    the half-life.
    """
    best = _best_of_families(fitted)
    winner = family_of(fitted.best_params_)
    missing = [family for family in BASELINES if family not in best]
    if len(missing) == len(BASELINES) and "time" in periods.train:
        of_popularity = search.fit((POPULARITY,), periods.train, periods.y_train)
        best = {**best, **_best_of_families(of_popularity)}
    elif POPULARITY not in best:
        best[POPULARITY] = {"recommender": PopularityRecommender(**COLUMNS)}
    tuned = fitted.best_estimator_.named_steps["recommender"]
    contenders = {TUNED: Contender(describe(fitted.best_params_), winner, tuned)}
    families = [family for family in best if family != winner]
    models = run_jobs([delayed(_fit)(best[f], periods) for f in families], search.n_jobs)
    fitted_models = dict(zip(families, models, strict=True))
    if winner in BASELINES:
        # It is still one that the others are compared with.
        fitted_models[winner] = tuned
    for family, model in fitted_models.items():
        contenders[family] = Contender(describe(best[family]), family, model)
    return contenders


def _best_of_families(fitted: GridSearchCV) -> dict[str, dict[str, Any]]:
    """Return the parameters of the best candidate of each family, best first."""
    results = fitted.cv_results_
    ranked = sorted(
        zip(results["rank_test_score"], results["params"], strict=True),
        key=lambda pair: pair[0],
    )
    best: dict[str, dict[str, Any]] = {}
    for _, params in ranked:
        best.setdefault(family_of(params), params)
    return best


def _fit(params: dict[str, Any], periods: Periods) -> BaseEstimator:
    model = clone(params["recommender"])
    values = {key.partition("__")[2]: value for key, value in params.items() if "__" in key}
    return model.set_params(**values).fit(periods.train, periods.y_train)
