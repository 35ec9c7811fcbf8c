"""plot_split: rows over time and users over folds, colored by their part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sklearn_rank._base._validation import check_integer
from sklearn_rank._display._figures import BETTER, WORSE, import_pyplot, is_dark
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.model_selection._describe_split import read_split
from sklearn_rank.model_selection._time_split import TimeSplit, UserTimeSplit
from sklearn_rank.typing import ArrayLike, Column, Folds, Labels, Table, Times

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PARTS = ["train", "test", "gap", "dropped"]
_BAND_HEIGHT = 0.8  # height of a fold; the rest is white between folds
# Least share of the axis that a note needs.
_LEAST_EMPTY = 0.05
_MOST_BINS = 100_000


@explained
def plot_split(
    cv: Folds,
    X: Table | None,
    y: ArrayLike | None = None,
    *,
    groups: Labels | None = None,
    users: Labels | None = None,
    items: Labels | None = None,
    times: Times | None = None,
    user: Column | None = None,
    item: Column | None = None,
    time: Column | None = None,
    bins: int = 200,
    axes: Sequence[Axes] | NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Draw where the rows of each fold lie in time, and what becomes of each user.

    Each fold is a band. On the left it runs over time, on the right over the users, in
    the order of the fold that tests them first; users are left out where they are not
    known. The band shows at each place which share of the rows is train, test, gap (what
    the `gap` of `cv` leaves out between train and test) or dropped.

    Parameters
    ----------
    cv : splitter, int or iterable
        One of this module's splitters, or whatever scikit-learn takes as `cv`.
    X : array-like, sparse matrix or DataFrame of shape (n_rows, n_columns) or None
        The rows to split. None where users, items and times are passed.
    y : array-like of shape (n_rows,), default=None
        Target, for splitters that look at it.
    groups : array-like of shape (n_rows,), default=None
        What scikit-learn's splitters take as groups, and another name for `users`.
    users, items, times : array-like of shape (n_rows,), default=None
        User, item and time of each row, instead of columns of X.
    user, item, time : int or str, default=None
        Columns of X: position or name. If None, those of `cv`, where it names them, else
        those named ``user`` or ``user_id``, ``item`` or ``item_id``.
    bins : int, default=200
        Number of places at which shares are drawn, at most; up to 100,000.
    axes : array-like of matplotlib Axes, default=None
        Where to draw: as many as there are pictures, time first. If None, a new figure.

    Returns
    -------
    ndarray of matplotlib Axes
        One for time, where times are known (else for row numbers), and one for users,
        where they are known.

    Raises
    ------
    ImportError
        When matplotlib is not installed.

    Examples
    --------
    >>> from sklearn_rank.model_selection import TimeSplit, plot_split
    >>> log = [["ann", 1], ["bob", 2], ["ann", 2], ["ann", 3], ["bob", 4], ["cy", 5]]
    >>> axes = plot_split(TimeSplit(2, 1, user=0, time=1), log)
    >>> [axis.get_xlabel() for axis in axes]
    ['time', 'users']
    """
    n_bins = _check_bins(bins)
    log, folds = read_split(cv, X, y, groups, (users, items, times), (user, item, time))
    parts = _find_parts(cv, X, log, folds)
    axes = _make_axes(axes, 1 if log.users is None else 2, len(parts))
    _draw_times(axes[0], log, parts, n_bins)
    if log.users is not None:
        _draw_users(axes[1], log, parts, n_bins)
    axes[0].set_ylabel("fold")
    axes[0].set_title(type(cv).__name__, loc="left")
    _draw_legend(axes[-1], parts)
    return axes


def _check_bins(bins: Any) -> int:
    bins = check_integer("bins", bins)
    if bins > _MOST_BINS:
        raise ValueError(
            f"`bins` must be at most {_MOST_BINS:,}, far more than a picture has pixels; "
            f"got {bins}."
        )
    return bins


def _find_parts(cv: Any, X: Any, log: Log, folds: Iterable) -> list[np.ndarray]:
    """Return for each fold the part of each row, a place in _PARTS."""
    parts = []
    for (train, test), in_gap in zip(folds, _find_gaps(cv, X, log), strict=False):
        part = np.full(log.n_rows, _PARTS.index("dropped"), dtype=np.int8)
        # Rows between train and test are not all in a gap: filters drop rows there, too.
        if in_gap is not None:
            part[in_gap] = _PARTS.index("gap")
        elif getattr(cv, "gap", 0) and len(train) and len(test):
            part[_is_between(log, train, test)] = _PARTS.index("gap")
        part[train] = _PARTS.index("train")
        part[test] = _PARTS.index("test")
        parts.append(part)
    return parts


def _find_gaps(cv: Any, X: Any, log: Log) -> Iterator[np.ndarray | None]:
    """Return the rows in the gap of each fold, None where folds have no window of time."""
    if not isinstance(cv, TimeSplit | UserTimeSplit):
        return repeat(None)
    units, unit_of_row = cv._find_units(X, log)
    windows = cv._find_windows(units)
    return (window.in_gap(units.times)[unit_of_row] for window in windows)


