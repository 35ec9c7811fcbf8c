"""The base class of displays: pictures of estimators and cross-validations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypedDict, TypeVar, overload

import numpy as np

from sklearn_rank._base._validation import check_level
from sklearn_rank._display import _figures
from sklearn_rank._display._figures import DisplaysByModel, Picture
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._clusters import t_interval
from sklearn_rank.metrics._core._mean_intervals import Average
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._side_columns import ITEMS
from sklearn_rank.metrics._plot._rows_of_estimators import FoldLabels, RowsToDraw, name_of
from sklearn_rank.metrics._scorers._inside_estimators import (
    find_recommender,
    has_recommender,
    queries_of_ranker,
)
from sklearn_rank.metrics._scorers._recommender_protocol import catalogue_of
from sklearn_rank.typing import ArrayLike, Column, Keywords, Labels, Matrix, Table


def interval_of(
    mean: Any, standard_error: Any, n_queries: Any, confidence_level: float | None
) -> tuple[Any, Any]:
    """Return the ends of the interval of a mean of unknown values, by Student's t.

    Without a level, both are NaN.
    """
    if confidence_level is None or standard_error is None:
        return np.full(np.shape(mean), np.nan), np.full(np.shape(mean), np.nan)
    check_level(confidence_level, ", or None")
    freedom = np.maximum(np.asarray(n_queries) - 1, 1)
    return t_interval(mean, standard_error, freedom, confidence_level)


def intervals_of(
    averages: Sequence[Average], confidence_level: float | None, *, by_t: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the intervals of means; NaN without a level."""
    if confidence_level is None:
        return np.full(len(averages), np.nan), np.full(len(averages), np.nan)
    level = check_level(confidence_level, ", or None")
    intervals = [of.by_t(level) if by_t else of.interval(level) for of in averages]
    low, high = np.array([interval[:2] for interval in intervals]).T
    return low, high


def format_level(confidence_level: float | None) -> str:
    """Return the level as the end of a title."""
    return "" if confidence_level is None else f", {100 * confidence_level:g}% interval"


Parameters = ParamSpec("Parameters")
Drawn = TypeVar("Drawn")


class DrawPredictions(Protocol[Parameters, Drawn]):
    """The type of `from_predictions`: a picture, or those of a mapping of models."""

    @overload
    def __call__(self, *args: Parameters.args, **keywords: Parameters.kwargs) -> Drawn: ...

    @overload
    def __call__(
        self, y_true: Matrix, y_score: Mapping[str, Matrix], **options: Any
    ) -> DisplaysByModel[Drawn]: ...


class PredictionMethod(Protocol[Parameters]):
    """The type of such a class method, which draws pictures of its class."""

    def __get__(
        self, display: Any, kind: type[Drawn]
    ) -> DrawPredictions[Parameters, Drawn]: ...


def accept_predictions(
    make: Callable[Concatenate[Any, Parameters], Any],
) -> PredictionMethod[Parameters]:
    """Let `y_score` of a class method be a mapping of models as well."""
    method: Any = _figures.accept_models("y_score")(make)
    return method


class LineOptions(TypedDict, total=False):
    """Options of `plot` for lines with bands."""

    confidence_level: float | None
    line_kw: Keywords
    band_kw: Keywords


