"""Checks shared by all modules, and the wording of their errors."""

from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from importlib import import_module
from inspect import isfunction, unwrap
from math import prod
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from sklearn_rank._base._messages import counted, shorten
from sklearn_rank._base._numbers import NotNumbers, number_array, stored_numbers
from sklearn_rank._base._runs import VALUES

Class = TypeVar("Class")

# Integers up to here are exact as floats too, and their sums with sizes do not overflow.
LARGEST = 2**53
# Of names that share so much one may be meant for the other, by difflib; names in an error.
NEAR = 0.5
MOST_NAMES = 10


def without_class(cls: type[Class]) -> type[Class]:
    """Let the errors of Python name the methods of a class that users do not see alone."""
    for name, method in vars(cls).items():
        method = getattr(method, "__func__", method)
        if isfunction(method):
            method.__qualname__ = unwrap(method).__qualname__ = name
    return cls


def suggest(name: object, valid: Iterable[object], *, meant: str | None = None) -> str:
    """Return the end of an error: the name that may be `meant`, and the valid names.

    Of many only the nearest to `name` are listed. Without `meant`, the first of them may
    be it; where it is empty, none is.
    """
    given = str(name) if isinstance(name, str) else shorten(name)
    options = {_shown(option): option for option in valid}
    near = {
        shown: SequenceMatcher(None, str(option).lower(), given.lower()).ratio()
        for shown, option in options.items()
    }
    nearest = sorted(options, key=near.__getitem__, reverse=True)
    hint = f"Did you mean {meant!r}? " if meant else ""
    if meant is None and nearest and near[nearest[0]] >= NEAR:
        hint = f"Did you mean {nearest[0]}? "
    names = list(options) if len(options) <= MOST_NAMES else nearest[:MOST_NAMES]
    listed = ", ".join(names) or "none"
    others = f" and {len(options) - len(names):,} more" if len(names) < len(options) else ""
    return f"{hint}Valid: {listed}{others}."


def _shown(option: object) -> str:
    """Return how an error shows a valid name, such that 1 and '1' differ."""
    plain = option.item() if isinstance(option, np.generic) else option
    return repr(plain if isinstance(plain, str | Real | None) else str(option))


def check_option(
    name: str, value: object, options: Iterable[object], *, otherwise: str = ""
) -> None:
    """Raise a ValueError unless `value` is one of `options`.

    `otherwise` ends the error, if something else is valid too.
    """
    options = list(options)
    if not times_named(value, options):
        near = suggest(value, options)
        raise ValueError(f"`{name}` got {shorten(value)}. {near} {otherwise}".rstrip())


def check_given(name: str, value: object, is_valid: object, needed: str) -> None:
    """Raise a TypeError unless `value` is valid: what is needed, and what was given."""
    if not is_valid:
        raise TypeError(f"`{name}` must be {needed}, got {shorten(value)}.")


def is_nested(value: object) -> bool:
    """Return whether a value is a mapping of mappings."""
    return isinstance(value, Mapping) and all(
        isinstance(one, Mapping) for one in value.values()
    )


def check_length(name: str, values: Any, n_units: int | None, unit: str = "row") -> None:
    """Raise unless there is one value a unit, if their number is known."""
    if n_units is not None and len(values) != n_units:
        raise ValueError(
            f"`{name}` has {len(values)} values, but there are {counted(n_units, unit)}; "
            f"give one a {unit}."
        )


def times_named(name: object, names: Iterable[object]) -> int:
    """Count a name among names; 0 for what cannot be a name."""
    try:
        # By hash: an array, a table or a missing value has no truth to its comparisons.
        return Counter(iter(names))[name]  # of a dict the keys, not what they have
    except TypeError:
        return 0


def is_iterable(value: object) -> bool:
    """Return whether there are values in it; an array of no dimensions only says so."""
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def check_integer(name: str, value: Any, *, minimum: int = 1, none: str = "") -> Any:
    """Return `value` as a Python int, which no arithmetic overflows.

    Raise unless it is an integer >= `minimum` (or None, meaning `none`).
    """
    if value is None and none:
        return None
    needed = f"an integer >= {minimum}" + (f" or None ({none})" if none else "")
    if not _is_number(value, Integral):
        raise TypeError(f"`{name}` must be {needed}, got {shorten(value)}.")
    number = int(value)
    if number < minimum:
        raise ValueError(f"`{name}` must be {needed}, got {shorten(number)}.")
    if number > LARGEST:
        raise ValueError(f"`{name}` must be {needed}, 2**53 at most; it is larger.")
    return number


