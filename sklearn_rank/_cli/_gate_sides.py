"""The two sides of a gate: values of the queries that the baseline and the results have."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank._cli._compared import (
    errors_of_comparison,
    metrics_of,
    note_directions,
    read_values_of,
    score_run,
)
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._gate_baseline import read_baseline
from sklearn_rank._cli._golden_sets import Files, digests_of, has_values
from sklearn_rank._cli._named_metrics import split_names
from sklearn_rank.inputs._reading._sides import FileSide
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._registry import canonical_name
from sklearn_rank.statistics._baseline import common_queries, take_queries
from sklearn_rank.statistics._gate_rules import GateRules, finds_nothing


@dataclass
class Sides:
    """The values of both sides for the queries that they have in common."""

    old: PerQueryScores
    new: PerQueryScores
    names: dict[str, str]  # of metrics, by the name that was asked
    truth: FileSide | None = None
    lists: dict[str, Any] | None = None


def sides_of_tables(options: Namespace, files: Files, rules: GateRules) -> Sides:
    """Return the values of two tables, for the queries of both."""
    paths = (options.baseline, options.results)
    old, new = (read_values_of(files, path, growing=options.anytime) for path in paths)
    asked = split_names(options.metric or []) or list(old.scores)
    names = {name: canonical_name(name) for name in asked}
    note_directions(files, asked, rules.lower)
    by_definition = {metric: metric for metric in names.values()}
    old, new = (values._spelled_as(by_definition) for values in (old, new))
    for path, values in zip(paths, (old, new), strict=True):
        for name, metric in names.items():
            if metric not in values.scores:
                raise InputError(
                    f"{path!r} has no values of {name}; it has: {', '.join(values.scores)}."
                )
    common = _common(files, old.groups.tolist(), new.groups.tolist())
    _check_finds(old, names, rules, options.baseline)
    return Sides(take_queries(old, common), take_queries(new, common), names)


def sides_of_results(
    options: Namespace,
    files: Files,
    truth: FileSide,
    path: str,
    asked: Sequence[str],
    rules: GateRules,
) -> Sides:
    """Return the values of the results and of the baseline, for the queries of both."""
    metrics = metrics_of(asked)
    names = {name: metric.name for name, metric in metrics.items()}
    score = (files, truth, options.results, [*metrics.values()], options.convention)
    scored = score_run(*score, answered=options.anytime)
    new, lists = scored.values, None
    if has_values(files.parsed(path, growing=options.anytime)):
        old, digests = read_baseline(files, path, options.convention, names)
        changed = _changed_queries(files, old, digests, truth)
        before, after = (
            [query for query in values.groups.tolist() if query not in changed]
            for values in (old, new)
        )
        common = _common(files, before, after, len(changed))
    else:
        score = (files, truth, path, [*metrics.values()], options.convention)
        base = score_run(*score, only_listed=True)
        if not base.n_hits:
            raise _no_baseline(path)
        old, lists = base.values, {"baseline": base.rows, "candidate": scored.rows}
        common = _common(files, old.groups.tolist(), new.groups.tolist())
    _check_finds(old, names, rules, path)
    both = take_queries(old, common), take_queries(new, common)
    return Sides(*both, names, truth, lists)


def _changed_queries(
    files: Files, old: PerQueryScores, digests: dict[str, str], truth: FileSide
) -> set[str]:
    """Return the queries whose judgments are others than those of the baseline."""
    now = digests_of(truth)
    changed = {
        query
        for query in old.groups.tolist()
        if digests and query in now and digests.get(query) != now[query]
    }
    if changed:
        files.notes.append(
            f"{quantity(len(changed), 'query')} with other judgments than the baseline "
            f"had, such as {shorten(min(changed))}: left out until --update."
        )
    return changed


def _common(
    files: Files, old: Sequence[str], new: Sequence[str], n_changed: int = 0
) -> list[str]:
    """Return the queries of both sides, and note those of one."""
    with errors_of_comparison():
        common, notes = common_queries(old, new, "--update", n_changed)
    files.notes += notes
    return common


def _check_finds(
    old: PerQueryScores, names: dict[str, str], rules: GateRules, path: str
) -> None:
    """Raise if a baseline has no value above 0, as after a broken run."""
    with errors_of_comparison():
        is_void = finds_nothing(old, names.values(), rules)
    if is_void:
        raise _no_baseline(path)


def _no_baseline(path: str) -> InputError:
    return InputError(
        f"The baseline {path!r} finds nothing: ids renamed, or a broken run? Write it "
        "again with --update."
    )
