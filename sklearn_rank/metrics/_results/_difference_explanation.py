"""What explains a difference to the number of another program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sklearn_rank._base._messages import shorten
from sklearn_rank._display._result import Result
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained

Attempt = tuple[tuple[str, ...], float]  # texts of changes, and the mean


@explained
@dataclass(frozen=True, eq=False, repr=False)
class DifferenceExplanation(Result):
    """Definitions that give the number of another program; see `explain_difference`.

    ``print`` shows it as a table. All parameters are attributes, too.

    Parameters
    ----------
    metric : str
        The metric.
    ours : float
        The mean by our defaults.
    theirs : float
        The number to explain; the mean, if they were values of queries.
    found : list of tuple of str
        What to change so that our number is theirs, the fewest changes first. An entry
        without a change says that the numbers agree as they are.
    nearest : list of tuple of (tuple of str, float)
        If nothing was found, the changes that come nearest, each with its value.
    notes : list of str
        How many values the definitions give, which queries are missing, and more.

    Examples
    --------
    >>> from sklearn_rank.metrics import explain_difference
    >>> explain_difference([[0, 3, 1]], [[3, 2, 1]], theirs=0.6443, tolerance=5e-5).found
    [("gain='exponential'",), ("convention='lightgbm' or 'xgboost'",)]
    """

    metric: str
    ours: float
    theirs: float
    found: list[tuple[str, ...]]
    nearest: list[Attempt]
    notes: list[str] = field(default_factory=list)

    def _rows(self) -> list[tuple[str, float]]:
        rows = [(changes, self.theirs) for changes in self.found] or self.nearest
        return [(", ".join(changes) or "nothing", value) for changes, value in rows]

    def _columns(self) -> dict[str, Any]:
        changes, values = zip(*self._rows(), strict=True)
        return {"change": list(changes), "value": list(values)}

    def _facts(self) -> dict[str, Any]:
        names = ("metric", "ours", "theirs", "notes")
        facts = {name: getattr(self, name) for name in names}
        return {**facts, "is_explained": bool(self.found)}

    def _sections(self) -> list[Section]:
        head = f"{self.metric}: ours {self.ours:.6g}, theirs {self.theirs:.6g}"
        lines = [[name, f"{value:.6g}"] for name, value in self._rows()]
        return [Section([head], [["change", "value"], *lines], self.notes)]

    def __repr__(self) -> str:
        return (
            f"DifferenceExplanation({self.metric!r}, ours={self.ours:.6g}, "
            f"theirs={self.theirs:.6g}, found={shorten(self.found)})"
        )
