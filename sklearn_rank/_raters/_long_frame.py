"""Ratings as a long frame: a row for each grade, with its unit and its rater."""

from typing import Any

from sklearn_rank._text._wording import shorten

# The default names of the columns.
_UNIT, _RATER, _GRADES = "unit", "rater", ("rating", "grade")


def read_long_frame(
    ratings: Any, units: Any, raters: Any, groups: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the columns of a long frame; of other input, what was given.

    A frame is long if `units` and `raters` name its columns, or its columns have the usual
    names. Its grades are the column that is left.
    """
    of_pyarrow: Any = getattr(ratings, "column_names", None)
    columns = list(of_pyarrow or getattr(ratings, "columns", ()))
    if units is None and raters is None and {_UNIT, _RATER} <= set(columns):
        units, raters = _UNIT, _RATER
    named = {"units": units, "raters": raters, "groups": groups}
    named = {role: name for role, name in named.items() if isinstance(name, str)}
    for role, name in named.items():
        if name not in columns:
            raise ValueError(
                f"`{role}={name!r}` names a column, but `ratings` has "
                f"{shorten(columns) if columns else 'no names of columns'}."
            )
    if not {"units", "raters"} <= set(named):
        return ratings, units, raters, ratings[groups] if "groups" in named else groups
    others = [name for name in columns if name not in named.values()]
    known = [name for name in others if name in _GRADES]
    if len(known) != 1:
        known = others
    if len(known) != 1:
        raise ValueError(
            f"`ratings` needs one column of grades beside {list(named.values())}, but has "
            f"{shorten(known)}; call one 'rating', or leave the others out."
        )
    given = {"units": units, "raters": raters, "groups": groups}
    found = {role: ratings[name] for role, name in named.items()}
    return (ratings[known[0]], *(given | found).values())
