"""Judgments by subtopic: several lines of a TREC file for one document of a query."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sklearn_rank._text._wording import shorten


@dataclass(frozen=True, eq=False)
class BySubtopic:
    """The lines of judgments as codes, and the labels of these."""

    query: np.ndarray
    document: np.ndarray
    relevance: np.ndarray
    subtopic: np.ndarray
    subtopics: list[str]
    queries: list[bytes]
    labels: list[str]  # of documents

    def __post_init__(self) -> None:
        keys = np.stack([self._pairs()[1], self.subtopic])
        unique, first, count = np.unique(
            keys, axis=1, return_index=True, return_counts=True
        )
        if unique.shape[1] < keys.shape[1]:
            line = int(first[np.argmax(count > 1)])
            raise ValueError(
                "`qrels` judges document "
                f"{shorten(self.labels[self.document[line]])} of query "
                f"{shorten(self.queries[self.query[line]].decode())} more than once for "
                f"subtopic {shorten(self.subtopics[self.subtopic[line]])}; leave "
                "one line of each."
            )

    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the first line of each document of a query, and which one a line is of."""
        key = self.query * max(len(self.labels), 1) + self.document
        _, first, pair = np.unique(key, return_index=True, return_inverse=True)
        return first, pair

    def documents(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the lines with each document of a query once, and no subtopic.

        Its number, from 1, stands in place of the grade.
        """
        first, _ = self._pairs()
        number = np.arange(1.0, len(first) + 1)
        return self.query[first], self.document[first], number, self.subtopic[:0]

    def of_rows(self, number: np.ndarray) -> sparse.csr_array:
        """Return the relevance of rows to subtopics, from the number of each row."""
        first, pair = self._pairs()
        row_of = np.full(len(first), -1)
        judged = np.flatnonzero(number > 0)
        row_of[number[judged].astype(np.intp) - 1] = judged
        lines = np.flatnonzero(self.relevance > 0)
        cells = (row_of[pair[lines]], self.subtopic[lines])
        shape = (len(number), len(self.subtopics))
        return sparse.csr_array((self.relevance[lines], cells), shape=shape)
