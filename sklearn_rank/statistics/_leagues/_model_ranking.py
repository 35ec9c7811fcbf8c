"""ModelRanking: the ranks of models over data sets, as text, rows, a frame and a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._numbers import as_floats
from sklearn_rank._base._text import format_percent
from sklearn_rank._base._validation import (
    check_given,
    check_option,
    import_pandas,
    is_iterable,
)
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._clusters import differences
from sklearn_rank.statistics._comparison_text import (
    correction_name,
    name_of_test,
    number_format,
    p_of_pairs,
)
from sklearn_rank.statistics._leagues._model_ranking_display import ModelRankingDisplay
from sklearn_rank.statistics._model_comparison import ModelComparison
from sklearn_rank.statistics._options import correct_p_values
from sklearn_rank.statistics._paper_table import MARKUPS, check_digits, escape_markup
from sklearn_rank.statistics._pictures import RANK_HEIGHT, alpha_of, figure_size
from sklearn_rank.statistics._result_rows import (
    RankedModel,
    RankedPair,
    RowsOfResult,
    as_columns,
    as_dict,
    as_rows,
)
from sklearn_rank.typing import Axes, PandasFrame

# With fewer data sets or clusters no normal distribution can be assumed.
FEWEST_TESTED = 3
# So many models that are tied for first are named.
MOST_NAMED = 10
# The columns of a pair.
NUMBERS = ("difference", "standard_error", "df", "p_value", "p_adjusted")


@explained
class ModelRanking(RowsOfResult[RankedModel]):
    """Models over several data sets with the ranks that hold, one row per model.

    :func:`rank_models` returns it. ``print`` shows it as a table, the best model first.

    Parameters
    ----------
    rows : sequence of dict
        The columns of each row by name.
    pairs : sequence of dict, default=()
        For each pair of models `model`, `baseline`, `difference`, `standard_error`, `df`,
        `p_value` and `p_adjusted`.
    values : dict of str to dict of str to float, default=None
        The mean of each model by data set and model, if they are known.
    by_dataset : dict of str to ModelComparison, default=None
        The comparison of the models on each data set, if there are values per query.
    left_out : sequence of str, default=()
        Models or data sets that were left out because a score is missing.
    settings : dict, default=None
        Options of the ranking. If None, Student's t over data sets, 95%, Holm.

    Attributes
    ----------
    columns : dict of str to ndarray of shape (n_models,)
        `model`, `mean` (of the data sets, each with the same weight; with clusters, the
        mean of their means), `n_datasets`, `rank` (of the mean; equal means share it),
        `rank_low` (1 + the number of models that beat it), `rank_high` (the number of
        models - those that it beats), `tied_for_first` (whether `rank_low` is 1) and
        `mean_rank` (over data sets, or the clusters of these, where ties share their mean).

        `letters`: models that share one do not differ significantly; empty if there would
        be more than 100.
    pairs : dict of str to ndarray of shape (n_pairs,)
        The columns of the pairs.
    values : dict of str to dict of str to float
        The mean of each model by data set and model.
    by_dataset : dict of str to ModelComparison
        The comparison of the models on each data set that has two queries or more; empty
        without values per query.
    left_out : list of str
        Models or data sets that were left out.
    settings : dict
        Options of the ranking: `metric`, `lower_is_better`, `over`, `test` and so on.

    See Also
    --------
    rank_models : Makes it.

    Examples
    --------
    >>> from sklearn_rank.statistics import rank_models
    >>> names = ["news", "law", "shop", "code", "health", "travel"]
    >>> old = [0.61, 0.33, 0.45, 0.70, 0.29, 0.56]
    >>> new = [0.66, 0.40, 0.49, 0.77, 0.33, 0.62]
    >>> scores = {
    ...     name: {"old": one, "new": two}
    ...     for name, one, two in zip(names, old, new, strict=True)
    ... }
    >>> ranking = rank_models(scores)
    >>> ranking.tied_for_first
    ['new']
    >>> ranking.row("old").rank_low
    2
    """

    _heading = "Ranking of models"
    _row = RankedModel
    _names = ("model",)
    _numbers = ("mean", "rank", "rank_low", "rank_high", "mean_rank", "n_datasets")
    _default_settings: ClassVar[Mapping[str, Any]] = {
        "metric": "score",
        "lower_is_better": False,
        "over": "datasets",
        "clusters": None,
        "test": "t",
        "alternative": "two-sided",
        "confidence_level": 0.95,
        "correction": "holm",
        "missing": "raise",
        "family": "all",
    }

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]],
        *,
        pairs: Iterable[Mapping[str, Any]] = (),
        values: Mapping[Any, Mapping[Any, float]] | None = None,
        by_dataset: Mapping[Any, ModelComparison] | None = None,
        left_out: Iterable[Any] = (),
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(rows, settings=settings)
        self.pairs: dict[str, NDArray[Any]] = {}
        if not isinstance(pairs, Sequence) or len(pairs):
            self.pairs = as_columns("pairs", pairs, ("model", "baseline"), NUMBERS)
        self.values = as_dict("values", values)
        for name, row in self.values.items():
            as_dict(f"values[{name!r}]", row)
        self.by_dataset = as_dict("by_dataset", by_dataset)
        for name, comparison in self.by_dataset.items():
            is_valid = isinstance(comparison, ModelComparison)
            check_given(f"by_dataset[{name!r}]", comparison, is_valid, "a ModelComparison")
        is_valid = is_iterable(left_out) and not isinstance(left_out, str)
        check_given("left_out", left_out, is_valid, "a list of names")
        self.left_out = list(left_out)

    def __repr__(self) -> str:
        """Return the numbers of models and data sets."""
        return f"ModelRanking({len(self)} models, {self._n_datasets()} data sets)"

    @property
    def tied_for_first(self) -> list[Any]:
        """The models that no other model beats, the best one first."""
        is_tied = self.columns["rank_low"] == 1
        return [model for model, tied in zip(self._models(), is_tied, strict=True) if tied]

    def row(self, model: str) -> RankedModel:
        """One row of the ranking.

        Parameters
        ----------
        model : str
            Name of the model.

        Returns
        -------
        row : Bunch
            The columns by name, as attributes too.

        Raises
        ------
        ValueError
            If there is no such model.
        """
        return self._row_of(model=model)

    def pair(self, model: str, baseline: str) -> RankedPair:
        """Difference of two models over the data sets.

        Parameters
        ----------
        model : str
            Name of the model.
        baseline : str
            What it is compared with.

        Returns
        -------
        pair : Bunch
            `difference` (mean of the model - mean of the baseline), `standard_error`, `df`
            (its degrees of freedom), `p_value` (of this pair alone) and `p_adjusted` (which
            holds for all pairs together).

        Raises
        ------
        ValueError
            If there is no such pair.
        """
        models = self._models()
        check_option("model", model, models)
        check_option("baseline", baseline, [name for name in models if name != model])
        for row in as_rows(self.pairs, RankedPair):
            if (row.model, row.baseline) == (model, baseline):
                return row
            if (row.model, row.baseline) == (baseline, model):
                # Not -0.0 for equal models.
                difference = 0.0 - row.difference
                names = {"model": model, "baseline": baseline}
                return RankedPair(**{**row, **names, "difference": difference})
        raise ValueError(f"The ranking has no pair of {model!r} and {baseline!r}.")

    def table(
        self,
        *,
        markup: Literal["unicode", "latex", "html", "markdown"] = "unicode",
        digits: int = 4,
    ) -> PandasFrame:
        """Means by data set and model, as in papers.

        The best mean of a row is bold. A dagger marks models that are not significantly
        worse than it: in the last row by `p_adjusted`, in the others by the values per
        query, if there are any, with Holm's correction over all pairs of all data sets or,
        with ``family="dataset"``, of the row.

        Parameters
        ----------
        markup : {"unicode", "latex", "html", "markdown"}, default="unicode"
            Markup of bold numbers and daggers. "latex" is for ``to_latex()``, "html" for
            ``to_html(escape=False)``, "markdown" for
            ``to_markdown(disable_numparse=True)``; all three escape names.
        digits : int, default=4
            Decimals of the means.

        Returns
        -------
        frame : pandas.DataFrame
            Texts: a row per data set and a last one, `mean`; a column per model, the best
            one first.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If an option is unknown, or the values of data sets are not known.

        Examples
        --------
        >>> from sklearn_rank.statistics import rank_models
        >>> scores = {
        ...     "news": {"old": 0.61, "new": 0.66},
        ...     "law": {"old": 0.33, "new": 0.30},
        ...     "shop": {"old": 0.45, "new": 0.49},
        ...     "code": {"old": 0.70, "new": 0.77},
        ...     "health": {"old": 0.29, "new": 0.33},
        ... }
        >>> print(rank_models(scores).table(markup="markdown", digits=2))
                      new       old
        dataset
        news     **0.66**      0.61
        law          0.30  **0.33**
        shop     **0.49**      0.45
        code     **0.77**      0.70
        health   **0.33**      0.29
        mean     **0.51**     0.48†
        """
        return league_frame(self, markup, digits)

    def plot(self, *, ax: Axes | None = None, **plot_kw: Any) -> ModelRankingDisplay:
        """Draw the ranks of the models with the ranks that are not ruled out.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`ModelRankingDisplay.plot`.

        Returns
        -------
        display : ModelRankingDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return ModelRankingDisplay.from_ranking(self, ax=ax, **plot_kw)

    def _models(self) -> list[Any]:
        return list(self.columns["model"].tolist())

    def _n_datasets(self) -> int:
        return int(self.columns["n_datasets"][0])

    def _n_units(self) -> int:
        """Return the number of data sets, or of their clusters."""
        clusters = self.settings.get("clusters")
        return len(set(clusters.values())) if clusters else self._n_datasets()

    def _figure_size(self) -> tuple[float, float]:
        return figure_size(self._models(), RANK_HEIGHT)

    def _facts(self) -> dict[str, Any]:
        return {
            "pairs": as_rows(self.pairs),
            "values": self.values,
            "left_out": self.left_out,
            **super()._facts(),
        }

    def _sections(self) -> list[Section]:
        return [Section([self._head()], self._lines(), self._notes())]

    def _head(self) -> str:
        settings, n = self.settings, len(self)
        n_pairs = n * (n - 1) // 2
        lower = " (lower is better)" if settings["lower_is_better"] else ""
        sizes = f"{quantity(n, 'model')} on {quantity(self._n_datasets(), 'data set')}"
        if settings.get("clusters"):
            sizes += f" in {quantity(self._n_units(), 'cluster')}"
        head = f"{settings['metric']}{lower}, {sizes}; all pairs; {name_of_test(settings)}"
        return head + correction_name(settings, n_pairs, n_pairs)

    def _lines(self) -> list[list[str]]:
        rows = self.rows()
        errors = self.pairs.get("standard_error", np.zeros(0))
        usual = float(np.median(errors[errors > 0])) if (errors > 0).any() else 0.0
        sized = [{"mean": row.mean, "standard_error": usual} for row in rows]
        spec = number_format(sized, ("mean",))
        has_letters = any(row.get("letters") for row in rows)
        head = ["", "mean", "rank", "ranks that hold", *["letters"] * has_letters]
        lines = [[*head, "mean rank"]]
        for row in rows:
            low, high = row.rank_low, row.rank_high
            held = f"{low:g}" if low == high else f"{low:g} to {high:g}"
            line = [str(row.model), format(row.mean, spec), f"{row.rank:g}", held]
            line += [row.get("letters", "")] * has_letters
            lines.append([*line, f"{row.mean_rank:.2f}"])
        return lines

    def _notes(self) -> list[str]:
        settings, tied, notes = self.settings, self.tied_for_first, []
        if self.left_out:
            kind = "model" if settings["missing"] == "models" else "data set"
            n = quantity(len(self.left_out), kind)
            notes.append(f"Left out, as a score is missing: {n}.")
        leaders = ", ".join(map(str, tied))
        if len(tied) > MOST_NAMED:
            leaders = quantity(len(tied), "model")
        notes.append(f"{'First' if len(tied) == 1 else 'Tied for first'}: {leaders}.")
        n_units, over, unless = self._n_units(), "new queries of", ""
        if settings["over"] == "datasets":
            kind = "clusters" if settings.get("clusters") else "data sets"
            if n_units < FEWEST_TESTED:
                return [*notes, f"{n_units} {kind} give no verdict on others like them."]
            over, unless = f"{kind} like", f", if {kind} are independent"
        percent = format_percent(settings["confidence_level"])
        held = f"Ranks hold together with {percent}, for {over} these {n_units}{unless}."
        return [*notes, held]


