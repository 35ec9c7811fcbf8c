"""The results as rows, and each row as a line of the table."""

from typing import Any

from tests.benchmarks.case import Case, Task
from tests.benchmarks.measure import Times

__all__ = ["check_line", "head_lines", "line_of", "rows_of"]

MS, MB = 1e-3, 1e6
LINE = "{:<20} {:<38} {:>10} {:>10} {:>7} {:>10} {:>10} {:>7} {:>9}  {}"
HEAD = (
    ("", "", "median", "median", "", "least cpu", "least cpu", "", "", ""),
    ("case", "peer", "ours", "peer", "ratio", "ours", "peer", "ratio", "target", ""),
)


def rows_of(case: Case, times: dict[str, Times], peak: int | None) -> list[dict[str, Any]]:
    """Return the rows of one case, in milliseconds and megabytes.

    A ratio is that of ours to the peer's, so that less is better; a target is the largest
    ratio that meets it.
    """
    ours = times[case.ours.name]
    rows = [_beside(case, task, ours, times.get(task.name)) for task in case.peers]
    if case.limit_ms is not None:
        limit = Task(f"the limit of {case.limit_ms} ms", None, limit=1.0)
        seconds = [case.limit_ms * MS]
        rows.append(_beside(case, limit, ours, Times(seconds, seconds)))
    if peak is not None and case.inputs:
        row = _row(case, "memory of the inputs (MB)", case.limit_memory)
        row["ours"], row["peer_value"] = peak / MB, case.input_bytes / MB
        row["ratio"] = peak / case.input_bytes
        row["verdict"] = _verdict(row["ratio"], case.limit_memory)
        rows.append(row)
    return rows


def _beside(case: Case, task: Task, ours: Times, theirs: Times | None) -> dict[str, Any]:
    row = _row(case, task.name, task.limit)
    if theirs is None:
        return row | {"verdict": "not installed"}
    row["ours"], row["peer_value"] = ours.median / MS, theirs.median / MS
    row["ratio"] = ours.median / theirs.median
    row["ours_cpu"], row["peer_cpu"] = ours.least_cpu / MS, theirs.least_cpu / MS
    row["cpu_ratio"] = ours.least_cpu / theirs.least_cpu
    row["repeats"] = len(theirs.clock)
    verdict, by_cpu = (_verdict(row[key], task.limit) for key in ("ratio", "cpu_ratio"))
    row["verdict"] = verdict if verdict == by_cpu else f"{verdict}, by cpu {by_cpu}"
    return row


def _row(case: Case, peer: str, target: float | None) -> dict[str, Any]:
    return {"case": case.name, "size": case.size, "peer": peer, "target": target}


def _verdict(ratio: float, limit: float | None) -> str:
    if limit is None:
        return ""
    return "met" if ratio <= limit else "missed"


def head_lines() -> list[str]:
    return [LINE.format(*names) for names in HEAD]


def line_of(row: dict[str, Any]) -> str:
    keys = ("ours", "peer_value", "ratio", "ours_cpu", "peer_cpu", "cpu_ratio")
    target = "" if row["target"] is None else f"<= {row['target']:.3g}"
    numbers = [_text(row.get(key)) for key in keys]
    return LINE.format(row["case"], row["peer"], *numbers, target, row["verdict"]).rstrip()


def _text(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def check_line(row: dict[str, Any]) -> str:
    """Return one line of the comparison of values."""
    return (
        f"{row['case']:<20} {row['peer']:<38} {row['values']:>3} values, largest "
        f"difference {row['largest_difference']:.1e}, allowed {row['tolerance']:.0e}: "
        + ("agree" if row["agree"] else "DIFFER")
    )
