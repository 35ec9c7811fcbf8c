"""Read the scores of models as one matrix of queries by models for each metric."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from sklearn_rank._base._label_checks import check_paired_with_labels
from sklearn_rank._base._labels import as_list, as_vector, ascends_strictly, encode_labels
from sklearn_rank._base._numbers import check_query_weight, check_values, number_vector
from sklearn_rank._base._runs import CHUNK_VALUES
from sklearn_rank._base._validation import (
    check_given,
    check_length,
    check_option,
    is_nested,
    shorten,
)
from sklearn_rank.distributed._value_tables import are_values, scores_of
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._parameters import Range
from sklearn_rank.metrics._core._registry import canonical_name, has_metric
from sklearn_rank.metrics._core._side_columns import look_up_queries
from sklearn_rank.metrics._core._summaries import Summary
from sklearn_rank.statistics._options import check_within
from sklearn_rank.statistics._repeat_spread import Repeat, average_repeats, split_repeats
from sklearn_rank.typing import ArrayLike, Tables

# Smaller (subnormal) numbers have too few digits to compute an error.
SMALLEST_NORMAL = float(np.finfo(float).tiny)
# Columns of a frame that are labels of queries, if they hold integers other than 0 and 1.
LABEL_COLUMNS = ("group", "groups", "qid", "query", "query_id", "user", "user_id")
# The name of the metric of values without a name.
UNNAMED = "score"

# The values of one model, one per query or one per query and repeat.
ValuesOfModel: TypeAlias = (
    PerQueryScores
    | Sequence[PerQueryScores]
    | Tables
    | ArrayLike
    | Mapping[str, ArrayLike]
    | Mapping[Any, float]
    | Mapping[Any, Mapping[str, float]]
)


@dataclass(frozen=True, eq=False)
class Scores:
    """Values of models for the same queries.

    `values` has for each metric a row per query and a column per model, in the order of
    `models`; `weights` are those of the queries, None for equal ones.
    """

    models: list[Any]
    values: dict[str, np.ndarray]
    weights: dict[str, np.ndarray | None]
    labels: np.ndarray | None
    lower_is_better: frozenset[str] = frozenset()
    ranges: dict[str, Range] = field(default_factory=dict)  # if known
    longest_lists: dict[Any, int] = field(default_factory=dict)  # by model, if known
    # By model the numbers of queries without a list, and of all.
    without_list: dict[Any, tuple[int, int]] = field(default_factory=dict)
    # By metric and index of the model, values of a row per query and a column per repeat;
    # `values` has their means.
    repeats: dict[str, dict[int, np.ndarray]] = field(default_factory=dict)
    margins: dict[str, float] = field(default_factory=dict)  # by metric, of a gate

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return len(next(iter(self.values.values())))

    def check_range(self, metric: str, bounds: Range) -> None:
        """Raise if a value, of any repeat, is outside the possible range."""
        for table in (self.values[metric], *self.repeats.get(metric, {}).values()):
            check_within(metric, table, bounds)

    def with_range(self, value_range: Range | None) -> "Scores":
        """Return the scores with the lowest and highest possible value, if given."""
        if value_range is None:
            return self
        for name in self.values:
            self.check_range(name, value_range)
        return replace(self, ranges=dict.fromkeys(self.values, value_range))


def read_scores(scores: Any, metrics: Any, groups: Any, sample_weight: Any) -> Scores:
    """Return scores of several models, matched by label or, for arrays, by position.

    Given weights take precedence over those in the scores.
    """
    return _read_columns(read_models(scores), metrics, groups, sample_weight)


def read_repeats(name: str, repeats: Any, groups: Any, sample_weight: Any) -> Scores:
    """Return the scores of one model that has several repeats."""
    columns: dict[Hashable, Any]
    columns = {Repeat(name, number): each for number, each in enumerate(repeats, 1)}
    return _read_columns(columns, None, groups, sample_weight)


def _read_columns(
    by_model: Mapping[Hashable, Any], metrics: Any, groups: Any, sample_weight: Any
) -> Scores:
    """Return scores with one column per model, whose repeats come one by one."""
    models = {
        name: scores_of(values) if are_values(values) else values
        for name, values in by_model.items()
    }
    are_results = {isinstance(result, PerQueryScores) for result in models.values()}
    if are_results == {True, False}:
        raise ValueError(
            "`scores` has results of per_query_scores and arrays, which cannot be matched; "
            "give one of the two for all models."
        )
    if are_results == {False}:
        parsed = _read_arrays(models, metrics, groups)
    elif groups is None:
        parsed = _read_results(models, metrics, has_weight=sample_weight is not None)
    else:
        raise ValueError(
            "`groups` goes with arrays; results of per_query_scores have labels already."
        )
    if sample_weight is not None:
        weight = check_query_weight(sample_weight, parsed.n_queries)
        parsed = replace(parsed, weights=dict.fromkeys(parsed.values, weight))
    return replace(parsed, **average_repeats(parsed))


def read_models(scores: Any) -> dict[Hashable, Any]:
    """Return the scores of each model or repeat; raise for fewer than two models."""
    by_model = scores_by_model(scores)
    if len(by_model) < 2:
        raise ValueError(
            f"`scores` has {len(by_model)} model(s), {shorten(list(by_model))}; a "
            "comparison needs two. confidence_interval is for one."
        )
    return split_repeats(by_model)


def scores_by_model(scores: Any, name: str = "scores") -> dict[Hashable, Any]:
    """Return the scores of each model by its name, or the columns of a frame."""
    if is_frame(scores):
        names = distinct_columns(scores, name)
        for column in names:
            _check_no_labels(column, scores[column])
        scores = {column: scores[column] for column in names}
    needed = "a dict from model to its values, or a DataFrame with one column per model"
    check_given(name, scores, isinstance(scores, Mapping), needed)
    return {
        model: label_values(f"scores[{model!r}]", values)
        for model, values in scores.items()
    }


def label_values(name: str, values: Any) -> Any:
    """Return values by query, or by query and metric, as values with labels.

    The second form is that of pytrec_eval, and a list has repeats. All else is returned as
    it is.
    """
    if isinstance(values, list | tuple) and values and isinstance(values[0], Mapping):
        return [label_values(name, each) for each in values]
    if not isinstance(values, Mapping) or not values:
        return values
    if {"y_true", "y_score"} <= values.keys():
        raise ValueError(
            f"`{name}` has rows, not values per query; give "
            "compare_runs(y_true, runs), or per_query_scores(**rows)."
        )
    rows = list(values.values())
    if any(isinstance(value, Real) for value in rows):
        _check_no_metrics(name, values)
        return PerQueryScores(list(values), {UNNAMED: rows})
    if not is_nested(values):
        return values
    if _are_by_metric(values):
        (first, *_), labels = rows, dict.fromkeys(label for row in rows for label in row)
        if any(row.keys() != first.keys() for row in rows):
            metric = next(key for key, row in values.items() if len(row) < len(labels))
            lacks = next(label for label in labels if label not in values[metric])
            raise ValueError(
                f"`{name}` has no value of {shorten(metric)} for query {shorten(lacks)}; "
                "give all metrics of all queries, NaN if undefined."
            )
        columns = {key: [row[label] for label in labels] for key, row in values.items()}
        return PerQueryScores(list(labels), columns)
    metrics = list(rows[0])
    if not all(map(_is_metric, metrics)):
        _check_no_metrics(name, values)
    for label, row in values.items():
        if row.keys() != rows[0].keys():
            raise ValueError(
                f"`{name}` has the metrics {shorten(metrics)} for query "
                f"{shorten(next(iter(values)))} and {shorten(list(row))} for "
                f"{shorten(label)}; give all metrics of all queries, NaN if undefined. For "
                "runs, query -> {id: score}, write compare_runs(y_true, runs, metrics=...)."
            )
    columns = {metric: [row[metric] for row in rows] for metric in metrics}
    return PerQueryScores(list(values), columns)


def _are_by_metric(values: Mapping[Any, Mapping[Any, Any]]) -> bool:
    """Return whether the outer keys of numbers are metrics, and the inner ones queries."""
    inner = next(iter(values.values()))
    if not all(isinstance(number, Real) for number in inner.values()):
        return False
    return not any(map(_is_metric, inner)) and (
        all(map(_is_metric, values)) or len(values) < len(inner)
    )


def _check_no_metrics(name: str, by_query: Mapping[Any, Any]) -> None:
    """Raise if the keys, which should be queries, are names of metrics."""
    if all(map(_is_metric, by_query)):
        raise ValueError(
            f"`{name}` has a value or a dict for each metric, {shorten(list(by_query))}; a "
            "comparison needs one value per query. Give results of per_query_scores, "
            "{metric: values}, {query: value} or {query: {metric: value}}."
        )


def _is_metric(key: object) -> bool:
    """Return whether a key names a metric; a letter and a number may name a query."""
    is_long = isinstance(key, str) and key.rstrip("_@0123456789")[1:] != ""
    return is_long and has_metric(str(key))


def is_frame(scores: Any) -> bool:
    """Return whether scores are the columns of a frame."""
    return hasattr(scores, "columns") and not isinstance(scores, Mapping)


def distinct_columns(scores: Any, name: str) -> list[Any]:
    """Return the names of the columns of a frame; raise unless they are distinct."""
    names = list(scores.columns)
    if len(set(names)) < len(names):
        raise ValueError(f"`{name}` has a column twice, {shorten(names)}; rename one.")
    return names


def _check_no_labels(name: Hashable, column: Any) -> None:
    """Raise for a column of a frame with the labels of queries."""
    if name not in LABEL_COLUMNS:
        return
    values = np.asarray(column)
    if values.dtype.kind in "iu" and (values > 1).any():
        raise ValueError(
            f"`scores` has the column {name!r} with integers such as "
            f"{values[values > 1][0]}, the labels of queries; pass "
            f"groups=scores[{name!r}], and scores.drop(columns={name!r}) as the scores. "
            "If it is a model, pass a dict."
        )


def named_models(scores: Any) -> dict[str, Any]:
    """Return the scores of each model by metric, named as the user writes it."""
    by_name: dict[str, Any] = {}
    for name, values in read_models(scores).items():
        if isinstance(values, Mapping):
            by_name |= {
                f"scores[{name!r}][{metric!r}]": values[metric] for metric in values
            }
        else:
            by_name[f"scores[{name!r}]"] = values
    return by_name


def choose_metrics(metrics: Any, in_models: Mapping[Hashable, Sequence[str]]) -> list[str]:
    """Return the names of the metrics to compare; all models have them."""
    if metrics is not None:
        is_valid = isinstance(metrics, str | list | tuple)
        check_given("metrics", metrics, is_valid, "a name, names in a list or None")
        wanted = [metrics] if isinstance(metrics, str) else list(metrics)
        for model, names in in_models.items():
            for metric in wanted:
                check_option(
                    "metrics", metric, names, otherwise=f"Model: {shorten(model)}."
                )
        if not wanted or len(set(wanted)) < len(wanted):
            raise ValueError(f"`metrics` must name metrics, each once, got {wanted}.")
        return wanted
    (first, names), *rest = in_models.items()
    for model, theirs in rest:
        if set(theirs) != set(names):
            raise ValueError(
                f"The models have scores of different metrics: {list(names)} of "
                f"{shorten(first)} and {list(theirs)} of {shorten(model)}; score them "
                "alike, or name those to compare with `metrics`."
            )
    if not names:
        raise ValueError("`scores` has no metric with a value for each query.")
    return list(names)


def _read_results(
    models: Mapping[Hashable, PerQueryScores], metrics: Any, *, has_weight: bool
) -> Scores:
    definitions = next(iter(models.values())).definitions
    if metrics is not None:
        asked = [metrics] if isinstance(metrics, str) else metrics
        if isinstance(asked, list | tuple) and all(isinstance(name, str) for name in asked):
            definitions = {name: canonical_name(name) for name in asked}
    models = {name: scores._spelled_as(definitions) for name, scores in models.items()}
    wanted = choose_metrics(metrics, {name: list(of.scores) for name, of in models.items()})
    names, first = list(models), next(iter(models.values()))
    aligned = [first]
    for name in names[1:]:
        try:
            aligned.append(first.align(models[name]))
        except ValueError as error:
            both = f"{shorten(names[0])} and {shorten(name)}"
            raise ValueError(f"{both} cannot be compared. {error}") from error
    values, ranges = {}, {}
    weights: dict[str, np.ndarray | None] = dict.fromkeys(wanted)
    for metric in wanted:
        check_arithmetic(metric, first)
        _check_alike(metric, models)
        columns = (read_query_values(result.scores[metric], metric) for result in aligned)
        values[metric] = _stack_columns(list(columns))
        if not has_weight:
            weights[metric] = _common_weight(metric, names, aligned)
        ranges[metric] = _common_range(metric, aligned)
    lower = frozenset().union(*(result.lower_is_better for result in aligned))
    sizes = {name: result.longest_list for name, result in models.items()}
    longest_lists = {name: size for name, size in sizes.items() if size is not None}
    lacking = {name: of_model.n_unanswered for name, of_model in models.items()}
    without_list = {
        name: (n, len(first)) for name, n in lacking.items() if 0 < n < len(first)
    }
    read = (names, values, weights, first.groups, lower, ranges)
    return Scores(*read, longest_lists, without_list)


def _check_alike(metric: str, models: Mapping[Hashable, PerQueryScores]) -> None:
    """Raise if the rows of models gave a parameter of a metric different values."""
    decided: dict[str, tuple[Hashable, Any]] = {}
    for name, result in models.items():
        for parameter, value in result.whole.get(metric, {}).items():
            first, expected = decided.setdefault(parameter, (name, value))
            if value != expected:
                word = result.definitions[metric].partition("@")[0]
                raise ValueError(
                    f"{metric!r} is another metric for each model: `{parameter}`, which "
                    f"their rows decided, is {expected} for {shorten(first)} and {value} "
                    f"for {shorten(name)}; name it, such as "
                    f"'{word}({parameter}={expected})'."
                )


def _common_range(metric: str, models: Sequence[PerQueryScores]) -> Range:
    """Return the range of a metric, including values that replace undefined ones."""
    first, *rest = (model._range_of(metric) for model in models)
    for bounds in rest:
        first = first.including(bounds.low).including(bounds.high)
    return first


def check_arithmetic(metric: str, found: PerQueryScores) -> None:
    """Raise if a metric is reported as another mean of the values."""
    check_kind_of_mean(metric, found.summaries()[metric])


def check_kind_of_mean(metric: str, summary: Summary) -> None:
    """Raise if a summary is of another mean."""
    kind = getattr(summary, "kind", "arithmetic")
    if kind != "arithmetic":
        raise ValueError(
            f"{metric!r} is a {kind} mean over queries, but arithmetic means are compared "
            "here; give arrays of values whose arithmetic mean you report, "
            "such as the logarithms for a geometric mean, the squares for a quadratic one."
        )


def _common_weight(
    metric: str, names: Sequence[Hashable], models: Sequence[PerQueryScores]
) -> np.ndarray | None:
    """Return the weights that all models give to the queries."""
    ones = np.ones(len(models[0]))
    weights = [model.weights[metric] for model in models]
    if all(weight is None for weight in weights):
        return None
    filled = [ones if weight is None else weight for weight in weights]
    for name, weight in zip(names, filled, strict=True):
        if not np.array_equal(filled[0], weight, equal_nan=True):
            raise ValueError(
                f"The queries have different weights in {metric!r} of {shorten(name)} than "
                f"of {shorten(names[0])}: score both with the same `sample_weight`, or "
                "give it here. A ratio of sums whose denominator depends on the model "
                "cannot be compared."
            )
    return filled[0].astype(np.float64)


def _read_arrays(models: Mapping[Hashable, Any], metrics: Any, groups: Any) -> Scores:
    by_metric = {
        name: dict(values) if isinstance(values, Mapping) else {UNNAMED: values}
        for name, values in models.items()
    }
    wanted = choose_metrics(
        metrics, {name: list(values) for name, values in by_metric.items()}
    )
    columns: dict[str, list[np.ndarray]] = {metric: [] for metric in wanted}
    for metric, column in columns.items():
        for name, of in by_metric.items():
            column.append(read_query_values(of[metric], f"scores[{name!r}]"))
    lengths = {len(column) for each in columns.values() for column in each}
    if len(lengths) > 1:
        raise ValueError(
            f"`scores` has arrays of {min(lengths)} to {max(lengths)} values; arrays are "
            "matched by position and need one value per query. Give results of "
            "per_query_scores to match by label."
        )
    labels = None if groups is None else read_query_labels(groups, lengths.pop())
    values = {metric: _stack_columns(each) for metric, each in columns.items()}
    return Scores(list(models), values, dict.fromkeys(wanted), labels)


def _stack_columns(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Stack columns into a table; each column is contiguous in memory."""
    return np.array(columns).T


