"""`sklearn-rank gate`: results against a baseline on one golden set, as an exit code."""

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank._base._text import escape_controls
from sklearn_rank._cli._arguments import DEFAULT_METRIC
from sklearn_rank._cli._compared import (
    check_known_ranges,
    check_outputs,
    errors_of_comparison,
    metrics_of,
    read_values_of,
    score_run,
    write_output,
)
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._golden_sets import (
    JUDGMENTS,
    Files,
    digests_of,
    has_values,
    labels_of,
    parts_of,
)
from sklearn_rank._cli._named_metrics import split_names
from sklearn_rank._cli._output_files import append_text, check_output
from sklearn_rank._cli._printing import as_json, print_notes, print_result
from sklearn_rank._cli._value_files import read_values, values_as_csv, write_values
from sklearn_rank.inputs._reading._sides import FileSide
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._registry import canonical_name
from sklearn_rank.statistics import ModelGate, compare_models, gate_model
from sklearn_rank.statistics._baseline import (
    common_queries,
    default_margin,
    finds_nothing,
    take_queries,
)

EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 2}
ENDING = ".baseline.csv"
# The largest losses that are shown.
WORST = 3


@dataclass
class Compared:
    """The values of both sides for the queries that they have in common."""

    old: PerQueryScores
    new: PerQueryScores
    names: dict[str, str]  # of metrics, by the name that was asked
    labels: dict[str, str] = field(default_factory=dict)  # the texts of queries
    truth: FileSide | None = None
    lists: dict[str, Any] | None = None


def gate(options: Namespace) -> int:
    """Run `sklearn-rank gate` and return the exit code of the verdict."""
    files = Files(options)
    inputs = [options.results, options.golden, options.baseline]
    check_outputs(options, inputs)
    check_output(options.markdown, inputs)
    if options.golden is None:
        return _report(options, files, _compare_values(options, files))
    options.results, options.golden = files.in_order(options.results, options.golden)
    path = options.baseline or _path_beside(options.golden)
    names = _names_of(options, files, path)
    truth = files.side(options.golden, "truth")
    if options.update:
        _update(options, files, truth, path, names)
        return 0
    return _report(
        options, files, _compare_with_baseline(options, files, truth, path, names)
    )


def _path_beside(golden: str) -> str:
    """Return the path of the baseline of a golden set: its own with another ending."""
    path = Path(golden)
    return str(path.with_name(path.name.split(".")[0] + ENDING))


def _column(name: str, convention: str | None) -> str:
    """Return the column of a metric: its convention is part of its definition."""
    return name if convention is None else f"{name} [{convention}]"


def _names_of(options: Namespace, files: Files, path: str) -> list[str]:
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
    columns = [str(name) for name in parsed.value.names[1:] if name != JUDGMENTS]
    names = [name.removesuffix(end) for name in columns if name.endswith(end)]
    if any("[" in name for name in names) or not names:
        raise InputError(
            f"{path!r} has values of {', '.join(columns)}, and --convention is "
            f"{options.convention}; name that of the file, or write it again with --update."
        )
    return names


# The two sides.


def _compare_values(options: Namespace, files: Files) -> Compared:
    """Return the values of two tables, for the queries of both."""
    paths = (options.baseline, options.results)
    old, new = (read_values_of(files, path, growing=options.anytime) for path in paths)
    asked = split_names(options.metric or [])
    names = {name: canonical_name(name) for name in asked or old.scores}
    for path, values in zip(paths, (old, new), strict=True):
        for name, metric in names.items():
            if metric not in values.scores:
                raise InputError(
                    f"{path!r} has no values of {name}; it has: {', '.join(values.scores)}."
                )
    common = _common(files, old.groups.tolist(), new.groups.tolist())
    _check_finds(old, names.values(), options.baseline)
    return Compared(take_queries(old, common), take_queries(new, common), names)


