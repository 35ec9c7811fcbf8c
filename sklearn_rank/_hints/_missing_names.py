"""Errors for names that a public module does not have: the import that was probably meant.

Python discards the text of an AttributeError in ``from module import name``. If the module
is a package, it looks for a submodule of that name instead, so that the last entry of
``sys.meta_path`` can raise the error. ``module.name`` has the text of the AttributeError.

All of this is imported with the package, so it imports nothing; `_guesses` is loaded at the
first error.
"""

import sys
from importlib import import_module
from typing import Any, NoReturn

PACKAGE = __name__.partition(".")[0]


def hint(module: str, name: str) -> str:
    """Return the text of the error for a name that a public module does not have."""
    return import_module(f"{PACKAGE}._guesses._meanings").hint(module, name)


class HintText:
    """The text of an error, which is made when it is shown: `hasattr` stays cheap."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __str__(self) -> str:
        return hint(self.module, self.name)

    def __repr__(self) -> str:
        return repr(str(self))


def missing_attribute(text: str | HintText, name: str) -> AttributeError:
    """Return an error to which Python does not add a similar name of its own choice."""
    return AttributeError(text, name=name, obj=object())


def missing_name(module: str, name: str) -> AttributeError:
    """Return the error for a name that a module lacks; a private one has no hint."""
    if name.startswith("_"):
        return AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
    return missing_attribute(HintText(module, name), name)


def explain_missing(module: str) -> None:
    """Let a public module explain names that it does not have.

    Type checkers do not see this ``__getattr__``. They would believe that a module with one
    has every name.
    """

    def __getattr__(name: str) -> NoReturn:
        raise missing_name(module, name)

    vars(sys.modules[module])["__getattr__"] = __getattr__


class LastFinder:
    """The end of ``sys.meta_path``: submodules that no other finder has found."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        """Raise an ImportError with a hint for a public name that does not exist.

        A ModuleNotFoundError would be swallowed by the import system. With ``name=`` in the
        error, `help` and `pydoc` say that nothing was found. A tool may look for a module
        that exists in a folder where it is not: that name is not missing. Nor is a name of
        a module that is still being imported; there Python itself names the circle.
        """
        parent, _, last = name.rpartition(".")
        modules = public_modules()
        is_public = parent in modules and name not in modules and not last.startswith("_")
        # `explain_missing` is the last call of a module.
        if is_public and hasattr(sys.modules.get(parent), "__getattr__"):
            raise ImportError(hint(parent, last), name=name)


def public_modules() -> list[str]:
    """Return the names of the package and of its public modules."""
    package = sys.modules.get(PACKAGE)
    names = getattr(package, "__all__", ())
    values = {"__version__", "show_versions"}
    return [PACKAGE, *(f"{PACKAGE}.{name}" for name in names if name not in values)]


def explain_failed_imports() -> None:
    """Put the finder at the end of the list, once."""
    if all(getattr(one, "__module__", None) != __name__ for one in sys.meta_path):
        sys.meta_path.append(LastFinder)
