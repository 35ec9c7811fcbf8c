"""Errors for keywords and attributes of other libraries: what is meant by them here."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from sklearn_rank._hints._missing_names import missing_attribute

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

# Keywords that several functions explain.
SCORING = "Write metrics=, with names such as 'ndcg@10' or a scorer."
THRESHOLD = "Write min_relevance=, the lowest grade that is relevant."


def explain_keywords(**meant: str) -> Callable[[Function], Function]:
    """Return a decorator that says what is meant by keywords that a function lacks.

    It looks at the keywords only after a TypeError. The signature stays.
    """

    def decorate(function: Function) -> Function:
        @wraps(function)
        def explained(*arguments: Any, **keywords: Any) -> Any:
            try:
                return function(*arguments, **keywords)
            except TypeError as error:
                known = signature(function).parameters
                for name in keywords:
                    if name in meant and name not in known:
                        text = f"{function.__name__}() has no parameter {name!r}."
                        raise TypeError(f"{text} {meant[name]}") from error
                raise

        return explained  # type: ignore[return-value]

    return decorate


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
