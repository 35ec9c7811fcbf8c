"""How often positions are looked at, estimated from randomly moved items."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from sklearn_rank._base._label_checks import check_same_labels
from sklearn_rank._base._messages import keep_warnings, warn_caller
from sklearn_rank._base._validation import check_level, check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._clusters import ratio_of_sums, t_interval
from sklearn_rank.online._log_columns import (
    count_cells,
    read_clicks,
    read_clusters,
    read_labels,
    read_positions,
)
from sklearn_rank.online._named_results import PositionPropensities
from sklearn_rank.statistics._intervals_of_means import few_clusters_warning
from sklearn_rank.typing import ArrayLike, Labels


@explained
@keep_warnings
def propensities_from_swaps(
    clicked: ArrayLike,
    position: Labels,
    item: Labels,
    *,
    user: Labels | None = None,
    reference: Hashable | None = None,
    confidence_level: float = 0.95,
) -> PositionPropensities:
    r"""Estimate how often positions are looked at from randomly moved items.

    If users click when they look at the position and like the item, the clicks on the same
    items at position k and at the reference r differ only by how often the two are looked
    at. With the clicks :math:`c_{ik}` on item i at position k, where it was shown
    :math:`n_{ik}` times, their ratio is that of Mantel and Haenszel:

    .. math::

        \frac{\theta_k}{\theta_r} =
        \frac{\sum_i c_{ik} \, n_{ir} / (n_{ik} + n_{ir})}
        {\sum_i c_{ir} \, n_{ik} / (n_{ik} + n_{ir})}

    Parameters
    ----------
    clicked : array-like of shape (n_rows,)
        Whether the item was clicked, 0 or 1, one row per shown item.
    position : array-like of shape (n_rows,)
        Position of the item. It must have been drawn at random, with the same probabilities
        each time the item is shown: swaps of two positions, or shuffled lists. Leave out
        rows of other positions.
    item : array-like of shape (n_rows,)
        Label of the item; with queries, of the pair of query and item.
    user : array-like of shape (n_rows,), default=None
        Label of the user, the cluster of the error. If None, each row is of another user.
    reference : int, default=None
        The position that the others are compared with. If None, the first one.
    confidence_level : float, default=0.95
        Probability that an interval covers the true ratio.

    Returns
    -------
    found : Bunch
        For each position: `position`; `propensity`, with the largest 1, as
        :func:`off_policy_value` and the metrics ``ips_*`` take it; `ratio` to the
        reference, its `standard_error`, `low` and `high`; and `n_shown`, the rows.

    Raises
    ------
    ValueError
        If there are fewer than two positions; if items at a position were never shown at
        the reference, or such items have no clicks at one of the two; if `clicked` is not 0
        or 1, or there are fewer than two users.

    Warns
    -----
    UserWarning
        If users are too few, or too unequal, for Student's t.

    See Also
    --------
    off_policy_value : The value of another ranker.
    sklearn_rank.metrics.ips_recall_at_k_score : A metric by propensity.

    Notes
    -----
    Random swaps: [1]_. Rankers that are served at random work too, with the items that they
    put at both positions [2]_. The error is that of a ratio of sums over users, and the
    interval is computed for its logarithm. No model is fitted, so nothing has to converge,
    but positions with few clicks have wide intervals. Without random positions the estimate
    is wrong, because the first position has the best items.

    The unit of propensities does not change normalized metrics and estimates.

    References
    ----------
    .. [1] T. Joachims, A. Swaminathan and T. Schnabel, "Unbiased learning-to-rank with
           biased feedback", WSDM 2017.
    .. [2] A. Agarwal, I. Zaitsev, X. Wang, C. Li, M. Najork and T. Joachims, "Estimating
           position bias without intrusive interventions", WSDM 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.datasets import make_click_log
    >>> from sklearn_rank.online import propensities_from_swaps
    >>> rng = np.random.default_rng(0)
    >>> lists = rng.permuted(np.tile([0, 1, 2], (5000, 1)), axis=1)
    >>> log = make_click_log(lists, [0.2, 0.5, 0.9], random_state=0)
    >>> found = propensities_from_swaps(
    ...     log.clicked, log.position, log.item, user=log.user
    ... )
    >>> found.propensity.round(2).tolist()  # 1, 1 / 2, 1 / 3
    [1.0, 0.49, 0.33]
    """
    level = check_level(confidence_level)
    arguments = {"clicked": clicked, "position": position, "item": item, "user": user}
    check_same_labels(arguments)
    clicks = read_clicks("clicked", clicked)
    n_rows = len(clicks)
    positions, position_index = read_positions(position, n_rows)
    labels, codes = read_labels("item", item, n_rows)
    rows = np.arange(n_rows)
    users = read_clusters("user", user, "row", rows.tolist(), rows)
    if len(positions) < 2:
        raise ValueError(f"All rows are of position {positions[0]}; two are needed.")
    reference = positions[0] if reference is None else reference
    check_option("reference", reference, positions)
    fixed = positions.index(reference)
    n_shown = count_cells(codes, position_index, (len(labels), len(positions)))
    found_at, least = [], users.shares
    for k, name in enumerate(positions):
        if k == fixed:
            found_at.append((1.0, 0.0, 1.0, 1.0))
            continue
        # An item at only one of the two adds nothing.
        both = np.maximum(n_shown[:, k] + n_shown[:, fixed], 1)[codes]
        here = np.where(position_index == k, clicks * n_shown[codes, fixed] / both, 0)
        there = np.where(position_index == fixed, clicks * n_shown[codes, k] / both, 0)
        if not (here.any() and there.any()):
            raise ValueError(
                f"Items that were shown at both position {shorten(name)} and "
                f"{shorten(positions[fixed])} have no clicks at one of them, if there are "
                "such items; leave the position out, or log more."
            )
        estimate = ratio_of_sums(users.sums(here), users.sums(there))
        least = min(least, estimate.shares, key=lambda shares: shares.df)
        error = estimate.error / estimate.value
        ends = t_interval(math.log(estimate.value), error, estimate.df, level)
        with np.errstate(over="ignore"):  # overflow is infinite
            found_at.append((estimate.value, estimate.error, *np.exp(ends)))
    warn_caller(*few_clusters_warning(least, "The log", "users", "log more"))
    ratio, error, low, high = np.transpose(found_at)
    return PositionPropensities(
        position=np.array(positions),
        propensity=ratio / ratio.max(),
        ratio=ratio,
        standard_error=error,
        low=low,
        high=high,
        n_shown=n_shown.sum(axis=0),
    )
