"""The text of an A/B test: its table and decisions."""

from typing import Any

from sklearn_rank._presentation._section import Section
from sklearn_rank._text._wording import counted
from sklearn_rank.online._named_results import VariantRow
from sklearn_rank.online._outcomes import GUARDRAIL, PRIMARY
from sklearn_rank.statistics._comparison_text import (
    correction_name,
    number_format,
    p_text,
    sides_name,
    signed,
)

# Lifts up to this are shown in percent, larger ones as a factor.
LARGEST_PERCENT = 1e4
# The lines above a table, and its lines.
Table = tuple[list[str], list[list[str]]]


def metric_of(settings: dict[str, Any]) -> str:
    return "ratio of sums" if settings["is_ratio"] else "mean per unit"


def section_of(
    settings: dict[str, Any], rows: list[VariantRow], decisions: dict[Any, str]
) -> Section:
    """Return the table of one outcome, or of several with the decisions."""
    outcomes = list(dict.fromkeys(row.outcome for row in rows))
    notes = []
    if len(rows) > 1:
        notes.append("Each interval holds for its comparison alone.")
    if settings["anytime_n"] is not None:
        notes.append("Intervals and p hold at every look, however many there are.")
    for row in rows:
        if row.n_capped:
            units = f"{counted(row.n_capped, 'unit')} of {row.outcome}"
            notes.append(f"Capped: {units}.")
    if settings["of_sums"] and settings["is_ratio"]:
        notes.append("Units are taken to be alike: sums do not say how unequal they are.")
    if len(outcomes) == 1 and rows[0].role == PRIMARY:
        return Section(*_table_of_one(settings, rows), list(dict.fromkeys(notes)))
    lower = {row.outcome for row in rows if row.lower_is_better}
    if lower:
        notes.append(f"Lower is better: {', '.join(sorted(lower))}.")
    if rows[-1].role == GUARDRAIL:
        notes.append("p of guardrails: not worse by the margin, one-sided, uncorrected.")
    notes += [f"{variant}: {decision}" for variant, decision in decisions.items()]
    return Section(*_table_of_all(settings, rows, outcomes), list(dict.fromkeys(notes)))


def _table_of_one(settings: dict[str, Any], rows: list[VariantRow]) -> Table:
    head = _head(settings, rows, metric_of(settings), "")
    shown = number_format(rows, ("value", "value_control", "difference", "low", "high"))
    percent = f"{100 * settings['confidence_level']:g} % interval"
    lines = [["", "units", "value", "difference", percent, "p", "lift"]]
    for row in sorted(rows, key=lambda row: -row.value):
        cells = [str(row.variant), f"{row.n_units:,}", format(row.value, shown)]
        cells += [*signed(row, "difference", shown), p_text(row.p_adjusted)]
        lines.append([*cells, _percent(row.lift)])
    own = [f"{rows[0].n_units_control:,}", format(rows[0].value_control, shown)]
    lines.append([str(rows[0].control), *own, *[""] * 4])
    return [head], lines


def _head(settings: dict[str, Any], rows: list[VariantRow], metric: str, sizes: str) -> str:
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


def _table_of_all(
    settings: dict[str, Any], rows: list[VariantRow], outcomes: list[str]
) -> Table:
    variants = list(dict.fromkeys(row.variant for row in rows))
    n_primary = sum(row.role == PRIMARY for row in rows) // len(variants)
    metric = counted(n_primary, "primary outcome")
    if len(outcomes) > n_primary:
        metric += f", {counted(len(outcomes) - n_primary, 'guardrail')}"
    sizes = {row.variant: row.n_units for row in rows}
    sizes[rows[0].control] = rows[0].n_units_control
    shares = ", ".join(f"{n:,} units of {name}" for name, n in sizes.items())
    head = _head(settings, rows, metric, f"; {shares}")
    percent = f"{100 * settings['confidence_level']:g} % interval"
    margin = [] if len(outcomes) == n_primary else ["margin"]
    lines = [["", "role", "difference", percent, *margin, "p", "verdict"]]
    for outcome in outcomes:
        of_outcome = [row for row in rows if row.outcome == outcome]
        shown = number_format(of_outcome, ("difference", "low", "high"))
        for row in of_outcome:
            name = outcome if len(variants) == 1 else f"{outcome}, {row.variant}"
            cells = [name, row.role, *signed(row, "difference", shown)]
            cells += [_margin(row) for _ in margin]
            lines.append([*cells, p_text(row.p_adjusted), row.verdict])
    return [head], lines


def _margin(row: VariantRow) -> str:
    """Return the margin of a guardrail, with the sign of a loss."""
    if row.role != GUARDRAIL:
        return ""
    sign = "+" if row.lower_is_better else "-"
    return f"{sign}{100 * row.margin:g} %" if row.relative else f"{sign}{row.margin:g}"


def _percent(lift: float) -> str:
    if abs(lift) < LARGEST_PERCENT:
        return f"{100 * lift:+.1f} %"
    return "" if lift != lift else f"× {lift + 1:.2e}"
