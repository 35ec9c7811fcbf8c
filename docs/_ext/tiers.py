"""Sphinx extension: the tier of stability of each public name, from tiers.csv."""

import csv
from importlib import import_module
from pathlib import Path

PACKAGE = "sklearn_rank"
YOUNG = (
    "*Young* (:ref:`tiers`): the calls on this page may change in any minor version; the\n"
    "changelog says how to mend them.\n"
)
TIERS = ("core", "settled", "young")
COMMAND = "sklearn-rank"


def tiers():
    """Return the tier of each module and of names that differ from their module."""
    with Path(__file__).parents[1].joinpath("tiers.csv").open(newline="") as file:
        return dict(list(csv.reader(file))[1:])


def tier_of(full):
    """Return the tier of a public module or name, such as sklearn_rank.inputs.from_runs."""
    rows, name = tiers(), full.removeprefix(f"{PACKAGE}.")
    return rows.get(name) or rows.get(name.split(".")[0])


def table():
    """Return the table of tiers for the page on stability."""
    rows = tiers()
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 15 85", ""]
    lines += ["   * - Tier", "     - Modules, names, commands"]
    for tier in TIERS:
        names = [written(name) for name in rows if rows[name] == tier]
        lines += [f"   * - {tier}", f"     - {', '.join(names)}"]
    return "\n".join(lines) + "\n"


def written(name):
    """Return a module, a name or a command as the table writes it."""
    command = name.startswith(COMMAND)
    return f"``{name}``" if command else f"`{name.split('.')[-1]}`"


def add_tier(app, what, name, found, options, lines):
    """Add the tier below the first paragraph of a public name."""
    parts = name.split(".")
    if len(parts) != 3 or parts[0] != PACKAGE or parts[1] not in tiers():
        return
    if parts[2] in getattr(import_module(".".join(parts[:2])), "__all__", ()):
        end = lines.index("") if "" in lines else len(lines)
        lines[end:end] = ["", f":ref:`Tier <tiers>`: {tier_of(name)}."]


def setup(app):
    """Connect the function above, before numpydoc, which reads the lines at 500."""
    app.connect("autodoc-process-docstring", add_tier, priority=450)
    return {"parallel_read_safe": True}
