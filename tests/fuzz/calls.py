"""Valid calls of every public name: those that its examples make."""

import doctest
import functools
import inspect
import io
import time
import warnings
from contextlib import contextmanager, redirect_stdout
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from typing import Any

MODULES = (
    *("datasets", "distributed", "experiments", "inputs", "metrics", "model_selection"),
    *("online", "rankers", "recommenders", "statistics"),
)
MOST = 8  # calls kept of a name


@dataclass
class Call:
    """A call that works: of a function, or of a method of an object as it was before."""

    name: str
    call: Any
    itself: Any  # the object, or None
    arguments: dict[str, Any]
    seconds: float = 0.0


def recorded_calls():
    """Run the examples of all public names; return their calls, and names without any."""
    kept, names = {}, []
    with _watched(kept) as public:
        for name, (value, module) in public.items():
            names.append(name)
            _run_examples(value, name, module)
    return [call for calls in kept.values() for call in calls], sorted(
        name for name in names if not any(key.split(".")[0] == name for key in kept)
    )


def _run_examples(value, name, module):
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        parts = [value]
        if inspect.isclass(value):
            parts += [v for k, v in vars(value).items() if k[0] != "_"]
        for part in parts:
            text = inspect.getdoc(part)
            if isinstance(text, str) and ">>>" in text:
                test = doctest.DocTestParser().get_doctest(
                    text, dict(vars(module)), name, None, 0
                )
                runner.run(test, out=lambda text: None)


@contextmanager
def _watched(kept):
    """Put something before each public name that keeps what it is called with."""
    depth = [0]
    public, undo = {}, []

    def watch(owner, attribute, name, is_method):
        real = inspect.getattr_static(owner, attribute)
        is_bound = isinstance(real, classmethod | staticmethod)
        plain = getattr(owner, attribute) if is_bound else real
        try:
            signature = inspect.signature(plain)
        except (TypeError, ValueError):
            return

        @functools.wraps(plain)
        def keep(*args, **kwargs):
            calls = kept.setdefault(name, [])
            if depth[0] or len(calls) >= MOST:
                return plain(*args, **kwargs)
            call = _copied(name, plain, signature, args, kwargs, is_method and not is_bound)
            depth[0] += 1
            start = time.perf_counter()
            try:
                result = plain(*args, **kwargs)
            finally:
                depth[0] -= 1
            if call is not None:
                call.seconds = time.perf_counter() - start
                calls.append(call)
            return result

        undo.append((owner, attribute, attribute in vars(owner), real))
        setattr(owner, attribute, staticmethod(keep) if is_bound else keep)

    for module_name in MODULES:
        module = import_module(f"sklearn_rank.{module_name}")
        for name in module.__all__:
            value = getattr(module, name)
            public[name] = value, module
            if inspect.isfunction(value):
                watch(module, name, name, False)
            elif inspect.isclass(value):
                for method in dir(value):
                    if _is_ours(value, method):
                        watch(value, method, f"{name}.{method}", True)
    try:
        yield public
    finally:
        for owner, attribute, was_its_own, real in reversed(undo):
            if was_its_own:
                setattr(owner, attribute, real)
            else:
                delattr(owner, attribute)


def _is_ours(kind, method):
    function = getattr(kind, method)
    if method != "__init__" and (method[0] == "_" or not callable(function)):
        return False
    is_function = inspect.isfunction(function) or inspect.ismethod(function)
    return is_function and function.__module__.startswith("sklearn_rank")


def _copied(name, plain, signature, args, kwargs, is_method):
    try:
        bound = signature.bind(*args, **kwargs)
        arguments = dict(bound.arguments)
        itself = None
        if is_method:
            itself = arguments.pop(next(iter(arguments)))
            itself = type(itself) if name.endswith("__init__") else deepcopy(itself)
        for parameter in signature.parameters.values():
            if parameter.kind == parameter.VAR_KEYWORD:
                arguments.update(arguments.pop(parameter.name, {}))
        return Call(name, plain, itself, deepcopy(arguments))
    except (TypeError, ValueError, RecursionError):
        return None  # what cannot be copied, such as a generator
