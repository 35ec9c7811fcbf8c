"""Arguments that several commands share, and the types of their values."""

import argparse
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

# More folds or parallel fits than any computer can run.
MOST = 1000
DEFAULT_METRIC = "ndcg@10"
# Those of `sklearn_rank.metrics.conventions`, which takes a second to import.
CONVENTIONS = (
    *("catboost", "evidently", "haystack", "implicit", "kaggle", "lenskit", "lightgbm"),
    *("llama_index", "mlflow", "ndeval", "pyndeval", "ranx", "recommenders", "rectools"),
    *("sentence_transformers", "sklearn", "spark", "torchmetrics", "trec_eval"),
    *("trec_eval_10", "xgboost"),
)
FIELDS = {
    "query": "the id or the text of queries",
    "relevant": "the relevant ids in GOLDEN",
    "item": "the ids in lists, or of the id in a row or object",
    "grade": "grades",
    "score": "scores, the highest first",
    "rank": "ranks, the lowest first",
    "repeat": "the number of a list, if a query was run several times",
}


def as_whole_number(text: str) -> int | None:
    """Return a whole number of at least 0 that fits 64 bits, None for other text."""
    # int() also accepts underscores and the digits of all scripts.
    return int(text) if re.fullmatch(r"0*[0-9]{1,18}", text) else None


def number_type(
    needed: str, is_good: Callable[[Any], bool], read: Callable[[str], Any] = float
) -> Callable[[str], Any]:
    """Return the type of an argument that is a number with a condition."""

    def read_number(text: str) -> Any:
        try:
            number = read(text)
        except ValueError:
            number = None
        if number is None or not math.isfinite(number) or not is_good(number):
            raise argparse.ArgumentTypeError(f"needs {needed}, got {text!r}")
        return number

    return read_number


def whole_number(least: int, most: int = MOST) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number."""
    needed = f"a whole number from {least} to {most:,}"
    return number_type(needed, lambda number: least <= number <= most, as_whole_number)


positive_number = number_type("a number above 0", lambda number: number > 0)
non_negative_number = number_type("a number from 0", lambda number: number >= 0)
share = number_type(
    "a share above 0 and below 1, such as 0.2", lambda number: 0 < number < 1
)
count = whole_number(1)


def jobs(text: str) -> int:
    """Return a number of jobs; -1 is one per core."""
    return -1 if text == "-1" else count(text)


def names_type(valid: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Return the type of an argument that is a list of names between commas."""

    def read_names(text: str) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
        for name in names:
            if name not in valid:
                from sklearn_rank._base._validation import suggest

                text = f"got {name!r}. {suggest(name, valid)}"
                raise argparse.ArgumentTypeError(text)
        return names

    return read_names


def add_columns(command: argparse.ArgumentParser, *roles: str) -> None:
    """Add the options that name columns of a log."""
    usual = {"user": "user or user_id", "item": "item or item_id"}
    for role in roles:
        default = f"column of {role}s (default: {usual.get(role, role)})"
        command.add_argument(f"--{role}", metavar="COL", help=default)


def add_metrics(command: argparse.ArgumentParser, default: str) -> None:
    """Add the options that name metrics and their definitions."""
    add = command.add_argument
    text = f"names with commas or repeated (default: {default})"
    add("-m", "--metric", metavar="NAMES", action="append", help=text)
    text = "use the definitions of this library: %(choices)s"
    add("--convention", metavar="LIBRARY", choices=CONVENTIONS, help=text)


def split_at_commas(text: str) -> list[str]:
    """Return the parts of a text between commas that are not inside parentheses."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text)]


def add_cluster(command: argparse.ArgumentParser) -> None:
    """Add the field that groups queries."""
    text = "field of GOLDEN: queries with the same value belong together (in a sample)"
    command.add_argument("--cluster", metavar="FIELD", help=text)


def add_level(command: argparse.ArgumentParser) -> None:
    """Add the level of the intervals."""
    text = "of the intervals (default: %(default)s)"
    add = command.add_argument
    add("--confidence-level", metavar="LEVEL", type=share, default=0.95, help=text)


def add_output(command: argparse.ArgumentParser) -> None:
    """Add where the numbers are written."""
    text = "write values per query (.csv), all numbers (.json), or a page (.html)"
    command.add_argument("-o", "--output", metavar="FILE", help=text)
    command.add_argument(
        "--json", action="store_true", help="print one JSON object instead"
    )


def add_fields(command: argparse.ArgumentParser) -> None:
    """Add the options that name fields of lists and golden sets, the same everywhere."""
    add = command.add_argument_group("if the names of fields are unclear").add_argument
    text = "what is relevant, in any of the forms"
    add("--truth", "--qrels", metavar="GOLDEN", help=text)
    for name, content in FIELDS.items():
        add(f"--{name}", metavar="FIELD", help=f"of {content}")
    text = "which judgments of a folder of BEIR (default: test)"
    add("--split", metavar="NAME", help=text)
    text = "an item twice in a list: refuse, the best place counts, or the others miss"
    add("--duplicates", choices=("refuse", "first", "miss"), default="refuse", help=text)
    text = "ids are chunks: the document is what stands before the last TEXT"
    add("--document-sep", metavar="TEXT", help=text)
    text = "table with two columns, an id and that of its document"
    add("--document-map", metavar="FILE", help=text)
