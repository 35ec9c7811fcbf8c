"""How scores that cannot mean what they seem to mean are reported."""

import warnings

from sklearn_rank.exceptions import MisleadingScoreWarning

# With fewer queries (users, rows, lists) nothing is said: small examples are no mistakes.
ENOUGH = 20


def if_meant(text: str) -> str:
    """Return the warning with the way to silence it."""
    advice = "If this is meant, ignore sklearn_rank.exceptions.MisleadingScoreWarning."
    return f"{text} {advice}"


def warn_misleading(text: str, *, stacklevel: int) -> None:
    """Warn of a misleading score; `stacklevel` counts as if the caller warned."""
    warnings.warn(if_meant(text), MisleadingScoreWarning, stacklevel=stacklevel + 1)
