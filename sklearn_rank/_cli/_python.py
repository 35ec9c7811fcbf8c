"""A model as the Python call that makes it."""

from inspect import signature
from typing import Any

from sklearn.pipeline import Pipeline


def as_python(model: Any) -> str:
    """Return the call that makes a model, with what differs from its defaults.

    Unlike `repr` it goes into the boosters, whose own is no Python, and shortens nothing.
    """
    if isinstance(model, Pipeline):
        return f"make_pipeline({', '.join(as_python(step) for _, step in model.steps)})"
    if not _parameters(model):
        return repr(model)
    defaults = _defaults(type(model))
    arguments = [
        f"{name}={as_python(value)}"
        for name, value in _parameters(model).items()
        # By their text, for NaN is a default and not equal to itself.
        if name not in defaults or repr(value) != repr(defaults[name])
    ]
    return f"{type(model).__name__}({', '.join(arguments)})"


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
