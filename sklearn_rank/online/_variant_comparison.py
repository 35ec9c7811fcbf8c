"""The outcomes of an A/B test, and VariantComparison, its result."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank._base._text import format_percent, name_interval
from sklearn_rank._base._validation import check_given, check_option, check_real, is_nested
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._clusters import is_constant
from sklearn_rank.online._log_columns import Units, read_column_names, take_named_column
from sklearn_rank.online._named_results import VariantRow
from sklearn_rank.statistics._comparison_display import ModelComparisonDisplay
from sklearn_rank.statistics._comparison_text import (
    correction_name,
    number_format,
    p_text,
    sides_name,
    signed_cells,
)
from sklearn_rank.statistics._result_rows import RowsOfResult, choose_one
from sklearn_rank.typing import Axes

# Primary outcomes of an experiment, and guardrails with their margins.

PRIMARY, GUARDRAIL = "primary", "guardrail"
# The name of an outcome without a name.
UNNAMED = "outcome"
OUTCOME_OPTIONS = {
    "outcome": ("denominator", "cap", "lower_is_better"),
    "guardrails": ("margin", "relative", "denominator", "cap", "lower_is_better"),
}


@dataclass(frozen=True, eq=False)
class Measure:
    """An outcome of the rows of a log, with its options."""

    name: str
    outcome: Any
    denominator: Any = None
    cap: Any = None
    lower_is_better: bool = False
    margin: float | None = None  # of a guardrail
    relative: bool = False

    @property
    def role(self) -> str:
        """Role of the outcome, primary or guardrail."""
        return PRIMARY if self.margin is None else GUARDRAIL

    @property
    def sign(self) -> int:
        """1 if higher is better, else -1."""
        return -1 if self.lower_is_better else 1

    def sum_units(self, units: Units) -> tuple[np.ndarray, np.ndarray | None, int]:
        """Return the outcome and denominator of units, and the number of capped units."""
        sums = units.outcome(self.name, self.outcome)
        below = None
        if self.denominator is not None:
            below = units.denominator("denominator", self.denominator)
        if self.cap is None:
            return sums, below, 0
        if below is not None:
            raise ValueError(
                f"`cap` is for means, and {self.name!r} has a denominator; leave out one."
            )
        limit = _cap_limit(self.cap, sums)
        capped = np.minimum(sums, limit)
        if is_constant(capped) and not is_constant(sums):
            raise ValueError(
                f"`cap={shorten(self.cap)}` makes all of {self.name!r} {limit:g}; give a "
                "higher one."
            )
        return capped, None, int(np.count_nonzero(sums > limit))


def _cap_limit(cap: Any, sums: np.ndarray) -> float:
    """Return the highest sum of a unit that counts in full."""
    if not isinstance(cap, Mapping):
        return check_real("cap", cap, 'a finite number, or {"quantile": 0.99}')
    if list(cap) != ["quantile"]:
        needed = 'a number or {"quantile": 0.99}'
        raise ValueError(f"`cap` must be {needed}, got {shorten(cap)}.")
    needed = "a number above 0, below 1"
    share = check_real("cap['quantile']", cap["quantile"], needed, above=0, below=1)
    return float(np.quantile(sums, share))


def read_measures(
    data: Any, outcome: Any, guardrails: Any, shared: dict[str, Any]
) -> list[Measure]:
    """Return the primary outcomes, with the shared options, then the guardrails."""
    if data is None:
        if isinstance(outcome, str | Mapping):
            raise ValueError(
                f"`outcome` is a name, {shorten(outcome)}; pass its log as `data` too."
            )
        if guardrails is not None:
            raise ValueError(
                "`guardrails` are names of columns; pass the log that has them as `data`."
            )
        return [_read_measure(None, UNNAMED, outcome, shared)]
    names = read_column_names("outcome", outcome)
    if not isinstance(outcome, Mapping):
        outcome = dict.fromkeys(names, MappingProxyType({}))
    guardrails = {} if guardrails is None else guardrails
    asked_of = [
        *(("outcome", n, shared | asked) for n, asked in _read_options("outcome", outcome)),
        *(("guardrails", n, asked) for n, asked in _read_options("guardrails", guardrails)),
    ]
    measures = [
        _read_measure(data, str(name), take_named_column(data, argument, name), asked)
        for argument, name, asked in asked_of
    ]
    names = [measure.name for measure in measures]
    if len(set(names)) < len(names):
        raise ValueError(f"Each outcome is primary or a guardrail, once; got {names}.")
    return measures


def _read_options(argument: str, outcomes: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the names and options of outcomes."""
    options = OUTCOME_OPTIONS[argument]
    needed = f'a dict such as {{"clicks": {{"{options[0]}": ...}}}}'
    check_given(argument, outcomes, is_nested(outcomes), needed)
    for name, asked in outcomes.items():
        for key in asked:
            check_option(f"{argument}[{name!r}]", key, options)
        if "margin" in options and "margin" not in asked:
            raise ValueError(
                f"`{argument}[{name!r}]` has no 'margin', the largest accepted loss."
            )
        yield name, dict(asked)