def check_real(
    name: str,
    value: object,
    needed: str,
    *,
    above: float = -np.inf,
    below: float = np.inf,
    least: float = -np.inf,
    most: float = np.inf,
) -> float:
    """Return `value` as a float; raise unless it is a number within the limits.

    `above` and `below` are not reached; `least` and `most` are allowed.
    """
    if not _is_number(value, Real):
        raise TypeError(f"`{name}` must be {needed}, got {shorten(value)}.")
    number = _as_float(value)
    if not (above < number < below and least <= number <= most):
        raise ValueError(f"`{name}` must be {needed}, got {shorten(value)}.")
    return number


def check_level(confidence_level: Any, or_none: str = "") -> float:
    """Return a confidence level, which is between 0 and 1."""
    needed = f"a number above 0, below 1{or_none}"
    return check_real("confidence_level", confidence_level, needed, above=0, below=1)


def check_share(name: str, value: object) -> float:
    """Return `value` as a float; raise unless it is a number from 0 to 1."""
    return check_real(name, value, "a number from 0 to 1", least=0, most=1)


def _is_number(value: object, kind: type) -> bool:
    """Return whether a value is a number of a kind; truth values and durations are not."""
    return isinstance(value, kind) and not isinstance(
        value, bool | np.bool_ | np.timedelta64
    )


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer with more than 308 digits
        return np.inf if value > 0 else -np.inf


def check_missing(name: str, missing: np.ndarray) -> None:
    """Raise where the mask `missing` is True, with the count and the first row."""
    count = int(np.count_nonzero(missing))
    if count:
        raise ValueError(
            f"`{name}` has {count} missing value(s), the first in row "
            f"{int(np.argmax(missing))}; drop these rows or fill the values in."
        )


def require(package: str, extra: str, purpose: str) -> ImportError:
    """Return the error for a missing optional package, with the line that mends it."""
    return ImportError(
        f"{purpose} needs {package}, which is not installed. "
        f'Run: python -m pip install "sklearn-rank[{extra}]"',
        name=package,
    )


def check_installed(module: str | None, extra: str, purpose: str) -> None:
    """Raise if an optional package, or a module of one, is needed and missing."""
    if module is None:
        return
    package = module.partition(".")[0]
    try:
        import_module(package)
        import_module(module)
    except ImportError as error:
        raise require(package, extra, purpose) from error


def import_pandas(purpose: str) -> Any:
    """Return pandas; if missing, raise with its purpose and how to install it."""
    check_installed("pandas", "frames", purpose)
    import pandas as pd

    return pd


