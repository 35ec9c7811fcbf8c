"""`sklearn-rank gate`: results against a baseline on one golden set, as an exit code."""

import os
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_rank._base._text import escape_controls
from sklearn_rank._cli._compared import (
    OPTIONS_OF_COMPARISON,
    check_known_ranges,
    check_outputs,
    errors_of_comparison,
    write_output,
)
from sklearn_rank._cli._errors import replace_arguments_by_options
from sklearn_rank._cli._gate_baseline import names_of, path_beside, update
from sklearn_rank._cli._gate_sides import Sides, sides_of_results, sides_of_tables
from sklearn_rank._cli._named_metrics import split_names
from sklearn_rank._cli._printing import as_json, print_notes, print_result
from sklearn_rank._cli.files._golden_sets import Files, clusters_of, labels_of, parts_of
from sklearn_rank._cli.files._output_files import append_text, check_output
from sklearn_rank._cli.files._value_files import values_as_csv
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import ModelGate
from sklearn_rank.statistics._gate_model import annotate_line, judge
from sklearn_rank.statistics._gate_rules import MARGIN, GateRules

EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 2}


def gate(options: Namespace) -> int:
    """Run `sklearn-rank gate` and return the exit code of the verdict."""
    files, rules = Files(options), _rules_of(options)
    repeats = [*options.candidate, *options.repeats_of_baseline]
    inputs = [options.results, options.golden, options.baseline, *repeats]
    check_outputs(options, inputs)
    check_output(options.markdown, inputs)
    if options.golden is None:
        return _Verdict(options, files, rules, sides_of_tables(options, files, rules)).end()
    if options.results == options.golden:
        files.check_holds_both(options.results)
    options.results, options.golden = files.order_sides(options.results, options.golden)
    path = options.baseline or path_beside(options.golden)
    names = names_of(options, files, path)
    truth = files.side(options.golden, "truth")
    if options.update:
        update(options, files, truth, path, names)
        return 0
    sides = sides_of_results(options, files, truth, path, names, rules)
    return _Verdict(options, files, rules, sides).end()


def _rules_of(options: Namespace) -> GateRules:
    """Return margins, floors, ranges and directions."""
    directions = dict.fromkeys(split_names(options.lower_is_better), True)
    directions |= dict.fromkeys(split_names(options.higher_is_better), False)
    with errors_of_comparison():
        return GateRules.read(
            options.margin,
            options.floor,
            options.range,
            directions,
            default=MARGIN,
            margin_option="--margin",
            advice="--lower-is-better {0} or --higher-is-better {0}",
        )