def _read_measure(data: Any, name: str, values: Any, asked: dict[str, Any]) -> Measure:
    below = take_named_column(data, "denominator", asked.get("denominator"))
    for key in ("relative", "lower_is_better"):
        check_option(key, asked.get(key, False), (True, False))
    if "margin" in asked:
        needed, most = "a finite number >= 0", np.inf
        if asked.get("relative"):
            needed, most = "a share >= 0, below 1, such as 0.02 for two percent", 1.0
        title = f"guardrails[{name!r}]['margin']"
        check_real(title, asked["margin"], needed, least=0, below=most)
    return Measure(name, values, **asked | {"denominator": below})


# The text of a comparison: its table and its decisions.

# Lifts up to this are shown in percent, larger ones as a factor.
LARGEST_PERCENT = 1e4
# The lines above a table, and its lines.
Table = tuple[list[str], list[list[str]]]
Settings = Mapping[str, Any]


def name_metric(settings: Settings) -> str:
    if settings["is_ratio"]:
        return "ratio of sums"
    unit = settings["summed_by"]
    return f"mean of sums per {unit}" if unit else "mean per unit"


def build_section(
    settings: Settings, rows: list[VariantRow], decisions: dict[Any, str]
) -> Section:
    """Return the table of one outcome, or of several with the decisions."""
    outcomes = list(dict.fromkeys(row.outcome for row in rows))
    notes = []
    if len(rows) > 1:
        notes.append("Intervals are not adjusted for multiple comparisons.")
    if settings["anytime_n"] is not None:
        notes.append("Intervals and p hold at every look, however many there are.")
    for row in rows:
        if row.n_capped:
            units = f"{quantity(row.n_capped, 'unit')} of {row.outcome}"
            notes.append(f"Capped: {units}.")
    if settings["of_sums"] and settings["is_ratio"]:
        notes.append("Units are taken to be alike: sums do not say how unequal they are.")
    if not settings["is_allocation_checked"]:
        notes.append("Allocation not checked; give allocation='equal'.")
    notes += [
        f"`{name}` repeats ({n:.3g} rows each); if it is the unit: unit={name!r}."
        for name, n in settings["likely_unit"].items()
    ]
    if len(outcomes) == 1 and rows[0].role == PRIMARY:
        return Section(*_table_of_one(settings, rows), list(dict.fromkeys(notes)))
    lower = {row.outcome for row in rows if row.lower_is_better}
    if lower:
        notes.append(f"Lower is better: {', '.join(sorted(lower))}.")
    if rows[-1].role == GUARDRAIL:
        notes.append("p of guardrails: not worse by the margin, one-sided, uncorrected.")
    notes += [f"{variant}: {decision}" for variant, decision in decisions.items()]
    return Section(*_table_of_all(settings, rows, outcomes), list(dict.fromkeys(notes)))


def _table_of_one(settings: Settings, rows: list[VariantRow]) -> Table:
    head = _table_heading(settings, rows, name_metric(settings), "")
    spec = number_format(rows, ("value", "value_control", "difference", "low", "high"))
    interval = name_interval(settings["confidence_level"])
    lines = [["", "units", "value", "difference", interval, "p", "lift"]]
    for row in sorted(rows, key=lambda row: -row.value):
        cells = [str(row.variant), f"{row.n_units:,}", format(row.value, spec)]
        cells += [*signed_cells(row, "difference", spec), p_text(row.p_adjusted)]
        lines.append([*cells, _percent_text(row.lift)])
    own = [f"{rows[0].n_units_control:,}", format(rows[0].value_control, spec)]
    lines.append([str(rows[0].control), *own, *[""] * 4])
    return [head], lines


def _table_heading(
    settings: Settings, rows: list[VariantRow], metric: str, sizes: str
) -> str:
    adjusted = ", adjusted by covariates" if settings["is_adjusted"] else ""
    head = f"{metric}{adjusted}{sizes}; difference to {rows[0].control}; "
    if settings["anytime_n"] is not None:
        head += f"any-time intervals, narrowest at {settings['anytime_n']:,} units"
    else:
        head += f"Welch's t test{sides_name(settings)}"
    n_primary = sum(row.role == PRIMARY for row in rows)
    family = correction_name(settings, n_primary, n_primary)
    family += " primary comparisons" if family and sizes else ""
    return head + family


