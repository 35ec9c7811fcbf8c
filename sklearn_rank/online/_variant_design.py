"""Compare variants: a row per outcome and variant, and warnings."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._messages import shorten, warn_caller
from sklearn_rank._base._validation import (
    check_integer,
    check_level,
    check_option,
    count_named,
)
from sklearn_rank.metrics._core._clusters import differences
from sklearn_rank.online._arms import Arm, Population, contrast_error
from sklearn_rank.online._variant_comparison import PRIMARY, Measure, VariantComparison
from sklearn_rank.statistics._intervals_of_means import (
    ALTERNATIVES,
    FEW_DF,
    LEAST_PLANNED,
    AnyTime,
    FixedHorizon,
    t_statistic,
)
from sklearn_rank.statistics._options import CORRECTIONS, set_corrected

# With fewer units in an arm any-time intervals are too narrow.
LEAST_PER_ARM = 100
# "max_t" needs sign flips, which arms do not have.
P_VALUE_CORRECTIONS = [name for name in CORRECTIONS if name != "max_t"]


@dataclass(frozen=True)
class VariantDesign:
    """The options of a comparison of variants."""

    level: float
    alternative: str
    correction: str | None
    planned: int | None

    def __post_init__(self) -> None:
        """Raise for an unknown option."""
        check_level(self.level)
        check_option("alternative", self.alternative, ALTERNATIVES)
        check_option("correction", self.correction, P_VALUE_CORRECTIONS)
        check_integer("anytime_n", self.planned, none="one look")
        if self.planned is None:
            return
        if self.planned < LEAST_PLANNED:
            raise ValueError(
                f"`anytime_n` must be {LEAST_PLANNED} or more, got {self.planned}; the "
                "error of fewer units is not known well enough for intervals that hold at "
                "any time."
            )
        if self.alternative != "two-sided":
            raise ValueError(
                f"`alternative` got {self.alternative!r}, but intervals that hold at any "
                "time are two-sided; leave it, or `anytime_n`, out."
            )

    def rows(
        self,
        measure: Measure,
        arms: dict[Any, Arm],
        control: Any,
        population: Population | None = None,
        n_capped: int = 0,
    ) -> list[dict[str, Any]]:
        """Return the comparison of each arm with that of the control."""
        alternative = self.alternative if measure.role == PRIMARY else "two-sided"
        own, rows = arms[control], []
        for name, arm in arms.items():
            if not count_named(control, [name]):
                n_units = arm.n_units + own.n_units
                intervals: FixedHorizon | AnyTime = FixedHorizon(self.level, alternative)
                if self.planned is not None:
                    intervals = AnyTime.build(n_units, self.planned, self.level)
                row = _Contrast(arm, own, population, intervals).row(measure)
                columns = {"variant": name, "control": control, "n_capped": n_capped}
                rows.append(columns | row)
        return rows

    def result(self, rows: list[dict[str, Any]], **settings: Any) -> VariantComparison:
        """Return the rows with verdicts; show all warnings."""
        self._judge(rows)
        if settings["is_void"]:
            for row in rows:
                row["verdict"] = "void"
        warn_caller(*self._find_warnings(rows))
        chosen = {
            "alternative": self.alternative,
            "confidence_level": self.level,
            "correction": self.correction,
            "anytime_n": self.planned,
        }
        return VariantComparison(rows, settings=chosen | settings)

    def _judge(self, rows: list[dict[str, Any]]) -> None:
        """Set the corrected p-values, and the verdicts of primary outcomes."""
        for row in rows:
            row["p_adjusted"] = row["p_value"]
        primary = [row for row in rows if row["role"] == PRIMARY]
        set_corrected(primary, self.correction)
        for row in primary:
            if row["p_adjusted"] <= 1 - self.level and row["standard_error"] > 0:
                is_better = (row["difference"] > 0) != row["lower_is_better"]
                row["verdict"] = "better" if is_better else "worse"

    def _find_warnings(self, rows: list[dict[str, Any]]) -> list[str]:
        """Return the warnings about rows."""
        messages = [
            f"All values of {row['outcome']!r} of {shorten(row['variant'])} and "
            f"{shorten(row['control'])} are equal within their arms, so the error is 0 and "
            "shows nothing about other units."
            for row in rows
            if row["standard_error"] == 0
        ]
        messages += [
            f"{shorten(row['variant'])} and {shorten(row['control'])} are compared by "
            f"{row['outcome']!r} with {row['df']:.3g} degrees of freedom, as "
            f"{_why_few(row)}; intervals are rough below {FEW_DF}: take more units."
            for row in rows
            if row["df"] < FEW_DF and row["standard_error"] > 0
        ]
        fewest = min(min(_units_of(row)) for row in rows)
        if self.planned is not None and fewest < LEAST_PER_ARM:
            messages.append(
                f"An arm has {fewest} units; intervals that hold at any time are too "
                f"narrow below some {LEAST_PER_ARM}."
            )
        return messages


def _units_of(row: dict[str, Any]) -> tuple[int, int]:
    return row["n_units"], row["n_units_control"]


def _why_few(row: dict[str, Any]) -> str:
    """Return why an arm has few degrees of freedom."""
    fewest = min(_units_of(row))
    if row["df"] < (fewest - 1) / 2:
        return "few units have most of `denominator`"
    return f"an arm has {fewest} units"


def check_control(control: Any, sizes: dict[Any, int]) -> None:
    """Raise unless the control is a variant and all have at least two units."""
    check_option("control", control, sizes)
    if len(sizes) < 2:
        raise ValueError(f"All units are in {shorten(control)}; a comparison needs two.")
    name = min(sizes, key=sizes.__getitem__)
    if sizes[name] < 2:
        raise ValueError(
            f"The variant {shorten(name)} has {sizes[name]} unit; each needs two."
        )


def _subtract(left: float, right: float) -> float:
    return float(differences(np.array([left]), np.array([right]))[0])


@dataclass(frozen=True, eq=False)
class _Contrast:
    """An arm and the control, and the kind of their intervals."""

    arm: Arm
    control: Arm
    population: Population | None
    intervals: FixedHorizon | AnyTime

    def row(self, measure: Measure) -> dict[str, Any]:
        """Return the row of the arm; primary outcomes get their verdict in `_judge`."""
        arm, control = self.arm, self.control
        error, df = self._error()
        difference = _subtract(arm.value, control.value)
        low, high = self.intervals.interval(difference, error, df)
        row = {
            "outcome": measure.name,
            "role": measure.role,
            "n_units": arm.n_units,
            "n_units_control": control.n_units,
            "value": arm.value,
            "value_control": control.value,
            "difference": difference,
            **self._lift_columns(df),
            "standard_error": error,
            "df": df,
            "statistic": t_statistic(difference, error),
            "low": low,
            "high": high,
            "p_value": self.intervals.p_value(difference, error, df),
            "p_adjusted": math.nan,
            "margin": measure.margin or 0.0,
            "relative": measure.relative,
            "lower_is_better": measure.lower_is_better,
            "largest_share": max(arm.largest_share, control.largest_share),
            "verdict": "undecided",
        }
        return row if measure.role == PRIMARY else row | self._compare_with_margin(measure)

    def _compare_with_margin(self, measure: Measure) -> dict[str, Any]:
        """Test that a guardrail is not worse by its margin.

        The tested quantity is above 0 if the variant is not worse by the margin.
        """
        control, margin = self.control.value, measure.margin or 0.0
        share, allowed = 1.0, margin
        if measure.relative:
            if control <= 0:
                raise ValueError(
                    f"The margin of {measure.name!r} is relative, and its value is "
                    f"{control:g} in the control; give a margin with 'relative': False."
                )
            share, allowed = 1 - measure.sign * margin, 0.0
        error, df = self._error(1, share)
        value = measure.sign * _subtract(self.arm.value, share * control) + allowed
        low, high = self.intervals.interval(value, error, df)
        verdict = "undecided"
        if error > 0 and (low > 0 or high < 0):
            verdict = "pass" if low > 0 else "fail"
        p_value = self.intervals.p_above(value, error, df)
        columns = {"df": df, "statistic": t_statistic(value, error), "p_value": p_value}
        return columns | {"verdict": verdict}

    def _lift_columns(self, df: float) -> dict[str, float]:
        """Return the ratio to the control minus 1, with the interval of its logarithm."""
        value, control = self.arm.value, self.control.value
        lift, ends = math.nan, (math.nan, math.nan)
        if control > 0:
            lift = value / control - 1
            if value > 0:
                error, _ = self._error(1 / value, 1 / control)
                ends = self.intervals.interval(math.log(value / control), error, df)
        with np.errstate(over="ignore"):  # overflow is infinite
            low, high = map(float, np.expm1(ends))
        return {"lift": lift, "lift_low": low, "lift_high": high}

    def _error(self, *weights: float) -> tuple[float, float]:
        """Return the error of the difference of weighted arms, and degrees of freedom."""
        return contrast_error(self.arm, self.control, self.population, weights or (1, 1))
