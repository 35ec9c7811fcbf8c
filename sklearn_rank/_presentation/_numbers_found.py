"""Numbers by name: a Bunch that is also a Result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sklearn_rank._presentation._faces import Result
from sklearn_rank._presentation._section import Section
from sklearn_rank._text._wording import shorten
from sklearn_rank.typing import Bunch


class NumbersFound(Result, Bunch):
    """Numbers by name and as attributes: single ones, one per position or one per label."""

    def __repr__(self) -> str:
        """Return the numbers in one line."""
        shown = (f"{name}={shorten(_plain(value))}" for name, value in self.items())
        return f"{type(self).__name__}({', '.join(shown)})"

    def _columns(self) -> dict[str, Any]:
        labels = next((v for v in self.values() if isinstance(v, Mapping)), None)
        size = max((len(np.atleast_1d(v)) for v in self.values()), default=1)
        keys = list(range(size) if labels is None else labels)
        columns = {} if labels is None else {"label": keys}
        for name, value in self.items():
            if isinstance(value, Mapping):
                columns[name] = list(value.values())
            else:
                columns[name] = list(np.broadcast_to(value, len(keys)))
        return columns

    def _sections(self) -> list[Section]:
        columns = self._columns()
        rows = list(zip(*columns.values(), strict=True))
        if len(rows) == 1:
            lines = [["", "value"], *([name, _cell(v[0])] for name, v in columns.items())]
        else:
            lines = [list(columns), *([_cell(value) for value in row] for row in rows)]
        return [Section(lines=lines)]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _cell(value: Any) -> str:
    is_float = isinstance(value, float | np.floating)
    return f"{value:.6g}" if is_float else str(value)
