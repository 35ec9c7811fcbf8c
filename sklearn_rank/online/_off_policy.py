"""Off-policy value from a randomized log, and how often positions are looked at."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._label_checks import check_same_labels
from sklearn_rank._base._messages import keep_warnings, warn_caller, warn_misleading
from sklearn_rank._base._numbers import check_values
from sklearn_rank._base._validation import check_level, check_option, check_real, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._clusters import (
    Clusters,
    ratio_of_sums,
    sum_of_ratios,
    t_interval,
)
from sklearn_rank.metrics._core._mean_intervals import skewness_of, widen_interval
from sklearn_rank.online._log_columns import (
    count_cells,
    read_clicks,
    read_clusters,
    read_labels,
    read_numbers,
    read_positions,
)
from sklearn_rank.online._named_results import PolicyValue, PositionPropensities
from sklearn_rank.statistics._intervals_of_means import few_clusters_warning, t_columns
from sklearn_rank.typing import ArrayLike, Labels

# The value of a ranker from the log of another.


ASSUMPTIONS = ("independent", "cascade", "joint")
ESTIMATORS = {True: "self-normalized (SNIPS)", False: "inverse propensity (IPS)"}
# Below this, few slates dominate.
LEAST_EFFECTIVE = 100
# A mean weight that is above 1 by more of its standard errors is not by chance.
MOST_ERRORS = 5
# Products of ratios of probabilities are rounded.
ROUNDING_OF_WEIGHTS = 1e-9


@explained
@keep_warnings
def off_policy_value(
    reward: ArrayLike,
    propensity: ArrayLike,
    target_probability: ArrayLike,
    *,
    slate: Labels | None = None,
    position: Labels | None = None,
    user: Labels | None = None,
    assumption: Literal["independent", "cascade", "joint"] = "cascade",
    self_normalized: bool = True,
    clip: float | None = None,
    confidence_level: float = 0.95,
) -> PolicyValue:
    r"""Estimate the reward per slate of a ranker from the log of another ranker.

    The logging policy chose the item at position l of slate s at random, with the
    probability :math:`b_{sl}`; the target policy, which is evaluated, would have put it
    there with :math:`e_{sl}`. Rewards are weighted by :math:`\rho_{sl} = e_{sl} / b_{sl}`:

    .. math::

        w_{sl} = \rho_{sl} \text{ (independent)}, \quad
        \prod_{m \le l} \rho_{sm} \text{ (cascade)}, \quad
        \prod_m \rho_{sm} \text{ (joint)}

    Over n slates the value is the sum over positions of

    .. math::

        \frac{1}{n} \sum_s w_{sl} r_{sl} \text{ (IPS)}, \qquad
        \frac{\sum_s w_{sl} r_{sl}}{\sum_s w_{sl}} \text{ (SNIPS)}

    Parameters
    ----------
    reward : array-like of shape (n_rows,)
        Clicks or sales, one row per position of a slate.
    propensity : array-like of shape (n_rows,)
        Probability, above 0 and up to 1, that the logging policy put the item there, given
        the items above; for "independent" regardless of these.
    target_probability : array-like of shape (n_rows,)
        The same for the target policy, from 0 to 1; 0 or 1 for a deterministic ranker.
    slate : array-like of shape (n_rows,), default=None
        Label of the list. None, without `position` too: each row is a list of one item.
    position : array-like of shape (n_rows,), default=None
        Position in the list, a number, in order from the top. Each slate has each position
        once.
    user : array-like of shape (n_rows,), default=None
        Label of the user, the same within a slate. If None, each slate is of another user.
    assumption : {"independent", "cascade", "joint"}, default="cascade"
        What the reward of a position depends on: only its item; its item and the items
        above, as for people who read from the top; or all items. Weaker assumptions have a
        larger variance.
    self_normalized : bool, default=True
        True: SNIPS, which is bounded by the rewards and has a small variance, but is biased
        in small logs. False: IPS, which is unbiased.
    clip : float, default=None
        Largest weight; larger ones are cut, which biases IPS downward for rewards of 0 or
        more. If None, no limit.
    confidence_level : float, default=0.95
        Probability that the interval covers the true value.

    Returns
    -------
    estimate : Bunch
        `value`, `standard_error`, `df` (its degrees of freedom), `n_effective` (the
        equivalent number of equal users), `largest_cluster` (the share of the heaviest
        user), `low`, `high`, `n_slates`, `estimator` (its name); and for each position
        `effective_sample_size` :math:`(\sum w)^2 / \sum w^2`, `mean_weight`, which is near
        1 if the propensities are right and nothing is clipped, and `largest_weight`.

    Raises
    ------
    ValueError
        If a propensity is not in (0, 1], or a target probability not in [0, 1]; if a slate
        has a duplicate or missing position, or two users; if only one of `slate` and
        `position` is given; if there are fewer than two users; with `self_normalized`, if
        no weight of a position is above 0.

    Warns
    -----
    MisleadingScoreWarning
        If the mean weight of a position is above 1 by more than five of its standard
        errors over users, so the probabilities are wrong. Not checked with `clip`, and for
        "independent" without `self_normalized`.
    UserWarning
        If the effective sample size of a position is below 100; if users are too few or
        too unequal.

    See Also
    --------
    propensities_from_swaps : Propensities for the log of a deterministic ranker.
    sklearn_rank.metrics.ips_ndcg_score : An offline metric by propensity.

    Notes
    -----
    Pad short slates with rows of reward 0 and both probabilities 1. The error is that of a
    ratio of sums over users, as in :func:`~sklearn_rank.statistics.compare_models`. SNIPS
    has such a ratio at each position, and takes the fewest of their degrees of freedom. The
    interval is Student's, and its end on the side of the longer tail is further out, by
    Johnson's shift, as in :func:`~sklearn_rank.statistics.confidence_interval`.
    Independent: [1]_, cascade: [2]_, SNIPS: [3]_.

    The log of a deterministic ranker is enough if clicks depend only on the item and on how
    often its position is looked at [1]_. `propensity` is then that of the position where
    the item was shown. `target_probability` is that of its position in the new ranking, 0
    if it is not there. Use "independent", and no `self_normalized`. Items that were not
    logged count 0.

    References
    ----------
    .. [1] S. Li, Y. Abbasi-Yadkori, B. Kveton, S. Muthukrishnan, V. Vinay and Z. Wen,
           "Offline evaluation of ranking policies with click models", KDD 2018.
    .. [2] J. McInerney, B. Brost, P. Chandar, R. Mehrotra and B. Carterette,
           "Counterfactual evaluation of slate recommendations with sequential reward
           interactions", KDD 2020.
    .. [3] A. Swaminathan and T. Joachims, "The self-normalized estimator for counterfactual
           learning", NIPS 2015.

    Examples
    --------
    Two items in random order; the target policy always puts item 1 first, which is clicked
    more often:

    >>> import numpy as np
    >>> from sklearn_rank.online import off_policy_value
    >>> rng = np.random.default_rng(0)
    >>> first = rng.integers(2, size=2000)
    >>> items = np.column_stack([first, 1 - first])
    >>> clicks = rng.random((2000, 2)) < np.where(items == 1, 0.3, 0.1) / [1, 2]
    >>> found = off_policy_value(
    ...     clicks.ravel(),
    ...     np.tile([0.5, 1], 2000),
    ...     np.column_stack([items[:, 0] == 1, np.ones(2000)]).ravel(),
    ...     slate=np.repeat(np.arange(2000), 2),
    ...     position=np.tile([1, 2], 2000),
    ... )
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)  # 0.3 + 0.1 / 2
    (0.372, 0.341, 0.404)
    """
    check_option("assumption", assumption, ASSUMPTIONS)
    check_option("self_normalized", self_normalized, (True, False))
    level = check_level(confidence_level)
    arguments = {"reward": reward, "slate": slate, "position": position, "user": user}
    arguments |= {"propensity": propensity, "target_probability": target_probability}
    check_same_labels(arguments)
    reward = read_numbers("reward", reward)
    n_rows = len(reward)
    if slate is None and position is None:
        slate, position = np.arange(n_rows), np.ones(n_rows)
    elif slate is None or position is None:
        raise ValueError(
            "Give `slate` and `position` together, or neither if each row is a list."
        )
    ratio = _importance_ratios(propensity, target_probability, n_rows)
    slates, of_row = read_labels("slate", slate, n_rows)
    positions, position_index = read_positions(position, n_rows)
    _check_complete(slates, of_row, positions, position_index)
    users = read_clusters("user", user, "slate", slates, of_row)
    grid = np.empty((2, len(slates), len(positions)))
    grid[0, of_row, position_index], grid[1, of_row, position_index] = ratio, reward
    if clip is not None:
        clip = check_real("clip", clip, "a number above 0, or None", above=0)
    weights = _importance_weights(grid[0], assumption, clip, scales=self_normalized)
    if clip is not None:
        weights = np.minimum(weights, clip)
    elif self_normalized or assumption != "independent":
        _warn_of_large_weights(weights, users, positions)
    total = weights.sum(axis=0)
    if self_normalized:
        if not total.all():
            raise ValueError(
                f"All weights at position {positions[int(np.argmin(total))]} are 0: the "
                "target policy would not show any item that is logged there."
            )
        both = zip((weights * grid[1]).T, weights.T, strict=True)
        of_users = [(users.sums(weighted), users.sums(weight)) for weighted, weight in both]
        estimate, residuals = sum_of_ratios(of_users)
    else:
        of_slates = (weights * grid[1]).sum(axis=1)
        estimate = users.estimate(of_slates)
        residuals = users.sums(of_slates) - estimate.value * users.weights()
    squares = (weights**2).sum(axis=0)
    effective = np.divide(total**2, squares, out=np.zeros(len(total)), where=squares > 0)
    messages = few_clusters_warning(estimate.shares, "The log", "users", "log more")
    if effective.min() < LEAST_EFFECTIVE * (1 - ROUNDING_OF_WEIGHTS):
        size = math.floor(100 * effective.min()) / 100  # not rounded up to the limit
        messages = [
            f"The effective sample size is {size:g} of {len(slates)} slates "
            f"at position {positions[int(effective.argmin())]}; below {LEAST_EFFECTIVE} a "
            "few slates decide, and the interval is too narrow."
        ]
    warn_caller(*messages)
    columns = t_columns(estimate, level)
    if estimate.error > 0:
        ends, skewness = (columns["low"], columns["high"]), skewness_of(residuals)
        columns["low"], columns["high"] = widen_interval(ends, estimate, skewness, level)
    return PolicyValue(
        value=estimate.value,
        estimator=ESTIMATORS[bool(self_normalized)],
        **columns,
        n_slates=len(slates),
        effective_sample_size=effective,
        mean_weight=total / len(slates),
        largest_weight=weights.max(axis=0),
    )


def _importance_ratios(propensity: Any, target_probability: Any, n_rows: int) -> np.ndarray:
    logged = read_numbers("propensity", propensity, n_rows)
    advice = (
        "give probabilities above 0, up to 1; the logging policy must choose at random: "
        "the log of a deterministic ranker cannot evaluate other rankers"
    )
    check_values("propensity", logged, (logged <= 0) | (logged > 1), "invalid", advice)
    wanted = read_numbers("target_probability", target_probability, n_rows)
    is_wrong = (wanted < 0) | (wanted > 1)
    advice = "give probabilities from 0 to 1"
    check_values("target_probability", wanted, is_wrong, "invalid", advice)
    return wanted / logged


def _check_complete(
    slates: list, of_row: np.ndarray, positions: list, position_index: np.ndarray
) -> None:
    """Raise unless each slate has each position once."""
    counts = count_cells(of_row, position_index, (len(slates), len(positions)))
    wrong = np.flatnonzero((counts != 1).any(axis=1))
    if len(wrong):
        raise ValueError(
            f"{len(wrong)} slate(s) do not have each position once, such as "
            f"{shorten(slates[wrong[0]])}; leave out rows of a position that is there "
            "twice, and pad short ones with rows of reward 0 and both probabilities 1."
        )


def _importance_weights(
    ratio: np.ndarray, assumption: str, clip: float | None, *, scales: bool
) -> np.ndarray:
    """Return the weight of each slate and position; `scales`: up to a factor by position.

    Products beyond the range of floats are taken by their logarithms.
    """
    if assumption == "independent":
        return ratio
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        products = np.cumprod(ratio, axis=1)
    is_zero = np.cumsum(ratio == 0, axis=1) > 0
    if not (np.isfinite(products) & ((products > 0) | is_zero)).all():
        with np.errstate(divide="ignore"):
            logs = np.cumsum(np.log(ratio), axis=1)
        largest = logs.max(axis=0)
        if clip is None and scales:
            logs -= np.where(np.isfinite(largest), largest, 0)
        elif clip is None and largest.max() > np.log(np.finfo(float).max):
            raise ValueError(
                f"Products of {ratio.shape[1]} ratios exceed the largest float. Give "
                "clip=, leave self_normalized=True, or use assumption='independent'."
            )
        with np.errstate(over="ignore", under="ignore"):
            products = np.exp(logs)
    if assumption == "cascade":
        return products
    return np.repeat(products[:, -1:], ratio.shape[1], axis=1)


def _warn_of_large_weights(weights: np.ndarray, users: Clusters, positions: list) -> None:
    """Warn if the mean weight of a position is above 1 by more than chance.

    With right probabilities its expectation is at most 1. A mean below 1 shows nothing: a
    log may lack rare large weights.
    """
    for position, of_place in zip(positions, weights.T, strict=True):
        mean = users.estimate(of_place)
        if mean.value - 1 > max(MOST_ERRORS * mean.error, ROUNDING_OF_WEIGHTS):
            warn_misleading(
                f"The mean weight at position {position} is {mean.value:.3g} with a "
                f"standard error of {mean.error:.2g}, and would be near 1 if the "
                "probabilities were right. `propensity` is that of the logging policy for "
                "the logged item, `target_probability` that of the target policy for the "
                "same item; they may be exchanged, or 1 may stand for all items."
            )
            return


# How often positions are looked at, estimated from randomly moved items.


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
    result : Bunch
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
