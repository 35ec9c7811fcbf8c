"""TwoStageRecommender: candidates of several models, in the order of a learned ranker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from sklearn_rank._base._runs import ranges, row_chunks, starts_of
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_integer, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.inputs._times import Times, find_far_rows
from sklearn_rank.rankers import GroupRanker, RankFusion
from sklearn_rank.recommenders._list_maker import Proposer
from sklearn_rank.recommenders._lists import is_seen_excluded
from sklearn_rank.recommenders._log_weights import require_times
from sklearn_rank.recommenders._pair_weights import count_pairs
from sklearn_rank.recommenders._read_pairs import check_recommender, clone_with_columns
from sklearn_rank.recommenders._recommender_mixin import RecommenderMixin
from sklearn_rank.recommenders._top_k import user_chunks
from sklearn_rank.recommenders._two_stages._feature_table import FeatureTable, as_tables
from sklearn_rank.recommenders._two_stages._first_stage import (
    CandidateRequest,
    FeatureSources,
    FirstStage,
    find_candidates,
    fit_first_stage,
)
from sklearn_rank.typing import Duration, Estimator, Floats, Integers, RandomState

# Windows of time whose rows are the labels of lists made before them.


# The default length of a window, as a share of the time of the log.
DEFAULT_WINDOW_SHARE = 1 / 20


class LabeledPairs(NamedTuple):
    """Labeled pairs of lists, and the share of all positives among them."""

    features: np.ndarray
    label: np.ndarray
    row: np.ndarray  # the number of each list
    n_lists: int
    recall: float


def window_length(times: Times, label_window: Any, n_windows: int) -> float:
    """Return the length of a window; raise unless all windows fit into the log."""
    span = times.values.max().item() - times.values.min().item()
    far = find_far_rows(times)
    if label_window is not None:
        length = times.duration(label_window, name="label_window")
    else:
        length = span * DEFAULT_WINDOW_SHARE
        length = length if times.unit is None else int(length)
    written = f"`label_window={shorten(label_window)}`"
    if far is not None and far.gap > length:
        raise ValueError(
            f"{far.describe()} Windows of labels end with the newest row, so they would "
            "have only such rows. Drop or correct the late rows."
        )
    if span == 0:
        raise ValueError(
            "All rows have the same time, or there is one sample: no window of labels has "
            "rows before it. Name the column of times with `time=`, and give earlier rows."
        )
    if length <= 0:
        raise ValueError(f"{written} must be longer than 0.")
    if n_windows * length >= span or 2 * length > span:
        raise ValueError(
            f"`n_windows={n_windows}` with {written} leaves too few earlier rows to learn "
            f"from: the log goes from {times.show(times.values.min())} to "
            f"{times.show(times.values.max())}. Give fewer windows, or shorter ones."
        )
    return length


def labels_of_window(window: Log, stage: FirstStage, *, repeats: bool) -> sparse.csr_array:
    """Return the weights of items taken by users with a history, users × items.

    Only pairs that a list could have: of known items, and without `repeats` new ones.
    """
    users = stage.user_places[window.users.codes]
    items = stage.item_places[window.items.codes]
    is_known = (users >= 0) & (items >= 0)
    shape = len(stage.users), len(stage.items)
    pairs = users[is_known], items[is_known]
    taken = count_pairs(*pairs, window.weights[is_known], shape)
    if window.y is None:
        taken.data[:] = 1.0
    if not repeats:
        taken = taken - taken.multiply(stage.first_model.seen_)
    taken.eliminate_zeros()
    return taken


def label_candidates(
    stage: FirstStage, taken: sparse.csr_array, n_candidates: int, *, repeats: bool
) -> LabeledPairs:
    """Return the candidate lists that have at least one taken item."""
    users, models = np.flatnonzero(np.diff(taken.indptr)), list(stage.models.values())
    parts: list[tuple] = []
    n_lists = n_found = 0
    for batch in row_chunks(len(users), len(stage.items)):
        chunk = users[batch]
        seen = stage.first_model.seen_[chunk]
        hidden = sparse.csr_array(seen.shape, dtype=bool) if repeats else seen
        lists = find_candidates(models, CandidateRequest(chunk, None, hidden), n_candidates)
        label = _labels(taken[chunk], lists.items)
        n_found += int(np.count_nonzero(label))
        has_positive = label.any(axis=1)
        lists, label = lists.take_rows(has_positive), label[has_positive]
        row, column = np.nonzero(lists.items >= 0)
        features = stage.features(lists, row, column)
        parts.append((features, label[row, column], n_lists + row))
        n_lists += len(label)
    none = np.empty((0, len(stage.names))), np.empty(0), np.empty(0, dtype=np.intp)
    features, label, row = map(np.concatenate, zip(none, *parts, strict=True))
    return LabeledPairs(features, label, row, n_lists, n_found / max(taken.nnz, 1))


def _labels(taken: sparse.csr_array, items: np.ndarray) -> np.ndarray:
    """Return the weight of each item of the rows, 0 for items not taken."""
    dense = np.zeros((taken.shape[0], taken.shape[1] + 1))
    dense[:, :-1] = taken.toarray()
    return np.take_along_axis(dense, items, axis=1)  # -1 is the column of zeros


def sample_negatives(
    pairs: LabeledPairs, n_negatives: int, random: np.random.RandomState
) -> LabeledPairs:
    """Return the pairs with at most `n_negatives` negatives per list, drawn at random."""
    is_negative = pairs.label == 0
    negatives = np.flatnonzero(is_negative)
    row = pairs.row[negatives]
    order = np.lexsort((random.random_sample(len(negatives)), row))
    starts = starts_of(np.bincount(row, minlength=pairs.n_lists))
    is_drawn = np.arange(len(order)) - starts[row[order]] < n_negatives
    stays = ~is_negative
    stays[negatives[order[is_drawn]]] = True
    return pairs._replace(
        features=pairs.features[stays], label=pairs.label[stays], row=pairs.row[stays]
    )


# The recommender.


@explained
@dataclass(eq=False, repr=False)
class TwoStageRecommender(RecommenderMixin, BaseEstimator):
    """Let several models find candidates, and a learned ranker put them in order.

    The ranker learns from the end of the log. For each of `n_windows` windows of time the
    candidate models are fitted to the rows before it, each user with a history gets a list
    of `n_candidates`, and a candidate is relevant if the user takes it within the window.

    The ranker sees of a pair only what was known before the window: the scores of the
    models, and features of the log, of items and of users.

    Then the models are fitted again to all rows, and serve.

    Several candidate models of different kinds, one of them with a short ``half_life``,
    and several windows make most of the gain.

    Parameters
    ----------
    candidates : list of (str, recommender) tuples
        Names and models of the first stage, recommenders of this package. Their lists are
        merged in turn, and each scores every candidate. A model without ``user``,
        ``item`` and ``time`` gets those given here. Parameters are set as in pipelines:
        ``ease__regularization``; ``set_params(ease=...)`` replaces a model.
    ranker : estimator
        A ranker with ``fit(X, y, groups=...)``, such as :class:`GroupRanker` around
        ``LGBMRanker``, or any classifier or regressor, which is put into a `GroupRanker`.
        X is an array, one column per feature; groups are lists. Or a :class:`RankFusion`,
        the simplest: it fuses the lists of the models, each a run that lacks what the model
        did not propose, and reads no features. Its learned weights are those of the
        windows.
    time : int or str, default=None
        Column of X with the time of each interaction, by position or name: numbers, dates
        or datetimes. Needed.
    exclude_seen : bool, default=True
        Whether lists leave out what the user has already, those that the ranker learns
        from among them. False serves repeat purchases.
    new_users : "popularity" or recommender, default="popularity"
        What unknown users get: popular items, or the list of another recommender.
    user, item : int or str, default=None
        Columns of X with the ids of users and items, by position or name. If None, those
        named ``user`` or ``user_id`` and ``item`` or ``item_id``; for arrays the first two.
    n_candidates : int, default=100
        Length of the lists that the ranker learns from and puts in order; `k` of
        `recommend` is at most this.
    label_window : float, timedelta or str, default=None
        Length of a window: a number in the unit of `time`, or for datetimes a duration
        such as ``"14D"``. If None, a twentieth of the time that the log covers.
    n_windows : int, default=3
        Number of windows, one before the other; the newest ends with the newest row.
    n_negatives : int, default=None
        MergedLists of a list that are not taken, drawn at random for the ranker to learn
        from. If None, all of them, as always for `RankFusion`. Those that no model finds
        are never among them.
    features : sequence, default=("log",)
        Where features come from, beside the scores of the models. ``"log"``: those in the
        notes. Others are objects with ``fit(log, moment)``, which gets the rows of X up
        to a moment, and ``transform(pairs)``, which gets a dict of the arrays ``"user"``
        and ``"item"`` and returns an array with one row per pair. ``()``: none.
    user_features, item_features : FeatureTable or list of FeatureTable, default=None
        What is known of users and of items beside the log.
    random_state : int, RandomState instance or None, default=None
        Which negatives are drawn.

    Attributes
    ----------
    candidates_ : dict of str to recommender
        The candidate models, fitted to all rows.
    ranker_ : estimator
        The fitted ranker.
    feature_names_ : list of str
        Names of the columns that the ranker gets.
    candidate_recall_ : ndarray of shape (n_windows,)
        Which share of what users with a history took in a window, and could have been
        shown, is among the candidates; oldest window first. The ranker finds no more.
    n_lists_ : int
        Number of lists that the ranker has learned from: those with a relevant item.
    user_column_, item_column_ : str or int
        The columns of users and items: their names, or positions where X has no names.
    users_, items_ : ndarray
        Ids in the training data, sorted.
    seen_ : csr_array of bool, shape (n_users, n_items)
        True for the pairs of the training data.
    popularity_ : ndarray of shape (n_items,)
        Share of the users who have an item: the scores of unknown users.

    See Also
    --------
    FeatureTable : What is known of users or items.
    sklearn_rank.rankers.GroupRanker : Rankers of other libraries, and classifiers.
    sklearn_rank.rankers.RankFusion : Lists of several models as one.

    Notes
    -----
    The features of a pair of user and item:

    - of each candidate model the score, its rank among the candidates, and its share of the
      highest one;
    - of the item its number of users; of rows, which count half at an age of 0.1, 0.2, 0.7,
      2 and 7 windows; and the ages of its first and last row, in windows;
    - of the user the number of items and of visits (different times), the ages of the first
      and last row, and the mean logarithm of the number of users of the items.

    With `y` the label of a pair is the sum of its weights within the window, else 1.
    Positives that no model finds are not added, for no list shows them. Users given by
    their items have no history in the log, so their features are NaN.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_rank.datasets import make_interactions
    >>> from sklearn_rank.recommenders import (
    ...     EASERecommender, PopularityRecommender, TwoStageRecommender
    ... )
    >>> log = make_interactions(300, 100, 5000, random_state=0, as_frame=True)
    >>> model = TwoStageRecommender(
    ...     [
    ...         ("ease", EASERecommender()),
    ...         ("recent", PopularityRecommender(half_life="50D")),
    ...     ],
    ...     make_pipeline(StandardScaler(), LogisticRegression()),
    ...     time="time",
    ...     n_candidates=30,
    ... ).fit(log)
    >>> model.recommend([0, 1], k=3).shape
    (2, 3)
    >>> model.feature_names_[:3]
    ['ease_score', 'ease_rank', 'ease_share']
    """

    candidates: Sequence[tuple[str, RecommenderMixin]]
    ranker: Estimator
    weighting: Literal["binary"] = field(default="binary", init=False)
    half_life: None = field(default=None, init=False)
    reference_time: None = field(default=None, init=False)
    recency: None = field(default=None, init=False)
    _: KW_ONLY
    n_candidates: int = 100
    label_window: Duration | None = None
    n_windows: int = 3
    n_negatives: int | None = None
    features: Sequence[object] = ("log",)
    user_features: FeatureTable | Sequence[FeatureTable] | None = None
    item_features: FeatureTable | Sequence[FeatureTable] | None = None
    random_state: RandomState = None

    candidates_: dict[str, RecommenderMixin] = field(init=False)
    ranker_: Any = field(init=False)
    feature_names_: list[str] = field(init=False)
    candidate_recall_: Floats = field(init=False)
    n_lists_: int = field(init=False)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with ``deep`` those of the models and the ranker as well.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add models by name, and parameters such as
            ``ease__regularization``.

        Returns
        -------
        params : dict
            Values by name.
        """
        params = super().get_params(deep=deep)
        for name, model in _named_models(self.candidates) if deep else ():
            nested = model.get_params() if hasattr(model, "get_params") else {}
            params |= {name: model, **{f"{name}__{key}": nested[key] for key in nested}}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of the models and the ranker.

        Parameters
        ----------
        **params : dict
            Values by name, as `get_params` returns them.

        Returns
        -------
        self : object
            The recommender.
        """
        if "candidates" in params:
            self.candidates = params.pop("candidates")
        models = dict(_named_models(self.candidates))
        if replaced := {name: params.pop(name) for name in models if name in params}:
            self.candidates = [*(models | replaced).items()]
        return super().set_params(**params)

    def propose(
        self, users: Integers, k: int, hidden: sparse.csr_array
    ) -> tuple[NDArray[Any], Floats]:
        """Order the candidates. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        users : ndarray of int, shape (n_users,)
            Positions in `users_`.
        k : int
            Length of the lists that are wanted.
        hidden : csr_array of bool, shape (n_users, n_items)
            True for the items that may not be in a list.

        Returns
        -------
        items, scores : ndarray of shape (n_users, n_candidates)
            Positions in `items_`, -1 where there are fewer, and the ranker's scores.
        """
        return self._rank(CandidateRequest(users, None, hidden))

    def propose_histories(
        self, histories: sparse.csr_array, k: int, hidden: sparse.csr_array
    ) -> tuple[NDArray[Any], Floats]:
        """Order the candidates. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        histories : csr_array of shape (n_histories, n_items)
            Weights of the items each user has.
        k : int
            Length of the lists that are wanted.
        hidden : csr_array of bool, shape (n_histories, n_items)
            True for the items that may not be in a list.

        Returns
        -------
        items, scores : ndarray of shape (n_histories, n_candidates)
            As those of `propose`.
        """
        return self._rank(CandidateRequest(None, [histories] * len(self._models), hidden))

    def score_pairs(self, users: Integers, items: Integers) -> Floats:
        """Score pairs. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        users, items : ndarray of int, shape (n_pairs,)
            Positions in `users_` and in `items_`.

        Returns
        -------
        scores : ndarray of shape (n_pairs,)
            Those of the ranker, for candidates and others.
        """
        scores = np.empty(len(users))
        for chunk, rows, own in user_chunks(users, len(self.items_)):
            column = ranges(0, np.bincount(own))  # rows are in the order of their users
            more_items = np.full((len(chunk), column.max() + 1), -1)
            more_items[own, column] = items[rows]
            asked = CandidateRequest(chunk, None, self._find_hidden(chunk))
            if self._stage.fuses:
                scores[rows] = self._fuse_all(asked)[own, items[rows]]
                continue
            merged = find_candidates(self._models, asked, self.n_candidates, more_items)
            features = self._stage.features(merged, own, merged.n_listed + column)
            scores[rows] = self._predict(features, own)
        return scores

    def _fuse_all(self, asked: CandidateRequest) -> np.ndarray:
        """Return fused scores of all items; others come after the candidates."""
        listed, fused = self._rank(asked)
        row, column = np.nonzero(listed >= 0)
        lowest = np.minimum(fused.min(axis=1, where=listed >= 0, initial=0.0), 0.0)
        scores = np.tile(lowest[:, None], (1, len(self.items_)))
        scores[row, listed[row, column]] = fused[row, column]
        return scores

    def fit_interactions(self, interactions: sparse.csr_array) -> None:
        """Learn nothing. The package calls it with positions; it checks nothing.

        Parameters
        ----------
        interactions : csr_array of shape (n_users, n_items)
            Weights of the pairs.
        """

    def _proposer_for_lists(self, item_lists: Any, histories: Any) -> Proposer:
        weighed = [model._histories_of_lists(item_lists) for model in self._models]
        return lambda rows, k, hidden: self._rank(
            CandidateRequest(None, [histories[rows] for histories in weighed], hidden)
        )

    @property
    def _models(self) -> list[Any]:
        return list(self.candidates_.values())

    def _learn(self, X: Any, y: Any) -> None:
        n_windows = check_integer("n_windows", self.n_windows)
        check_integer("n_candidates", self.n_candidates)
        check_integer("n_negatives", self.n_negatives, none="all")
        repeats = not is_seen_excluded(self)
        log = super()._learn(X, y)
        log = log._replace(times=require_times(self, type(self).__name__, log))
        candidates = _check_candidates(self)
        models = {name: clone_with_columns(self, base) for name, base in candidates.items()}
        sources = self._read_sources(log, n_windows)
        newest = log.times.values.max().item()
        random = check_random_state(self.random_state)
        windows = []
        for n_left in range(n_windows, 0, -1):
            moment, end = (newest - n * sources.window for n in (n_left, n_left - 1))
            is_before = log.times.values <= moment
            is_within = ~is_before & (log.times.values <= end)
            stage = fit_first_stage(models, sources, log[is_before], moment)
            taken = labels_of_window(log[is_within], stage, repeats=repeats)
            pairs = label_candidates(stage, taken, self.n_candidates, repeats=repeats)
            if self.n_negatives is not None and not sources.fuses:
                pairs = sample_negatives(pairs, self.n_negatives, random)
            windows.append(pairs)
        self.candidate_recall_ = np.array([pairs.recall for pairs in windows])
        self.feature_names_ = stage.names
        self._fit_ranker(windows)
        self._stage: FirstStage = fit_first_stage(models, sources, log, newest)
        self.candidates_ = self._stage.models

    def _add(self, X: Any, y: Any) -> Any:
        raise NotImplementedError(
            "TwoStageRecommender cannot add rows without fitting, because its features of "
            "the log would not include them; fit again. `update` takes only `dislikes`."
        )

    def _read_sources(self, log: Log, n_windows: int) -> FeatureSources:
        fuses = isinstance(self.ranker, RankFusion)
        tables = self._find_tables("item"), self._find_tables("user")
        has_log, transformers = _read_features(self.features)
        if fuses and (any(tables) or transformers):
            raise ValueError(
                "RankFusion fuses the lists of the models and reads no features; leave out "
                "`features`, `item_features`, `user_features`, or give another ranker."
            )
        window = window_length(log.times, self.label_window, n_windows)
        has_log = has_log and not fuses
        return FeatureSources(has_log, transformers, *tables, window, fuses)

    def _find_tables(self, role: str) -> list[tuple[Any, np.ndarray]]:
        name, ids = f"{role}_features", getattr(self._fitted, f"{role}s")
        tables = as_tables(getattr(self, name), name=name)
        return [(table, table._match_ids(ids, name=name)) for table in tables]

    def _fit_ranker(self, windows: list[LabeledPairs]) -> None:
        sizes = [pairs.n_lists for pairs in windows]
        self.n_lists_ = sum(sizes)
        if not self.n_lists_:
            raise ValueError(
                "No list has a relevant item: the candidates have "
                f"{self.candidate_recall_.mean():.0%} of what users with a history took "
                f"within {len(windows)} window(s). Give a longer `label_window`, more "
                "`n_candidates`, other models, or exclude_seen=False for repeat purchases."
            )
        features, labels, rows, *_ = zip(*windows, strict=True)
        X, label = np.concatenate(features), np.concatenate(labels)
        first = np.repeat(np.cumsum([0, *sizes[:-1]]), list(map(len, rows)))
        lists = np.concatenate(rows) + first
        ranker = clone(self.ranker)
        if not has_fit_parameter(ranker, "groups"):
            ranker = GroupRanker(ranker)
        self._call_ranker(lambda: ranker.fit(X, label, groups=lists), X)
        self.ranker_ = ranker

    def _predict(self, features: np.ndarray, row: np.ndarray) -> np.ndarray:
        """Return the scores of pairs; `row` is the list of each."""
        if not len(features):
            return np.empty(0)
        groups = {"groups": row} if self._stage.fuses else {}
        return self._call_ranker(lambda: self.ranker_.predict(features, **groups), features)

    def _call_ranker(self, call: Callable[[], Any], features: np.ndarray) -> Any:
        """Call a ranker; if it refuses NaN, raise and name the missing features."""
        try:
            return call()
        except ValueError as error:
            n_missing = np.isnan(features).sum(axis=0)
            if not n_missing.any() or "NaN" not in str(error):
                raise
            worst = int(n_missing.argmax())
            raise ValueError(
                f"The ranker {shorten(self.ranker)} refuses NaN, but "
                f"{np.count_nonzero(n_missing)} feature(s) have missing values, such as "
                f"{self.feature_names_[worst]!r} for {n_missing[worst]:,} of "
                f"{len(features):,} pairs; users given by their items have none. Complete "
                "the table, put a SimpleImputer first, or use a ranker that accepts NaN."
            ) from error

    def _check_cutoff(self, k: Any) -> None:
        # Not in `propose`: a recommender that wraps this one may ask for more.
        if check_integer("k", k) > self.n_candidates:
            raise ValueError(
                f"`k` is {k}, but the ranker orders `n_candidates={self.n_candidates}`; "
                "lower `k`, also the cutoff of a metric, or fit with more candidates."
            )

    def _rank(self, asked: CandidateRequest) -> tuple[np.ndarray, np.ndarray]:
        n_users, n_items = asked.hidden.shape
        items = np.full((n_users, min(self.n_candidates, n_items)), -1)
        scores = np.full(items.shape, -np.inf)
        for batch in row_chunks(n_users, n_items):
            merged = find_candidates(self._models, asked.take(batch), self.n_candidates)
            row, column = np.nonzero(merged.items >= 0)
            items[batch] = merged.items
            features = self._stage.features(merged, row, column)
            scores[batch][row, column] = self._predict(features, row)
        return items, scores

    def _find_hidden(self, users: np.ndarray) -> Any:
        if is_seen_excluded(self):
            return self.seen_[users]
        return sparse.csr_array((len(users), len(self.items_)), dtype=bool)


def _named_models(candidates: Any) -> list[tuple[str, Any]]:
    """Return the names and models; empty if the argument has a different form."""
    try:
        return [(str(name), model) for name, model in candidates]
    except (TypeError, ValueError):
        return []


def _check_candidates(owner: TwoStageRecommender) -> dict[str, Any]:
    models = dict(_named_models(owner.candidates))
    if not models or len(models) != len(owner.candidates):
        raise ValueError(
            "`candidates` must be a list of (name, recommender) with different names, got "
            f"{shorten(owner.candidates)}."
        )
    for name, model in models.items():
        check_recommender(f"dict(candidates)[{name!r}]", model)
        if "__" in name or name in owner.get_params(deep=False):
            raise ValueError(
                f"A candidate model cannot be named {name!r}: names of parameters and "
                "double underscores are taken; choose another name."
            )
    return models


def _read_features(features: Any) -> tuple[bool, list[Any]]:
    """Return whether features of the log are wanted, and the transformers."""
    asked = () if features is None else features
    sources = [asked] if isinstance(asked, str) else list(asked)
    transformers = [raw for raw in sources if not (isinstance(raw, str) and raw == "log")]
    for part in transformers:
        if not (hasattr(part, "fit") and hasattr(part, "transform")):
            raise TypeError(
                '`features` must hold "log", or objects with fit(log, moment) and '
                f"transform(pairs), got {shorten(part)}; tables are `item_features` and "
                "`user_features`."
            )
    return len(transformers) < len(sources), transformers
