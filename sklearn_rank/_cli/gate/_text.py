"""Verdicts as a line of text and as a table of Markdown."""

from collections.abc import Sequence

from sklearn_rank._cli.gate._verdict import Verdict, overall
from sklearn_rank._cli.printing._format import counted

COLUMNS = ("Metric", "Baseline", "Candidate", "Difference", "Interval", "Margin", "Queries")


def as_line(verdict: Verdict) -> str:
    """Return the verdict, the difference and its interval in one line."""
    return (
        f"{verdict.verdict}: {verdict.name} of {verdict.candidate} - {verdict.baseline}: "
        f"{_signed(verdict.difference)}, {verdict.level} interval {_interval(verdict)}, "
        f"margin {verdict.margin:g}, {counted(verdict.n_queries, 'query')}"
    )


def as_markdown(verdicts: Sequence[Verdict], notes: Sequence[str]) -> str:
    """Return a heading, a table with a row a metric, and the notes."""
    first = verdicts[0]
    heading = (
        f"### {overall(verdicts)}: {_escaped(first.candidate)} against "
        f"{_escaped(first.baseline)}"
    )
    rows = [(*COLUMNS, "Verdict"), ("---",) * (len(COLUMNS) + 1)]
    rows += [_row(verdict) for verdict in verdicts]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    paragraphs = [heading, table, *(f"Note: {_escaped(note)}" for note in notes)]
    return "\n\n".join(paragraphs) + "\n\n"


def _row(verdict: Verdict) -> tuple[str, ...]:
    return (
        _escaped(verdict.name),
        f"{verdict.mean_baseline:.4f}",
        f"{verdict.mean_candidate:.4f}",
        _signed(verdict.difference),
        f"{_interval(verdict)} ({verdict.level})",
        f"{verdict.margin:g}",
        f"{verdict.n_queries:,}",
        verdict.verdict,
    )


def _interval(verdict: Verdict) -> str:
    return f"{_signed(verdict.low)} to {_signed(verdict.high)}"


def _signed(number: float) -> str:
    """Return a number with its sign, and small ones with the digits that count."""
    return f"{number:+.4f}" if number == 0 or abs(number) >= 0.001 else f"{number:+.2g}"


def _escaped(text: str) -> str:
    """Return text that neither ends a cell nor starts other Markdown."""
    one_line = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\|`*_<>[]#" else sign for sign in one_line)