class _Verdict:
    """The verdict on two sides, and on parts of their queries."""

    def __init__(self, options: Namespace, files: Files, rules: GateRules, sides: Sides):
        self.options, self.files, self.sides, self.rules = options, files, sides, rules
        self.clusters = None
        if options.cluster is not None and sides.truth is not None:
            self.clusters = clusters_of(sides.truth, options.cluster, files.notes)
        names, level = [*sides.names], options.confidence_level
        self.result = self._judge(sides.old, sides.new, names, rules, level)
        self.by = self._judge_parts()
        failed = {row["verdict"] for row in self.by} & {"fail"}
        verdicts = {self.result.verdict} | failed
        self.verdict = next(w for w in ("fail", "undecided", "pass") if w in verdicts)
        labels = {} if sides.truth is None else labels_of(sides.truth)
        self.worst = [
            {**entry, "query": labels.get(str(entry["query"]), str(entry["query"]))}
            for entry in self.result.worst()
        ]
        self.notes = files.notes + [
            replace_arguments_by_options(note, OPTIONS_OF_COMPARISON)
            for note in self.result.notes
        ]

    def _judge(
        self,
        old: list[PerQueryScores],
        new: list[PerQueryScores],
        names: Sequence[str],
        rules: GateRules,
        level: float,
    ) -> ModelGate:
        """Return the verdict on two sides with the same queries."""
        queries, is_anytime = self.options.queries, self.options.anytime
        with errors_of_comparison():
            if is_anytime:
                ranges = self.options.range or {}
                unbounded = [name for name in names if name not in ranges]
                check_known_ranges([old, new] if unbounded else [], unbounded, "--anytime")
            test = "anytime" if is_anytime else "auto"
            return judge(old, new, rules, queries, names, self.clusters, level, test)

    def _judge_parts(self) -> list[dict[str, Any]]:
        """Return a row for each metric and value of --by, the largest loss first."""
        options, sides = self.options, self.sides
        if options.by is None or sides.truth is None:
            return []
        parts = parts_of(sides.truth, options.by)
        level = 1 - (1 - options.confidence_level) / len(parts)
        rows = []
        for label, queries in parts.items():
            inside = np.isin(sides.new[0].groups, queries)
            old, new = ([of.of(inside) for of in side] for side in (sides.old, sides.new))
            for name, metric in sides.names.items():
                if (~np.isnan(old[0].scores[metric] + new[0].scores[metric])).sum() < 2:
                    continue
                rules = self.rules.take_metric(name, options.by_margin)
                result = self._judge(old, new, [name], rules, level)
                rows.append({options.by: label, **self._row_of_part(result)})
        lower = self.result.comparison.lower_is_better
        rows.sort(key=lambda row: row["difference"] * (-1) ** (row["metric"] in lower))
        return rows

    def _row_of_part(self, result: ModelGate) -> dict[str, Any]:
        """Return the row of a part, which one query alone cannot fail if all are fixed."""
        row = result.to_dict()["rows"][0]
        if self.options.queries == "fixed" and row["worse"] < 2:
            row["verdict"] = "pass"
        return {**row, "line": result.lines[0].partition(": ")[2]}

    def end(self) -> int:
        """Write what was asked for, and print; return the exit code."""
        options, report, lines = self.options, self._report(), self._lines()
        if options.output is not None:
            table = values_as_csv(self.sides.new, self.sides.names)
            comparison, lists = self.result.comparison, self.sides.lists
            write_output(options, table, report, self.notes, comparison, lists)
        if options.markdown is not None:
            more = lines[len(self.result.lines) :]
            markdown = self.result._markdown_of(self.verdict, more, self.notes)
            append_text(options.markdown, markdown)
        print_notes(*self.notes)
        text = as_json(options, report, self.notes) if options.json else "\n".join(lines)
        if os.environ.get("GITHUB_ACTIONS") == "true" and not options.json:
            parts = [line for line in self._lines_of_parts() if line.startswith("fail")]
            text = "\n".join([text, *map(annotate_line, self.result.lines + parts)])
        wrote_files = options.output is not None or options.markdown is not None
        print_result(text, wrote_files=wrote_files)
        return EXIT_CODES[self.verdict]

    def _report(self) -> dict[str, Any]:
        """Return all numbers, for JSON."""
        numbers = self.result.to_dict()
        names = self.sides.names
        rows = [{**row, "definition": names[row["metric"]]} for row in numbers["rows"]]
        return {
            **{"verdict": self.verdict, "of": self.options.queries, "rows": rows},
            **{"floors": numbers["floors"], "by": self.by, "worst": self.worst},
            "queries": [],
        }

    def _lines(self) -> list[str]:
        """Return the verdicts and, unless all pass, the queries with the largest losses."""
        worst = [
            f"  {entry['difference']:+.3f} {entry['metric']}  "
            f"{escape_controls(entry['query'])}"
            for entry in self.worst
        ]
        verdicts = self.result.lines + self._lines_of_parts()
        return verdicts + (worst if self.verdict != "pass" else [])

    def _lines_of_parts(self) -> list[str]:
        """Return a line for each part; one can only fail the gate."""
        by = self.options.by
        return [
            escape_controls(f"{row['verdict']}: {by} {row[by]}: {row['line']}")
            for row in self.by
        ]
