"""VariantComparison: the result of an A/B test, as text, rows and a frame."""

from typing import Any, ClassVar

from sklearn_rank._text._table import aligned, wrapped_lines
from sklearn_rank._validation import shorten, suggest, times_named
from sklearn_rank.statistics._comparison_display import ModelComparisonDisplay
from sklearn_rank.statistics._comparison_text import correction_name, number_format, p_text
from sklearn_rank.statistics._result_rows import RowsOfResult

# A lift is shown in percent up to here, an infinite or a huge one as a factor.
LARGEST_PERCENT = 1e4


class VariantComparison(RowsOfResult):
    """Differences of variants to the control, one row a variant.

    :func:`compare_variants` returns it. ``print`` shows it as a table.

    Parameters
    ----------
    rows : sequence of dict
        The columns of each row by name.
    settings : dict, default=None
        How variants were compared.

    Attributes
    ----------
    columns : dict of str to ndarray of shape (n_rows,)
        `variant`, `control`, `n_units` and `n_units_control`, `value` and `value_control`
        (the metric, adjusted where there is a covariate), `difference`, `lift`, `lift_low`
        and `lift_high` (as shares: 0.1 is ten percent), `standard_error` (of the
        difference), `df` and `statistic` (of Welch's test), `low` and `high` (the interval
        of the difference), `p_value`, `p_adjusted` (corrected) and `largest_share` (what
        the largest unit of either arm has of the sum of its outcomes, by size).
    settings : dict
        How variants were compared: `confidence_level`, `anytime_n` and so on.

    Examples
    --------
    >>> from sklearn_rank.online import compare_variants
    >>> outcome = [3, 5, 2, 8, 4, 6, 5, 7, 4, 9, 6, 9]
    >>> comparison = compare_variants(outcome, ["a"] * 6 + ["b"] * 6, control="a")
    >>> row = comparison.row("b")
    >>> row.difference, round(row.low, 3), round(row.high, 3)
    (2.0, -0.72, 4.72)
    """

    _names = ("variant", "control")
    _numbers = (
        *("n_units", "n_units_control", "value", "value_control", "difference", "lift"),
        *("standard_error", "low", "high", "p_adjusted"),
    )
    _usual: ClassVar = {
        **RowsOfResult._usual,
        "anytime_n": None,
        "is_ratio": False,
        "is_adjusted": False,
    }

    def __repr__(self):
        """Return the number of comparisons."""
        control = shorten(self.columns["control"].tolist()[0])
        return f"VariantComparison({len(self)} comparisons, control={control})"

    def __str__(self):
        """Return the comparison as a table of at most 80 columns."""
        return _text_of(self)

    def row(self, variant):
        """One row of the comparison.

        Parameters
        ----------
        variant : label
            The variant that is compared with the control.

        Returns
        -------
        row : Bunch
            The columns by name, as attributes too.

        Raises
        ------
        ValueError
            If there is no such variant.
        """
        found = self.columns["variant"].tolist()
        if not times_named(variant, found):
            raise ValueError(f"`variant` got {shorten(variant)}. {suggest(variant, found)}")
        return self.rows()[found.index(variant)]

    def plot(self, *, ax=None, **plot_kw):
        """Draw the differences with their intervals.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`sklearn_rank.statistics.ModelComparisonDisplay.plot`.

        Returns
        -------
        display : ModelComparisonDisplay
            With the picture drawn, a row a variant.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        columns = self.columns
        names = ("difference", "low", "high", "p_adjusted")
        display = ModelComparisonDisplay(
            model=columns["variant"],
            baseline=columns["control"],
            metric=_metric(self.settings),
            confidence_level=self.settings["confidence_level"],
            **{name: columns[name] for name in names},
        )
        return display.plot(ax, **plot_kw)


def _metric(settings: dict[str, Any]) -> str:
    return "ratio of sums" if settings["is_ratio"] else "mean per unit"


def _text_of(comparison: VariantComparison) -> str:
    settings, rows = comparison.settings, comparison.rows()
    head = _metric(settings)
    head += ", adjusted by covariates" if settings["is_adjusted"] else ""
    head += f"; difference to {rows[0].control}; {_test(settings)}"
    head += correction_name(settings, len(rows), len(rows))
    shown = number_format(rows, ("value", "value_control", "difference", "low", "high"))
    percent = f"{100 * settings['confidence_level']:g} % interval"
    lines = [["", "units", "value", "difference", percent, "p", "lift"]]
    for row in sorted(rows, key=lambda row: -row.value):
        low, high = format(row.low, f"+{shown}"), format(row.high, f"+{shown}")
        cells = [str(row.variant), f"{row.n_units:,}", format(row.value, shown)]
        cells += [format(row.difference, f"+{shown}"), f"{low}, {high}"]
        lines.append([*cells, p_text(row.p_adjusted), _percent(row.lift)])
    own = [f"{rows[0].n_units_control:,}", format(rows[0].value_control, shown)]
    lines.append([str(rows[0].control), *own, *[""] * 4])
    notes = []
    if len(rows) > 1:
        notes.append("Each interval holds for its comparison alone.")
    if settings["anytime_n"] is not None:
        notes.append("Intervals and p hold at every look, however many there are.")
    return "\n".join([*wrapped_lines(head), *aligned(lines), *notes])


def _test(settings: dict[str, Any]) -> str:
    if settings["anytime_n"] is not None:
        return f"any-time intervals, narrowest at {settings['anytime_n']:,} units"
    sides = settings["alternative"]
    return "Welch's t test" + ("" if sides == "two-sided" else f", {sides}")


def _percent(lift: float) -> str:
    if abs(lift) < LARGEST_PERCENT:
        return f"{100 * lift:+.1f} %"
    return "" if lift != lift else f"× {lift + 1:.2e}"
