"""The evaluation pipeline: from columns to values per query, and to one number each."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from sklearn_rank._base._label_checks import check_arguments_paired
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._validation import check_option
from sklearn_rank._hints._explain import THRESHOLD, raise_explained
from sklearn_rank._ranking._places import TIES
from sklearn_rank._ranking._rank import RankedChunk, are_answered, rank_chunks
from sklearn_rank._ranking._rows import Queries, QueryError, Rows, read_rows
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._keywords import write_out
from sklearn_rank.metrics._core._known_items import (
    build_catalogue,
    check_catalogue,
    look_up_items,
)
from sklearn_rank.metrics._core._metric import (
    ABSTAINED,
    BoundMetric,
    Kernel,
    Metric,
    SeenRows,
    bind_to_input,
)
from sklearn_rank.metrics._core._misleading_input import (
    WarnOf,
    check_lists_do_not_end,
    longest_if_lists,
    warn_if_misleading,
    warn_of_subject,
)
from sklearn_rank.metrics._core._per_query import PerQueryScores, find_longest
from sklearn_rank.metrics._core._prediction_errors import read_ratings
from sklearn_rank.metrics._core._side_columns import (
    CONFIDENCE,
    ITEMS,
    SUBTOPICS,
    Column,
    add_confidence,
    order_ties_by_item,
    read_columns,
    shape_of,
    take_subtopics,
)
from sklearn_rank.metrics._core._summaries import (
    Summary,
    SystemSummary,
    check_undefined,
    fill_undefined,
    multiply_weights,
    scale_weights,
    warn_of_undefined,
)

# The tolerance for a rounded quotient above 1.
_ROUNDING = 1e-9


def warn_of_values_above_best(name: str, values: np.ndarray, labels: np.ndarray) -> None:
    """Warn if a query's list is better than its ideal list."""
    is_above = values > 1 + _ROUNDING
    if is_above.any():
        query = int(np.nanargmax(values))
        warn_caller(
            f"{name}: {int(is_above.sum())} value(s) above 1, the highest "
            f"{values[query]:.6g} (query {labels[query]}). The ideal list of more than "
            "eight relevant documents is found step by step, and need not be the best; "
            "these lists are better. Values stay as they are."
        )


# The pipeline.


@dataclass
class Evaluation:
    """The results of metrics: values and weights per query, or a summary of all queries."""

    wanted: list[BoundMetric]  # with the parameters that the whole input decided
    queries: Queries
    values: dict[str, np.ndarray] = field(default_factory=dict)
    weights: dict[str, np.ndarray | None] = field(default_factory=dict)
    of_all: dict[str, Summary] = field(default_factory=dict)
    longest_list: int | None = None  # if rows are made from lists

    def summaries(self) -> dict[str, Summary]:
        """Return the summary of each metric, in the order in which they were named."""
        return {named.name: self._summary(named) for named in self.wanted}

    def _summary(self, named: BoundMetric) -> Summary:
        if not named.summary.per_query:
            return self.of_all[named.name]
        values = fill_undefined(self.values[named.name], named.replace_undefined_by)
        return named.summary.add(values, self.weights[named.name])

    def with_values(self) -> "Evaluation":
        """Return the results of the metrics that have a value for each query."""
        return replace(self, wanted=[n for n in self.wanted if n.summary.per_query])

    def per_query(self) -> PerQueryScores:
        """Return the values of queries; raise if a metric has one value for all."""
        for named in self.wanted:
            if isinstance(named.summary, SystemSummary):
                raise ValueError(
                    f"Metric {named.name!r} has one value for all queries, not one for "
                    f"each; {named.summary.instead}."
                )
        shown = {n.name: n.summary.shown(self.values[n.name]) for n in self.wanted}
        return PerQueryScores(
            self.queries.labels,
            {
                named.name: fill_undefined(shown[named.name][0], named.replace_undefined_by)
                for named in self.wanted
            },
            self.weights,
            lower_is_better=[n.name for n in self.wanted if n.lower_is_better],
            whole={
                one.name: {name: one.parameters[name] for name in one.metric.from_data}
                for one in self.wanted
                if one.metric.from_data
            },
            summaries={name: summary for name, (_, summary) in shown.items()},
            ranges={named.name: named.range for named in self.wanted},
            longest_list=self.longest_list,
        )

    def undefined(self, summaries: Mapping[str, Summary]) -> dict[str, int]:
        """Return the number of undefined queries of each metric that warns of them."""
        return {
            named.name: summaries[named.name].undefined
            for named in self.wanted
            if isinstance(named.replace_undefined_by, str)
        }

    def names_of_shown(self) -> set[str]:
        """Return the names of the metrics of shown items."""
        return {named.name for named in self.wanted if named.metric.rows == "shown"}

    def results(self) -> dict[str, float]:
        """Return one number for each metric, and warn of queries that it leaves out."""
        summaries = self.summaries()
        undefined = self.undefined(summaries)
        warn_of_undefined(undefined, len(self.queries.labels), self.names_of_shown())
        return {name: summary.result() for name, summary in summaries.items()}


