"""What `tune` says about the folds and the comparison."""

from sklearn_rank._cli._text_tables import (
    describe_paired,
    side_by_side,
)
from sklearn_rank._cli.tune._baselines import POPULARITY, TIME_DECAYED
from sklearn_rank._cli.tune._comparison import RecommenderComparison

# Of what the folds are, by --cv.
FOLDS = {
    "time": ", windows of time, within the training period",
    "last": ", last rows of each user, within the training period",
}
TITLES = {
    "tuned": "tuned model",
    POPULARITY: "popularity",
    TIME_DECAYED: "time-decayed popularity",
}


def titles(comparison: RecommenderComparison) -> dict[str, str]:
    """Return the titles of the models to show, without the baseline that was chosen."""
    shown = ["tuned", *comparison.baselines]
    return {name: TITLES[name] for name in shown if name != comparison.chosen}


def describe_comparison(comparison: RecommenderComparison) -> str:
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


def verdict(comparison: RecommenderComparison) -> str:
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


def _against(comparison: RecommenderComparison, baseline: str) -> list[str]:
    tuned, other = comparison.scores["tuned"], comparison.scores[baseline]
    beats = "beats" if comparison.beats(baseline) else "does not beat"
    negated = " (negated, for lower is better)" if comparison.lower_is_better else ""
    return [
        f"The tuned model {beats} {TITLES[baseline]} on the last period: "
        f"{comparison.metric} {tuned:.4f} against {other:.4f}{negated}.",
        *describe_paired(comparison.against[baseline], "user"),
    ]
