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
from sklearn_rank._cli._named_metrics import split_names
from sklearn_rank._cli.files._golden_sets import Files, digests_of, has_values
from sklearn_rank._cli.files._value_files import round_values
from sklearn_rank.inputs._reading._sides import FileSide
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._registry import canonical_name
from sklearn_rank.statistics._baseline import common_queries, take_queries
from sklearn_rank.statistics._gate_rules import GateRules, finds_nothing


@dataclass
class Sides:
    """The values of both sides for the queries that they have in common."""

    old: list[PerQueryScores]  # of each repeat
    new: list[PerQueryScores]
    names: dict[str, str]  # of metrics, by the name that was asked
    truth: FileSide | None = None
    lists: dict[str, Any] | None = None


def sides_of_tables(options: Namespace, files: Files, rules: GateRules) -> Sides:
    """Return the values of two tables, for the queries of both."""
    paths = paths_of(options, "baseline"), paths_of(options, "results")
    asked, growing = split_names(options.metric or []), options.anytime
    read = [
        [(path, read_values_of(files, path, asked, growing=growing)) for path in of_side]
        for of_side in paths
    ]
    asked = asked or list(read[0][0][1][0].scores)
    names = {name: canonical_name(name) for name in asked}
    note_directions(files, asked, rules.lower)
    by_definition = {metric: metric for metric in names.values()}
    sides = []
    for tables in read:
        repeats = [(path, of._spelled_as(by_definition)) for path, v in tables for of in v]
        for path, values in repeats:
            for name, metric in names.items():
                if metric not in values.scores:
                    has = ", ".join(values.scores)
                    raise InputError(f"{path!r} has no values of {name}; it has: {has}.")
        sides.append(_all_repeats(repeats))
    old, new = sides
    common = _common(files, old[0].groups.tolist(), new[0].groups.tolist())
    _check_finds(old, names, rules, options.baseline)
    return Sides(_take(old, common), _take(new, common), names)


def paths_of(options: Namespace, side: str) -> list[str]:
    """Return the paths of a side, one for each file with repeats."""
    repeats = {"baseline": options.repeats_of_baseline, "results": options.candidate}
    return [getattr(options, side), *repeats[side]]


def _all_repeats(repeats: Sequence[tuple[str, PerQueryScores]]) -> list[PerQueryScores]:
    """Return repeats in the order of the first; raise if one lacks a query of another."""
    (first, values), *_ = repeats
    queries = values.groups.tolist()
    for path, of_repeat in repeats:
        theirs = of_repeat.groups.tolist()
        if set(queries) != set(theirs):
            query = min(set(queries) ^ set(theirs))
            lacking, having = (path, first) if query in queries else (first, path)
            raise InputError(
                f"{lacking!r} lacks query {shorten(query)}, which {having!r} has; each "
                "repeat of a system needs all queries."
            )
    return [take_queries(of_repeat, queries) for _, of_repeat in repeats]


def _take(repeats: Sequence[PerQueryScores], queries: list[str]) -> list[PerQueryScores]:
    return [take_queries(values, queries) for values in repeats]


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
    measured = [*metrics.values()], options.convention
    scored = [
        (of_side, score_run(files, truth, of_side, *measured, answered=options.anytime))
        for of_side in paths_of(options, "results")
    ]
    new = _all_repeats([(name, values) for name, of in scored for values in of.repeats])
    repeats, lists, changed = [], None, set()
    for of_side in (path, *options.repeats_of_baseline):
        if has_values(files.parsed(of_side, growing=options.anytime)):
            values, digests = read_baseline(files, of_side, options.convention, names)
            changed |= _changed_queries(files, values[0], digests, truth)
        else:
            base = score_run(files, truth, of_side, *measured, only_listed=True)
            if not base.n_hits:
                raise _no_baseline(of_side)
            values = base.repeats
            lists = {"baseline": base.rows, "candidate": scored[0][1].rows}
        repeats += [(of_side, of_repeat) for of_repeat in values]
    old = _all_repeats(repeats)
    if lists is None:  # a table has fewer decimals than values that were just computed
        old, new = [*map(round_values, old)], [*map(round_values, new)]
    before, after = (
        [query for query in side[0].groups.tolist() if query not in changed]
        for side in (old, new)
    )
    common = _common(files, before, after, len(changed))
    _check_finds(old, names, rules, path)
    return Sides(_take(old, common), _take(new, common), names, truth, lists)


def _changed_queries(
    files: Files, old: PerQueryScores, digests: dict[str, str], truth: FileSide
) -> set[str]:
    """Return the queries whose judgments differ from those of the baseline."""
    now = digests_of(truth)
    changed = {
        query
        for query in old.groups.tolist()
        if digests and query in now and digests.get(query) != now[query]
    }
    if changed:
        files.notes.append(
            f"{quantity(len(changed), 'query')} whose judgments have changed, "
            f"such as {shorten(min(changed))}: left out until --update."
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
    old: Sequence[PerQueryScores], names: dict[str, str], rules: GateRules, path: str
) -> None:
    """Raise if a baseline has no value above 0, as after a broken run."""
    with errors_of_comparison():
        is_void = any(finds_nothing(values, names.values(), rules) for values in old)
    if is_void:
        raise _no_baseline(path)


def _no_baseline(path: str) -> InputError:
    return InputError(
        f"The baseline {path!r} has no value above 0: ids renamed, or a broken run? Write "
        "it again with --update."
    )
