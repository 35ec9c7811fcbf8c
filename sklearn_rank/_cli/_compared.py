"""Runs compared by the statistics of the package, with warnings as notes."""

import textwrap
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn_rank._cli._layout import WIDTH
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import ModelComparison, compare_models


@dataclass(frozen=True)
class Compared:
    """A comparison, and what users should know of it."""

    comparison: ModelComparison
    notes: list[str]


def compare_runs(
    scores: Mapping[str, PerQueryScores], notes: Sequence[str], **options: Any
) -> Compared:
    """Return the comparison; the notes are those given and the warnings of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Sign flips are drawn alike each time, so that a run can be repeated.
        comparison = compare_models(scores, random_state=0, **options)
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
