"""What `rank` says about the comparison."""

from sklearn_rank._cli._text_tables import describe_paired, describe_reports
from sklearn_rank._cli.rank._candidates import EQUAL, UNTUNED
from sklearn_rank._cli.rank._comparison import RankerComparison
from sklearn_rank._text_table import wrapped

TITLES = {"tuned": "tuned model", "untuned": "untuned model", "equal": EQUAL}


def describe_comparison(comparison: RankerComparison, width: int) -> str:
    """Return the table of all models on the test queries and what it means."""
    reports = {TITLES[model]: report for model, report in comparison.report.items()}
    table = describe_reports(reports, comparison.metric, "test queries", width)
    return "\n".join([*table, "", wrapped(verdict(comparison), width)])


def verdict(comparison: RankerComparison) -> str:
    """Return in words whether the tuned model ranks, and whether tuning was worth it."""
    if comparison.chosen == EQUAL:
        return f"The search chose {EQUAL}: no model did better in validation."
    lines = _against(comparison, "equal", EQUAL)
    if comparison.chosen.endswith(UNTUNED):
        lines.append("The search chose the untuned model: its own values did best.")
    else:
        lines += _against(comparison, "untuned", "the untuned model")
    return "\n".join(lines)


def _against(comparison: RankerComparison, other: str, title: str) -> list[str]:
    tuned, beaten = comparison.means["tuned"], comparison.means[other]
    is_better = tuned < beaten if comparison.lower_is_better else tuned > beaten
    lower = " (lower is better)" if comparison.lower_is_better else ""
    return [
        f"The tuned model {'beats' if is_better else 'does not beat'} {title}: "
        f"{comparison.metric} {tuned:.4f} against {beaten:.4f}{lower}.",
        describe_paired(comparison.against[other], "query"),
    ]
