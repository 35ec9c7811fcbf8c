"""Coverage, risk and errors of a system that may answer nothing, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sklearn_rank._base._messages import keep_warnings, quantity, warn_caller
from sklearn_rank._base._validation import check_level, check_option, check_real
from sklearn_rank._display._result import Result
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics import RiskCoverageDisplay
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._read_losses import read_losses
from sklearn_rank.metrics._core._risk_coverage import RiskByPlace, risk_curves
from sklearn_rank.statistics._interval import confidence_interval
from sklearn_rank.typing import ArrayLike, Axes, Bunch, Confidence, Labels, Matrix, Ties

# Intervals of areas are too narrow for fewer queries, and for fewer losses unlike the most
# frequent one.
_FEW_QUERIES, _FEW_LOSSES = 100, 20


@explained
class AbstentionReport(Result):
    """Coverage, risk and errors of a system, one row each.

    :func:`abstention_report` returns it.

    Parameters
    ----------
    rows : sequence of dict
        `name`, `value`, `low`, `high`, `n` and `method` of each row.
    per_query : PerQueryScores
        Values per query.
    settings : dict
        Options of the report, and the number of unanswerable queries.
    curves : dict
        The first parameters of :class:`~sklearn_rank.metrics.RiskCoverageDisplay`.

    Attributes
    ----------
    per_query : PerQueryScores
        `loss` at the threshold, `confidence`, `aurc` and `excess_aurc` of each query, for
        :func:`compare_models`. The means of the last two are the areas. Those of parts of
        the queries do not merge.
    settings : dict
        `metric`, `threshold`, `confidence_level`, `n_queries`, `n_unanswerable`.
    curves : dict
        Points of the risk-coverage curve and of that of the best order.

    See Also
    --------
    abstention_report : Makes it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.statistics import abstention_report
    >>> is_right = np.arange(200) % 4 > 0
    >>> y_score = np.c_[np.arange(200), np.full(200, -1)]
    >>> report = abstention_report(is_right[:, None] * [1, 0], y_score, threshold=100)
    >>> report.row("coverage").value, report.row("false_answer_rate").n
    (0.5, 50)
    """

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]],
        *,
        per_query: PerQueryScores,
        settings: Mapping[str, Any],
        curves: Mapping[str, Any],
    ) -> None:
        self._rows = {row["name"]: Bunch(**row) for row in rows}
        self.per_query = per_query
        self.settings = dict(settings)
        self.curves = dict(curves)

    def __repr__(self) -> str:
        """Return the metric and the number of queries."""
        return f"AbstentionReport({self.settings['metric']}, {len(self.per_query)} queries)"

    def row(self, name: str) -> Bunch:
        """Row of a name.

        Parameters
        ----------
        name : str
            Such as ``"risk"``.

        Returns
        -------
        row : Bunch
            `name`, `value`, `low`, `high`, `n` (of queries) and `method` of the interval.
        """
        check_option("name", name, tuple(self._rows))
        return self._rows[name]

    def plot(self, ax: Axes | None = None, **plot_kw: Any) -> RiskCoverageDisplay:
        """Draw the risk-coverage curve, with the threshold.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`~sklearn_rank.metrics.RiskCoverageDisplay.plot`.

        Returns
        -------
        display : RiskCoverageDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return RiskCoverageDisplay.from_report(self, ax=ax, **plot_kw)

    def _columns(self) -> Mapping[str, Any]:
        names = ("name", "value", "low", "high", "n", "method")
        return {name: [row[name] for row in self._rows.values()] for name in names}

    def _facts(self) -> dict[str, Any]:
        return {"settings": self.settings}

    def _sections(self) -> list[Section]:
        settings = self.settings
        rule = "every list that is not empty is answered"
        if settings["threshold"] is not None:
            rule = f"answered if the confidence is {settings['threshold']:g} or more"
        head = (
            f"{quantity(settings['n_queries'], 'query')}, {settings['n_unanswerable']} of "
            f"them unanswerable; {settings['metric']}; {rule}"
        )
        lines = [["", "value", "low", "high", "queries", "interval"]]
        for name, row in self._rows.items():
            numbers = [f"{row[column]:.4f}" for column in ("value", "low", "high")]
            lines.append([name, *numbers, str(row["n"]), row["method"]])
        return [Section(head=[head], lines=lines)]


