"""Checks of single arguments, and the wording of their errors."""

import numbers
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from sklearn_rank._base._messages import quantity, shorten

# Integers up to here are exact as floats too, and their sums with sizes do not overflow.
LARGEST_INTEGER = 2**53
# The least ratio of difflib at which a name is suggested, and the most names in an error.
LEAST_SIMILARITY = 0.5
MOST_NAMES = 10


def suggest(name: object, valid: Iterable[object], *, meant: str | None = None) -> str:
    """Return the end of an error: the name that may be `meant`, and the valid names.

    Of many only the nearest to `name` are listed. Without `meant`, the first of them may
    be it; where it is empty, none is.
    """
    text = str(name) if isinstance(name, str) else shorten(name)
    options = {_show_option(option): option for option in valid}
    near = {
        option_text: SequenceMatcher(None, str(option).lower(), text.lower()).ratio()
        for option_text, option in options.items()
    }
    nearest = sorted(options, key=near.__getitem__, reverse=True)
    hint = f"Did you mean {meant!r}? " if meant else ""
    if meant is None and nearest and near[nearest[0]] >= LEAST_SIMILARITY:
        hint = f"Did you mean {nearest[0]}? "
    names = list(options) if len(options) <= MOST_NAMES else nearest[:MOST_NAMES]
    listed = ", ".join(names) or "none"
    remainder = (
        f" and {len(options) - len(names):,} more" if len(names) < len(options) else ""
    )
    return f"{hint}Valid: {listed}{remainder}."


def _show_option(option: object) -> str:
    """Return how an error shows a valid name, such that 1 and '1' differ."""
    plain = option.item() if isinstance(option, np.generic) else option
    return repr(plain if isinstance(plain, str | numbers.Real | None) else str(option))


def check_option(
    name: str, value: object, options: Iterable[object], *, otherwise: str = ""
) -> None:
    """Raise a ValueError unless `value` is one of `options`.

    `otherwise` ends the error, if something else is valid too.
    """
    options = list(options)
    if not count_named(value, options):
        near = suggest(value, options)
        raise ValueError(f"`{name}` got {shorten(value)}. {near} {otherwise}".rstrip())


def check_given(name: str, value: object, is_valid: object, needed: str) -> None:
    """Raise a TypeError unless `value` is valid: what is needed, and what was given."""
    if not is_valid:
        raise TypeError(f"`{name}` must be {needed}, got {shorten(value)}.")


def is_nested(value: object) -> bool:
    """Return whether a value is a mapping of mappings."""
    return isinstance(value, Mapping) and all(
        isinstance(inner, Mapping) for inner in value.values()
    )


def check_length(name: str, values: Any, n_units: int | None, unit: str = "row") -> None:
    """Raise unless there is one value per unit, if their number is known."""
    if n_units is not None and len(values) != n_units:
        raise ValueError(
            f"`{name}` has {len(values)} values, but there are "
            f"{quantity(n_units, unit)}; give one per {unit}."
        )


def count_named(name: object, names: Iterable[object]) -> int:
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
    check_given(name, value, _is_number(value, numbers.Integral), needed)
    number = int(value)
    if number < minimum:
        raise ValueError(f"`{name}` must be {needed}, got {shorten(number)}.")
    if number > LARGEST_INTEGER:
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
    check_given(name, value, _is_number(value, numbers.Real), needed)
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


def missing_package_error(package: str, extra: str, purpose: str) -> ImportError:
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
        raise missing_package_error(package, extra, purpose) from error


def import_pandas(purpose: str) -> Any:
    """Return pandas; if missing, raise with its purpose and how to install it."""
    check_installed("pandas", "frames", purpose)
    import pandas as pd

    return pd


def hold_text(values: Any) -> Any:
    """Return values for pandas, which keeps text as UTF-8; other text becomes objects.

    Names of files may hold bytes that are not text, which Python reads as surrogates.
    """
    import pandas as pd

    try:
        pd.Index(values, tupleize_cols=False)
    except UnicodeEncodeError:
        return pd.Index(values, dtype=object, tupleize_cols=False)
    return values


def check_mapping(name: str, value: Any, holds: str) -> dict:
    """Return a mapping as a dict; None is empty, and anything else is an error."""
    if value is None:
        return {}
    check_given(name, value, isinstance(value, Mapping), f"a dict of {holds}")
    return dict(value)


def check_real_or_nan(name: str, value: object, needed: str) -> float:
    """Return `value` as a float; NaN is allowed, infinity is not."""
    if not _is_number(value, numbers.Real) or np.isinf(_as_float(value)):
        raise ValueError(f"`{name}` must be {needed}, got {shorten(value)}.")
    return _as_float(value)


# Checks as values, which declarations of parameters name.


class Check(Protocol):
    """A check of a value."""

    def check(self, name: str, value: Any) -> Any:
        """Return the value, a number as Python's; raise if it is out of range."""


@dataclass(frozen=True)
class Integer:
    """A positive integer or None, which means `none`."""

    none: str = ""

    def check(self, name: str, value: Any) -> Any:
        """Return the value as a Python int."""
        if type(value) is int and 0 < value <= LARGEST_INTEGER:
            return value
        return check_integer(name, value, none=self.none)


@dataclass(frozen=True)
class Real:
    """A number, above < number < below and least <= number <= most; None if `or_none`."""

    needed: str
    above: float = -np.inf
    below: float = np.inf
    least: float = -np.inf
    most: float = np.inf
    or_none: bool = False

    def check(self, name: str, value: Any) -> Any:
        """Return the value as a Python float."""
        if value is None and self.or_none:
            return None
        limits = {end: getattr(self, end) for end in ("above", "below", "least", "most")}
        return check_real(name, value, self.needed, **limits)


@dataclass(frozen=True)
class FunctionTrial:
    """A function instead of a word; `trial` finds a wrong one before any data."""

    trial: Callable[[Callable], Any]


@dataclass(frozen=True)
class Words:
    """One of some words, or a function if there is a trial for it."""

    words: tuple[Any, ...]
    trial: Callable[[Callable], Any] | None = None

    def check(self, name: str, value: Any) -> Any:
        """Return the value as it is."""
        if self.trial is not None and callable(value):
            self.trial(value)
        else:
            otherwise = "" if self.trial is None else "Or a function."
            check_option(name, value, self.words, otherwise=otherwise)
        return value
