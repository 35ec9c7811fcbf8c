"""Checks shared by all modules, and the wording of their errors."""

import difflib
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

__all__ = [
    "as_numbers",
    "check_flat_input",
    "check_grades",
    "check_grid_input",
    "check_integer",
    "check_missing",
    "check_one_a_row",
    "check_option",
    "check_query_weight",
    "check_real",
    "check_scores",
    "check_weights",
    "require",
    "shorten",
    "suggest",
]


# Integers up to here are exact as floats too, and their sums with sizes do not overflow.
LARGEST = 2**53

# Values that are read at once: they stay in the processor's cache.
_AT_ONCE = 2**15


def suggest(name: object, valid: Iterable[object]) -> str:
    """Return the valid names, nearest to `name` first: the end of an error."""
    names = [str(option) for option in valid]
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    listed = ", ".join(repr(option) for option in names) or "none"
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"Valid: {listed}.{hint}"


def check_option(
    name: str, value: object, options: Iterable[object], *, otherwise: str = ""
) -> None:
    """Raise a ValueError unless `value` is one of `options`.

    `otherwise` ends the error, if something else is valid too.
    """
    options = list(options)
    if not any(_is_same(value, option) for option in options):
        near = suggest(value if isinstance(value, str) else "", options)
        raise ValueError(f"`{name}` got {shorten(value)}. {near} {otherwise}".rstrip())


def _is_same(value: object, option: object) -> bool:
    if value is option or isinstance(value, np.ndarray):
        return value is option
    equal = value == option  # of a table another table, of what is missing neither
    return isinstance(equal, bool | np.bool_) and bool(equal)


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
) -> float:
    """Return `value` as a float; raise unless it is a number, `above` < value < `below`."""
    if not _is_number(value, Real):
        raise TypeError(f"`{name}` must be {needed}, got {shorten(value)}.")
    number = _as_float(value)
    if not above < number < below:
        raise ValueError(f"`{name}` must be {needed}, got {shorten(value)}.")
    return number


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


def shorten(value: object, most: int = 60) -> str:
    """Return how errors show a value: its repr, cut where it is long."""
    if isinstance(value, int) and abs(value) > 10**most:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


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
        f'Run: python -m pip install "sklearn-rank[{extra}]"'
    )


def as_numbers(values: Any, name: str) -> Any:
    """Return `values` as a numeric array of its own type; sparse stays sparse."""
    if sparse.issparse(values):
        return values
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"`{name}` must hold numbers; {error}.") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"`{name}` must hold numbers, got dtype {array.dtype}.")
    return array


