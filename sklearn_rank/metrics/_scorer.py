"""Scorers: metrics with the signature that scikit-learn's tools call."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

import numpy as np
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_rank._columns import check_column, column_or_metadata
from sklearn_rank._ranked_lists import TIES
from sklearn_rank._validation import check_option, check_parameters, shorten, suggest
from sklearn_rank.metrics._average import WARN, fill_value, undefined_text
from sklearn_rank.metrics._metric import Metric
from sklearn_rank.metrics._options import check_options
from sklearn_rank.metrics._registry import NamedMetric, parse_metrics
from sklearn_rank.metrics._several import mean_scores, per_query_scores

__all__ = ["RankingScorer", "make_ranking_scorer"]

RESPONSES = ("decision_function", "predict_proba", "predict")

_LABELS_ARE_METADATA = (
    "The labels themselves are metadata: pass groups=labels to fit or to the scorer."
)


def make_ranking_scorer(metric, *, groups=None, response_method=RESPONSES, **metric_params):
    """Scorer that ranks the rows of each query by what an estimator predicts.

    Higher is better: metrics for which lower is better are negated.

    Parameters
    ----------
    metric : str, callable or sequence of these
        A name such as ``"ndcg@10"``, a function of :mod:`sklearn_rank.metrics`, or several
        of them: then the scorer returns a dict of name to score, from one prediction and
        one sort (for `cross_validate`, and for searches with ``refit="ndcg@10"``).
    groups : str or int, default=None
        Column of X, by name or by position, that holds the query of each row. It is used
        where no metadata come, and so makes the scorer work in every tool, with metadata
        routing on or off. The scorer sees X as it was before a pipeline's steps.
    response_method : str or sequence of str, default=("decision_function", \
"predict_proba", "predict")
        Method of the estimator that gives the scores; of several, the first that it has
        and that gives one value a row. The `predict_proba` of a classifier ranks by the
        expected grade: the sum of class times probability.
    **metric_params : dict
        Parameters of the metrics, and ``ties``, ``replace_undefined_by``,
        ``min_relevance`` for all of them.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y, groups=None, sample_weight=None)``. With metadata routing
        it requests ``groups`` by itself. Where weights are passed, say with
        ``set_score_request(sample_weight=True)`` that they weigh queries, or with
        ``False`` that they only weigh training rows.

    Raises
    ------
    ValueError
        If a metric or a parameter is unknown; at scoring, if groups are missing.

    See Also
    --------
    make_recommender_scorer : For estimators with a `recommend` method.

    Notes
    -----
    Without metadata routing scikit-learn never hands ``groups`` to a scorer: name a column
    of X, or turn routing on. Errors inside a search become NaN scores with a warning,
    unless it runs with ``error_score="raise"``.

    Examples
    --------
    >>> from sklearn import config_context
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.metrics import make_ranking_scorer
    >>> X, y, groups = make_ranking(n_queries=50, random_state=0)
    >>> with config_context(enable_metadata_routing=True):
    ...     search = GridSearchCV(
    ...         Ridge(),
    ...         {"alpha": [0.1, 10]},
    ...         scoring=make_ranking_scorer("ndcg@10"),
    ...         cv=GroupKFold(5),
    ...     ).fit(X, y, groups=groups)
    >>> bool(search.best_score_ > 0.5)
    True
    """
    return RankingScorer(
        metric, groups=groups, response_method=response_method, **metric_params
    )


# Scorers that have warned in this process.
_HAVE_WARNED: set[str] = set()


class MetricScorer:
    """What scorers share: their metrics, and the protocol that asks for metadata."""

    def __init__(self, metric: Any, metric_params: Mapping[str, Any], **requests: Any):
        self.metric = metric
        self.metric_params = metric_params
        shared = shared_parameters(metric_params)
        self._ties = shared.get("ties", "average")
        self._replace_undefined_by = shared.get("replace_undefined_by", WARN)
        self._fill = fill_value(self._replace_undefined_by)
        self._wanted = bind_metrics(metric, metric_params, shared)
        # Without an entry for weights, a Pipeline whose last step is a search cannot be
        # scored: it hands them on even where there are none.
        self._requests = {"sample_weight": None, **requests}
        # Copies of a scorer, such as those of a search, are known by it.
        self._identity = uuid4().hex

    def _warn_of_undefined(self, undefined: Mapping[str, int]) -> None:
        """Warn of undefined queries, once in a process.

        A search scores many times. Its text is constant, but Python would still show it
        for each candidate: catch_warnings, which scikit-learn enters for each, makes
        Python forget what it has shown.
        """
        names = [name for name, count in undefined.items() if count]
        if not names or self._replace_undefined_by != WARN:
            return
        if self._identity not in _HAVE_WARNED:
            text = undefined_text(names, "some queries")
            warnings.warn(text, UndefinedMetricWarning, stacklevel=3)
            _HAVE_WARNED.add(self._identity)

    def set_score_request(self, **requests: bool | str | None) -> Any:
        """Set which metadata are routed to the scorer, as in scikit-learn's scorers.

        Parameters
        ----------
        **requests : bool, str or None
            True requests, False refuses, a str is the name under which the metadata are
            passed, and None raises an error where they are passed.

        Returns
        -------
        scorer : object
            The scorer itself.

        Raises
        ------
        RuntimeError
            If metadata routing is off.
        TypeError
            If the scorer does not take metadata of that name.
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs metadata routing; turn it on with "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        unknown = [name for name in requests if name not in self._requests]
        if unknown:
            raise TypeError(
                f"{self!r} takes no {unknown[0]!r}. {suggest(unknown[0], self._requests)}"
            )
        self._requests.update(requests)
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what is requested, for scikit-learn's routing.

        Returns
        -------
        routing : MetadataRequest
            The requests of the scorer.
        """
        request = MetadataRequest(owner=type(self).__name__)
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks scorers this. Without routing it would hand on the weights of
        # training rows, which are not the weights of queries.
        return False


class RankingScorer(MetricScorer):
    """What `make_ranking_scorer` makes."""

    def __init__(self, metric, *, groups=None, response_method=RESPONSES, **metric_params):
        super().__init__(metric, metric_params, groups=True)
        if groups is not None:
            check_column("groups", groups, instead=_LABELS_ARE_METADATA)
        _check_responses(response_method)
        self.groups = groups
        self.response_method = response_method

    def __call__(self, estimator, X, y=None, *, groups=None, sample_weight=None):
        """Return the score of the estimator, or a dict of them.

        Parameters
        ----------
        estimator : object
            A fitted estimator.
        X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_features)
            Rows to rank.
        y : array-like of shape (n_rows,)
            Relevance grades.
        groups : array-like of shape (n_rows,), default=None
            Query of each row; None takes the column of X that the scorer names.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row's query, the same for all rows of a query.

        Returns
        -------
        score : float or dict of str to float
            Higher is better.
        """
        labels = self._labels(X, y, groups)
        scores, undefined, _ = mean_scores(
            self._wanted,
            y,
            ranking_response(estimator, X, self.response_method),
            labels,
            self._ties,
            sample_weight,
            fills={named.name: self._fill for named in self._wanted},
        )
        self._warn_of_undefined(undefined)
        return signed(self._wanted, scores, single=is_single(self.metric))

    def per_query(self, estimator, X, y=None, *, groups=None):
        """Return the values of each query, of which a call of the scorer is the mean.

        Parameters
        ----------
        estimator : object
            A fitted estimator.
        X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_features)
            Rows to rank.
        y : array-like of shape (n_rows,)
            Relevance grades.
        groups : array-like of shape (n_rows,), default=None
            Query of each row; None takes the column of X that the scorer names.

        Returns
        -------
        scores : Bunch
            As :func:`per_query_scores` returns it: values are as the metric defines them,
            not negated where lower is better.
        """
        labels = self._labels(X, y, groups)
        return per_query_scores(
            y,
            ranking_response(estimator, X, self.response_method),
            groups=labels,
            metrics=self._wanted,
            ties=self._ties,
            replace_undefined_by=self._fill,
        )

    def _labels(self, X: Any, y: Any, groups: Any) -> Any:
        """Return the query of each row, or raise; rating errors and 2-D y need none."""
        check_rows(repr(self), X)
        if y is None:
            raise ValueError(f"{self!r} needs y, the relevance of each row; got None.")
        labels = column_or_metadata(
            X, groups, self.groups, name="groups", parameter="groups"
        )
        ranks = any(isinstance(named.metric, Metric) for named in self._wanted)
        if labels is None and np.ndim(y) == 1 and ranks:
            raise ValueError(
                f"{self!r} got no groups and cannot tell which rows are ranked together. "
                "Turn on metadata routing (sklearn.set_config("
                "enable_metadata_routing=True)) and pass groups to fit or in params, or "
                "name a column of X: make_ranking_scorer(..., groups='query')."
            )
        return labels

    def __repr__(self):
        """Return the call that makes this scorer."""
        given = {} if self.groups is None else {"groups": self.groups}
        if self.response_method != RESPONSES:
            given["response_method"] = self.response_method
        return call_of("make_ranking_scorer", self.metric, {**given, **self.metric_params})


def shared_parameters(metric_params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that all metrics have."""
    shared = ("ties", "replace_undefined_by")
    if "ties" in metric_params:
        check_option("ties", metric_params["ties"], TIES)
    return {name: metric_params[name] for name in shared if name in metric_params}


