"""Fill in grades of unjudged rows."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sklearn_rank._ranking._judgments import Judgments, read_judgments
from sklearn_rank._validation import as_floats, check_option, check_real
from sklearn_rank.typing import ArrayLike, Floats


def fill_unjudged(
    y_true: ArrayLike,
    *,
    unjudged: Literal["worst", "best"] = "worst",
    max_grade: float | None = None,
) -> Floats:
    """Grades with the worst or the best grade for unjudged rows.

    A metric that only grows with the grades that a list shows is between its values for
    the two, whatever judges would say. With ``replace_undefined_by=0`` these are
    "precision", "hit_rate", "mrr", "cg" and "dcg", and "rbp" with its ``max_grade``. Not so
    "recall", "map" and "ndcg": they divide by relevant items wherever they are, and
    :func:`unjudged_bounds` finds their bounds.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_items)
        Grades. NaN is unjudged, and so is -0.0, by which functions such as
        :func:`from_item_lists` mark what judgments do not mention.
    unjudged : {"worst", "best"}, default="worst"
        What is unjudged gets 0, or ``max_grade``.
    max_grade : float, default=None
        Highest grade there can be. None: the highest in ``y_true``.

    Returns
    -------
    filled : ndarray
        Grades in the shape of ``y_true``.

    Raises
    ------
    ValueError
        If no grade is above 0 and ``max_grade`` is None, with "best"; if one is higher than
        ``max_grade``; or if all of 0 are -0.0, as they come from relevant items alone.

    See Also
    --------
    make_pool : What to judge next.
    sklearn_rank.metrics.unjudged_bounds : Bounds of all metrics that depend on the ranks of
        relevant rows alone.
    sklearn_rank.metrics.rank_biased_precision_residual : The width of such bounds in
        closed form.

    Examples
    --------
    >>> from sklearn_rank.inputs import fill_unjudged, from_item_lists
    >>> from sklearn_rank.metrics import precision_at_k_score
    >>> rows = from_item_lists([{"tea": 1, "jam": 0}], [["tea", "jam", "rice", "salt"]])
    >>> for bound in ("worst", "best"):
    ...     filled = fill_unjudged(rows.y_true, unjudged=bound)
    ...     print(precision_at_k_score(filled, rows.y_score, groups=rows.groups, k=4))
    0.25
    0.75
    """
    check_option("unjudged", unjudged, ("worst", "best"))
    grades = as_floats(y_true, "y_true")
    is_meant = isinstance(y_true, Judgments)
    grades, _ = read_judgments(grades, "fill_unjudged", is_meant=is_meant)
    is_unjudged = np.isnan(grades)
    highest = float(grades.max(initial=0, where=~is_unjudged))
    if max_grade is not None:
        top = check_real("max_grade", max_grade, "a finite number above 0", above=0)
        if top < highest:
            raise ValueError(
                f"`max_grade` is {top:g}, but `y_true` has the grade {highest:g}."
            )
        highest = top
    elif unjudged == "best" and highest == 0:
        raise ValueError(
            "`y_true` has no grade above 0, so the best grade is unknown; give `max_grade`."
        )
    return np.where(is_unjudged, 0.0 if unjudged == "worst" else highest, grades)
