"""A docstring as its source has it, taken apart into sections and entries."""

import re
from dataclasses import dataclass, field
from itertools import pairwise

__all__ = ["SECTIONS", "Entry", "Section", "join", "take_apart"]

# In the order that numpydoc asks for.
SECTIONS = (
    "Parameters",
    "Attributes",
    "Methods",
    "Returns",
    "Yields",
    "Other Parameters",
    "Raises",
    "Warns",
    "Warnings",
    "See Also",
    "Notes",
    "References",
    "Examples",
)


@dataclass
class Section:
    """A heading, empty for what comes before the first, and the lines below it."""

    heading: str
    lines: list[str] = field(default_factory=list)

    def entries(self) -> list["Entry"]:
        """Return the entries of a section that lists names."""
        found: list[Entry] = []
        for line in self.lines:
            if line and not line[0].isspace():
                found.append(Entry(line))
            else:
                found[-1].below.append(line.strip())
        return found


@dataclass
class Entry:
    """A parameter, a returned value or an error: ``name : kind`` and text below."""

    head: str
    below: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The names before the colon, or the class of an error."""
        return self.head.partition(" : ")[0]

    @property
    def words(self) -> str:
        """The text below on one line."""
        return " ".join(self.below)

    def lines(self) -> list[str]:
        """Return the entry as lines of a section."""
        return [self.head, *(f"    {line}".rstrip() for line in self.below)]


def take_apart(lines: list[str]) -> list[Section]:
    """Return the sections of the lines of a docstring, without their indentation."""
    sections = [Section("")]
    underlined = [
        line in SECTIONS and bool(re.fullmatch("-+", below))
        for line, below in pairwise([*lines, ""])
    ]
    for place, line in enumerate(lines):
        if underlined[place]:
            sections.append(Section(line))
        elif not (place and underlined[place - 1]):
            sections[-1].lines.append(line)
    for section in sections:
        while section.lines and not section.lines[-1]:
            section.lines.pop()
    return sections


def join(sections: list[Section]) -> list[str]:
    """Return the lines of a docstring, with an empty one before each heading."""
    lines = list(sections[0].lines)
    for section in sections[1:]:
        lines += ["", section.heading, "-" * len(section.heading), *section.lines]
    return lines
