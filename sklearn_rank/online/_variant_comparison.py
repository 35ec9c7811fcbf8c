"""VariantComparison: the result of an A/B test, as text, rows and a frame."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar

from sklearn_rank._presentation._section import Section
from sklearn_rank._validation import shorten
from sklearn_rank.online._named_results import VariantRow
from sklearn_rank.online._outcomes import GUARDRAIL, UNNAMED
from sklearn_rank.online._variant_text import metric_of, section_of
from sklearn_rank.statistics._comparison_display import ModelComparisonDisplay
from sklearn_rank.statistics._result_rows import RowsOfResult, only_one
from sklearn_rank.typing import Axes


class VariantComparison(RowsOfResult[VariantRow]):
    """Differences of variants to the control, one row per outcome and variant.

    :func:`compare_variants` and :func:`compare_variant_sums` return it. ``print`` shows it
    as a table.

    Parameters
    ----------
    rows : sequence of dict
        The columns of each row by name.
    settings : dict, default=None
        Options of the comparison.

    Attributes
    ----------
    columns : dict of str to ndarray of shape (n_rows,)
        `outcome`, `role` ("primary" or "guardrail"), `variant`, `control`, `n_units` and
        `n_units_control`, `value` and `value_control` (the metric, adjusted if there is a
        covariate), `difference`, `lift`, `lift_low` and `lift_high` (as shares: 0.1 is ten
        percent), `standard_error` (of the difference), `df` and `statistic` (of Welch's
        test), `low` and `high` (the interval of the difference), `p_value`, `p_adjusted`
        (corrected; that of a guardrail is not), `margin`, `relative` and `lower_is_better`,
        `verdict` ("better", "worse" or "undecided"; of a guardrail "pass", "fail" or
        "undecided"), `largest_share` (share of the largest unit of either arm in the sum of
        absolute outcomes) and `n_capped` (units of all arms). For a guardrail `df`,
        `statistic` and `p_value` are from the test that it is not worse by the margin.
    settings : dict
        Options of the comparison: `confidence_level`, `anytime_n` and so on.

    Examples
    --------
    >>> from sklearn_rank.online import compare_variants
    >>> outcome = [3, 5, 2, 8, 4, 6, 5, 7, 4, 9, 6, 9]
    >>> comparison = compare_variants(outcome, ["a"] * 6 + ["b"] * 6, control="a")
    >>> row = comparison.row("b")
    >>> row.difference, round(row.low, 3), round(row.high, 3)
    (2.0, -0.72, 4.72)
    >>> row.verdict, comparison.decisions
    ('undecided', {'b': 'undecided'})
    """

    _heading, _part = "Comparison of variants", "outcome"
    _row = VariantRow
    _names = (
        *("outcome", "role", "variant", "control", "verdict", "relative"),
        "lower_is_better",
    )
    _numbers = (
        *("n_units", "n_units_control", "value", "value_control", "difference", "lift"),
        *("standard_error", "low", "high", "p_adjusted", "margin", "n_capped"),
    )
    _usual: ClassVar = {
        **RowsOfResult._usual,
        "anytime_n": None,
        "is_ratio": False,
        "is_adjusted": False,
        "of_sums": False,
    }

    def __repr__(self) -> str:
        """Return the number of comparisons."""
        control = shorten(self.columns["control"].tolist()[0])
        return f"VariantComparison({len(self)} comparisons, control={control})"

    def _sections(self) -> list[Section]:
        return [section_of(self.settings, self.rows(), self.decisions)]

    @property
    def decisions(self) -> dict[Any, str]:
        """The decision for each variant by its verdicts.

        "ship": a primary outcome is better, no other one worse, and all guardrails pass.
        "stop": a primary outcome is worse, or a guardrail fails. Else "undecided".
        """
        found: dict[Any, list[Any]] = {}
        for row in self.rows():
            found.setdefault(row.variant, []).append(row)
        return {variant: _decision(rows) for variant, rows in found.items()}

    def _facts(self) -> dict[str, Any]:
        return {**super()._facts(), "decisions": self.decisions}

    def row(self, variant: Hashable, outcome: str | None = None) -> VariantRow:
        """One row of the comparison.

        Parameters
        ----------
        variant : label
            The variant that is compared with the control.
        outcome : str, default=None
            Name of the outcome. Needed if there are several.

        Returns
        -------
        row : Bunch
            The columns by name, as attributes too.

        Raises
        ------
        ValueError
            If there is no such variant or outcome, or several outcomes and none is named.
        """
        return self._row_of(
            variant=only_one("variant", variant, self.columns["variant"]),
            outcome=only_one("outcome", outcome, self.columns["outcome"]),
        )

    def plot(
        self, *, outcome: str | None = None, ax: Axes | None = None, **plot_kw: Any
    ) -> ModelComparisonDisplay:
        """Draw the differences with their intervals.

        Parameters
        ----------
        outcome : str, default=None
            Name of the outcome. Needed if there are several.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`sklearn_rank.statistics.ModelComparisonDisplay.plot`.

        Returns
        -------
        display : ModelComparisonDisplay
            With the picture drawn, a row per variant.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is no such outcome, or several and none is named.
        """
        name = only_one("outcome", outcome, self.columns["outcome"])
        is_here = self.columns["outcome"] == name
        is_only = is_here.all() and name == UNNAMED
        display = ModelComparisonDisplay._of_rows(
            self,
            is_here,
            ("variant", "control", "difference"),
            metric=metric_of(self.settings) if is_only else name,
            lower_is_better=bool(self.columns["lower_is_better"][is_here][0]),
        )
        return display.plot(ax, **plot_kw)


def _decision(rows: list[Any]) -> str:
    verdicts = {row.verdict for row in rows}
    if verdicts & {"worse", "fail"}:
        return "stop"
    passes = all(row.verdict == "pass" for row in rows if row.role == GUARDRAIL)
    return "ship" if "better" in verdicts and passes else "undecided"
