"""Runs in files compared by the statistics of the package, with warnings as notes."""

import textwrap
import warnings
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn_rank._cli.arguments._common_arguments import COMPARED_BY
from sklearn_rank._cli.arguments._named_metrics import each_once, read_metric
from sklearn_rank._cli.reading._judged_runs import read_truth
from sklearn_rank._text._table import WIDTH
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import ModelComparison, compare_models


@dataclass(frozen=True)
class Compared:
    """A comparison, and what users should know of it."""

    comparison: ModelComparison
    notes: list[str]


def compare_runs(options: Namespace, runs: Mapping[str, str], **how: Any) -> Compared:
    """Return the comparison of runs, whose paths are given by name; `how` goes with it.

    The notes say what was noticed in the files, and the warnings of the comparison.
    """
    metrics = each_once(options.metric or [COMPARED_BY], read_metric)
    is_trec = options.qrels is not None
    path = options.qrels if is_trec else options.truth
    truth = read_truth(path, options, list(runs.values()), trec=is_trec)
    notes = list(truth.notes)
    scores = {}
    for name, path in runs.items():
        run = truth.judge(name, path)
        notes += run.notes
        rows = {role: run.rows[role] for role in ("y_true", "y_score", "groups")}
        scores[name] = per_query_scores(**rows, metrics=metrics)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Sign flips are drawn alike each time, so that a run can be repeated.
        comparison = compare_models(
            scores,
            margin=options.margin,
            confidence_level=options.confidence_level,
            random_state=0,
            **how,
        )
    found = [_as_option(warning) for warning in caught if _is_ours(warning)]
    for warning in caught:
        if not _is_ours(warning):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    return Compared(comparison, [*notes, *found])


def noted(notes: Sequence[str], width: int = WIDTH) -> str:
    """Return notes as lines of text, of the width of files or another one."""
    return "\n".join(
        textwrap.fill(f"Note: {note}", min(width, WIDTH), subsequent_indent="  ")
        for note in notes
    )


def _as_option(warning: warnings.WarningMessage) -> str:
    """Return what a warning says, with the option instead of a parameter of Python."""
    option = "--test randomization of `compare`"
    return str(warning.message).replace('test="randomization"', option)


def _is_ours(warning: warnings.WarningMessage) -> bool:
    return warning.category is UserWarning
