"""Compare raters, such as a language model, with people; correct their mean.

LABELS has one label in each row, with the columns unit, rater and grade, or one unit in
each row, with a column for each rater; other columns with texts are left out. A label is a
number, or pass or fail, yes or no, true or false, correct or incorrect; empty cells do not
count.

The form is CSV, JSON, JSON Lines, YAML or Parquet. If a rater labels a unit several
times, the mean counts.

With --reference the other raters are compared with this one: agreement, bias and confusion.
If the reference has labels of a random sample of the units, and the others of all, the mean
over all units is corrected.

Examples
--------
sklearn-rank judge labels.csv --reference people
sklearn-rank judge verdicts.jsonl --unit trace_id --rater human,gpt --reference human
sklearn-rank judge grades.csv --reference people --min-relevance 2 --json
"""

import argparse

from sklearn_rank._cli._arguments import add_level, number_type

HELP = "compare a judge with people, and correct its mean"
USAGE = "[options] LABELS"
finite_number = number_type("a number", lambda number: True)


def add_arguments(judge: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = judge.add_argument
    add("labels", metavar="LABELS", help="a file, or - for the standard input")
    text = "rater that the others are compared with, such as people"
    add("--reference", metavar="NAME", help=text)
    text = "lowest relevant grade, to compare only relevant or not"
    add("--min-relevance", metavar="GRADE", type=finite_number, help=text)
    add_level(judge)
    add("--json", action="store_true", help="print one JSON object instead")
    add = judge.add_argument_group("names of columns").add_argument
    text = "of units (default: unit or item, or the first one if each value is there once)"
    add("--unit", metavar="COL", help=text)
    text = "of raters (default: rater); or raters with commas, if each has a column"
    add("--rater", metavar="COL", help=text)
    text = "of labels (default: grade, rating or label)"
    add("--grade", metavar="COL", help=text)
    text = "of queries (default: query, if there is one); each has units of its own"
    add("--query", metavar="COL", help=text)


def check_together(options: argparse.Namespace) -> None:
    """Pass all options, as they all fit together."""
