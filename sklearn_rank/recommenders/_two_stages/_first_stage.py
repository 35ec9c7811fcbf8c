"""The first stage: candidates of several models, and their features, at a moment."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from sklearn_rank._base._ids import KnownIds
from sklearn_rank._base._validation import shorten
from sklearn_rank.inputs._coded_labels import CodedLabels
from sklearn_rank.inputs._interaction_log import InteractionLog, Log
from sklearn_rank.recommenders._pairs import Pairs
from sklearn_rank.recommenders._top_k import pair_scorer, top_k_of_scores
from sklearn_rank.recommenders._two_stages._feature_table import (
    ITEM_FEATURES,
    USER_FEATURES,
    FeatureTable,
    features_of_log,
)

ScorePairs = Callable[[Pairs], np.ndarray]


@dataclass(frozen=True, eq=False)
class CandidateRequest:
    """Users whose candidates are wanted: positions in `users_`, or their items.

    Each model weighs the items in its own way.
    """

    users: np.ndarray | None
    histories: list[sparse.csr_array] | None
    hidden: sparse.csr_array

    def take(self, batch: slice) -> "CandidateRequest":
        return CandidateRequest(
            None if self.users is None else self.users[batch],
            None if self.histories is None else [rows[batch] for rows in self.histories],
            self.hidden[batch],
        )


@dataclass(frozen=True, eq=False)
class MergedLists:
    """Merged lists of some users, one row each, and the scores of all models.

    `items` has -1 behind the last candidate of a row. From the column `n_listed` on there
    are other items that were asked for.
    """

    users: np.ndarray | None
    items: np.ndarray
    scores: np.ndarray  # models × users × columns, -inf where there is no item
    n_listed: int
    lists: list[np.ndarray]  # of each model, a row per user

    def take_rows(self, is_taken: np.ndarray) -> "MergedLists":
        """Return the lists of some users with an id, given as a mask."""
        users: Any = self.users
        cells = self.items[is_taken], self.scores[:, is_taken], self.n_listed
        lists = [items[is_taken] for items in self.lists]
        return MergedLists(users[is_taken], *cells, lists)

    def runs(self, row: np.ndarray, column: np.ndarray) -> np.ndarray:
        """Return for some cells the score of each model, NaN where its list lacks it."""
        columns, items = [], self.items[row, column]
        n_items = int(self.items.max(initial=0)) + 1
        for scores, own in zip(self.scores, self.lists, strict=True):
            of_row, rank = np.nonzero(own >= 0)
            pairs = Pairs(of_row, own[of_row, rank], len(own))
            is_listed = pairs.contains(row, items, max(n_items, own.max(initial=0) + 1))
            columns.append(np.where(is_listed, scores[row, column], np.nan))
        return np.column_stack(columns)

    def features(self, row: np.ndarray, column: np.ndarray) -> np.ndarray:
        """Return for some cells the score, rank and share of the best of each model."""
        columns = []
        for scores in self.scores:
            best = scores[:, : self.n_listed].max(axis=1, initial=-np.inf)[row]
            score = scores[row, column]
            share = np.divide(score, best, out=np.zeros(len(row)), where=best > 0)
            rank = _ranks(scores, self.n_listed)[row, column]
            columns += [score, rank, share]
        return np.column_stack(columns)


def find_candidates(
    models: list, asked: CandidateRequest, n: int, others: np.ndarray | None = None
) -> MergedLists:
    """Return the first `n` different items of the models' lists, taken in turn.

    `others` are more items to score, one row per user, -1 where a row has no item.
    """
    n_users, n_items = asked.hidden.shape
    n = min(n, n_items)
    histories = asked.histories or [None] * len(models)
    answers = [
        _ask_model(model, asked.users, history, asked.hidden, n)
        for model, history in zip(models, histories, strict=True)
    ]
    listed = _interleave_lists([items for items, _ in answers], n)
    items = listed if others is None else np.concatenate([listed, others], axis=1)
    row, column = np.nonzero(items >= 0)
    pairs = Pairs(row, items[row, column], n_users)
    scores = np.full((len(models), *items.shape), -np.inf)
    for number, (_, score) in enumerate(answers):
        scores[number, row, column] = score(pairs)
    lists = [own for own, _ in answers]
    return MergedLists(asked.users, items, scores, listed.shape[1], lists)


def _ask_model(
    model: Any, users: Any, histories: Any, hidden: sparse.csr_array, n: int
) -> tuple[np.ndarray, ScorePairs]:
    """Return the list of each user, -1 for nothing, and a function that scores pairs."""

    def score_all() -> Any:
        is_known = histories is None
        scores = model.score_users(users) if is_known else model.score_histories(histories)
        return model._check_scores(scores, hidden.indptr[1:])

    def score(pairs: Pairs) -> np.ndarray:
        if histories is None:
            return model.score_pairs(users[pairs.row], pairs.item)
        return pair_scorer(score_all())(pairs)

    if model._has_lists_of_scores() and not model._has_popularity_scores():
        scores = score_all()  # once for lists and pairs
        order, pairs = model._fitted.weights.popularity.order, Pairs.from_matrix(hidden)
        items, _ = top_k_of_scores(scores, n, order, pairs)
        return items, pair_scorer(scores)
    if histories is None:
        items, best = model.propose(users, n, hidden)
    else:
        items, best = model.propose_histories(histories, n, hidden)
    return np.where(np.isneginf(best), -1, items), score


def _interleave_lists(lists: list[np.ndarray], n: int) -> np.ndarray:
    """Return the first `n` different items of several lists per row, then -1."""
    width = max(items.shape[1] for items in lists)
    n_rows = len(lists[0])
    together = np.full((n_rows, width, len(lists)), -1)
    for number, listed in enumerate(lists):
        together[:, : listed.shape[1], number] = listed
    together = together.reshape(n_rows, -1)
    by_item = np.argsort(together, axis=1, kind="stable")
    ascending = np.take_along_axis(together, by_item, axis=1)
    is_first = ascending >= 0
    is_first[:, 1:] &= ascending[:, 1:] != ascending[:, :-1]
    stays = np.empty_like(is_first)
    np.put_along_axis(stays, by_item, is_first, axis=1)
    column = stays.cumsum(axis=1) - 1
    stays &= column < n
    row, former = np.nonzero(stays)
    items = np.full((n_rows, n), -1)
    items[row, column[row, former]] = together[row, former]
    return items


def _ranks(scores: np.ndarray, n_listed: int) -> np.ndarray:
    """Return 1 + how many of the first `n_listed` columns have a higher score."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    above: np.ndarray = np.cumsum(order < n_listed, axis=1) - (order < n_listed)
    above[:, 1:][ordered[:, 1:] == ordered[:, :-1]] = 0  # tied items share the first rank
    ranks = np.empty_like(above)
    np.put_along_axis(ranks, order, np.maximum.accumulate(above, axis=1) + 1, axis=1)
    return ranks


