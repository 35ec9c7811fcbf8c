"""The fixture `ranking_gate` of pytest: a test fails if a ranking got worse.

Only a test that uses the fixture loads NumPy and the rest of the package.
"""

import csv
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

OPTION = "--update-ranking-baselines"
PROPERTY = "ranking_gate"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("sklearn_rank").addoption(
        OPTION,
        action="store_true",
        help="write the baselines of ranking_gate, and compare nothing",
    )


@pytest.fixture
def ranking_gate(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Compare values per query with those of a committed file; fail if they got worse.

    ``ranking_gate(values, margin=0.01)`` writes them with --update-ranking-baselines.
    """
    node, n_calls = request.node, 0

    def gate(
        values: Any,
        *,
        margin: float,
        baseline: str | os.PathLike | None = None,
        metrics: Any = None,
        clusters: Any = None,
        confidence_level: float = 0.95,
        undecided: str = "fail",
    ) -> Any:
        nonlocal n_calls
        __tracebackhide__ = True
        from sklearn_rank._base._validation import check_given, check_option
        from sklearn_rank.metrics import PerQueryScores
        from sklearn_rank.statistics import gate_model

        is_valid = isinstance(values, PerQueryScores)
        check_given("values", values, is_valid, "a result of per_query_scores")
        check_option("undecided", undecided, ("fail", "pass"))
        n_calls += baseline is None
        path = node.path.parent / (baseline or _default_path(node, n_calls))
        values = values._relabeled(
            [str(one) for one in values.groups.tolist()], values.fold
        )
        if request.config.getoption(OPTION):
            _write_values(path, values)
            return None
        found = gate_model(
            _read_baseline(path, values, metrics),
            values,
            margin=margin,
            metrics=metrics,
            clusters=_clusters_by_text(clusters, values),
            confidence_level=confidence_level,
        )
        node.user_properties += [(PROPERTY, line) for line in found.lines]
        if not found.passes and (found.verdict, undecided) != ("undecided", "pass"):
            text = "\n".join([*found.lines, *found.notes])
            _fail(path, text, "If this is meant, write it again")
        return found

    return gate


def _fail(path: Path, why: str, advice: str) -> None:
    __tracebackhide__ = True
    text = f"{why}\nBaseline: {path}. {advice} with {OPTION}, and commit it."
    pytest.fail(text, pytrace=False)


def _default_path(node: Any, n_calls: int) -> Path:
    """Return the path beside the test file, by the name of the test and of its class."""
    name = re.sub(r"[^\w.-]+", "_", node.nodeid.partition("::")[2])
    again = f"_{n_calls}" if n_calls > 1 else ""
    return Path("baselines") / node.path.stem / f"{name}{again}.csv"


def _clusters_by_text(clusters: Any, values: Any) -> Any:
    """Return the cluster of each label; those of an array are in the order of values."""
    from sklearn_rank._base._validation import check_length

    if clusters is None:
        return None
    if isinstance(clusters, Mapping):
        return {str(label): cluster for label, cluster in clusters.items()}
    check_length("clusters", clusters, len(values), "query")
    return dict(zip(values.groups, clusters, strict=True))


def _write_values(path: Path, values: Any) -> None:
    """Write the table that to_frame().to_csv() writes, without pandas."""
    columns = values._columns()
    cells = [["" if one != one else one for one in of.tolist()] for of in columns.values()]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*cells, strict=True))


def _read_baseline(path: Path, values: Any, metrics: Any) -> Any:
    """Return the values of the file for the queries of the test, in their order."""
    from sklearn_rank.statistics._gate_model import describe_changes

    __tracebackhide__ = True
    if not path.is_file():
        _fail(path, "There is no baseline to compare with.", "Write it")
    columns, old = _read_rows(path)
    wanted = [metrics] if isinstance(metrics, str) else metrics or values.scores
    missing = [name for name in wanted if name not in columns]
    if missing:
        why = f"The baseline has no {missing[0]!r}, only {columns}."
        _fail(path, why, "Write it again")
    labels, fold = values.groups.tolist(), values.fold
    keys = labels if fold is None else list(zip(labels, fold.tolist(), strict=True))
    changes = describe_changes(list(old), keys)
    if changes:
        why = (
            f"The queries differ from those of the baseline: {changes}. Means of different "
            "queries do not compare."
        )
        _fail(path, why, "If this is meant, write it again")
    scores = {name: [old[key][columns.index(name)] for key in keys] for name in wanted}
    return values._like(values.groups, scores, values.weights, fold)


def _read_rows(path: Path) -> tuple[list[str], dict[Any, list[float]]]:
    """Return the names of the metrics, and their values by query, or query and fold."""
    __tracebackhide__ = True
    with path.open(encoding="utf-8", newline="") as file:
        (_, *names), *rows = csv.reader(file)
    has_folds = names[:1] == ["fold"]
    found: dict[Any, list[float]] = {}
    try:
        for label, *cells in rows:
            numbers = [float(cell or "nan") for cell in cells]
            key = (label, int(numbers.pop(0))) if has_folds else label
            found[key] = numbers
    except ValueError as error:
        _fail(path, f"The baseline cannot be read: {error}.", "Write it again")
    return names[has_folds:], found


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the verdicts, of all processes of pytest-xdist, and show them on GitHub."""
    # Each test has one report of its end, and reports cross processes.
    reports = [report for found in terminalreporter.stats.values() for report in found]
    lines = [
        (report, line)
        for report in reports
        if getattr(report, "when", None) == "teardown"
        for name, line in report.user_properties
        if name == PROPERTY
    ]
    if not lines:
        return
    terminalreporter.section("ranking gates")
    for report, line in lines:
        terminalreporter.line(f"{report.nodeid}: {line}")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from sklearn_rank.statistics._gate_model import annotate_line

        for report, line in lines:
            file, number, _ = report.location
            terminalreporter.line(annotate_line(line, file, (number or 0) + 1))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        from sklearn_rank.statistics._comparison_text import escape_markup

        rows = [
            [escape_markup(text, "markdown") for text in (report.nodeid, line)]
            for report, line in lines
        ]
        with open(summary, "a", encoding="utf-8") as file:
            for cells in [["Test", "Ranking gate"], ["---", "---"], *rows]:
                file.write(f"| {' | '.join(cells)} |\n")
            file.write("\n")
