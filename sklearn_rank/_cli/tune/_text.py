"""What `tune` says about candidates and the comparison."""

from argparse import Namespace

import pandas as pd

from sklearn_rank._cli._format import counted
from sklearn_rank._cli._text_tables import (
    describe_candidates,
    describe_paired,
    side_by_side,
)
from sklearn_rank._cli.tune._comparison import Comparison

TIME_DECAYED = "time_decayed_popularity"
TITLES = {
    "tuned": "tuned model",
    "popularity": "popularity",
    TIME_DECAYED: "time-decayed popularity",
}


def describe_search(candidates: pd.DataFrame, options: Namespace) -> str:
    """Return the candidates, best first, with mean and spread over the folds."""
    where = "windows of time" if options.cv == "time" else "last rows of each user"
    title = (
        f"Candidates by {options.metric} on {counted(options.folds, 'fold')}, {where}, "
        "within the training period:"
    )
    return describe_candidates(candidates, title, options.folds)


def titles(comparison: Comparison) -> dict[str, str]:
    """Return the titles of the models to show, without the baseline that was chosen."""
    shown = ["tuned", *comparison.baselines]
    return {name: TITLES[name] for name in shown if name != comparison.chosen}


def describe_comparison(comparison: Comparison) -> str:
    """Return the table of the models on the last period and what it means."""
    shown = titles(comparison).items()
    lines = [
        "On the last period, mean over users ± standard error:",
        *side_by_side({title: comparison.report[name] for name, title in shown}),
        "",
        verdict(comparison),
        f"As Python: {comparison.model}",
    ]
    if comparison.chosen != TIME_DECAYED and TIME_DECAYED in comparison.baselines:
        lines.append(f"Time-decayed popularity: {comparison.baselines[TIME_DECAYED]}")
    return "\n".join(lines)


def verdict(comparison: Comparison) -> str:
    """Return in words whether tuning was worth it."""
    lines = []
    if comparison.chosen is not None:
        title = TITLES[comparison.chosen]
        lines = [
            f"The search chose {title}: no other candidate did better in validation.",
            f"The tuned model does not beat {title}; it is {title}.",
        ]
    for baseline in comparison.baselines:
        if baseline != comparison.chosen:
            lines += _against(comparison, baseline)
    return "\n".join(lines)


def _against(comparison: Comparison, baseline: str) -> list[str]:
    tuned, other = comparison.scores["tuned"], comparison.scores[baseline]
    beats = "beats" if comparison.beats(baseline) else "does not beat"
    negated = " (negated, for lower is better)" if comparison.lower_is_better else ""
    return [
        f"The tuned model {beats} {TITLES[baseline]} on the last period: "
        f"{comparison.metric} {tuned:.4f} against {other:.4f}{negated}.",
        *describe_paired(comparison.against[baseline], "user"),
    ]
