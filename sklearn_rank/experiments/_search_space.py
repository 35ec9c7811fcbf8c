"""Search spaces: an estimator and the values of its parameters to try, by name."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid, ParameterSampler

from sklearn_rank._base._validation import shorten, suggest
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.rankers._libraries import Learner, library_of

# The cost of a model without a measured cost, as a multiple of popularity.
USUAL_COST = 6.0


@dataclass(frozen=True)
class SearchSpace:
    """An estimator, and the values of its parameters to try."""

    name: str
    estimator: Any
    grid: list[dict[str, Any]]
    title: str
    words: Mapping[str, str] | None = None  # parameter -> text with {} for the value
    cost: float = USUAL_COST
    is_baseline: bool = False

    def candidates(self, n_candidates: int | None, random_state: Any) -> list["Candidate"]:
        """Return all candidates of the grid, or `n_candidates` random ones."""
        if n_candidates is not None and _size(self.grid) > n_candidates:
            drawn = ParameterSampler(self.grid, n_candidates, random_state=random_state)
            return [Candidate(self, params) for params in drawn]
        return [Candidate(self, params) for params in ParameterGrid(self.grid)]

    def value_in_words(self, name: str, value: Any) -> str:
        """Return the value of a parameter in words."""
        if self.words is None:
            return f"{name} {_shown_value(value)}"
        if name in self.words:
            return self.words[name].format(value)
        return f"{name.replace('__', ' ').replace('_', ' ')} {_shown_value(value)}"


@dataclass(frozen=True)
class Candidate:
    """A search space with one value for each of its parameters."""

    space: SearchSpace
    params: dict[str, Any]

    def make(self) -> BaseEstimator:
        """Return the estimator, not fitted."""
        return clone(self.space.estimator).set_params(**self.params)

    @property
    def words(self) -> str:
        """The candidate in words."""
        each = (self.space.value_in_words(*item) for item in self.values.items())
        return ", ".join([self.space.title, *each])

    @property
    def values(self) -> dict[str, Any]:
        """The parameters by the last part of their names, if these parts differ."""
        last = {key: key.rpartition("__")[2] for key in self.params}
        names = [*self.space.estimator.get_params(deep=False), *last.values()]
        return {
            name if names.count(name) == 1 else key: self.params[key]
            for key, name in last.items()
        }


def read_search_space(
    name: Any, given: Any, n_candidates: int | None = None
) -> SearchSpace:
    """Read an item of a dict of models: an estimator, perhaps with its grid.

    From distributions `n_candidates` are drawn.
    """
    if not isinstance(name, str):
        raise TypeError(
            f"`models` must be a dict whose keys are names, got the key {name!r}."
        )
    estimator, grid = given if isinstance(given, tuple) and len(given) == 2 else (given, {})
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        kind = type(estimator).__name__
        advice = (
            f"{kind} has no get_params: inherit from sklearn.base.BaseEstimator too"
            if hasattr(estimator, "fit") and not isinstance(estimator, type)
            else f"got {shorten(given)}"
        )
        raise TypeError(
            f"`models[{name!r}]` must be an estimator, or a tuple of an estimator and its "
            f"grid; {advice}."
        )
    grids = [dict(part) for part in ([grid] if isinstance(grid, Mapping) else grid)] or [{}]
    if library_of(estimator) and Learner(estimator, "auto").group_param is not None:
        # Its `fit` needs the groups, which only a wrapper passes on.
        estimator = GroupRanker(estimator)
        grids = [
            {f"estimator__{key}": values for key, values in part.items()} for part in grids
        ]
    params = estimator.get_params()
    for part in grids:
        for key, values in part.items():
            if not hasattr(values, "rvs") and _has_no_values(values):
                raise TypeError(
                    f"`models[{name!r}]` needs a list of values for {key!r}, or a "
                    f"distribution; got {shorten(values)}."
                )
            if hasattr(values, "rvs") and n_candidates is None:
                raise ValueError(
                    f"`models[{name!r}]` has a distribution for {key!r}; set "
                    "`n_candidates`, the number of candidates to draw."
                )
            # Some boosters list a parameter only once it is set.
            if key not in params and not _takes(estimator, key, values):
                raise ValueError(
                    f"`models[{name!r}]` tries {key!r}, which is not a parameter of "
                    f"{type(estimator).__name__}. {suggest(key, params)}"
                )
    return SearchSpace(name, estimator, grids, title=name)


def with_columns(space: SearchSpace, columns: Mapping[str, Any]) -> SearchSpace:
    """Set the columns of a recommender that are None."""
    params = space.estimator.get_params(deep=False)
    unknown = {k: v for k, v in columns.items() if k in params and params[k] is None}
    return replace(space, estimator=clone(space.estimator).set_params(**unknown))


def _takes(estimator: Any, key: str, values: Any) -> bool:
    value = values.rvs(random_state=0) if hasattr(values, "rvs") else values[0]
    try:
        clone(estimator).set_params(**{key: value})
    except (ValueError, TypeError):
        return False
    return True


def _shown_value(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"
    return value if isinstance(value, str) else shorten(value)


def _has_no_values(values: Any) -> bool:
    return isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0


def _size(grid: list[dict[str, Any]]) -> float:
    if any(hasattr(values, "rvs") for part in grid for values in part.values()):
        return float("inf")
    return len(ParameterGrid(grid))