def _compare_with_baseline(
    options: Namespace, files: Files, truth: FileSide, path: str, names: Sequence[str]
) -> Compared:
    """Return the values of the results and of the baseline, for the queries of both."""
    metrics = metrics_of(names)
    settings = {"convention": options.convention, "answered": options.anytime}
    scored = score_run(files, truth, options.results, [*metrics.values()], **settings)
    new, lists = scored.values, None
    bound = {name: metric.name for name, metric in metrics.items()}
    parsed = files.parsed(path, growing=options.anytime)
    if has_values(parsed):
        old, digests = _read_baseline(files, path, options.convention, bound)
        now, queries = digests_of(truth), set(old.groups.tolist())
        changed = [
            query for query in queries if query in now and digests.get(query) != now[query]
        ]
        changed = changed if digests else []
        if changed:
            files.notes.append(
                f"{quantity(len(changed), 'query')} with other judgments than the baseline "
                f"had, such as {shorten(min(changed))}: left out until --update."
            )
        before = [query for query in old.groups.tolist() if query not in set(changed)]
        after = [query for query in new.groups.tolist() if query not in set(changed)]
        common = _common(files, before, after, len(changed))
    else:
        base = score_run(files, truth, path, [*metrics.values()], **settings)
        old, lists = base.values, {"baseline": base.rows, "candidate": scored.rows}
        if not base.n_hits:
            raise _no_baseline(path)
        listed = set(base.rows.groups[base.rows.y_score > -np.inf].tolist())
        before = [query for query in old.groups.tolist() if query in listed]
        common = _common(files, before, new.groups.tolist())
    _check_finds(old, bound.values(), path)
    return Compared(
        take_queries(old, common),
        take_queries(new, common),
        bound,
        labels_of(truth),
        truth,
        lists,
    )


def _read_baseline(
    files: Files, path: str, convention: str | None, names: Mapping[str, str]
) -> tuple[PerQueryScores, dict[str, str]]:
    """Return the values of a baseline file, its metrics without their convention."""
    parsed = files.parsed(path)
    table = parsed.value
    end = _column("", convention)
    columns = [
        name.removesuffix(end) if name.endswith(end) and end else name
        for name in map(str, table.names)
    ]
    values, digests = read_values(
        type(parsed)(parsed.content, table._replace(names=columns)), files.notes
    )
    for name, metric in names.items():
        if metric not in values.scores:
            has = ", ".join(name for name in map(str, table.names[1:]) if name != JUDGMENTS)
            raise InputError(
                f"{path!r} has no values of {_column(name, convention)}; it has: {has}. "
                "Name these with --metric, or write it again with --update."
            )
    return values, digests


def _common(
    files: Files, old: Sequence[str], new: Sequence[str], n_changed: int = 0
) -> list[str]:
    """Return the queries of both sides, and note those of one."""
    with errors_of_comparison():
        common, notes = common_queries(old, new, "--update", n_changed)
    files.notes += notes
    return common


def _check_finds(old: PerQueryScores, metrics: Any, path: str) -> None:
    """Raise if a baseline has no value above 0, as after a broken run."""
    if finds_nothing(old, metrics):
        raise _no_baseline(path)


def _no_baseline(path: str) -> InputError:
    return InputError(
        f"The baseline {path!r} finds nothing: ids renamed, or a broken run? Write it "
        "again with --update."
    )


def _update(
    options: Namespace, files: Files, truth: FileSide, path: str, names: Sequence[str]
) -> None:
    """Write the values of the results as the baseline; say what changes."""
    metrics = metrics_of(names)
    inputs = [options.results, options.golden]
    check_output(path, inputs)
    scored = score_run(
        files, truth, options.results, [*metrics.values()], options.convention
    )
    if not scored.n_hits:
        raise InputError(
            f"No list of {options.results!r} has a relevant item, so it cannot be a "
            "baseline: ids renamed, or a broken run?"
        )
    lines = []
    if os.path.exists(path) and has_values(files.parsed(path)):
        bound = {name: metric.name for name, metric in metrics.items()}
        try:
            old, _ = _read_baseline(files, path, options.convention, bound)
        except InputError:  # of other metrics
            bound = {}
        for name, metric in bound.items():
            both = [
                q for q in scored.values.groups.tolist() if q in set(old.groups.tolist())
            ]
            if both:
                before, after = (
                    take_queries(old, both).scores[metric],
                    take_queries(scored.values, both).scores[metric],
                )
                n_fallen = int((after < before).sum())
                lines.append(
                    f"{name}: {np.nanmean(before):.4f} was the mean of these queries, "
                    f"{np.nanmean(after):.4f} is; {n_fallen:,} of {len(both):,} fell."
                )
    columns = {
        _column(name, options.convention): metric.name for name, metric in metrics.items()
    }
    write_values(path, scored.values, columns, {JUDGMENTS: digests_of(truth)})
    print_notes(*files.notes)
    n = quantity(len(scored.values), "query")
    wrote = f"Wrote {path}: {n}, {', '.join(columns)}. Commit it."
    print_result("\n".join([*lines, wrote]), wrote_files=True)


# The verdict.


