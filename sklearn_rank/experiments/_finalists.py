"""The models that are judged: the best of each family, fitted on the training rows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sklearn_rank._warn import warn_caller
from sklearn_rank.experiments._data_part import DataPart
from sklearn_rank.experiments._families import Candidate
from sklearn_rank.experiments._measures import Judged, Measures
from sklearn_rank.experiments._run_candidates import threads
from sklearn_rank.experiments._search_candidates import SearchResult


def finalists_of(search: SearchResult, added: SearchResult | None) -> dict[str, Candidate]:
    """Return the best of each family, the winner first; `added` are further baselines."""
    best = search.best_of_families()
    if added is None:
        return best
    # A family with a single candidate needs no finished fold.
    families = [candidate.family.name for candidate in added.candidates]
    alone = {
        name: candidate
        for name, candidate in zip(families, added.candidates, strict=True)
        if families.count(name) == 1
    }
    others = added.best_of_families()
    return {**best, **others, **{k: v for k, v in alone.items() if k not in others}}


def fit_finalists(
    finalists: Mapping[str, Candidate],
    train: DataPart,
    measures: Measures,
    n_jobs: int | None,
    *,
    stops_at_error: bool,
) -> dict[str, Any]:
    """Return the finalists by name, fitted on the training rows.

    One that cannot be fitted there is left out with a warning.
    """
    with threads(n_jobs):
        fitted = Parallel()(
            delayed(_fitted)(candidate, train, measures, stops_at_error)
            for candidate in finalists.values()
        )
    found = {}
    for name, model in zip(finalists, fitted, strict=True):
        if isinstance(model, Exception):
            warn_caller(
                f"{name} is not evaluated: on all training rows it failed with "
                f"{type(model).__name__}: {model}."
            )
        else:
            found[name] = model
    if not found:
        raise fitted[0]
    return found


def judge_finalists(
    models: Mapping[str, Any],
    test: DataPart,
    measures: Measures,
    k: int | None,
    n_jobs: int | None,
) -> dict[str, Judged]:
    """Return what the fitted models score on the rows held out."""
    with threads(n_jobs):
        judged = Parallel()(
            delayed(measures.judge)(model, test, k) for model in models.values()
        )
    if measures.main.summary.per_query:
        # Whether a metric of the lists is defined for a query depends on the model.
        values = [one.values.scores[measures.main.name] for one in judged]
        has_value = ~np.isnan(values).all(axis=0)
        judged = [replace(one, values=one.values.of(has_value)) for one in judged]
    return dict(zip(models, judged, strict=True))


def _fitted(
    candidate: Candidate, train: DataPart, measures: Measures, stops_at_error: bool
) -> Any:
    try:
        return train.fit(candidate.make(), measures.scorer)
    except Exception as error:
        if stops_at_error:
            raise
        return error
