"""Names that carry parameters, such as "ndcg(gain='exponential')@10", and their grammar.

A name is a word, then, if there are any, parameters in parentheses and a cutoff after @::

    WORD [ "(" [ WORD "=" VALUE { "," WORD "=" VALUE } [ "," ] ] ")" ] [ "@" DIGITS ]

A value is an integer, a decimal number, True, False, None, or text in quotes. White space
may stand between any two of these parts. Trackers of experiments allow no @ in names, so a
word may end in its cutoff instead, as in "ndcg_at_10".
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NoReturn

from sklearn_rank._validation import shorten

EXAMPLE = "\"ndcg(gain='exponential')@10\""

# Several times the longest name that says something; it bounds the work and the message.
LONGEST = 256

# Each alternative reads a stretch of text once, without going back.
_PART = re.compile(
    r"""(?P<number> [+-]? (?: \d+ \.? \d* | \. \d+ ) (?: [eE] [+-]? \d+ )? )
      | (?P<word>   [A-Za-z_] \w* )
      | (?P<text>   ' [^'\\]* ' | " [^"\\]* " )
      | (?P<mark>   [(),=@] )
      | (?P<other>  \S )""",
    re.VERBOSE | re.ASCII,
)
_WITH_CUTOFF = re.compile(r"(?P<name>\w+?)_at_(?P<cutoff>[0-9]+)", re.ASCII)
_CONSTANTS = {"True": True, "False": False, "None": None}


def parse_name(text: str) -> tuple[str, dict[str, Any]]:
    """Return the word that a name begins with, and the parameters it gives."""
    name, given = _read(text)
    return name, dict(given)


@lru_cache(maxsize=1024)  # searches and loops give the same names again and again
def _read(text: str) -> tuple[str, dict[str, Any]]:
    reader = _NameReader(text)
    name = reader.word("the name of a metric")
    if with_cutoff := _WITH_CUTOFF.fullmatch(name):
        reader.end()
        return with_cutoff["name"], {"k": int(with_cutoff["cutoff"])}
    given = dict(_parameters(reader)) if reader.skips("(") else {}
    if reader.skips("@"):
        if "k" in given:
            reader.refuse("it gives the cutoff twice, as k= and after @")
        given["k"] = reader.cutoff()
    reader.end()
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


class _NameReader:
    """The parts of a name, one after the other."""

    def __init__(self, text: str):
        self.text = text
        if len(text) > LONGEST:
            self.refuse(f"it has {len(text)} characters, and {LONGEST} are the most")
        self._rest = _PART.finditer(text)
        self.kind, self.part = "", ""
        self._step()

    def _step(self) -> str:
        """Go to the next part, and return the one before it."""
        part, found = self.part, next(self._rest, None)
        self.kind = "end" if found is None else str(found.lastgroup)
        self.part = "" if found is None else found.group()
        return part

    def refuse(self, what: str) -> NoReturn:
        """Raise an error that shows the name, what is wrong, and how it is done."""
        raise ValueError(
            f"Cannot read the name of a metric {shorten(self.text)}: {what}. "
            f"Write for example {EXAMPLE}."
        )

    def is_at(self, mark: str) -> bool:
        """Return whether the next part is this mark."""
        return self.part == mark

    def skips(self, mark: str) -> bool:
        """Go over a mark if it comes next, and return whether it did."""
        if not self.is_at(mark):
            return False
        self._step()
        return True

    def expect(self, mark: str) -> None:
        """Go over a mark that has to come next."""
        if not self.skips(mark):
            self.refuse(f"{mark!r} is missing before {self._next()}")

    def word(self, what: str) -> str:
        """Return the word that has to come next."""
        if self.kind != "word":
            self.refuse(f"{what} is missing before {self._next()}")
        return self._step()

    def value(self) -> Any:
        """Return the value that has to come next."""
        if self.kind == "number":
            digits = self._step()
            return int(digits) if digits.lstrip("+-").isdigit() else float(digits)
        if self.kind == "text":
            return self._step()[1:-1]
        if self.part in _CONSTANTS:
            return _CONSTANTS[self._step()]
        self.refuse(
            f"{self._next()} is no value; values are numbers, True, False, None and text "
            "in quotes"
        )

    def cutoff(self) -> int:
        """Return the cutoff that has to come next."""
        if self.kind != "number" or not self.part.isdigit() or int(self.part) < 1:
            self.refuse(
                f"the cutoff after @ must be a positive integer, got {self._next()}"
            )
        return int(self._step())

    def end(self) -> None:
        """Raise if anything is left."""
        if self.kind != "end":
            self.refuse(f"{self._next()} stands where the name should end")

    def _next(self) -> str:
        return "the end" if self.kind == "end" else shorten(self.part)
