"""How scores that cannot mean what they seem to mean are reported."""

import warnings

from sklearn_rank._warn import warn_caller
from sklearn_rank.exceptions import MisleadingScoreWarning

# With fewer queries (users, rows, lists) nothing is said: small examples are no mistakes.
ENOUGH = 20

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
    if stacklevel is None:
        warn_caller(if_meant(text), category=MisleadingScoreWarning)
    else:
        warnings.warn(if_meant(text), MisleadingScoreWarning, stacklevel=stacklevel + 1)