def as_array(values: Any, name: str) -> np.ndarray:
    """Return `values` as the array that NumPy makes of them; raise if rows are ragged."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"`{name}` must be an array, got sequences of unequal lengths."
        ) from error


def check_mapping(name: str, value: Any, holds: str) -> dict:
    """Return a mapping as a dict; None is empty, and anything else is an error."""
    if value is None:
        return {}
    check_given(name, value, isinstance(value, Mapping), f"a dict of {holds}")
    return dict(value)


def as_numbers(values: Any, name: str, *, or_sparse: bool = False) -> Any:
    """Return `values` as a numeric array of its own type, missing ones as NaN.

    With `or_sparse`, a sparse matrix of any format becomes CSR with each cell once.
    Different numbers never become equal: where no type can hold them, that is an error.
    """
    is_sparse = sparse.issparse(values)
    if is_sparse and not or_sparse:
        raise ValueError(
            f"`{name}` must be a dense array, got {type(values).__name__}; "
            "pass its toarray()."
        )
    try:
        return (stored_numbers if is_sparse else number_array)(values, f"`{name}`")
    except NotNumbers as error:
        raise ValueError(str(error)) from error


def number_vector(name: str, values: Any, needed: str, *, least: int = 1) -> np.ndarray:
    """Return numbers as a 1-D array of some length; a single column becomes one."""
    found = as_numbers(values, name)
    if found.shape[1:] == (1,):
        found = found[:, 0]
    if found.ndim != 1 or len(found) < least:
        given = given_shape(values, found.shape)
        raise ValueError(f"`{name}` must have {needed}, got {given}.")
    return found


def given_shape(values: object, shape: tuple) -> str:
    """Return how errors show values of a wrong shape; a single one is shown itself."""
    return f"shape {shape}" if shape else shorten(values)


def as_floats(values: Any, name: str) -> np.ndarray:
    """Return `values` as an array of floats."""
    return as_numbers(values, name).astype(np.float64, copy=False)


def check_flat_input(
    y_true: Any, y_score: Any, groups: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the two arrays as 1-D; raise unless they have the flat form."""
    for name, values in (("y_true", y_true), ("y_score", y_score)):
        is_column = values.ndim == 2 and values.shape[1] == 1
        if sparse.issparse(values) or not (values.ndim == 1 or is_column):
            raise ValueError(_not_flat(y_true, y_score, groups, name))
    if groups is None:
        raise ValueError(
            "`groups` is required when `y_true` is 1-D: one label a row, the same for rows "
            "that are ranked together. Inside cross-validation use make_ranking_scorer, "
            "with metadata routing on (sklearn.set_config(enable_metadata_routing=True)) "
            "and groups passed, or with groups='column of X'."
        )
    y_true, y_score = y_true.ravel(), y_score.ravel()
    if len(y_true) != len(y_score):
        raise ValueError(
            f"`y_true` has {len(y_true)} rows, but `y_score` has {len(y_score)}; "
            "both need one value a row."
        )
    _check_not_empty(y_true.shape)
    return y_true, y_score


def _not_flat(y_true: Any, y_score: Any, groups: Any, name: str) -> str:
    """Return the error where one of the two arrays is not of the flat form."""
    if groups is None:
        return (
            f"`y_true` has shape {y_true.shape}, but `y_score` has {y_score.shape}; both "
            "need the same: one value a row with `groups`, or, without, a row a query and "
            "a column an item."
        )
    shape = (y_true if name == "y_true" else y_score).shape
    return (
        "`groups` goes with `y_true` and `y_score` of one dimension, but "
        f"`{name}` has shape {shape}. "
        "In the 2-D form a row is a query: leave `groups` out."
    )


def check_grid_input(y_true: Any, y_score: Any) -> None:
    """Raise unless both are 2-D of one shape, whose cells can be numbered."""
    for name, values in (("y_true", y_true), ("y_score", y_score)):
        if values.ndim != 2:
            raise ValueError(
                f"`{name}` must be 1-D with `groups`, or 2-D with a row a query, "
                f"got {values.ndim} dimension(s), shape {values.shape}."
            )
    if y_true.shape != y_score.shape:
        raise ValueError(
            f"`y_true` has shape {y_true.shape}, but `y_score` has {y_score.shape}; "
            "both need a row a query and a column an item."
        )
    _check_not_empty(y_true.shape)
    if prod(y_true.shape) >= 2**63:
        raise ValueError(
            f"`y_true` has shape {y_true.shape}, which are 2**63 cells or more; leave out "
            "the columns of items, and the rows of queries, for which nothing is stored."
        )


def _check_not_empty(shape: tuple[int, ...]) -> None:
    if 0 in shape:
        raise ValueError(f"`y_true` is empty, got shape {shape}; nothing can be scored.")


def check_grades(
    y_true: np.ndarray, *, name: str = "y_true", judged_for: str = ""
) -> tuple[float, float]:
    """Return the lowest and the highest grade, 0 without any.

    Raise unless all grades are finite and not negative; NaN if `judged_for` nothing, which
    counts as 0.
    """
    lowest, highest = _extremes(y_true)
    if lowest >= 0 and highest < np.inf:
        return float(lowest), float(highest)
    if judged_for:
        check_values(
            name,
            y_true,
            np.isnan(y_true),
            "NaN",
            f"{judged_for} needs a grade for every row: give 0 to rows that count as not "
            "relevant, or use a metric for incomplete judgments, such as 'bpref'; to drop "
            "them would condense the lists",
        )
    check_values(name, y_true, np.isinf(y_true), "infinite")
    check_values(name, y_true, y_true < 0, "negative", "grades are 0 or more")
    return 0.0, float(np.fmax.reduce(y_true, axis=None, initial=0))


