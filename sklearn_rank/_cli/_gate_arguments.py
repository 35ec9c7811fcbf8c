"""Check that results are not worse than a baseline by more than a margin.

The baseline is a table of values per query beside the golden set, GOLDEN with the ending
.baseline.csv, which --update writes: commit it. A query that the baseline does not know,
or whose judgments have changed, is left out with a note. --baseline names another table,
or lists. With --baseline and --candidate alone both are tables of values.

  --queries fixed   the golden set is what matters: the mean difference on its queries
                    decides, pass or fail
  --queries sample  its queries are a sample: the interval of the difference decides, and
                    the verdict may be undecided. Where fewer than ten queries differ, and
                    fewer than half, the interval is exact, if the range is known

Several files of one side, lists with --repeat and columns such as "mrr #2" are repeats of
a noisy system: the interval is over other repeats, too, and the verdict may be undecided.

A table may have any number per query. Metrics of this package have a range and a direction;
--range and --lower-is-better say those of others.

exit codes: 0 pass, 1 fail, 2 undecided, 3 an error. With several metrics all have to pass.
In GitHub Actions the verdict is also shown beside the job.

Examples
--------
sklearn-rank gate results.jsonl golden.jsonl --metric mrr@10 --update
sklearn-rank gate results.jsonl golden.jsonl --margin 0.05 --by category
sklearn-rank gate results.jsonl golden.jsonl --margin ndcg@10=0.05 --floor recall@5=0.85
sklearn-rank gate --baseline old.csv --candidate new.csv --range faithfulness=0,1
"""

import argparse
from collections.abc import Callable
from typing import Any

from sklearn_rank._cli._arguments import (
    add_cluster,
    add_fields,
    add_level,
    add_metrics,
    add_output,
    non_negative_number,
    number_type,
    split_at_commas,
)
from sklearn_rank._cli._errors import InputError

# Exit code 2 is a verdict here, so errors have a different one.
ERROR_CODE = 3
HELP = "check that results are not worse than a baseline"
USAGE = ("[options] RESULTS GOLDEN", "[options] --baseline FILE --candidate FILE ...")


def add_arguments(gate: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = gate.add_argument
    add("results", metavar="RESULTS", nargs="?", help="ranked lists")
    add("golden", metavar="GOLDEN", nargs="?", help="what is relevant")
    text = "values per query or lists (default: GOLDEN with .baseline.csv)"
    more = "; several files are repeats of a noisy system"
    add("--baseline", metavar="FILE", nargs="+", default=[], help=text + more)
    text = "values per query, or lists for --truth"
    add("--candidate", metavar="FILE", nargs="+", default=[], help=text + more)
    text = "write RESULTS as the new baseline, and compare nothing"
    add("--update", action="store_true", help=text)
    text = """largest loss that is accepted, of all metrics or by name as in NAME=M,NAME=M
        (default: 0.05 for metrics from 0 to 1)"""
    add("--margin", metavar="M", type=number_by_name(non_negative_number), help=text)
    text = """what the mean has to reach, of all metrics or by name as in NAME=F; if lower
        is better, what it must not exceed"""
    add("--floor", metavar="F", type=number_by_name(any_number), help=text)
    text = "lowest and highest value, as in NAME=0,1"
    add("--range", metavar="RANGE", type=ranges, help=text)
    for end in ("lower", "higher"):
        text = f"names of numbers for which {end} is better"
        add(f"--{end}-is-better", metavar="NAMES", action="append", default=[], help=text)
    text = "whether only these queries count, or they are a sample of all (default: fixed)"
    add("--queries", choices=("fixed", "sample"), help=text)
    add("--by", metavar="FIELD", help="check each value of a field of GOLDEN, too")
    text = "largest loss of one value of the field (default: %(default)s)"
    add("--by-margin", metavar="M", type=non_negative_number, default=0.1, help=text)
    add_cluster(gate)
    add_metrics(gate, "those of the baseline; of a new one ndcg@10")
    add_level(gate)
    text = """intervals that hold at every number of queries: call it again with more of
        them while it is undecided. Queries that no run answers are not evaluated yet, and
        left out"""
    add("--anytime", action="store_true", help=text)
    text = "file to append a table to, for a step summary"
    add("--markdown", metavar="FILE", help=text)
    add_output(gate)
    add_fields(gate)


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together; find the lists and the golden set."""
    _find_arguments(options)
    if options.golden is not None and options.truth is not None:
        raise InputError("Name the golden set once: as GOLDEN, or with --truth.")
    options.golden = options.golden or options.truth
    if options.golden is None and (options.update or not options.baseline):
        options.golden = options.results  # one file has both
    if options.results is not None and options.candidate:
        raise InputError("Name the results once: as RESULTS, or with --candidate.")
    # The first file of each side, and those of its other repeats.
    options.results, *options.candidate = options.candidate or [options.results]
    options.baseline, *options.repeats_of_baseline = options.baseline or [None]
    if options.results is None or (options.golden is None and options.baseline is None):
        raise InputError(
            "gate needs RESULTS and GOLDEN, or tables of values as --baseline and "
            "--candidate."
        )
    if options.anytime and options.queries == "fixed":
        raise InputError("--anytime is about a sample of queries; leave --queries out.")
    if options.golden is None and (options.update or options.by is not None):
        name = "update" if options.update else "by"
        raise InputError(f"--{name} needs RESULTS and GOLDEN.")
    if options.cluster is not None and options.queries != "sample":
        raise InputError("--cluster is about a sample of queries: add --queries sample.")
    if options.cluster is not None and options.golden is None:
        raise InputError("--cluster is a field of a golden set; name GOLDEN.")
    options.queries = options.queries or ("sample" if options.anytime else "fixed")


def _find_arguments(options: argparse.Namespace) -> None:
    """Take RESULTS and GOLDEN that follow --baseline as such."""
    n = 1 if options.truth is not None else 2
    if options.results is None and not options.candidate and len(options.baseline) > n:
        options.baseline, rest = options.baseline[:-n], options.baseline[-n:]
        options.results, options.golden = [*rest, options.golden][:2]


any_number = number_type("a number", lambda number: True)


def number_by_name(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return the type of an argument that is a number, or a number by name."""

    def read_numbers(text: str) -> Any:
        if "=" not in text:
            return read(text)
        numbers = {}
        for name, values in _entries(text):
            if len(values) != 1:
                raise argparse.ArgumentTypeError(f"needs NAME=NUMBER, got {text!r}")
            numbers[name] = read(values[0])
        return numbers

    return read_numbers


def ranges(text: str) -> dict[str, tuple[float, float]]:
    """Return the lowest and the highest value by name."""
    ends = {name: [*map(any_number, values)] for name, values in _entries(text)}
    if not ends or any(len(pair) != 2 or pair[0] >= pair[1] for pair in ends.values()):
        raise argparse.ArgumentTypeError(f"needs NAME=LOW,HIGH, got {text!r}")
    return {name: (low, high) for name, (low, high) in ends.items()}


def _entries(text: str) -> list[tuple[str, list[str]]]:
    """Return names and the values after their =, between commas outside parentheses."""
    entries: list[tuple[str, list[str]]] = []
    for part in split_at_commas(text):
        name, sign, value = part.rpartition("=")
        if sign and not value.endswith(")"):
            entries.append((name.strip(), [value]))
        elif entries:
            entries[-1][1].append(part)
        else:
            raise argparse.ArgumentTypeError(f"needs NAME=..., got {text!r}")
    return entries