def bind_metrics(
    metric: Any, metric_params: Mapping[str, Any], shared: Mapping[str, Any]
) -> list[NamedMetric]:
    """Return the metrics with their parameters; each parameter must belong to one."""
    if isinstance(metric, Mapping | Iterator):
        # A scorer is copied and printed, for which an iterator would have to start anew.
        raise TypeError(
            "`metric` must be a name, a function of sklearn_rank.metrics, or a list of "
            f"these, got {shorten(metric)}."
        )
    own = {name: value for name, value in metric_params.items() if name not in shared}
    wanted = parse_metrics(metric, **own)
    known = set().union(*(named.parameters for named in wanted))
    for name in own:
        if name not in known:
            raise ValueError(
                f"No metric in {_name_of(metric)} has a parameter {name!r}. "
                f"Valid: {sorted(known | {'ties', 'replace_undefined_by'})}."
            )
    # What a name in a string says wins, but what it wins over must be right too.
    check_parameters(own)
    for named in wanted:
        if isinstance(named.metric, Metric):
            check_options(named.metric.kernel, own)
    return wanted


def is_single(metric: Any) -> bool:
    """Return whether one metric was asked for, not a list of them."""
    return isinstance(metric, str) or callable(metric)


def signed(
    wanted: Sequence[NamedMetric], scores: Mapping[str, float], *, single: bool
) -> float | dict[str, float]:
    """Return scores of which higher is better: one number, or a dict."""
    better = {
        named.name: -scores[named.name] if named.lower_is_better else scores[named.name]
        for named in wanted
    }
    return better[wanted[0].name] if single else better


