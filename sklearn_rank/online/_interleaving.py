"""The preference of users from clicks on interleaved lists, with interval and test."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from sklearn_rank._base._label_checks import check_same_labels
from sklearn_rank._base._messages import (
    keep_warnings,
    quantity,
    warn_caller,
    warn_misleading,
)
from sklearn_rank._base._numbers import check_values
from sklearn_rank._base._text import name_interval
from sklearn_rank._base._validation import (
    LARGEST_INTEGER,
    check_option,
    count_named,
    is_iterable,
    shorten,
)
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._clusters import Clusters
from sklearn_rank.metrics._core._parameters import Range
from sklearn_rank.online._log_columns import (
    count_cells,
    read_clicks,
    read_clusters,
    read_labels,
    read_numbers,
)
from sklearn_rank.online._named_results import PreferenceRow
from sklearn_rank.online._team_draft import NO_TEAM
from sklearn_rank.statistics._compare_models import EstimatedMetrics
from sklearn_rank.statistics._comparison_display import ModelComparisonDisplay
from sklearn_rank.statistics._comparison_text import (
    correction_name,
    name_of_test,
    number_format,
    p_text,
    sides_name,
    signed_cells,
)
from sklearn_rank.statistics._intervals_of_means import few_clusters_warning
from sklearn_rank.statistics._metric_comparison import MetricComparison
from sklearn_rank.statistics._options import Options
from sklearn_rank.statistics._read_scores import Scores
from sklearn_rank.statistics._result_rows import RowsOfResult
from sklearn_rank.typing import (
    Alternative,
    ArrayLike,
    Axes,
    Correction,
    Labels,
    RandomState,
)


@explained
class InterleavingResult(RowsOfResult[PreferenceRow]):
    """Preferences between rankers, one row per pair.

    :func:`interleaving_test` returns it. ``print`` shows it as a table.

    Parameters
    ----------
    rows : sequence of dict
        The columns of each row by name.
    settings : dict, default=None
        Options of the comparison.

    Attributes
    ----------
    columns : dict of str to ndarray of shape (n_pairs,)
        `ranker` and `other`, `n_impressions`, `n_users`, `wins`, `ties` and `losses` (of
        the first, in impressions), `preference` (for the first, from -1/2 to 1/2),
        `standard_error`, `df`, `n_effective` and `largest_cluster` (of users, as in
        :class:`~sklearn_rank.statistics.ModelComparison`), `low` and `high` (its
        interval), `p_value` and `p_adjusted` (corrected).
    settings : dict
        Options of the comparison: `test`, `correction`, `confidence_level` and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.online import interleaving_test
    >>> impression = np.repeat(np.arange(12), 2)
    >>> clicked = [1, 0] * 7 + [0, 1] * 2 + [0, 0] * 3
    >>> result = interleaving_test([0, 1] * 12, clicked, impression=impression)
    >>> row = result.row()
    >>> row.wins, row.ties, row.losses, round(row.preference, 3)
    (7, 3, 2, 0.208)
    """

    _heading = "Preferences between rankers"
    _row = PreferenceRow
    _names = ("ranker", "other")
    _numbers = (
        *("n_impressions", "n_users", "wins", "ties", "losses"),
        *("preference", "standard_error", "low", "high", "p_adjusted"),
    )

    def __repr__(self) -> str:
        """Return the number of pairs."""
        return f"InterleavingResult({len(self)} pairs)"

    def _sections(self) -> list[Section]:
        settings, rows = self.settings, self.rows()
        head = f"{rows[0].n_impressions:,} impressions of {rows[0].n_users:,} users"
        head += f"; {name_of_test(settings)}{sides_name(settings)}"
        head += correction_name(settings, len(rows), len(rows))
        spec = number_format(rows, ("preference", "low", "high"))
        interval = name_interval(settings["confidence_level"])
        lines = [["", "preference", interval, "p", "wins", "ties", "losses"]]
        for row in rows:
            cells = [f"{row.ranker} - {row.other}", *signed_cells(row, "preference", spec)]
            cells += [p_text(row.p_adjusted), *map(str, (row.wins, row.ties, row.losses))]
            lines.append(cells)
        notes = []
        if len(rows) > 1:
            notes.append("Intervals are not adjusted for multiple comparisons.")
        return [Section([head], lines, notes)]

    def row(self, ranker: str | None = None, other: str | None = None) -> PreferenceRow:
        """One row of the result.

        Parameters
        ----------
        ranker, other : str, default=None
            Names of the rankers, in the order of `names`. Needed if there are several
            pairs.

        Returns
        -------
        row : Bunch
            The columns by name, as attributes too.

        Raises
        ------
        ValueError
            If there is no such row, or more than one.
        """
        return self._row_of(ranker=ranker, other=other)

    def plot(self, *, ax: Axes | None = None, **plot_kw: Any) -> ModelComparisonDisplay:
        """Draw the preferences with their intervals.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`sklearn_rank.statistics.ModelComparisonDisplay.plot`.

        Returns
        -------
        display : ModelComparisonDisplay
            With the picture drawn: a row for two rankers, a matrix of all pairs for more.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        names = ("ranker", "other", "preference")
        display = ModelComparisonDisplay._from_rows(self, names=names, metric="preference")
        display.plot(ax, **plot_kw)
        if len(self) == 1:
            opponent, level = self.columns["other"][0], self.settings["confidence_level"]
            display.ax_.set_xlabel(f"preference to {opponent} ({name_interval(level)})")
        return display