def evaluate(
    wanted: Sequence[BoundMetric],
    y_true: Any,
    y_score: Any,
    groups: Any = None,
    sample_weight: Any = None,
    columns: Mapping[str, Any] | None = None,
    *,
    by_query: bool = False,
    catalogue: Catalogue | None = None,
    users: np.ndarray | None = None,
    warn: WarnOf = warn_of_subject,
) -> Evaluation:
    """Evaluate metrics on one reading of the input; rating errors need no groups.

    Metrics with the same `ties` share one sort. Rating errors need groups only for values
    `by_query`. `users` are the labels of groups that are numbers, as the catalogue has
    them. `warn` warns of input without a wrong order.
    """
    if catalogue is not None or any(named.metric.parts for named in wanted):
        check_catalogue(wanted, catalogue)
    ranking = [named for named in wanted if named.metric.ranks]
    rated = [named for named in wanted if not named.metric.ranks]
    given = {} if columns is None else columns
    check_arguments_paired(y_true, y_score, groups, sample_weight, given)
    if any(SUBTOPICS in named.metric.columns for named in ranking):
        y_true, given = take_subtopics(y_true, groups, given)
    rows, ratings, data = None, None, (y_true, y_score, groups, sample_weight)
    if ranking:
        rows = _read_ranking_rows(ranking, data, given, catalogue)
    if rated:
        ratings = read_ratings(*data, by_query=by_query, rows=rows)
    source = rows if rows is not None else ratings
    assert source is not None
    found = Evaluation([], source.queries)
    if rows is not None:
        check_lists_do_not_end(ranking, y_true, rows)
        found.longest_list = longest_if_lists(y_true, rows)
        warn_if_misleading(ranking, y_true, rows, warn, is_2d=groups is None)
        if any(CONFIDENCE in named.metric.columns for named in ranking):
            rows = add_confidence(rows, given.get("confidence"), groups)
        n_items = _number_of_items(catalogue, y_true, groups)
        ranking = [bind_to_input(named, rows.max_grade, n_items) for named in ranking]
        if any(named.metric.parts for named in ranking):
            assert catalogue is not None
            known = look_up_items(catalogue, rows, shape_of(y_true), users)
            ranking = [replace(named, catalogue=known) for named in ranking]
        if "items" in rows.columns and any(named.ties_by_item for named in ranking):
            rows = order_ties_by_item(rows)
        for ties in dict.fromkeys(named.ties for named in ranking):
            _add_ranking(found, [named for named in ranking if named.ties == ties], rows)
        ranking = [_leave_out_unanswered(found, named, rows) for named in ranking]
    for named in rated:
        _add_values(found, named, named.run(ratings))
    bound = {named.name: named for named in (*ranking, *rated)}
    found.wanted = [bound[named.name] for named in wanted]
    return found


def _number_of_items(catalogue: Catalogue | None, y_true: Any, groups: Any) -> int | None:
    """Return how many items can be shown: those of the catalogue, or the columns."""
    if catalogue is not None and catalogue.n_items:
        return catalogue.n_items
    return shape_of(y_true)[1] if groups is None else None


