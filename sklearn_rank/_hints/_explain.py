"""Errors for keywords and attributes of other libraries: what is meant by them here."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from sklearn_rank._hints._missing_names import missing_attribute

Called = TypeVar("Called", bound=Callable[..., Any])  # a function or a class
Class = TypeVar("Class", bound=type)

# Keywords that several functions explain.
SCORING = "Write metrics=, with names such as 'ndcg@10' or a scorer."
THRESHOLD = "Write min_relevance=, the lowest grade that is relevant."
# Columns are arrays here; these functions take no table.
_COLUMNS = (
    "Pass the columns of a table, not their names: "
    "{}(df['rel'], df['score'], groups=df['query'], ...)."
)


def explain_keywords(usage: str = "", /, **meant: str) -> Callable[[Called], Called]:
    """Return a decorator that says what is meant by keywords that a function lacks.

    Another call that does not fit the signature has `usage` in its error. The signature
    stays. Of a class it explains the keywords of the constructor.
    """

    def decorate(called: Called) -> Called:
        is_class = isinstance(called, type)
        function = called.__init__ if is_class else called

        @wraps(function)
        def explained(*arguments: Any, **keywords: Any) -> Any:
            try:
                return function(*arguments, **keywords)
            except TypeError as error:
                raise_explained(error, called.__name__, function, keywords, meant)
                if usage and not _fits(function, arguments, keywords):
                    raise TypeError(f"{error}. Write: {usage}") from error
                raise

        if not is_class:
            return explained  # type: ignore[return-value]
        called.__init__ = explained  # type: ignore[method-assign]
        return called

    return decorate


def explain_metric(function: Called) -> Called:
    """Explain the keywords that a metric lacks, and that it is no scorer."""
    has_threshold = "min_relevance" in signature(function).parameters
    meant = {"threshold": THRESHOLD} if has_threshold else {}
    explained = explain_keywords(**meant)(function)

    @wraps(function)
    def public(*arguments: Any, **keywords: Any) -> Any:
        try:
            return explained(*arguments, **keywords)
        except TypeError as error:
            if not (arguments and hasattr(arguments[0], "fit")):
                raise
            name = function.__name__
            raise TypeError(
                f"{name} is a metric and was called with an estimator, as a scorer is; "
                f"pass scoring=make_ranking_scorer({name}, ...) instead."
            ) from error

    return public  # type: ignore[return-value]


def raise_explained(
    error: TypeError, name: str, function: Callable, given: Mapping, meant: Mapping
) -> None:
    """Raise what is meant by the keywords that were given, if any of them explains it."""
    known = signature(function).parameters
    for keyword in given:
        if keyword in meant and keyword not in known:
            text = f"{name}() has no parameter {keyword!r}."
            raise TypeError(f"{text} {meant[keyword]}") from error
    if isinstance(given.get("y_true"), str) and "y_true" in known:
        raise TypeError(_COLUMNS.format(name)) from error


def _fits(function: Callable, arguments: tuple, keywords: dict[str, Any]) -> bool:
    """Return whether a function can be called with these arguments."""
    try:
        signature(function).bind(*arguments, **keywords)
    except TypeError:
        return False
    return True


def explain_attributes(**meant: str) -> Callable[[Class], Class]:
    """Return a decorator that says what is meant by attributes that a class lacks."""

    def decorate(cls: Class) -> Class:
        def __getattr__(self: Any, name: str) -> Any:
            if name in meant:
                text = f"{type(self).__name__!r} object has no attribute {name!r}."
                raise missing_attribute(f"{text} {meant[name]}", name)
            # The error of Python, or the one that a property has raised.
            return object.__getattribute__(self, name)

        cls.__getattr__ = __getattr__  # type: ignore[attr-defined]
        return cls

    return decorate
