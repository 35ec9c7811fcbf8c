"""Sphinx extension: generate pages and parts of pages from the package."""

from importlib import import_module
from pathlib import Path
from textwrap import indent

import decision_tree
import definitions
import library_table
import tiers
from public_names import MODULES

from sklearn_rank._cli._commands import COMMANDS, command_parser

API_HEAD = """\
=============
API reference
=============

Names that begin with an underscore are private and may change. :ref:`Three tiers <tiers>`
say what else may.

"""
# What a module is for, so short that all modules fit on a screen, and three names.
PURPOSES = {
    "metrics": ("metrics, scorers, pictures", "ranking_scores ndcg_score make_metric"),
    "statistics": ("comparisons, intervals", "compare_runs compare_models gate_model"),
    "online": ("A/B tests, clicks", "compare_variants interleaving_test off_policy_value"),
    "model_selection": ("splitters", "TimeSplit UserKFold describe_split"),
    "recommenders": ("recommenders", "EASERecommender TwoStageRecommender save_model"),
    "rankers": ("rankers, fusion", "GroupRanker PairwiseRanker fuse_runs"),
    "inputs": ("lists, tables, files", "from_item_lists from_files InteractionLog"),
    "distributed": ("data larger than memory", "QueryScorer UserLists summarize"),
    "experiments": ("tune many models", "tune_models evaluate_models"),
    "datasets": ("made-up data, public logs", "make_ranking fetch_movielens read_log"),
    "exceptions": ("warnings to filter", "MisleadingScoreWarning"),
}


def write_parts(app):
    """Write the generated files; unchanged ones keep their modification time."""
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    parts = {
        "decision_tree.svg": decision_tree.decision_tree(),
        "definitions_index.txt": definitions.index(),
        **{f"{name}.rst": text for name, text in definitions.pages().items()},
        "behavior.txt": definitions.behavior_table(),
        "libraries.txt": library_table.library_table(),
        "library_words.txt": library_table.library_words(),
        "library_vectors.txt": library_table.vectors_table(),
        "library_ties.txt": library_table.ties_table(),
        "library_undefined.txt": library_table.undefined_table(),
        "library_precision.txt": library_table.precision_table(),
        "commands.rst": commands(),
        "api.rst": api(),
        "tiers.txt": tiers.table(),
        "young.txt": tiers.YOUNG,
    }
    for name, text in parts.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def api():
    """Return the API page, with one table per module, and metrics by topic."""
    parts = [_modules(), *(_module(module) for module in MODULES)]
    return API_HEAD + "\n".join(parts)


def _modules():
    """Return the table of all modules."""
    rows = [("Module", "Tier", "What it is for", "Such as")]
    for module in MODULES:
        short = module.removeprefix("sklearn_rank.")
        purpose, names = PURPOSES[short]
        names = ", ".join(f"`{name}`" for name in names.split())
        title = f":ref:`{short} <module-{short}>`"
        rows.append((title, tiers.tier_of(module), purpose, names))
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 15 8 22 55"]
    lines += ["   :class: modules stacked", ""]
    for first, *cells in rows:
        lines += [f"   * - {first}", *(f"     - {cell}" for cell in cells)]
    return "\n".join([*lines, ""])


def commands():
    """Return the command-line reference: the output of --help of each command."""
    lines = [
        "======================",
        "Command-line reference",
        "======================",
        "",
    ]
    lines += [
        "This page shows the output of ``--help``. :doc:`/command_line` has examples.",
        "",
    ]
    for name in COMMANDS:
        title = f"``sklearn-rank {name}``"
        text = indent(command_parser(name).format_help(), "   ")
        lines += [title, "=" * len(title), "", ".. code-block:: text", "", text, ""]
    return "\n".join(lines)


def _module(module):
    found = import_module(module)
    title = f"``{module}``"
    label = f".. _module-{module.removeprefix('sklearn_rank.')}:"
    lines = [label, "", title, "=" * len(title), ""]
    lines += [f".. automodule:: {module}", ""]
    lines += [f":ref:`Tier <tiers>`: {tiers.tier_of(module)}.", ""]
    lines += [f".. currentmodule:: {module}", ""]
    parts = {"": sorted(found.__all__, key=str.lower)}
    if module == "sklearn_rank.metrics":
        parts = metric_parts(found)
    for heading, names in parts.items():
        if heading:
            lines += [heading, "-" * len(heading), ""]
        caption = module.removeprefix("sklearn_rank.") + (heading and f": {heading}")
        lines += [".. autosummary::", "   :toctree: .", f"   :caption: {caption}", ""]
        lines += [f"   {name}" for name in names] + [""]
    return "\n".join(lines)


def metric_parts(found):
    """Return the names of the metrics module by topic."""
    parts = {title: [] for _, title, *_ in definitions.TOPICS}
    for metric in definitions.defined_here().values():
        _, title = definitions.topic_of(metric)
        parts.setdefault(title, []).append(metric.function.__name__)
    scores = {name for names in parts.values() for name in names}
    rest = [name for name in found.__all__ if name not in scores]
    displays = [name for name in rest if name.endswith("Display")]
    scorers = [name for name in rest if name.startswith("make_")]
    several = sorted({*rest} - {*displays, *scorers})
    return {
        "Several metrics, and comparisons": several,
        "Scorers": scorers,
        "Displays": displays,
        **parts,
    }


def setup(app):
    """Write the pages before Sphinx collects its source files."""
    write_parts(app)
    return {"parallel_read_safe": True}
