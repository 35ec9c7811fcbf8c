"""RanksDisplay: ranks of models over folds or periods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from sklearn_rank._base._labels import as_list, as_vector
from sklearn_rank._base._numbers import as_floats
from sklearn_rank._base._validation import check_given
from sklearn_rank._display import _figures
from sklearn_rank._display._figures import Picture
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._plot._per_query_display import find_metric
from sklearn_rank.typing import ArrayLike, Axes, Labels

if TYPE_CHECKING:
    from matplotlib.lines import Line2D


@explained
@dataclass(kw_only=True, eq=False, repr=False)
class RanksDisplay(Picture):
    """Ranks of models in each fold or period, the best on top.

    Make it with :meth:`from_scores`. It shows whether the order of models is stable: if
    lines cross often, a single fold cannot order these models.

    Parameters
    ----------
    model : sequence of str
        Names of the models.
    values : array-like of shape (n_models, n_folds)
        The score of each model in each fold; NaN is not ranked.
    folds : sequence, default=None
        Names of the folds or periods. If None, numbers from 1.
    metric : str, default="score"
        Name of the metric.
    lower_is_better : bool, default=False
        Whether a lower value is better.

    Attributes
    ----------
    ranks : ndarray of shape (n_models, n_folds)
        The ranks from 1; equal models have the mean of their ranks.
    ax_ : matplotlib Axes
        Where the picture is.
    figure_ : matplotlib Figure
        The figure around it.
    lines_ : list of matplotlib Line2D
        One per model.

    Examples
    --------
    >>> from sklearn_rank.metrics import RanksDisplay
    >>> scores = {"EASE": [0.3, 0.4, 0.2], "popularity": [0.1, 0.1, 0.2]}
    >>> RanksDisplay.from_scores(scores, folds=["May", "June", "July"]).ranks
    array([[1. , 1. , 1.5],
           [2. , 2. , 1.5]])
    """

    model: Sequence[str]
    values: ArrayLike
    folds: Labels | None = None
    metric: str = "score"
    lower_is_better: bool = False
    lines_: list[Line2D] = field(init=False)

    @property
    def ranks(self) -> np.ndarray:
        """The ranks from 1; equal models have the mean of their ranks."""
        values = as_floats(self.values, "values")
        if values.ndim != 2 or len(values) != len(self.model):
            raise ValueError(
                "`values` must have one row per model and one column per fold, got shape "
                f"{values.shape} for {len(self.model)} models."
            )
        ordered = values if self.lower_is_better else -values
        ranks: np.ndarray = rankdata(ordered, axis=0, nan_policy="omit")
        return ranks

    def plot(
        self, ax: Axes | None = None, *, line_kw: dict[str, Any] | None = None
    ) -> RanksDisplay:
        """Draw a line for each model.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        line_kw : dict, default=None
            Keywords for the lines: matplotlib's `plot`.

        Returns
        -------
        display : RanksDisplay
            Itself, with the artists.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `values` has not one row per model and one column per fold, or `folds` not a
            name for each fold.
        """
        line_kw = _figures.merge_keywords("line_kw", line_kw)
        ranks = self.ranks
        n_models, n_folds = ranks.shape
        fold_labels = range(1, n_folds + 1) if self.folds is None else self.folds
        folds = as_list(as_vector(fold_labels, name="folds"))
        if len(folds) != n_folds:
            raise ValueError(f"`folds` must have {n_folds} names, got {len(folds)}.")
        self._take_axis(ax)
        self.lines_ = []
        for name, row in zip(_figures.short_names(self.model), ranks, strict=True):
            number = f"{np.nanmean(row):.1f}" if np.isfinite(row).any() else "no value"
            label = {"label": _figures.legend_label(name, number=number)}
            self.lines_ += self.ax_.plot(range(n_folds), row, **label | line_kw)
        names = _figures.short_names(folds)
        _figures.name_ticks(self.ax_.xaxis, names, **_figures.label_rotation(names))
        self.ax_.set_yticks(range(1, n_models + 1))
        self.ax_.set(ylim=(n_models + 0.3, 0.7), ylabel=f"rank by {self.metric}")
        _figures.finish_axes(self.ax_, "mean rank", at_ends=True)
        return self

    @classmethod
    def from_scores(
        cls,
        scores: Mapping[str, Any],
        *,
        metric: str | None = None,
        folds: Labels | None = None,
        lower_is_better: bool = False,
        ax: Axes | None = None,
        **plot_kw: Any,
    ) -> RanksDisplay:
        """Draw models by their scores in each fold.

        Parameters
        ----------
        scores : mapping of str to array-like or PerQueryScores
            The scores of each model in the folds, such as ``test_score`` of
            `sklearn.model_selection.cross_validate`; or values per query with folds, from
            :func:`~sklearn_rank.model_selection.cross_validate_per_query`.
        metric : str, default=None
            Name of the metric. If None, the only one of values per query.
        folds : sequence, default=None
            Names of the folds or periods. If None, those of values per query, or numbers.
        lower_is_better : bool, default=False
            Whether a lower score is better; not needed for values per query.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        display : RanksDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `scores` is not a mapping.
        ValueError
            If models have different folds.
        """
        _figures.import_pyplot(cls.__name__)
        is_valid = isinstance(scores, Mapping) and scores
        check_given("scores", scores, is_valid, "a mapping of models to scores by fold")
        rows, fold_names = [], folds
        for model, values in scores.items():
            if isinstance(values, PerQueryScores):
                metric = find_metric(values, metric)
                lower_is_better = metric in values.lower_is_better
                fold_names, values = _means_of_folds(model, values, metric)
            rows.append(as_floats(values, f"scores[{model!r}]"))
        shapes = {row.shape for row in rows}
        if len(shapes) > 1 or len(rows[0].shape) != 1:
            raise ValueError(
                "Models must have one score per fold, and the same folds; got shapes "
                f"{sorted(shapes)}."
            )
        display = cls(
            model=list(scores),
            values=np.array(rows),
            folds=fold_names if folds is None else folds,
            metric=metric or "score",
            lower_is_better=lower_is_better,
        )
        return display.plot(ax, **plot_kw)


def _means_of_folds(
    model: str, scores: PerQueryScores, metric: str
) -> tuple[list[Any], list[float]]:
    """Return the folds of values per query, and the mean of each."""
    if scores.fold is None:
        raise ValueError(
            f"The values of model {model!r} have no folds; use cross_validate_per_query, "
            "or give one score per fold."
        )
    folds = np.unique(scores.fold)
    means = [scores.of(scores.fold == fold).mean()[metric] for fold in folds]
    return (folds + 1).tolist(), means
