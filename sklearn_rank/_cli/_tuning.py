"""The search of `tune`, and its results as text."""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from inspect import signature
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._text import format_interval, name_interval, wrap_text
from sklearn_rank._base._time_left import describe_time_left
from sklearn_rank._cli._errors import replace_arguments_by_options, report_errors_as_options
from sklearn_rank._cli._printing import terminal_width
from sklearn_rank._display._section import Section
from sklearn_rank.experiments import ModelTuning, tune_models
from sklearn_rank.experiments._fold_scores import CUTOFFS
from sklearn_rank.experiments._means import compare_all, keep_metric
from sklearn_rank.experiments._tuning_plan import TuningPlan, plan_tuning
from sklearn_rank.statistics._comparison_text import p_text

# Takes the number of finished steps, of all steps, and the share of the work.
Advance = Callable[[int, int, float], None]
# Options for arguments of tune_models in its texts.
OPTIONS = {
    **{name: f"--{name}" for name in ("cv", "user", "item", "time", "choose")},
    **{"test_size": "--holdout", "n_splits": "--folds", "metrics": "--metric"},
    **{"min_relevance": "--min-relevance", "exclude_seen": "--include-seen"},
}
# With more candidates, only the first ones and the best of each model are shown.
MOST_LINES = 16
FIRST_LINES = 8
DIFFERENT_TASKS = (
    "Folds and held-out rows are different tasks; do not compare their values."
)


def plan_search(
    options: Namespace, names: Mapping[str, str], X: Any, y: Any, **arguments: Any
) -> TuningPlan:
    """Return the search for the options of both commands and further arguments.

    `names` are the names in errors of arguments that are not options.
    """
    parameters = signature(tune_models).parameters.values()
    usual = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    del usual["progress"], usual["verbose"]
    shared: dict[str, Any] = {
        "n_splits": options.folds,
        "search": options.search,
        "choose": options.choose,
        "time_budget": options.time_budget,
        "n_jobs": options.jobs,
        "exclude_seen": not getattr(options, "include_seen", False),
        "refit": False,
    }
    with report_errors_as_options({**OPTIONS, **names}, (ValueError,)):
        return plan_tuning(X, y, **usual | shared | arguments)


@contextmanager
def show_progress(label: str) -> Iterator[Advance]:
    """Show progress on stderr if it is a terminal; call the yielded function after steps.

    It takes the number of finished steps, of all steps, and the share of the work.
    """
    start = monotonic()

    def show(text: str, end: str = "") -> None:
        # None if stderr is closed; a closed terminal must not stop the search.
        if sys.stderr is not None and sys.stderr.isatty():
            width = terminal_width() - 1
            with suppress(OSError):
                print(f"\r{text[:width]:{width}}", end=end, file=sys.stderr, flush=True)

    def advance(done: int, total: int, share: float) -> None:
        left = describe_time_left(monotonic() - start, share)
        show(f"{label}: {done} of {total}" + (f", {left}" if left else ""))

    try:
        yield advance
    finally:
        show("", end="\r")


def run_search(plan: TuningPlan, metric: str) -> ModelTuning:
    """Run the search with its progress on stderr, and return its result."""
    with show_progress(f"Tuning by {metric}") as advance:
        return plan.run(lambda *, done, total, share, **_: advance(done, total, share))


def describe_candidates(tuned: ModelTuning, others: Mapping[str, str], width: int) -> str:
    """Return the candidates with mean and spread; of `others` metrics their titles."""
    candidates, folds = tuned.candidates, tuned.n_splits_
    columns = {f"mean_test_{name}": title for name, title in others.items()}
    listed = candidates[_mask_shown_candidates(candidates)]
    lines = [["candidate", "mean", "SD", *columns.values()]]
    rows = listed[["candidate", "mean_test_score", "std_test_score", *columns]]
    for candidate, mean, spread, *values in rows.itertuples(index=False):
        numbers = [f"{mean:.4f}", f"{spread:.4f}" if folds > 1 else "–"]
        lines.append([candidate, *numbers, *(f"{value:.4f}" for value in values)])
    n_hidden = len(candidates) - len(listed)
    worse = f"{quantity(n_hidden, 'more candidate')}"
    names, best = listed["candidate"].tolist(), tuned.best_candidate.words
    section = Section(
        head=[
            f"Candidates by {tuned.metrics[0]} on {quantity(folds, 'fold')}"
            f"{tuned.settings['folds_are']}:"
        ],
        lines=lines,
        notes=[f"{worse}: add --output DIR to get cv_results.csv"] * bool(n_hidden)
        + [DIFFERENT_TASKS] * (tuned.split_ is not None),
        best=names.index(best) if best in names else None,
        names_last=True,
    )
    return section.text(width)


