"""ModelEvaluation: what models score, how sure that is, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_list
from sklearn_rank._base._machine import __version__
from sklearn_rank._base._messages import plural, quantity
from sklearn_rank._base._text import format_interval
from sklearn_rank._base._validation import check_option, hold_text, import_pandas
from sklearn_rank._display._figures import DEFAULT_SIZE, new_figure, shown_figure
from sklearn_rank._display._page import ReportedResult
from sklearn_rank._display._result import as_json_types
from sklearn_rank._display._section import Section, frame_section
from sklearn_rank._hints._explain import explained
from sklearn_rank.experiments._evaluation_views import (
    Curve,
    EvaluationDisplay,
    NewFigure,
    draw_intervals,
    draw_metric_at_k,
    means_section,
)
from sklearn_rank.experiments._fold_scores import Judged
from sklearn_rank.experiments._means import (
    MeanEstimate,
    can_have_intervals,
    compare_all,
    estimate_means,
    segment_frame,
)
from sklearn_rank.metrics import MetricBySegmentDisplay, PerQueryScores, TradeOffDisplay
from sklearn_rank.metrics._core._registry import list_metrics
from sklearn_rank.metrics._scorers._inside_estimators import (
    find_recommender,
    has_recommender,
)
from sklearn_rank.metrics._scorers._recommender_protocol import training_data_of
from sklearn_rank.statistics import ModelComparison
from sklearn_rank.statistics._paper_table import escape_markup
from sklearn_rank.typing import Markup, PandasFrame

PICTURES = ("metric_at_k", "intervals", "segments", "history", "trade_off")


@explained
class ModelEvaluation(ReportedResult):
    """What models score on the same users or queries, and how sure that is.

    :func:`evaluate_models` returns it. ``print`` shows a table of the models, best first,
    with the intervals of their means; notebooks show the same as HTML.

    Parameters
    ----------
    judged : mapping of str to Judged
        What each model scores.
    settings : dict
        How models were judged: `metrics`, `lower_is_better`, `curve_metric`, `unit`,
        `confidence_level`, `baseline` and the arguments of the call.
    titles : mapping of str to str, default=None
        Each model in words. If None, the names.
    models : mapping of str to estimator, default=None
        The fitted models.
    segment_of : mapping, default=None
        Segment of each user or query, if the call named a column of them.

    Attributes
    ----------
    values_ : dict of str to PerQueryScores
        Values of each model by user or query, of the metrics that have such.
    models_ : dict of str to estimator
        The models that were judged, fitted on the rows to train on.
    titles : dict of str to str
        Each model in words.
    settings : dict
        How models were judged.

    Examples
    --------
    >>> from sklearn_rank.datasets import make_interactions
    >>> from sklearn_rank.experiments import evaluate_models
    >>> from sklearn_rank.recommenders import EASERecommender, PopularityRecommender
    >>> log = make_interactions(300, 200, 8_000, random_state=0, as_frame=True)
    >>> models = {"EASE": EASERecommender(), "popular": PopularityRecommender()}
    >>> fitted = {name: model.fit(log[:6_000]) for name, model in models.items()}
    >>> found = evaluate_models(fitted, log[6_000:])
    >>> found.may_be_best, list(found.to_frame())
    (['EASE'], ['ndcg@10'])
    """

    settings: dict[str, Any]
    titles: dict[str, str]
    models_: dict[str, Any]

    def __init__(
        self,
        judged: Mapping[str, Judged],
        *,
        settings: Mapping[str, Any],
        titles: Mapping[str, str] | None = None,
        models: Mapping[str, Any] | None = None,
        segment_of: Mapping[Hashable, Any] | None = None,
    ) -> None:
        self._judged = dict(judged)
        self.settings = dict(settings)
        self.titles = {name: name for name in judged} | dict(titles or {})
        self.models_ = dict(models or {})
        self._segment_of = segment_of

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics; the first one decides."""
        return list(self.settings["metrics"])

    @property
    def values_(self) -> dict[str, PerQueryScores]:
        """Values of each model by user or query."""
        return {name: model.values for name, model in self._judged.items()}

    @cached_property
    def comparison(self) -> ModelComparison:
        """All pairs of models, or all with the baseline of the call; p-values corrected.

        Raises
        ------
        ValueError
            If there is one model, or no metric has values by user or query.
        """
        if len(self._judged) < 2:
            raise ValueError("There is one model; a comparison needs two.")
        baseline = self.settings.get("baseline")
        if baseline is None and self._all_pairs is not None:
            return self._all_pairs
        return self._compare(self.values_, baseline)

    def against(self, model: str) -> ModelComparison:
        """Compare all models with one of them.

        Parameters
        ----------
        model : str
            Name of the model that the others are compared with.

        Returns
        -------
        comparison : ModelComparison
            A row for each other model and metric.

        Raises
        ------
        ValueError
            If there is no such model.
        """
        check_option("model", model, self._judged)
        return self._compare(self.values_, model)

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """Mean of each metric by model, as the metric defines it."""
        return {name: dict(model.means) for name, model in self._judged.items()}

    @property
    def may_be_best(self) -> list[str]:
        """Names of the best model, and of those that chance may set apart from it."""
        return [name for name, mean in self.intervals().items() if mean.may_be_best]

    @property
    def best_on_test(self) -> str:
        """Name of the model with the best mean of the first metric."""
        return next(name for name, mean in self.intervals().items() if mean.is_best)

    def intervals(self, metric: str | None = None) -> dict[str, MeanEstimate]:
        """Mean of a metric by model with its interval, best first.

        Parameters
        ----------
        metric : str, default=None
            Name of the metric. If None, the first one.

        Returns
        -------
        intervals : dict of str to Mean
            ``mean``, ``standard_error``, ``low``, ``high`` (None where a metric has no
            values by user or query), ``is_best`` and ``may_be_best`` of each model.

        Raises
        ------
        ValueError
            If there is no such metric.
        """
        metric = self.metrics[0] if metric is None else metric
        check_option("metric", metric, self.metrics)
        if not self._judged:
            raise ValueError(
                "Nothing was held out, so no model was judged; give `test_size` or `test`."
            )
        if metric not in self._intervals_by_metric:
            lower = self._lower_is_better(metric)
            level = self.settings["confidence_level"]
            options = {"lower_is_better": lower, "level": level}
            rows = estimate_means(metric, self._judged, self._all_pairs, **options)
            means = {n: row.mean if lower else -row.mean for n, row in rows.items()}
            order = sorted(rows, key=lambda name: np.nan_to_num(means[name], nan=np.inf))
            self._intervals_by_metric[metric] = {name: rows[name] for name in order}
        return self._intervals_by_metric[metric]

    def to_frame(self, metrics: str | Sequence[str] | None = None) -> PandasFrame:
        """Return the means as a pandas DataFrame, best model first.

        Parameters
        ----------
        metrics : str or sequence of str, default=None
            Names of the columns. If None, the metrics of the call. Precision, recall, hit
            rate, MRR, MAP and nDCG at 1, 5, 10 and 20 are there too, for example
            ``"recall@20"``.

        Returns
        -------
        frame : pandas.DataFrame
            One row per model, one column per metric.

        Raises
        ------
        ValueError
            If there is no such metric.
        """
        ordered = self.intervals()
        names = self.metrics if metrics is None else list_metrics(metrics)
        facts = {
            model: {name: row["mean"] for name, row in row.report.items()} | row.means
            for model, row in self._judged.items()
        }
        first = next(iter(facts.values()))
        for name in names:
            check_option("metrics", name, first)
        rows = [[facts[model][name] for name in names] for model in ordered]
        pd = import_pandas("to_frame")
        return pd.DataFrame(rows, hold_text(list(ordered)), names)

    def to_dict(self) -> dict[str, Any]:
        """Return all that was found in types that JSON knows.

        Returns
        -------
        content : dict
            The versions, the settings, and of each model its title, means with intervals,
            the report and the curve. What is not finite is None.
        """
        comparison = None if self._all_pairs is None else self.comparison.columns
        return as_json_types(
            {
                "sklearn_rank": __version__,
                "settings": self.settings,
                "models": {
                    name: {
                        "title": self.titles[name],
                        "means": model.means,
                        "intervals": {
                            m: vars(self.intervals(m)[name]) for m in self.metrics
                        },
                        "report": model.report,
                        "curve": model.curve,
                    }
                    for name, model in self._judged.items()
                },
                "comparison": comparison,
                "warnings": self.warnings,
            }
        )

    def superscripts(self, *, markup: Markup = "unicode", digits: int = 4) -> PandasFrame:
        """Return means with the letters of the models that each one beats.

        Parameters
        ----------
        markup : {"unicode", "latex", "html"}, default="unicode"
            How letters are raised.
        digits : int, default=4
            Decimals of the means.

        Returns
        -------
        frame : pandas.DataFrame
            As ``comparison.superscripts()`` returns it, one column per metric; metrics
            that have no values by user or query have no letters.
        """
        frame = self.comparison.superscripts(markup=markup, digits=digits)
        for metric in self.metrics:
            column = escape_markup(metric, markup)
            if column not in frame:
                means = [model.means[metric] for model in self._judged.values()]
                frame[column] = [f"{mean:.{digits}f}" for mean in means]
        return frame

    def segments(self, by: Mapping[Hashable, Any] | None = None) -> PandasFrame:
        """Return means of the first metric by segment of users or queries.

        Parameters
        ----------
        by : mapping, default=None
            Segment of each user or query, a dict or a Series. If None, the column `by` of
            the call.

        Returns
        -------
        frame : pandas.DataFrame
            One row per model: the mean of all, of each segment, and the difference of the
            segments that are furthest apart for the best model, with its standard error.

        Raises
        ------
        ValueError
            If `by` is missing, or lacks a user or query.
        """
        segment_of = self._segment_of if by is None else by
        if segment_of is None:
            raise ValueError(
                "`by` is needed, a mapping from user or query to segment: no column of "
                "segments was named in the call."
            )
        values = {name: self._judged[name].values for name in self.intervals()}
        return segment_frame(values, self.metrics[0], segment_of)

    def plot(self, kind: str = "metric_at_k") -> EvaluationDisplay:
        """Draw the models.

        Parameters
        ----------
        kind : {"metric_at_k", "intervals", "segments", "history", "trade_off"}, \
                default="metric_at_k"
            The first metric at each length of the list, with the intervals of the means
            below; or these alone; by segment, where the call named a column of them; by
            the number of items that users have in the training data; or beside the second
            metric.

        Returns
        -------
        display : EvaluationDisplay
            With the picture drawn: ``figure_``, and ``axes_``, a list.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If what the picture shows is not known.
        """
        return EvaluationDisplay(self._figure(kind, shown_figure))

    def _figure(self, kind: str, new: NewFigure) -> Any:
        check_option("kind", kind, PICTURES)
        level, metric = self.settings["confidence_level"], self.metrics[0]
        if kind == "intervals":
            return draw_intervals(self._interval_ends(), metric, level, new)
        if kind == "trade_off":
            means = self._give_titles(self.means)
            axes = new(*DEFAULT_SIZE).subplots()
            return TradeOffDisplay.from_means(means, self.metrics[:2], ax=axes).figure_
        if kind in ("segments", "history"):
            by = self._lengths_of_histories() if kind == "history" else self._segment_of
            if by is None:
                raise ValueError(
                    f"There is nothing to draw {kind} by: evaluate_models(by=) names a "
                    "column of segments, and recommenders have histories."
                )
            display = MetricBySegmentDisplay.from_scores(
                self._give_titles(self.values_),
                by,
                metric=metric,
                bins=5 if kind == "history" else None,
                confidence_level=level,
                ax=new(*DEFAULT_SIZE).subplots(),
            )
            return display.figure_
        return draw_metric_at_k(
            self._curves(),
            self.settings["curve_metric"],
            self._title_of_picture(),
            metric,
            self._interval_ends(),
            level,
            new,
        )

    def __repr__(self) -> str:
        """Return the number of models and the metrics."""
        n_models = quantity(len(self._judged), "model")
        return f"{type(self).__name__}({n_models}, metrics={self.metrics})"

    def _sections(self) -> list[Section]:
        level = self.settings["confidence_level"]
        return [means_section(self.intervals(), self._shown_titles, level, self._head())]

    def _title(self) -> str:
        metric, best = self.metrics[0], self.best_on_test
        mean, title = self.intervals()[best], self._short_title(best)
        text = f"{title[:1].upper()}{title[1:]} is best: {metric} {mean.mean:.4f}"
        if mean.low is None or mean.high is None:
            return text
        return f"{text} {format_interval(mean.low, mean.high)}"

    def _more_sections(self) -> list[Section]:
        if not self._judged:
            return []
        report = next(iter(self._judged.values())).report
        means = self.to_frame(_sort_by_metric(dict.fromkeys([*self.metrics, *report])))
        more = [frame_section(means.rename(self._short_title).T, "All metrics")]
        if self._segment_of is not None and can_have_intervals(
            self.metrics[0], self._judged
        ):
            segments = self.segments().rename(self._shown_titles)
            title = f"{self.metrics[0]} by segment"
            more.append(frame_section(segments, title))
        if self._all_pairs is not None:
            first, *rest = self._shown_comparison()._sections()
            more += [replace(first, title="Comparison"), *rest]
        return more

    def _shown_comparison(self) -> ModelComparison:
        """Return the comparison with the names of the tables, each winner minus loser."""
        values, baseline = self._give_titles(self.values_), self.settings.get("baseline")
        baseline = None if baseline is None else self._short_title(baseline)
        comparison = self._compare(dict(reversed(values.items())), baseline)
        comparison.settings["unit"] = plural(self.settings["unit"])
        return comparison

    def _pictures(self) -> dict[str, Callable[[], Any]]:
        if not self._judged:
            return {}
        draw = partial(self._figure, PICTURES[0], new_figure)
        return {self._title_of_picture(): draw}

    @property
    def _shown_titles(self) -> dict[str, str]:
        """The titles as the table shows them."""
        return self.titles

    def _head(self) -> list[str]:
        first, judged = self.metrics[0], [model.values for model in self._judged.values()]
        sizes = [  # whether a metric is defined for a user can depend on the model
            np.isfinite(of.scores[first]).sum() if first in of.scores else len(of)
            for of in judged
        ]
        least, most = min(sizes, default=0), max(sizes, default=0)
        over = quantity(int(most), self.settings["unit"])
        over = over if least == most else f"{least:,} to {over}"
        lower = ", lower is better" if self._lower_is_better(first) else ""
        return [*self._unused, f"{first}{lower}, mean over {over}:"]

    @property
    def _unused(self) -> list[str]:
        text = self.settings.get("unused")
        return [] if text is None else [text]

    def _title_of_picture(self) -> str:
        return f"Mean over {plural(self.settings['unit'])}"

    def _curves(self) -> dict[str, Curve]:
        """Return the first metric at each k with its interval, the best model first."""
        level = self.settings["confidence_level"]
        curves: dict[str, Curve] = {}
        for name in self.intervals():
            judged = self._judged[name]
            ends = [average.interval(level) for average in judged.curve_averages]
            low, high = [end.low for end in ends], [end.high for end in ends]
            curves[self._short_title(name)] = judged.curve, low, high
        return curves

    def _interval_ends(self) -> dict[str, tuple[float, float, float]]:
        return {
            self._short_title(name): (mean.mean, mean.low, mean.high)
            for name, mean in self.intervals().items()
            if mean.low is not None and mean.high is not None
        }

    def _give_titles(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was found of models by their titles, the best model first."""
        return {self._short_title(name): table[name] for name in self.intervals()}

    def _short_title(self, name: str) -> str:
        """Return the title of a model without its values, if models differ without them."""
        shorts = [title.partition(", ")[0] for title in self.titles.values()]
        short = self.titles[name].partition(", ")[0]
        return short if shorts.count(short) == 1 else self.titles[name]

    def _lengths_of_histories(self) -> dict[Hashable, int] | None:
        """Return the items of each user in the training data, None if no model has them."""
        recommenders = [model for model in self.models_.values() if has_recommender(model)]
        data = (training_data_of(find_recommender(model)) for model in recommenders)
        first = next((part for part in data if part.seen is not None), None)
        if first is None or first.users is None or first.seen is None:
            return None
        lengths = dict(zip(as_list(first.users), np.diff(first.seen.indptr), strict=True))
        users = as_list(next(iter(self.values_.values())).groups)
        return {user: int(lengths.get(user, 0)) for user in users}

    @cached_property
    def _intervals_by_metric(self) -> dict[str, dict[str, MeanEstimate]]:
        return {}

    @cached_property
    def _all_pairs(self) -> ModelComparison | None:
        """All pairs of models, None without values to compare."""
        scores = [model.values.scores for model in self._judged.values()]
        columns = [values for part in scores for values in part.values()]
        has_two = all(np.isfinite(values).sum() > 1 for values in columns)
        if len(scores) < 2 or not has_two or not all(scores):
            return None
        return self._compare(self.values_)

    def _compare(
        self, values: Mapping[str, PerQueryScores], baseline: str | None = None
    ) -> ModelComparison:
        """Compare models in pairs, or all with a baseline, at the level of the call."""
        level = self.settings["confidence_level"]
        return compare_all(values, baseline=baseline, confidence_level=level)

    def _lower_is_better(self, metric: str) -> bool:
        return metric in self.settings["lower_is_better"]


def _sort_by_metric(names: Iterable[str]) -> list[str]:
    """Return names of metrics, the cutoffs of each together and ascending."""
    parts = {name: name.partition("@") for name in names}
    first = {base: rank for rank, (base, *_) in reversed(list(enumerate(parts.values())))}

    def place(name: str) -> tuple[int, int]:
        base, _, k = parts[name]
        return first[base], int(k) if k.isdecimal() else 0

    return sorted(parts, key=place)
