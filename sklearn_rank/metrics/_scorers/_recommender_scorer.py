"""Scorer for recommenders: their lists against the held-out rows."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

from sklearn_rank._base._label_checks import check_paired
from sklearn_rank._base._validation import check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._rows import Queries
from sklearn_rank.inputs._columns import check_column
from sklearn_rank.inputs._interaction_log import Log, check_no_second_y
from sklearn_rank.inputs._kept import keep
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._evaluate import (
    Evaluation,
    evaluate,
    evaluate_ranked,
    join_evaluations,
)
from sklearn_rank.metrics._core._metric import BoundMetric, bind_to_input
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._registry import check_parameters
from sklearn_rank.metrics._scorers._held_out import (
    AttainableRows,
    HeldOut,
    RevealedTargets,
    RevealingRecommender,
    TimedRows,
    match_rows,
    rank_rows,
    read_held_out,
)
from sklearn_rank.metrics._scorers._inside_estimators import (
    columns_of_log,
    find_recommender,
)
from sklearn_rank.metrics._scorers._lists_of_users import (
    ROWS,
    ListRequest,
    ListsOfUsers,
    pairs_by_user,
    read_item_sets,
)
from sklearn_rank.metrics._scorers._metric_scorer import MetricScorer, ScoreT
from sklearn_rank.metrics._scorers._ranking_scorer import check_rows
from sklearn_rank.metrics._scorers._recommender_protocol import (
    catalogue_of,
    length_of_lists,
    read_given_parts,
)
from sklearn_rank.typing import (
    ArrayLike,
    CategoriesOfItems,
    Column,
    Distances,
    Features,
    ItemSets,
    Metric,
    Metrics,
    Table,
)

# Recommended items in memory at once: 64 MB of ids.
_BATCH_CELLS = 2**23


@overload
def make_recommender_scorer(
    metric: Metric,
    *,
    user: Column | None = None,
    item: Column | None = None,
    min_relevance: MinRelevance = None,
    reveal: bool = False,
    exclude_seen: bool | None = None,
    items: ItemSets | None = None,
    exclude: ItemSets | None = None,
    features: Features | None = None,
    categories: CategoriesOfItems | None = None,
    distance: Distances | None = None,
    catalogue: Catalogue | None = None,
    **metric_params: Any,
) -> RecommenderScorer[float]: ...


@overload
def make_recommender_scorer(
    metric: Sequence[Metric] | Mapping[str, Metric],
    *,
    user: Column | None = None,
    item: Column | None = None,
    min_relevance: MinRelevance = None,
    reveal: bool = False,
    exclude_seen: bool | None = None,
    items: ItemSets | None = None,
    exclude: ItemSets | None = None,
    features: Features | None = None,
    categories: CategoriesOfItems | None = None,
    distance: Distances | None = None,
    catalogue: Catalogue | None = None,
    **metric_params: Any,
) -> RecommenderScorer[dict[str, float]]: ...


@explained
def make_recommender_scorer(
    metric: Metrics,
    *,
    user: Column | None = None,
    item: Column | None = None,
    min_relevance: MinRelevance = None,
    reveal: bool = False,
    exclude_seen: bool | None = None,
    items: ItemSets | None = None,
    exclude: ItemSets | None = None,
    features: Features | None = None,
    categories: CategoriesOfItems | None = None,
    distance: Distances | None = None,
    catalogue: Catalogue | None = None,
    **metric_params: Any,
) -> RecommenderScorer[Any]:
    """Scorer that compares the lists of a recommender with the held-out rows.

    Higher is better: metrics for which lower is better are negated. The scorer asks the
    fitted estimator for ``recommend(users, k)``, with the cutoff of the metric, for the
    users of the rows it gets. Inside pipelines and searches it finds the recommender by
    itself.

    Parameters
    ----------
    metric : str, callable or sequence of these
        A name such as ``"ndcg@10"``, a function of :mod:`sklearn_rank.metrics`, a function
        ``f(y_true, y_score)`` of one user (:func:`make_metric`), or several of them: then
        the scorer returns a dict of name to score, ``neg_`` before the name if lower is
        better. A metric without cutoff, such as a function, ranks the whole catalogue.
    user, item : str or int, default=None
        Columns of X with the user and the item of each row, by name or by position. If
        None, the columns that the recommender was fitted with. If it does not have them,
        columns named ``user`` or ``user_id`` and ``item`` or ``item_id``; for arrays the
        first two.
    min_relevance : float, default=None
        Lowest y of a row whose item is relevant. If None, any y greater than 0, or every
        row if there is no y.
    reveal : bool, default=False
        Whether to judge each relevant row by the list for what came before it, as in
        sessions: see Notes. False: one list for all rows of a user.
    exclude_seen : bool, default=None
        Whether `recommend` leaves out the items of a user in the training data. Use False
        for repeat purchases. If None, the default of the recommender.
    items : array-like of ids, mapping, frame of pairs or "rows", default=None
        Candidates: ids for all users, such as items in stock; or for each user, as a
        mapping from user to ids, or a frame with the columns `user` and `item` (an array:
        two columns).

        ``"rows"``: the items of the user's own rows in X, including rows with y = 0. Other
        items are never recommended; if they are relevant, they count as missed. If None,
        all items.
    exclude : array-like of ids, mapping or frame of pairs, default=None
        Items to leave out, for all users or for each, in the forms of `items`. A user who
        is not in it may get all items.
    features, categories, distance : mapping, Series or DataFrame, default=None
        Data about items, by id, as in :class:`Catalogue`. ``distance`` may be a function.
    catalogue : Catalogue, default=None
        For estimators without ``users_``, ``items_`` and ``seen_``. Its parts take
        precedence; others come from the estimator.
    **metric_params : dict
        Parameters of the metrics, and ``ties``, ``replace_undefined_by`` for all of them.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y=None)``.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if at scoring X lacks a column, a mapping
        `items` lacks a user, no candidate was in the training data, or `exclude` leaves
        nothing to recommend; if `user` or `item` is not the column that the recommender was
        fitted with; or with `reveal` if `items` or `exclude` are by user, the metric is of
        shown items or of all lists together, or there is no `time` or no target.
    TypeError
        At scoring, if the estimator has no `recommend`, or with `reveal` no
        `recommend_for_items`, or it has no argument for a given `exclude_seen`, `items` or
        `exclude`, or ids are of another type than those of the training data.

    Warns
    -----
    MisleadingScoreWarning
        If the relevant rows are those of fit (as with ``return_train_score=True``), most of
        them are earlier than a row of the same user in the data of fit, 5% or more repeat
        pairs of fit, which the recommender leaves out, or over half can never be hit: the
        first of these. Fewer than 20 rows or users give no warning.

        Also if no user is in the training data, so that a recommender of this package gives
        all users the popular items.

    See Also
    --------
    make_ranking_scorer : For estimators that score the rows they are given.

    Notes
    -----
    Grades are y, or 1 without y; for repeated pairs the highest grade counts. If y is a
    weight and not a grade, ``gain=numpy.sign`` makes nDCG binary. Held-out rows that repeat
    a pair of the training data can be hit only with ``exclude_seen=False``; or drop them
    with the splitter's ``seen_items="drop"``. Accuracy, fallout, mean rank and AUC rank the
    whole catalogue or all candidates, without the items that are left out.

    With ``reveal=True`` the relevant rows of a user are sorted by the recommender's column
    `time`. Each row with an earlier one is a target: the one relevant item of a list from
    `recommend_for_items`, which gets the items of all earlier rows, the oldest first,
    repeats included; rows of one moment are not earlier than each other. Training rows of
    the user are not read.

    A target that is not in the training data, or was left out as seen, is missed.

    The value of a user is the mean over targets, and weighs as many as there are: the score
    is the mean over all targets, and its standard error is by user. Users without targets
    are left out.

    The arguments of `recommend` are read from its signature. The length of lists may be
    named ``n_recommendations``, the candidates ``candidates`` (one set per call: the scorer
    then asks for one user at a time if users have their own), and the exclusions
    ``exclude_interactions``. `recommend` may return (items, scores). ``user_ids_``,
    ``item_ids_`` and ``interactions_`` work as ``users_``, ``items_`` and ``seen_``.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_rank.datasets import make_interactions
    >>> from sklearn_rank.metrics import make_recommender_scorer
    >>> from sklearn_rank.model_selection import TimeSplit
    >>> from sklearn_rank.recommenders import MatrixFactorizationRecommender
    >>> log = make_interactions(random_state=0, as_frame=True)
    >>> search = GridSearchCV(
    ...     MatrixFactorizationRecommender(),
    ...     {"weighting": ["sum", "log"]},
    ...     scoring=make_recommender_scorer("ndcg@10"),
    ...     cv=TimeSplit(time="time", seen_items="drop"),
    ... ).fit(log)
    >>> bool(0 < search.best_score_ < 1)
    True
    """
    options: dict[str, Any] = {"user": user, "item": item, "min_relevance": min_relevance}
    options |= {"reveal": reveal or None, "exclude_seen": exclude_seen}
    options |= {"items": items, "exclude": exclude, "features": features}
    options |= {"categories": categories, "distance": distance, "catalogue": catalogue}
    options = {name: value for name, value in options.items() if value is not None}
    return RecommenderScorer(metric, options, metric_params)


@explained
class RecommenderScorer(MetricScorer[ScoreT]):
    """The scorer of `make_recommender_scorer`."""

    _maker = "make_recommender_scorer"

    def __init__(
        self, metric: Metrics, given: dict[str, Any], metric_params: dict[str, Any]
    ) -> None:
        super().__init__(metric, given, metric_params)
        self.min_relevance = given.get("min_relevance")
        check_parameters({"min_relevance": self.min_relevance})
        self.user, self.item = given.get("user"), given.get("item")
        for name in ("user", "item"):
            if name in given:
                check_column(name, given[name])
        exclude_seen, items = given.get("exclude_seen"), given.get("items")
        check_option("exclude_seen", exclude_seen, (None, True, False))
        self._from_rows = isinstance(items, str) and items == ROWS
        columns = {"user": self.user, "item": self.item}
        self._request = ListRequest(
            None if exclude_seen is None else bool(exclude_seen),
            read_item_sets("items", None if self._from_rows else items, **columns),
            read_item_sets("exclude", given.get("exclude"), **columns),
        )
        self.reveal = bool(given.get("reveal"))
        check_option("reveal", given.get("reveal", False), (True, False))
        for bound in self._wanted:
            _check_supported(bound)
            if self.reveal:
                _check_revealing(bound)
        if self.reveal:
            self._check_one_set_for_all()
        self._parts = read_given_parts(given, self._wanted)

    def __call__(self, estimator: Any, X: Table, y: ArrayLike | None = None) -> ScoreT:
        """Return the score of the recommender, or a dict of them.

        Parameters
        ----------
        estimator : object
            A fitted recommender, or a pipeline or search with one.
        X : {array-like, dataframe} of shape (n_rows, n_columns)
            Held-out interactions.
        y : array-like of shape (n_rows,), default=None
            Grade of each row, 0 or more; None counts every row as relevant.

        Returns
        -------
        score : float or dict of str to float
            Higher is better.
        """
        return self._score(self._evaluate(estimator, X, y))

    def per_query(
        self, estimator: Any, X: Table, y: ArrayLike | None = None
    ) -> PerQueryScores:
        """Return the value of each user; a call of the scorer returns their mean.

        Parameters
        ----------
        estimator : object
            A fitted recommender, or a pipeline or search with one.
        X : {array-like, dataframe} of shape (n_rows, n_columns)
            Held-out interactions.
        y : array-like of shape (n_rows,), default=None
            Grade of each row, 0 or more; None counts every row as relevant.

        Returns
        -------
        scores : PerQueryScores
            As :func:`per_query_scores` returns it, users in place of queries: values as the
            metric defines them, not negated if lower is better.
        """
        return self._evaluate(estimator, X, y).per_query()

    def _evaluate(self, estimator: Any, X: Any, y: Any) -> Evaluation:
        fitted = find_recommender(estimator)
        time = kept = None
        if isinstance(X, Log):
            check_no_second_y(y)
            time = X.layout.time
            if not self._reads(X, fitted):
                X, y = X.table, X.y
        if isinstance(X, Log):
            kept, user, item = X.kept, X.layout.user, X.layout.item
        else:
            check_rows(repr(self), X)
            check_paired({"X": X, "y": y})
            user, item = self._log_columns(estimator, X, "X")
        options: dict[str, Any] = {"user": user, "item": item}
        options["min_relevance"] = self.min_relevance
        read: Any = read_held_out
        if self.reveal:
            options["time"], read = _time_of(fitted, time), RevealedTargets.from_rows
        source = keep(kept, "held_out", self.min_relevance, lambda: read(X, y, **options))
        recommender, rows = fitted, source
        if self.reveal:
            recommender, rows = RevealingRecommender(fitted, source), source.targets
        wanted = [bind_to_input(bound, rows.max_grade) for bound in self._wanted]
        request = self._request_for(estimator, X, user, item)
        lists = ListsOfUsers(recommender, rows.users, request)
        items, held_out = lists.data.items, rows
        if items is not None:
            held_out = keep(
                kept,
                "coded_rows",
                (rows, items),
                lambda: rows.with_codes(items),
                suffices=_are_same,
            )
        cutoffs: list[Any] = [bound.list_length for bound in self._wanted]
        longest = None if None in cutoffs else max(cutoffs)
        k = length_of_lists(recommender, longest, lists.data.items)
        catalogue = self._needed_catalogue(fitted)
        counts_ranks = longest is None and all(map(_needs_ranks_alone, wanted))
        parts = []
        for batch in _batches(len(held_out.users), k):
            of_batch = held_out.select_users(batch)
            ranked = rank_rows(lists, batch, of_batch) if counts_ranks else None
            if ranked is None:
                asked = lists.recommend(batch, k)
                parts.append(_evaluate_batch(wanted, asked, of_batch, catalogue))
            else:
                parts.append(evaluate_ranked(wanted, ranked, Queries(of_batch.users)))
        # After errors, such as those for ids of another type.
        timed = TimedRows.compare(fitted, X, held_out)
        self._warn_of_unattainable(lists, held_out, item_column=item, timed=timed)
        evaluation = join_evaluations(parts, Queries(held_out.users))
        return source.mean_by_user(evaluation) if self.reveal else evaluation

    def _reads(self, log: Log, fitted: Any) -> bool:
        """Return whether a log has all that is read here, from the same columns."""
        columns = log.layout
        is_own = isinstance(getattr(fitted, "_pair_positions", None), tuple)
        return (
            not (self.reveal or self._from_rows)
            and columns.suit(self)
            and is_own
            and fitted._pair_positions == columns.positions
        )

    def _check_one_set_for_all(self) -> None:
        """Raise if `items` or `exclude` are by user, who are not asked for here."""
        for name in ("items", "exclude"):
            value = getattr(self._request, name)
            by_user = isinstance(value, Mapping) or hasattr(value, "columns")
            if by_user or (name == "items" and self._from_rows):
                raise ValueError(
                    f"`reveal=True` asks for lists by items, not by user, so `{name}` must "
                    f"be ids for all, got {shorten(self._given[name])}."
                )

    def _request_for(self, estimator: Any, X: Any, user: Any, item: Any) -> ListRequest:
        """Return the options of `recommend` for the held-out rows."""
        request = self._request
        if self._from_rows:
            return replace(request, items=pairs_by_user(X, user=user, item=item))
        options: dict[str, Any] = {}
        for name in ("items", "exclude"):
            pairs = getattr(request, name)
            if hasattr(pairs, "columns"):
                user, item = self._log_columns(estimator, pairs, f"`{name}`")
                options[name] = pairs_by_user(pairs, user=user, item=item)
        return replace(request, **options)

    def _log_columns(self, estimator: Any, X: Any, name: str) -> tuple[Any, Any]:
        """Return the user and item columns of X, or of the frame called `name`."""
        owner = "make_recommender_scorer"
        own = {"owner": owner, "kind": "scorer"}
        own["otherwise"] = f'In a scorer: {owner}(..., user="customer", item="product").'
        return columns_of_log(estimator, X, self.user, self.item, name=name, **own)

    def _warn_of_unattainable(
        self, lists: ListsOfUsers, held_out: HeldOut, **counts: Any
    ) -> None:
        """Warn if all lists are the popular items, or rows are not as they should be."""
        are_judged = any(bound.metric.rows != "shown" for bound in self._wanted)
        rows = AttainableRows.compute(lists, held_out, **counts)
        for subject, text in rows.warnings(are_judged=are_judged):
            self._warn_once(subject, text)

    def _needed_catalogue(self, recommender: Any) -> Catalogue | None:
        """Return the catalogue of the training data, if a metric needs it."""
        metrics = [bound.metric for bound in self._wanted]
        if not any(metric.parts or "n_items" in metric.from_data for metric in metrics):
            return None
        return catalogue_of(recommender, self._parts, self._wanted)


def _are_same(parts: tuple, before: tuple) -> bool:
    return all(map(operator.is_, parts, before))


def _evaluate_batch(
    wanted: list[BoundMetric], lists: Any, held_out: HeldOut, catalogue: Catalogue | None
) -> Evaluation:
    """Return the evaluation of some users."""
    needs_items = any(bound.metric.columns for bound in wanted)
    rows = match_rows(held_out, lists, return_items=needs_items)
    columns = {"items": rows["items"]} if needs_items else {}
    data = (rows.y_true, rows.y_score, rows.groups, None, columns)
    return evaluate(wanted, *data, catalogue=catalogue, users=held_out.users)


def _needs_ranks_alone(bound: BoundMetric) -> bool:
    """Return whether the ranks of relevant items and the length of the list decide it."""
    metric = bound.metric
    needs_more = metric.columns or metric.parts or "n_items" in metric.from_data
    is_of_users = metric.rows == "relevant" and bound.summary.per_query
    leaves_out = bound.answered_only or bound.judged_only
    return bool(is_of_users and not needs_more and not leaves_out)


def _check_supported(bound: BoundMetric) -> None:
    """Raise for metrics that lists of recommended items cannot have."""
    if not bound.metric.ranks:
        raise ValueError(
            f"{bound.name!r} evaluates predicted ratings, not lists; name another metric, "
            f"such as 'ndcg@10', or use make_ranking_scorer({bound.name!r})."
        )
    if bound.metric.unjudged == "needed":
        raise ValueError(
            f"{bound.name!r} needs rows that were judged irrelevant, but a log of "
            "interactions has no such rows; name another metric, such as 'ndcg@10'."
        )
    missing = [c.name for c in bound.metric.columns if c.name != "items"]
    if missing:
        raise ValueError(
            f"{bound.name!r} needs `{missing[0]}` of each row, but lists of recommended "
            "items have no such column; name another metric, such as 'ndcg@10'."
        )


def _check_revealing(bound: BoundMetric) -> None:
    """Raise for metrics that have no value of single targets."""
    if bound.metric.rows == "shown" or not bound.summary.per_query:
        raise ValueError(
            f"{bound.name!r} is about the items of whole lists, but `reveal=True` judges "
            "single targets; name a metric such as 'mrr@20', or leave out `reveal`."
        )


def _time_of(recommender: Any, default: Any) -> Any:
    """Return the column of times of a recommender that takes items for users."""
    name = type(recommender).__name__
    if not hasattr(recommender, "recommend_for_items"):
        raise TypeError(
            f"`reveal=True` needs recommend_for_items(item_lists, k), which {name} does "
            "not have; leave out `reveal`."
        )
    own = getattr(recommender, "time", None)
    time = default if own is None else own
    if time is None:
        raise ValueError(
            f"`reveal=True` sorts the rows of each user by time; give {name} `time=`, the "
            "column of X with the time of each row."
        )
    return time


def _batches(n_users: int, k: int) -> Iterator[slice]:
    step = max(_BATCH_CELLS // max(k, 1), 1)
    for start in range(0, n_users, step):
        yield slice(start, start + step)
