"""Result: base class of results, with text, HTML, frame and dict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn_rank._presentation._section import Section, as_html, as_text
from sklearn_rank._text._table import WIDTH
from sklearn_rank._validation import import_pandas, without_class
from sklearn_rank._values._as_json import as_json_types
from sklearn_rank.typing import PandasFrame


@without_class
class Result:
    """A result that can be printed, and converted to HTML, a frame or a dict.

    A subclass defines `_sections`, the text and tables, and `_columns` of its frame.
    """

    def _sections(self) -> list[Section]:
        """Return the text and tables of the result."""
        raise NotImplementedError

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the columns of the frame."""
        raise NotImplementedError

    def _facts(self) -> dict[str, Any]:
        """Return the entries of the dict other than the rows."""
        return {}

    def __str__(self) -> str:
        """Return the result as a table of at most 80 columns."""
        return self.to_text()

    def to_text(self, width: int = WIDTH) -> str:
        """Return the result as a table of text.

        Parameters
        ----------
        width : int, default=80
            Largest width in characters.

        Returns
        -------
        text : str
            The text that ``print`` shows.
        """
        return as_text(self._sections(), width)

    def _repr_html_(self) -> str:
        """Return the result as HTML, for notebooks."""
        return as_html(self._sections())

    def to_frame(self) -> PandasFrame:
        """Return the rows of the result as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            It has ``to_latex()`` and ``to_markdown()``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return import_pandas("to_frame").DataFrame(self._columns())

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dict of JSON types.

        Returns
        -------
        found : dict
            `rows`, a list of dicts, and other entries. Numbers that are not finite are
            None.
        """
        columns = as_json_types(self._columns())
        rows = [
            dict(zip(columns, cells, strict=True))
            for cells in zip(*columns.values(), strict=True)
        ]
        return {"rows": rows, **as_json_types(self._facts())}
