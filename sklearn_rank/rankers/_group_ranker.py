"""GroupRanker: rankers of other libraries, and pointwise estimators, for scikit-learn."""

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._validation import check_integer, check_real
from sklearn_rank.rankers._adapters import (
    check_grades_fit,
    feature_importances,
    find_group_param,
    fit_arguments,
)
from sklearn_rank.rankers._early_stopping import hold_out_queries, stop_early
from sklearn_rank.rankers._groups import GroupsMixin
from sklearn_rank.rankers._inner import (
    check_estimator_has,
    check_predicts,
    expected_grade,
    fit_first_steps,
    last_step,
    ranks_by_class,
)
from sklearn_rank.rankers._queries import (
    QueryRows,
    as_table,
    rows_by_query,
    warn_of_one_query,
)


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
    groups : str, int or None, default=None
        Name or position of the column of X that holds the query of each row. The column
        is dropped before the estimator sees X; at `predict` it may be left out.
        None: `groups` is passed to `fit`.
    group_param : str or None, default="auto"
        The parameter of the estimator's ``fit`` that takes groups. "auto" finds
        ``group_id``, ``qid``, ``groups`` or ``group``. ``group`` gets the sizes of
        queries, any other name the query of each row as a number. None: the estimator
        gets no groups.
    early_stopping_rounds : int or None, default=None
        Stop when the estimator's own metric has not improved for so many rounds on
        queries held out of `fit`. Whole queries are held out, never some rows of one. The
        estimator is not fitted again with them. For estimators of LightGBM, XGBoost and
        CatBoost, rankers or not, and (scikit-learn >= 1.7) for
        ``HistGradientBoostingRegressor`` and ``-Classifier``. None: no early stopping.
    validation_fraction : float, default=0.2
        Share of the queries held out for early stopping, between 0 and 1.
    random_state : int, RandomState instance or None, default=None
        Which queries are held out. The estimator has its own `random_state`.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator. Whatever it knows about itself, such as ``best_iteration_``,
        is there.
    feature_importances_, coef_, intercept_ : ndarray
        Those of `estimator_`, where it has them. They have no entry for the column of
        groups.
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

    ``sample_weight`` is given per row. XGBoost and CatBoost want one weight a query: there
    the rows of a query must agree.

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

    def __init__(
        self,
        estimator,
        *,
        groups=None,
        group_param="auto",
        early_stopping_rounds=None,
        validation_fraction=0.2,
        random_state=None,
    ):
        self.estimator = estimator
        self.groups = groups
        self.group_param = group_param
        self.early_stopping_rounds = early_stopping_rounds
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(self, X, y, groups=None, sample_weight=None, **fit_params):
        """Fit the estimator to rows in any order.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_rows, n_features)
            Rows, pandas and polars frames included. The estimator gets the same type.
        y : array-like of shape (n_rows,)
            Grades; higher is better.
        groups : array-like of shape (n_rows,), default=None
            The query of each row: numbers, strings, tuples, categories. None: the column
            of X that the parameter `groups` names.
        sample_weight : array-like of shape (n_rows,), default=None
            A weight a row. With metadata routing it must be asked for with
            ``set_fit_request(sample_weight=True)``.
        **fit_params : dict
            More arguments for the `fit` of the estimator (of the last step of a pipeline).
            Those with a value a row are sorted as the rows are. With metadata routing
            the estimator must ask for them.

        Returns
        -------
        self : GroupRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            If groups are missing, in number not those of X, or only one query is there to
            hold some out; if a value of y is missing, or not a grade for the
            library; if weights differ within a query where the library wants one a query.
        TypeError
            If `estimator` is no instance with `fit` and `predict`.

        Warns
        -----
        UserWarning
            If all rows are of one query and the estimator ranks within queries.
        """
        stopping = self._check_parameters()
        owner = type(self).__name__
        X = as_table(X, owner=owner)
        groups = self._find_groups(X, groups, self.groups)
        extra = self._params_of_estimator(fit_params)
        features = self._learn_columns(X)
        rows = rows_by_query(features, y, groups, sample_weight, extra, owner=owner)
        self.estimator_ = self._fit_estimator(rows, stopping)
        return self

    def predict(self, X):
        """Return a score a row; within a query, higher is better.

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
        if ranks_by_class(self.estimator_):
            return expected_grade(self.estimator_, features)
        return np.ravel(self.estimator_.predict(features))

    @property
    def feature_importances_(self):
        """Importances of the features without the column of groups."""
        return feature_importances(self._fitted_estimator())

    @property
    def coef_(self):
        """Coefficients of a linear estimator."""
        return self._fitted_estimator().coef_

    @property
    def intercept_(self):
        """Intercept of a linear estimator."""
        return self._fitted_estimator().intercept_

    def get_metadata_routing(self):
        """Return which metadata the ranker and its estimator ask for.

        Returns
        -------
        routing : MetadataRouter
            `groups` for `fit` and `score` by default.
        """
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=last_step(self.estimator), method_mapping=to_fit)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator)
            tags.input_tags.sparse = inner.input_tags.sparse
            tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def _check_parameters(self) -> tuple[int, float] | None:
        """Return the rounds and the share of the queries of early stopping, if any."""
        check_estimator_has(self.estimator, ("fit", "predict"))
        rounds = check_integer(
            "early_stopping_rounds",
            self.early_stopping_rounds,
            none="no early stopping",
        )
        if rounds is None:
            return None
        share = "a share of the queries between 0 and 1"
        fraction = self.validation_fraction
        return rounds, check_real("validation_fraction", fraction, share, above=0, below=1)

    def _params_of_estimator(self, fit_params: dict[str, Any]) -> dict[str, Any]:
        if get_config()["enable_metadata_routing"]:
            fit_params = process_routing(self, "fit", **fit_params).estimator.fit
        given = {"eval_set", "eval_X", "X_val"} & set(fit_params)
        if given and self.early_stopping_rounds is not None:
            raise ValueError(
                f"`{given.pop()}` was passed, but early_stopping_rounds="
                f"{self.early_stopping_rounds} holds out queries by itself; leave out one."
            )
        return fit_params

    def _fit_estimator(self, rows: QueryRows, stopping: tuple[int, float] | None) -> Any:
        estimator = clone(self.estimator)
        last = last_step(estimator)
        group_param = find_group_param(last, self.group_param)
        if group_param is not None:
            check_grades_fit(last, rows.y)
            warn_of_one_query(rows)
        train, validation = rows, None
        if stopping is not None:
            rounds, fraction = stopping
            train, validation = hold_out_queries(rows, fraction, self.random_state)
        train, validation = fit_first_steps(estimator, train, validation)
        arguments = fit_arguments(last, group_param, train)
        if validation is not None:
            arguments |= stop_early(last, group_param, validation, rounds)
        last.fit(train.X, train.y, **arguments)
        check_predicts(last)
        if ranks_by_class(estimator):
            # Now, not at the first prediction: can it rank these grades?
            expected_grade(estimator, rows.take(np.array([0])).X)
        return estimator

    def _fitted_estimator(self) -> Any:
        check_is_fitted(self)
        return self.estimator_
