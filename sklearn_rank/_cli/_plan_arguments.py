"""Plan an evaluation: how many queries, how many repeats, and what they detect.

With --difference the number of queries is computed, with --queries the difference, with
both the power. The standard deviation --sd is that of the differences of two systems over
queries; --from estimates it from two files of values per query, as `evaluate -o` writes
them.

A system that does not answer alike each time has repeats: --sd-within is the standard
deviation of its value of one query from repeat to repeat.

Examples
--------
sklearn-rank plan --difference 0.05 --sd 0.2
sklearn-rank plan --queries 40 --sd 0.2 --sd-within 0.3 --repeats 3
sklearn-rank plan --queries 64 --sd 0.4 --cluster-size 4 --icc 0.5
sklearn-rank plan --difference 0.02 --from old.csv new.csv
"""

import argparse

from sklearn_rank._cli._arguments import (
    FIELDS,
    add_level,
    count,
    non_negative_number,
    number_type,
    positive_number,
    share,
    whole_number,
)
from sklearn_rank._cli._errors import InputError

HELP = "plan the number of queries and repeats"
USAGE = "[options] (--difference D | --queries N) (--sd S | --from FILE FILE)"


def add_arguments(plan: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = plan.add_argument
    text = "smallest difference that should be detected"
    add("--difference", metavar="D", type=positive_number, help=text)
    text = "number of queries; of two variants, of users of each"
    add("--queries", metavar="N", type=whole_number(2, 10**15), help=text)
    text = "probability to detect it (default: 0.8, or computed)"
    add("--power", metavar="P", type=share, help=text)
    text = "standard deviation of differences; of two variants, of the values of users"
    add("--sd", metavar="S", type=positive_number, help=text)
    text = "two tables of values per query that show it"
    add("--from", metavar="FILE", dest="pilot", nargs=2, help=text)
    text = "the metric of the tables (default: the only one)"
    add("-m", "--metric", metavar="NAME", help=text)
    text = "standard deviation of one system's value of a query between repeats"
    add("--sd-within", metavar="W", type=non_negative_number, help=text)
    text = "repeats of each system (default: %(default)s)"
    add("--repeats", metavar="R", type=count, default=1, help=text)
    text = "queries that belong together, such as those of a user (default: %(default)s)"
    add("--cluster-size", metavar="M", type=count, default=1, help=text)
    text = "how alike their differences are, from 0 to 1 (default: 0)"
    icc = number_type("a number from 0 to 1", lambda number: 0 <= number <= 1)
    add("--icc", metavar="I", type=icc, default=0.0, help=text)
    text = "users of two variants, instead of systems that answer the same queries"
    add("--unpaired", action="store_true", help=text)
    add_level(plan)
    add("--json", action="store_true", help="print one JSON object instead")
    # Those of tables, which have no fields to name.
    more = ("split", "document_sep", "document_map")
    plan.set_defaults(**dict.fromkeys((*FIELDS, *more)), duplicates="refuse")


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
    if (options.sd is None) == (options.pilot is None):
        raise InputError(
            "plan needs --sd, the standard deviation of differences, or --from with two "
            "tables of values that show it."
        )
    if options.pilot is not None and options.sd_within is not None:
        raise InputError("--sd-within goes with --sd; leave it out with --from.")
    if options.metric is not None and options.pilot is None:
        raise InputError("--metric names a metric of the tables of --from; add --from.")
    if options.difference is None and options.queries is None:
        raise InputError("plan needs --difference or --queries; the other is computed.")
