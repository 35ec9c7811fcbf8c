"""Check that a candidate is not worse than a baseline by more than a margin.

The interval of the paired difference (candidate - baseline) on the same queries
decides:

  pass       it shows that the candidate is not worse by more than the margin
  fail       it shows that the candidate is worse by more than the margin
  undecided  it shows neither: there are too few queries, or too few that differ

BASELINE and CANDIDATE are lists, with --qrels or --truth, as `compare` takes them.
Without these they are tables of values: the query in the first column, and a column for
each metric, as `evaluate --values` writes them.

Runs with the same lists for all queries are identical, and pass; so are tables with the
same values. Where fewer than ten queries differ, the interval is exact, and without any
difference a margin of 0.01 of a metric from 0 to 1 needs 368 queries.

exit codes: 0 pass, 1 fail, 2 undecided, 3 an error. With several metrics all have to
pass. Queries are matched by label. One that a run does not answer counts as an empty
list, without --anytime. In GitHub Actions the verdict is also shown beside the job.

Examples
--------
sklearn-rank gate --baseline old.run --candidate new.run --qrels qrels.txt --margin 0.01
sklearn-rank gate --baseline old.csv --candidate new.csv --truth test.csv --margin 0.005
sklearn-rank gate --baseline old_values.csv --candidate new_values.csv --margin 0.01
"""

import argparse

from sklearn_rank._cli._arguments import (
    REQUIRED,
    add_comparison,
    add_options,
    add_truth,
    check_truth,
)

# Exit code 2 is a verdict here, so errors have another one.
ERROR_CODE = 3
HELP = "check that a candidate is not worse than a baseline"
USAGE = "[options] --baseline RUN --candidate RUN --margin M"
OPTIONS = """
--baseline RUN   run to hold, or its values
--candidate RUN  run to judge, or its values
--margin M       largest loss that is accepted, in units of the metric
--anytime
    intervals that hold at every number of queries: call it again with more of them while
    it is undecided. Queries that no run answers are not evaluated yet, and left out
"""


def add_arguments(gate: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_options(
        gate,
        OPTIONS,
        baseline=REQUIRED,
        candidate=REQUIRED,
        margin=REQUIRED,
        anytime={
            **{"action": "store_const", "dest": "test"},
            **{"const": "anytime", "default": "auto"},
        },
    )
    add_truth(gate)
    add_comparison(gate)
    add_options(gate, "--markdown FILE  file to append a table to, for a step summary")


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
    check_truth(options)