def check_flat_input(
    y_true: Any, y_score: Any, groups: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the two arrays as 1-D, or say what the flat form needs."""
    for name, values in (("y_true", y_true), ("y_score", y_score)):
        is_column = values.ndim == 2 and values.shape[1] == 1
        if sparse.issparse(values) or not (values.ndim == 1 or is_column):
            raise ValueError(
                "`groups` goes with `y_true` and `y_score` of one dimension, but "
                f"`{name}` has shape {values.shape}. "
                "In the 2-D form a row is a query: leave `groups` out."
            )
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


def check_grid_input(y_true: Any, y_score: Any) -> None:
    """Raise unless both are 2-D of one shape."""
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


def _check_not_empty(shape: tuple[int, ...]) -> None:
    if 0 in shape:
        raise ValueError(f"`y_true` is empty, got shape {shape}; nothing can be scored.")


def check_grades(
    y_true: np.ndarray, *, name: str = "y_true", judged_for: str = ""
) -> float:
    """Return the highest grade, 0 if there is none.

    Raise unless all grades are finite and not negative; NaN if `judged_for` nothing.
    """
    lowest, highest = _extremes(y_true)
    if lowest >= 0 and highest < np.inf:
        return float(highest)
    if judged_for:
        _raise_at(
            name,
            y_true,
            np.isnan(y_true),
            "NaN",
            f"{judged_for} needs a grade for every row: drop these rows, or use a metric "
            "for incomplete judgements, such as 'bpref'",
        )
    _raise_at(name, y_true, np.isinf(y_true), "infinite")
    _raise_at(name, y_true, y_true < 0, "negative", "grades are 0 or more")
    return float(np.fmax.reduce(y_true, axis=None, initial=0))


def check_scores(y_score: np.ndarray) -> float:
    """Return the lowest score, 0 if there is none.

    Raise unless all scores are finite, or -inf for what was not retrieved.
    """
    lowest, highest = _extremes(y_score)
    if not highest < np.inf:
        _raise_at("y_score", y_score, np.isnan(y_score), "NaN")
        _raise_at(
            "y_score",
            y_score,
            y_score == np.inf,
            "+inf",
            "only -inf (not retrieved) is allowed",
        )
    return float(lowest)


def _extremes(values: np.ndarray) -> tuple[Any, Any]:
    """Return the lowest and the highest value, both from one reading of the memory."""
    if values.size <= _AT_ONCE or not values.flags.c_contiguous:
        return (values.min(), values.max()) if values.size else (0, 0)
    flat = values.ravel()
    parts = [flat[i : i + _AT_ONCE] for i in range(0, len(flat), _AT_ONCE)]
    each = np.array([(part.min(), part.max()) for part in parts])
    return each[:, 0].min(), each[:, 1].max()


def _raise_at(
    name: str, values: np.ndarray, wrong: np.ndarray, what: str, needed: str = ""
) -> None:
    if wrong.any():
        place = tuple(map(int, np.argwhere(wrong)[0]))
        where = place[0] if len(place) == 1 else place
        raise ValueError(
            f"`{name}` has {int(wrong.sum())} {what} value(s), the first at {where}"
            f" ({values[place]}); " + (needed or "drop or replace them") + "."
        )


def check_one_a_row(name: str, values: np.ndarray, y_true: Any) -> None:
    """Raise unless `values` has the shape of `y_true`; a column may stand for a vector."""
    shape = y_true.shape if hasattr(y_true, "shape") else np.shape(y_true)
    as_vector = shape[:1] if shape[1:] == (1,) else shape
    if values.shape not in (shape, as_vector):
        raise ValueError(
            f"`{name}` has shape {values.shape}, but `y_true` has {shape}; both need one "
            "value a row."
        )


def check_query_weight(sample_weight: Any, n_queries: int) -> np.ndarray | None:
    """Return one weight a query as floats."""
    if sample_weight is None:
        return None
    weight = as_numbers(sample_weight, "sample_weight")
    if weight.shape != (n_queries,):
        raise ValueError(
            f"`sample_weight` needs one weight a query, shape ({n_queries},), "
            f"got shape {weight.shape}."
        )
    return check_weights(weight)


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


def check_real_or_nan(name: str, value: object) -> None:
    """Raise unless `value` is a number; NaN will do, infinity will not."""
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not is_number or np.isinf(float(value)):  # type: ignore[arg-type]
        raise ValueError(f"`{name}` must be a finite number or NaN, got {value!r}.")


def check_parameters(parameters: dict[str, Any]) -> None:
    """Check parameters of metrics; one name means the same in every metric."""
    for name, value in parameters.items():
        if name == "k":
            check_integer("k", value, none="the whole list")
        elif name == "log_base":
            check_real(name, value, "a number > 1", above=1)
        elif name == "persistence":
            check_real(name, value, "a number between 0 and 1", above=0, below=1)
        elif name in ("min_relevance", "max_grade") and value is not None:
            check_real(name, value, "a positive number or None", above=0)
        elif name == "beta":
            needed, most = "a positive number up to 1e100", np.nextafter(1e100, np.inf)
            check_real(name, value, needed, above=0, below=most)
        elif name == "clip" and value is not None:
            needed = "a number in (0, 1] or None"
            check_real(name, value, needed, above=0, below=np.nextafter(1, 2))
        elif name == "self_normalized":
            check_option(name, value, (True, False))
        elif name == "desired_gain":
            needed, least = "a number from 0.5 to 1e100", np.nextafter(0.5, 0)
            check_real(name, value, needed, above=least, below=np.nextafter(1e100, np.inf))