def read_query_labels(groups: Any, n_queries: int) -> np.ndarray:
    """Return the labels of queries, one per query."""
    labels = as_vector(groups, name="groups")
    check_length("groups", labels, n_queries, "query")
    return labels


def read_query_values(values: Any, name: str) -> np.ndarray:
    """Return one value per query as floats, NaN if undefined.

    Subnormal numbers are 0.
    """
    numbers = number_vector(name, values, "one value per query")
    numbers = numbers.astype(np.float64, copy=False)
    if not np.isfinite(numbers).all():
        advice = "a mean needs finite ones, or NaN where the metric is undefined"
        check_values(name, numbers, np.isinf(numbers), "infinite", advice)
    blocks = (
        numbers[start : start + CHUNK_VALUES]
        for start in range(0, len(numbers), CHUNK_VALUES)
    )
    if any(map(_has_subnormal, blocks)):
        return np.where(np.abs(numbers) < SMALLEST_NORMAL, 0.0, numbers)
    return numbers


def _has_subnormal(values: np.ndarray) -> bool:
    is_small = np.abs(values) < SMALLEST_NORMAL
    return bool(np.count_nonzero(is_small) > np.count_nonzero(values == 0))


def cluster_codes(
    clusters: Any, labels: np.ndarray | None, n_queries: int
) -> np.ndarray | None:
    """Return the cluster of each query as a code: the given one, else the label.

    If None, each query is a cluster.
    """
    if clusters is None:
        if labels is None or ascends_strictly(labels):
            return None
        return encode_labels(labels, name="groups")[1]
    if isinstance(clusters, Mapping):
        if labels is None:
            raise ValueError("`clusters` is a dict by label of queries; give `groups` too.")
        clusters = look_up_queries("clusters", clusters, as_list(labels), "cluster")
    check_paired_with_labels(labels, {"clusters": clusters})
    vector = as_vector(clusters, name="clusters")
    check_length("clusters", vector, n_queries, "query")
    return encode_labels(vector, name="clusters")[1]
