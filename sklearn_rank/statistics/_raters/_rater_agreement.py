"""Agreement of raters, with an interval, and the influence of each rater."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._labels import as_list, as_vector
from sklearn_rank._base._messages import keep_warnings, warn_caller
from sklearn_rank._base._text import format_interval, name_interval
from sklearn_rank._base._validation import (
    check_integer,
    check_length,
    check_level,
    check_option,
    check_real,
    shorten,
)
from sklearn_rank._display._result import Result
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._krippendorff_alpha import LEVELS, Level, PairableGrades
from sklearn_rank.inputs._rater_grades import (
    GradeCounts,
    RaterGrades,
    check_numbers,
    queries_of_units,
    read_ratings,
)
from sklearn_rank.metrics._core._mean_intervals import FEW_DIFFERENT
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.statistics._raters._reference_rater import (
    WEIGHTS,
    agreement_interval,
    compare_with_reference,
    correct_means,
)
from sklearn_rank.statistics._result_rows import (
    CorrectedMean,
    as_columns,
    as_dict,
    as_rows,
    check_number,
)
from sklearn_rank.typing import Labels, Table

NUMBERS = ("alpha", "low", "high", "standard_error", "percent_agreement")
COUNTS = ("n_units", "n_pairable", "n_queries")


@explained
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
        Its standard error, by leaving out each query.
    percent_agreement : float
        Share of equal pairs among all pairs of grades within units.
    n_units : int
        Units with a grade.
    n_pairable : int
        Units with two grades or more; only these count.
    n_queries : int
        Queries of these units, or without ``groups`` the units.
    raters : sequence of mapping
        For each rater `rater`, `n_units` (graded), `mean` (of the grades) and
        `alpha_without` (alpha of the others). With a reference, for which these are NaN:
        `n_shared` (units that both grade), `accuracy` (share of these with one grade), of
        two grades `true_positive_rate` and `true_negative_rate` (its parts by the grade of
        the reference), `bias` (mean of own grade - that of the reference) with `bias_low`
        and `bias_high`, and `kappa` with `kappa_low` and `kappa_high`.
    settings : dict
        The options.
    by_grade : sequence of mapping, default=None
        For each rater but the reference and each grade of the reference: `rater`, `grade`,
        `n` (units), `mean` (of own grades), `bias`, `low` and `high`, and `counts` (units
        by own grade). If None, no reference.
    corrected : Bunch, default=None
        Mean of the grades of all units by :func:`judge_assisted_mean`: the reference is
        people, and the other raters are the judges, in their order. `human_mean`,
        `human_low` and `human_high` are those of the reference alone, by
        :func:`confidence_interval`. If None, there is no reference, it has graded all
        units, or the mean cannot be corrected.
    uncorrected : str, default=""
        Why the mean cannot be corrected.

    See Also
    --------
    rater_agreement : Makes it.

    Examples
    --------
    >>> from sklearn_rank.statistics import rater_agreement
    >>> grades = [[0, 0], [1, 1], [2, 3], [3, 3], [0, 1], [2, 2], [1, 1], [0, 0]]
    >>> found = rater_agreement(grades, raters=["ann", "bob"])
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
    raters: Sequence[Any]
    settings: Mapping[str, Any]
    by_grade: Sequence[Any] | None = None
    corrected: CorrectedMean | None = None
    uncorrected: str = ""

    def __post_init__(self) -> None:
        """Raise if a value is not a number; convert rows to Bunches."""
        for name in NUMBERS:
            check_number(name, getattr(self, name))
        for name in COUNTS:
            check_integer(name, getattr(self, name), minimum=0)
        numbers = ("n_units", "mean", "alpha_without")
        self._rater_columns = as_columns("raters", self.raters, ("rater",), numbers)
        self.raters = as_rows(self._rater_columns)
        rows = () if self.by_grade is None else self.by_grade
        grades: dict[str, Any] = {}
        if not isinstance(rows, Sequence) or len(rows):  # none without a reference
            of_grades = ("n", "mean", "bias", "low", "high")
            grades = as_columns("by_grade", rows, ("rater", "grade"), of_grades)
        self.by_grade = as_rows(grades)
        needed = ("by_query", "level", "min_relevance", "confidence_level")
        self.settings = as_dict("settings", self.settings, needed)
        if self.corrected is not None:
            entries = as_dict("corrected", self.corrected, ("judge_mean", "human_mean"))
            self.corrected = CorrectedMean(**entries)

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
        needed = "a number between 0 and 1"
        wanted = check_real("reliability", reliability, needed, above=0, below=1)
        if math.isnan(self.alpha):
            return math.nan
        if self.alpha <= 0:
            return math.inf
        n = wanted * (1 - self.alpha) / (self.alpha * (1 - wanted))
        # A number within rounding of a whole number is taken as whole.
        return float(max(math.ceil(n * (1 - 1e-12)), 1))

    def _columns(self) -> Mapping[str, Any]:
        return self._rater_columns

    def _facts(self) -> dict[str, Any]:
        names = (*NUMBERS, *COUNTS, "by_grade", "corrected", "uncorrected", "settings")
        return {name: getattr(self, name) for name in names}

    def _sections(self) -> list[Section]:
        settings = self.settings
        unit = "queries" if settings["by_query"] else "units"
        kind = settings["level"]
        if settings["min_relevance"] is not None:
            kind = f"grades >= {settings['min_relevance']:g}"
        head = [
            f"Krippendorff's alpha ({kind}): {self.alpha:.3f}, "
            f"{name_interval(settings['confidence_level'])} "
            f"{format_interval(self.low, self.high, '.3f')} by {self.n_queries:,} {unit}; "
            f"{self.n_pairable:,} of {self.n_units:,} units have two grades or more, "
            f"{100 * self.percent_agreement:.1f}% of pairs are equal"
        ]
        lines = [["rater", "units", "mean", "alpha without"]]
        for row in self.raters:
            numbers = f"{row.mean:.3f}", f"{row.alpha_without:.3f}"
            lines.append([str(row.rater), str(row.n_units), *numbers])
        sections = [*self._corrected_section(), Section(head), Section(lines=lines)]
        reference = settings.get("reference")
        if reference is None:
            return sections
        lines = [["rater", "shared", "bias", "interval", "kappa", "interval"]]
        for row in self.raters:
            if row.rater != reference:
                bias = _format_estimate(row.bias, row.bias_low, row.bias_high, "+")
                kappa = _format_estimate(row.kappa, row.kappa_low, row.kappa_high)
                lines.append([str(row.rater), f"{row.n_shared:g}", *bias, *kappa])
        by_grade = [["rater", "grade", "units", "mean", "bias", "interval"]]
        for row in self.by_grade or ():
            grade = f"{row.grade:g}" if isinstance(row.grade, float) else str(row.grade)
            own = _format_estimate(row.bias, row.low, row.high, "+")
            by_grade.append([str(row.rater), grade, str(row.n), f"{row.mean:.3f}", *own])
        kind = f"{settings.get('weights') or 'unweighted'} kappa"
        note = f"Compared with {reference}: bias is own - {reference}; {kind}"
        of_grades = f"By the grade of {reference}"
        return [*sections, Section([note], lines), Section([of_grades], by_grade)]

    def _corrected_section(self) -> list[Section]:
        """Return the section of the corrected mean, or why a reference has none."""
        if self.settings.get("reference") is None:
            return []
        if self.uncorrected:
            return [Section([f"No corrected mean: {self.uncorrected}."])]
        if self.corrected is None:
            return []
        return [Section([self._corrected_text(self.corrected)])]

    def _corrected_text(self, corrected: CorrectedMean) -> str:
        reference, means = self.settings["reference"], np.atleast_1d(corrected.judge_mean)
        plural = "s" * (len(means) > 1)
        kind = "mean" if self.settings["min_relevance"] is None else "share"
        return (
            f"Corrected {kind} of {corrected.n_queries:,} units from "
            f"{corrected.n_human:,} by {reference} and {len(means)} judge{plural}: "
            f"{corrected.mean:.3f}, {name_interval(self.settings['confidence_level'])} "
            f"{format_interval(corrected.low, corrected.high, '.3f')}; {reference} alone "
            f"{corrected.human_mean:.3f} "
            f"{format_interval(corrected.human_low, corrected.human_high, '.3f')}; judge "
            f"mean{plural} {', '.join(f'{mean:.2f}' for mean in means)}"
        )

    def __repr__(self) -> str:
        """Return alpha and the number of raters."""
        return f"RaterAgreement(alpha={self.alpha:.3f}, {len(self.raters)} raters)"


def _format_estimate(value: float, low: float, high: float, sign: str = "") -> list[str]:
    """Return a value and its interval as texts, empty where they are unknown."""
    ends = "" if math.isnan(low) else format_interval(low, high, f"{sign}.3f")
    return ["" if math.isnan(value) else f"{value:{sign}.3f}", ends]


@explained
@keep_warnings
def rater_agreement(
    ratings: Table | Labels | Mapping[Any, Labels],
    *,
    units: Labels | str | None = None,
    raters: Labels | str | None = None,
    groups: Labels | str | None = None,
    level: Level = "ordinal",
    min_relevance: MinRelevance = None,
    reference: str | int | None = None,
    weights: Literal["quadratic", "linear"] | None = "quadratic",
    confidence_level: float = 0.95,
) -> RaterAgreement:
    r"""Krippendorff's alpha with its interval, and the influence of each rater.

    Grades of raters who do not agree are not a ground truth. The interval comes from alpha
    without each query, because items of a query share its difficulty. With G queries, alpha
    without one of them :math:`\alpha_{(c)}`, and the deviations :math:`d_c` of
    :math:`\operatorname{atanh} \alpha_{(c)}` from their mean, it is

    .. math::

        \tanh (\operatorname{atanh} \alpha \mp t_{df} \, s), \qquad
        s^2 = \frac{G - 1}{G} \sum_c d_c^2

    For a judge, such as a language model, name people as the ``reference``.

    Parameters
    ----------
    ratings : array-like of shape (n_units, n_raters) or (n_grades,), DataFrame or mapping
        The grade of each unit (such as a query and an item) by each rater, also as a
        mapping from rater to its grades; or one grade per row, with ``units`` and
        ``raters``. NaN, None and masked values are missing. Units are rows: a transposed
        table has a different value.

        A long frame has a row per grade: ``units``, ``raters`` and ``groups`` name its
        columns, and the remaining column has the grades.
    units : array-like of shape (n_grades,) or str, default=None
        Unit of each grade, labels of any type, if ``ratings`` has one grade per row; for a
        long frame the name of the column, by default ``"unit"``.
    raters : array-like of shape (n_grades,) or (n_raters,), or str, default=None
        Rater of each grade, or the name of each column; for a long frame the name of the
        column, by default ``"rater"``.
    groups : array-like of shape (n_units,) or (n_grades,), or str, default=None
        Query of each row of ``ratings``, one per unit, or its column. If None, each unit is
        a query.
    level : {"nominal", "ordinal", "interval", "ratio"}, default="ordinal"
        Distance of grades, as in :func:`krippendorff_alpha_score`.
    min_relevance : float, default=None
        Lowest relevant grade, to compare only relevant or not. If None, compare grades.
    reference : str or int, default=None
        The rater that all others are compared with, such as ``"people"``.
    weights : {"quadratic", "linear", None}, default="quadratic"
        Distance of two grades in kappa: the square of their difference, its size, or 1 if
        they differ. For names and the nominal level it is the last one.
    confidence_level : float, default=0.95
        Probability that an interval covers the true value.

    Returns
    -------
    agreement : RaterAgreement
        `alpha` with `low` and `high`, `percent_agreement`, `raters`, one per row, and with
        a reference `by_grade` and `corrected`. ``str()`` is the table.

    Raises
    ------
    ValueError
        If no unit has two grades, a rater grades a unit twice, a unit has two queries, a
        grade does not fit the level, the reference is not a rater, or a table looks like
        counts of grades: the rows of 10 units or more have one sum.

    Warns
    -----
    UserWarning
        If all grades are equal, so that alpha is undefined. If alpha has no interval: all
        units with two grades belong to one query, all raters agree, or alpha is undefined
        or the same without each query. If fewer than ten units, and fewer than half, have a
        grade that is not the most frequent one: intervals then cover less often than they
        say. As :func:`judge_assisted_mean` warns of a corrected mean.
    MisleadingScoreWarning
        If rows seem to be raters: there are more columns than rows, and alpha of the
        transposed table is higher by more than 0.3.

    See Also
    --------
    krippendorff_alpha_score : The value only, and its formula.
    sklearn_rank.inputs.from_ratings : One grade per unit from those of its raters.

    Notes
    -----
    At most :math:`1 - (1 - \alpha) / 2` of :math:`\alpha_{(c)}` counts. With the kurtosis k
    of the deviations, df is :math:`2 (G - 1) / (k - 1)`, at least 1 and at most G - 1.

    Intervals of kappa are the same, those of the bias are by Student's t over queries.
    Kappa is :math:`1 - \sum C w / \sum E w` for the distances w, the counts C of pairs of
    grades, and those E that independent raters would have.

    The bias by grade contains chance: a judge who errs in both directions alike seems
    generous at the lowest grade and strict at the highest.

    If the reference grades a random sample of the units, and each other rater grades all,
    the mean of all units is corrected, by :func:`judge_assisted_mean`. It needs 10 units of
    the reference, and 5 for each of several other raters; with ``groups``, of so many
    queries. With ``min_relevance`` it is the share of relevant units.

    Percent agreement is the share of equal pairs among all pairs of grades within units. If
    nine tenths of the grades are equal, it is high although alpha may be near 0.

    References
    ----------
    .. [1] K. Krippendorff, "Content Analysis", 2004.
    .. [2] J. Cohen, "Weighted kappa", Psychological Bulletin 70, 1968.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.statistics import rater_agreement
    >>> grades = [[0, 0, 1], [1, 1, 1], [2, 3, np.nan], [3, 3, 3], [0, 1, 0], [2, 2, 2]]
    >>> found = rater_agreement(grades)
    >>> round(found.alpha, 4), round(found.low, 4), round(found.high, 4)
    (0.8612, 0.4404, 0.9718)
    >>> [round(row.alpha_without, 4) for row in found.raters]
    [0.7868, 0.8955, 0.8778]

    A judge compared with people:

    >>> grades = {"people": [0, 1, 2, 3, 0, 2, 1, 3], "judge": [1, 1, 3, 3, 0, 2, 1, 3]}
    >>> table = np.column_stack([*grades.values()])
    >>> found = rater_agreement(table, raters=[*grades], reference="people")
    >>> judge = found.raters[1]
    >>> judge.bias, round(judge.kappa, 4)
    (0.25, 0.9)
    """
    check_option("level", level, LEVELS)
    confidence_level = check_level(confidence_level)
    check_option("weights", weights, WEIGHTS)
    table = ratings
    if isinstance(ratings, Mapping):
        raters = list(ratings) if raters is None else raters
        grades = [as_vector(of, name=str(name)) for name, of in ratings.items()]
        for name, of_rater in zip(ratings, grades, strict=True):
            check_length(str(name), of_rater, len(grades[0]), "unit")
        table = np.column_stack(grades)
    rater_grades = read_ratings(table, units=units, raters=raters, groups=groups)
    check_numbers(rater_grades, level)
    all_grades = rater_grades
    if min_relevance is not None:
        lowest = check_real("min_relevance", min_relevance, "a finite number or None")
        rater_grades = rater_grades.at_least(lowest)
    query = np.arange(len(rater_grades.units))
    if groups is not None:
        query = queries_of_units(rater_grades)[1]
    rows = _rater_rows(all_grades, rater_grades, level)
    by_grade: list[dict[str, Any]] = []
    corrected, uncorrected = None, ""
    if reference is not None:
        columns, by_grade = compare_with_reference(
            rater_grades,
            query,
            reference,
            None if level == "nominal" else weights,
            confidence_level,
        )
        rows = [row | more for row, more in zip(rows, columns, strict=True)]
        corrected, uncorrected = correct_means(
            rater_grades, query, reference, confidence_level
        )
    pairable = PairableGrades.read(rater_grades, level, ratings)
    alpha, without = pairable.alpha(), pairable.alphas_without(query)
    low, high, error = agreement_interval(alpha, without, confidence_level)
    _warn_of_no_interval(alpha, low, len(without))
    n_graded, times = rater_grades.per_unit(), GradeCounts.build(rater_grades).times
    if not math.isnan(low):
        _warn_of_rare_grades(rater_grades, n_graded > 1)
    n_equal = (times * (times - 1.0)).sum()
    return RaterAgreement(
        alpha=alpha,
        low=low,
        high=high,
        standard_error=error,
        percent_agreement=float(n_equal / (n_graded * (n_graded - 1.0)).sum()),
        n_units=int(np.count_nonzero(n_graded)),
        n_pairable=int(np.count_nonzero(n_graded > 1)),
        n_queries=len(np.unique(query[n_graded > 1])),
        raters=rows,
        settings={
            "level": level,
            "min_relevance": min_relevance,
            "confidence_level": confidence_level,
            "by_query": groups is not None,
            "reference": reference,
            "weights": weights if rater_grades.are_numbers and level != "nominal" else None,
        },
        by_grade=by_grade or None,
        corrected=corrected,
        uncorrected=uncorrected,
    )


def _warn_of_no_interval(alpha: float, low: float, n_queries: int) -> None:
    why = "Alpha is undefined or the same without each query, so that it has no interval"
    advice = "judge more queries, difficult ones among them"
    if math.isnan(alpha):
        why = "All grades are equal, so agreement is unknown"
    elif n_queries < 2:
        why = "All units with two grades are of one query, so that alpha has no interval"
    elif alpha == 1:
        why = "All raters agree, so that the low end of the interval is unknown"
    if math.isnan(low):
        warn_caller(f"{why}; {advice}.")


def _warn_of_rare_grades(grades: RaterGrades, is_pairable: np.ndarray) -> None:
    """Warn if few units with two grades have a grade that is not the most frequent one."""
    counts = is_pairable[grades.unit]
    usual = np.argmax(np.bincount(grades.grade[counts]))
    n = len(np.unique(grades.unit[counts & (grades.grade != usual)]))
    # In a small set most units have to differ to be ten; it does not show rare grades.
    if n < min(FEW_DIFFERENT, np.count_nonzero(is_pairable) / 2):
        warn_caller(
            f"{n} units have a grade other than the most frequent one, "
            f"{shorten(as_list(grades.grades)[usual])}; below {FEW_DIFFERENT} intervals of "
            "alpha cover less often than their level: judge more units, such as those that "
            "seem to have a rare grade."
        )


def _rater_rows(
    ratings: RaterGrades, grades: RaterGrades, level: str
) -> list[dict[str, Any]]:
    rows = []
    for code, name in enumerate(as_list(grades.raters)):
        own = ratings.grade[ratings.rater == code]
        has_mean = ratings.are_numbers and len(own) > 0
        rest, without = grades.take(grades.rater != code), math.nan
        if (rest.per_unit() > 1).any():
            without = PairableGrades.build(rest, level).alpha()
        mean = float(ratings.grades[own].mean()) if has_mean else math.nan
        cells = {"rater": name, "n_units": len(own), "mean": mean}
        rows.append({**cells, "alpha_without": without})
    return rows
