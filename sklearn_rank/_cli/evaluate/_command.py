"""`sklearn-rank evaluate`: a report of item lists or of scored rows."""

from argparse import Namespace
from functools import partial

import pandas as pd

from sklearn_rank._cli.printing._printing import print_notes, print_result
from sklearn_rank._text._table import aligned

TITLES = {"standard_error": "std error"}


def evaluate(options: Namespace) -> None:
    """Run `sklearn-rank evaluate`."""
    if options.test is None:
        from sklearn_rank._cli.evaluate._rows import evaluate_rows as report_on
    else:
        from sklearn_rank._cli.evaluate._lists import evaluate_lists as report_on
    # Files first: printing fails if the pipe is closed.
    report, notes = report_on(options)
    print_notes(*notes)
    wrote_files = any((options.values, options.picture))
    print_result(partial(_describe_report, report), wrote_files=wrote_files)


def _describe_report(report: pd.DataFrame, width: int) -> str:
    """Return a report of metrics, perhaps by segment, as `ranking_report` prints it."""
    parts = report.index.to_frame(index=False).astype(str)
    # Segments are below the name of their metric.
    metrics = parts["metric"].mask(parts["metric"].duplicated(), "")
    parts["metric"] = metrics.str.ljust(metrics.str.len().max())
    names = parts.agg("  ".join, axis="columns")
    lines = [["", *(TITLES.get(title, title) for title in map(str, report))]]
    for name, cells in zip(names, report.itertuples(index=False), strict=True):
        shown = (f"{one:.4f}" if isinstance(one, float) else str(one) for one in cells)
        lines.append([name, *shown])
    return "\n".join(aligned(lines, width))