def _mask_shown_candidates(candidates: pd.DataFrame) -> np.ndarray:
    """Return a mask of the rows to show: the first, and the best one of each model."""
    index = np.arange(len(candidates))
    is_first_of_model = ~candidates["model"].duplicated().to_numpy()
    return (len(index) <= MOST_LINES) | (index < FIRST_LINES) | is_first_of_model


def describe_evaluation(tuned: ModelTuning, verdict: Iterable[str], width: int) -> str:
    """Return the tables of the models on the rows held out, and the verdict below."""
    sections = [*tuned._sections(), *([_cutoff_section(tuned)] if tuned.models_ else [])]
    tables = [
        replace_arguments_by_options(section.text(width), OPTIONS) for section in sections
    ]
    return "\n\n".join([*tables, *(wrap_text(text, width) for text in verdict)])


def describe_verdict(tuned: ModelTuning, baselines: Iterable[str]) -> list[str]:
    """Return in words whether the tuned model beats each of the baselines."""
    fitted = [name for name in baselines if name in tuned.models_]
    sentences = []
    if tuned.best_name_ in fitted:
        title = tuned._short_title(tuned.best_name_).removesuffix(" (tuned)")
        sentences.append(
            f"The search chose {title}. The tuned model does not beat {title}; it is "
            f"{title}."
        )
    return sentences + [
        _compare_with_baseline(tuned, name) for name in fitted if name != tuned.best_name_
    ]


def _cutoff_section(tuned: ModelTuning) -> Section:
    """Return the metric at the usual cutoffs, the best model first."""
    metric, curves = tuned.settings["curve_metric"], tuned._curves()
    longest = len(next(iter(curves.values()))[0])
    cutoffs = [k for k in CUTOFFS if k <= longest]
    lines = [["", *(f"{metric}@{k}" for k in cutoffs)]]
    for name, (curve, *_) in curves.items():
        lines.append([name, *(f"{curve[k - 1]:.4f}" for k in cutoffs)])
    return Section(lines=lines)


def _compare_with_baseline(tuned: ModelTuning, baseline: str) -> str:
    metric, title = tuned.metrics[0], tuned._short_title(baseline)
    lower_is_better = metric in tuned.settings["lower_is_better"]
    own, reference = (tuned.means[name][metric] for name in (tuned.best_name_, baseline))
    is_better = own < reference if lower_is_better else own > reference
    assert tuned.split_ is not None
    lower = " (lower is better)" if lower_is_better else ""
    return (
        f"The tuned model {'beats' if is_better else 'does not beat'} {title} on the "
        f"{tuned.split_.held_out}: {metric} {own:.4f} against {reference:.4f}{lower}. "
        f"{_describe_paired_difference(tuned, baseline)}"
    )


def _describe_paired_difference(tuned: ModelTuning, baseline: str) -> str:
    """Return in words for how many users or queries the tuned model is better."""
    metric, unit = tuned.metrics[0], tuned.settings["unit"]
    names = tuned.best_name_, baseline
    if any(tuned.intervals()[name].low is None for name in names):
        return "Without an interval, chance alone may explain it."
    values = {name: keep_metric(tuned.values_[name], metric) for name in names}
    level = tuned.settings["confidence_level"]
    row: Any = compare_all(values, baseline=baseline, confidence_level=level).rows()[0]
    text = (
        f"It is better for {quantity(row.better, unit)}, worse for {row.worse:,} and "
        f"equal for {row.equal:,}; difference {row.difference:+.4f}, SE "
        f"{row.standard_error:.4f}, {name_interval(level)} "
        f"{format_interval(row.low, row.high, '+.4f')}, p {p_text(row.p_value)}."
    )
    # Where all are equal there is nothing that chance could explain.
    if row.verdict == "undecided" and row.better + row.worse > 0:
        text += " The interval contains 0: chance alone may explain it."
    return text
