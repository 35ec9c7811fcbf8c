"""InterleavingResult: preferences between rankers, as text, rows and a frame."""

from __future__ import annotations

from typing import Any

from sklearn_rank._presentation._section import Section
from sklearn_rank.online._named_results import PreferenceRow
from sklearn_rank.statistics._comparison_display import ModelComparisonDisplay
from sklearn_rank.statistics._comparison_text import (
    correction_name,
    number_format,
    p_text,
    sides_name,
    signed,
    test_name,
)
from sklearn_rank.statistics._result_rows import RowsOfResult
from sklearn_rank.typing import Axes


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
        return [_section_of(self)]

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
        display = ModelComparisonDisplay._of_rows(self, names=names, metric="preference")
        display.plot(ax, **plot_kw)
        if len(self) == 1:
            other, level = self.columns["other"][0], self.settings["confidence_level"]
            display.ax_.set_xlabel(f"preference to {other} ({100 * level:g}% interval)")
        return display


def _section_of(result: InterleavingResult) -> Section:
    settings, rows = result.settings, result.rows()
    head = f"{rows[0].n_impressions:,} impressions of {rows[0].n_users:,} users"
    head += f"; {test_name(settings)}{sides_name(settings)}"
    head += correction_name(settings, len(rows), len(rows))
    shown = number_format(rows, ("preference", "low", "high"))
    percent = f"{100 * settings['confidence_level']:g} % interval"
    lines = [["", "preference", percent, "p", "wins", "ties", "losses"]]
    for row in rows:
        cells = [f"{row.ranker} - {row.other}", *signed(row, "preference", shown)]
        cells += [p_text(row.p_adjusted), *map(str, (row.wins, row.ties, row.losses))]
        lines.append(cells)
    notes = []
    if len(rows) > 1:
        notes.append("Each interval holds for its pair alone.")
    return Section([head], lines, notes)
