"""Source code that recreates a model."""

from collections.abc import Iterator, Sequence
from inspect import signature
from typing import Any

from sklearn.pipeline import Pipeline

# Longer lines of Python are wrapped if possible.
LINE = 79


def as_python(model: Any) -> str:
    """Return the call that makes a model, with what differs from its defaults.

    Unlike `repr`, it works for boosters, whose `repr` is not Python, and never shortens.
    """
    if isinstance(model, list):
        return f"[{', '.join(map(as_python, model))}]"
    if isinstance(model, tuple) and len(model) > 1:
        return f"({', '.join(map(as_python, model))})"
    if not _parameters(model):
        return repr(model)
    return f"{_constructor_name(model)}({', '.join(_arguments(model))})"


def assignment(name: str, model: Any) -> list[str]:
    """Return the lines that give the model a name, long ones with one argument each."""
    return call(f"{name} = {_constructor_name(model)}", _arguments(model))


def call(start: str, arguments: Sequence[str]) -> list[str]:
    """Return the lines of a call, a long one with one argument per line."""
    line = f"{start}({', '.join(arguments)})"
    if len(line) <= LINE:
        return [line]
    return [f"{start}(", *(f"    {argument}," for argument in arguments), ")"]


def imports(model: Any) -> list[str]:
    """Return the lines that import what `as_python` names."""
    return sorted(
        {f"from {module} import {name}" for module, name in _imported_names(model)}
    )


def _imported_names(model: Any) -> Iterator[tuple[str, str]]:
    if isinstance(model, Pipeline):
        yield "sklearn.pipeline", "make_pipeline"
        model = [step for _, step in model.steps]
    if isinstance(model, list | tuple):
        for step in model:
            yield from _imported_names(step)
    if not _parameters(model):
        return
    parts = type(model).__module__.split(".")
    public = next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))
    yield ".".join(parts[:public]), type(model).__name__
    for value in _parameters(model).values():
        yield from _imported_names(value)


def _constructor_name(model: Any) -> str:
    return "make_pipeline" if isinstance(model, Pipeline) else type(model).__name__


def _arguments(model: Any) -> list[str]:
    if isinstance(model, Pipeline):
        return [as_python(step) for _, step in model.steps]
    defaults = _defaults(type(model))
    return [
        f"{name}={as_python(value)}"
        for name, value in _parameters(model).items()
        # Compared as text, because NaN is not equal to itself.
        if name not in defaults or repr(value) != repr(defaults[name])
    ]


def _parameters(model: Any) -> dict[str, Any]:
    if hasattr(model, "get_params"):
        return model.get_params(deep=False)
    if type(model).__module__.startswith("implicit."):
        return {name: getattr(model, name) for name in signature(type(model)).parameters}
    return {}


def _defaults(kind: type) -> dict[str, Any]:
    parameters = signature(kind).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    if needed:
        return {p.name: p.default for p in parameters if p.default is not p.empty}
    return _parameters(kind())
