"""Read whether data are a log or queries, their columns, the metrics and the options."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_memory

from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank._base._validation import (
    check_given,
    check_integer,
    check_option,
    check_real,
)
from sklearn_rank.experiments._fold_scores import Measures
from sklearn_rank.inputs._columns import (
    column_names,
    is_position,
    named_column,
    read_table,
    take_column,
)
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer
from sklearn_rank.metrics._scorers._metric_scorer import MetricScorer
from sklearn_rank.metrics._scorers._ranking_scorer import RankingScorer
from sklearn_rank.metrics._scorers._recommender_scorer import RecommenderScorer
from sklearn_rank.model_selection._cross_validate_per_query import fix_parameters
from sklearn_rank.typing import Column, Metrics
from sklearn_rank.typing import Folds as GivenFolds

# The columns of a log by role: user, item, and time where there is one.
Columns = Mapping[str, Any]
SEARCHES = ("grid", "halving")
CHOICES = ("best", "one-se")


@dataclass(frozen=True, kw_only=True)
class TuningOptions:
    """The arguments of tune_models that are not data, checked each alone."""

    user: Column | None
    item: Column | None
    time: Column | None
    models: Mapping[str, Any] | Sequence[str] | None
    metrics: Metrics | MetricScorer
    min_relevance: float | None
    exclude_seen: bool
    cv: str | GivenFolds | None
    n_splits: int
    test_size: float | None
    search: str
    choose: str
    n_candidates: int | None
    time_budget: float | None
    refit: bool
    error_score: float | str
    n_jobs: int | None
    memory: Any
    random_state: int | None

    def __post_init__(self) -> None:
        check_integer("n_splits", self.n_splits)
        check_option("search", self.search, SEARCHES)
        check_option("exclude_seen", self.exclude_seen, (False, True))
        check_option("choose", self.choose, CHOICES)
        if self.test_size is not None:
            needed = "a share above 0 and below 1, or None"
            check_real("test_size", self.test_size, needed, above=0, below=1)
        if self.n_candidates is not None:
            check_integer("n_candidates", self.n_candidates)
        if self.time_budget is not None:
            needed = "a number of seconds, 0 or more, or None"
            check_real("time_budget", self.time_budget, needed, least=0)
        is_nan = isinstance(self.error_score, float) and np.isnan(self.error_score)
        if not is_nan and self.error_score != "raise":
            raise ValueError(
                f"`error_score` must be nan or 'raise', got {shorten(self.error_score)}."
            )
        check_option("refit", self.refit, (False, True))
        check_jobs(self.n_jobs)
        open_memory(self.memory)
        check_random_state(self.random_state)
        if self.cv is None or isinstance(self.cv, str):
            self.check_number_of_folds(self.n_splits)

    def check_number_of_folds(self, n_folds: int) -> None:
        """Raise if one standard error cannot be computed from so few folds."""
        if self.choose == "one-se" and n_folds < 2:
            raise ValueError(
                "`choose` one-se needs two folds or more, for a standard error; got "
                f"{quantity(n_folds, 'fold')}. Raise `n_splits`, or choose the best."
            )

    @property
    def stops_at_error(self) -> bool:
        """Whether a candidate that raises ends the search."""
        return isinstance(self.error_score, str)

    @property
    def filters(self) -> dict[str, Any]:
        """The rows that models are not tested on, as filters of splitters."""
        return {
            "cold_users": "drop",
            **({"seen_items": "drop"} if self.exclude_seen else {}),
        }


def check_jobs(n_jobs: Any) -> None:
    """Raise unless it is a number of jobs."""
    is_integer = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (is_integer and n_jobs != 0):
        raise ValueError(
            "`n_jobs` must be None, a number of jobs above 0, or -1 for as many as there "
            f"are cores; got {shorten(n_jobs)}."
        )


def open_memory(memory: Any) -> Any:
    """Return the cache on disk; it does nothing if `memory` is None."""
    return check_memory(fspath(memory) if isinstance(memory, PathLike) else memory)


def read_rows(X: Any) -> Any:
    """Return X as a table in memory, or as a log."""
    return X if isinstance(X, Log) else read_table(X)


def find_columns(
    X: Any, groups: Any, user: Any, item: Any, time: Any, metrics: Any
) -> Columns | None:
    """Return the columns of a log, None where the rows are queries."""
    columns = {"user": user, "item": item}
    if isinstance(metrics, RecommenderScorer):
        for role, column in columns.items():
            columns[role] = getattr(metrics, role) if column is None else column
    if isinstance(X, Log):
        columns = {
            name: X.columns[name] if of is None else of for name, of in columns.items()
        }
        time = X.columns.get("time") if time is None else time
    is_named = any(column is not None for column in columns.values())
    if groups is not None and is_named:
        raise ValueError(
            f"groups and the columns {shorten(columns)} are given: name `user` and `item` "
            "for recommenders, or `groups` for rankers."
        )
    if groups is not None or (not is_named and isinstance(metrics, RankingScorer)):
        if time is not None:
            raise ValueError("`time` goes with `user` and `item`, the columns of a log.")
        return None
    for role, column in columns.items():
        names = column_names(X) if column is None else None
        columns[role] = named_column(names, role) if column is None else column
        if columns[role] is None:
            raise ValueError(
                f"No column of X is named '{role}' or '{role}_id'; X has "
                f"{'no names' if names is None else shorten(names)}. Name `user` and "
                "`item`, columns of X, for recommenders, or give `groups` for rankers."
            )
    return columns if time is None else {**columns, "time": time}


def read_groups(X: Any, groups: Any, metrics: Any) -> Any:
    """Return the query of each row, which may be a column of X."""
    groups = getattr(metrics, "groups", None) if groups is None else groups
    if groups is None:
        raise ValueError(
            "Name `groups`, the query of each row, for rankers, or `user` and `item` for "
            "recommenders."
        )
    if isinstance(groups, str) or is_position(groups):
        return take_column(X, groups, name="groups")
    return groups


def read_measures(metrics: Any, columns: Columns | None, *grades: Any) -> Measures:
    """Return the metrics of the call, from their names or a scorer, on one scale."""
    return Measures(fix_parameters(_read_scorer(metrics, columns), *grades))


def _read_scorer(metrics: Any, columns: Columns | None) -> MetricScorer:
    if isinstance(metrics, MetricScorer):
        wanted = RankingScorer if columns is None else RecommenderScorer
        if not isinstance(metrics, wanted):
            maker, own = "make_ranking_scorer", "a log"
            if columns is None:
                maker, own = "make_recommender_scorer", "queries"
            raise TypeError(
                f"`metrics` is a scorer from {maker}, but the rows are {own}; use the "
                "other scorer, or names such as 'ndcg@10'."
            )
        return metrics
    # The first metric chooses, so they need an order.
    is_ordered = not isinstance(metrics, Iterator | Set)
    check_given("metrics", metrics, is_ordered, "a name such as 'ndcg@10', or a list")
    if columns is not None:
        ids = {name: columns[name] for name in ("user", "item")}
        return make_recommender_scorer(metrics, **ids)
    scorer = make_ranking_scorer(metrics)
    for metric in scorer.named:
        if not metric.metric.ranks:
            raise ValueError(
                f"{metric.name!r} judges predicted ratings, but models are judged by the "
                "order of rows; name a ranking metric, such as 'ndcg@10'."
            )
    return scorer
