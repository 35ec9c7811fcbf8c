"""How scores that cannot mean what they seem to mean are reported."""

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


def warn_misleading(text: str) -> None:
    """Warn of a misleading score."""
    warn_caller(if_meant(text), category=MisleadingScoreWarning)