def join_evaluations(parts: Sequence[Evaluation], queries: Queries) -> Evaluation:
    """Join the results of metrics on several parts of the queries."""
    first = parts[0]
    joined = Evaluation(first.wanted, queries, longest_list=find_longest(parts))
    for name in first.values:
        joined.values[name] = np.concatenate([part.values[name] for part in parts])
        joined.weights[name] = _concatenate([part.weights[name] for part in parts])
    for name, summary in first.of_all.items():
        for part in parts[1:]:
            summary = summary.merge(part.of_all[name])
        joined.of_all[name] = summary
    return joined


def _read_ranking_rows(
    ranking: Sequence[BoundMetric],
    data: tuple,
    given: Mapping[str, Any],
    catalogue: Catalogue | None,
) -> Rows:
    """Return the rows of `data`: grades, scores, groups and weights."""
    needed = [column for named in ranking for column in named.metric.needed_columns]
    if given.get("items") is not None and any(named.ties_by_item for named in ranking):
        needed.append(ITEMS)
    columns = None
    if needed:
        are_items = _are_rows_items(ranking, catalogue)
        columns = read_columns(needed, given, shape_of(data[0]), rows_are_items=are_items)
    refusing = [n.name for n in ranking if n.metric.unjudged == "refused"]
    judging = [n.name for n in ranking if n.metric.unjudged == "needed"]
    return read_rows(
        *data,
        pooled=given.get("pooled"),
        judged_for=", ".join(refusing),
        judgments_for=", ".join(judging),
        columns=columns,
    )


def _are_rows_items(ranking: Sequence[BoundMetric], catalogue: Catalogue | None) -> bool:
    """Return whether all that is asked of items is known of each row, without ids."""
    if catalogue is None or catalogue.items is not None:
        return False
    return all(named.metric.parts for named in ranking if ITEMS in named.metric.columns)


def _add_ranking(found: Evaluation, some: list[BoundMetric], rows: Rows) -> None:
    """Add the results of metrics with the same `ties`, from one sort of the rows."""
    every_row = any(named.metric.rows in ("shown", "all") for named in some)
    answered_only = any(named.answered_only for named in some)
    cutoff = last_rank(some)
    parts: dict[str, list] = {named.name: [] for named in some}
    weight = scale_weights(rows.queries)
    if answered_only:
        weight = are_answered(rows) * (1.0 if weight is None else weight)
    states = {n.name: n.summary for n in some if not n.summary.per_query}
    for block in rank_chunks(rows, some[0].ties, cutoff, every_row=every_row):
        for named in some:
            part = _run_on_chunk(named, block)
            if named.name in states:
                of_block = None if weight is None else weight[block.first : block.last]
                states[named.name] = states[named.name].add(part, of_block)
            else:
                parts[named.name].append(part)
    found.of_all |= {name: _label_items(state, rows) for name, state in states.items()}
    for named in some:
        if named.name not in states:
            _add_values(found, named, _join_chunks(parts[named.name], rows.queries))


def last_rank(some: Iterable[BoundMetric]) -> int | None:
    """Return the last rank that any of the metrics looks at, None for the whole list."""
    ranks = [named.last_rank for named in some]
    known = [rank for rank in ranks if rank is not None]
    return max(known) if known and len(known) == len(ranks) else None


def _run_on_chunk(named: BoundMetric, block: RankedChunk) -> Any:
    lists = getattr(block, named.metric.rows)
    view = lists if named.metric.unjudged == "needed" else lists.judged()
    try:
        return named.run(view)
    except QueryError as error:
        label = block.rows.queries.label_of(block.first + error.query)
        raise error.named(label) from None


def _join_chunks(parts: list, queries: Queries) -> Any:
    """Join the results of a kernel on all chunks, in the order of the labels."""
    if not isinstance(parts[0], tuple):
        return queries.by_label(np.concatenate(parts))
    columns = map(_concatenate, zip(*parts, strict=True))
    return tuple(None if c is None else queries.by_label(c) for c in columns)


def _concatenate(parts: Sequence[Any]) -> np.ndarray | None:
    """Return arrays one after the other; None if there are no arrays but None."""
    return None if parts[0] is None else np.concatenate(parts)