def _is_between(log: Log, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the rows after train and before test, for scikit-learn's TimeSeriesSplit."""
    x = np.arange(log.n_rows) if log.times is None else log.times.values
    return (x > x[train].max()) & (x < x[test].min())


def _draw_times(axis: Any, log: Log, parts: list, n_bins: int) -> None:
    if log.times is None:
        values = np.arange(log.n_rows)
        places = edges = np.linspace(0, log.n_rows, min(n_bins, log.n_rows) + 1)
        axis.set_xlabel("row")
    else:
        values = log.times.values
        edges = np.linspace(values.min(), values.max(), n_bins + 1)
        places = log.times.labels(edges)
        axis.set_xlabel("time" if log.times.zone is None else "time (UTC)")
    bins = _find_bins(values, edges)
    _draw_bands(axis, bins, parts, places)
    _note_empty(axis, np.bincount(bins, minlength=len(edges) - 1) == 0, places)
    if places.dtype.kind == "M":
        _shorten_dates(axis.xaxis)


def _note_empty(axis: Any, is_empty: np.ndarray, edges: np.ndarray) -> None:
    """Write "no rows" into spans of time without rows that have room for it."""
    ends = np.flatnonzero(np.diff(np.concatenate([[0], is_empty, [0]]))).reshape(-1, 2)
    across = axis.get_xaxis_transform()
    for first, last in ends[np.diff(ends)[:, 0] >= _LEAST_EMPTY * len(is_empty)]:
        middle = edges[first] + (edges[last] - edges[first]) / 2
        look = {"ha": "center", "va": "center", "rotation": 90, "fontsize": "small"}
        axis.text(middle, 0.5, "no rows", transform=across, **look)


def _shorten_dates(axis: Any) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(maxticks=7)
    axis.set_major_locator(locator)
    axis.set_major_formatter(ConciseDateFormatter(locator))


def _draw_users(axis: Any, log: Log, parts: list, n_bins: int) -> None:
    n_users = len(log.users.values)
    first_test = np.full(n_users, len(parts))
    for fold in reversed(range(len(parts))):
        tested = log.users.present(parts[fold] == _PARTS.index("test"))
        first_test[tested] = fold
    height = np.empty(n_users)
    height[np.argsort(first_test, kind="stable")] = np.arange(n_users)
    edges = np.linspace(0, n_users, min(n_bins, n_users) + 1)
    _draw_bands(axis, _find_bins(height, edges)[log.users.codes], parts, edges)
    axis.set_xlabel("users")


def _draw_bands(axis: Any, bins: np.ndarray, parts: list, edges: np.ndarray) -> None:
    """Draw for each fold, in each bin, the share of the rows that each part has."""
    for fold, part in enumerate(parts):
        share = _part_shares(bins, part, len(edges) - 1)
        floor = np.full(len(edges) - 1, fold + _BAND_HEIGHT / 2)
        for color, height in zip(_part_colors(axis), share, strict=True):
            ceiling = floor - _BAND_HEIGHT * height
            axis.stairs(ceiling, edges, baseline=floor, fill=True, color=color, lw=0)
            floor = ceiling
    axis.set_ylim(len(parts) - 0.5, -0.5)
    axis.set_yticks(range(len(parts)))
    axis.margins(x=0.01)


def _part_colors(axis: Any) -> list[Any]:
    """Return the colors of the parts, which color-blind readers can distinguish."""
    return [BETTER, WORSE, "#999999", "#444444" if is_dark(axis) else "#DDDDDD"]


def _part_shares(bins: np.ndarray, part: np.ndarray, n_bins: int) -> np.ndarray:
    """Return the share of each part in each bin; 0 where a bin has no rows."""
    cells = bins * len(_PARTS) + part
    count = np.bincount(cells, minlength=n_bins * len(_PARTS)).reshape(n_bins, -1).T
    return count / np.maximum(count.sum(axis=0), 1)


def _find_bins(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)


def _draw_legend(axis: Any, parts: list) -> None:
    from matplotlib.patches import Patch

    used = np.unique(np.concatenate(parts))
    colors = _part_colors(axis)
    patches = [Patch(color=colors[i], label=_PARTS[i]) for i in used]
    options = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0.2}
    axis.legend(handles=patches, ncols=len(patches), frameon=False, **options)


def _make_axes(axes: Any, n_axes: int, n_folds: int) -> np.ndarray:
    plt = import_pyplot("plot_split")
    from matplotlib.axes import Axes

    if axes is None:
        _, axes = plt.subplots(
            ncols=n_axes,
            figsize=(5 * n_axes, max(2.2, 1.2 + 0.4 * n_folds)),
            sharey=True,
            squeeze=False,
            layout="constrained",
        )
    axes = np.ravel(np.asarray(axes, dtype=object))
    n_given = sum(isinstance(part, Axes) for part in axes)
    if not n_given == len(axes) == n_axes:
        raise ValueError(
            f"`axes` must hold {n_axes} Axes, one for time and one for users where they "
            f"are known; got {n_given}."
        )
    return axes
