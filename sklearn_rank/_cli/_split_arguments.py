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
    add_columns,
    as_whole_number,
    count,
    names_type,
    share,
    whole_number,
)
from sklearn_rank._cli._errors import InputError

HELP = "split a log into train, valid and test files"
USAGE = "[options] -o DIR LOG"
# Parameters of splitters.
DROPPED = {"new-users": "cold_users", "new-items": "cold_items", "repeats": "seen_items"}
DEFAULT_SIZES = {"time": 0.1, "last": 1, "random": 0.1, "users": 0.1}
BY_TIME = ("time", "last")


def add_arguments(split: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = split.add_argument
    text = "CSV, JSON Lines or Parquet, packed or not; or a public data set as downloaded"
    add("log", metavar="LOG", help=text)
    text = "folder for train, valid, test and split.json"
    add("-o", "--output", metavar="DIR", required=True, help=text)
    add("--force", action="store_true", help="replace existing files")
    add_columns(split, "user", "item", "time")
    add("--by", choices=DEFAULT_SIZES, default="time", help="rule (default: %(default)s)")
    for part in ("valid", "test"):
        text = f"""size of {part}: a share of the rows that are split, or with last the rows
            of a user, or with users 1 user of N, such as 0.25 (default: 0.1 or 1)"""
        add(f"--{part}", metavar="SIZE", type=read_size, help=text)
    text = f"""rows of valid and test to leave out, by the parts before them, out of
        {",".join(DROPPED)}; repeats are pairs of user and item that were there"""
    add("--drop", metavar="NAMES", type=names_type(list(DROPPED)), default=(), help=text)
    text = "first leave out users and items with fewer rows, until none is left"
    add("--k-core", metavar="N", type=count, help=text)
    text = "seed of random and users (default: %(default)s)"
    add("--seed", metavar="N", type=whole_number(0, 2**32 - 1), default=0, help=text)


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


def read_size(text: str) -> int | float:
    """Return a number of rows, or a share."""
    return count(text) if as_whole_number(text) is not None else share(text)
