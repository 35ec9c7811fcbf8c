"""Sphinx extension: the tier of stability of each public name, from tiers.csv."""

import csv
from importlib import import_module
from pathlib import Path

PACKAGE = "sklearn_rank"
YOUNG = (
    "*Young* (:ref:`tiers`): the calls on this page may change in any minor version; the\n"
    "changelog says how to mend them.\n"
)
MEANING = {
    "core": "names, parameters and keys change after a minor version with "
    "``FutureWarning``; a number changes only if it was wrong",
    "settled": "as core, but defaults of searches, texts and pages may change with a line "
    "in the changelog",
    "young": "may change in any minor version; the changelog says how to mend a call",
}


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
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 12 44 44", ""]
    cells = [("Tier", "What it promises", "Modules and names")]
    for tier, meaning in MEANING.items():
        names = [f"`{name.split('.')[-1]}`" for name in rows if rows[name] == tier]
        cells.append((tier, meaning, ", ".join(names)))
    for first, second, third in cells:
        lines += [f"   * - {first}", f"     - {second}", f"     - {third}"]
    return "\n".join(lines) + "\n"


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
