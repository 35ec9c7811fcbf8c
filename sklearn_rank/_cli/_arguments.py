"""Arguments that several commands share, and the types of their values."""

import argparse
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from sklearn_rank._base._validation import suggest
from sklearn_rank._cli._errors import InputError

# More folds or parallel fits than any computer can run.
MOST = 1000
# A whole number of this many digits fits 64 bits.
DIGITS = 18
REQUIRED = {"required": True}
DEFAULT_METRIC = "ndcg@10"
SEARCH = """
--search {grid,halving}
    all candidates on all folds; or all on one fold, the best third of each model on two,
    and so on, in about half of the time (default: grid)
--choose {best,one-se}
    the best candidate, or the cheapest within one standard error of the paired difference
    to it (default: best)
--time-budget SECONDS
    start no fit after this time; the choice then depends on the speed of the machine
"""
ORDER = """
--rank COL   column of ranks, the best is lowest (default: rank)
--score COL  column of scores instead of ranks
"""
JOBS = "--jobs N  number of parallel fits, up to one per core (default: -1, one per core)"
FORCE = "--force  replace an existing file"
CSV = """
--sep TEXT
    separator of CSV files (default: comma, semicolon or tab, detected from the first line)
--encoding NAME  encoding of CSV files that are not UTF-8, such as latin-1
"""
TRUTH = """
--qrels QRELS  TREC judgments (.gz too); runs are TREC files
--truth TABLE
    relevant items, CSV, parquet or JSON; runs are tables of recommended items
"""
COMPARISON = f"""
--metric METRIC
    metric to compare by; repeat it for several (default: {DEFAULT_METRIC}; for values all)
--confidence-level LEVEL  of the intervals (default: 0.95)
--json  print JSON instead of text
-o, --output DIR
    folder for comparison.txt, .json and .png, report.html and per_query.csv
"""


def positive_number(text: str) -> float:
    """Return a number above 0."""
    return _number(text, "a number above 0", lambda number: number > 0)


def non_negative_number(text: str) -> float:
    """Return a number from 0."""
    return _number(text, "a number from 0", lambda number: number >= 0)


def share(text: str) -> float:
    """Return a number between 0 and 1."""
    needed = "a share above 0 and below 1, such as 0.2"
    return _number(text, needed, lambda number: 0 < number < 1)


def as_whole_number(text: str) -> int | None:
    """Return a whole number of at least 0 that fits 64 bits, None for other text."""
    # int() also accepts underscores and the digits of all scripts.
    is_whole = text.isascii() and text.isdecimal() and len(text.lstrip("0")) <= DIGITS
    return int(text[-DIGITS:]) if is_whole else None


def seed(text: str) -> int:
    """Return a seed of random numbers."""
    return _whole_number(text, 0, 2**32 - 1)


def count(text: str) -> int:
    """Return a whole number from 1."""
    return _whole_number(text, 1)


def folds(text: str) -> int:
    """Return a whole number from 2."""
    return _whole_number(text, 2)


def jobs(text: str) -> int:
    """Return a number of jobs; -1 is one per core."""
    return -1 if text == "-1" else count(text)


