"""Metrics by query for boosters: to stop them early, and in the forms that they call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_rank._base._numbers import has_rows
from sklearn_rank._base._validation import check_integer, check_option, check_real, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._misleading_input import warn_unless_reversed
from sklearn_rank.metrics._core._registry import bind
from sklearn_rank.rankers._libraries import LIBRARIES
from sklearn_rank.typing import Metric


class MeanOfMetric:
    """The mean of one metric over queries, which must be defined for some of them."""

    def __init__(self, metric: Any, *, parameter: str):
        wanted = bind(metric, replace_undefined_by=np.nan)
        if len(wanted) != 1:
            raise ValueError(
                f"`{parameter}` must be one metric, such as 'map@10', got "
                f"{shorten(metric)}."
            )
        self._wanted = wanted
        self.parameter = parameter
        self.name = wanted[0].name
        self.greater_is_better = not wanted[0].lower_is_better

    def mean(
        self, y: Any, scores: Any, query: np.ndarray, weight: np.ndarray | None = None
    ) -> float:
        """Return the mean over the queries for which the metric is defined."""
        means = evaluate(self._wanted, y, scores, query, weight, warn=warn_unless_reversed)
        (value,) = means.results().values()
        return self._check_defined(value, query)

    def by_query(
        self, y: Any, scores: Any, query: np.ndarray, weight: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the value of each query, NaN where it is undefined, and its weight."""
        evaluation = evaluate(
            self._wanted, y, scores, query, weight, by_query=True, warn=warn_unless_reversed
        )
        results = evaluation.per_query()
        values, weights = results.scores[self.name], results.weights[self.name]
        self._check_defined(values, query)
        return values, np.ones(len(values)) if weights is None else weights

    def _check_defined(self, values: Any, query: np.ndarray) -> Any:
        if np.isnan(values).all():
            raise ValueError(
                f"`{self.parameter}` {self.name!r} is undefined for all "
                f"{len(np.unique(query))} queries, perhaps because no row is relevant. "
                "Check their grades, or choose other queries or another metric."
            )
        return values


@dataclass
class Patience:
    """The values of a metric so far, the best of them, and whether to go on."""

    rounds: int
    _: KW_ONLY
    greater_is_better: bool
    values: list[float] = field(default_factory=list)
    best: int = 0

    def is_over(self, value: float) -> bool:
        """Note the next value; return whether the best one is too many rounds old."""
        self.values.append(value)
        sign = 1 if self.greater_is_better else -1
        if sign * value > sign * self.values[self.best]:
            self.best = len(self.values) - 1
        return len(self.values) - 1 - self.best >= self.rounds


class Stopping(NamedTuple):
    """When to stop, the queries that decide it, and the metric."""

    rounds: int | None = None
    fraction: Any = None
    metric: MeanOfMetric | None = None


def read_stopping(ranker: Any) -> Stopping:
    """Check the parameters of a ranker and return what they mean."""
    metric, name = ranker.stopping_metric, "early_stopping_rounds"
    rounds = check_integer(name, ranker.early_stopping_rounds, none="no early stopping")
    if rounds is None and metric is not None:
        raise ValueError(
            f"`stopping_metric={shorten(metric)}` needs `early_stopping_rounds`, how many "
            "rounds to wait for a better value."
        )
    if rounds is None:
        return Stopping()
    fraction = _check_fraction(ranker.validation_fraction)
    if metric is not None:
        metric = MeanOfMetric(metric, parameter="stopping_metric")
    return Stopping(rounds, fraction, metric)


def _check_fraction(value: Any) -> Any:
    """Return a share as a float; a mask and a splitter as they are."""
    is_splitter = hasattr(value, "split") and not isinstance(value, str | bytes | type)
    if is_splitter or has_rows(value):
        return value
    needed = "a share between 0 and 1, a splitter, or a mask of the rows to hold out"
    return check_real("validation_fraction", value, needed, above=0, below=1)


