"""The baseline of a golden set: its file, what its columns mean, and how it is written."""

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sklearn_rank._base._messages import quantity
from sklearn_rank._cli._arguments import DEFAULT_METRIC
from sklearn_rank._cli._compared import metrics_of, score_run
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._named_metrics import split_names
from sklearn_rank._cli._printing import print_notes, print_result
from sklearn_rank._cli.files._golden_sets import JUDGMENTS, Files, digests_of, has_values
from sklearn_rank._cli.files._output_files import check_output
from sklearn_rank._cli.files._value_files import read_repeats, write_values
from sklearn_rank.inputs._reading._sides import FileSide
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._system_repeats import (
    column_of_repeat,
    mean_of_repeats,
    repeat_of_column,
)
from sklearn_rank.statistics._baseline import describe_change

ENDING = ".baseline.csv"


def path_beside(golden: str) -> str:
    """Return the path of the baseline of a golden set: its own with another ending."""
    path = Path(golden)
    return str(path.with_name(path.name.split(".")[0] + ENDING))


def _column(name: str, convention: str | None) -> str:
    """Return the column of a metric: its convention is part of its definition."""
    return name if convention is None else f"{name} [{convention}]"


def names_of(options: Namespace, files: Files, path: str) -> list[str]:
    """Return the metrics: those that were asked, or those of the baseline."""
    asked = split_names(options.metric or [])
    if not os.path.exists(path):
        if options.update:
            return asked or [DEFAULT_METRIC]
        if options.baseline is not None:
            raise InputError(f"There is no file {path!r}; check the name and the folder.")
        raise InputError(
            f"There is no baseline {path!r} yet; write it with: sklearn-rank gate "
            f"{options.results} {options.golden} --update"
        )
    parsed = files.parsed(path)
    if asked or not has_values(parsed):
        return asked or [DEFAULT_METRIC]
    end = _column("", options.convention)
    read = [repeat_of_column(str(name)) for name in parsed.value.names[1:]]
    columns = [name for name, number in read if number == 1 and name != JUDGMENTS]
    names = [name.removesuffix(end) for name in columns if name.endswith(end)]
    if any("[" in name for name in names) or not names:
        convention = options.convention or "left out"
        raise InputError(
            f"{path!r} has values of {', '.join(columns)}, and --convention is "
            f"{convention}; name that of the file, or write it again with --update."
        )
    return names


def read_baseline(
    files: Files, path: str, convention: str | None, names: Mapping[str, str]
) -> tuple[list[PerQueryScores], dict[str, str]]:
    """Return the values of a baseline file by definition, and digests of judgments.

    `names` has the definitions of metrics by the names that were asked.
    """
    parsed = files.parsed(path)
    table = parsed.value
    end = _column("", convention)
    columns = [
        column_of_repeat(name.removesuffix(end), number)
        for name, number in map(repeat_of_column, map(str, table.names))
    ]
    read, digests = read_repeats(
        type(parsed)(parsed.content, table._replace(names=columns)), files.notes
    )
    repeats = [of._spelled_as({metric: metric for metric in names.values()}) for of in read]
    for name, metric in names.items():
        if metric not in repeats[0].scores:
            has = ", ".join(name for name in map(str, table.names[1:]) if name != JUDGMENTS)
            raise InputError(
                f"{path!r} has no values of {_column(name, convention)}; it has: {has}. "
                "Name these with --metric, or write it again with --update."
            )
    return repeats, digests


def update(
    options: Namespace, files: Files, truth: FileSide, path: str, names: Sequence[str]
) -> None:
    """Write the values of the results as the baseline; say what changes."""
    metrics = metrics_of(names)
    check_output(path, [options.results, options.golden])
    repeats, n_empty = [], 0
    for results in (options.results, *options.candidate):
        scored = score_run(files, truth, results, [*metrics.values()], options.convention)
        if not scored.n_hits:
            raise InputError(
                f"No list of {results!r} has a relevant item, so it cannot be a baseline: "
                "ids renamed, or a broken run?"
            )
        repeats += scored.repeats
        n_empty = max(n_empty, scored.n_empty)
    means = mean_of_repeats(repeats)
    lines: list[str] = []
    if os.path.exists(path) and has_values(files.parsed(path)):
        definitions = {name: metric.name for name, metric in metrics.items()}
        with suppress(InputError):  # of other metrics
            old, _ = read_baseline(files, path, options.convention, definitions)
            lines = describe_change(mean_of_repeats(old), means, definitions)
    n = quantity(len(means), "query")
    if n_empty:
        lines += [f"{n_empty:,} of {n} have an empty list."]
    columns = {
        _column(name, options.convention): metric.name for name, metric in metrics.items()
    }
    write_values(path, repeats, columns, {JUDGMENTS: digests_of(truth)})
    print_notes(*files.notes)
    each = f" in {len(repeats)} repeats" if len(repeats) > 1 else ""
    wrote = f"Wrote {path}: {n}{each}, {', '.join(columns)}. Commit it."
    print_result("\n".join([*lines, wrote]), wrote_files=True)
