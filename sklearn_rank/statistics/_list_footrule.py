"""Spearman's footrule of the first ranks of two lists."""

import numpy as np

from sklearn_rank._runs import starts_of
from sklearn_rank._validation import check_integer
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics._depths import Grid
from sklearn_rank.statistics._two_lists import TwoLists, read_two_lists


def list_footrule(a, b, *, groups=None, k=10):
    r"""Footrule of two lists of each user: how near items are to their ranks in the other.

    Higher is more alike; 1 means that both lists have the same first ``k`` items in the
    same order, 0 that they have none in common:

    .. math:: 1 - \frac{1}{k (k + 1)} \sum_e |r_A(e) - r_B(e)|

    where an item has the rank k + 1 in a list that does not show it.

    Parameters
    ----------
    a : mapping, Series or sequence over users, or array of shape (n_users, k)
        The list of each user: ids, best first. A set within a list holds ids that tie.
        With ``groups``, scores of rows, the highest first; ``-inf`` is not in the list.
    b : mapping, Series or sequence over users, or array of shape (n_users, k)
        The other list of each user. Mappings are matched by key, sequences by position,
        scores by row.
    groups : array-like of shape (n_rows,), default=None
        User of each row, where ``a`` and ``b`` are scores of the same rows. None: they
        are lists.
    k : int, default=10
        Cutoff: ranks below it do not count.

    Returns
    -------
    found : PerQueryScores
        ``"footrule@k"`` of each user; ``mean()`` is that over users. NaN if both lists are
        empty, 0 if one is.

    Raises
    ------
    ValueError
        If a list names an item twice, or a user has one list only.
    TypeError
        If one argument is a mapping and the other a sequence, or a list is none.

    See Also
    --------
    list_overlap : The order within the first k does not count.
    ranking_similarity : Several measures at once.

    Notes
    -----
    Under ties it is the mean over all orders. For lists shorter than ``k`` the denominator
    is the sum of lists of their lengths that have nothing in common, so that 0 and 1 mean
    the same.

    References
    ----------
    .. [1] R. Fagin, R. Kumar, D. Sivakumar, "Comparing top k lists", SIAM Journal on
       Discrete Mathematics 17(1), 2003.

    Examples
    --------
    >>> from sklearn_rank.statistics import list_footrule
    >>> found = list_footrule([list("abcde")], [list("badfc")], k=5)
    >>> round(found.mean()["footrule@5"], 6)
    0.733333
    """
    k = check_integer("k", k)
    lists = read_two_lists(a, b, groups)
    return PerQueryScores(lists.users, {f"footrule@{k}": footrules(lists, k)})


def footrules(lists: TwoLists, k: int) -> np.ndarray:
    """Return the footrule of each user.

    The distance of two ranks is the number of depths at which one list shows the item and
    the other does not, so that the sum over items follows from the overlaps at depths.
    """
    one, other = lists.one, lists.other
    n_users = len(lists.users)
    # Below the end of the longer list, nothing changes.
    depths = np.minimum(np.maximum(one.sizes, other.sizes), k)
    grid = Grid(starts_of(depths), depths)
    overlap = grid.sum(
        one.user[lists.in_one],
        one.first[lists.in_one],
        one.last[lists.in_one],
        other.first[lists.in_other],
        other.last[lists.in_other],
    )
    common = np.bincount(np.arange(n_users).repeat(depths), overlap, n_users)
    shared = np.bincount(one.user[lists.in_one], minlength=n_users)
    common += shared * (k - depths)
    shown = sum(_shown(np.minimum(side.sizes, k), k) for side in (one, other))
    total = np.asarray(shown, dtype=float)
    return 2 * common / np.where(total > 0, total, np.nan)


def _shown(size: np.ndarray, k: int) -> np.ndarray:
    """Return the sum of the numbers of items that a list shows to depths 1, ..., k."""
    return size * (size + 1) / 2 + size * (k - size)
