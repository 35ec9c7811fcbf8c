"""The result of rater agreement, with a table of raters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn_rank._presentation._faces import Result
from sklearn_rank._presentation._section import Section
from sklearn_rank._validation import check_integer, check_real
from sklearn_rank.statistics._result_rows import as_columns, as_dict, as_rows, check_number

NUMBERS = ("alpha", "low", "high", "standard_error", "percent_agreement")
COUNTS = ("n_units", "n_pairable", "n_queries", "n_skipped")


@dataclass(kw_only=True, eq=False, repr=False)
class RaterAgreement(Result):
    """Agreement of raters, with a row for each rater.

    :func:`rater_agreement` returns it. ``print`` shows it as a table. All parameters are
    attributes, too.

    Parameters
    ----------
    alpha : float
        Krippendorff's alpha, NaN if all grades are alike.
    low : float
        Lower end of its interval.
    high : float
        Upper end of its interval.
    standard_error : float
        Standard deviation of alpha over the resamples.
    percent_agreement : float
        Share of equal pairs among all pairs of grades within units.
    n_units : int
        Units with a grade.
    n_pairable : int
        Units with two grades or more; only these count.
    n_queries : int
        Queries of these units, or without ``groups`` the units.
    n_skipped : int
        Resamples without alpha, because all their grades are equal.
    raters : sequence of mapping
        For each rater `rater`, `n_units` (graded), `mean` (of the grades) and
        `alpha_without` (alpha of the others).
    settings : dict
        The options.

    See Also
    --------
    rater_agreement : Makes it.

    Examples
    --------
    >>> from sklearn_rank.statistics import rater_agreement
    >>> grades = [[0, 0], [1, 1], [2, 3], [3, 3], [0, 1], [2, 2], [1, 1], [0, 0]]
    >>> found = rater_agreement(grades, raters=["ann", "bob"], random_state=0)
    >>> round(found.alpha, 3), found.n_pairable
    (0.899, 8)
    """

    alpha: float
    low: float
    high: float
    standard_error: float
    percent_agreement: float
    n_units: int
    n_pairable: int
    n_queries: int
    n_skipped: int
    raters: Sequence[Any]
    settings: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Raise if a value is not a number; convert rows to Bunches."""
        for name in NUMBERS:
            check_number(name, getattr(self, name))
        for name in COUNTS:
            check_integer(name, getattr(self, name), minimum=0)
        numbers = ("n_units", "mean", "alpha_without")
        self._of_raters = as_columns("raters", self.raters, ("rater",), numbers)
        self.raters = as_rows(self._of_raters)
        needed = ("by_query", "level", "min_relevance", "confidence_level")
        self.settings = as_dict("settings", self.settings, needed)

    def raters_needed(self, reliability: float = 0.8) -> float:
        """Number of raters per unit whose mean grade would be this reliable.

        By Spearman and Brown the mean of m raters has m alpha / (1 + (m - 1) alpha), where
        alpha is the reliability of one.

        Parameters
        ----------
        reliability : float, default=0.8
            Required reliability of the mean grade, between 0 and 1.

        Returns
        -------
        n_raters : float
            A whole number; infinite if alpha is 0 or less, NaN if it is undefined.
        """
        wanted = check_real(
            "reliability", reliability, "a number between 0 and 1", above=0, below=1
        )
        if math.isnan(self.alpha):
            return math.nan
        if self.alpha <= 0:
            return math.inf
        needed = wanted * (1 - self.alpha) / (self.alpha * (1 - wanted))
        # A number within rounding of a whole number is taken as whole.
        return float(max(math.ceil(needed * (1 - 1e-12)), 1))

    def _columns(self) -> Mapping[str, Any]:
        return self._of_raters

    def _facts(self) -> dict[str, Any]:
        names = (*NUMBERS, *COUNTS, "settings")
        return {name: getattr(self, name) for name in names}

    def _sections(self) -> list[Section]:
        settings = self.settings
        unit = "queries" if settings["by_query"] else "units"
        kind = settings["level"]
        if settings["min_relevance"] is not None:
            kind = f"grades >= {settings['min_relevance']:g}"
        head = [
            f"Krippendorff's alpha ({kind}): {self.alpha:.3f}, "
            f"{100 * settings['confidence_level']:g} % interval {self.low:.3f} to "
            f"{self.high:.3f} by {self.n_queries} {unit}; {self.n_pairable} of "
            f"{self.n_units} units have two grades or more, "
            f"{100 * self.percent_agreement:.1f} % of pairs are equal"
        ]
        if self.n_skipped:
            head.append(f"Left out, as all grades are alike: {self.n_skipped} resamples.")
        lines = [["rater", "units", "mean", "alpha without"]]
        for row in self.raters:
            numbers = f"{row.mean:.3f}", f"{row.alpha_without:.3f}"
            lines.append([str(row.rater), str(row.n_units), *numbers])
        return [Section(head), Section(lines=lines)]

    def __repr__(self) -> str:
        """Return alpha and the number of raters."""
        return f"RaterAgreement(alpha={self.alpha:.3f}, {len(self.raters)} raters)"
