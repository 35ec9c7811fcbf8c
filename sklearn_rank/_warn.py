"""Warnings at the line that called this package."""

import sys
import warnings

# This package, and scikit-learn's calls between a user and `fit`.
_INSIDE = (__name__.split(".")[0] + ".", "sklearn.callback.")


def warn_caller(*messages: str, category: type[Warning] = UserWarning) -> None:
    """Show warnings at the first frame outside this package."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(_INSIDE):
        frame, level = frame.f_back, level + 1
    for message in messages:
        warnings.warn(message, category, stacklevel=level)