def check_scores(y_score: np.ndarray) -> float:
    """Return the lowest score, 0 without any.

    Raise unless all scores are finite, or -inf for what was not retrieved.
    """
    lowest, highest = _extremes(y_score)
    if not highest < np.inf:
        check_values(
            "y_score",
            y_score,
            np.isnan(y_score),
            "NaN",
            "give -inf to rows that were not retrieved, do not drop them",
        )
        check_values(
            "y_score",
            y_score,
            y_score == np.inf,
            "+inf",
            "only -inf (not retrieved) is allowed",
        )
    return float(lowest)


def check_finite(name: str, values: np.ndarray) -> None:
    """Raise unless all values are numbers, and none is infinite."""
    if np.isfinite(_extremes(values)).all():
        return
    check_values(name, values, np.isnan(values), "NaN")
    check_values(name, values, np.isinf(values), "infinite")


def _extremes(values: np.ndarray) -> tuple[Any, Any]:
    """Return the lowest and the highest value, both from one reading of the memory."""
    if values.size <= VALUES or not values.flags.c_contiguous:
        return (values.min(), values.max()) if values.size else (0, 0)
    flat = values.ravel()
    parts = [flat[i : i + VALUES] for i in range(0, len(flat), VALUES)]
    each = np.array([(part.min(), part.max()) for part in parts])
    return each[:, 0].min(), each[:, 1].max()


def check_values(
    name: str, values: np.ndarray, wrong: np.ndarray, what: str, needed: str = ""
) -> None:
    """Raise if some values are `wrong`, with their number, the first and its place."""
    if wrong.any():
        place = tuple(map(int, np.argwhere(wrong)[0]))
        where = place[0] if len(place) == 1 else place
        raise ValueError(
            f"`{name}` has {int(wrong.sum())} {what} value(s), the first at {where}"
            f" ({values[place]}); " + (needed or "drop or replace them") + "."
        )


def check_one_a_row(name: str, values: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raise unless values have the shape of `y_true`; a column counts as a vector."""
    as_vector = shape[:1] if shape[1:] == (1,) else shape
    if values.shape not in (shape, as_vector):
        raise ValueError(
            f"`{name}` has shape {values.shape}, but `y_true` has {shape}; both need one "
            "value a row."
        )


def check_query_weight(sample_weight: Any, n_queries: int) -> np.ndarray | None:
    """Return one weight a query as floats."""
    weight = weight_a_unit(sample_weight, n_queries, "query")
    return None if weight is None else check_weights(weight)


def weight_a_unit(sample_weight: Any, n_units: int, unit: str) -> np.ndarray | None:
    """Return one number a unit, in which nothing is missing."""
    if sample_weight is None:
        return None
    weight = as_numbers(sample_weight, "sample_weight")
    if weight.shape != (n_units,):
        raise ValueError(
            f"`sample_weight` needs one weight a {unit}, shape ({n_units},), "
            f"got shape {weight.shape}."
        )
    check_missing("sample_weight", np.isnan(weight))
    return weight


def check_weights(weight: np.ndarray) -> np.ndarray:
    """Return weights as floats; raise unless they can weigh something."""
    weight = weight.astype(np.float64)
    if not (weight.min() >= 0 and weight.max() < np.inf):
        raise ValueError("`sample_weight` must be finite and not negative.")
    if weight.max() == 0:
        raise ValueError(
            "`sample_weight` is 0 for every query; at least one must be positive."
        )
    return weight


def check_real_or_nan(name: str, value: object, needed: str) -> float:
    """Return `value` as a float; NaN will do, infinity will not."""
    if not _is_number(value, Real) or np.isinf(_as_float(value)):
        raise ValueError(f"`{name}` must be {needed}, got {shorten(value)}.")
    return _as_float(value)