@explained
def boosting_metric(
    metric: Metric, *, library: Literal["lightgbm", "xgboost", "catboost"]
) -> Callable[..., tuple[Any, ...]]:
    """Make one of our metrics the evaluation metric of a booster library.

    For those who train boosters themselves; `GroupRanker` has ``stopping_metric=``.

    Parameters
    ----------
    metric : str or callable
        One metric of :mod:`sklearn_rank.metrics`, such as ``"map@10"``.
    library : {"lightgbm", "xgboost", "catboost"}
        The library that calls it. "catboost" is an error that says what to do: CatBoost
        gives a metric of the user the grades and scores of the rows, but not their
        groups.

    Returns
    -------
    evaluate : callable
        "lightgbm": for ``lightgbm.train(..., feval=evaluate)`` and
        ``LGBMRanker.fit(..., eval_metric=evaluate)``. It returns the name, the mean over
        queries and whether higher is better.

        "xgboost": for ``xgboost.train(..., custom_metric=evaluate)``. It returns the name
        and the mean. XGBoost guesses the direction from the name, so pass it on as well:
        ``maximize=evaluate.greater_is_better``.

        Both have the attributes ``name`` and ``greater_is_better``.

    Raises
    ------
    ValueError
        If `metric` is not one known metric, or `library` is unknown or CatBoost.
        When called: if the data has no groups, or the metric is undefined for all of
        its queries.
    TypeError
        When called by ``XGBRanker``, which hands over one query at a time and counts one
        of a single row as 1.

    See Also
    --------
    GroupRanker : Early stopping by a metric in all three libraries.

    Notes
    -----
    The mean is over the queries for which the metric is defined. Weights of rows must be
    the same within a query; they weigh queries.

    LightGBM stops when any metric, including its own, does not improve. Stop by ours alone
    with the parameter ``metric="None"`` of the booster. XGBoost stops by the last metric,
    which is ours.

    Examples
    --------
    >>> import lightgbm
    >>> import numpy as np
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.rankers import boosting_metric
    >>> X, y, groups = make_ranking(n_queries=60, random_state=0)
    >>> first, last = groups < 40, groups >= 40
    >>> train = lightgbm.Dataset(X[first], y[first], group=np.bincount(groups[first]))
    >>> sizes = np.bincount(groups[last] - 40)
    >>> booster = lightgbm.train(
    ...     {"objective": "lambdarank", "metric": "None", "verbose": -1},
    ...     train,
    ...     num_boost_round=200,
    ...     valid_sets=[train.create_valid(X[last], y[last], group=sizes)],
    ...     feval=boosting_metric("map@10", library="lightgbm"),
    ...     callbacks=[lightgbm.early_stopping(20, verbose=False)],
    ... )
    >>> booster.best_iteration < 200
    True
    """
    check_option("library", library, LIBRARIES)
    if library == "catboost":
        raise ValueError(
            "CatBoost does not pass groups to your metric. Use GroupRanker(CatBoostRanker("
            "...), stopping_metric=..., early_stopping_rounds=...), which cuts the model "
            "back, or its own metrics, such as eval_metric='NDCG:top=10'."
        )
    return METRIC_CLASSES[library](MeanOfMetric(metric, parameter="metric"))


class _BoostingMetric:
    """A metric with the name and the direction that libraries ask for."""

    library = ""

    def __init__(self, metric: MeanOfMetric):
        self.metric = metric
        self.name = metric.name
        self.greater_is_better = metric.greater_is_better

    def __repr__(self):
        """Return the call that makes it."""
        return f"boosting_metric({self.name!r}, library={self.library!r})"

    def _mean(self, y: Any, scores: Any, sizes: np.ndarray, weight: Any) -> float:
        query = np.repeat(np.arange(len(sizes)), sizes)
        has_weight = weight is not None and len(weight) > 0
        return self.metric.mean(y, scores, query, weight if has_weight else None)


class _LightGBMMetric(_BoostingMetric):
    library = "lightgbm"

    # LightGBM's estimators count these parameters: four get the groups as well.
    def __call__(
        self, y_true: Any, y_pred: Any, weight: Any = None, group: Any = None
    ) -> tuple[str, float, bool]:
        if hasattr(y_pred, "get_label"):  # lightgbm.train: predictions and a Dataset
            data, y_pred = y_pred, y_true
            y_true, weight = data.get_label(), data.get_weight()
            group = data.get_group()
        if group is None:
            raise ValueError(
                f"{self!r} needs the sizes of queries, but the data has none; pass group= "
                "to lightgbm.Dataset, or eval_group= to LGBMRanker.fit."
            )
        value = self._mean(y_true, y_pred, np.asarray(group, dtype=np.intp), weight)
        return self.name, value, self.greater_is_better


class _XGBoostMetric(_BoostingMetric):
    library = "xgboost"

    def __call__(self, y_pred: Any, data: Any) -> tuple[str, float]:
        if not hasattr(data, "get_uint_info"):
            raise TypeError(
                f"{self!r} is for xgboost.train(custom_metric=...). XGBRanker passes "
                "one query at a time, and scores a query of a single row as 1; use "
                "GroupRanker(XGBRanker(...), stopping_metric=...)."
            )
        sizes = np.diff(data.get_uint_info("group_ptr").astype(np.intp))
        if len(sizes) == 0:
            raise ValueError(
                f"{self!r} needs the queries of rows, but the data has none; pass qid= to "
                "xgboost.DMatrix."
            )
        weight = data.get_weight()
        by_query = len(weight) > 0 and len(weight) == len(sizes)
        weight = np.repeat(weight, sizes) if by_query else weight
        return self.name, self._mean(data.get_label(), y_pred, sizes, weight)


METRIC_CLASSES: dict[str, Callable[[MeanOfMetric], Callable[..., tuple[Any, ...]]]] = {
    "lightgbm": _LightGBMMetric,
    "xgboost": _XGBoostMetric,
}
