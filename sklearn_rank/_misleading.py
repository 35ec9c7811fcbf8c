"""How scores that cannot mean what they seem to mean are reported."""

import sys
import warnings

from sklearn_rank.exceptions import MisleadingScoreWarning

# With fewer queries (users, rows, lists) nothing is said: small examples are no mistakes.
ENOUGH = 20

_PACKAGE = __name__.split(".")[0] + "."


_ADVICE = " If this is meant, ignore sklearn_rank.exceptions.MisleadingScoreWarning."


def if_meant(text: str) -> str:
    """Return the warning with the way to silence it."""
    return text + _ADVICE


def without_advice(text: str) -> str:
    """Return the warning for those who do not call Python."""
    return text.removesuffix(_ADVICE)


def warn_misleading(text: str, *, stacklevel: int | None = None) -> None:
    """Warn of a misleading score; `stacklevel` counts as if the caller warned.

    None: the warning is of the line that called this package.
    """
    level = _level_of_caller() if stacklevel is None else stacklevel + 1
    warnings.warn(if_meant(text), MisleadingScoreWarning, stacklevel=level)


def _level_of_caller() -> int:
    """Return the stacklevel, for the function that asks, of the first frame outside."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level
