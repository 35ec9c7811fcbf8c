"""Every public function, method, property and constructor says its types."""

import inspect
from importlib import import_module
from typing import get_overloads

import pytest

from tests.public_modules import MODULES

# Where anything may stand: other packages' objects, and keywords that are handed on.
ANYTHING = {
    *("best_estimator", "cv_results", "estimator", "model", "source", "user", "item"),
    *("fit_params", "keywords", "metric_params", "options"),
    *("parameters", "params", "plot_kw"),
}
# What Python calls, and people do not.
SPECIAL = {"__init__", "__call__", "__len__", "__iter__", "__getitem__", "__contains__"}


def functions_of(found):
    """Yield the functions that a public object has, with their names."""
    if not inspect.isclass(found):
        if inspect.isfunction(found):
            yield found.__name__, found
        return
    for owner in found.__mro__:
        if not owner.__module__.startswith("sklearn_rank."):
            continue
        for name, member in vars(owner).items():
            function = getattr(member, "__func__", getattr(member, "fget", member))
            function = getattr(function, "func", function)  # of a cached_property
            is_public = not name.startswith("_") or name in SPECIAL
            is_ours = getattr(function, "__module__", "").startswith("sklearn_rank.")
            if is_public and is_ours and inspect.isfunction(function):
                yield f"{owner.__name__}.{name}", function


def public_functions():
    for module in MODULES:
        for name in import_module(module).__all__:
            for qualified, function in functions_of(getattr(import_module(module), name)):
                yield pytest.param(function, id=f"{module}.{qualified}")


def parameters_of(function):
    function = getattr(function, "__func__", function)
    found = dict(inspect.signature(function).parameters)
    for first in ("self", "cls"):
        found.pop(first, None)
    return found


PUBLIC = list({param.values[0]: param for param in public_functions()}.values())


@pytest.mark.parametrize("function", PUBLIC)
def test_parameters_and_what_comes_back_have_types(function):
    empty = inspect.Parameter.empty
    parameters = parameters_of(function).values()
    assert [one.name for one in parameters if one.annotation is empty] == []
    assert function.__name__ == "__init__" or "return" in function.__annotations__


def public_classes():
    for module in MODULES:
        for name in import_module(module).__all__:
            found = getattr(import_module(module), name)
            if inspect.isclass(found) and not issubclass(found, Exception):
                yield pytest.param(found, id=f"{module}.{name}")


def documented_attributes(cls):
    """Return the names in the section of attributes of a docstring."""
    lines = inspect.cleandoc(cls.__doc__).splitlines()
    starts = [row + 2 for row, line in enumerate(lines) if line == "Attributes"]
    found = []
    for line in lines[starts[0] :] if starts else []:
        if not line:
            break
        if not line[0].isspace():
            found += line.partition(" :")[0].split(", ")
    return found


@pytest.mark.parametrize("cls", list(public_classes()))
def test_attributes_have_types(cls):
    # What a constructor takes, or a property returns, has its type there.
    said = {name for owner in cls.__mro__ for name in getattr(owner, "__annotations__", {})}
    said |= parameters_of(cls.__init__).keys()
    said |= {name for name in documented_attributes(cls) if name in dir(cls)}
    assert set(documented_attributes(cls)) <= said


def test_attributes_are_found_in_docstrings():
    found = documented_attributes(
        import_module("sklearn_rank.recommenders").EASERecommender
    )
    assert {"item_weights_", "users_", "items_"} <= set(found)


SAY_MORE = [
    param
    for param in PUBLIC
    # Estimators may return any frame or array, and what another one holds; what Catalogue
    # takes is written for checkers only.
    if param.id.split(".")[1] not in ("recommenders", "rankers", "distributed")
    and "Catalogue.__init__" not in param.id
]


@pytest.mark.parametrize("function", SAY_MORE)
def test_types_say_more_than_that_anything_goes(function):
    overloads = get_overloads(function)
    for one in overloads or [function]:
        parameters = parameters_of(one)
        loose = {name for name in parameters if parameters[name].annotation == "Any"}
        assert loose <= ANYTHING
        assert getattr(one, "__func__", one).__annotations__.get("return") != "Any"


@pytest.mark.parametrize(
    "function", [param for param in PUBLIC if get_overloads(param.values[0])]
)
def test_overloads_have_the_parameters_of_the_function(function):
    own = parameters_of(function)
    for overload in get_overloads(function):
        given = parameters_of(overload)
        shared = {name for name in given if given[name].kind is not given[name].VAR_KEYWORD}
        assert shared <= set(own)
        takes_any = any(one.kind is one.VAR_KEYWORD for one in given.values())
        assert takes_any or shared == set(own)
        for name in shared:
            assert given[name].kind is own[name].kind
            assert given[name].default in (own[name].default, inspect.Parameter.empty, ...)