@explained
@keep_warnings
def abstention_report(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    confidence: Confidence | None = None,
    metric: str = "ndcg@10",
    threshold: float | None = None,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
    sample_weight: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> AbstentionReport:
    """Coverage, risk and errors of a system that may answer nothing, with intervals.

    A query is *answerable* if it has a relevant row. It is *answered* if its confidence is
    at least the threshold, and something was retrieved. The loss is that of
    :func:`~sklearn_rank.metrics.aurc_score`.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query.
    y_score : {array-like, sparse matrix} of shape (n_rows,) or (n_queries, n_items)
        Scores, the highest first; ``-inf``, or not stored if sparse, is not retrieved.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    confidence : array-like, mapping or Series, default=None
        Confidence of each query, as in :func:`~sklearn_rank.metrics.aurc_score`. If None,
        the highest score.
    metric : str, default="ndcg@10"
        Metric from 0 to 1 of an answered query.
    threshold : float, default=None
        Confidence from which on queries are answered. If None, every list that is not
        empty.
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. If None, any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.
    sample_weight : array-like of shape (n_rows,) or (n_queries,), default=None
        Weight of each query in the mean; in 1-D one value per row, equal within a query.
    confidence_level : float, default=0.95
        Probability that an interval covers its value.

    Returns
    -------
    report : AbstentionReport
        Its rows are ``coverage`` (answered / all), ``risk`` (mean loss of the answered),
        ``false_answer_rate`` (unanswerable and answered / unanswerable),
        ``false_abstention_rate`` (answerable and not answered / answerable), ``mean``
        (1 - loss of all), and, whatever the threshold, ``aurc``, ``excess_aurc`` and
        ``normalized_aurc``. Rates have the interval of Clopper and Pearson, with weights
        Student's t; areas Student's t.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; or if an option is out of its range.

    Warns
    -----
    UserWarning
        If no query is answered, or intervals of areas are too narrow: below 100 queries, or
        below 20 with another loss than the most frequent one.

    See Also
    --------
    abstention_threshold : A threshold that keeps the risk low.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.statistics import abstention_report
    >>> is_right = np.arange(200) % 4 > 0
    >>> y_score = np.c_[np.arange(200), np.full(200, -1)]
    >>> report = abstention_report(is_right[:, None] * [1, 0], y_score, threshold=100)
    >>> round(report.row("risk").value, 2), round(report.row("mean").value, 3)
    (0.25, 0.5)
    """
    level = check_level(confidence_level)
    if threshold is not None:
        threshold = check_real("threshold", threshold, "a number or None")
    rows = (y_true, y_score, groups, confidence, metric, min_relevance, ties)
    name, labels, loss, sure, is_answerable, weight = read_losses(*rows, sample_weight)
    if not len(loss):
        raise ValueError(f"No query has a value of {name!r}; a report needs one.")
    is_answered = (sure > -np.inf) & (sure >= (-np.inf if threshold is None else threshold))
    lost = np.where(is_answered, loss, is_answerable)
    of_areas = _areas_per_query(loss, sure, weight)
    rate = "t" if sample_weight is not None else "exact"
    every = np.ones(len(loss), dtype=bool)
    asked: dict[str, tuple[np.ndarray, np.ndarray, str]] = {
        "coverage": (is_answered, every, rate),
        "risk": (loss, is_answered, "auto"),
        "false_answer_rate": (is_answered, ~is_answerable, rate),
        "false_abstention_rate": (~is_answered, is_answerable, rate),
        "mean": (1 - lost, every, "auto"),
        **{key: (values, every, "t") for key, values in of_areas.items()},
    }
    if not is_answered.any():
        warn_caller("No query is answered, so that the risk is not defined (NaN).")
    _warn_of_few(loss)
    weights = None if sample_weight is None else weight
    # Values of parts do not merge, as each depends on all queries of its part.
    queries = f"{len(labels)} from {labels[0]} to {labels[-1]}"
    per_query = {"loss": lost, "confidence": sure}
    per_query |= {key: of_areas[key] for key in ("aurc", "excess_aurc")}
    return AbstentionReport(
        [
            {"name": key, **_row(values * 1.0, used, weights, method, level)}
            for key, (values, used, method) in asked.items()
        ],
        per_query=PerQueryScores(
            labels,
            per_query,
            dict.fromkeys(per_query, weights),
            lower_is_better=["loss", "aurc", "excess_aurc"],
            whole={key: {"queries": queries} for key in ("aurc", "excess_aurc")},
        ),
        settings={
            "metric": name,
            "threshold": threshold,
            "confidence_level": level,
            "n_queries": len(loss),
            "n_unanswerable": int((~is_answerable).sum()),
        },
        curves=risk_curves(sure, loss, weight),
    )


def _areas_per_query(
    loss: np.ndarray, sure: np.ndarray, weight: np.ndarray
) -> dict[str, np.ndarray]:
    """Return values of queries whose means are the areas."""
    places, best = (RiskByPlace.compute(order, loss, weight) for order in (sure, -loss))
    area, oracle = places.selective(), best.selective()
    of_area, of_oracle = places.values(loss), best.values(loss)
    mean = float(weight @ loss / weight.sum())
    normalized = np.full(len(loss), np.nan)
    if loss.min() < loss.max():
        n = (area - oracle) / (mean - oracle)
        change = of_area - area - n * (loss - mean) - (1 - n) * (of_oracle - oracle)
        normalized = n + change / (mean - oracle)
    excess = of_area - of_oracle
    return {"aurc": of_area, "excess_aurc": excess, "normalized_aurc": normalized}


def _row(
    values: np.ndarray,
    is_used: np.ndarray,
    weight: np.ndarray | None,
    method: Any,
    level: float,
) -> dict[str, Any]:
    """Return the mean of some queries and its interval, NaN if they are unknown."""
    used = is_used & ~np.isnan(values)
    n, weight = int(used.sum()), None if weight is None else weight[used]
    value = float(np.average(values[used], weights=weight)) if n else math.nan
    ends = {"low": math.nan, "high": math.nan, "n": n, "method": ""}
    if n < 2 or (method == "t" and np.ptp(values[used]) == 0):
        return {"value": value, **ends}
    keywords: dict[str, Any] = {"method": method, "confidence_level": level}
    if method != "t":
        keywords["value_range"] = (0, 1)
    interval: Any = confidence_interval(values[used], sample_weight=weight, **keywords)
    return {"value": value, **ends, **{k: interval[k] for k in ("low", "high", "method")}}


def _warn_of_few(loss: np.ndarray) -> None:
    n_unlike = len(loss) - int(np.unique(loss, return_counts=True)[1].max(initial=0))
    if len(loss) < _FEW_QUERIES or n_unlike < _FEW_LOSSES:
        warn_caller(
            f"There are {len(loss)} queries, {n_unlike} of them with another loss than the "
            "most frequent one; intervals of areas are too narrow below "
            f"{_FEW_QUERIES} queries, or below {_FEW_LOSSES} such losses."
        )
