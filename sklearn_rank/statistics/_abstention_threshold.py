"""A threshold of confidence above which the risk of answers is controlled."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import optimize, special, stats

from sklearn_rank._base._label_checks import show_id
from sklearn_rank._base._messages import keep_warnings, warn_caller
from sklearn_rank._base._numbers import as_floats
from sklearn_rank._base._validation import (
    check_integer,
    check_level,
    check_option,
    check_real,
    shorten,
)
from sklearn_rank._display._result import NumbersFound
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._read_losses import read_losses
from sklearn_rank.statistics._options import correct_p_values
from sklearn_rank.typing import ArrayLike, Confidence, Labels, Matrix, Ties

# Sums of losses that rounding put above a whole number do not count as the next one.
_ROUNDING = 1e-9
# The smallest risk that passes is said to so many parts of 1.
STEPS = 1000


class AbstentionThreshold(NumbersFound):
    """A threshold, and the risk of the queries above it."""

    threshold: float
    coverage: float
    risk: float
    risk_upper: float
    n_answered: int
    n_queries: int
    p_value: float


class _Test(NamedTuple):
    """A threshold, and the number and the losses of the units above it."""

    threshold: float
    n: int
    lost: float
    p_value: float


class RiskLimit(NamedTuple):
    """The test that the risk is above a limit, for losses of 0 and 1 or between."""

    limit: float
    are_binary: bool

    def p_value(self, n: int, lost: float) -> float:
        """Return the p-value of n losses with this sum; of binary ones it is exact."""
        if self.are_binary:
            return float(stats.binom.cdf(lost, n, self.limit))
        if n == 0:
            return 1.0
        mean = min(lost / n, self.limit)
        hoeffding = math.exp(-n * _relative_entropy(mean, self.limit))
        least = stats.binom.cdf(math.ceil(lost - _ROUNDING), n, self.limit)
        return float(min(hoeffding, math.e * least))

    def fewest(self, alpha: float) -> int:
        """Return from how many units on a threshold is tested."""
        if self.are_binary:
            return fewest_without_loss(self.limit, alpha)
        half = _relative_entropy(self.limit / 2, self.limit)
        return _round_up(-math.log(alpha) / half if half else math.inf)

    def upper(self, n: int, lost: float, alpha: float) -> float:
        """Return the limit for which the p-value is alpha."""
        if lost >= n:
            return 1.0
        if self.are_binary:
            return float(stats.beta.ppf(1 - alpha, lost + 1, n - lost))

        def excess(limit: float) -> float:
            return self._replace(limit=limit).p_value(n, lost) - alpha

        return float(optimize.brentq(excess, lost / n, 1 - 1e-12))


def _relative_entropy(p: float, q: float) -> float:
    complement = special.xlog1py(1 - p, -p) - special.xlog1py(1 - p, -q)
    return float(special.xlogy(p, p) - special.xlogy(p, q) + complement)


def fewest_without_loss(limit: float, alpha: float) -> int:
    """Return the least number of units that can pass, if none has a loss."""
    return _round_up(math.log(alpha) / math.log1p(-limit))


def _round_up(number: float) -> int:
    """Return a number of queries; a limit near 0 needs more than any file has."""
    return math.ceil(min(number, 2.0**63))


def _next_above(confidence: float) -> float:
    """Return the next float; -inf, which answers every list that is not empty, stays."""
    return confidence if confidence == -np.inf else float(np.nextafter(confidence, np.inf))


def _test_at(
    threshold: float, confidence: np.ndarray, loss: np.ndarray, limit: RiskLimit
) -> _Test:
    of_answered = loss[(confidence >= threshold) & (confidence > -np.inf)]
    n, lost = len(of_answered), float(of_answered.sum())
    return _Test(threshold, n, lost, limit.p_value(n, lost))


def last_of_sequence(
    confidence: np.ndarray, loss: np.ndarray, limit: RiskLimit, alpha: float, k: int
) -> _Test | None:
    """Return the last of k thresholds that passed, from the strictest on."""
    n = len(loss)
    fewest = min(limit.fewest(alpha), n)
    descending = np.append(-np.sort(-confidence), -np.inf)
    k = min(k, n - fewest + 1)  # each place once
    places = np.rint(np.linspace(fewest + 1, n + 1, k)).astype(np.intp)
    thresholds = [_next_above(descending[rank - 1]) for rank in places]
    passed = None
    for threshold in dict.fromkeys(thresholds):
        test = _test_at(threshold, confidence, loss, limit)
        if test.n < fewest:
            continue
        if test.p_value > alpha:
            break
        passed = test
    return passed


def lowest_by_holm(
    confidence: np.ndarray,
    loss: np.ndarray,
    limit: RiskLimit,
    alpha: float,
    thresholds: np.ndarray,
) -> _Test | None:
    """Return the lowest of the thresholds that pass by Holm's correction."""
    distinct = np.unique(thresholds)
    tests = [_test_at(threshold, confidence, loss, limit) for threshold in distinct]
    adjusted = correct_p_values([test.p_value for test in tests], "holm")
    passed = (test for test, p in zip(tests, adjusted, strict=True) if p <= alpha)
    return next(passed, None)