def _report(options: Namespace, files: Files, compared: Compared) -> int:
    """Judge, write what was asked for, and print; return the exit code."""
    result = _judge(
        options, compared.old, compared.new, [*compared.names], _margin(options, compared)
    )
    by = _judge_parts(options, compared)
    by.sort(key=lambda row: row["difference"])
    verdicts = {result.verdict} | {row["verdict"] for row in by if row["verdict"] == "fail"}
    verdict = next(word for word in ("fail", "undecided", "pass") if word in verdicts)
    worst = _worst(compared)
    rows = [
        {**row, "definition": compared.names[row["metric"]]}
        for row in result.to_dict()["rows"]
    ]
    notes = [*files.notes, *result.notes]
    report = {
        **{
            "verdict": verdict,
            "of": options.queries,
            "rows": rows,
            "by": by,
            "worst": worst,
        },
        "queries": [],
    }
    lines = result.lines + [
        f"{row['verdict']}: {options.by} {row[options.by]}: {row['line']}"
        for row in by
        if row["verdict"] == "fail"
    ]
    if verdict != "pass":
        lines += [
            f"  {q['difference']:+.3f} {q['metric']}  {escape_controls(q['query'])}"
            for q in worst
        ]
    if options.output is not None:
        table = values_as_csv(compared.new, compared.names)
        write_output(options, table, report, notes, result.comparison, compared.lists)
    if options.markdown is not None:
        append_text(options.markdown, result.to_markdown())
    wrote_files = options.output is not None or options.markdown is not None
    print_notes(*notes)
    text = as_json(options, report, notes) if options.json else "\n".join(lines)
    if os.environ.get("GITHUB_ACTIONS") == "true" and not options.json:
        text = "\n".join([text, *result.annotations()])
    print_result(text, wrote_files=wrote_files)
    return EXIT_CODES[verdict]


def _margin(options: Namespace, compared: Compared) -> float:
    """Return the margin; by default that of metrics from 0 to 1."""
    if options.margin is not None:
        return options.margin
    with errors_of_comparison():
        return default_margin(compared.new, compared.names.values(), "--margin")


def _judge(
    options: Namespace,
    old: PerQueryScores,
    new: PerQueryScores,
    names: Sequence[str],
    margin: float,
    level: float | None = None,
) -> ModelGate:
    """Return the verdict on two sides with the same queries."""
    level = options.confidence_level if level is None else level
    settings: Any = {"margin": margin, "confidence_level": level, "metrics": names}
    with errors_of_comparison():
        if not options.anytime:
            return gate_model(old, new, queries=options.queries, **settings)
        both = {"baseline": old, "candidate": new}
        check_known_ranges(both, "--anytime")
        comparison = compare_models(
            both, baseline="baseline", test="anytime", correction=None, **settings
        )
        return ModelGate(comparison)


def _judge_parts(options: Namespace, compared: Compared) -> list[dict[str, Any]]:
    """Return a row for each metric and value of --by; one can only fail the gate."""
    if options.by is None or compared.truth is None:
        return []
    parts = parts_of(compared.truth, options.by)
    rows = []
    for label, queries in parts.items():
        inside = np.isin(compared.new.groups, queries)
        if inside.sum() < 2:
            continue
        old, new = compared.old.of(inside), compared.new.of(inside)
        for name, metric in compared.names.items():
            if (~np.isnan(old.scores[metric] + new.scores[metric])).sum() < 2:
                continue
            level = 1 - (1 - options.confidence_level) / len(parts)
            result = _judge(options, old, new, [name], options.by_margin, level)
            row = result.to_dict()["rows"][0]
            loss = old.scores[metric] - new.scores[metric]
            loss = -loss if metric in new.lower_is_better else loss
            if options.queries == "fixed" and (loss > 0).sum() < 2:
                row["verdict"] = "pass"
            line = result.lines[0].partition(": ")[2]
            rows.append({options.by: label, **row, "line": line})
    return rows


def _worst(compared: Compared) -> list[dict[str, Any]]:
    """Return the queries with the largest losses."""
    losses: list[dict[str, Any]] = []
    for name, metric in compared.names.items():
        change = compared.new.scores[metric] - compared.old.scores[metric]
        loss = change if metric in compared.new.lower_is_better else -change
        for row in np.argsort(-np.nan_to_num(loss), kind="stable")[:WORST].tolist():
            if loss[row] > 0:
                query = str(compared.new.groups[row])
                losses.append(
                    {
                        "query": compared.labels.get(query, query),
                        "metric": name,
                        "difference": float(change[row]),
                        "loss": float(loss[row]),
                    }
                )
    losses.sort(key=lambda entry: -entry["loss"])
    return losses[:WORST]
