"""One fold of any cross-validation: fit on some rows, score on others, with metadata."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter

from sklearn_rank._tables._columns import count_rows, take_rows
from sklearn_rank._values._has_rows import has_rows


class Routed(NamedTuple):
    """Which metadata go to the splitter, to `fit` and to the scorer."""

    split: Mapping[str, Any]
    fit: Mapping[str, Any]
    score: Mapping[str, Any]

    @property
    def groups(self) -> Any:
        """The query of each row, if the scorer takes it."""
        return self.score.get("groups")


def route(
    owner: str, estimator: Any, scorer: Any, cv: Any, groups: Any, params: Mapping[str, Any]
) -> Routed:
    """Return what goes where; `owner` is the function that errors name."""
    metadata = params if groups is None else {"groups": groups, **params}
    if get_config()["enable_metadata_routing"]:
        return _routed_metadata(owner, estimator, scorer, cv, metadata)
    groups = metadata.get("groups")
    fits_groups = has_fit_parameter(estimator, "groups") and groups is not None
    fit = metadata if fits_groups else params
    score = {"groups": groups} if hasattr(scorer, "groups") else {}
    return Routed({"groups": groups}, fit, score)


def _routed_metadata(
    owner: str, estimator: Any, scorer: Any, cv: Any, metadata: Mapping[str, Any]
) -> Routed:
    def to(method: str) -> MethodMapping:
        return MethodMapping().add(caller="fit", callee=method)

    router = MetadataRouter(owner=owner)
    router.add(splitter=cv, method_mapping=to("split"))
    router.add(estimator=estimator, method_mapping=to("fit"))
    router.add(scorer=scorer, method_mapping=to("score"))
    routed = process_routing(router, "fit", **metadata)
    return Routed(routed.splitter.split, routed.estimator.fit, routed.scorer.score)


def fit_on(estimator: Any, X: Any, y: Any, rows: np.ndarray, routed: Routed) -> Any:
    """Return the estimator, fitted on some rows."""
    metadata = _of_rows(routed.fit, rows, X)
    estimator.fit(take_rows(X, rows), *_target(y, rows), **metadata)
    return estimator


def score_on(
    score: Callable, estimator: Any, X: Any, y: Any, rows: np.ndarray, routed: Routed
) -> Any:
    """Return what `score`, a scorer or a method of it, finds on some rows."""
    given = {name: value for name, value in routed.score.items() if value is not None}
    metadata = _of_rows(given, rows, X)
    return score(estimator, take_rows(X, rows), *_target(y, rows), **metadata)


def _target(y: Any, rows: np.ndarray) -> tuple:
    return () if y is None else (take_rows(y, rows),)


def _of_rows(metadata: Mapping[str, Any], rows: np.ndarray, X: Any) -> dict[str, Any]:
    """Return what has a value a row for some rows only, and anything else as it is."""
    n_rows = count_rows(X, name="X")
    return {
        name: take_rows(value, rows)
        if has_rows(value) and count_rows(value, name="params") == n_rows
        else value
        for name, value in metadata.items()
    }
