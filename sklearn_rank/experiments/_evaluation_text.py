"""The table of an evaluation as text and as HTML, from rows of names and means."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sklearn_rank._presentation._section import Section
from sklearn_rank.experiments._means import MeanEstimate

MARK = "*"


def notes(means: Iterable[MeanEstimate], level: float) -> list[str]:
    """Return what the marks of the table mean."""
    means = list(means)
    if len(means) < 2:
        return []
    if any(mean.low is None for mean in means):
        return ["Without intervals, chance alone may explain every difference."]
    if sum(mean.may_be_best for mean in means) < 2:
        return ["The best is better than each other model by more than chance explains."]
    return [
        f"{MARK} may be as good as the best: chance may explain the difference (paired t "
        f"tests of all pairs, p corrected by Holm, above {1 - level:.2g})."
    ]


def section_of(
    means: Mapping[str, MeanEstimate],
    titles: Mapping[str, str],
    level: float,
    head: Sequence[str] = (),
) -> Section:
    """Return a table of models with the intervals of their means, and its notes."""
    has_errors = any(mean.standard_error is not None for mean in means.values())
    lines = [["model", "mean ", *["± error", f"{percent(level)} interval"] * has_errors]]
    for name, mean in means.items():
        mark = MARK if mean.may_be_best and not mean.is_best else " "
        cells = [titles[name], f"{mean.mean:.4f}{mark}"]
        if has_errors:
            cells += [f"{mean.standard_error:.4f}", f"{mean.low:.4f} to {mean.high:.4f}"]
        lines.append(cells)
    best = next((n for n, mean in enumerate(means.values()) if mean.is_best), None)
    below = notes(means.values(), level)
    return Section(head, lines, below, best=best, names_last=True)


def section_of_frame(frame: Any, title: str) -> Section:
    """Return a table of a data frame, numbers of floats with four decimals."""
    lines = [["", *map(str, frame.columns)]]
    for name, *cells in frame.itertuples(name=None):
        shown = (f"{one:.4f}" if isinstance(one, float) else str(one) for one in cells)
        lines.append([str(name), *shown])
    return Section(lines=lines, title=title)


def percent(level: float) -> str:
    """Return a level as a percentage."""
    return f"{100 * level:g} %"
