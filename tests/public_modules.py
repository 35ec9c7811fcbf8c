"""The modules whose names are public."""

import sklearn_rank

# Those without functions and classes of their own to document are left out.
MODULES = tuple(
    f"sklearn_rank.{name}"
    for name in sklearn_rank.__all__
    if name not in {"__version__", "show_versions", "typing"}
)
