"""Warnings of their own class, so that they can be caught or ignored by name."""

__all__ = ["MisleadingScoreWarning"]


class MisleadingScoreWarning(UserWarning):
    """A score is right as arithmetic, but cannot mean what it seems to mean.

    Metrics, scorers, splitters and rankers warn with this class where an unusual call may
    be meant: all queries have one row, no id matches, nearly nothing can be hit, queries
    are cut by a fold. Where it is meant, ignore the class.

    Examples
    --------
    >>> import warnings
    >>> from sklearn_rank.exceptions import MisleadingScoreWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", MisleadingScoreWarning)
    """
