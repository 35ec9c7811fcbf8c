"""Check that results are not worse than a baseline by more than a margin.

The baseline is a table of values per query beside the golden set, GOLDEN with the ending
.baseline.csv, which --update writes: commit it. A query that the baseline does not know,
or whose judgments have changed, is left out with a note. --baseline names another table,
or lists. With --baseline and --candidate alone both are tables of values.

  --queries fixed   the golden set is what matters: the mean difference on its queries
                    decides, pass or fail
  --queries sample  its queries are a sample: the interval of the difference decides, and
                    the verdict may be undecided. Where fewer than ten queries differ, and
                    fewer than half, the interval is exact

exit codes: 0 pass, 1 fail, 2 undecided, 3 an error. With several metrics all have to pass.
In GitHub Actions the verdict is also shown beside the job.

Examples
--------
sklearn-rank gate results.jsonl golden.jsonl --metric mrr@10 --update
sklearn-rank gate results.jsonl golden.jsonl --margin 0.05 --by category
sklearn-rank gate --baseline old.csv --candidate new.csv --queries sample
"""

import argparse

from sklearn_rank._cli._arguments import (
    add_fields,
    add_level,
    add_metrics,
    add_output,
    non_negative_number,
)
from sklearn_rank._cli._errors import InputError

# Exit code 2 is a verdict here, so errors have another one.
ERROR_CODE = 3
HELP = "check that results are not worse than a baseline"
USAGE = ("[options] RESULTS GOLDEN", "[options] --baseline FILE --candidate FILE")


def add_arguments(gate: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = gate.add_argument
    add("results", metavar="RESULTS", nargs="?", help="ranked lists")
    add("golden", metavar="GOLDEN", nargs="?", help="what is relevant")
    text = "values per query or lists (default: GOLDEN with .baseline.csv)"
    add("--baseline", metavar="FILE", help=text)
    add("--candidate", metavar="FILE", help="values per query, or lists for --truth")
    text = "write RESULTS as the new baseline, and compare nothing"
    add("--update", action="store_true", help=text)
    text = """largest loss that is accepted, in units of the metric (default: 0.05 for
        metrics from 0 to 1)"""
    add("--margin", metavar="M", type=non_negative_number, help=text)
    text = "whether these queries count, or all of which they are a sample (default: fixed)"
    add("--queries", choices=("fixed", "sample"), help=text)
    add("--by", metavar="FIELD", help="judge each value of a field of GOLDEN, too")
    text = "largest loss of one value of the field (default: %(default)s)"
    add("--by-margin", metavar="M", type=non_negative_number, default=0.1, help=text)
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
    if options.golden is not None and options.truth is not None:
        raise InputError("Name the golden set once: as GOLDEN, or with --truth.")
    options.golden = options.golden or options.truth
    if options.results is not None and options.candidate is not None:
        raise InputError("Name the results once: as RESULTS, or with --candidate.")
    options.results = options.results or options.candidate
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
    options.queries = options.queries or ("sample" if options.anytime else "fixed")