# The table of a league: data sets as rows, models as columns, the best in bold.

BOLD_DIGITS = str.maketrans("0123456789", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗")
BOLD = {"latex": r"\textbf{%s}", "html": "<b>%s</b>", "markdown": "**%s**"}
DAGGERS = {"latex": r"$^{\dagger}$", "html": "<sup>†</sup>"}

PValues = dict[frozenset[Any], float]  # of pairs of models


def league_frame(ranking: Any, markup: Any, digits: Any) -> Any:
    """Return a frame of texts, a row per data set and one of means."""
    check_option("markup", markup, (*MARKUPS, "markdown"))
    digits = check_digits(digits)
    models = ranking.columns["model"].tolist()
    by_data_set = _values_of(ranking.values, models)
    p_values = _adjusted(ranking.by_dataset, ranking.settings["family"])
    lines = [(values, p_values.get(name, {})) for name, values in by_data_set.items()]
    lines.append((ranking.columns["mean"], p_of_pairs(as_rows(ranking.pairs))))
    alpha = alpha_of(ranking.settings["confidence_level"])
    is_lower_better = ranking.settings["lower_is_better"]
    texts = []
    for values, p_of_each in lines:
        best = values.min() if is_lower_better else values.max()
        is_best = differences(values, best) == 0
        leaders = [model for model, leads in zip(models, is_best, strict=True) if leads]
        near = [_is_near(model, leaders, p_of_each, alpha) for model in models]
        cells = zip(values, is_best, near, strict=True)
        texts.append([_cell(f"{v:.{digits}f}", b, n, markup) for v, b, n in cells])
    pandas = import_pandas("table")
    names = [escape_markup(str(name), markup) for name in (*by_data_set, "mean")]
    index = pandas.Index(names, name="dataset")
    columns = [escape_markup(str(model), markup) for model in models]
    return pandas.DataFrame(texts, index=index, columns=columns)


def _values_of(values: Mapping[Any, Any], models: Sequence[Any]) -> dict[Any, np.ndarray]:
    """Return the values of the models on each data set."""
    if not values:
        raise ValueError("The ranking has no values of data sets, so there is no table.")
    by_data_set = {}
    for name, row in values.items():
        missing = [model for model in models if model not in row]
        if missing:
            raise ValueError(f"`values[{name!r}]` has no value of {missing[0]!r}.")
        by_data_set[name] = as_floats([row[model] for model in models], f"values[{name!r}]")
    return by_data_set


def _adjusted(by_dataset: Mapping[Any, Any], family: str) -> dict[Any, PValues]:
    """Return p-values by data set, corrected over all pairs of all or of each."""
    raw = {name: p_of_pairs(c.rows(), "p_value") for name, c in by_dataset.items()}
    if family == "dataset":
        return {name: _correct_by_holm(pairs) for name, pairs in raw.items()}
    together = _correct_by_holm(
        {(name, pair): p for name, pairs in raw.items() for pair, p in pairs.items()}
    )
    return {
        name: {pair: together[name, pair] for pair in pairs} for name, pairs in raw.items()
    }


def _correct_by_holm(p_values: Mapping[Any, float]) -> dict[Any, float]:
    adjusted = correct_p_values(list(p_values.values()), "holm")
    return dict(zip(p_values, adjusted.tolist(), strict=True))


def _is_near(model: Any, leaders: Sequence[Any], p_of_pairs: PValues, alpha: float) -> bool:
    """Return whether a model is not the best, and not significantly worse."""
    if model in leaders:
        return False
    # A pair that was not compared has no dagger.
    return all(p_of_pairs.get(frozenset((model, best)), 0) > alpha for best in leaders)


def _cell(text: str, is_best: bool, is_near: bool, markup: str) -> str:
    if is_best:
        text = text.translate(BOLD_DIGITS) if markup == "unicode" else BOLD[markup] % text
    return text + DAGGERS.get(markup, "†") * is_near