@explained
class PredictionDisplay(Picture):
    """A picture of predictions; the other class methods call `from_predictions`.

    A subclass has ``from_predictions(y_true, y_score, *, groups, name, ...)``, ``plot``,
    and `_last_rank`, the required length of recommended lists. `from_predictions` gets two
    keywords that users do not give, and takes them out by `_take_labels`: `_held_out`, the
    `FoldLabels` of a cross-validation or None, and `_unit`, "query" or "user".
    """

    _unit = "query"

    from_predictions: Callable[..., Any]

    @classmethod
    def _last_rank(cls, **parameters: Any) -> int | None:
        """Return the last rank that the picture depends on, None for the whole list."""
        raise NotImplementedError

    @classmethod
    def _bound_metrics(cls, **parameters: Any) -> list[BoundMetric]:
        """Return the metrics of the picture; some may need items."""
        return []

    @classmethod
    def _add_catalogue(cls, estimator: Any, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters, with the catalogue of a fitted recommender if needed."""
        asks = any(bound.metric.parts for bound in cls._bound_metrics(**parameters))
        catalogue = parameters.get("catalogue")
        if not asks or catalogue is not None or not has_recommender(estimator):
            return parameters
        return {**parameters, "catalogue": catalogue_of(find_recommender(estimator), {})}

    @classmethod
    def _take_labels(cls, plot_kw: Any) -> tuple[FoldLabels | None, str]:
        """Take out what only the class methods give: labels of folds, and the unit."""
        return plot_kw.pop("_held_out", None), plot_kw.pop("_unit", cls._unit)

    @classmethod
    def _rows_to_draw(cls, parameters: dict[str, Any], *data: Any) -> RowsToDraw:
        wanted = cls._bound_metrics(**parameters)
        return_items = any(ITEMS in bound.metric.columns for bound in wanted)
        arguments: list[Any] = [*data, cls._last_rank(**parameters), return_items]
        return RowsToDraw(*arguments)

    @classmethod
    def _score_others(cls, rows: RowsToDraw, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters, with other estimators evaluated on the same rows."""
        return parameters

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Table,
        y: ArrayLike | None = None,
        *,
        groups: Labels | Column | None = None,
        user: Column | None = None,
        item: Column | None = None,
        name: str | None = None,
        **parameters: Any,
    ) -> Self:
        """Draw the picture of a fitted estimator.

        Parameters
        ----------
        estimator : object
            A fitted ranker, classifier or regressor, or a recommender; or a pipeline or
            search with one.
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_columns)
            Rows to rank; for a recommender the held-out interactions.
        y : array-like of shape (n_rows,), default=None
            Relevance of each row. If None, 1 for each row of a recommender.
        groups : array-like of shape (n_rows,), str or int, default=None
            Query of each row, or the column of X that holds it, by name or position. If
            None, the columns that a ranker names. Not needed for a recommender, which has a
            list for each user.
        user, item : str or int, default=None
            Columns of X with the users and items of a recommender. If None, the columns
            used in its ``fit``, as in :func:`make_recommender_scorer`.
        name : str, default=None
            Name of the model in the legend. If None, the name of the estimator's class.
        **parameters : dict
            Further parameters of :meth:`from_predictions`.

        Returns
        -------
        display : PredictionDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        NotFittedError
            If an estimator is not fitted.
        ValueError
            If groups are missing, or as in :meth:`from_predictions`.
        """
        _figures.import_pyplot(cls.__name__)
        if groups is None:
            groups = queries_of_ranker(estimator, X)
        rows = cls._rows_to_draw(parameters, X, y, groups, user, item)
        parameters = cls._add_catalogue(estimator, parameters)
        parameters = cls._score_others(rows, parameters)
        name = name_of(estimator) if name is None else name
        return cls.from_predictions(**rows.score(estimator), name=name, **parameters)

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any],
        X: Table,
        y: ArrayLike | None = None,
        **parameters: Any,
    ) -> DisplaysByModel[Self]:
        """Draw the pictures of several fitted estimators on one axis.

        Parameters
        ----------
        estimators : mapping of str to object
            Fitted estimators by their names in the legend.
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_columns)
            Rows to rank; for recommenders the held-out interactions.
        y : array-like of shape (n_rows,), default=None
            Relevance of each row. If None, 1 for each row of a recommender.
        **parameters : dict
            Further parameters of :meth:`from_estimator`.

        Returns
        -------
        displays : dict of str to Display
            The display of each estimator; ``displays.ax_`` and ``displays.figure_`` are
            the picture.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `estimators` is empty or not a mapping.
        ValueError
            As :meth:`from_estimator`.
        """
        draw = partial(cls.from_estimator, X=X, y=y)
        options = cls._of_several | parameters
        return _figures.draw_models("estimators", estimators, draw, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Table,
        y: ArrayLike | None = None,
        *,
        groups: Labels | Column | None = None,
        user: Column | None = None,
        item: Column | None = None,
        name: str | None = None,
        **parameters: Any,
    ) -> Self:
        """Draw the picture of the held-out queries of all folds of a cross-validation.

        Each query is evaluated with the estimator that was fitted without it. A query that
        several folds hold out counts in the mean once per fold; for the interval its values
        are one cluster.

        Parameters
        ----------
        cv_results : dict
            From `sklearn.model_selection.cross_validate`, with ``return_estimator=True``
            and ``return_indices=True``.
        X : array-like, sparse matrix or DataFrame of shape (n_rows, n_columns)
            The rows that were split.
        y : array-like of shape (n_rows,), default=None
            Relevance of each row. If None, 1 for each row of a recommender.
        groups : array-like of shape (n_rows,), str or int, default=None
            Query of each row, or the column of X that holds it, by name or position. If
            None, the columns that a ranker names. Not needed for a recommender, which has a
            list for each user.
        user, item : str or int, default=None
            Columns of X with the users and items of a recommender. If None, the columns
            used in its ``fit``, as in :func:`make_recommender_scorer`.
        name : str, default=None
            Name of the model in the legend. If None, the name of the estimator's class.
        **parameters : dict
            Further parameters of :meth:`from_predictions`, except ``sample_weight`` and
            ``confidence``.

        Returns
        -------
        display : PredictionDisplay
            With the picture drawn.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `cv_results` lacks estimators or indices, or as in :meth:`from_estimator`.
        """
        _figures.import_pyplot(cls.__name__)
        for by_row in parameters.keys() & {"sample_weight", "confidence"}:
            raise TypeError(
                f"{cls.__name__}.from_cv_results() got an unexpected keyword argument "
                f"{by_row!r}: folds hold out rows in another order than that of X."
            )
        drawn_rows = cls._rows_to_draw(parameters, X, y, groups, user, item)
        rows = drawn_rows.score_folds(cv_results)
        name = name_of(cv_results["estimator"][0]) if name is None else name
        return cls.from_predictions(**rows, name=name, **parameters)
