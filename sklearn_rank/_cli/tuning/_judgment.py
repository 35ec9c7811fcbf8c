"""The models on the rows held out: tables, and whether tuning was worth it."""

from collections.abc import Iterable
from typing import Any

from sklearn_rank._cli.printing._errors import as_options
from sklearn_rank._cli.printing._printing import bold
from sklearn_rank._cli.tuning._search import OPTIONS
from sklearn_rank._presentation._section import Section
from sklearn_rank._text._table import wrapped
from sklearn_rank._text._wording import counted
from sklearn_rank.experiments import ModelTuning
from sklearn_rank.experiments._evaluation_text import percent
from sklearn_rank.experiments._means import compare_all
from sklearn_rank.experiments._measures import CUTOFFS
from sklearn_rank.metrics._core._per_query import with_scores
from sklearn_rank.statistics._comparison_text import p_text


def describe_judgment(tuned: ModelTuning, said: Iterable[str], width: int) -> str:
    """Return the tables of the models on the rows held out, and the verdict below."""
    sections = [*tuned._sections(), *([_at_cutoffs(tuned)] if tuned.models_ else [])]
    tables = [as_options(section.text(width, bold), OPTIONS) for section in sections]
    return "\n\n".join([*tables, *(wrapped(text, width) for text in said)])


def verdict(tuned: ModelTuning, baselines: Iterable[str]) -> list[str]:
    """Return in words whether the tuned model beats each of the baselines."""
    judged = [name for name in baselines if name in tuned.models_]
    said = []
    if tuned.best_name_ in judged:
        title = tuned._short(tuned.best_name_).removesuffix(" (tuned)")
        said.append(
            f"The search chose {title}. The tuned model does not beat {title}; it is "
            f"{title}."
        )
    return said + [_against(tuned, name) for name in judged if name != tuned.best_name_]


def _at_cutoffs(tuned: ModelTuning) -> Section:
    """Return the metric at the usual cutoffs, the best model first."""
    metric, curves = tuned.settings["curve_metric"], tuned._curves()
    longest = len(next(iter(curves.values())))
    cutoffs = [k for k in CUTOFFS if k <= longest]
    lines = [["", *(f"{metric}@{k}" for k in cutoffs)]]
    for name, curve in curves.items():
        lines.append([name, *(f"{curve[k - 1]:.4f}" for k in cutoffs)])
    return Section(lines=lines)


def _against(tuned: ModelTuning, baseline: str) -> str:
    metric, title = tuned.metrics[0], tuned._short(baseline)
    lower_is_better = metric in tuned.settings["lower_is_better"]
    own, other = (tuned.means[name][metric] for name in (tuned.best_name_, baseline))
    beats = (
        "beats" if (own < other if lower_is_better else own > other) else "does not beat"
    )
    assert tuned.split_ is not None
    lower = " (lower is better)" if lower_is_better else ""
    return (
        f"The tuned model {beats} {title} on the {tuned.split_.held_out}: "
        f"{metric} {own:.4f} against {other:.4f}{lower}. {_paired(tuned, baseline)}"
    )


def _paired(tuned: ModelTuning, baseline: str) -> str:
    """Return in words for how many users or queries the tuned model is better."""
    metric, unit = tuned.metrics[0], tuned.settings["unit"]
    names = tuned.best_name_, baseline
    if any(tuned.intervals()[name].low is None for name in names):
        return "Without an interval, chance alone may explain it."
    values = {name: tuned.values_[name] for name in names}
    alone = {
        name: with_scores(of, {metric: of.scores[metric]}) for name, of in values.items()
    }
    level = tuned.settings["confidence_level"]
    row: Any = compare_all(alone, baseline=baseline, confidence_level=level).rows()[0]
    text = (
        f"It is better for {counted(row.better, unit)}, worse for {row.worse:,} and equal "
        f"for {row.equal:,}; difference {row.difference:+.4f} ± {row.standard_error:.4f}, "
        f"{percent(level)} interval {row.low:+.4f} to {row.high:+.4f}, p "
        f"{p_text(row.p_value)}."
    )
    # Where all are equal there is nothing that chance could explain.
    if row.verdict == "undecided" and row.better + row.worse > 0:
        text += " The interval contains 0: chance alone may explain it."
    return text
