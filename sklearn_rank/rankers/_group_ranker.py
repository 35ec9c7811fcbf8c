"""GroupRanker: rankers of other libraries, and pointwise estimators, for scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._sklearn import (
    BaseEstimator,
    MetaEstimatorMixin,
    fit_task,
    with_callbacks,
)
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._columns import take_rows
from sklearn_rank.rankers._boosting_metric import Stopping, read_stopping
from sklearn_rank.rankers._groups import GroupsMixin, check_labels, check_rows, read_groups
from sklearn_rank.rankers._inner_estimator import (
    check_estimator,
    expected_grade,
    fit_first_steps,
    has_first_steps,
    last_step,
)
from sklearn_rank.rankers._libraries import (
    Learner,
    add_position_callback,
    feature_importances,
    read_positions,
)
from sklearn_rank.rankers._query_rows import QueryRows, as_table, rows_by_query
from sklearn_rank.rankers._stop_by_metric import Watch, fit_by_metric
from sklearn_rank.rankers._validation_queries import (
    add_groups_to_set,
    check_library_form,
    eval_set_arguments,
    has_groups,
    hold_out_queries,
    read_eval_set,
)
from sklearn_rank.typing import ArrayLike, Column, Estimator, Floats, Labels, Metric, Table


@explained
@dataclass(eq=False, repr=False)
class GroupRanker(GroupsMixin, MetaEstimatorMixin, BaseEstimator):
    """A ranker of another library, or any regressor or classifier, made tunable.

    Rows come in any order, with a query label each, and the wrapped estimator gets them in
    the form it wants: LightGBM's ``LGBMRanker`` sizes of queries, XGBoost's ``XGBRanker``
    sorted ids, CatBoost's ``CatBoostRanker`` ids that lie together. An estimator whose
    ``fit`` knows no groups is fitted to the grades themselves (pointwise ranking).

    So one object works in ``GridSearchCV``, ``cross_validate`` and every other tool that
    takes subsets of rows, with metadata routing on or, with groups in a column of X, off.

    Parameters
    ----------
    estimator : estimator
        ``LGBMRanker``, ``XGBRanker``, ``CatBoostRanker``, any regressor or classifier, or
        a ``Pipeline`` that ends in one. It is cloned, never fitted itself. A classifier
        ranks by the expected grade under its probabilities; one without
        ``predict_proba`` can rank two grades, by its decision function.
    groups : str, int, list of these or None, default=None
        Name or position of the column of X that holds the query of each row; a list where
        several columns make a query, such as ``["user", "day"]``. The column
        is dropped before the estimator sees X; at `predict` it may be left out.
        If None, `groups` is passed to `fit`.
    group_param : str or None, default="auto"
        The parameter of the estimator's ``fit`` that takes groups. "auto" finds
        ``group_id``, ``qid``, ``groups`` or ``group``. ``group`` gets the sizes of
        queries, any other name the query of each row as a number. If None, the estimator
        gets no groups.
    early_stopping_rounds : int or None, default=None
        Stop when a metric has not improved for this many rounds on
        queries held out of `fit`. Whole queries are held out, never some rows of one. The
        estimator is not fitted again with them. For estimators of LightGBM, XGBoost and
        CatBoost, rankers or not, and (scikit-learn >= 1.7) for
        ``HistGradientBoostingRegressor`` and ``-Classifier``. If None, no early stopping.
    stopping_metric : str or callable, default=None
        A metric of :mod:`sklearn_rank.metrics` that decides when to stop, such as
        ``"map@10"``: its mean over the held-out queries for which it is defined. For
        estimators of LightGBM, XGBoost and CatBoost. CatBoost gives the groups to no
        metric, so it grows all its trees and is cut back to where it would have stopped.
        If None, the estimator's own metric.
    validation_fraction : float, splitter or array-like of bool, default=0.2
        Which queries are held out for early stopping. A share of them between 0 and 1,
        drawn at random; a splitter with one fold, such as ``TimeSplit(time="day",
        keep_together="query")`` for the latest queries; or a mask of the rows to hold
        out. Each query must be held out whole. With `eval_set` it does not count.
    random_state : int, RandomState instance or None, default=None
        Which queries are held out. The estimator has its own `random_state`.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator. Whatever it knows about itself, such as ``best_iteration_``,
        is there.
    feature_importances_, coef_, intercept_ : ndarray
        Those of `estimator_`, where it has them, in the order of the columns of X: those
        of groups have a 0.
    validation_scores_ : ndarray
        With `stopping_metric`: its value after each round.
    n_features_in_ : int
        Number of columns of X in `fit`, the column of groups among them.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of these columns, when X has names that are all strings.

    See Also
    --------
    PairwiseRanker : Ranking by any linear classifier of scikit-learn.
    sklearn_rank.metrics.make_ranking_scorer : Metrics by query for model selection.

    Notes
    -----
    Rows whose queries lie together are given to the estimator as they come, so that
    wrapping changes no number. Otherwise they are sorted by query. CatBoost's result
    depends on the order of queries, so it can differ between the two.

    ``sample_weight`` is given per row. XGBoost and CatBoost want one weight per query:
    there the rows of a query must agree.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank.rankers import GroupRanker
    >>> X = np.array([[3.0], [1.0], [2.0], [4.0], [0.0], [1.0]])
    >>> y = [2, 0, 1, 1, 0, 0]
    >>> groups = ["tea", "tea", "tea", "bread", "bread", "bread"]
    >>> ranker = GroupRanker(Ridge()).fit(X, y, groups=groups)
    >>> int(ranker.predict([[0.5], [2.5]]).argmax())
    1
    """

    estimator: Estimator
    _: KW_ONLY
    groups: Column | list[Column] | None = None
    group_param: str | None = "auto"
    early_stopping_rounds: int | None = None
    stopping_metric: Metric | None = None
    validation_fraction: float = 0.2
    random_state: int | np.random.RandomState | None = None

    estimator_: Any = field(init=False)
    validation_scores_: Floats = field(init=False)

    @with_callbacks
    def fit(
        self,
        X: Table,
        y: ArrayLike,
        groups: Labels | None = None,
        sample_weight: ArrayLike | None = None,
        eval_set: Sequence[tuple[Any, ...]] | None = None,
        position: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the estimator to rows in any order.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_rows, n_features)
            Rows, pandas and polars frames included. The estimator gets the same type.
        y : array-like of shape (n_rows,)
            Grades; higher is better.
        groups : array-like of shape (n_rows,), default=None
            The query of each row: numbers, strings, tuples, categories. If None, the column
            of X that the parameter `groups` names.
        sample_weight : array-like of shape (n_rows,), default=None
            One weight per row. With metadata routing it must be asked for with
            ``set_fit_request(sample_weight=True)``.
        eval_set : list of one tuple (X, y, groups), default=None
            Queries to evaluate, in place of some held out of X: rows with the same columns,
            their grades and their queries; (X, y) where `groups` names a column of X. They
            go through the steps of a pipeline inside, which are fitted to X alone, and
            reach the library in the form it wants.

            With `early_stopping_rounds` they decide when to stop; without it the library's
            own parameters do. What starts from scores, or weighs rows, takes those of the
            set in the words of the library, such as ``eval_init_score=[values]``.
        position : array-like of shape (n_rows,), default=None
            Where each row was shown when it was judged by clicks, a whole number: LightGBM
            learns what a position adds and leaves it out of the scores. With metadata
            routing it must be asked for with ``set_fit_request(position=True)``.
        **fit_params : dict
            More arguments for the `fit` of the estimator (of the last step of a pipeline).
            Those with one value per row are sorted as the rows are, and CatBoost's `pairs`
            number the rows as X does. With metadata routing the estimator must ask for
            them.

        Returns
        -------
        self : GroupRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            If groups are missing or not as many as the rows of X; if some queries are to be
            held out and there is only one; if each query has one row and the estimator
            ranks within queries; if a value of y is missing, or not a grade for the
            library; if weights differ within a query where the library wants one per query.

            If validation rows are empty, cut queries or have different columns, or
            `stopping_metric` is undefined for all of their queries.
        TypeError
            If `estimator` is not an instance with `fit` and `predict`.

        Warns
        -----
        MisleadingScoreWarning
            If all rows are of one query and the estimator ranks within queries. From 20
            queries on: if each query has one row, or labels from a position of X are not
            whole numbers.
        """
        check_estimator(self.estimator)
        stopping = read_stopping(self)
        owner = type(self).__name__
        check_rows(X, y, groups, sample_weight)
        if not {"group", "qid"}.isdisjoint(fit_params):
            raise TypeError(
                f"{owner} takes the query of each row as groups=: for sizes, "
                "groups=np.repeat(np.arange(len(group)), group); for qid=, groups=qid."
            )
        table = as_table(X, owner=owner)
        groups = self._find_groups(table, groups, self.groups)
        eval_set, extra = self._params_of_estimator(eval_set, fit_params)
        if position is not None:
            extra = {**extra, "position": read_positions(position, table.shape[0])}
        features = self._learn_columns(table)
        rows = rows_by_query(features, y, groups, sample_weight, extra, owner=owner)
        self._fitted_queries = rows.queries()
        with fit_task(self, table, y):
            self.estimator_ = self._fit_estimator(rows, eval_set, stopping, table, groups)
        return self

    def predict(self, X: Table) -> Floats:
        """Return one score per row; within a query, higher is better.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_rows, n_features)
            Rows of any queries, seen in `fit` or not. Groups are not needed: a column of
            groups is ignored, and may be left out.

        Returns
        -------
        scores : ndarray of shape (n_rows,)
            Scores. They compare rows of one query.
        """
        features = self._check_columns(X)
        grades = expected_grade(self.estimator_, features)
        return np.ravel(self.estimator_.predict(features)) if grades is None else grades

    @property
    def feature_importances_(self) -> Floats:
        """Importances of the columns of X, 0 for those of groups."""
        return self._fill_group_columns(feature_importances(self._fitted_estimator()))

    @property
    def coef_(self) -> Floats:
        """Coefficients of a linear estimator, 0 for columns of groups."""
        return self._fill_group_columns(self._fitted_estimator().coef_)

    @property
    def intercept_(self) -> Floats:
        """Intercept of a linear estimator."""
        return self._fitted_estimator().intercept_

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which metadata the ranker and its estimator ask for.

        Returns
        -------
        routing : MetadataRouter
            `groups` for `fit` and `score` by default.
        """
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=last_step(self.estimator), method_mapping=to_fit)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator)
            tags.input_tags.sparse = inner.input_tags.sparse
            tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def _params_of_estimator(
        self, eval_set: Any, fit_params: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Return the `eval_set` in our form, if any, and what goes to the estimator."""
        if get_config()["enable_metadata_routing"]:
            fit_params = process_routing(self, "fit", **fit_params).estimator.fit
        eval_set, fit_params = add_groups_to_set(eval_set, fit_params)
        stops = self.early_stopping_rounds is not None
        has_steps = has_first_steps(self.estimator)
        check_library_form(fit_params, stops=stops, has_steps=has_steps)
        is_ours = stops or has_steps or self.groups is not None or has_groups(eval_set)
        if eval_set is None or is_ours:
            return eval_set, fit_params
        return None, {**fit_params, "eval_set": eval_set}

    def _read_eval_set(self, eval_set: Any, rows: QueryRows) -> QueryRows:
        """Return the rows of an `eval_set`, with columns as in X."""
        X, y, groups = read_eval_set(eval_set)
        try:
            X = as_table(X, owner="`eval_set`")
            features = self._check_columns(X)
            columns = self.groups if self._has_groups(X) else None
            groups = read_groups(X, groups, columns)
            if groups is None:
                raise ValueError(
                    "it has no groups, the query of each row; pass [(X, y, groups)]."
                )
            extra = eval_set_arguments(rows)
            weight = extra.pop("sample_weight", None)
            return rows_by_query(features, y, groups, weight, extra, owner="`eval_set`")
        except ValueError as error:
            raise ValueError(f"`eval_set` cannot be used: {error}") from error

    def _split_validation(
        self, rows: QueryRows, eval_set: Any, stopping: Stopping, X: Any, groups: Any
    ) -> tuple[QueryRows, QueryRows | None]:
        """Return the rows to learn from, and those to be evaluated on, if any."""
        if eval_set is not None:
            return rows, self._read_eval_set(eval_set, rows)
        if stopping.rounds is None:
            return rows, None
        return hold_out_queries(rows, stopping.fraction, self.random_state, X, groups)

    def _fit_estimator(
        self, rows: QueryRows, eval_set: Any, stopping: Stopping, X: Any, groups: Any
    ) -> Any:
        estimator = clone(self.estimator)
        last = last_step(estimator)
        learner = Learner(last, self.group_param)
        takes_groups = learner.group_param is not None
        check_labels(rows, X, self.groups, needs_pairs=takes_groups)
        if takes_groups:
            learner.check_grades(rows.y)
            rows.warn_of_one_query()
        if "position" in rows.extra:
            learner.check_takes_positions()
        train, validation = self._split_validation(rows, eval_set, stopping, X, groups)
        if takes_groups and validation is not None:
            learner.check_grades(validation.y)
        train, validation = fit_first_steps(estimator, train, validation)
        if "position" in train.extra:
            train, validation = add_position_callback(train, validation)
        self._fit_last(learner, train, validation, stopping)
        check_estimator(last, is_fitted=True)
        # Now, not at the first prediction: can a classifier rank these grades?
        expected_grade(estimator, take_rows(rows.X, np.array([0])))
        return estimator

    def _fit_last(
        self,
        learner: Learner,
        train: QueryRows,
        validation: QueryRows | None,
        stopping: Stopping,
    ) -> None:
        self.__dict__.pop("validation_scores_", None)  # of a fit before
        if validation is not None and stopping.metric is not None:
            watch = Watch(validation, train.y, stopping)
            fit_by_metric(learner, train, watch)
            self.validation_scores_ = np.array(watch.patience.values)
            return
        arguments = learner.fit_arguments(train)
        if validation is not None:
            arguments |= learner.validation_arguments(validation, stopping.rounds)
        learner.estimator.fit(train.X, train.y, **arguments)

    def _fitted_estimator(self) -> Any:
        check_is_fitted(self)
        return self.estimator_