MODEL_FEATURES = ("score", "rank", "share")


class FeatureSources(NamedTuple):
    """Sources of features other than the scores of the models."""

    has_log: bool
    transformers: list[Any]  # objects with `fit` and `transform`
    item_tables: list[tuple[FeatureTable, np.ndarray]]  # and the code of each row's id
    user_tables: list[tuple[FeatureTable, np.ndarray]]
    window: float
    fuses: bool  # the lists of the models are all that the ranker sees


@dataclass(frozen=True, eq=False)
class FirstStage:
    """Models and features at a moment. Users and items are positions in the models' ids."""

    models: dict[str, Any]
    users: np.ndarray  # the code of each in the whole log
    items: np.ndarray
    user_places: np.ndarray  # the position of each code, -1 for later ones
    item_places: np.ndarray
    user_features: np.ndarray
    item_features: np.ndarray
    transformers: list[Any]
    names: list[str]
    fuses: bool = False

    @property
    def first_model(self) -> Any:
        return next(iter(self.models.values()))

    def features(
        self, found: MergedLists, row: np.ndarray, column: np.ndarray
    ) -> np.ndarray:
        """Return the features of some cells; NaN for features of users without an id."""
        if self.fuses:
            return found.runs(row, column)
        items = found.items[row, column]
        parts = [found.features(row, column), self.item_features[items]]
        if found.users is None:
            n_known = sum(part.shape[1] for part in parts)
            unknown = np.full((len(row), len(self.names) - n_known), np.nan)
            return np.column_stack([*parts, unknown])
        users, model = found.users[row], self.first_model
        pairs = {"user": model.users_[users], "item": model.items_[items]}
        parts.append(self.user_features[users])
        parts += [_transform(transformer, pairs) for transformer in self.transformers]
        return np.column_stack(parts)


