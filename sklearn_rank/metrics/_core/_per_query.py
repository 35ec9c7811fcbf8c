"""PerQueryScores: values of metrics per query, the basis of all other results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np

from sklearn_rank._base._labels import (
    as_list,
    as_vector,
    ascends_strictly,
    encode_labels,
    join_labels,
)
from sklearn_rank._base._numbers import as_array, as_floats
from sklearn_rank._base._validation import (
    check_given,
    check_mapping,
    hold_text,
    import_pandas,
    shorten,
    suggest,
)
from sklearn_rank._display._result import Result
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._parameters import UNBOUNDED, Range
from sklearn_rank.metrics._core._registry import canonical_name
from sklearn_rank.metrics._core._report import (
    ReportForm,
    compare_segments,
    read_intervals,
    report_rows,
)
from sklearn_rank.metrics._core._summaries import Mean, Summary
from sklearn_rank.typing import ArrayLike, Axes, DrawnDisplay, Floats, Labels, PandasFrame

# The column of folds in tables of values.
FOLD = "fold"


@explained
class PerQueryScores(Result):
    """Values of metrics per query, with the data for means, comparisons and tables.

    Means, standard errors and differences are over queries. Parts of one data set, each
    with whole queries, merge into the result of the whole.

    Parameters
    ----------
    groups : array-like of shape (n_queries,)
        Label of each query; in the 2-D form the number of the row.
    scores : mapping of str to array-like of shape (n_queries,)
        Values of each metric; NaN where it is undefined for a query.
    weights : mapping of str to array-like of shape (n_queries,), default=None
        Weight of each query in the mean of a metric. None, or a metric that is missing or
        None in it: equal weights.
    fold : array-like of shape (n_queries,), default=None
        Fold in which each query was held out, from 0.
    lower_is_better : sequence of str, default=()
        Metrics whose lower values are better.
    whole : mapping of str to dict, default=None
        For each metric the parameters computed from the whole input, such as the highest
        grade. Parts with different values do not merge.
    summaries : mapping of str to summary, default=None
        The aggregation of each metric. If None, the weighted mean.
    ranges : mapping of str to Range, default=None
        Lowest and highest value of each metric, at which intervals end. None, or a metric
        that is missing in it: not known.
    longest_list : int, default=None
        Length of the longest list, if the values are of lists of items.
    definitions : mapping of str to str, default=None
        For each metric the name of its definition, such as ``"ndcg@10"`` for values named
        ``"ndcg_cut_10"``. If None, what the name means.

    Attributes
    ----------
    groups : ndarray of shape (n_queries,)
        Label of each query.
    scores : dict of str to ndarray of shape (n_queries,)
        Values of each metric.
    weights : dict of str to ndarray of shape (n_queries,) or None
        Weights of each metric.
    fold : ndarray of shape (n_queries,) or None
        Fold of each query.
    lower_is_better : frozenset of str
        Metrics whose lower values are better.
    longest_list : int or None
        Length of the longest list of items, if known.
    definitions : dict of str to str
        What the name of each metric means; results are compared by it.

    Examples
    --------
    >>> from sklearn_rank.metrics import per_query_scores
    >>> found = per_query_scores(
    ...     [0, 1, 1, 0], [4, 3, 2, 1], groups=["a", "a", "b", "b"], metrics="mrr"
    ... )
    >>> found["mrr"].tolist(), found.mean(), found.standard_error()
    ([0.5, 1.0], {'mrr': 0.75}, {'mrr': 0.25})
    """

    _answered: np.ndarray | None = None  # which queries have a list, if some lack one

    def __init__(
        self,
        groups: Labels,
        scores: Mapping[str, ArrayLike],
        weights: Mapping[str, ArrayLike | None] | None = None,
        fold: ArrayLike | None = None,
        lower_is_better: Iterable[str] = (),
        *,
        whole: Mapping[str, Mapping[str, Any]] | None = None,
        summaries: Mapping[str, Summary] | None = None,
        ranges: Mapping[str, Range] | None = None,
        longest_list: int | None = None,
        definitions: Mapping[str, str] | None = None,
    ) -> None:
        self.groups = as_vector(groups, name="groups")
        scores = check_mapping("scores", scores, "metric to values")
        weights = check_mapping("weights", weights, "metric to weights")
        self.scores: dict[str, Floats] = {
            name: as_floats(values, name) for name, values in scores.items()
        }
        self.weights: dict[str, Floats | None] = {
            name: None if weights.get(name) is None else as_floats(weights[name], name)
            for name in self.scores
        }
        self.fold = None if fold is None else as_array(fold, "fold")
        self.lower_is_better = _read_metric_names(lower_is_better)
        self.whole = check_mapping("whole", whole, "metric to its parameters")
        self._empty = check_mapping("summaries", summaries, "metric to its summary")
        self._ranges = check_mapping("ranges", ranges, "metric to its range")
        self.longest_list = longest_list
        definitions = check_mapping("definitions", definitions, "metric to its definition")
        self.definitions: dict[str, str] = {
            name: definitions.get(name) or canonical_name(str(name)) for name in self.scores
        }
        self._check_lengths()

    def _check_lengths(self) -> None:
        of_queries = {"fold": self.fold, **self.scores}
        for name, values in of_queries.items():
            if values is not None and values.shape != (len(self.groups),):
                raise ValueError(
                    f"{shorten(name)} has shape {values.shape}, but there are "
                    f"{len(self.groups)} queries; give one value per query."
                )

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.groups)

    def __getitem__(self, metric: str) -> Floats:
        """Return the values of a metric, however its name is spelled."""
        name = self._spelled(metric)
        if name is None:
            raise KeyError(
                f"{shorten(metric)} is not a metric of these values. "
                f"{suggest(metric, self.scores)} of() selects queries."
            )
        return self.scores[name]

    def __contains__(self, metric: object) -> bool:
        """Return whether there are values of a metric, however its name is spelled."""
        return self._spelled(metric) is not None

    def _spelled(self, metric: object) -> str | None:
        """Return the name of a metric as it is spelled here."""
        if not isinstance(metric, str):
            return None
        if metric in self.scores:
            return metric
        names = {definition: name for name, definition in self.definitions.items()}
        return names.get(canonical_name(metric))

    def _spelled_as(self, definitions: Mapping[str, str]) -> PerQueryScores:
        """Return the values under these names of their definitions."""
        spelled = {definition: name for name, definition in definitions.items()}
        names = {
            name: name if name in definitions else spelled.get(definition, name)
            for name, definition in self.definitions.items()
        }
        if list(names) == list(names.values()):
            return self

        def rename(by_name: Mapping[str, Any]) -> dict[str, Any]:
            return {names.get(name, name): entry for name, entry in by_name.items()}

        result = PerQueryScores(
            self.groups,
            rename(self.scores),
            rename(self.weights),
            self.fold,
            [names.get(name, name) for name in self.lower_is_better],
            whole=rename(self.whole),
            summaries=rename(self._empty),
            ranges=rename(self._ranges),
            longest_list=self.longest_list,
            definitions=rename(self.definitions),
        )
        result._answered = self._answered
        result._keep_warnings(self.warnings)
        return result

    @property
    def n_unanswered(self) -> int:
        """The number of queries without a list, as far as that is known."""
        return 0 if self._answered is None else int(np.count_nonzero(~self._answered))

    def __repr__(self) -> str:
        """Return the metrics and the number of queries."""
        return f"PerQueryScores({len(self)} queries, metrics={list(self.scores)})"

    def _sections(self) -> list[Section]:
        form = ReportForm(4, output_dict=False, as_frame=False, function="report")
        return [Section(lines=form.lines(report_rows(self.summaries()).items()))]

    def _columns(self) -> dict[str, Any]:
        fold = {} if self.fold is None else {FOLD: self.fold}
        return {"group": self.groups, **fold, **self.scores}

    def _facts(self) -> dict[str, Any]:
        return {
            "mean": self.mean(),
            "standard_error": self.standard_error(),
            "lower_is_better": sorted(self.lower_is_better),
            "weights": {k: v for k, v in self.weights.items() if v is not None},
        }

    @overload
    def report(
        self,
        *,
        by: Labels | Mapping[Any, Any] | None = None,
        confidence_level: float | None = None,
        digits: int = 4,
        output_dict: Literal[False] = False,
        as_frame: Literal[False] = False,
    ) -> str: ...

    @overload
    def report(
        self,
        *,
        by: Labels | Mapping[Any, Any] | None = None,
        confidence_level: float | None = None,
        digits: int = 4,
        output_dict: Literal[True],
        as_frame: bool = False,
    ) -> dict[str, dict[str, Any]]: ...

    @overload
    def report(
        self,
        *,
        by: Labels | Mapping[Any, Any] | None = None,
        confidence_level: float | None = None,
        digits: int = 4,
        output_dict: Literal[False] = False,
        as_frame: Literal[True],
    ) -> PandasFrame: ...

    def report(
        self,
        *,
        by: Labels | Mapping[Any, Any] | None = None,
        confidence_level: float | None = None,
        digits: int = 4,
        output_dict: bool = False,
        as_frame: bool = False,
    ) -> Any:
        """Mean and error of each metric, as :func:`ranking_report` shows them.

        Parameters
        ----------
        by : array-like of shape (n_queries,), mapping or Series, default=None
            Segment of each query, in their order, or by query. Below the overall mean are
            the mean of each segment and the difference of the two extremes.
        confidence_level : float, default=None
            Probability that an interval covers the mean, such as 0.95; None leaves the
            intervals out.
        digits : int, default=4
            Decimals in the text.
        output_dict : bool, default=False
            Return a dict.
        as_frame : bool, default=False
            Return a pandas DataFrame.

        Returns
        -------
        report : str, dict or pandas.DataFrame
            Mean, standard error, and numbers of queries with and without a value, for each
            metric.

        Raises
        ------
        ValueError
            If `by` does not have one segment per query, or `digits` is too large.
        ImportError
            If pandas is not installed and `as_frame` is set.

        Examples
        --------
        >>> from sklearn_rank.metrics import per_query_scores
        >>> found = per_query_scores(
        ...     [0, 1, 1, 0], [4, 3, 2, 1], groups=["a", "a", "b", "b"], metrics="mrr"
        ... )
        >>> print(found.report())
               mean  std error  queries  undefined
        mrr  0.7500     0.2500        2          0
        """
        form = ReportForm(digits, output_dict, as_frame, "report")
        intervals = read_intervals(confidence_level)
        rows = report_rows(self.summaries(), self, intervals)
        segments = None if by is None else compare_segments(self, by, None, intervals)
        if intervals is not None:
            intervals.warn_of_few()
        return form.format(rows, segments)

    def plot(
        self, *, metric: str | None = None, ax: Axes | None = None, **keywords: Any
    ) -> DrawnDisplay:
        """Draw the distribution of a metric over queries.

        Parameters
        ----------
        metric : str, default=None
            Name of the metric. If None, the only one.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **keywords : dict
            Further keywords of :meth:`PerQueryDisplay.from_scores`.

        Returns
        -------
        display : PerQueryDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is no such metric, or several and none is named.
        """
        from sklearn_rank.metrics._plot._per_query_display import PerQueryDisplay

        return PerQueryDisplay.from_scores(self, metric=metric, ax=ax, **keywords)

    def _range_of(self, metric: str) -> Range:
        """Return the lowest and the highest value of a metric."""
        return self._ranges.get(metric, UNBOUNDED)

    def summaries(self) -> dict[str, Summary]:
        """Sums behind the mean of each metric, which can be merged.

        Returns
        -------
        summaries : dict of str to Mean or Ratio
            Each has ``n``, ``undefined``, ``result()``, ``standard_error()``, ``merge()``.
        """
        return {name: self._summary_of(name) for name in self.scores}

    def _summary_of(self, metric: str) -> Summary:
        """Return the sums behind the mean of one metric."""
        empty = self._empty.get(metric, Mean())
        return empty.add(self.scores[metric], self.weights[metric])

    def mean(self) -> dict[str, float]:
        """Mean of each metric over the queries for which it is defined.

        Returns
        -------
        mean : dict of str to float
            NaN where a metric is undefined for all queries.
        """
        return {name: summary.result() for name, summary in self.summaries().items()}

    def standard_error(self) -> dict[str, float]:
        """Return the standard error of each mean over queries.

        Returns
        -------
        error : dict of str to float
            ``s / sqrt(n)`` without weights; NaN for fewer than two queries.
        """
        return {
            name: summary.standard_error() for name, summary in self.summaries().items()
        }

    def of(self, queries: ArrayLike) -> PerQueryScores:
        """Values of some of the queries.

        Parameters
        ----------
        queries : array-like
            Indices of queries, or a mask with one boolean per query.

        Returns
        -------
        scores : PerQueryScores
            These queries, in the order in which they are given.

        Raises
        ------
        TypeError
            If `queries` are neither indices nor a mask.
        IndexError
            If an index or the length of the mask does not fit the queries.
        """
        asked, queries = queries, np.asarray(queries)
        if not queries.size:
            queries = queries.astype(np.intp)
        check_given(
            "queries",
            asked,
            queries.ndim == 1 and queries.dtype.kind in "biu",
            "indices or a mask, for labels np.isin(result.groups, labels)",
        )
        part = self._like(
            self.groups[queries],
            {name: values[queries] for name, values in self.scores.items()},
            {
                name: None if weight is None else weight[queries]
                for name, weight in self.weights.items()
            },
            None if self.fold is None else self.fold[queries],
        )
        part._answered = None if self._answered is None else self._answered[queries]
        return part

    def _like(self, groups: Any, scores: Any, weights: Any, fold: Any) -> PerQueryScores:
        """Return values of other queries by the same metrics."""
        return PerQueryScores(
            groups,
            scores,
            weights,
            fold,
            self.lower_is_better,
            whole=self.whole,
            summaries=self._empty,
            ranges=self._ranges,
            longest_list=self.longest_list,
            definitions=self.definitions,
        )

    def _relabeled(self, groups: np.ndarray, fold: np.ndarray) -> PerQueryScores:
        """Return the values with other labels, and a fold, of the queries."""
        return self._like(groups, self.scores, self.weights, fold)

    def align(self, other: PerQueryScores) -> PerQueryScores:
        """Queries of another result in the order of these, matched by label and fold.

        Parameters
        ----------
        other : PerQueryScores
            Values of another model for the same queries.

        Returns
        -------
        aligned : PerQueryScores
            `other`, with query i the same in both.

        Raises
        ------
        ValueError
            If the two have different queries, or one has a duplicate query.
        """
        _check_is_result(other)
        if has_same_queries(self, other):
            return other
        codes, other_codes = np.split(self._codes_with(other), [len(self)])
        n_codes = max(codes.max(initial=-1), other_codes.max(initial=-1)) + 1
        for numbers in (codes, other_codes):
            if np.bincount(numbers, minlength=n_codes).max(initial=0) > 1:
                raise ValueError(
                    "A result has a duplicate query, so queries cannot be matched; give "
                    "results in which each query, or query and fold, occurs once."
                )
        position = np.full(n_codes, -1)
        position[other_codes] = np.arange(len(other_codes))
        position = position[codes]
        is_met = position >= 0
        missing, extra = self.groups[~is_met], other.groups[~np.isin(other_codes, codes)]
        if len(missing) or len(extra):
            shown = ", ".join(map(shorten, [*as_list(missing[:1]), *as_list(extra[:1])]))
            raise ValueError(
                f"The results have different queries: {len(missing)} are not in the other "
                f"one, and {len(extra)} of the other one are not here, such as {shown}; "
                "compare models on the same queries, with labels of one type. "
                "from_item_lists scores a query for which a model has no list."
            )
        return other.of(position)

    def difference(self, other: PerQueryScores) -> PerQueryScores:
        """Differences to the values of another model, query by query.

        Parameters
        ----------
        other : PerQueryScores
            Values of the other model for the same queries; they are matched by label.

        Returns
        -------
        difference : PerQueryScores
            For each metric of both the value here minus the value of `other`, NaN if one is
            undefined.

        Raises
        ------
        ValueError
            If the two have different queries, or no metric is in both.
        """
        aligned = self.align(other)._spelled_as(self.definitions)
        shared = [name for name in self.scores if name in aligned.scores]
        if not shared:
            raise ValueError(
                f"The results have no metric in common: {list(self.scores)} here and "
                f"{list(other.scores)} in the other one; score both by one metric."
            )
        return PerQueryScores(
            self.groups,
            {name: self.scores[name] - aligned.scores[name] for name in shared},
            self.weights,
            self.fold,
            self.lower_is_better,
            ranges={name: values.of_differences() for name, values in self._ranges.items()},
            definitions=self.definitions,
        )

    def merge(self, *others: PerQueryScores) -> PerQueryScores:
        """Queries of all parts of one data set together.

        Parameters
        ----------
        *others : PerQueryScores
            The same metrics of other queries. Pass all other parts in one call: each call
            copies all values.

        Returns
        -------
        merged : PerQueryScores
            The queries of all parts, in the order of the parts.

        Raises
        ------
        ValueError
            If the metrics differ, if a query is in two parts, or if a parameter computed
            from the whole input, such as the highest grade, differs: then give it by name
            to all parts.
        """
        parts = [self]
        for result in others:
            _check_is_result(result)
            parts.append(result._spelled_as(self.definitions))
            _check_mergeable(self, parts[-1])
        codes = self._codes_with(*others)
        part = np.arange(len(parts)).repeat([len(scores) for scores in parts])
        first_part = np.empty(codes.max(initial=-1) + 1, dtype=np.intp)
        first_part[codes[::-1]] = part[::-1]  # the first part is written last
        is_twice = first_part[codes] != part
        if is_twice.any():
            twice = join_labels([scores.groups for scores in parts], name="groups")[
                is_twice
            ]
            raise ValueError(
                f"Query {shorten(as_list(twice)[0])} is in two parts; a query must be "
                "whole, and in one part."
            )
        return join_results(parts, _join_folds(parts))

    def _codes_with(self, *others: PerQueryScores) -> np.ndarray:
        """Return codes of the queries of all, from 0: equal where label and fold are."""
        parts = [self, *others]
        labels = join_labels([scores.groups for scores in parts], name="groups")
        codes = encode_labels(labels, name="groups")[1]
        fold = _join_folds(parts)
        if fold is not None:
            codes = codes * (int(fold.max(initial=0)) + 1) + fold
            codes = encode_labels(codes, name="fold")[1]
        return codes

    def to_frame(self) -> PandasFrame:
        """All values as a pandas DataFrame with the labels as index.

        Returns
        -------
        frame : pandas.DataFrame
            A row per query; a column ``fold`` if there are folds, and one per metric.
        """
        pd = import_pandas("to_frame")
        columns = self._columns()
        index = pd.Index(hold_text(columns.pop("group")), name="group")
        return pd.DataFrame(columns, index=index)


def _read_metric_names(value: Any) -> frozenset[str]:
    """Return names of metrics; a single one would be taken for its letters."""
    are_many = isinstance(value, Iterable) and not isinstance(value, str)
    are_many = are_many and getattr(value, "ndim", 1) == 1
    names = list(value) if are_many else []
    are_names = are_many and all(isinstance(name, str) for name in names)
    check_given("lower_is_better", value, are_names, "names of metrics in a list")
    return frozenset(names)


def _check_is_result(value: Any) -> None:
    needed = "a PerQueryScores, as per_query_scores returns it"
    check_given("other", value, isinstance(value, PerQueryScores), needed)


def has_same_queries(one: PerQueryScores, other: PerQueryScores) -> bool:
    """Return whether both have the same labels, each once and in order, and no folds."""
    if one.fold is not None and other.fold is not None:
        return False
    if len(one) != len(other) or one.groups.dtype.kind != other.groups.dtype.kind:
        return False
    return ascends_strictly(one.groups) and bool(np.all(one.groups == other.groups))


def _check_mergeable(left: PerQueryScores, right: PerQueryScores) -> None:
    if set(left.scores) != set(right.scores):
        raise ValueError(
            f"The parts have different metrics: {list(left.scores)} and "
            f"{list(right.scores)}; name the same for both."
        )
    for metric, parameters in left.whole.items():
        for name, value in parameters.items():
            theirs = right.whole.get(metric, {}).get(name)
            if value != theirs:
                raise ValueError(
                    f"The parts of {metric!r} have different values of `{name}`, {value} "
                    f"and {theirs}, which the whole input decides; give `{name}` to both, "
                    f"for example {left.definitions[metric].partition('@')[0]!r} with "
                    f"{name}={value}."
                )


def join_results(
    parts: Sequence[PerQueryScores], fold: np.ndarray | None
) -> PerQueryScores:
    """Return the queries of several results one after the other."""
    first = parts[0]
    for part in parts[1:]:
        _check_mergeable(first, part)
    joined = first._like(
        join_labels([part.groups for part in parts], name="groups"),
        {name: np.concatenate([p.scores[name] for p in parts]) for name in first.scores},
        {name: _join_weights(parts, name) for name in first.scores},
        fold,
    )
    joined.longest_list = find_longest(parts)
    masks = [np.ones(len(p), bool) if p._answered is None else p._answered for p in parts]
    joined._answered = np.concatenate(masks)
    return joined


def find_longest(parts: Sequence[Any]) -> int | None:
    """Return the length of the longest list of several parts, None if none is known."""
    lengths = [part.longest_list for part in parts if part.longest_list is not None]
    return max(lengths, default=None)


def replace_scores(
    found: PerQueryScores, scores: Mapping[str, np.ndarray]
) -> PerQueryScores:
    """Return other values of the same metrics, or of some, for the same queries."""
    return found._like(found.groups, scores, found.weights, found.fold)


def _join_folds(parts: Sequence[PerQueryScores]) -> np.ndarray | None:
    """Return the folds of all queries, None if a part has no folds."""
    folds = [part.fold for part in parts if part.fold is not None]
    return np.concatenate(folds) if len(folds) == len(parts) else None


def _join_weights(parts: Sequence[PerQueryScores], name: str) -> np.ndarray | None:
    weights = [part.weights[name] for part in parts]
    if all(weight is None for weight in weights):
        return None
    each = zip(parts, weights, strict=True)
    return np.concatenate([np.ones(len(p)) if w is None else w for p, w in each])
