"""Split a log into train, valid and test, so that any library can use the same split.

The files have the format and all columns of the log. First test is split off, then
valid from the rest, by the same rule:

  time    the newest rows of all: train has nothing from the future
  last    the newest rows of each user, 1 by default
  random  a random share of each user's rows
  users   all rows of random users; these have no row in train

split.json records the options. The same log and --seed give the same split.

Examples
--------
sklearn-rank split log.csv -o parts
sklearn-rank split log.csv --drop repeats,new-users -o parts
sklearn-rank split log.csv --by last --k-core 5 -o parts
sklearn-rank split ratings.parquet --by random --test 0.2 -o parts
"""

import argparse

from sklearn_rank._cli._arguments import (
    CSV,
    FORCE,
    REQUIRED,
    add_columns,
    add_options,
    as_whole_number,
    count,
    names_parser,
    share,
)
from sklearn_rank._cli._errors import InputError

HELP = "split a log into train, valid and test files"
USAGE = "[options] -o DIR LOG"
# Parameters of splitters.
DROPPED = {"new-users": "cold_users", "new-items": "cold_items", "repeats": "seen_items"}
DEFAULT_SIZES = {"time": 0.1, "last": 1, "random": 0.1, "users": 0.1}
BY_TIME = ("time", "last")
FOLDER = """
-o, --output DIR  folder for train, valid, test and split.json, written atomically
"""
SIZE = """\
a share of the rows that are split, or with last the rows of a user, or with users 1 user \
of N, such as 0.25 (default: 0.1 or 1)"""
OPTIONS = f"""
--by {{{",".join(DEFAULT_SIZES)}}}  rule (default: time)
--valid SIZE  size of valid: {SIZE}
--test SIZE   size of test: {SIZE}
--drop NAMES
    rows of valid and test to leave out, by the parts before them, out of
    {",".join(DROPPED)}; repeats are of a user and item that were there
--k-core N    first leave out users and items with fewer rows, until none is left
--seed N      seed of random and users (default: 0)
"""


def add_arguments(split: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    split.add_argument("log", metavar="LOG", help="CSV (.gz too) or parquet file")
    add_options(split, FOLDER, output=REQUIRED)
    add_options(split, FORCE)
    add_columns(split, "user", "item", "time")
    add_options(split, CSV)
    add_options(
        split,
        OPTIONS,
        valid={"type": _size},
        test={"type": _size},
        drop={"type": names_parser(tuple(DROPPED)), "default": ()},
    )


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together; fill in defaults."""
    for part in ("valid", "test"):
        size = getattr(options, part)
        if size is None:
            setattr(options, part, DEFAULT_SIZES[options.by])
        elif isinstance(size, int) != (options.by == "last"):
            needed = "a number of rows" if options.by == "last" else "a share such as 0.1"
            raise InputError(f"--{part} with --by {options.by} needs {needed}, got {size}.")
        elif options.by == "users":
            _check_fold(part, size)


def _check_fold(part: str, size: float) -> None:
    """Raise unless a share of the users is one fold of several, such as 1 of 3."""
    n_folds = max(round(1 / size), 2)
    if abs(1 / n_folds - size) > 0.005:
        raise InputError(
            f"--{part} with --by users needs 1 user of N, such as 0.1, 0.2, 0.25, 0.33 or "
            f"0.5, got {size}; the nearest is {1 / n_folds:.3g}."
        )


def _size(text: str) -> int | float:
    return count(text) if as_whole_number(text) is not None else share(text)
