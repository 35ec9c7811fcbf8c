"""Agreement of several raters as one number."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._base._label_checks import check_same_labels
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._numbers import check_query_weight
from sklearn_rank._base._validation import check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._krippendorff_alpha import LEVELS, Level, PairableGrades
from sklearn_rank.inputs._rater_grades import GradeCounts, check_numbers, read_ratings
from sklearn_rank.metrics._core._summaries import check_undefined
from sklearn_rank.typing import ArrayLike, Labels, Table, Undefined


@explained
def krippendorff_alpha_score(
    ratings: Table | Labels,
    *,
    level: Level = "ordinal",
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Undefined = "warn",
) -> float:
    r"""Krippendorff's alpha: agreement of raters beyond chance.

    Higher is better; 1 is perfect agreement, 0 is chance agreement, and below 0 is worse
    than chance. Grades may be missing. With :math:`m_u` grades in unit u, N of them in all
    units with two or more, and :math:`n_v` times the grade v,

    .. math::

        D_o &= \frac{1}{N} \sum_u \frac{1}{m_u - 1}
               \sum_{i \ne j \in u} \delta^2(g_i, g_j) \\
        D_e &= \frac{1}{N (N - 1)} \sum_{v, w} n_v n_w \delta^2(v, w) \\
        \alpha &= 1 - D_o / D_e

    Parameters
    ----------
    ratings : array-like of shape (n_units, n_raters)
        The grade of each unit (such as a query and an item) by each rater. NaN, None and
        masked values are missing. Units are rows: a transposed table has a different value.
    level : {"nominal", "ordinal", "interval", "ratio"}, default="ordinal"
        The distance of two grades: 1 if they differ; the number of given grades between
        them; their difference; or their difference over their sum. Names need "nominal".
    sample_weight : array-like of shape (n_units,), default=None
        How often each unit counts.
    replace_undefined_by : float or "warn", default="warn"
        Value where all grades are alike. "warn" is NaN with an
        ``UndefinedMetricWarning``.

    Returns
    -------
    alpha : float
        From below 0 to 1.

    Raises
    ------
    ValueError
        If no unit has two grades, a grade does not fit the level, or the table looks like
        counts of grades: the rows of 10 units or more have one sum.

    Warns
    -----
    UndefinedMetricWarning
        If all grades are equal: without variation agreement is unknown.
    MisleadingScoreWarning
        If rows seem to be raters: there are more columns than rows, and alpha of the
        transposed table is higher by more than 0.3.

    See Also
    --------
    rater_agreement : With an interval, and the influence of each rater.
    fleiss_kappa_score : The same number of raters for each unit.
    sklearn.metrics.cohen_kappa_score : Two raters. Give it ``labels``: its weights use
        places among the grades that occur.

    Notes
    -----
    Units with fewer than two grades do not count. Ordinal grades that no rater gave do not
    matter. Ratio alpha compares all pairs of distinct grades, at most 50,000 of them.

    References
    ----------
    .. [1] K. Krippendorff, "Computing Krippendorff's alpha-reliability", 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.statistics import krippendorff_alpha_score
    >>> grades = [[0, 0, 1], [1, 1, 1], [2, 3, np.nan], [3, 3, 3], [0, 1, 0], [2, 2, 2]]
    >>> round(krippendorff_alpha_score(grades), 4)
    0.8612
    """
    check_option("level", level, LEVELS)
    check_same_labels({"ratings": ratings, "sample_weight": sample_weight})
    undefined = check_undefined(replace_undefined_by)
    rated = read_ratings(ratings)
    check_numbers(rated, level)
    weight = check_query_weight(sample_weight, len(rated.units))
    pairable = PairableGrades.read(rated, level, ratings)
    n_graded = rated.per_unit()
    if weight is not None and not weight[n_graded > 1] @ n_graded[n_graded > 1] > 1:
        raise ValueError(
            "`sample_weight` leaves units of two grades at most one; give larger weights."
        )
    alpha = pairable.alpha(weight)
    return _replace_undefined(alpha, undefined, "Krippendorff's alpha")


@explained
def fleiss_kappa_score(
    ratings: Table | Labels, *, replace_undefined_by: Undefined = "warn"
) -> float:
    r"""Fleiss' kappa: agreement beyond chance, with equally many raters per unit.

    Higher is better; 1 is perfect agreement, 0 is chance agreement. With m grades of each
    unit, :math:`c_{uv}` of them v, and the share :math:`p_v` of v among all grades,

    .. math::

        \bar P &= \frac{1}{n} \sum_u \sum_v \frac{c_{uv} (c_{uv} - 1)}{m (m - 1)} \\
        \kappa &= \frac{\bar P - \sum_v p_v^2}{1 - \sum_v p_v^2}

    Parameters
    ----------
    ratings : array-like of shape (n_units, n_raters)
        The grade of each unit by each rater, numbers or names. NaN, None and masked values
        are missing; each unit needs the same number of grades, by any raters.
    replace_undefined_by : float or "warn", default="warn"
        Value where all grades are alike. "warn" is NaN with an
        ``UndefinedMetricWarning``.

    Returns
    -------
    kappa : float
        From below 0 to 1.

    Raises
    ------
    ValueError
        If units have different numbers of grades, or fewer than two, or the table looks
        like counts of grades: the rows of 10 units or more have one sum.

    Warns
    -----
    UndefinedMetricWarning
        If all grades are equal: without variation agreement is unknown.
    MisleadingScoreWarning
        If rows seem to be raters: there are more columns than rows, and alpha of the
        transposed table is higher by more than 0.3.

    See Also
    --------
    krippendorff_alpha_score : For missing grades, and grades in order.

    Notes
    -----
    The order of grades does not matter: 0 and 3 differ as 2 and 3 do. Nominal alpha
    corrects it for small samples: 1 minus alpha is 1 minus kappa, times N - 1 over N
    grades.

    References
    ----------
    .. [1] J. L. Fleiss, "Measuring nominal scale agreement among many raters",
       Psychological Bulletin 76, 1971.

    Examples
    --------
    >>> from sklearn_rank.statistics import fleiss_kappa_score
    >>> round(fleiss_kappa_score([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1]]), 4)
    0.3333
    """
    undefined = check_undefined(replace_undefined_by)
    rated = read_ratings(ratings)
    n_graded = rated.per_unit()
    fewest, most = int(n_graded.min()), int(n_graded.max())
    if fewest != most:
        raise ValueError(
            f"`ratings` has {fewest} to {most} grades per unit, and Fleiss' kappa needs "
            "the same number for each; krippendorff_alpha_score takes missing grades."
        )
    if most < 2:
        raise ValueError("`ratings` has one grade per unit; agreement needs two.")
    PairableGrades.read(rated, "nominal", ratings)
    counts = GradeCounts.build(rated)
    equal = (counts.times * (counts.times - 1.0)).sum() / (
        len(n_graded) * most * (most - 1)
    )
    share = np.bincount(rated.grade) / len(rated.grade)
    by_chance = (share**2).sum()
    kappa = np.nan
    if np.count_nonzero(share) > 1:
        kappa = float((equal - by_chance) / (1 - by_chance))
    return _replace_undefined(kappa, undefined, "Fleiss' kappa")


def _replace_undefined(value: float, undefined: float | str, name: str) -> float:
    if not np.isnan(value):
        return value
    if not isinstance(undefined, str):
        return undefined
    warn_caller(
        f"{name} is undefined, because all grades are equal: without variation agreement "
        "is unknown.",
        category=UndefinedMetricWarning,
    )
    return np.nan