def limit_false_answers(
    confidence: np.ndarray, limit: RiskLimit, alpha: float
) -> _Test | None:
    """Return the lowest threshold that few of these unanswerable queries reach."""
    n = len(confidence)
    chances = stats.binom.cdf(np.arange(n), n, limit.limit)
    n_passed = int(np.searchsorted(chances, alpha, side="right"))
    if n_passed == 0:
        return None
    threshold = _next_above(-np.sort(-confidence)[n_passed - 1])
    return _Test(threshold, n, n_passed - 1, float(chances[n_passed - 1]))


@explained
@keep_warnings
def abstention_threshold(
    y_true: Matrix,
    y_score: Matrix,
    *,
    groups: Labels | None = None,
    confidence: Confidence | None = None,
    metric: str = "ndcg@10",
    max_risk: float = 0.1,
    control: Literal["risk", "false_answers"] = "risk",
    confidence_level: float = 0.95,
    thresholds: int | ArrayLike = 20,
    min_relevance: MinRelevance = None,
    ties: Ties = "average",
) -> AbstentionThreshold:
    r"""Threshold of confidence, with a bound on the risk of what is answered.

    With the probability ``confidence_level`` over calibration queries, the mean loss of new
    queries that are answered is at most ``max_risk``. The loss is that of
    :func:`~sklearn_rank.metrics.aurc_score`: 1 - ``metric``, and 1 for an answer to a query
    without relevant rows. To apply it:
    ``np.where(confidence >= threshold, y_score, -np.inf)``.

    Each threshold has a p-value of the hypothesis that its risk is above ``max_risk``. For
    m answered queries with losses of 0 or 1 and the sum s it is :math:`P(B \le s)` with B
    binomial of m and ``max_risk``, else that of Hoeffding and Bentkus [1]_.

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
        the highest score. It has to be comparable between queries, and computed for a query
        without looking at the others.
    metric : str, default="ndcg@10"
        Metric from 0 to 1 of an answered query.
    max_risk : float, default=0.1
        Largest risk, between 0 and 1.
    control : {"risk", "false_answers"}, default="risk"
        "risk" is the mean loss of answered queries; "false_answers" is the share of
        answered ones among queries without relevant rows.
    confidence_level : float, default=0.95
        Probability of the guarantee.
    thresholds : int or array-like, default=20
        How many thresholds to test one after the other, from the strictest on, at equal
        numbers of queries. The guarantee then holds if the risk does not fall as more
        queries are answered. Or the thresholds, chosen without these data; they are
        corrected by Holm's method, whatever the shape of the risk. Without effect for
        "false_answers".
    min_relevance : float, default=None
        Lowest relevant grade, for metrics with this parameter. If None, any above 0.
    ties : {"average", "worst", "best", "first"}, default="average"
        Treatment of ties: the mean over all orders, lowest or highest grades first, or the
        given order.

    Returns
    -------
    result : Bunch
        ``threshold``, ``coverage`` (the share of queries answered), ``risk``,
        ``risk_upper`` (its upper bound at ``confidence_level``), ``n_answered``,
        ``n_queries``, ``p_value``. ``inf``, coverage 0 and NaN if no threshold passes;
        ``-inf`` answers every list that is not empty.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; if an option is out of its range, a confidence is
        inf, or `thresholds` are empty or NaN.

    Warns
    -----
    UserWarning
        If no threshold passes, with the number of queries that this takes, or with the
        smallest `max_risk` for which one passes.

    See Also
    --------
    sklearn_rank.metrics.risk_coverage_curve : Risk and coverage of each threshold.

    Notes
    -----
    The guarantee is for new data. A result on the calibration data is too good, as the
    threshold was chosen there.

    References
    ----------
    .. [1] S. Bates et al., "Distribution-free, risk-controlling prediction sets", Journal
       of the ACM 68(6), 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.statistics import abstention_threshold
    >>> relevant = np.arange(100) < 80  # the surer a query, the better
    >>> y_true = relevant[:, None] * [1, 0]
    >>> y_score = np.c_[100 - np.arange(100), np.zeros(100)]
    >>> found = abstention_threshold(y_true, y_score, metric="hit_rate@1")
    >>> found.n_answered, round(found.risk_upper, 4)
    (81, 0.0572)
    """
    check_option("control", control, ("risk", "false_answers"))
    needed = "a number between 0 and 1"
    max_risk = check_real("max_risk", max_risk, needed, above=0, below=1)
    alpha = 1 - check_level(confidence_level)
    tested = _read_thresholds(thresholds)
    rows = (y_true, y_score, groups, confidence, metric, min_relevance, ties)
    _, labels, loss, sure, is_answerable, _ = read_losses(*rows)
    _check_finite(sure, labels)
    are_binary = control == "false_answers" or bool(np.isin(loss, (0, 1)).all())
    limit = RiskLimit(max_risk, are_binary)

    def find(limit: RiskLimit) -> _Test | None:
        if control == "false_answers":
            return limit_false_answers(sure[~is_answerable], limit, alpha)
        if isinstance(tested, int):
            return last_of_sequence(sure, loss, limit, alpha, tested)
        return lowest_by_holm(sure, loss, limit, alpha, tested)

    passed = find(limit)
    if passed is None:
        is_counted = sure > -np.inf if control == "risk" else ~is_answerable
        _warn_of_nothing(find, limit, alpha, control, int(np.count_nonzero(is_counted)))
        return _nothing_passes(len(loss))
    is_answered = (sure >= passed.threshold) & (sure > -np.inf)
    of_risk = loss[is_answered] if control == "risk" else is_answered[~is_answerable]
    return AbstentionThreshold(
        threshold=passed.threshold,
        coverage=float(is_answered.mean()),
        risk=float(of_risk.mean()),
        risk_upper=limit.upper(passed.n, passed.lost, alpha),
        n_answered=int(is_answered.sum()),
        n_queries=len(loss),
        p_value=passed.p_value,
    )


