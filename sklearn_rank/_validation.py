"""Checks shared by all modules, and the wording of their errors."""

import difflib
from collections.abc import Iterable
from numbers import Integral, Real

import numpy as np

__all__ = [
    "check_integer",
    "check_missing",
    "check_option",
    "check_real",
    "require",
    "suggest",
]


def suggest(name: object, valid: Iterable[object]) -> str:
    """Return the valid names, nearest to `name` first: the end of an error."""
    names = [str(option) for option in valid]
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    listed = ", ".join(repr(option) for option in names) or "none"
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"Valid: {listed}.{hint}"


def check_option(name: str, value: object, options: Iterable[object]) -> None:
    """Raise a ValueError unless `value` is one of `options`."""
    options = list(options)
    if not any(value is option or value == option for option in options):
        raise ValueError(f"`{name}` got {value!r}. {suggest(value, options)}")


def check_integer(name: str, value: object, *, minimum: int = 1, none: str = "") -> None:
    """Raise unless `value` is an integer >= `minimum` (or None, meaning `none`)."""
    if value is None and none:
        return
    needed = f"an integer >= {minimum}" + (f" or None ({none})" if none else "")
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"`{name}` must be {needed}, got {value!r}.")
    if value < minimum:
        raise ValueError(f"`{name}` must be {needed}, got {value!r}.")


def check_real(
    name: str, value: object, needed: str, *, above: float = -np.inf, below: float = np.inf
) -> None:
    """Raise unless `value` is a number with `above` < value < `below`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"`{name}` must be {needed}, got {value!r}.")
    if not above < float(value) < below:
        raise ValueError(f"`{name}` must be {needed}, got {value!r}.")


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
