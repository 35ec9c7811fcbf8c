"""Show warnings where the caller of a public function stands."""

import warnings
from collections.abc import Iterable


def warn_of(messages: Iterable[str], depth: int = 1) -> None:
    """Show warnings; `depth` counts the functions from the public one to the caller."""
    for message in messages:
        warnings.warn(message, UserWarning, stacklevel=depth + 2)
