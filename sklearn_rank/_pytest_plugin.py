"""The fixture `ranking_gate` of pytest: a test fails if a ranking got worse.

Each run of pytest loads this module where the package is installed. So it imports pytest
and the standard library alone; a test that uses the fixture loads the rest.
"""

import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NoReturn

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

    ``ranking_gate(values)`` writes them with --update-ranking-baselines. `values` are those
    of per_query_scores, a dict from query to value or from metric to such a dict, or a
    Series or DataFrame with queries as its index; a list has repeats of a noisy system. The
    other arguments are those of gate_model; the margin is 0.05 for metrics from 0 to 1, and
    needed for others. It returns a ModelGate, or None if it writes the file.
    """
    node, n_calls = request.node, 0

    def gate(
        values: Any,
        *,
        margin: float | Mapping[str, float] | None = None,
        queries: Literal["fixed", "sample"] = "fixed",
        baseline: str | os.PathLike | None = None,
        metrics: Any = None,
        clusters: Any = None,
        confidence_level: float = 0.95,
        floor: float | Mapping[str, float] | None = None,
        value_range: Any = None,
        lower_is_better: Any = None,
        undecided: str = "fail",
    ) -> Any:
        nonlocal n_calls
        __tracebackhide__ = True
        from sklearn_rank._base._text import escape_controls
        from sklearn_rank._base._validation import check_given, check_option
        from sklearn_rank.statistics._baseline import read_values
        from sklearn_rank.statistics._gate_model import judge
        from sklearn_rank.statistics._gate_rules import MARGIN, GateRules, finds_nothing

        n_calls += 1
        writes = request.config.getoption(OPTION, default=False)
        try:
            is_list = isinstance(values, list | tuple) and len(values) > 0
            repeats = [read_values(each) for each in (values if is_list else [values])]
            values = repeats[0]
            repeats = [values, *map(values.align, repeats[1:])]
            clusters = _clusters_by_text(clusters, values)
            is_path = isinstance(baseline, str | os.PathLike | None)
            check_given("baseline", baseline, is_path, "a path")
            check_option("undecided", undecided, ("fail", "pass"))
            rules = GateRules.read(
                margin, floor, value_range, lower_is_better, default=MARGIN
            )
            path = node.path.parent / (baseline or _default_path(node, n_calls))
            asked = _asked_metrics(values, metrics)
            is_void = any(finds_nothing(each, asked, rules) for each in repeats)
            if writes and is_void:
                raise ValueError("no value is above 0, so they cannot be a baseline")
            # The comparison of values with themselves checks the arguments.
            old, new = repeats, repeats
            notes: list[str] = []
            if not writes:
                old, new, notes = _read_baseline(path, repeats, metrics)
                of_file = _asked_metrics(old[0], metrics)
                if any(finds_nothing(each, of_file, rules) for each in old):
                    why = "The baseline has no value above 0: ids renamed, or a broken run?"
                    _fail(why, path, "Write it again")
            verdict = judge(old, new, rules, queries, metrics, clusters, confidence_level)
            verdict.notes += notes
            if writes:
                _claim(request, path, f"call {n_calls} of {node.nodeid}")
                lines = _changes(path, repeats)
                _write_values(path, repeats)
                node.user_properties += [(PROPERTY, f"wrote: {line}") for line in lines]
                return None
        except (TypeError, ValueError, OSError) as error:
            _fail(f"ranking_gate: {error}")
        node.user_properties += [(PROPERTY, line) for line in verdict.lines]
        if not verdict.passes and (verdict.verdict, undecided) != ("undecided", "pass"):
            worst = [
                f"  {of['difference']:+.3f} {of['metric']}  {of['query']}"
                for of in verdict.worst()
            ]
            text = "\n".join([*verdict.lines, *map(escape_controls, worst), *verdict.notes])
            _fail(text, path, "If this is meant, write it again")
        return verdict

    return gate


def _asked_metrics(values: Any, metrics: Any) -> list[str]:
    """Return the metrics of values that are asked; names are checked later."""
    asked = [metrics] if isinstance(metrics, str) else metrics
    if not isinstance(asked, list | tuple):
        return list(values.scores)
    return [name for name in values.scores if name in asked]


def _changes(path: Path, repeats: Any) -> list[str]:
    """Return what changes in a baseline that is written again, one line per metric."""
    from sklearn_rank.metrics._core._system_repeats import mean_of_repeats
    from sklearn_rank.statistics._baseline import describe_change

    if not path.is_file():
        return []
    try:
        sides = _read_baseline(path, repeats, None)[:2]
    except (ValueError, pytest.fail.Exception):  # it is of other queries, or broken
        return []
    old, new = map(mean_of_repeats, sides)
    return describe_change(old, new, dict(zip(old.scores, old.scores, strict=True)))


def _fail(why: str, path: Path | None = None, advice: str = "") -> NoReturn:
    """Fail with one paragraph, which every terminal and process can take."""
    __tracebackhide__ = True
    from sklearn_rank._base._text import escape_controls

    if path is not None:
        why += f"\nBaseline: {path}. {advice} with {OPTION}, and commit it."
    text = "\n".join(map(escape_controls, why.split("\n")))
    raise pytest.fail.Exception(text, pytrace=False) from None


def _default_path(node: Any, n_calls: int) -> Path:
    """Return the path beside the test file, by the name of the test and of its class.

    No two calls share it, also where a file system takes "A" for "a".
    """
    test = node.nodeid.partition("::")[2]
    name = re.sub(r"[^A-Za-z0-9_.]+", "_", test)[:100]
    if name != test or name != name.lower():
        name += f"-{_digest(test)}"
    again = f"-{n_calls}" if n_calls > 1 else ""
    return Path("baselines") / node.path.stem / f"{name}{again}.csv"


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]


def _claim(request: pytest.FixtureRequest, path: Path, writer: str) -> None:
    """Fail if another call writes the file in this session, in any of its processes."""
    __tracebackhide__ = True
    folder = request.getfixturevalue("tmp_path_factory").getbasetemp()
    if hasattr(request.config, "workerinput"):  # a process of pytest-xdist
        folder = folder.parent
    claim = folder / f"{PROPERTY}-{_digest(os.path.realpath(path).lower())}"
    try:
        with claim.open("x", encoding="utf-8", errors="backslashreplace") as file:
            file.write(writer)
    except FileExistsError:
        # A test that is run again writes its file again.
        first = claim.read_text(encoding="utf-8")
        if first != writer:
            both = f"{first} and {writer} write the same baseline, {path}"
            _fail(f"ranking_gate: {both}. Name another `baseline` in one of them.")


def _clusters_by_text(clusters: Any, values: Any) -> Any:
    """Return the cluster of each label; those of an array are in the order of values."""
    from sklearn_rank._base._validation import check_length

    if clusters is None:
        return None
    if isinstance(clusters, Mapping):
        return {str(label): cluster for label, cluster in clusters.items()}
    check_length("clusters", clusters, len(values), "query")
    return dict(zip(values.groups, clusters, strict=True))


def _write_values(path: Path, repeats: Any) -> None:
    """Write the table that to_frame().to_csv() writes, without pandas."""
    from sklearn_rank._base._files import atomic_file
    from sklearn_rank.metrics._core._system_repeats import column_of_repeat

    columns = repeats[0]._columns()
    for number, values in enumerate(repeats[1:], 2):
        scores = values.scores.items()
        columns |= {column_of_repeat(name, number): of for name, of in scores}
    cells = [
        ["" if cell != cell else cell for cell in of.tolist()] for of in columns.values()
    ]
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows(zip(*cells, strict=True))
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as file:
        file.write(text.getvalue().encode())


def _read_baseline(path: Path, repeats: Any, metrics: Any) -> tuple[Any, Any, list[str]]:
    """Return the repeats of the file and of the test for the queries of both, and notes."""
    import numpy as np

    from sklearn_rank._base._validation import is_iterable
    from sklearn_rank.metrics._core._system_repeats import column_of_repeat
    from sklearn_rank.statistics._baseline import common_queries

    __tracebackhide__ = True
    values = repeats[0]
    if not path.is_file():
        _fail("There is no baseline to compare with.", path, "Write it")
    columns, old = _read_rows(path)
    is_single = isinstance(metrics, str) or not is_iterable(metrics)
    wanted = values.scores if metrics is None else [metrics] if is_single else metrics
    missing = [name for name in values.scores if name in wanted and name not in columns]
    if missing:
        why = f"The baseline has no {missing[0]!r}, only {columns}."
        _fail(why, path, "Write it again")
    labels, fold = values.groups.tolist(), values.fold
    keys = labels if fold is None else list(zip(labels, fold.tolist(), strict=True))
    common, notes = common_queries(list(old), keys, OPTION)
    position = {key: number for number, key in enumerate(keys)}
    used = np.array([position[key] for key in common], dtype=int)
    new = [each.of(used) for each in repeats]
    names = [name for name in values.scores if name in columns]
    before: list[Any] = []
    of_repeat = {name: name for name in names}
    while not before or not set(columns).isdisjoint(of_repeat.values()):
        missing = [column for column in of_repeat.values() if column not in columns]
        if missing:
            _fail(f"The baseline has no {missing[0]!r}.", path, "Write it again")
        scores = {
            name: [old[key][columns.index(column)] for key in common]
            for name, column in of_repeat.items()
        }
        before.append(new[0]._like(new[0].groups, scores, new[0].weights, new[0].fold))
        of_repeat = {name: column_of_repeat(name, len(before) + 1) for name in names}
    return before, new, notes


def _read_rows(path: Path) -> tuple[list[str], dict[Any, list[float]]]:
    """Return the names of the metrics, and their values by query, or query and fold."""
    __tracebackhide__ = True
    by_query: dict[Any, list[float]] = {}
    rows = csv.reader([])
    try:
        text = path.read_bytes().decode()
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        names = next(rows, [])[1:]
        has_folds = names[:1] == ["fold"]
        if not names[has_folds:] or len(set(names)) < len(names):
            raise ValueError(f"the metrics are {names}; name each once")
        for label, *cells in rows:
            if len(cells) != len(names):
                needed = f"{1 + len(names)}, as in line 1"
                raise ValueError(f"{1 + len(cells)} cell(s) instead of {needed}")
            key = (label, int(cells.pop(0))) if has_folds else label
            if key in by_query:
                raise ValueError(f"query {key!r} is there twice")
            by_query[key] = [float(cell or "nan") for cell in cells]
    except (ValueError, csv.Error) as error:
        where = f"line {rows.line_num}: " if rows.line_num else ""
        why = f"The baseline cannot be read: {where}{str(error)[:300]}."
        _fail(why, path, "Write it again")
    return names[has_folds:], by_query


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the verdicts, of all processes of pytest-xdist, and show them on GitHub."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    lines = [(report, line) for report in reports for line in _lines_of(report)]
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
        try:
            _append_table(summary, [(report.nodeid, line) for report, line in lines])
        except OSError as error:
            why = error.strerror or error
            terminalreporter.line(f"Cannot write the summary {summary!r}: {why}.")


def _lines_of(report: Any) -> Iterator[str]:
    """Yield the verdicts of a test; reports and properties of others have any form."""
    # Each test has one report of its end, and reports cross processes.
    if isinstance(report, pytest.TestReport) and report.when == "teardown":
        properties = report.user_properties
        for entry in properties if isinstance(properties, list | tuple) else ():
            match entry:
                case [str(name), str(line)] if name == PROPERTY:
                    if line.startswith(("pass: ", "fail: ", "undecided: ", "wrote: ")):
                        yield line


def _append_table(path: str, rows: list[tuple[str, str]]) -> None:
    from sklearn_rank.statistics._paper_table import escape_markup

    cells = [[escape_markup(text, "markdown") for text in row] for row in rows]
    lines = [["Test", "Ranking gate"], ["---", "---"], *cells]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(f"{table}\n")
