"""The scores of one candidate on one fold, with an optional cache on disk."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from time import perf_counter
from typing import Any

import joblib
from sklearn.utils.validation import check_memory

from sklearn_rank.experiments._data_part import DataPart, Folds
from sklearn_rank.experiments._measures import Measures


@dataclass(frozen=True)
class FoldScore:
    """What one fit and its score found."""

    scores: dict[str, float]  # metric -> higher is better
    fit_time: float
    score_time: float


class FoldScores:
    """Fits and scores candidates on folds of a part."""

    def __init__(
        self,
        part: DataPart,
        folds: Folds,
        measures: Measures,
        memory: Any = None,
    ):
        self.part = part
        self.folds = folds
        self.measures = measures
        is_path = isinstance(memory, PathLike)
        self.memory = check_memory(fspath(memory) if is_path else memory)

    def of(self, estimator: Any, fold: int) -> FoldScore:
        """Return the scores of an estimator, which is not fitted yet, on a fold."""
        if self.memory.location is None:
            return self._run(estimator, fold)
        cached = self.memory.cache(_fold_score, ignore=["run"])
        return cached(estimator, self._key_of_data, self.folds[fold], fold, run=self._run)

    @cached_property
    def _key_of_data(self) -> str:
        """Hash of all inputs of a score except the estimator and the fold."""
        part = self.part
        return joblib.hash(
            (part.X, part.y, part.groups, part.counts, repr(self.measures.scorer))
        )

    def _run(self, estimator: Any, fold: int) -> FoldScore:
        train, test = self.folds[fold]
        start = perf_counter()
        fitted = self.part.fit(estimator, self.measures.scorer, train)
        middle = perf_counter()
        scores = self.measures.scores(fitted, self.part, test)
        return FoldScore(scores, middle - start, perf_counter() - middle)


def _fold_score(
    estimator: Any, key: str, rows: tuple, fold: int, *, run: Callable[..., FoldScore]
) -> FoldScore:
    """Return what `run` finds; the arguments but `run` are the key of the cache."""
    return run(estimator, fold)
