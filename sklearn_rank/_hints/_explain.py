"""Errors for keywords, names and attributes that do not exist: what to write instead.

`explained` stands above each public function and class. It costs one frame of a call, and
looks words up (`_words`) only in an error.
"""

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from importlib import import_module
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, NoReturn, TypeVar

Public = TypeVar("Public", bound=Callable[..., Any])  # a function or a class


def explained(public: Public) -> Public:
    """Let a function, or the methods of a class, explain arguments that do not fit.

    A class explains attributes that its objects do not have, too.
    """
    if not isinstance(public, type):
        return _explain_calls(public, public.__name__)
    for name, member in list(vars(public).items()):
        if name == "__init__" and isinstance(member, FunctionType):
            public.__init__ = _explain_calls(member, public.__name__)  # type: ignore[misc]
        elif not name.startswith("_") and isinstance(member, FunctionType):
            setattr(public, name, _explain_calls(member, name))
        elif not name.startswith("_") and isinstance(member, classmethod):
            setattr(public, name, classmethod(_explain_calls(member.__func__, name)))
    if not hasattr(public, "__getattr__"):
        public.__getattr__ = _explain_attribute  # type: ignore[attr-defined]
    return public


def _explain_calls(function: Any, name: str) -> Any:
    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            if _fits(function, arguments, keywords):
                raise  # from inside the function
            message = words().misfit_text(function, name, arguments, keywords, str(error))
            raise TypeError(message) from None

    return call


def _fits(function: Any, arguments: tuple, keywords: dict[str, Any]) -> bool:
    """Return whether Python can bind the arguments, so that the function has run."""
    from inspect import signature  # in an error only: it takes a while to import

    try:
        signature(function).bind(*arguments, **keywords)
    except TypeError:
        return False
    return True


def _explain_attribute(self: Any, name: str) -> Any:
    for base in type(self).__mro__:  # a Bunch has its keys as attributes
        get = vars(base).get("__getattr__", _explain_attribute)
        if get is not _explain_attribute:
            with suppress(AttributeError):
                return get(self, name)
    if name.startswith("_") or hasattr(type(self), name):
        return object.__getattribute__(self, name)  # Python's error, or a property's
    text = _Text(lambda: words().attribute(self, name))
    raise AttributeError(text, name=name, obj=object())


def words() -> ModuleType:
    """Return the module that looks words up; the first error loads it."""
    from sklearn_rank._hints import _words

    return _words


class _Text:
    """A text that is written when it is read, so that `hasattr` stays cheap."""

    def __init__(self, write: Callable[[], str]) -> None:
        self.write = write

    def __str__(self) -> str:
        return self.write()

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple:
        return str, (str(self),)


def explain_missing(module: str, files: Mapping[str, str] = MappingProxyType({})) -> None:
    """Give a module a ``__getattr__`` that explains names that it does not have.

    It loads those of `files`, a mapping from a name to its file in the module, when they
    are first used. Type checkers do not see it. They would believe that a module with one
    has every name.
    """
    own = vars(sys.modules[module])

    def __getattr__(name: str) -> Any:
        if name not in files:
            raise_missing(module, name)
        own[name] = value = getattr(import_module(f"{module}.{files[name]}"), name)
        return value

    own["__getattr__"] = __getattr__
    if files:
        own["__dir__"] = lambda: sorted({*own, *files})


def raise_missing(module: str, name: str) -> NoReturn:
    """Raise the error for a name that a module does not have; call it in __getattr__.

    `from module import name` would discard the text of an AttributeError. It first asks the
    module for the name, in a function of importlib, which lets an ImportError pass.
    """
    if name.startswith("_"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
    if sys._getframe(2).f_code.co_name == "_handle_fromlist":
        raise ImportError(words().missing_name(module, name), name=name)
    text = _Text(lambda: words().missing_name(module, name))
    raise AttributeError(text, name=name, obj=object())
