"""ModelComparison: the result of a comparison, as text, rows and a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_list, as_vector
from sklearn_rank._base._messages import quantity
from sklearn_rank._base._validation import check_given, check_integer, is_iterable
from sklearn_rank._display._figures import new_figure
from sklearn_rank._display._page import build_page, write_page
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._match import JudgedRows
from sklearn_rank.metrics._core._clusters import differences
from sklearn_rank.statistics._comparison_display import (
    ModelComparisonDisplay,
    draw_each_metric,
)
from sklearn_rank.statistics._comparison_text import letters_of, sections_of, verdict_of
from sklearn_rank.statistics._paper_table import latex_table, superscript_frame
from sklearn_rank.statistics._query_lists import lists_for_page
from sklearn_rank.statistics._read_scores import read_query_values
from sklearn_rank.statistics._result_rows import (
    ComparisonRow,
    Mover,
    RowsOfResult,
    as_columns,
    as_dict,
    as_rows,
    choose_one,
)
from sklearn_rank.typing import ArrayLike, Axes, Labels, Markup, PandasFrame


@explained
class ModelComparison(RowsOfResult[ComparisonRow]):
    """Differences of models with intervals and p-values, one row per metric and pair.

    :func:`compare_models` and :func:`compare_candidates` return it. ``print`` shows it as a
    table: differences and their intervals first, p-values last.

    Parameters
    ----------
    rows : sequence of dict
        The columns of each row by name.
    means : dict of str to list, default=None
        The columns of the means.
    n_undefined : dict of str to int, default=None
        Queries that were left out, by metric.
    lower_is_better : set of str, default=()
        Metrics whose lower values are better.
    settings : dict, default=None
        Options of the comparison. If None, Student's t, two-sided, 95%, uncorrected.
    labels : array-like of shape (n_queries,), default=None
        Labels of the queries, if they are known.
    values : dict of str to dict of str to array-like, default=None
        Values of the queries by metric and model, if they are known.

    Attributes
    ----------
    columns : dict of str to ndarray of shape (n_rows,)
        The pair: `metric`, `model`, `baseline`, `mean`, `mean_baseline`, `difference`
        (model - baseline), `relative_difference` (over the mean of the baseline) and
        `verdict`.

        The queries: `n_queries`, `n_clusters`, `n_effective` (as how many equal clusters
        they weigh), `largest_cluster` (the share of the heaviest), `n_different` (clusters
        that differ), `better`, `equal` and `worse` (numbers of queries).

        The interval and the test: `low` and `high` (the interval of the difference),
        `interval` (the method of interval and p-value: "t", "t, widened" for a margin,
        "flips", "exact" or "max_t"), `sd` (of the differences), `standard_error`, `df` (its
        degrees of freedom), `effect_size` (difference / sd; NaN with weights or clusters),
        `statistic`, `p_value`, `p_adjusted` (corrected) and `smallest_p` (that sign flips
        of the differing clusters can reach). :func:`compare_candidates` counts folds, and
        has probabilities: `p_better`, `p_equivalent` and `p_worse`.

        Where a model has several repeats: `n_repeats` and `repeat_sd` (of the model and the
        baseline; the standard deviation of means over queries from repeat to repeat), and
        `components`, the standard deviations of the difference between queries ("query"),
        between repeats ("repeat") and of the rest ("rest").
    means : dict of str to ndarray
        `metric`, `model`, `mean`, `standard_error`, `low` and `high` (the interval of the
        mean, within the range of the metric) of each model.
    n_undefined : dict of str to int
        Queries that were left out because a model has no value, by metric.
    lower_is_better : frozenset of str
        Metrics whose lower values are better.
    settings : dict
        Options of the comparison: `test`, `correction`, `confidence_level` and so on.
    labels : ndarray of shape (n_queries,) or None
        Labels of the queries, or their positions.
    values : dict of str to dict of str to ndarray
        Values of the queries by metric and model.

    Examples
    --------
    >>> from sklearn_rank.statistics import compare_models
    >>> old = [0.3, 0.6, 0.1, 0.8, 0.4, 0.2, 0.5, 0.7, 0.2, 0.4, 0.1]
    >>> new = [0.5, 0.7, 0.2, 0.9, 0.5, 0.3, 0.4, 0.8, 0.4, 0.6, 0.1]
    >>> comparison = compare_models({"old": old, "new": new}, baseline="old")
    >>> row = comparison.row("new")
    >>> row.better, row.equal, row.worse, row.verdict
    (9, 1, 1, 'better')
    """

    _heading = "Comparison of models"
    _row = ComparisonRow
    _names = ("metric", "model", "baseline")
    _numbers = (
        *("n_queries", "n_clusters", "mean", "difference", "standard_error"),
        *("low", "high", "p_adjusted", "better", "equal", "worse"),
    )

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]],
        *,
        means: Mapping[str, Sequence[Any]] | None = None,
        n_undefined: Mapping[str, int] | None = None,
        lower_is_better: Iterable[str] = (),
        settings: Mapping[str, Any] | None = None,
        labels: Labels | None = None,
        values: Mapping[str, Mapping[str, ArrayLike]] | None = None,
    ) -> None:
        super().__init__(rows, settings=settings)
        self.means = _read_means(means)
        self.n_undefined = as_dict("n_undefined", n_undefined)
        self.lower_is_better = _read_metric_names("lower_is_better", lower_is_better)
        self.labels = None if labels is None else as_vector(labels, name="labels")
        self.values = as_dict("values", values)

    def __repr__(self) -> str:
        """Return the number of comparisons."""
        metrics = list(dict.fromkeys(self.columns["metric"].tolist()))
        return f"ModelComparison({quantity(len(self), 'comparison')}, metrics={metrics})"

    def _pictures(self) -> dict[str, Callable[[], Any]]:
        return {self._heading: partial(draw_each_metric, self, new_figure)}

    def _title(self) -> str:
        return verdict_of(self) or self._heading

    def _sections(self) -> list[Section]:
        return sections_of(self)

    def _facts(self) -> dict[str, Any]:
        facts = {"means": as_rows(self.means), "n_undefined": self.n_undefined}
        lower = {"lower_is_better": sorted(self.lower_is_better)}
        return facts | lower | super()._facts()

    def row(
        self, model: str, baseline: str | None = None, *, metric: str | None = None
    ) -> ComparisonRow:
        """One row of the comparison.

        Parameters
        ----------
        model : str
            Name of the model.
        baseline : str, default=None
            What it is compared with. Needed where all pairs are.
        metric : str, default=None
            Name of the metric. Needed where there are several.

        Returns
        -------
        row : Bunch
            The columns by name, as attributes too.

        Raises
        ------
        ValueError
            If there is no such row, or more than one.
        """
        return self._row_of(model=model, baseline=baseline, metric=metric)

    def movers(
        self,
        model: str,
        baseline: str | None = None,
        *,
        metric: str | None = None,
        n: int = 10,
    ) -> list[Mover]:
        """Queries whose values changed most, the largest difference first.

        Parameters
        ----------
        model : str
            Name of the model.
        baseline : str, default=None
            What it is compared with. Needed where all pairs are.
        metric : str, default=None
            Name of the metric. Needed where there are several.
        n : int, default=10
            Number of queries.

        Returns
        -------
        queries : list of Bunch
            `label`, `value`, `value_baseline` and `difference` of each; fewer than `n` if
            fewer differ.

        Raises
        ------
        ValueError
            If there is no such row, or the values of queries are not known.
        """
        n = check_integer("n", n)
        row = self.row(model, baseline, metric=metric)
        of_metric = as_dict("values", self.values.get(row.metric))
        if self.labels is None or not {row.model, row.baseline} <= set(of_metric):
            raise ValueError(
                "Values of queries are not known, only sums over them or values of folds; "
                "use compare_models with values in memory."
            )
        values = read_query_values(of_metric[row.model], "values")
        base = read_query_values(of_metric[row.baseline], "values")
        if not len(values) == len(base) == len(self.labels):
            raise ValueError(
                f"`values` has {len(values)} and {len(base)} queries, but `labels` has "
                f"{len(self.labels)}; give each one value per query."
            )
        difference = np.nan_to_num(differences(values, base))
        order = np.argsort(-np.abs(difference), kind="stable")[:n]
        order = order[difference[order] != 0]
        columns = {
            "label": as_list(self.labels[order]),
            "value": values[order],
            "value_baseline": base[order],
            "difference": difference[order],
        }
        return as_rows(columns, Mover)

    def superscripts(self, *, markup: Markup = "unicode", digits: int = 4) -> PandasFrame:
        """Means with the letters of the models that each one beats, as in papers.

        A model beats another one if the p-value, corrected, is at most 1 - confidence level
        and the difference is in the direction of the metric. Only pairs that were compared
        count: with a baseline each model has the letter of the baseline or none, and the
        baseline those of the models that are worse.

        Parameters
        ----------
        markup : {"unicode", "latex", "html"}, default="unicode"
            Markup of the letters. "latex" is for ``to_latex()``, "html" for
            ``to_html(escape=False)`` and Markdown; both escape names of models and metrics.
        digits : int, default=4
            Decimals of the means.

        Returns
        -------
        frame : pandas.DataFrame
            Texts, a row per model and a column per metric. The index has the letter of each
            model before its name.

        Raises
        ------
        ValueError
            If there are more models than letters, or an option is unknown.

        Examples
        --------
        >>> from sklearn_rank.statistics import compare_models
        >>> old = [0.3, 0.6, 0.1, 0.8, 0.4, 0.2, 0.5, 0.7, 0.2, 0.4, 0.1]
        >>> new = [0.5, 0.7, 0.2, 0.9, 0.5, 0.3, 0.4, 0.8, 0.4, 0.6, 0.1]
        >>> comparison = compare_models({"old": old, "new": new})
        >>> print(comparison.superscripts().to_string(index_names=False))
                   score
        (a) old   0.3909
        (b) new  0.4909ᵃ
        >>> print(comparison.superscripts(markup="latex").loc["(b) new", "score"])
        0.4909$^{a}$
        """
        return superscript_frame(self, markup, digits)

    def to_latex(self, caption: str | None = None, label: str | None = None) -> str:
        r"""Write the table of a paper: means, the best in bold, with significance.

        A mean has the letters of the models that it beats, as :meth:`superscripts` does.
        With all pairs of four models or more it has those of :meth:`letters`. A note states
        the number of queries, the test and the correction. It needs no other package; in
        LaTeX it needs ``booktabs``.

        Parameters
        ----------
        caption : str, default=None
            Caption of the table, in LaTeX.
        label : str, default=None
            Label of the table, for ``\ref``.

        Returns
        -------
        table : str
            A ``table`` environment with a row per model and a column per metric. Names are
            escaped.

        Raises
        ------
        ValueError
            If there are no means of models, or more models than letters.

        Examples
        --------
        >>> from sklearn_rank.statistics import compare_models
        >>> old = [0.3, 0.6, 0.1, 0.8, 0.4, 0.2, 0.5, 0.7, 0.2, 0.4, 0.1]
        >>> new = [0.5, 0.7, 0.2, 0.9, 0.5, 0.3, 0.4, 0.8, 0.4, 0.6, 0.1]
        >>> comparison = compare_models({"old": old, "new": new}, baseline="old")
        >>> for line in comparison.to_latex().splitlines()[2:9]:
        ...     print(line)
        \begin{tabular}{lr}
        \toprule
         & score \\
        \midrule
        (a) old & 0.3909 \\
        (b) new & \textbf{0.4909}$^{a}$ \\
        \bottomrule
        """
        return latex_table(self, caption, label)

    def letters(self, metric: str | None = None) -> dict[Any, str]:
        """Letters of the models: models that share one do not differ significantly.

        The compact letter display [1]_ sums up all pairs: "a" is the letter of the best
        model and of those that do not differ significantly from it, after correction.

        Parameters
        ----------
        metric : str, default=None
            Name of the metric. Needed where there are several.

        Returns
        -------
        letters : dict of str to str
            The letters of each model, the best one first.

        Raises
        ------
        ValueError
            If not all pairs were compared, or there are several metrics and none is named.

        References
        ----------
        .. [1] H.-P. Piepho, "An algorithm for a letter-based representation of all-pairwise
               comparisons", Journal of Computational and Graphical Statistics 13(2), 2004.

        Examples
        --------
        >>> from sklearn_rank.statistics import compare_models
        >>> old = [0.3, 0.6, 0.1, 0.8, 0.4, 0.2, 0.5, 0.7, 0.2, 0.4, 0.1]
        >>> new = [0.5, 0.7, 0.2, 0.9, 0.5, 0.3, 0.4, 0.8, 0.4, 0.6, 0.1]
        >>> compare_models({"old": old, "new": new}).letters()
        {'new': 'a', 'old': 'b'}
        """
        return letters_of(self, choose_one("metric", metric, self.columns["metric"]))

    def to_html(
        self,
        path: str | PathLike | None = None,
        *,
        lists: Mapping[str, JudgedRows] | None = None,
    ) -> str | None:
        """Write the result as one HTML page without other files.

        The page has the tables, which can be sorted by a click on a title, the pictures,
        the settings, and the versions of packages. It is light or dark like the browser.
        With `lists` it shows the queries too, the largest loss first, each with the lists
        of two models side by side: relevant items are marked, and what moved.

        Parameters
        ----------
        path : str or path-like, default=None
            File to write; an existing file is replaced once the page is complete; a pipe or
            device is written into. None returns the page.
        lists : dict of str to dict, default=None
            The rows of each model that the values came from: `y_true`, `y_score`, `groups`
            and `items`, as :func:`~sklearn_rank.inputs.from_files`,
            :func:`~sklearn_rank.inputs.from_frames` and
            :func:`~sklearn_rank.inputs.from_item_lists` return them with
            ``return_items=True``. The page has the first 50 items of a list.

        Returns
        -------
        page : str or None
            The page, if no file is named.

        Raises
        ------
        OSError
            If the file cannot be written.
        TypeError
            If `lists` or its entries are not dicts.
        ValueError
            If `lists` lacks a model or a column, has a model that was not compared, or the
            values of queries are not known.

        Notes
        -----
        Without matplotlib the page has a note instead of the pictures.

        Examples
        --------
        >>> from sklearn_rank.inputs import from_item_lists
        >>> from sklearn_rank.metrics import per_query_scores
        >>> from sklearn_rank.statistics import compare_models
        >>> bought = {"ann": ["tea"], "bob": ["jam"], "cy": ["tea", "rye"]}
        >>> shown = {
        ...     "old": {"ann": ["tea"], "bob": ["rye"], "cy": ["rye", "jam"]},
        ...     "new": {"ann": ["rye", "tea"], "bob": ["jam"], "cy": ["tea", "rye"]},
        ... }
        >>> rows = {
        ...     name: from_item_lists(bought, lists, return_items=True)
        ...     for name, lists in shown.items()
        ... }
        >>> roles = ["y_true", "y_score", "groups"]
        >>> values = {
        ...     name: per_query_scores(**{role: of[role] for role in roles}, metrics="mrr")
        ...     for name, of in rows.items()
        ... }
        >>> page = compare_models(values, test="randomization").to_html(lists=rows)
        >>> "Queries, one by one" in page
        True
        """
        if lists is None:
            return super().to_html(path)
        page_lists = lists_for_page(
            self.rows(), self.values, self.labels, self.lower_is_better, lists
        )
        return write_page(build_page(self, page_lists), path)

    def plot(
        self, *, metric: str | None = None, ax: Axes | None = None, **plot_kw: Any
    ) -> ModelComparisonDisplay:
        """Draw the differences with their intervals.

        Parameters
        ----------
        metric : str, default=None
            Name of the metric. If None, the only one.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`ModelComparisonDisplay.plot`.

        Returns
        -------
        display : ModelComparisonDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there is no such metric, or several and none is named.
        """
        return ModelComparisonDisplay.from_comparison(self, metric=metric, ax=ax, **plot_kw)


def _read_means(means: Any) -> dict[str, np.ndarray]:
    """Return the columns of means of models."""
    columns = as_dict("means", means)
    if not columns:
        return {}
    lists = [list(of) if is_iterable(of) else [of] for of in columns.values()]
    lengths = set(map(len, lists))
    if len(lengths) > 1:
        raise ValueError(
            f"`means` has columns of {min(lengths)} to {max(lengths)} values; give as many."
        )
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
    numbers = ("mean", "standard_error", "low", "high")
    return as_columns("means", rows, ("metric", "model"), numbers)


def _read_metric_names(name: str, names: Any) -> frozenset:
    """Return names of metrics."""
    is_valid = is_iterable(names) and not isinstance(names, str)
    check_given(name, names, is_valid, "a set of metrics")
    try:
        return frozenset(names)
    except TypeError as error:
        raise TypeError(f"`{name}` must hold names of metrics; {error}.") from error
