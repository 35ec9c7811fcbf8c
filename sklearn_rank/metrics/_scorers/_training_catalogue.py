"""The catalogue of the data that a recommender was fitted to."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from scipy import sparse

from sklearn_rank.metrics._core._catalogue import Catalogue, has_part, references_of
from sklearn_rank.metrics._core._catalogue_parts import ById, UserItems, require_ids
from sklearn_rank.metrics._core._evaluate import check_catalogue
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._scorers._protocol import training_data_of

# Parts of a fitted recommender; others are given for the scorer.
FROM_FIT = frozenset({"popularity", "counts", "n_users", "history"})

# Parts that are also parameters of make_recommender_scorer.
_OF_SCORERS = ("features", "categories", "distance")

_BY_ITEM = ("popularity", "counts", *_OF_SCORERS)


def given_to_scorer(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a catalogue given for a scorer, by id if they have ids."""
    catalogue = given.get("catalogue")
    check_catalogue([], catalogue)
    parts = {name: given[name] for name in _OF_SCORERS if name in given}
    if catalogue is not None:
        twice = [name for name in parts if has_part(catalogue, name)]
        if twice:
            raise ValueError(
                f"`{twice[0]}` is given, and `catalogue` has it too; give it once."
            )
        parts |= _parts_of(catalogue)
    for name in _OF_SCORERS:
        part = parts.get(name)
        if not (part is None or callable(part)):
            require_ids(part, name)
    return parts


def _parts_of(catalogue: Catalogue) -> dict[str, Any]:
    """Return the parts of a catalogue, each with the ids of its rows."""
    parts: dict[str, Any] = {
        name: getattr(catalogue, name) for name in _BY_ITEM if has_part(catalogue, name)
    }
    if catalogue.items is not None:
        parts = {
            name: part if callable(part) else ById(catalogue.items, part)
            for name, part in parts.items()
        }
    if catalogue.n_users is not None:
        parts["n_users"] = catalogue.n_users
    if has_part(catalogue, "history"):
        parts["history"] = _by_user(catalogue, catalogue.users, catalogue.history)
    if has_part(catalogue, "reference"):
        parts["reference"] = _by_user(catalogue, *references_of(catalogue))
    return parts


def _by_user(catalogue: Catalogue, users: Any, matrix: Any) -> dict[Any, Any]:
    """Return the ids of the items of each user."""
    if users is None or catalogue.items is None:
        raise ValueError(
            "The catalogue of a recommender scorer needs ids; give Catalogue `items` and "
            "`users`."
        )
    bounds = matrix.indptr.tolist()
    return {
        user: catalogue.items[matrix.indices[start:stop]]
        for user, start, stop in zip(users.tolist(), bounds, bounds[1:], strict=False)
    }


def catalogue_of(recommender: Any, given: dict[str, Any]) -> Catalogue | None:
    """Return the catalogue of the training data; `given` parts take precedence.

    None if there are no parts.
    """
    known: dict[str, Any] = {}
    data = training_data_of(recommender)
    if data.seen is not None:
        known = {"items": data.items}
        if "history" not in given:
            known["history"] = UserItems(
                data.users, sparse.csr_array(data.seen, dtype=float)
            )
    return Catalogue(**{**known, **given}) if known or given else None


def check_maker(wanted: Sequence[NamedMetric], given: dict[str, Any]) -> None:
    """Raise if a metric needs a part that no fitted recommender has."""
    for name, part in _missing(wanted, lambda of: of in given or of in FROM_FIT):
        own = f"`{part.of}=` or " if part.of in _OF_SCORERS else ""
        raise ValueError(
            f"Metric {name!r} needs {part.holds}, which no recommender has; give "
            f"make_recommender_scorer {own}a `catalogue=` with it."
        )


def check_fitted(
    wanted: Sequence[NamedMetric], catalogue: Catalogue | None, recommender: Any
) -> None:
    """Raise if a metric needs a part that this recommender does not have."""
    for name, part in _missing(wanted, lambda of: has_part(catalogue, of)):
        raise ValueError(
            f"Metric {name!r} needs {part.holds}, which `users_`, `items_` and `seen_` of "
            f"{type(recommender).__name__} do not give. Give make_recommender_scorer a "
            "`catalogue=` with it, such as Catalogue.from_interactions(train)."
        )


def _missing(
    wanted: Sequence[NamedMetric], is_known: Callable[[str], bool]
) -> Iterator[tuple[str, Any]]:
    """Yield the names of metrics with each part of a catalogue that they lack."""
    for named in wanted:
        for part in named.metric.parts:
            if part.is_missing(named.parameters, is_known):
                yield named.name, part
