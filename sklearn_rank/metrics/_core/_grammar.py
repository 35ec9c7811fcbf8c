"""Names that carry parameters, such as "ndcg(gain='exponential')@10", and their grammar.

A name is a word, then, if there are any, parameters in parentheses and a cutoff after @::

    WORD [ "(" [ WORD "=" VALUE { "," WORD "=" VALUE } [ "," ] ] ")" ] [ "@" DIGITS ]

A value is an integer, a decimal number, True, False, None, or text in quotes. White space
is allowed between any two of these parts. Hyphens within a word are underscores.

Other tools write the cutoff as a part of the word: "ndcg_at_10", "P_5", "ndcg10",
"ndcg_cut.10". A decimal there, or after @, is a level, as in "iprec_at_recall_0.10", and
parameters may follow. In ranx a name ends with the lowest relevant grade:
"precision@10-l2".
"""

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, NoReturn

from sklearn_rank._base._validation import shorten

EXAMPLE_NAME = "\"ndcg(gain='exponential')@10\""

# Several times the longest valid name; it bounds the work and the message.
LONGEST_NAME = 256

# Each alternative reads a stretch of text once, without going back.
_PART = re.compile(
    r"""(?P<word>   11pt_avg | [A-Za-z_] \w* (?: - [A-Za-z_] \w* )* )
      | (?P<number> [+-]? (?: \d+ \.? \d* | \. \d+ ) (?: [eE] [+-]? \d+ )? )
      | (?P<text>   ' [^'\\]* ' | " [^"\\]* " )
      | (?P<mark>   [(),=@] )
      | (?P<other>  \S )""",
    re.VERBOSE | re.ASCII,
)
_WITH_CUTOFF = re.compile(r"(?P<name>\w+?)(?:_at)?_(?P<digits>\d+)", re.ASCII)
_LOWEST_GRADE = re.compile(r"-l(?P<grade>\d+)\s*$", re.ASCII)
_LEVEL = re.compile(r"\d*\.\d+", re.ASCII)
NO_CUTOFF = "the cutoff after @ must be a positive integer, got"
# The key of a decimal in place of the cutoff; not a name of a parameter.
LEVEL = "@"
_CONSTANTS = {"True": True, "False": False, "None": None}


def parse_name(text: str) -> tuple[str, dict[str, Any]]:
    """Return the word that a name begins with, and the parameters it gives."""
    name, parameters = _parse(text)
    return name, dict(parameters)


@lru_cache(maxsize=1024)  # searches and loops parse the same names repeatedly
def _parse(text: str) -> tuple[str, dict[str, Any]]:
    grade = _LOWEST_GRADE.search(text)
    reader = _NameReader(text, len(text) if grade is None else grade.start())
    name, parameters = _word_and_parameters(reader)
    reader.end()
    return name, parameters if grade is None else {
        **parameters,
        "min_relevance": int(grade[1]),
    }


def _word_and_parameters(reader: "_NameReader") -> tuple[str, dict[str, Any]]:
    name, digits = reader.word("the name of a metric"), ""
    with_cutoff = _WITH_CUTOFF.fullmatch(name)
    if with_cutoff:
        name, digits = with_cutoff["name"], with_cutoff["digits"]
    if reader.part.startswith(".") and reader.is_level():
        level = digits + reader.step()
        return name, {LEVEL: level} | _read_parameters(reader)
    if digits:
        return name, {"k": int(digits)}
    parameters = _read_parameters(reader)
    if reader.skips("@"):
        if "k" in parameters:
            reader.refuse("it gives the cutoff twice, as k= and after @")
        parameters |= (
            {LEVEL: reader.step()} if reader.is_level() else {"k": reader.cutoff()}
        )
    return name, parameters


def _read_parameters(reader: "_NameReader") -> dict[str, Any]:
    """Return the parameters in parentheses, if there are any."""
    parameters: dict[str, Any] = {}
    is_open = reader.skips("(")
    while is_open and not reader.skips(")"):
        parameter = reader.word("a parameter, as name=value,")
        if parameter in parameters:
            reader.refuse(f"it gives {shorten(parameter)} twice")
        reader.expect("=")
        parameters[parameter] = reader.value()
        if reader.part != ")":
            reader.expect(",")
    return parameters