# More rankers than this indicate a wrong column.
MOST_RANKERS = 100
METRIC_NAME = "preference"
# Differences to zeros are within a half.
METRIC_RANGES = {METRIC_NAME: Range(0.0, 0.5)}
# What a comparison of models calls the columns.
RENAMED_COLUMNS = {
    "n_impressions": "n_queries",
    "n_users": "n_clusters",
    "wins": "better",
    "ties": "equal",
    "losses": "worse",
    "preference": "difference",
}


@explained
@keep_warnings
def interleaving_test(
    team: Labels,
    clicked: ArrayLike,
    *,
    impression: Labels,
    user: Labels | None = None,
    names: Sequence[str] | None = None,
    test: Literal["t", "randomization"] = "t",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    correction: Correction = "holm",
    n_resamples: int = 9999,
    random_state: RandomState = None,
) -> InterleavingResult:
    r"""Test which ranker users prefer by their clicks on interleaved lists.

    The ranker whose team has more clicks wins an impression: :math:`o = 1` if the first of
    two wins, -1 if the other one does, 0 for equal numbers of clicks. The preference over N
    impressions is the share of wins, with ties as half wins, minus one half:

    .. math:: \Delta = \frac{wins + ties / 2}{N} - \frac{1}{2} = \frac{\bar o}{2}

    It is between -1/2 and 1/2. Its error is over users, since impressions of a user are
    similar: with the sum :math:`S_u` of o over the :math:`n_u` impressions of each of G
    users,

    .. math::

        SE^2 = \frac{1}{4} \sum_u \frac{(S_u - \bar o \, n_u)^2}{N^2 (1 - n_u / N)}

    with the degrees of freedom of :func:`~sklearn_rank.statistics.compare_models`, G - 1 if
    all users have equally many impressions.

    Parameters
    ----------
    team : array-like of shape (n_rows,)
        Index of the ranker that drafted each shown item, as :func:`team_draft_interleave`
        returns it; -1 means no item. Rows may be in any order.
    clicked : array-like of shape (n_rows,)
        Whether the item was clicked, 0 or 1: an item counts once per impression.
    impression : array-like of shape (n_rows,)
        Label of the list that showed the item. Include lists without clicks.
    user : array-like of shape (n_rows,), default=None
        Label of the user, the same within an impression. If None, each impression is of
        another user.
    names : sequence of str, default=None
        Names of the rankers, 100 at most. If None, the indices that occur in `team`.
    test : {"t", "randomization"}, default="t"
        Student's t over users; or sign flips of users, exact if at most `n_resamples` + 1
        flips exist. With one impression per user, exact flips are the sign test without
        ties. The interval is from the same test.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": the first ranker is preferred. The interval is then one-sided as well.
    confidence_level : float, default=0.95
        Probability that an interval covers the true preference, for each pair alone.
    correction : {"holm", "bonferroni", "fdr_bh", "max_t", None}, default="holm"
        Correction of p-values for the number of pairs, as in
        :func:`~sklearn_rank.statistics.compare_models`.
    n_resamples : int, default=9999
        Number of random flips; the smallest p-value is 1 / (n_resamples + 1).
    random_state : int, RandomState instance or None, default=None
        Seed of the flips.

    Returns
    -------
    result : InterleavingResult
        A row for each pair of rankers, as text, by ``row()`` or ``to_frame()``.

    Raises
    ------
    ValueError
        If an impression is of two users, or all have one row, or there are fewer than two
        users; if `clicked` is not 0 or 1; if a team is not the index of a ranker; if
        lengths differ, a label is missing, or a number is out of range.

    Warns
    -----
    UserWarning
        If there are fewer than ten users; if all have the same outcome; if there are too
        few flips for a significant p-value.

    See Also
    --------
    team_draft_interleave : Makes the lists.
    compare_variants : How much more users click or buy, which a preference does not show.

    Notes
    -----
    If both rankings begin with the same items, the team of these is a coin flip: this adds
    noise but no bias, so clicks on them count. Outcomes and their interpretation: [1]_.

    References
    ----------
    .. [1] O. Chapelle, T. Joachims, F. Radlinski and Y. Yue, "Large-scale validation and
           analysis of interleaved search evaluation", ACM TOIS 30(1), 2012.

    Examples
    --------
    Twelve users with a list of two items each:

    >>> import numpy as np
    >>> from sklearn_rank.online import interleaving_test
    >>> team = [0, 1] * 12
    >>> clicked = [1, 0] * 7 + [0, 1] * 2 + [0, 0] * 3
    >>> impression = np.repeat(np.arange(12), 2)
    >>> print(interleaving_test(team, clicked, impression=impression, names=["new", "old"]))
    12 impressions of 12 users; t test
               preference      95% interval       p  wins  ties  losses
    new - old      +0.208  [-0.044, +0.460]  0.0960     7     3       2
    """
    check_option("test", test, ("t", "randomization"))
    flips = {"n_resamples": n_resamples, "random_state": check_random_state(random_state)}
    options = Options(test, alternative, confidence_level, correction, **flips)
    of_rankers, outcomes, users = _read_impressions(team, clicked, impression, user, names)
    # Each pair is a column, compared with a column of zeros.
    halves = np.column_stack([outcomes / 2, np.zeros(len(outcomes))])
    models, values = [*of_rankers, None], {METRIC_NAME: halves}
    unweighted: dict[str, np.ndarray | None] = {METRIC_NAME: None}
    scores = Scores(models, values, unweighted, None, ranges=METRIC_RANGES)
    metric = MetricComparison(METRIC_NAME, scores, users.codes, options)
    pairs = [(column, len(of_rankers)) for column in range(len(of_rankers))]
    rows = metric.rows(pairs)
    metric.messages = _find_warnings(rows, users, options)
    EstimatedMetrics([metric], pairs, options, {}).correct([rows])
    warn_caller(*metric.messages)
    settings = options.settings() | {"interval": rows[0]["interval"]}
    return InterleavingResult(map(_preference_row, rows), settings=settings)