def _add_values(found: Evaluation, named: BoundMetric, of_queries: Any) -> None:
    values, own = of_queries if named.summary.weighs else (of_queries, None)
    if named.metric.approximates_best:
        warn_of_values_above_best(named.name, values, found.queries.labels)
    found.values[named.name] = values
    found.weights[named.name] = multiply_weights(own, found.queries.weight)


def _leave_out_unanswered(found: Evaluation, named: BoundMetric, rows: Rows) -> BoundMetric:
    """Leave out queries without a retrieved row if the metric does; return the metric."""
    if not (named.answered_only and named.summary.per_query):
        return named  # of all queries together, their weights are 0
    values = fill_undefined(found.values[named.name], named.replace_undefined_by)
    is_answered = rows.queries.by_label(are_answered(rows))
    found.values[named.name] = np.where(is_answered, values, np.nan)
    return replace(named, replace_undefined_by=np.nan)


def _label_items(state: Any, rows: Rows) -> Any:
    items = rows.columns.get("items")
    if items is None or items.labels is None:
        return state
    return state.labeled(items.labels)


Function = TypeVar("Function", bound=Callable[..., Any])


def metric(
    kernel: Kernel,
    name: str | None = None,
    *,
    columns: tuple[Column, ...] = (),
    rows: SeenRows = "relevant",
    **declared: Any,
) -> Callable[[Function], Function]:
    """Return a decorator that makes a signature with a docstring a metric's function.

    The name in strings is that of the kernel, unless another one is given. What is declared
    is the rest of `Metric`; a function that takes ``items`` has these as a column. Where a
    kernel sees more than the relevant rows, an unjudged row has grade 0. The function has
    the `Metric` as ``.metric``.
    """
    unjudged = "refused" if rows == "relevant" else "irrelevant"
    declared = {"unjudged": unjudged, "below_k": rows == "all", "rows": rows, **declared}

    data = {one.name for one in (*columns, *declared.get("parts", ()))}
    data -= inspect.signature(kernel).parameters.keys()  # what is a parameter, too

    def decorate(short: Function) -> Function:
        function = write_out(short, data)
        parameters = inspect.signature(function).parameters
        defaults = {name: parameter.default for name, parameter in parameters.items()}
        taken = (*columns, ITEMS) if "items" in parameters else columns
        first = tuple(defaults)[:2]  # y_true and y_score; the others have names only
        meant = {"threshold": THRESHOLD} if "min_relevance" in parameters else {}

        @wraps(function)
        def public(*arguments, **keywords):
            _reject_estimator(function, arguments)
            try:
                function(*arguments, **keywords)  # without a body; Python checks the call
            except TypeError as error:
                raise_explained(error, function.__name__, function, keywords, meant)
                raise
            positional = dict(zip(first, arguments, strict=False))
            return mean_score(record, defaults | positional | keywords)

        called = name or getattr(declared.get("summary"), "of", kernel).__name__
        record = Metric(called, public, kernel, columns=taken, **declared)
        public.metric = record  # type: ignore[attr-defined]
        return public  # type: ignore[return-value]

    return decorate


def mean_score(record: Metric, given: dict[str, Any]) -> float:
    """Return the mean of one metric."""
    parameters = record.checked({name: given[name] for name in record.parameters})
    check_option("ties", given["ties"], TIES)
    named = BoundMetric(
        record.name,
        record,
        parameters,
        ties=given["ties"],
        replace_undefined_by=check_undefined(given["replace_undefined_by"], ABSTAINED),
        is_called=True,
    )
    names = ("y_true", "y_score", "groups", "sample_weight")
    data = {name: given[name] for name in names}
    columns = {name: given[name] for name in record.column_names if name in given}
    catalogue = build_catalogue(record.parts, given) if record.parts else None
    found = evaluate([named], **data, columns=columns, catalogue=catalogue)
    return found.results()[named.name]


def _reject_estimator(function: Callable, arguments: tuple) -> None:
    """Raise if a metric is called as a scorer: metric(estimator, X, y)."""
    if arguments and hasattr(arguments[0], "fit"):
        name = function.__name__
        raise TypeError(
            f"{name} is a metric and was called with an estimator, as a scorer is; pass "
            f"scoring=make_ranking_scorer({name}, ...) instead."
        )
