"""Runs of `compare` and `gate`: read, scored and named, and how results are written."""

from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sklearn_rank._base._text import escape_controls
from sklearn_rank._cli._errors import InputError, report_errors_as_options
from sklearn_rank._cli._named_metrics import BoundMetric, read_metric
from sklearn_rank._cli._printing import as_json
from sklearn_rank._cli.files._golden_sets import OF_LISTS, Files, ScoredLists, score_lists
from sklearn_rank._cli.files._output_files import check_output, write_file
from sklearn_rank._cli.files._value_files import read_repeats, take_values
from sklearn_rank.inputs._reading._forms import Table
from sklearn_rank.inputs._reading._sides import FileSide
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._registry import has_metric

PACKED = (".gz", ".bz2", ".xz", ".zip")
ENDINGS = (".csv", ".json", ".html")


def name_runs(paths: Sequence[str]) -> dict[str, str]:
    """Return the path of each run by its name, which a terminal can show."""
    resolved = [Path(path).resolve() for path in paths]
    for position, path in enumerate(resolved):
        if path in resolved[:position]:
            raise InputError(f"The run {paths[position]!r} is given twice.")
    ways = (_stem, lambda path: Path(path).name, str, repr)
    each = ([escape_controls(way(path)) for path in paths] for way in ways)
    names = next(names for names in each if len(set(names)) == len(names))
    return dict(zip(names, paths, strict=True))


def _stem(path: str) -> str:
    name = Path(path)
    return Path(name.stem).stem if name.suffix.lower() in PACKED else name.stem


def score_run(
    files: Files,
    truth: FileSide,
    path: str,
    metrics: Sequence[BoundMetric],
    convention: str | None,
    *,
    answered: bool = False,
    only_listed: bool = False,
) -> ScoredLists:
    """Return the values of a run, of each of its repeats."""
    files.parsed(path, growing=answered)
    lists = files.side(path, "lists")
    settings: Any = {"convention": convention, "answered": answered}
    return score_lists(files, truth, lists, metrics, only_listed=only_listed, **settings)


def metrics_of(names: Sequence[str]) -> dict[str, BoundMetric]:
    """Return the metrics of lists by the names that were asked."""
    return {name: read_metric(name) for name in names}


def read_values_of(
    files: Files, path: str, asked: Sequence[str] = (), *, growing: bool = False
) -> list[PerQueryScores]:
    """Return the values per query of a table, of each repeat."""
    parsed = files.parsed(path, growing=growing)
    parsed = take_values(parsed, files.names.query, asked, files.notes)
    names = parsed.value.names[1:] if isinstance(parsed.value, Table) else []
    if not names or ({*names} - {*asked}) & {*OF_LISTS}:
        raise InputError(
            f"{path!r} is not a table with one row of values per query; for lists name "
            "what is relevant with --truth."
        )
    return read_repeats(parsed, files.notes)[0]


def note_directions(
    files: Files, metrics: Iterable[str], directed: Iterable[str] = ()
) -> None:
    """Note that higher counts as better for numbers of other tools."""
    files.notes += [
        f"{name!r} is not a metric of this package: higher is taken as better."
        for name in metrics
        if not has_metric(name) and name not in directed
    ]


# The options of Python's parameters.
OPTIONS_OF_COMPARISON = {
    **{name: f"--{name}" for name in ("baseline", "test", "correction", "intervals")},
    **{"margin": "--margin", "floor": "--floor", "value_range": "--range"},
    **{"lower_is_better": "--lower-is-better", "clusters": "--cluster"},
    "metrics": "--metric",
}


@contextmanager
def errors_of_comparison() -> Iterator[None]:
    """Name options instead of parameters in the errors of a comparison."""
    with report_errors_as_options(OPTIONS_OF_COMPARISON):
        yield


def check_outputs(options: Namespace, inputs: Sequence[str | None]) -> None:
    """Raise unless the file of --output can be written in the form of its ending."""
    if options.output is None:
        return
    if not options.output.lower().endswith(ENDINGS):
        raise InputError(
            f"--output {options.output!r} needs one of the endings {', '.join(ENDINGS)}."
        )
    check_output(options.output, inputs)


def write_output(
    options: Namespace,
    table: bytes,
    report: Mapping[str, Any],
    notes: Sequence[str],
    comparison: Any,
    lists: Mapping[str, Any] | None,
) -> None:
    """Write a table of values, all numbers, or a page, by the ending of the file."""
    ending = Path(options.output).suffix.lower()
    content = table
    if ending == ".json":
        content = (as_json(options, report, notes) + "\n").encode()
    elif ending == ".html":
        content = (comparison.to_html(lists=lists) or "").encode(errors="backslashreplace")
    write_file(options.output, content)


def check_known_ranges(
    scores: Iterable[Sequence[PerQueryScores]], metrics: Sequence[str], way: str
) -> None:
    """Raise for a metric without a lowest and a highest value, which bound the interval."""
    for values, *_ in scores:
        for name in metrics or values.scores:
            spelled = values._spelled(name)
            if spelled is not None and not values._range_of(spelled).is_bounded:
                raise InputError(
                    f"{way} needs the lowest and the highest possible value, which are not "
                    f"known of {name!r}. Name others with --metric, or leave {way} out."
                )