def fit_first_stage(
    models: dict[str, Any], sources: FeatureSources, log: Log, moment: Any
) -> FirstStage:
    """Fit the models and the features to the rows of a log, which end at a moment."""
    rows = (log,) if isinstance(log, InteractionLog) else (log.table, log.y)
    fitted = {name: clone(model).fit(*rows) for name, model in models.items()}
    for name, model in fitted.items():
        _check_knows_all(name, model, log)
    first = next(iter(fitted.values()))
    users, user_places = _match_codes(first._fitted.users, log.users)
    items, item_places = _match_codes(first._fitted.items, log.items)
    local = log._replace(
        users=CodedLabels(first.users_, user_places[log.users.codes]),
        items=CodedLabels(first.items_, item_places[log.items.codes]),
    )
    of_users = [
        table._features_at(codes, len(log.users.values), moment, log.times)[users]
        for table, codes in sources.user_tables
    ]
    of_items = [
        table._features_at(codes, len(log.items.values), moment, log.times)[items]
        for table, codes in sources.item_tables
    ]
    names = [f"{model}_{kind}" for model in models for kind in MODEL_FEATURES]
    item_names = [f"item_{part}" for part in _table_feature_names(sources.item_tables)]
    user_names = [f"user_{part}" for part in _table_feature_names(sources.user_tables)]
    if sources.has_log:
        item_table, user_table = features_of_log(local, first.seen_, moment, sources.window)
        of_items, of_users = [item_table, *of_items], [user_table, *of_users]
        item_names, user_names = ITEM_FEATURES + item_names, USER_FEATURES + user_names
    transformers = [_fit_copy(source, log, moment) for source in sources.transformers]
    sample = {"user": first.users_[:1], "item": first.items_[:1]}
    names += [*item_names, *user_names]
    names += [
        name for part in transformers for name in _transformer_feature_names(part, sample)
    ]
    places = users, items, user_places, item_places
    user_features = np.column_stack([np.empty((len(users), 0)), *of_users])
    item_features = np.column_stack([np.empty((len(items), 0)), *of_items])
    features = user_features, item_features, transformers
    names = [*models] if sources.fuses else names
    return FirstStage(fitted, *places, *features, names, sources.fuses)


def _check_knows_all(name: str, model: Any, log: Log) -> None:
    wanted = len(log.compact.users.values), len(log.compact.items.values)
    if model.seen_.shape != wanted:
        raise ValueError(
            f"The candidate model {name!r} knows {model.seen_.shape[0]:,} users and "
            f"{model.seen_.shape[1]:,} items of rows with {wanted[0]:,} and {wanted[1]:,}; "
            "give it the same columns, and leave out no rows in it."
        )


def _match_codes(fitted_ids: KnownIds, ids: CodedLabels) -> tuple[np.ndarray, np.ndarray]:
    """Return the code of each id that the model knows, and the position of each code.

    The order of the model may differ if ids cannot be sorted.
    """
    present = np.flatnonzero(ids.present(slice(None)))
    position = fitted_ids.find(ids.values[present], name="ids")
    codes_of_ids, positions = np.empty_like(present), np.full(len(ids.values), -1)
    codes_of_ids[position], positions[present] = present, position
    return codes_of_ids, positions


def _table_feature_names(tables: list[tuple[FeatureTable, np.ndarray]]) -> list[str]:
    return [name for table, _ in tables for name in table.feature_names]


def _fit_copy(transformer: Any, log: Log, moment: Any) -> Any:
    """Return a copy of the transformer, fitted to the rows."""
    copied = clone(transformer, safe=False)
    return copied.fit(log.table, log.times.label(moment)) or copied


def _transform(transformer: Any, pairs: dict[str, np.ndarray]) -> np.ndarray:
    values = np.asarray(transformer.transform(pairs), dtype=np.float64)
    n_pairs = len(pairs["user"])
    if values.ndim > 2 or len(values) != n_pairs:
        raise ValueError(
            f"{shorten(transformer)}.transform must return one row per pair ({n_pairs}), "
            f"got shape {values.shape}."
        )
    return values.reshape(n_pairs, -1)


def _transformer_feature_names(
    transformer: Any, sample: dict[str, np.ndarray]
) -> list[str]:
    if hasattr(transformer, "get_feature_names_out"):
        return list(map(str, transformer.get_feature_names_out()))
    n_features = _transform(transformer, sample).shape[1]
    return [f"{type(transformer).__name__}_{number}" for number in range(n_features)]