def _warn_of_numbers_anew(
    impression: np.ndarray, team: np.ndarray, n_impressions: int
) -> None:
    """Warn if labels come again in lists of their own, as numbers do that begin each day.

    Shuffled rows make lists of one row, and of rows that are sorted by team each list has
    one team.
    """
    starts = np.flatnonzero(np.diff(impression, prepend=-1))
    n_lists = len(starts)
    lowest, highest = np.minimum.reduceat(team, starts), np.maximum.reduceat(team, starts)
    has_both = lowest < highest
    if n_lists >= 1.5 * n_impressions and 2 * np.count_nonzero(has_both) > n_lists:
        warn_misleading(
            f"`impression` has {n_impressions:,} labels, whose rows are in {n_lists:,} "
            "separate lists, as if numbers began again, such as each day: lists with one "
            "label count as one. Give each list its own label, such as (day, number)."
        )


def _read_impressions(
    team: Any, clicked: Any, impression: Any, user: Any, names: Any
) -> tuple[list[tuple[Any, Any]], np.ndarray, Clusters]:
    """Return pairs of rankers, outcomes with a column per pair, and the users."""
    arguments = {"team": team, "clicked": clicked, "impression": impression, "user": user}
    check_same_labels(arguments)
    try:
        team = read_numbers("team", team)
    except ValueError as error:
        raise ValueError(
            f"{error} `team` has the index of a ranker; give names of rankers as `names`."
        ) from error
    n_rows = len(team)
    clicks = read_clicks("clicked", clicked, n_rows)
    _check_teams(team, clicks)
    rankers, of_rankers = _read_rankers(names, team)
    labels, codes = read_labels("impression", impression, n_rows)
    if len(labels) == n_rows:
        raise ValueError(
            f"`impression` has {n_rows} labels for {quantity(n_rows, 'row')}, so no list "
            "has items of two rankers; give the rows of a list one label."
        )
    _warn_of_numbers_anew(codes, team, len(labels))
    # Rows without an item have no click.
    ranker = np.searchsorted(of_rankers, team)
    counts = count_cells(codes, ranker, (len(labels), len(rankers)), clicks)
    first, second = np.transpose(list(combinations(range(len(rankers)), 2)))
    outcomes = np.sign(counts[:, first] - counts[:, second])
    users = read_clusters("user", user, "impression", labels, codes)
    return list(combinations(rankers, 2)), outcomes, users


