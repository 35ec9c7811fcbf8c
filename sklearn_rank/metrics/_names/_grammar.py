"""Names that carry parameters, such as "ndcg(gain='exponential')@10", and their grammar.

A name is a word, then, if there are any, parameters in parentheses and a cutoff after @::

    WORD [ "(" [ WORD "=" VALUE { "," WORD "=" VALUE } [ "," ] ] ")" ] [ "@" DIGITS ]

A value is an integer, a decimal number, True, False, None, or text in quotes. White space
is allowed between any two of these parts.

Other tools write the cutoff as a part of the word: "ndcg_at_10", "P_5", "ndcg_cut.10". A
decimal there, or after @, is a level, as in "iprec_at_recall_0.10". In ranx a name ends
with the lowest relevant grade: "precision@10-l2".
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NoReturn

from sklearn_rank._validation import shorten

EXAMPLE = "\"ndcg(gain='exponential')@10\""

# Several times the longest valid name; it bounds the work and the message.
LONGEST = 256

# Each alternative reads a stretch of text once, without going back.
_PART = re.compile(
    r"""(?P<word>   11pt_avg | [A-Za-z_] \w* )
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
    name, given = _read(text)
    return name, dict(given)


@lru_cache(maxsize=1024)  # searches and loops parse the same names repeatedly
def _read(text: str) -> tuple[str, dict[str, Any]]:
    grade = _LOWEST_GRADE.search(text)
    reader = _NameReader(text, len(text) if grade is None else grade.start())
    name, given = _word_and_parameters(reader)
    reader.end()
    return name, given if grade is None else {**given, "min_relevance": int(grade[1])}


def _word_and_parameters(reader: "_NameReader") -> tuple[str, dict[str, Any]]:
    name, digits = reader.word("the name of a metric"), ""
    with_cutoff = _WITH_CUTOFF.fullmatch(name)
    if with_cutoff:
        name, digits = with_cutoff["name"], with_cutoff["digits"]
    if reader.part.startswith(".") and reader.is_level():
        return name, {LEVEL: digits + reader.step()}
    if digits:
        return name, {"k": int(digits)}
    given = dict(_parameters(reader)) if reader.skips("(") else {}
    if reader.skips("@"):
        if "k" in given:
            reader.refuse("it gives the cutoff twice, as k= and after @")
        given |= {LEVEL: reader.step()} if reader.is_level() else {"k": reader.cutoff()}
    return name, given


def _parameters(reader: "_NameReader") -> Iterator[tuple[str, Any]]:
    """Yield parameters up to the closing parenthesis."""
    seen = set()
    while not reader.skips(")"):
        parameter = reader.word("a parameter, as name=value,")
        if parameter in seen:
            reader.refuse(f"it gives {shorten(parameter)} twice")
        seen.add(parameter)
        reader.expect("=")
        yield parameter, reader.value()
        if not reader.is_at(")"):
            reader.expect(",")


def unreadable(text: str, what: str) -> ValueError:
    """Return an error that shows the name, what is wrong, and an example."""
    return ValueError(
        f"Cannot read the name of a metric {shorten(text)}: {what}. "
        f"Write for example {EXAMPLE}."
    )


class _NameReader:
    """The parts of a name, one after the other."""

    def __init__(self, text: str, end: int):
        self.text = text
        if len(text) > LONGEST:
            self.refuse(f"it has {len(text)} characters, and {LONGEST} are the most")
        self._rest = _PART.finditer(text, 0, end)
        self.kind, self.part = "", ""
        self.step()

    def step(self) -> str:
        """Go to the next part, and return the one before it."""
        part, found = self.part, next(self._rest, None)
        self.kind = "end" if found is None else str(found.lastgroup)
        self.part = "" if found is None else found.group()
        return part

    def refuse(self, what: str) -> NoReturn:
        """Raise an error that shows the name, what is wrong, and an example."""
        raise unreadable(self.text, what)

    def is_at(self, mark: str) -> bool:
        """Return whether the next part is this mark."""
        return self.part == mark

    def skips(self, mark: str) -> bool:
        """Go over a mark if it comes next, and return whether it did."""
        if not self.is_at(mark):
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