def unreadable_name(text: str, what: str) -> ValueError:
    """Return an error that shows the name, what is wrong, and an example."""
    return ValueError(
        f"Cannot read the name of a metric {shorten(text)}: {what}. "
        f"Write for example {EXAMPLE_NAME}."
    )


class _NameReader:
    """The parts of a name, one after the other."""

    def __init__(self, text: str, end: int):
        self.text = text
        if len(text) > LONGEST_NAME:
            self.refuse(f"it has {len(text)} characters, and {LONGEST_NAME} are the most")
        self._rest = _PART.finditer(text, 0, end)
        self.kind, self.part = "", ""
        self.step()

    def step(self) -> str:
        """Go to the next part, and return the one before it."""
        part, match = self.part, next(self._rest, None)
        self.kind = "end" if match is None else str(match.lastgroup)
        self.part = "" if match is None else match.group()
        return part

    def refuse(self, what: str) -> NoReturn:
        """Raise an error that shows the name, what is wrong, and an example."""
        raise unreadable_name(self.text, what)

    def skips(self, mark: str) -> bool:
        """Go over a mark if it comes next, and return whether it did."""
        if self.part != mark:
            return False
        self.step()
        return True

    def expect(self, mark: str) -> None:
        """Go over a mark that has to come next."""
        if not self.skips(mark):
            self.refuse(f"{mark!r} is missing before {self._next()}")

    def word(self, what: str) -> str:
        """Return the word that has to come next."""
        if self.kind != "word":
            self.refuse(f"{what} is missing before {self._next()}")
        return self.step()

    def value(self) -> Any:
        """Return the value that has to come next."""
        if self.kind == "number":
            digits = self.step()
            return int(digits) if digits.lstrip("+-").isdigit() else float(digits)
        if self.kind == "text":
            return self.step()[1:-1]
        if self.part in _CONSTANTS:
            return _CONSTANTS[self.step()]
        self.refuse(
            f"{self._next()} is not a value; values are numbers, True, False, None and "
            "text in quotes"
        )

    def is_level(self) -> bool:
        """Return whether the next part is a decimal number without a sign."""
        return _LEVEL.fullmatch(self.part) is not None

    def cutoff(self) -> int:
        """Return the cutoff that has to come next."""
        if self.kind != "number" or not self.part.isdigit() or int(self.part) < 1:
            self.refuse(f"{NO_CUTOFF} {self._next()}")
        return int(self.step())

    def end(self) -> None:
        """Raise if anything is left."""
        if self.kind != "end":
            self.refuse(f"{self._next()} comes after the end of the name")

    def _next(self) -> str:
        return "the end" if self.kind == "end" else shorten(self.part)


# Names of metrics and of parameters in other libraries.


def _index_by_word(table: Mapping[str, str]) -> dict[str, str]:
    return {word: meaning for meaning, words in table.items() for word in words.split()}


_TABLE = tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
SPELLINGS = _index_by_word(_TABLE["spellings"])
# Words without a metric here, and the reason.
REASONS = {
    word: why for words, why in _TABLE["no_metric"].items() for word in words.split()
}

# Parameters as ir_measures and others call them, where a metric has none of that name.
_OTHERS = {"k": "cutoff n top top_k", "min_relevance": "rel", "persistence": "p"}
_OTHERS |= {"recall_level": "recall", "max_grade": "max_rel", "gain": "dcg"}
OTHER_PARAMETERS = _index_by_word(_OTHERS)
OTHER_GAINS: Mapping[str, str] = {"log2": "linear", "exp-log2": "exponential"}

# The parameter of a decimal after the word or @: "iprec_at_recall_0.10", "rbp.95".
DECIMAL_PARAMETERS = {"interpolated_precision": "recall_level", "rbp": "persistence"}
