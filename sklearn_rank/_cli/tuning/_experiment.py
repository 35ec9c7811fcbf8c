"""What `tune` and `rank` share: arguments as options, progress, records of a comparison."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from importlib import import_module
from typing import Any

from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.printing._progress import show_progress
from sklearn_rank._cli.tuning._paired import PairedDifference, compare_with_tuned
from sklearn_rank._validation import require
from sklearn_rank.experiments import ModelTuning
from sklearn_rank.experiments._evaluation_plot import as_png, draw_metric_at_k
from sklearn_rank.experiments._tuning_plan import TuningPlan

TUNED = "tuned"

# Of the arguments of tune_models that its texts name.
OPTIONS = {
    "test_size": "--holdout",
    "n_splits": "--folds",
    "cv": "--cv",
    "min_relevance": "--min-relevance",
    "metrics": "--metric",
    "user": "--user",
    "item": "--item",
    "time": "--time",
}
_ARGUMENT = re.compile(r"`(\w+)`")
_VALUE = re.compile(r"\bcv='(\w+)'")


def as_options(text: str, **names: str) -> str:
    """Return a text about arguments as one about options; `names` are those of data."""
    known = OPTIONS | names
    text = _ARGUMENT.sub(lambda found: known.get(found[1], found[0]), text)
    return _VALUE.sub(r"--cv \1", text)


@contextmanager
def errors_as_options(**names: str) -> Iterator[None]:
    """Turn what is wrong with arguments into an InputError about options."""
    try:
        yield
    except ValueError as error:
        raise InputError(as_options(str(error), **names)) from error


def check_installed(package: str | None, extra: str, option: str) -> None:
    """Raise if the package that a model needs is missing."""
    if package is None:
        return
    try:
        import_module(package)
    except ImportError as error:
        raise require(package, extra, option) from error


def run_with_progress(plan: TuningPlan, metric: str) -> ModelTuning:
    """Return what the search finds, with its progress on stderr."""
    with show_progress(f"Tuning by {metric}") as advance:
        return plan.run(lambda *, done, total, share, **_: advance(done, total, share))


class Comparison:
    """What models score on the rows held out, as the report and its picture have them.

    `models` are names in the report and the names of models: the winner is "tuned", and
    may stand there by its own name too, as a baseline.
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
        """Return what report.json has of each model."""
        return {
            "report": self.of_models("report"),
            "against": {name: asdict(paired) for name, paired in self.against.items()},
            "curve_metric": self.tuned.settings["curve_metric"],
            "curves": self.of_models("curve"),
        }

    def of_models(self, key: str) -> dict[str, Any]:
        """Return one thing of each model by its name in the report."""
        return {name: self._found[own][key] for name, own in self.models.items()}

    def picture(
        self, titles: Mapping[str, str], heading: str, tuned_by: str = ""
    ) -> Callable[[], bytes]:
        """Return what draws the models by their titles, in this order.

        Their intervals are drawn below where the metric that they are of is named.
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
