"""The table of an evaluation as text and as HTML, from rows of names and means."""

from collections.abc import Iterable, Mapping
from html import escape

from sklearn_rank._text._table import BEST, beside, wrapped
from sklearn_rank.experiments._means import MeanEstimate

MARK = "*"


def heading(level: float) -> str:
    """Return the line above the means."""
    return f"    mean   ± error  {percent(level)} interval"


def row(mean: MeanEstimate, title: str, width: int) -> list[str]:
    """Return the lines of one model."""
    return beside(_numbers(mean), title + f"  {BEST}" * mean.is_best, width)


def notes(means: Iterable[MeanEstimate], level: float, unit: str = "user") -> list[str]:
    """Return what the marks of the table mean."""
    means = list(means)
    if len(means) < 2 or any(mean.standard_error is None for mean in means):
        if len(means) < 2 or any(mean.low is not None for mean in means):
            return []
        return [f"One {unit} has no interval: chance alone may explain every difference."]
    if sum(mean.may_be_best for mean in means) < 2:
        return ["The best is better than each other model by more than chance explains."]
    return [
        f"{MARK} may be as good as the best: chance may explain the difference (paired t "
        f"tests of all pairs, p corrected by Holm, above {1 - level:.2g})."
    ]


def table(
    means: Mapping[str, MeanEstimate],
    titles: Mapping[str, str],
    level: float,
    unit: str,
    width: int,
) -> str:
    """Return the table of models, in the order of the means, and its notes."""
    lines = [heading(level)]
    for name, mean in means.items():
        lines += row(mean, titles[name], width)
    lines += [wrapped(text, width) for text in notes(means.values(), level, unit)]
    return "\n".join(lines)


def as_html(
    head: Iterable[str],
    means: Mapping[str, MeanEstimate],
    titles: Mapping[str, str],
    level: float,
    unit: str,
) -> str:
    """Return the same as HTML, whose color is that of the page."""
    cells = [f"<th style='text-align:left'>{one}</th>" for one in ("model", "mean")]
    cells += [f"<th>{one}</th>" for one in ("± error", f"{percent(level)} interval")]
    rows = ["<tr>" + "".join(cells) + "</tr>"]
    for name, mean in means.items():
        weight = "bold" if mean.is_best else "normal"
        title = escape(titles[name]) + (
            "" if mean.is_best or not mean.may_be_best else MARK
        )
        shown = [title, f"{mean.mean:.4f}", _error(mean), interval(mean)]
        rows.append(
            f"<tr style='font-weight:{weight}'>"
            + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in shown)
            + "</tr>"
        )
    texts = "".join(f"<p>{escape(text)}</p>" for text in head)
    below = "".join(f"<p>{escape(text)}</p>" for text in notes(means.values(), level, unit))
    style = "color:inherit;background:transparent"
    return (
        f"<div style='{style}'>{texts}<table style='{style}'>{''.join(rows)}</table>"
        f"{below}</div>"
    )


def percent(level: float) -> str:
    """Return a level as a percentage."""
    return f"{100 * level:g} %"


def interval(mean: MeanEstimate) -> str:
    """Return an interval, or nothing where there is none."""
    if mean.low is None or mean.high is None:
        return ""
    return f"{mean.low:.4f} to {mean.high:.4f}"


def _error(mean: MeanEstimate) -> str:
    return "" if mean.standard_error is None else f"{mean.standard_error:.4f}"


def _numbers(mean: MeanEstimate) -> str:
    mark = MARK if mean.may_be_best and not mean.is_best else " "
    if mean.standard_error is None:
        return f"  {mean.mean:6.4f}{mark}"
    return f"  {mean.mean:6.4f}{mark}  {mean.standard_error:6.4f}   {interval(mean)}"
