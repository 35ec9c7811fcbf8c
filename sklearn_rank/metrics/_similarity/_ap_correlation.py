"""The rank correlation in which errors at the top cost more."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._base._label_checks import check_same_labels
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._numbers import check_missing, exact_as_floats, number_vector
from sklearn_rank._base._runs import CHUNK_VALUES
from sklearn_rank._base._validation import check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank.typing import ArrayLike


@explained
def ap_correlation_score(
    truth: ArrayLike, estimate: ArrayLike, *, ties: Literal["a", "b"] = "a"
) -> float:
    r"""AP correlation of two rankings: errors at the top of the estimate cost more.

    Higher is better; 1 is the order of the truth, -1 its reverse, 0 is expected of a random
    order. With :math:`C_i` items above rank i of the estimate that the truth, too, puts
    above the item at i,

    .. math:: \tau_{AP} = \frac{2}{n - 1} \sum_{i=2}^{n} \frac{C_i}{i - 1} - 1

    It is not symmetric. It serves to compare orders of models, such as those by complete
    and by few judgments.

    Parameters
    ----------
    truth : array-like of shape (n_items,)
        Score of each item, the highest first.
    estimate : array-like of shape (n_items,)
        Score of each item by the ranking that is checked.
    ties : {"a", "b"}, default="a"
        "a" is the mean over all orders of items that tie in the estimate, and the truth has
        no ties. "b" takes ties in both, and is the mean of both directions: a pair that
        ties in the estimate of a direction is left out of it, one that ties in its truth
        alone counts as an error.

    Returns
    -------
    score : float
        From -1 to 1; NaN for "b" if all items tie in one of the two.

    Raises
    ------
    ValueError
        If there are fewer than two items, a score is missing, the truth has ties with
        ``ties="a"``, or two Series have different indexes.

    Warns
    -----
    UndefinedMetricWarning
        If all items tie in one of the two, with ``ties="b"``.

    See Also
    --------
    rank_biased_overlap_score : Lists of different items.
    scipy.stats.kendalltau : All ranks alike.
    scipy.stats.weightedtau : With weights of its own; another measure, and symmetric.

    Notes
    -----
    By ``ties="b"``, :math:`C_i / (q_i - 1)` has the :math:`q_i - 1` items that are strictly
    above, and the mean is over the items that have any above.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam, S. Robertson, "A new rank correlation coefficient for
       information retrieval", SIGIR 2008.
    .. [2] J. Urbano, M. Marrero, "The treatment of ties in AP correlation", ICTIR 2017.

    Examples
    --------
    The same error at the top and at the bottom:

    >>> from sklearn_rank.metrics import ap_correlation_score
    >>> round(ap_correlation_score([4, 3, 2, 1], [3, 4, 2, 1]), 4)
    0.3333
    >>> round(ap_correlation_score([4, 3, 2, 1], [4, 3, 1, 2]), 4)
    0.7778
    """
    check_option("ties", ties, ("a", "b"))
    gold, guess = _scores(truth, "truth"), _scores(estimate, "estimate")
    if len(gold) != len(guess):
        raise ValueError(
            f"`truth` has {len(gold)} items, but `estimate` has {len(guess)}; both need "
            "the same items in the same order."
        )
    check_same_labels({"truth": truth, "estimate": estimate})
    if len(gold) < 2:
        raise ValueError(f"`truth` has {len(gold)} item(s); a correlation needs two.")
    if ties == "a":
        _check_no_ties(gold)
        return _mean_over_orders(gold, guess)
    value = (_correlation_of_untied(gold, guess) + _correlation_of_untied(guess, gold)) / 2
    if np.isnan(value):
        warn_caller(
            "The AP correlation is undefined, as all items tie in `truth` or `estimate`.",
            category=UndefinedMetricWarning,
        )
    return value


def _scores(values: Any, name: str) -> np.ndarray:
    scores = number_vector(name, values, "one score per item")
    check_missing(name, np.isnan(scores))
    return exact_as_floats(scores)


def _check_no_ties(truth: np.ndarray) -> None:
    distinct, times = np.unique(truth, return_counts=True)
    if (times > 1).any():
        raise ValueError(
            f"`truth` has {times.max()} items of the score {distinct[times.argmax()]:g}; "
            "ties='a' needs a truth without ties, ties='b' takes them."
        )


def _mean_over_orders(truth: np.ndarray, estimate: np.ndarray) -> float:
    n = len(truth)
    above, tied = _count_above(estimate), _count_tied(estimate)
    # Sums of 1 / i over the ranks that a group of ties takes, less one.
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1.0, n + 1)))
    within = harmonic[above + tied - 1] - harmonic[above]
    over_ranks = within + np.where(above > 0, 1 / np.maximum(above, 1), 0)
    by_others = _count_concordant(truth, estimate) / tied * over_ranks
    # Of those that tie and come first, half are above in the truth.
    by_tied = (tied - 1 - above * within) / (2 * tied)
    return float(2 / (n - 1) * (by_others + by_tied).sum() - 1)


def _correlation_of_untied(truth: np.ndarray, estimate: np.ndarray) -> float:
    above = _count_above(estimate)
    counts = above > 0
    if not counts.any():
        return np.nan
    shares = _count_concordant(truth, estimate)[counts] / above[counts]
    return float(2 * shares.mean() - 1)


def _count_above(scores: np.ndarray) -> np.ndarray:
    """Return the number of items that are strictly above each."""
    return len(scores) - np.searchsorted(np.sort(scores), scores, side="right")


def _count_tied(scores: np.ndarray) -> np.ndarray:
    """Return the number of items of the score of each, itself among them."""
    _, codes, times = np.unique(scores, return_inverse=True, return_counts=True)
    return times[codes]


def _count_concordant(truth: np.ndarray, estimate: np.ndarray) -> np.ndarray:
    """Return the number of items that are above each in both."""
    n = len(truth)
    counts = np.empty(n)
    step = max(CHUNK_VALUES // n, 1)
    for start in range(0, n, step):
        chunk = slice(start, start + step)
        both = (truth > truth[chunk, None]) & (estimate > estimate[chunk, None])
        counts[chunk] = np.count_nonzero(both, axis=1)
    return counts
