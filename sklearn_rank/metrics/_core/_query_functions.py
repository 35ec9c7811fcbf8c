"""Functions of users as metrics: f(y_true, y_score) of the rows of one query."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_python_value
from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank._base._validation import check_given, check_option, check_real
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._rows import Rows
from sklearn_rank.metrics._core._metric import BoundMetric, Metric
from sklearn_rank.metrics._core._parameters import UNBOUNDED, Range

# The share of a range by which rounding may lead out of it.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class QueryMetric:
    """A function of the rows of one query with its name, direction and range."""

    function: Callable[..., Any]
    name: str
    lower_is_better: bool = False
    value_range: tuple[float, float] | None = None

    def __call__(self, y_true: Any, y_score: Any) -> Any:
        """Return the value of one query."""
        return self.function(y_true, y_score)

    def __repr__(self) -> str:
        """Return the call that makes this metric."""
        word = _name_of(self.function)
        arguments = [word or shorten(self.function)]
        if self.name != word:
            arguments.append(f"name={self.name!r}")
        if self.lower_is_better:
            arguments.append("lower_is_better=True")
        if self.value_range is not None:
            arguments.append(f"value_range={self.value_range}")
        return f"make_metric({', '.join(arguments)})"

    @property
    def range(self) -> Range:
        """The lowest and the highest value."""
        return UNBOUNDED if self.value_range is None else Range(*self.value_range)

    @property
    def metric(self) -> Metric:
        """The declaration of the metric: no parameters, and no sort."""
        kernel = partial(values_of_queries, self)
        return Metric(
            self.name,
            self,
            kernel,
            rows="function",
            range=self.range,
            lower_is_better=self.lower_is_better,
            unjudged="irrelevant",
            below_k=True,
            improves_by="none",
        )


@explained
def make_metric(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    lower_is_better: bool = False,
    value_range: tuple[float, float] | None = None,
) -> QueryMetric:
    """Make a metric of a function of one query, with a name, a direction and a range.

    The result is a metric wherever one is named: in :func:`ranking_scores`, in scorers, in
    experiments. A bare function is a metric too, of its own name: higher is better, and its
    range is unknown.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_score)`` returns a number, NaN if undefined. It gets the rows
        of one query as two arrays of floats, in the given order. A row that nobody judged
        has grade 0, and one that was not retrieved the score ``-inf``: where lists end,
        ``y_score > -inf`` keeps the rows of the list.
    name : str, default=None
        Name of the metric in results, such as ``"revenue@3"``. If None, that of the
        function.
    lower_is_better : bool, default=False
        Whether scorers negate it.
    value_range : (float, float), default=None
        Lowest and highest value that a query can have. Intervals end there. If None, they
        are unknown.

    Returns
    -------
    metric : callable
        The metric, which can be called as the function.

    Raises
    ------
    TypeError
        If the function does not take two arguments.
    ValueError
        If there is no name, or the range is not two numbers, the lowest first.

    See Also
    --------
    ranking_scores : Several metrics of one ranking.
    make_ranking_scorer : Scorers for the tools of scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.metrics import make_metric, ranking_scores
    >>> def revenue(y_true, y_score):
    ...     return y_true[np.argsort(-y_score)][:2].sum()
    >>> metric = make_metric(revenue, name="revenue@2", value_range=(0, 1000))
    >>> y_true, y_score = [5, 1, 30, 7, 2], [3, 2, 1, 2, 1]
    >>> ranking_scores(y_true, y_score, groups=["a"] * 3 + ["b"] * 2, metrics=metric)
    {'revenue@2': 7.5}
    """
    word = _name_of(function)
    if not callable(function) or not _takes_two(function):
        raise TypeError(
            f"{word or shorten(function)!r} is not a metric. Give a name such as "
            "'ndcg@10', or a function with a name, f(y_true, y_score) -> number, which is "
            "called for each query."
        )
    if name is None and not word:
        raise ValueError(
            f'{shorten(function)} has no name: make_metric(f, name="revenue@3").'
        )
    check_option("lower_is_better", lower_is_better, (True, False))
    if name is not None:
        check_given("name", name, isinstance(name, str) and name.strip(), "a text")
    if value_range is not None:
        needed = "two numbers, the lowest value first, or None"
        is_pair = isinstance(value_range, tuple | list) and len(value_range) == 2
        check_given("value_range", value_range, is_pair, needed)
        low, high = (check_real("value_range", end, needed) for end in value_range)
        check_given("value_range", value_range, low < high, needed)
        value_range = (low, high)
    return QueryMetric(function, name or word, bool(lower_is_better), value_range)


def names_of_functions(metrics: Iterable[BoundMetric]) -> list[str]:
    """Return the names of the metrics that are functions of users."""
    return [bound.name for bound in metrics if bound.metric.rows == "function"]


def values_of_queries(metric: QueryMetric, rows: Rows) -> np.ndarray:
    """Return the value of each query, in the order of the rows."""
    values, bounds = [], metric.range
    slack = _ROUNDING * (bounds.high - bounds.low)
    for query, (grade, score) in enumerate(_rows_of_queries(rows)):
        try:
            value = metric.function(grade, score)
        except Exception as error:
            n_missed = int(np.isneginf(score).sum())
            missed = f", with {quantity(n_missed, 'row')} not retrieved (score -inf)"
            label = as_python_value(rows.queries.label_of(query))
            error.add_note(f"{metric.name} got query {label!r}{missed * bool(n_missed)}.")
            raise
        if not isinstance(value, Real):
            raise TypeError(
                f"{metric.name} must return a number for a query, NaN if undefined; got "
                f"{shorten(value)}."
            )
        value = float(value)
        if value < bounds.low - slack or value > bounds.high + slack:
            raise ValueError(
                f"{metric.name} returned {value}, outside its range: {bounds}."
            )
        values.append(value)
    return np.array(values, dtype=float)


def _rows_of_queries(rows: Rows) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield grades and scores of each query, for the function to keep."""
    for start, stop in zip(
        rows.starts[:-1].tolist(), rows.starts[1:].tolist(), strict=True
    ):
        part = slice(start, stop)
        grade = np.array(rows.grades(part), dtype=float)
        grade[np.isnan(grade)] = 0.0
        yield grade + 0.0, np.array(rows.scores(part), dtype=float)  # -0.0 as 0.0


def _name_of(function: Any) -> str:
    """Return the name of a function; "" of a lambda, a partial and the like."""
    name = getattr(function, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else ""


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except (TypeError, ValueError):
        return False
    return True
