"""A table of several metrics: means, standard errors, numbers of queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_rank._validation import check_integer, check_option, shorten
from sklearn_rank.metrics._average import fill_value
from sklearn_rank.metrics._rating import RatingError
from sklearn_rank.metrics._registry import NamedMetric, parse_metrics
from sklearn_rank.metrics._several import Evaluated, evaluate, filled, given, import_pandas

__all__ = ["check_number_of_cutoffs", "cutoffs_of", "ranking_report"]

# More decimals than a float has.
MOST_DIGITS = 17

# More than a table or a picture can show.
MOST_CUTOFFS = 1000

REPORTED = ("precision", "recall", "hit_rate", "mrr", "map", "ndcg")


def ranking_report(
    y_true,
    y_score,
    *,
    groups=None,
    metrics=REPORTED,
    k=(1, 5, 10),
    min_relevance=None,
    ties="average",
    sample_weight=None,
    replace_undefined_by=np.nan,
    digits=4,
    output_dict=False,
    as_frame=False,
):
    """Table of metrics with their standard errors and the queries behind them.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    metrics : str, callable or sequence of these, default=("precision", "recall", ...)
        Names and functions as in :func:`ranking_scores`. A metric that takes a cutoff and
        is named without one stands for one row at each of ``k``.
    k : int or sequence of int, default=(1, 5, 10)
        Cutoffs of the metrics that are named without one, 1000 at most.
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. None: any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        What ties count for: mean over all orders, lowest or highest grades first, as given.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value a row, alike within a query.
    replace_undefined_by : float, default=np.nan
        Value of a query for which the metric is undefined. With NaN the mean leaves these
        queries out, and the report counts them.
    digits : int, default=4
        Decimals in the table, 17 at most.
    output_dict : bool, default=False
        Return a dict instead of text.
    as_frame : bool, default=False
        Return a pandas DataFrame instead of text, which has ``to_latex()`` and
        ``to_markdown()``.

    Returns
    -------
    report : str, dict or DataFrame
        The table; or for each metric its ``mean``, ``standard_error`` (of the mean over
        queries, NaN for a single query and for rating errors), ``queries`` (behind the
        mean) and ``undefined`` (queries left out of it).

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if a name or a parameter in it is unknown.

    See Also
    --------
    ranking_scores : The means alone.

    Examples
    --------
    >>> from sklearn_rank.metrics import ranking_report
    >>> y_true, y_score = [0, 1, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1]
    >>> groups = ["a", "a", "a", "b", "b", "b"]
    >>> print(ranking_report(y_true, y_score, groups=groups, k=2, metrics=["mrr", "ndcg"]))
              mean  std error  queries  undefined
    mrr@2   0.7500     0.2500        2          0
    ndcg@2  0.8155     0.1845        2          0
    """
    digits = check_integer("digits", digits, minimum=0)
    if digits > MOST_DIGITS:
        raise ValueError(f"`digits` must be {MOST_DIGITS} at most, got {digits}.")
    check_option("output_dict", output_dict, (True, False))
    check_option("as_frame", as_frame, (True, False))
    named_metrics = parse_metrics(metrics, **given(min_relevance=min_relevance))
    wanted = _at_each_cutoff(named_metrics, k)
    found = evaluate(wanted, y_true, y_score, groups, ties, sample_weight)
    fill = fill_value(replace_undefined_by)
    rows = {
        named.name: _Row(named.metric.mean(found.the_ratings), float("nan"), 0, 0)
        if isinstance(named.metric, RatingError)
        else _row(named, found, fill)
        for named in wanted
    }
    table = {name: vars(row) for name, row in rows.items()}
    if output_dict:
        return table
    return _as_frame(table) if as_frame else _as_text(rows, digits)


@dataclass
class _Row:
    mean: float
    standard_error: float
    queries: int
    undefined: int


def _row(named: NamedMetric, found: Evaluated, fill: float) -> _Row:
    values, weight = found.values[named.name], found.weights[named.name]
    mean, n_undefined = named.mean(values, weight, fill)
    weight = np.ones(len(values)) if weight is None else weight
    values = filled(values, fill)
    counts = (weight > 0) & ~np.isnan(values)
    error = _standard_error(values[counts], weight[counts], mean)
    return _Row(mean, error, int(counts.sum()), n_undefined)


def _standard_error(values: np.ndarray, weight: np.ndarray, mean: float) -> float:
    """Return the standard error of a weighted mean; unweighted it is s / sqrt(n)."""
    n = len(values)
    if n < 2:
        return float("nan")
    share = weight / weight.sum()
    return float(np.sqrt(n / (n - 1) * np.sum((share * (values - mean)) ** 2)))


def _at_each_cutoff(metrics: Sequence[NamedMetric], k: Any) -> list[NamedMetric]:
    """Return the metrics, those that take a cutoff and were given none once for each k."""
    cutoffs = cutoffs_of(k)
    wanted: list[Any] = []
    for named in metrics:
        if "k" not in named.parameters or "k" in named.given:
            wanted.append(named)
        elif cutoffs:
            wanted += [_cut_at(named, cutoff) for cutoff in cutoffs]
        else:
            raise ValueError(f"`k` is empty, but {named.name!r} needs a cutoff; give one.")
    return parse_metrics(wanted)


def _cut_at(named: NamedMetric, cutoff: int) -> NamedMetric:
    return replace(
        named,
        name=f"{named.name}@{cutoff}",
        parameters={**named.parameters, "k": cutoff},
        given=named.given | {"k"},
    )


def cutoffs_of(k: Any) -> list[int]:
    """Return one cutoff or several as a list of integers."""
    is_sized = hasattr(k, "__len__") and getattr(k, "ndim", 1) == 1
    if is_sized and not isinstance(k, str | bytes | Mapping):
        check_number_of_cutoffs(k, len(k))
    else:
        k = [k]
    return [check_integer("k", cutoff) for cutoff in k]


def check_number_of_cutoffs(k: Any, count: int) -> None:
    """Raise if there are more cutoffs than a table or a picture can show."""
    if count > MOST_CUTOFFS:
        raise ValueError(
            f"`k` has {count} cutoffs, got {shorten(k)}; give {MOST_CUTOFFS} at most, such "
            "as k=[1, 10, 100]."
        )


def _as_frame(table: Mapping[str, Mapping[str, float]]) -> Any:
    pd = import_pandas("ranking_report(as_frame=True)")
    return pd.DataFrame.from_dict(table, orient="index").rename_axis("metric")


def _as_text(rows: Mapping[str, _Row], digits: int) -> str:
    width = max(len(name) for name in rows)
    number, error = max(digits + 4, 9), max(digits + 4, 11)
    head = f"{'':{width}}{'mean':>{number - 1}}{'std error':>{error}}"
    lines = [head + f"{'queries':>9}{'undefined':>11}"]
    for name, row in rows.items():
        lines.append(
            f"{name:{width}}{row.mean:>{number - 1}.{digits}f}"
            f"{row.standard_error:>{error}.{digits}f}"
            f"{row.queries:>9}{row.undefined:>11}"
        )
    return "\n".join(lines)
