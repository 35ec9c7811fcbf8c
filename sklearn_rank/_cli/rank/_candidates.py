"""The candidates of a search of rankers, and their names."""

from typing import Any

from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor

from sklearn_rank._cli.rank._rankers import RANKERS
from sklearn_rank.rankers import GroupRanker

EQUAL = "all scores equal"
UNTUNED = "untuned"


def grid_of(model: str) -> list[dict[str, list]]:
    """Return the candidates for a search over the step "model" of a pipeline.

    The first two are scores that are all equal and the model as it comes.
    """
    ranker = RANKERS[model]
    return [
        {"model": [GroupRanker(DummyRegressor())]},
        {"model": [ranker.make()]},
        *ranker.grid(),
    ]


def title_of(model: str, params: dict[str, Any]) -> str:
    """Return the title of a candidate without its values."""
    estimator = getattr(params["model"], "estimator", None)
    if isinstance(estimator, DummyRegressor):
        return EQUAL
    if len(params) == 1:
        return f"{model}, {UNTUNED}"
    if model != "pointwise":
        return model
    is_trees = isinstance(estimator, HistGradientBoostingRegressor)
    return f"pointwise, {'trees' if is_trees else 'ridge'}"


def describe(model: str, params: dict[str, Any]) -> str:
    """Return a candidate in words."""
    values = [
        f"{key.rpartition('__')[2]} {value:g}"
        for key, value in params.items()
        if key != "model"
    ]
    return ", ".join([title_of(model, params), *values])
