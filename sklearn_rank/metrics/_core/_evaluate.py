"""The evaluation pipeline: from columns to values per query, and to one number each."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from sklearn_rank._base._label_checks import check_arguments_paired
from sklearn_rank._base._validation import check_option
from sklearn_rank._ranking._judgments import GradesOfLists, Judgments
from sklearn_rank._ranking._rank import RankedChunk, are_answered, are_judged, rank_chunks
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._ranking._rows import Queries, QueryError, Rows, read_rows
from sklearn_rank._ranking._ties import TIES
from sklearn_rank.metrics._core._catalogue import Catalogue
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
    find_spellings,
)
from sklearn_rank.metrics._core._misleading_input import (
    WarnOf,
    check_lists_do_not_end,
    find_longest_list,
    warn_if_misleading,
    warn_if_nothing_retrieved,
    warn_of_subject,
    warn_of_values_above_best,
)
from sklearn_rank.metrics._core._per_query import PerQueryScores, find_longest
from sklearn_rank.metrics._core._prediction_errors import read_ratings
from sklearn_rank.metrics._core._registry import register
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
    answered: np.ndarray | None = None  # which queries have a retrieved row, if some lack

    def summaries(self) -> dict[str, Summary]:
        """Return the summary of each metric, in the order in which they were named."""
        summaries = dict(self.of_all)
        for bound in self.wanted:
            if bound.summary.per_query:
                values, fill = self.values[bound.name], bound.replace_undefined_by
                values = values if fill == "warn" else fill_undefined(values, fill)
                summaries[bound.name] = bound.summary.add(values, self.weights[bound.name])
        return {bound.name: summaries[bound.name] for bound in self.wanted}

    def with_values(self) -> "Evaluation":
        """Return the results of the metrics that have a value for each query."""
        return replace(self, wanted=[n for n in self.wanted if n.summary.per_query])

    def per_query(self) -> PerQueryScores:
        """Return the values of queries; raise if a metric has one value for all."""
        for bound in self.wanted:
            if isinstance(bound.summary, SystemSummary):
                raise ValueError(
                    f"Metric {bound.name!r} has one value for all queries, not one for "
                    f"each; {bound.summary.instead}."
                )
        shown = {n.name: n.summary.shown(self.values[n.name]) for n in self.wanted}
        scores = PerQueryScores(
            self.queries.labels,
            {
                bound.name: fill_undefined(shown[bound.name][0], bound.replace_undefined_by)
                for bound in self.wanted
            },
            self.weights,
            lower_is_better=[n.name for n in self.wanted if n.lower_is_better],
            whole={
                bound_metric.name: {
                    name: bound_metric.parameters[name]
                    for name in bound_metric.metric.from_data
                }
                for bound_metric in self.wanted
                if bound_metric.metric.from_data
            },
            summaries={name: summary for name, (_, summary) in shown.items()},
            ranges={bound.name: bound.range for bound in self.wanted},
            longest_list=self.longest_list,
            definitions={n.name: n.definition or n.name for n in self.wanted},
        )
        scores._answered = self.answered
        return scores

    def undefined(self, summaries: Mapping[str, Summary]) -> dict[str, int]:
        """Return the number of undefined queries of each metric that warns of them."""
        return {
            bound.name: summaries[bound.name].undefined
            for bound in self.wanted
            if isinstance(bound.replace_undefined_by, str)
        }

    def names_of_shown(self) -> set[str]:
        """Return the names of the metrics of shown items."""
        return {bound.name for bound in self.wanted if bound.metric.rows == "shown"}

    def results(self) -> dict[str, float]:
        """Return one number for each metric, and warn of queries that it leaves out."""
        summaries = self.summaries()
        if [summary for summary in summaries.values() if summary.undefined]:
            undefined, n_queries = self.undefined(summaries), len(self.queries.labels)
            warn_of_undefined(undefined, n_queries, self.names_of_shown())
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
    is_part: bool = False,
) -> Evaluation:
    """Evaluate metrics on one reading of the input; rating errors need no groups.

    Metrics with the same `ties` share one sort. Rating errors need groups only for values
    `by_query`. `users` are the labels of groups that are numbers, as the catalogue has
    them. `warn` warns of input without a wrong order. `is_part` says that other rows may
    show which rows were judged.
    """
    spellings = find_spellings(wanted) if len(wanted) > 1 else {}
    distinct = [bound for bound in wanted if bound.name not in spellings]
    ranking = [bound for bound in distinct if bound.metric.rows != "rated"]
    rated = [bound for bound in distinct if bound.metric.rows == "rated"]
    needed = {column for bound in wanted for column in bound.metric.columns}
    parts = {part for bound in wanted for part in bound.metric.parts}
    if catalogue is not None or parts:
        check_catalogue(wanted, catalogue)
    side_columns = {} if columns is None else columns
    data = y_true, y_score, groups, sample_weight
    labeled = [
        values for values in (*data, *side_columns.values()) if hasattr(values, "iloc")
    ]
    if len(labeled) > 1:  # one index cannot be in another order
        check_arguments_paired(*data, side_columns)
    if SUBTOPICS in needed:
        y_true, side_columns = take_subtopics(y_true, groups, side_columns)
        data = y_true, y_score, groups, sample_weight
    rows, ratings = None, None
    if ranking:
        rows = _read_ranking_rows(ranking, data, side_columns, catalogue, is_part=is_part)
    if rated:
        ratings = read_ratings(*data, by_query=by_query, rows=rows)
    source = rows if rows is not None else ratings
    assert source is not None
    evaluation = Evaluation([], source.queries)
    if rows is not None:
        if rows.n_missed is not None:
            check_lists_do_not_end(ranking, y_true, rows)
            is_answered = are_answered(rows)
            evaluation.answered = rows.queries.by_label(is_answered)
            abstains = ABSTAINED in {bound.replace_undefined_by for bound in ranking}
            if not (abstains or is_part):
                warn_if_nothing_retrieved(is_answered, warn)
        if isinstance(y_true, GradesOfLists | Judgments):
            evaluation.longest_list = find_longest_list(rows)
        sides = y_true, y_score, rows
        warn_if_misleading(ranking, *sides, warn, is_2d=groups is None)
        if CONFIDENCE in needed:
            rows = add_confidence(rows, side_columns.get("confidence"), groups)
        if [bound for bound in ranking if bound.metric.from_data]:
            n_items = _number_of_items(catalogue, y_true, groups)
            ranking = [bind_to_input(bound, rows.max_grade, n_items) for bound in ranking]
        if parts:
            assert catalogue is not None
            known_items = look_up_items(catalogue, rows, shape_of(y_true), users)
            ranking = [replace(bound, catalogue=known_items) for bound in ranking]
        if "items" in rows.columns and any(bound.ties_by_item for bound in ranking):
            rows = order_ties_by_item(rows)
        functions = [bound for bound in ranking if bound.metric.rows == "function"]
        sorting = [bound for bound in ranking if bound.metric.rows != "function"]
        for ties in dict.fromkeys([bound.ties for bound in sorting]):
            _add_ranking(
                evaluation, [bound for bound in sorting if bound.ties == ties], rows
            )
        for bound in functions:
            _add_values(evaluation, bound, rows.queries.by_label(bound.run(rows)))
        if [bound for bound in ranking if bound.answered_only or bound.judged_only]:
            ranking = [_leave_out_queries(evaluation, bound, rows) for bound in ranking]
    for bound in rated:
        _add_values(evaluation, bound, bound.run(ratings))
    by_name = {bound.name: bound for bound in (*ranking, *rated)}
    if spellings:
        by_name |= _copy_results(evaluation, spellings, by_name)
    evaluation.wanted = [by_name[bound.name] for bound in wanted]
    return evaluation


def _copy_results(
    evaluation: Evaluation, spellings: Mapping[str, str], by_name: dict[str, BoundMetric]
) -> dict[str, BoundMetric]:
    """Give the results of metrics to their other spellings; return these metrics."""
    kinds: list[dict[str, Any]]
    kinds = [evaluation.values, evaluation.weights, evaluation.of_all]
    for name, computed in spellings.items():
        for results in kinds:
            if computed in results:
                results[name] = results[computed]
    return {name: replace(by_name[first], name=name) for name, first in spellings.items()}


def evaluate_ranked(
    wanted: Sequence[BoundMetric], lists: RankedLists, queries: Queries
) -> Evaluation:
    """Evaluate metrics of relevant rows, one value per query, on rows that are ranked."""
    longest = int(lists.n_retrieved.max(initial=0))
    evaluation = Evaluation(list(wanted), queries, longest_list=longest)
    for bound in wanted:
        try:
            _add_values(evaluation, bound, bound.run(lists))
        except QueryError as error:
            raise error.named(queries.label_of(error.query)) from None
    return evaluation


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
    arguments: Mapping[str, Any],
    catalogue: Catalogue | None,
    *,
    is_part: bool,
) -> Rows:
    """Return the rows of `data`: grades, scores, groups and weights."""
    columns = [column for bound in ranking for column in bound.metric.columns]
    needed = [column for column in columns if not column.is_optional]
    if arguments.get("items") is not None and any(bound.ties_by_item for bound in ranking):
        needed.append(ITEMS)
    side_columns = None
    if needed:
        are_items = _are_rows_items(ranking, catalogue)
        side_columns = read_columns(
            needed, arguments, shape_of(data[0]), rows_are_items=are_items
        )
    refusing = [n.name for n in ranking if n.metric.unjudged == "refused"]
    judging = [n.name for n in ranking if n.metric.unjudged == "needed"]
    return read_rows(
        *data,
        pooled=arguments.get("pooled"),
        judged_for=", ".join(refusing),
        judgments_for=", ".join(judging),
        columns=side_columns,
        is_part=is_part,
    )


def _are_rows_items(ranking: Sequence[BoundMetric], catalogue: Catalogue | None) -> bool:
    """Return whether all that is asked of items is known of each row, without ids."""
    if catalogue is None or catalogue.items is not None:
        return False
    return all(bound.metric.parts for bound in ranking if ITEMS in bound.metric.columns)


def _add_ranking(evaluation: Evaluation, ranking: list[BoundMetric], rows: Rows) -> None:
    """Add the results of metrics with the same `ties`, from one sort of the rows."""
    every_row = {bound.metric.rows for bound in ranking} != {"relevant"}
    # The last rank that any of the metrics looks at; if None, the whole list.
    ranks = [bound.last_rank for bound in ranking]
    cutoff = None if None in ranks else max(ranks)  # type: ignore[type-var]
    parts: dict[str, list] = {bound.name: [] for bound in ranking}
    has_weights = rows.queries.weight is not None
    weight = scale_weights(rows.queries) if has_weights else None
    if partial := [bound for bound in ranking if bound.answered_only or bound.judged_only]:
        weight = _are_counted(partial[0], rows) * (1.0 if weight is None else weight)
    states = {n.name: n.summary for n in ranking if not n.summary.per_query}
    for block in rank_chunks(rows, ranking[0].ties, cutoff, every_row=every_row):
        for bound in ranking:
            part = _run_on_chunk(bound, block)
            if bound.name in states:
                of_block = None if weight is None else weight[block.first : block.last]
                states[bound.name] = states[bound.name].add(part, of_block)
            else:
                parts[bound.name].append(part)
    evaluation.of_all |= {name: _label_items(state, rows) for name, state in states.items()}
    for bound in ranking:
        if bound.name not in states:
            _add_values(evaluation, bound, _join_chunks(parts[bound.name], rows.queries))


def _run_on_chunk(bound: BoundMetric, block: RankedChunk) -> Any:
    lists = getattr(block, bound.metric.rows)
    view = lists if bound.metric.unjudged == "needed" else lists.judged()
    try:
        return bound.run(view)
    except QueryError as error:
        label = block.rows.queries.label_of(block.first + error.query)
        raise error.named(label) from None


def _join_chunks(parts: list, queries: Queries) -> Any:
    """Join the results of a kernel on all chunks, in the order of the labels."""
    if not isinstance(parts[0], tuple):
        values = np.concatenate(parts)
        return values if queries.order is None else values[queries.order]
    columns = map(_concatenate, zip(*parts, strict=True))
    return tuple(None if c is None else queries.by_label(c) for c in columns)


def _concatenate(parts: Sequence[Any]) -> np.ndarray | None:
    """Return arrays one after the other; None if there are no arrays but None."""
    return None if parts[0] is None else np.concatenate(parts)


def _add_values(evaluation: Evaluation, bound: BoundMetric, of_queries: Any) -> None:
    values, own = of_queries if bound.summary.weighs else (of_queries, None)
    if bound.metric.approximates_best:
        warn_of_values_above_best(bound.name, values, evaluation.queries.labels)
    weight = evaluation.queries.weight
    evaluation.values[bound.name] = values
    evaluation.weights[bound.name] = (
        weight if own is None else multiply_weights(own, weight)
    )


def _leave_out_queries(
    evaluation: Evaluation, bound: BoundMetric, rows: Rows
) -> BoundMetric:
    """Leave out queries that a convention does not count; return the metric."""
    if not ((bound.answered_only or bound.judged_only) and bound.summary.per_query):
        return bound  # of all queries together, their weights are 0
    values = fill_undefined(evaluation.values[bound.name], bound.replace_undefined_by)
    is_counted = rows.queries.by_label(_are_counted(bound, rows))
    evaluation.values[bound.name] = np.where(is_counted, values, np.nan)
    return replace(bound, replace_undefined_by=np.nan)


def _are_counted(bound: BoundMetric, rows: Rows) -> np.ndarray:
    """Return which queries count: those with a retrieved row, those with a judgment."""
    is_counted = np.ones(len(rows.starts) - 1, dtype=bool)
    if bound.answered_only:
        is_counted &= are_answered(rows)
    if bound.judged_only:
        is_counted &= are_judged(rows)
    return is_counted


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
    """Return a decorator that declares a function as the public one of a metric.

    The function stays as it is, and has the `Metric` as ``.metric``. The name in strings is
    that of the kernel, unless another one is given. What is declared is the rest of
    `Metric`; a function that takes ``items`` has these as a column. Where a kernel sees
    more than the relevant rows, an unjudged row has grade 0.
    """
    unjudged = "refused" if rows == "relevant" else "irrelevant"
    declared = {"unjudged": unjudged, "below_k": rows == "all", "rows": rows, **declared}
    own_name = name or getattr(declared.get("summary"), "of", kernel).__name__

    def declare(function: Function) -> Function:
        takes_items = "items" in inspect.signature(function).parameters
        needed = (*columns, ITEMS) if takes_items else columns
        record = Metric(own_name, function, kernel, columns=needed, **declared)
        function.metric = record  # type: ignore[attr-defined]
        register(record)
        return function

    return declare


def mean_score(
    function: Any,
    rows: tuple[Any, Any, Any, Any],
    own: Mapping[str, Any],
    ties: Any,
    replace_undefined_by: Any,
) -> float:
    """Return the mean of a metric, given by its public function.

    `rows` are y_true, y_score, groups and sample_weight; `own` the arguments that not all
    metrics have: parameters, columns of rows and parts of a catalogue.
    """
    record: Metric = function.metric
    try:
        parameters = record.checked({name: own[name] for name in record.parameters})
    except TypeError as error:
        if isinstance(own.get("k"), list | tuple | range | np.ndarray):
            names = ", ".join(f'"{record.name}@{k}"' for k in [*own["k"]][:2])
            text = f"{error} For several write ranking_scores(..., metrics=[{names}])."
            raise TypeError(text) from None
        raise
    if not (isinstance(ties, str) and ties in TIES):
        check_option("ties", ties, TIES)
    bound = BoundMetric(
        record.name,
        record,
        parameters,
        ties=ties,
        replace_undefined_by=check_undefined(replace_undefined_by, ABSTAINED),
        is_called=True,
    )
    columns = {name: own[name] for name in record.column_names if name in own}
    catalogue = build_catalogue(record.parts, own) if record.parts else None
    evaluation = evaluate([bound], *rows, columns, catalogue=catalogue)
    return evaluation.results()[bound.name]
