"""Compare the winner with other models on the same lists: numbers, text, a picture."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sklearn_rank._drawing import as_png
from sklearn_rank._text._table import aligned, wrapped
from sklearn_rank._text._wording import counted
from sklearn_rank.experiments import ModelTuning
from sklearn_rank.experiments._evaluation_plot import draw_metric_at_k
from sklearn_rank.experiments._means import compare_all
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._per_query import with_scores
from sklearn_rank.metrics._names._registry import parse_metric
from sklearn_rank.statistics._comparison_text import p_text

LEVEL = 0.95
TUNED = "tuned"
# The cutoff of the other metrics if the tuned one has none.
USUAL_CUTOFF = 10


@dataclass(frozen=True)
class PairedDifference:
    """The number of lists on which one model is better than another, and the difference."""

    metric: str
    better: int
    worse: int
    equal: int
    difference: float  # mean over lists, above 0 where the model is better
    standard_error: float
    low: float | None  # one list has no interval
    high: float | None
    p_value: float | None
    may_be_chance: bool


def compare_with_tuned(
    values: Mapping[str, PerQueryScores], metric: str
) -> dict[str, PairedDifference]:
    """Compare the model "tuned" with each of the others by a metric."""
    return {
        model: _compare_lists(values["tuned"], other, metric)
        for model, other in values.items()
        if model != "tuned"
    }


def _compare_lists(
    one: PerQueryScores, other: PerQueryScores, metric: str
) -> PairedDifference:
    one, other = (with_scores(of, {metric: of.scores[metric]}) for of in (one, other))
    apart = one.difference(other).scores[metric]
    apart = apart[~np.isnan(apart)]
    sign = -1 if metric in one.lower_is_better else 1
    if len(apart) < 2:
        better, worse = int((sign * apart > 0).sum()), int((sign * apart < 0).sum())
        mean = sign * float(apart.mean()) if len(apart) else np.nan
        counts = better, worse, len(apart) - better - worse
        return PairedDifference(metric, *counts, mean, np.nan, None, None, None, True)
    (row,) = compare_all({"other": other, "one": one}, confidence_level=LEVEL).rows()
    low, high = sorted((sign * row.low, sign * row.high))
    return PairedDifference(
        metric=metric,
        better=row.better,
        worse=row.worse,
        equal=row.equal,
        difference=sign * row.difference,
        standard_error=row.standard_error,
        low=low,
        high=high,
        p_value=row.p_value,
        # Equal values need no test.
        may_be_chance=row.verdict == "undecided" and row.better + row.worse > 0,
    )


class Comparison:
    """Scores of models on the held-out rows, for the report and its picture.

    `models` maps names in the report to names of models: the winner is "tuned", and may be
    there by its own name too, as a baseline.
    """

    def __init__(self, tuned: ModelTuning, models: Mapping[str, str]):
        self.tuned = tuned
        self.models = dict(models)
        self.metric = tuned.metrics[0]
        self.lower_is_better = self.metric in tuned.settings["lower_is_better"]
        self.intervals = tuned.intervals()
        self._found = tuned.to_dict()["models"]
        values = {name: tuned.values_[own] for name, own in self.models.items()}
        self.against: dict[str, PairedDifference] = compare_with_tuned(values, self.metric)

    def mean(self, name: str) -> float:
        """Return the mean of a model by its name in the report."""
        return self.tuned.means[self.models[name]][self.metric]

    def is_better(self, name: str, other: str) -> bool:
        """Return whether the mean of a model is better than that of another one."""
        one, two = self.mean(name), self.mean(other)
        return one < two if self.lower_is_better else one > two

    def records(self) -> dict[str, Any]:
        """Return the records of each model in report.json."""
        return {
            "report": self.of_models("report"),
            "against": {name: asdict(paired) for name, paired in self.against.items()},
            "curve_metric": self.tuned.settings["curve_metric"],
            "curves": self.of_models("curve"),
        }

    def of_models(self, key: str) -> dict[str, Any]:
        """Return a value for each model by its name in the report."""
        return {name: self._found[own][key] for name, own in self.models.items()}

    def picture(
        self, titles: Mapping[str, str], heading: str, tuned_by: str = ""
    ) -> Callable[[], bytes]:
        """Return a function that draws the models by their titles, in this order.

        Their intervals are drawn below if their metric is named.
        """
        curves = self.of_models("curve")
        drawn = {title: curves[name] for name, title in titles.items()}
        means = {title: self.intervals[self.models[n]] for n, title in titles.items()}
        intervals = {
            title: (mean.mean, mean.low, mean.high)
            for title, mean in means.items()
            if tuned_by and mean.low is not None and mean.high is not None
        }
        metric = self.tuned.settings["curve_metric"]
        return lambda: as_png(draw_metric_at_k(drawn, metric, heading, tuned_by, intervals))


def describe_reports(
    reports: Mapping[str, Mapping[str, Any]], metric: str, noun: str, width: int
) -> list[str]:
    """Return a table of means as lines: the metric at each cutoff, the others at one.

    `reports` have the metrics of each model by name; `noun` names the units of the means.
    """
    of_first = next(iter(reports.values()))
    base, cutoff = _cutoff_of(metric)
    cutoffs = {_cutoff_of(name)[1] for name in of_first}
    others_at = next((k for k in (cutoff, USUAL_CUTOFF) if k in cutoffs), max(cutoffs))
    shown = sorted(
        (name for name in of_first if _cutoff_of(name)[0] == base),
        key=lambda name: _cutoff_of(name)[1],
    )
    shown += [
        name
        for name in of_first
        if _cutoff_of(name)[1] == others_at and _cutoff_of(name)[0] != base
    ]
    columns = [name for name in shown if name != metric]
    lines = [["", *columns]]
    for model, report in reports.items():
        lines.append([model, *(f"{report[name]['mean']:.4f}" for name in columns)])
    title = f"Other metrics, mean over {noun}; all of them with errors are in report.json:"
    return [wrapped(title, width), *aligned(lines, width)]


def _cutoff_of(name: str) -> tuple[str, int]:
    """Return the name of a metric without its cutoff, and the cutoff, 0 if it has none."""
    named = parse_metric(name)
    return named.name_without_cutoff, named.k or 0


def describe_paired(paired: PairedDifference, noun: str) -> str:
    """Return in words on how many lists one model is better, and by how much."""
    text = (
        f"It is better for {counted(paired.better, noun)}, worse for "
        f"{paired.worse:,} and equal for {paired.equal:,}; "
        f"difference {paired.difference:+.4f}"
    )
    if paired.low is None or paired.high is None or paired.p_value is None:
        return f"{text}. One {noun} has no interval: chance alone may explain it."
    interval = f"{100 * LEVEL:g} % interval {paired.low:+.4f} to {paired.high:+.4f}"
    text += f" ± {paired.standard_error:.4f}, {interval}, p {p_text(paired.p_value)}."
    if paired.may_be_chance:
        text += " The interval contains 0: chance alone may explain it."
    return text
