"""Result: base class of results, with text, HTML, frame and dict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import is_missing
from sklearn_rank._base._text import NARROWEST, WIDTH, format_interval
from sklearn_rank._base._validation import check_integer, hold_text, import_pandas
from sklearn_rank._display._section import Section, sections_as_html, sections_as_text
from sklearn_rank._hints._explain import explained
from sklearn_rank.typing import Bunch, PandasFrame


def as_json_types(value: Any) -> Any:
    """Return the value as dicts, lists, text and numbers; None for NaN and infinity."""
    if isinstance(value, Mapping):
        return {str(key): as_json_types(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [as_json_types(entry) for entry in value]
    if isinstance(value, np.datetime64 | np.timedelta64):
        return None if np.isnat(value) else str(value)
    if isinstance(value, np.generic):
        value = value.item()
    if is_missing(value):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(getattr(value, "__name__", repr(value)))


@explained
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

    @property
    def warnings(self) -> list[str]:
        """Warnings of the call that made the result, and of the results behind it."""
        return list(vars(self).get("_warnings", ()))

    def _keep_warnings(self, texts: list[str]) -> None:
        if texts:
            vars(self)["_warnings"] = texts

    def _shown_sections(self) -> list[Section]:
        """Return the sections, with the warnings below the last one."""
        *first, last = self._sections()
        texts = [f"Warning: {text}" for text in self.warnings]
        return [*first, replace(last, notes=[*last.notes, *texts])]

    def __str__(self) -> str:
        """Return the result as a table of at most 80 columns."""
        return self.to_text()

    def to_text(self, width: int = WIDTH) -> str:
        """Return the result as a table of text.

        Parameters
        ----------
        width : int, default=80
            Largest width in characters, 20 or more.

        Returns
        -------
        text : str
            The text that ``print`` shows.

        Raises
        ------
        ValueError
            If `width` is too small.
        """
        check_integer("width", width, minimum=NARROWEST)
        return sections_as_text(self._shown_sections(), width)

    def _repr_html_(self) -> str:
        """Return the result as HTML, for notebooks."""
        return sections_as_html(self._shown_sections())

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
        pd = import_pandas("to_frame")
        return pd.DataFrame({name: hold_text(of) for name, of in self._columns().items()})

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dict of JSON types.

        Returns
        -------
        content : dict
            `rows`, a list of dicts, `warnings`, and other entries. Numbers that are not
            finite are None.
        """
        columns = as_json_types(self._columns())
        rows = zip(*columns.values(), strict=True)
        records = [dict(zip(columns, cells, strict=True)) for cells in rows]
        return {"rows": records, **as_json_types(self._facts()), "warnings": self.warnings}


class NumbersFound(Result, Bunch):
    """Numbers by name and as attributes: single ones, one per position or one per label."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over the warnings, which are kept beside the numbers."""
        vars(self).update(state)

    def __repr__(self) -> str:
        """Return the numbers in one line."""
        plain = {n: v.tolist() if hasattr(v, "tolist") else v for n, v in self.items()}
        parts = (f"{name}={shorten(value)}" for name, value in plain.items())
        return f"{type(self).__name__}({', '.join(parts)})"

    def _columns(self) -> dict[str, Any]:
        labels = next((v for v in self.values() if isinstance(v, Mapping)), None)
        size = max((len(np.atleast_1d(v)) for v in self.values()), default=1)
        keys = list(range(size) if labels is None else labels)
        columns = {} if labels is None else {"label": keys}
        for name, value in self.items():
            is_named = isinstance(value, Mapping)
            of_keys = value.values() if is_named else np.broadcast_to(value, len(keys))
            columns[name] = list(of_keys)
        return columns

    def _sections(self) -> list[Section]:
        columns = self._columns()
        rows = list(zip(*columns.values(), strict=True))
        lines = [list(columns), *([_format_cell(value) for value in row] for row in rows)]
        head: list[str] = []
        if len(rows) == 1:
            lines = [["", "value"], *map(list, zip(*lines, strict=True))]
            if {"low", "high"} <= self.keys():
                name, value = next(iter(self.items()))
                ends = format_interval(self["low"], self["high"], ".4g")
                head.append(f"{name} {value:.4g} {ends}")
        return [Section(head, lines)]


def _format_cell(value: Any) -> str:
    is_float = isinstance(value, float | np.floating)
    return f"{value:.6g}" if is_float else str(value)
