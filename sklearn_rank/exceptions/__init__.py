"""Errors and warnings of their own class, so that they can be caught or ignored by name."""

from sklearn_rank._hints._explain import explain_missing as _explain_missing

__all__ = ["IncomparableIdsError", "MisleadingScoreWarning"]


class IncomparableIdsError(ValueError, TypeError):
    """Ids of two sides are of types that can never be equal, such as 1 and "1".

    Nothing would match, and without an error a score of 0 would be the only sign. The ids
    of one side have to be converted to the type of the other.

    It is both a `ValueError` and a `TypeError`: the types of ids do not fit, but each is
    valid by itself.

    Examples
    --------
    >>> from sklearn_rank.exceptions import IncomparableIdsError
    >>> from sklearn_rank.inputs import from_item_lists
    >>> try:
    ...     rows = from_item_lists({"ann": {1}}, {"ann": ["1", "2"]})
    ... except IncomparableIdsError:
    ...     rows = from_item_lists({"ann": {"1"}}, {"ann": ["1", "2"]})
    >>> rows.y_true.tolist()
    [1.0, -0.0]
    """


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


_explain_missing(__name__)
