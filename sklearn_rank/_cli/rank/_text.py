"""What `rank` says about the comparison."""

from sklearn_rank._cli.tuning._experiment import TUNED, Comparison
from sklearn_rank._cli.tuning._text_tables import describe_paired, describe_reports
from sklearn_rank._text._table import wrapped
from sklearn_rank.experiments._ranker_families import EQUAL, RANKERS, UNTUNED

ALL_EQUAL = RANKERS[EQUAL].title
TITLES = {TUNED: "tuned model", "untuned": "untuned model", EQUAL: ALL_EQUAL}


def describe_comparison(comparison: Comparison, metric: str, width: int) -> str:
    """Return the table of all models on the test queries and what it means."""
    found = comparison.of_models("report")
    reports = {TITLES[model]: report for model, report in found.items()}
    table = describe_reports(reports, metric, "test queries", width)
    return "\n".join([*table, "", wrapped(verdict(comparison, metric), width)])


def verdict(comparison: Comparison, metric: str) -> str:
    """Return in words whether the tuned model ranks, and whether tuning was worth it."""
    best = comparison.models[TUNED]
    if best == EQUAL:
        return f"The search chose {ALL_EQUAL}: no model did better in validation."
    lines = _against(comparison, EQUAL, ALL_EQUAL, metric)
    if best.startswith(UNTUNED):
        lines.append("The search chose the untuned model: its own values did best.")
    elif "untuned" in comparison.models:
        lines += _against(comparison, "untuned", "the untuned model", metric)
    return "\n".join(lines)


def _against(comparison: Comparison, other: str, title: str, metric: str) -> list[str]:
    tuned, beaten = comparison.mean(TUNED), comparison.mean(other)
    lower = " (lower is better)" if comparison.lower_is_better else ""
    beats = "beats" if comparison.is_better(TUNED, other) else "does not beat"
    return [
        f"The tuned model {beats} {title}: {metric} {tuned:.4f} against {beaten:.4f}"
        f"{lower}.",
        describe_paired(comparison.against[other], "query"),
    ]
