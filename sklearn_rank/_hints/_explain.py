"""Errors for keywords, names and attributes that do not exist: what is meant by them here.

`explained` stands above each public function and class. It costs one frame of a call, and
looks words up (`_words`) only in an error.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from importlib import import_module
from inspect import isfunction
from typing import Any, NoReturn, TypeVar

Public = TypeVar("Public", bound=Callable[..., Any])  # a function or a class


def explained(public: Public) -> Public:
    """Let a function, or the methods of a class, explain arguments that do not fit.

    A class explains attributes that its objects do not have, too.
    """
    if not isinstance(public, type):
        return _explain_calls(public, public.__name__)
    for name, member in list(vars(public).items()):
        shown = public.__name__ if name == "__init__" else name
        if isfunction(member) and (name == "__init__" or not name.startswith("_")):
            setattr(public, name, _explain_calls(member, shown))
    if "__getattr__" not in vars(public):
        public.__getattr__ = _explain_attribute  # type: ignore[attr-defined]
    return public


def _explain_calls(function: Any, shown: str) -> Any:
    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            # Python itself could not bind the arguments: no frame of the function.
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            text = words().misfit(function, shown, arguments, keywords)
            raise TypeError(text or str(error).partition(" Did you mean")[0]) from None

    return call


def _explain_attribute(self: Any, name: str) -> Any:
    if name.startswith("_") or hasattr(type(self), name):
        return object.__getattribute__(self, name)  # Python's error, or a property's
    for base in type(self).__mro__:  # a Bunch finds its keys so
        find = vars(base).get("__getattr__", _explain_attribute)
        if find is not _explain_attribute:
            with suppress(AttributeError):
                return find(self, name)
    raise AttributeError(_Text("attribute", self, name), name=name, obj=object())


def words() -> Any:
    """Return the module that looks words up; it is loaded by the first error."""
    return import_module("sklearn_rank._hints._words")


class _Text:
    """A text that is made when it is shown, so that `hasattr` stays cheap."""

    def __init__(self, kind: str, *subject: Any) -> None:
        self.kind, self.subject = kind, subject

    def __str__(self) -> str:
        return getattr(words(), self.kind)(*self.subject)

    __repr__ = __str__


def explain_missing(module: str) -> None:
    """Give a module a ``__getattr__`` that explains names that it does not have.

    Type checkers do not see it. They would believe that a module with one has every name.
    """

    def __getattr__(name: str) -> NoReturn:
        raise_missing(module, name)

    vars(sys.modules[module])["__getattr__"] = __getattr__


def raise_missing(module: str, name: str) -> NoReturn:
    """Raise the error for a name that a module does not have; call it in __getattr__.

    `from module import name` would discard the text of an AttributeError. It first asks the
    module for the name, in a function of importlib, which lets an ImportError pass.
    """
    if name.startswith("_"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
    if sys._getframe(2).f_code.co_name == "_handle_fromlist":
        raise ImportError(words().name(module, name), name=name)
    raise AttributeError(_Text("name", module, name), name=name, obj=object())
