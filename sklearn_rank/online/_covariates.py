"""Covariates from before an experiment, as columns of numbers."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sklearn_rank._validation import as_numbers, shorten
from sklearn_rank._warn import warn_caller
from sklearn_rank.metrics._core._clusters import Clusters
from sklearn_rank.online._checked_columns import read_labels, read_numbers
from sklearn_rank.online._units import Units

# With fewer missing units in an arm, the indicator of missing has no slope there.
LEAST_MISSING = 10
LEAST_IN_A_STRATUM = 2
# With fewer units per column, slopes are rough and intervals too narrow.
UNITS_A_COLUMN = 20


@dataclass(eq=False)
class Covariates:
    """The columns of numbers of units."""

    columns: list[np.ndarray] = field(default_factory=list)

    def table(self) -> np.ndarray | None:
        """Return a row per unit, None without covariates."""
        return np.column_stack(self.columns) if self.columns else None

    def add_numbers(self, name: str, values: Any, units: Units) -> None:
        """Add a number per unit; replace missing ones by the mean, with an indicator."""
        found = units.before(name, read_numbers(name, values, units.n_rows, may_miss=True))
        is_missing = np.isnan(found)
        if is_missing.all():
            raise ValueError(f"`{name}` is missing for all units; leave it out.")
        known = found[~is_missing]
        mean = Clusters(len(known)).mean(known)
        self.columns.append(np.where(is_missing, mean, found))
        if not is_missing.any():
            return
        in_arms = np.bincount(units.arm[is_missing], minlength=len(units.variants))
        if in_arms.min() >= LEAST_MISSING:
            self.columns.append(is_missing.astype(float))
        else:
            warn_caller(
                f"`{name}` is missing for {int(is_missing.sum())} unit(s), which have the "
                "mean of the others."
            )

    def add_strata(self, name: str, values: Any, units: Units) -> None:
        """Add an indicator of each stratum but one."""
        strata, of_rows = read_labels(name, values, units.n_rows)
        codes = units.before(name, of_rows)
        shape = len(strata), len(units.variants)
        counts = np.zeros(shape, dtype=int)
        np.add.at(counts, (codes, units.arm), 1)
        if counts.min() < LEAST_IN_A_STRATUM:
            stratum, arm = np.unravel_index(np.argmin(counts), shape)
            raise ValueError(
                f"`{name}` {shorten(strata[stratum])} has {counts[stratum, arm]} unit(s) "
                f"in {shorten(units.variants[arm])}; each stratum needs "
                f"{LEAST_IN_A_STRATUM} in each variant. Merge small ones into one."
            )
        self.columns += [(codes == code).astype(float) for code in range(1, len(strata))]


def read_covariates(covariates: dict[str, Any], strata: Any, units: Units) -> Covariates:
    """Return covariates (by their names in errors) and strata as columns."""
    found = Covariates()
    for name, values in covariates.items():
        found.add_numbers(name, values, units)
    if strata is not None:
        found.add_strata("strata", strata, units)
    fewest = int(np.bincount(units.arm).min())
    if fewest < UNITS_A_COLUMN * len(found.columns):
        warn_caller(
            f"An arm has {fewest} units for {len(found.columns)} column(s) of covariates "
            f"and strata; with fewer than {UNITS_A_COLUMN} a column intervals are rough."
        )
    return found


def columns_by_place(covariate: Any) -> dict[str, Any]:
    """Return unnamed covariates, in one column or several, by position."""
    if covariate is None:
        return {}
    found = as_numbers(covariate, "covariate")
    if found.ndim != 2:
        return {"covariate": covariate}
    return {f"covariate[:, {place}]": column for place, column in enumerate(found.T)}
