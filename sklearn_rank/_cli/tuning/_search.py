"""The search of `tune` or `rank`: planned from options, run with progress, printed."""

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli.printing._errors import errors_as_options
from sklearn_rank._cli.printing._printing import bold
from sklearn_rank._cli.printing._progress import show_progress
from sklearn_rank._presentation._section import Section
from sklearn_rank._text._wording import counted
from sklearn_rank.experiments import ModelTuning
from sklearn_rank.experiments._plan_tuning import plan_tuning
from sklearn_rank.experiments._tuning_plan import TuningPlan

# Options for arguments of tune_models in its texts.
OPTIONS = {
    "test_size": "--holdout",
    "n_splits": "--folds",
    "cv": "--cv",
    "min_relevance": "--min-relevance",
    "metrics": "--metric",
    "user": "--user",
    "item": "--item",
    "time": "--time",
    "choose": "--choose",
    "exclude_seen": "--include-seen",
}
# Arguments of tune_models for logs; files of queries have none.
OF_LOGS = ("user", "item", "time", "min_relevance", "cv", "test_size")
# With more candidates, only the first ones and the best of each model are shown.
MOST_LINES = 16
FIRST_LINES = 8


def plan_search(
    options: Namespace, names: Mapping[str, str], **arguments: Any
) -> TuningPlan:
    """Return the search for the options of both commands and further arguments.

    `names` are the names in errors of arguments that are not options.
    """
    shared = {
        "n_splits": options.folds,
        "search": options.search,
        "choose": options.choose,
        "time_budget": options.time_budget,
        "n_jobs": options.jobs,
        "exclude_seen": not getattr(options, "include_seen", False),
        "n_candidates": None,
        "refit": False,
        "error_score": np.nan,
        "memory": None,
        "random_state": 0,
        **dict.fromkeys(OF_LOGS),
    }
    with errors_as_options({**OPTIONS, **names}, (ValueError,)):
        return plan_tuning(**{**shared, **arguments})


def run_search(plan: TuningPlan, metric: str) -> ModelTuning:
    """Run the search with its progress on stderr, and return its result."""
    with show_progress(f"Tuning by {metric}") as advance:
        return plan.run(lambda *, done, total, share, **_: advance(done, total, share))


def describe_candidates(tuned: ModelTuning, others: Mapping[str, str], width: int) -> str:
    """Return the candidates with mean and spread; of `others` metrics their titles."""
    candidates, folds = tuned.candidates, tuned.n_splits_
    columns = {f"mean_test_{name}": title for name, title in others.items()}
    shown = candidates[_is_shown(candidates)]
    lines = [["candidate", "mean", "± spread", *columns.values()]]
    rows = shown[["candidate", "mean_test_score", "std_test_score", *columns]]
    for candidate, mean, spread, *values in rows.itertuples(index=False):
        numbers = [f"{mean:.4f}", f"{spread:.4f}" if folds > 1 else "–"]
        lines.append([candidate, *numbers, *(f"{value:.4f}" for value in values)])
    n_hidden = len(candidates) - len(shown)
    worse = f"{counted(n_hidden, 'candidate')} below the best of their model"
    names, best = shown["candidate"].tolist(), tuned.best_candidate.words
    section = Section(
        head=[
            f"Candidates by {tuned.metrics[0]} on {counted(folds, 'fold')}"
            f"{tuned.settings['folds_are']}:"
        ],
        lines=lines,
        notes=[f"and {worse}: see cv_results.csv of --output"] * bool(n_hidden),
        best=names.index(best) if best in names else None,
        names_last=True,
    )
    return section.text(width, bold)


def _is_shown(candidates: pd.DataFrame) -> np.ndarray:
    """Return a mask of the rows to show: the first, and the best one of each model."""
    place = np.arange(len(candidates))
    is_first_of_model = ~candidates["model"].duplicated().to_numpy()
    return (len(place) <= MOST_LINES) | (place < FIRST_LINES) | is_first_of_model
