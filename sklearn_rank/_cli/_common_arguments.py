"""The arguments of every command that tunes."""

import argparse

from sklearn_rank._cli._argument_types import jobs


def add_metric(command: argparse.ArgumentParser) -> None:
    """Add --metric."""
    command.add_argument(
        "--metric", default="ndcg@10", help="metric to tune by (default: ndcg@10)"
    )


def add_jobs(command: argparse.ArgumentParser) -> None:
    """Add --jobs."""
    command.add_argument(
        "--jobs",
        metavar="N",
        type=jobs,
        default=-1,
        help="fits at the same time, up to one a core (default: -1, as many as cores)",
    )