def _table_of_all(settings: Settings, rows: list[VariantRow], outcomes: list[str]) -> Table:
    variants = list(dict.fromkeys(row.variant for row in rows))
    n_primary = sum(row.role == PRIMARY for row in rows) // len(variants)
    metric = quantity(n_primary, "primary outcome")
    if len(outcomes) > n_primary:
        metric += f", {quantity(len(outcomes) - n_primary, 'guardrail')}"
    sizes = {row.variant: row.n_units for row in rows}
    sizes[rows[0].control] = rows[0].n_units_control
    shares = ", ".join(f"{n:,} units of {name}" for name, n in sizes.items())
    head = _table_heading(settings, rows, metric, f"; {shares}")
    interval = name_interval(settings["confidence_level"])
    margin = [] if len(outcomes) == n_primary else ["margin"]
    lines = [["", "role", "difference", interval, *margin, "p", "verdict"]]
    for outcome in outcomes:
        of_outcome = [row for row in rows if row.outcome == outcome]
        spec = number_format(of_outcome, ("difference", "low", "high"))
        for row in of_outcome:
            name = outcome if len(variants) == 1 else f"{outcome}, {row.variant}"
            cells = [name, row.role, *signed_cells(row, "difference", spec)]
            cells += [_margin_text(row) for _ in margin]
            lines.append([*cells, p_text(row.p_adjusted), row.verdict])
    return [head], lines


def _margin_text(row: VariantRow) -> str:
    """Return the margin of a guardrail, with the sign of a loss."""
    if row.role != GUARDRAIL:
        return ""
    sign = "+" if row.lower_is_better else "-"
    return sign + (format_percent(row.margin) if row.relative else f"{row.margin:g}")


def _percent_text(lift: float) -> str:
    if abs(lift) < LARGEST_PERCENT:
        return f"{100 * lift:+.1f}%"
    return "" if lift != lift else f"× {lift + 1:.2e}"


@explained
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
        The names: `outcome`, `role` ("primary" or "guardrail"), `variant` and `control`;
        and their options `margin`, `relative` and `lower_is_better`.

        The values: `n_units` and `n_units_control`, `value` and `value_control` (the
        metric, adjusted if there is a covariate), `difference`, `lift`, `lift_low` and
        `lift_high` (as shares: 0.1 is ten percent), `largest_share` (share of the largest
        unit of either arm in the sum of absolute outcomes) and `n_capped` (units of all
        arms).

        The test: `standard_error` (of the difference), `df` and `statistic` (of Welch's
        test), `low` and `high` (the interval of the difference), `p_value`, `p_adjusted`
        (corrected; that of a guardrail is not) and `verdict` ("better", "worse" or
        "undecided"; of a guardrail "pass", "fail" or "undecided"). For a guardrail `df`,
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
    _default_settings: ClassVar = {
        **RowsOfResult._default_settings,
        "anytime_n": None,
        "is_ratio": False,
        "is_adjusted": False,
        "of_sums": False,
        "is_allocation_checked": True,
        "is_void": False,
        "likely_unit": {},
        "summed_by": "",
    }

    def __repr__(self) -> str:
        """Return the number of comparisons."""
        control = shorten(self.columns["control"].tolist()[0])
        return f"VariantComparison({len(self)} comparisons, control={control})"

    def _sections(self) -> list[Section]:
        return [build_section(self.settings, self.rows(), self.decisions)]

    @property
    def decisions(self) -> dict[Any, str]:
        """The decision for each variant by its verdicts.

        "ship": a primary outcome is better, no other one worse, and all guardrails pass.
        "stop": a primary outcome is worse, or a guardrail fails. Else "undecided".
        """
        by_variant: dict[Any, list[Any]] = {}
        for row in self.rows():
            by_variant.setdefault(row.variant, []).append(row)
        return {variant: _decision(rows) for variant, rows in by_variant.items()}

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
            variant=choose_one("variant", variant, self.columns["variant"]),
            outcome=choose_one("outcome", outcome, self.columns["outcome"]),
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
        name = choose_one("outcome", outcome, self.columns["outcome"])
        is_here = self.columns["outcome"] == name
        is_only = is_here.all() and name == UNNAMED
        display = ModelComparisonDisplay._from_rows(
            self,
            is_here,
            ("variant", "control", "difference"),
            metric=name_metric(self.settings) if is_only else name,
            lower_is_better=bool(self.columns["lower_is_better"][is_here][0]),
        )
        return display.plot(ax, **plot_kw)


def _decision(rows: list[Any]) -> str:
    verdicts = {row.verdict for row in rows}
    if "void" in verdicts:
        return "void"
    if verdicts & {"worse", "fail"}:
        return "stop"
    passes = all(row.verdict == "pass" for row in rows if row.role == GUARDRAIL)
    return "ship" if "better" in verdicts and passes else "undecided"
