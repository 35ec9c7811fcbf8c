"""Warnings at the line that called this package."""

import sys
import warnings

_PACKAGE = __name__.split(".")[0] + "."


def warn_caller(*messages: str, category: type[Warning] = UserWarning) -> None:
    """Show warnings at the first frame outside this package."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    for message in messages:
        warnings.warn(message, category, stacklevel=level)
