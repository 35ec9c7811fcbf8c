"""Count the public functions, classes and commands that tests run; fail if one is missed.

    python -m slipcover --json --out coverage.json -m pytest
    python .ci/exercised.py coverage.json

A function counts if a line of its body ran, a class if a line of one of its methods did.
"""

import inspect
import json
import sys
from importlib import import_module
from pathlib import Path

import sklearn_rank
from sklearn_rank._cli._commands import COMMANDS  # noqa: PLC2701


def functions_of(thing):
    """Return the functions with code of this package behind a public object."""
    members = [thing, *vars(thing).values()] if inspect.isclass(thing) else [thing]
    members = [getattr(member, "fget", None) or member for member in members]
    functions = [inspect.unwrap(getattr(member, "__func__", member)) for member in members]
    return [
        function
        for function in functions
        if inspect.isfunction(function) and function.__module__.startswith("sklearn_rank")
    ]


def has_run(function, lines_by_file):
    """Return whether a line below the first one of a function ran."""
    code = function.__code__
    own = {line for _, _, line in code.co_lines() if line} - {code.co_firstlineno}
    return bool(own & lines_by_file.get(Path(code.co_filename).resolve(), set()))


def public_objects():
    """Yield the name and the functions of each public function, class and command."""
    for part in sklearn_rank.__all__:
        module = getattr(sklearn_rank, part)
        has_code = inspect.ismodule(module) and part != "typing"
        names = module.__all__ if has_code else ()
        for name in names:
            yield f"{part}.{name}", functions_of(getattr(module, name))
    for name in COMMANDS:
        command = import_module(f"sklearn_rank._cli._{name}_command")
        yield f"sklearn-rank {name}", functions_of(getattr(command, name))


def main(path):
    """Read what SlipCover wrote."""
    files = json.loads(Path(path).read_text("utf-8"))["files"]
    lines_by_file = {
        Path(name).resolve(): {*files[name]["executed_lines"]} for name in files
    }
    objects = {name: functions for name, functions in public_objects() if functions}
    missed = [
        name
        for name, functions in objects.items()
        if not any(has_run(function, lines_by_file) for function in functions)
    ]
    n_run = len(objects) - len(missed)
    print(f"{n_run} of {len(objects)} public functions, classes and commands ran")
    if missed:
        sys.exit(", ".join(missed))


if __name__ == "__main__":
    main(sys.argv[1])