def call_of(function: str, metric: Any, parameters: Mapping[str, Any]) -> str:
    """Return the call that makes a scorer."""
    arguments = [f"{name}={value!r}" for name, value in parameters.items()]
    return f"{function}({', '.join([_name_of(metric), *arguments])})"


def _name_of(metric: Any) -> str:
    if is_single(metric):
        return getattr(metric, "__name__", None) or repr(metric)
    return "[" + ", ".join(_name_of(one) for one in metric) + "]"


def check_rows(who: str, X: Any) -> None:
    """Raise unless there are rows to score."""
    if hasattr(X, "shape"):
        shape = tuple(X.shape)
    else:
        shape = (len(X),) if hasattr(X, "__len__") else ()
    if not shape:
        raise ValueError(f"{who} needs X, a table of rows, got {shorten(X)}.")
    if shape[0] == 0:
        raise ValueError(f"{who} needs rows to score, but X has none.")


def check_no_class(estimator: Any) -> None:
    """Raise where an estimator was not made from its class."""
    if isinstance(estimator, type):
        raise TypeError(
            f"`estimator` must be a fitted estimator, got the class {estimator.__name__}."
        )


def _check_responses(response_method: Any) -> None:
    several = isinstance(response_method, list | tuple) and response_method
    methods = response_method if several else [response_method]
    if not all(isinstance(name, str) for name in methods):
        raise TypeError(
            "`response_method` must be the name of a method that gives scores, or a list "
            f"of names, such as {list(RESPONSES)}, got {shorten(response_method)}."
        )


def ranking_response(
    estimator: Any, X: Any, response_method: str | Sequence[str]
) -> np.ndarray:
    """Return one score a row from the first response method that gives one."""
    check_no_class(estimator)
    methods = [response_method] if isinstance(response_method, str) else response_method
    for name in methods:
        respond: Callable | None = getattr(estimator, name, None)
        if respond is None:
            continue
        response = np.asarray(respond(X))
        if name == "predict_proba" and is_classifier(estimator):
            return expected_grade(estimator, response)
        if response.ndim == 1 or name == methods[-1]:
            return response
    raise AttributeError(
        f"{type(estimator).__name__} has none of the methods {shorten(list(methods))} that "
        "rank; name one it has as response_method=."
    )


def expected_grade(classifier: Any, probability: np.ndarray) -> np.ndarray:
    """Return the mean grade under the predicted probabilities of the classes."""
    if probability.ndim != 2:
        raise ValueError(
            f"predict_proba gave an array of shape {probability.shape}; it must give a row "
            "of probabilities for each row of X, as a classifier of one output does."
        )
    classes = np.asarray(classifier.classes_)
    if len(classes) == 2:
        return probability[:, 1]
    try:
        return probability @ classes.astype(np.float64)
    except ValueError as error:
        raise ValueError(
            f"Classes must be grades (numbers) to rank by their mean, got {classes}."
        ) from error