def names_parser(valid: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Return the parser of a comma-separated list of names."""

    def names(text: str) -> tuple[str, ...]:
        # Dict keys drop duplicates and keep the order.
        distinct = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
        for name in distinct:
            if name not in valid:
                raise argparse.ArgumentTypeError(f"got {name!r}. {suggest(name, valid)}")
        return distinct

    return names


def separator(text: str) -> str:
    """Return the separator, one character; "tab" is the tab."""
    text = {"\\t": "\t", "tab": "\t"}.get(text, text)
    if len(text) != 1 or text in '"\r\n':
        raise argparse.ArgumentTypeError(f"needs one character or tab, got {text!r}")
    return text


def encoding(text: str) -> str:
    """Return the name of a text encoding."""
    try:
        # Some codecs do not decode to text.
        "a".encode(text)
    except (LookupError, UnicodeError, ValueError) as error:
        raise argparse.ArgumentTypeError(
            f"needs the name of an encoding, such as latin-1, got {text!r}"
        ) from error
    return text


def _number(text: str, needed: str, is_good: Callable[[float], bool]) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and is_good(number)):
        raise argparse.ArgumentTypeError(f"needs {needed}, got {text!r}")
    return number


def _whole_number(text: str, least: int, most: int = MOST) -> int:
    number = as_whole_number(text)
    if number is None or not least <= number <= most:
        raise argparse.ArgumentTypeError(
            f"needs a whole number from {least} to {most:,}, got {text!r}"
        )
    return number


# The types of options, which are the same in all commands.
TYPES: dict[str, Callable[[str], Any]] = {
    "confidence_level": share,
    "encoding": encoding,
    "folds": count,
    "holdout": share,
    "jobs": jobs,
    "k": non_negative_number,
    "k_core": count,
    "margin": non_negative_number,
    "min_relevance": positive_number,
    "n": count,
    "seed": seed,
    "sep": separator,
    "time_budget": non_negative_number,
}


def add_options(command: Any, text: str, **settings: Any) -> None:
    """Add the options of a text, as `-x, --name METAVAR  help`, to a parser or group.

    An option without a METAVAR is a flag. METAVAR={choices} or {choices} alone, which the
    help then shows, has the first one as the default; or the help names a number as such.
    An option has the type of its name in `TYPES`.
    `settings` has arguments of `add_argument`, by the name of the option.
    """
    for entry in re.split(r"\n(?=\S)", text.strip()):
        form, description = re.split(r" {2,}|\n", entry, maxsplit=1)
        words = form.replace(", ", " ").split()
        names = [word for word in words if word.startswith("-")]
        name = names[-1].lstrip("-").replace("-", "_")
        own: dict[str, Any] = {"action": "store_true"}
        metavar, _, listed = words[-1].partition("{")
        if listed:
            choices = tuple(listed.rstrip("}").split(","))
            own = {"choices": choices, "default": choices[0]}
            own["metavar"] = metavar.rstrip("=") or None
        elif words[-1] not in names:
            own = {"metavar": words[-1], "type": TYPES.get(name)}
            default = re.search(r"\(default: (-?[\d.]+)[,)]", description)
            if default and own["type"]:
                own["default"] = default[1]  # read as if it were given
        own |= settings.get(name, {})
        command.add_argument(*names, help=" ".join(description.split()), **own)


def add_metric(command: Any) -> None:
    """Add --metric."""
    add_options(
        command,
        f"--metric METRIC  metric to tune by (default: {DEFAULT_METRIC})",
        metric={"default": DEFAULT_METRIC},
    )


def add_columns(command: Any, *names: str) -> None:
    """Add the columns of a log; their default names are those of the options."""
    variants = {"user": " or user_id", "item": " or item_id"}
    for name in names:
        text = f"--{name} COL  column of {name}s (default: {name}{variants.get(name, '')})"
        add_options(command, text, **{name: {"default": name}})


def add_columns_of_lists(command: argparse.ArgumentParser, truth: str = "") -> None:
    """Add the columns of item lists and, if `truth` names it, of the judgments."""
    add_columns(command, "user", "item")
    # TREC files have no columns.
    command.set_defaults(user=None, item=None)
    add_options(command.add_mutually_exclusive_group(), ORDER)
    if truth:
        text = f"column of grades in {truth} (default: each of its rows is relevant)"
        add_options(command, f"--rating COL  {text}")
    add_options(command, CSV)


def add_new_file(command: Any, holds: str) -> None:
    """Add --output, a file with what `holds` says, and --force."""
    text = f"-o, --output FILE  file for {holds}, written atomically"
    add_options(command, text, output=REQUIRED)
    add_options(command, FORCE)


def add_truth(command: argparse.ArgumentParser) -> None:
    """Add the options that name the judgments."""
    add_options(command, TRUTH)
    add_columns_of_lists(command, "--truth")


def add_comparison(command: Any) -> None:
    """Add the metrics, the level and the folder."""
    add_options(command, COMPARISON, metric={"action": "append"})


def check_truth(options: argparse.Namespace) -> None:
    """Raise if judgments are named twice, or columns of lists without judgments."""
    judgments = [name for name in ("qrels", "truth") if getattr(options, name) is not None]
    if len(judgments) > 1:
        raise InputError(
            "Name what is relevant with one of --qrels (TREC) and --truth (a table)."
        )
    for name in ("user", "item", "rank", "score", "rating"):
        if not judgments and getattr(options, name) is not None:
            raise InputError(
                f"--{name} is for lists, which need --qrels (TREC) or --truth (a table); "
                "tables of values have the query in the first column."
            )
