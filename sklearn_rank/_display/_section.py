"""A section of a result: sentences, a table, and notes below it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape as escape_html
from typing import Any

from sklearn_rank._base._text import (
    BEST_MARK,
    WIDTH,
    align_columns,
    escape_controls,
    place_beside,
    wrap_lines,
)


@dataclass(frozen=True)
class Section:
    """Sentences, a table whose first column has names, and notes."""

    head: Sequence[str] = ()
    # The titles of the columns, and the cells of each row.
    lines: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()
    best: int | None = None  # index of the row to emphasize
    # In text, write names after the numbers, and wrap long ones.
    names_last: bool = False
    title: str = ""  # on a page
    code: str = ""

    def text(
        self, width: int = WIDTH, emphasized: Callable[[str], str] | None = None
    ) -> str:
        """Return the section as text; `emphasized` marks the lines of the best row."""
        lines = [line for text in self.head for line in wrap_lines(text, width)]
        if self.names_last:
            lines += self._behind_numbers(width, emphasized or str)
        elif self.lines:
            lines += align_columns([list(line) for line in self.lines], width)
        lines += [line for text in self.notes for line in wrap_lines(text, width)]
        return "\n".join(lines)

    def _behind_numbers(self, width: int, emphasized: Callable[[str], str]) -> list[str]:
        (_, *titles), *rows = self.lines
        sizes = [2 + max(map(len, cells)) for cells in zip(*self.lines, strict=True)][1:]
        lines = [_align_numbers(titles, sizes)]
        for number, (name, *cells) in enumerate(rows):
            is_best = number == self.best
            marked = name + f"  {BEST_MARK}" * is_best
            row = place_beside(_align_numbers(cells, sizes), marked, width)
            lines += map(emphasized, row) if is_best else row
        return lines

    def html(self) -> str:
        """Return the section as HTML, in the colors of the page."""
        parts = [f"<h2>{_escape(self.title)}</h2>"] if self.title else []
        parts += [f"<p>{_escape(text)}</p>" for text in self.head]
        if self.lines:
            titles, *rows = self.lines
            head = _html_row(titles, "th")
            body = "".join(
                _html_row(cells, "td", is_best=number == self.best)
                for number, cells in enumerate(rows)
            )
            parts.append(
                '<div style="overflow-x:auto"><table style="color:inherit;background:'
                f'transparent"><thead>{head}</thead><tbody>{body}</tbody></table></div>'
            )
        code = "\n".join(map(_escape, self.code.split("\n")))
        parts += [f"<pre>{code}</pre>"] * bool(self.code)
        parts += [f"<p>{_escape(text)}</p>" for text in self.notes]
        return "".join(parts)


def frame_section(frame: Any, title: str = "") -> Section:
    """Return a table of a data frame, numbers of floats with four decimals."""
    lines = [["", *map(str, frame.columns)]]
    for name, *cells in frame.itertuples(name=None):
        texts = (f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells)
        lines.append([str(name), *texts])
    return Section(lines=lines, title=title)


def sections_as_text(sections: Iterable[Section], width: int = WIDTH) -> str:
    """Return sections with a blank line between them."""
    return "\n\n".join(section.text(width) for section in sections)


def sections_as_html(sections: Iterable[Section]) -> str:
    """Return sections as a part of a page."""
    parts = "".join(section.html() for section in sections)
    return f'<div style="color:inherit;background:transparent">{parts}</div>'


def _escape(text: str) -> str:
    return escape_html(escape_controls(text))


def _align_numbers(cells: Sequence[str], sizes: Sequence[int]) -> str:
    each = zip(cells, sizes, strict=True)
    return "".join(f"{cell:>{size}}" for cell, size in each).rstrip()


def _html_row(cells: Sequence[str], tag: str, *, is_best: bool = False) -> str:
    weight = ' style="font-weight:bold"' if is_best else ""
    sides = ["left", *["right"] * (len(cells) - 1)]
    content = "".join(
        f'<{tag} style="text-align:{side}">{_escape(cell.strip())}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr{weight}>{content}</tr>"