def _read_rankers(names: Any, team: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """Return the names of rankers and their indices in `team`."""
    occur = np.unique(team[team != NO_TEAM]).astype(np.int64)
    if names is None:
        if len(occur) == 1 and occur[0] > 1:
            raise ValueError(
                f"All items are of ranker {occur[0]}, and a comparison needs two; pass "
                "`names` of all rankers if the others drafted nothing."
            )
        indices = occur if len(occur) > 1 else np.arange(2)
        rankers = indices.tolist()
    else:
        is_one = isinstance(names, str) or not is_iterable(names)
        rankers = [names] if is_one else list(names)
        indices = np.arange(len(rankers))
    if len(rankers) > MOST_RANKERS:
        raise ValueError(
            f"There are {len(rankers):,} rankers; interleaving_test compares each pair of "
            f"{MOST_RANKERS} at most. `team` is the index of the ranker, and not an id of "
            "an item or of a list."
        )
    if len(rankers) < 2 or any(count_named(name, rankers) != 1 for name in rankers):
        raise ValueError(
            f"`names` must be of two rankers or more, each once, got {shorten(names)}."
        )
    if len(occur) and occur[-1] > indices[-1]:
        raise ValueError(
            f"`team` must be the index of one of {len(rankers)} rankers, or -1 for no item"
            f", got {occur[-1]} in row {int(np.argmax(team == occur[-1]))}."
        )
    return rankers, indices


def _check_teams(team: np.ndarray, clicks: np.ndarray) -> None:
    is_wrong = (team < NO_TEAM) | (team != np.floor(team)) | (team > LARGEST_INTEGER)
    advice = "give the index of a ranker, or -1 for no item"
    check_values("team", team, is_wrong, "invalid", advice)
    is_nothing = (team == NO_TEAM) & (clicks == 1)
    if is_nothing.any():
        raise ValueError(
            f"`clicked` is 1 in row {int(np.argmax(is_nothing))}, where `team` has no item."
        )


def _preference_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a pair by the names of its columns here."""
    ranker, opponent = row["model"]
    columns = {"ranker": ranker, "other": opponent, **row}
    return {n: columns[RENAMED_COLUMNS.get(n, n)] for n in PreferenceRow.__annotations__}


def _find_warnings(
    rows: list[dict[str, Any]], users: Clusters, options: Options
) -> list[str]:
    """Return the warnings."""
    messages = few_clusters_warning(users.shares, "The log", "users", "log more")
    if options.test == "t":
        messages += [
            "All users agree on {} and {}, so the error is 0 and p is meaningless; use "
            'test="randomization".'.format(*row["model"])
            for row in rows
            if row["standard_error"] == 0 and row["difference"]
        ]
    return messages
