"""Test a program's metrics in any language: print cases, or judge its answers to them.

Without a file it prints small cases as JSON: relevant documents with their grades, a list
of documents with scores, a cutoff k, and the value of each metric by several tools. A
program reads them and writes its own values of any of the metrics:

  {"c000": {"ndcg": 0.63, "mrr": 0.5}, "c001": {"ndcg": null}}

A case that is null or missing counts as left out. Each metric gets a line, with the name
of the fault if one is found. It ends with 0 if all answers are right, and with 1 if not.

Examples
--------
sklearn-rank conform > vectors.json
sklearn-rank conform answers.json
sklearn-rank conform answers.json --convention mlflow
"""

import argparse

HELP = "test the metrics of a program in any language"
USAGE = ("> vectors.json", "[--convention NAME] ANSWERS")


def add_arguments(conform: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    text = "JSON file of values by case and metric; without it the cases are printed"
    conform.add_argument("answers", metavar="ANSWERS", nargs="?", help=text)
    text = "whose values are right (default: %(default)s)"
    default = "sklearn_rank"
    conform.add_argument("--convention", metavar="NAME", default=default, help=text)


def check_together(options: argparse.Namespace) -> None:
    """Pass all options, which fit together."""
