"""One HTML page of a result: tables, pictures, settings and versions."""

import json
import platform
from base64 import b64encode
from collections.abc import Callable, Mapping
from html import escape
from importlib import import_module
from importlib.resources import files
from os import PathLike
from typing import Any

from sklearn_rank._base._files import atomic_file
from sklearn_rank._base._text import escape_controls
from sklearn_rank._display._figures import as_png
from sklearn_rank._display._result import Result, as_json_types
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained

PACKAGES = ("sklearn_rank", "sklearn", "numpy", "scipy")
MOST_LETTERS = 300  # of a setting
# Styles of matplotlib; dark pictures have the background of the page.
LIGHT: list[Any] = ["default"]
_BACKGROUNDS = ("figure.facecolor", "axes.facecolor", "savefig.facecolor")
DARK = [*LIGHT, "dark_background", dict.fromkeys(_BACKGROUNDS, "#0d1117")]


@explained
class ReportedResult(Result):
    """A result with an HTML page of its tables and pictures."""

    settings: dict[str, Any]

    def _title(self) -> str:
        """Return the title of the page."""
        raise NotImplementedError

    def _more_sections(self) -> list[Section]:
        """Return further sections that are only on the page."""
        return []

    def _pictures(self) -> dict[str, Callable[[], Any]]:
        """Return a function that draws each picture, by title."""
        return {}

    def to_html(self, path: str | PathLike | None = None) -> str | None:
        """Write the result as one HTML page without other files.

        The page has the tables, which can be sorted by a click on a title, the pictures,
        the settings, and the versions of packages. It is light or dark like the browser.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write; an existing file is replaced once the page is complete; a pipe or
            device is written into. None returns the page.

        Returns
        -------
        page : str or None
            The page, if no file is named.

        Raises
        ------
        OSError
            If the file cannot be written.

        Notes
        -----
        Without matplotlib the page has a note instead of the pictures.
        """
        return write_page(build_page(self), path)


def write_page(page: str, path: str | PathLike | None) -> str | None:
    """Write a page into a file; without one return it."""
    if path is None:
        return page
    with atomic_file(path) as file:
        file.write(page.encode(errors="xmlcharrefreplace"))
    return None


def build_page(result: ReportedResult, lists: Mapping[str, Any] | None = None) -> str:
    """Return the page; the script sorts a table by the column whose title is clicked.

    `lists` are what the viewer of queries shows, if there are some.
    """
    title = escape(escape_controls(result._title()))
    sections = "\n".join(section.html() for section in result._shown_sections())
    more = [*result._more_sections(), *_settings_section(result.settings)]
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{_read_asset("page.css")}</style>
</head>
<body>
<h1>{title}</h1>
{sections}
{_pictures_html(result._pictures())}
{"" if lists is None else _viewer_html(lists)}
{"".join(section.html() for section in more)}
<script>
{_read_asset("page.js")}</script>
</body>
</html>
"""


def _read_asset(name: str) -> str:
    """Return a text file that is installed beside this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _viewer_html(lists: Mapping[str, Any]) -> str:
    """Return the viewer of queries; the data are text that cannot end its element."""
    data = json.dumps(lists, ensure_ascii=False, separators=(",", ":"))
    data = data.replace("<", "\\u003c")
    return (
        f'{_read_asset("queries.html")}<script type="application/json" id="queries-data">'
        f'{data}</script>\n<script type="module">\n{_read_asset("queries.js")}</script>'
    )


def _pictures_html(pictures: Mapping[str, Callable[[], Any]]) -> str:
    """Return the pictures as HTML, each for light and dark pages."""
    try:
        return "".join(_picture_html(title, draw) for title, draw in pictures.items())
    except ImportError:
        return "<p>The pictures are left out; they need matplotlib.</p>"


def _picture_html(title: str, draw: Callable[[], Any]) -> str:
    light, dark = (_picture_source(draw, styles) for styles in (LIGHT, DARK))
    return (
        f'<figure><picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(title)}"></picture></figure>'
    )


def _picture_source(draw: Callable[[], Any], styles: list[Any]) -> str:
    """Return a picture in a matplotlib style as a data URL."""
    from matplotlib import style

    with style.context(styles):
        return f"data:image/png;base64,{b64encode(as_png(draw())).decode()}"


def _settings_section(settings: Mapping[str, Any]) -> list[Section]:
    """Return the settings, and the versions of packages."""
    asked = [[name, _show_value(value)] for name, value in as_json_types(settings).items()]
    versions = [["Python", platform.python_version()]]
    versions += [[name, import_module(name).__version__] for name in PACKAGES]
    return [
        Section(lines=[["setting", "value"], *asked], title="Settings"),
        Section(lines=[["package", "version"], *versions], title="Versions"),
    ]


def _show_value(value: Any) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…"