def _read_thresholds(thresholds: Any) -> Any:
    """Return how many thresholds to test, or those that were given."""
    if np.ndim(thresholds) == 0:
        return check_integer("thresholds", thresholds)
    values = as_floats(thresholds, "thresholds")
    if values.ndim != 1 or len(values) == 0 or np.isnan(values).any():
        raise ValueError(
            f"`thresholds` must be an integer or a list, got {shorten(thresholds)}."
        )
    return values


def _check_finite(confidence: np.ndarray, labels: np.ndarray) -> None:
    if (confidence == np.inf).any():
        label = labels[int(np.argmax(confidence))]
        raise ValueError(
            f"`confidence` of query {show_id(label)} is inf, and no threshold is above it; "
            "give finite numbers, or -inf for a query that is not answered."
        )


def _warn_of_nothing(
    find: Callable[[RiskLimit], _Test | None],
    limit: RiskLimit,
    alpha: float,
    control: str,
    n_units: int,
) -> None:
    """Warn that no threshold passes, and say why: too few queries, or their losses."""
    units = "answered queries" if control == "risk" else "queries without relevant rows"
    fewest = fewest_without_loss(limit.limit, alpha)
    why = (
        f"It takes at least {fewest} {units}, if none has a loss; give more queries, or a "
        "larger `max_risk`."
    )
    if n_units >= fewest:

        def can_pass(step: int) -> bool:
            return find(limit._replace(limit=step / STEPS)) is not None

        why = "None passes with any `max_risk`; give other thresholds, or more queries."
        if can_pass(STEPS - 1):
            steps = range(math.ceil(limit.limit * STEPS), STEPS)
            least = steps[bisect_left(steps, True, key=can_pass)] / STEPS
            why = (
                f"The reason is the losses of the {n_units} {units}: the smallest "
                f"`max_risk` that passes is {least:g}."
            )
    warn_caller(
        f"No threshold keeps the risk below {limit.limit:g} with {1 - alpha:g} confidence, "
        f"so that nothing is answered. {why}"
    )


def _nothing_passes(n: int) -> AbstentionThreshold:
    """Return the result where nothing is answered."""
    nan = math.nan
    return AbstentionThreshold(
        threshold=math.inf,
        coverage=0.0,
        risk=nan,
        risk_upper=nan,
        n_answered=0,
        n_queries=n,
        p_value=nan,
    )
