"""Where the source of a public name stands, for sphinx.ext.linkcode."""

import inspect
import sys
from pathlib import Path

import sklearn_rank

ROOT = Path(sklearn_rank.__file__).parents[1]


def source_of(domain, info):
    """Return the file and the lines of a Python object, or None."""
    if domain != "py":
        return None
    found = sys.modules.get(info["module"])
    for part in info["fullname"].split("."):
        found = getattr(found, part, None)
    try:
        found = inspect.unwrap(found)
        path = Path(inspect.getsourcefile(found))
        lines, first = inspect.getsourcelines(found)
    except (TypeError, OSError):  # data, properties
        return None
    if ROOT not in path.parents:
        return None
    place = path.relative_to(ROOT).as_posix()
    return f"{place}#L{first}-L{first + len(lines) - 1}"
