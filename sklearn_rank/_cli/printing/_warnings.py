"""Warnings as notes: one line each, without the path and the line of a file of Python."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn_rank._cli.printing._printing import print_notes
from sklearn_rank._misleading import without_advice


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print what users are warned of on stderr, each text once."""
    printed = set()
    with warnings.catch_warnings():
        as_python_does = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **rest: Any) -> None:
            if not issubclass(category, UserWarning):  # it is for developers
                as_python_does(message, category, *where, **rest)
                return
            text = without_advice(str(message))
            if text not in printed:
                printed.add(text)
                print_notes(text)

        warnings.showwarning = show
        yield
