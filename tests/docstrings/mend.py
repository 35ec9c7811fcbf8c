"""What a docstring is where its shared paragraphs are those of the table."""

import inspect
import re
import textwrap
from typing import Any

from tests.docstrings.numpydoc_text import SECTIONS, Entry, Section, join, take_apart
from tests.docstrings.shared import Paragraph, Table, required, shared_paragraph

__all__ = ["mend", "qualified_name"]

WIDTH = 92
# How a sentence goes on with what is special to one function.
GOES_ON = re.compile(r"; and if .*")


def mend(found: Any, lines: list[str], indent: int, table: Table) -> tuple[list[str], set]:
    """Return the lines of a docstring as they should be, and the names that differ."""
    sections = take_apart(lines)
    differing: set[str] = set()
    for heading in table:
        section = _section(sections, heading)
        entries = {entry.name: entry for entry in section.entries()}
        if heading == "Parameters":
            mended = _parameters(found, entries, indent, table)
        else:
            mended = _names(found, heading, entries, indent, table)
        pairs = [(name, entries.get(name), entry) for name, entry in mended.items()]
        differing |= {name for name, was, entry in pairs if was != entry}
        differing |= entries.keys() - mended.keys()
        kept = [name for name in entries if name in mended]
        if kept != [name for name in mended if name in entries]:
            differing.add(f"the order of {heading}")
        section.lines = [line for entry in mended.values() for line in entry.lines()]
    filled = [section for section in sections if section.lines or not section.heading]
    return join(filled), differing


def qualified_name(found: Any) -> str:
    """Return the name of an object in its file, with the class that defines a method."""
    code = getattr(inspect.unwrap(found), "__code__", None)
    return found.__qualname__ if code is None else code.co_qualname


def _section(sections: list[Section], heading: str) -> Section:
    """Return the section with this heading; a new one stands where numpydoc wants it."""
    for section in sections:
        if section.heading == heading:
            return section
    before = SECTIONS[: SECTIONS.index(heading)]
    place = sum(section.heading in ("", *before) for section in sections)
    sections.insert(place, Section(heading))
    return sections[place]


def _parameters(
    found: Any, entries: dict[str, Entry], indent: int, table: Table
) -> dict[str, Entry]:
    """Return the entries of the parameters, in the order of the signature."""
    defaults = _defaults(found)
    shared = required(table, "Parameters", qualified_name(found))
    shared = [name for name in shared if set(name.split(", ")) <= defaults.keys()]
    # Words of its own about a parameter that is gone are for a person to remove.
    own = [
        name
        for name in entries
        if shared_paragraph(table, "Parameters", name, qualified_name(found)) is None
    ]
    places = {name: place for place, name in enumerate(defaults)}
    names = sorted(
        [*shared, *own], key=lambda name: places.get(name.split(", ")[0], len(places))
    )
    return {
        name: _entry(found, "Parameters", name, entries.get(name), indent, table)
        for name in names
    }


def _names(
    found: Any, heading: str, entries: dict[str, Entry], indent: int, table: Table
) -> dict[str, Entry]:
    """Return the entries of another section: those that are there, then what lacks."""
    names = dict.fromkeys([*entries, *required(table, heading, qualified_name(found))])
    return {
        name: _entry(found, heading, name, entries.get(name), indent, table)
        for name in names
    }


def _entry(
    found: Any, heading: str, name: str, was: Entry | None, indent: int, table: Table
) -> Entry:
    paragraph = shared_paragraph(table, heading, name, qualified_name(found))
    if paragraph is None:
        assert was is not None
        return was
    kind = paragraph.kind.replace("{class}", qualified_name(found).partition(".")[0])
    if "{default}" in kind:
        kind = kind.replace("{default}", _written(_defaults(found)[name]))
    below = textwrap.wrap(
        _text(paragraph, was),
        WIDTH - indent - 4,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return Entry(f"{name} : {kind}" if kind else name, below)


def _text(paragraph: Paragraph, was: Entry | None) -> str:
    if not paragraph.may_go_on:
        return paragraph.text
    own = GOES_ON.search(was.words) if was else None
    return paragraph.text + (own[0] if own else ".")


def _defaults(found: Any) -> dict[str, Any]:
    """Return the default of each parameter, named as in a docstring."""
    stars = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}
    return {
        stars.get(parameter.kind, "") + name: parameter.default
        for name, parameter in inspect.signature(found).parameters.items()
    }


def _written(default: Any) -> str:
    """Return a default as docstrings write it."""
    if isinstance(default, float) and default != default:
        return "np.nan"
    return repr(default).replace("'", '"')
