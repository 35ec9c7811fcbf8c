"""Judgments by subtopic, as in the files of ndeval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sklearn_rank._base._label_checks import check_no_duplicates
from sklearn_rank._base._messages import shorten

if TYPE_CHECKING:
    from scipy import sparse


class DocumentEntries(NamedTuple):
    """Codes of the query and document of each line, its grade, and its subtopic."""

    query: np.ndarray
    document: np.ndarray
    number: np.ndarray
    second: np.ndarray


@dataclass(frozen=True, eq=False)
class BySubtopic:
    """The lines of judgments as codes, and which document of a query each is of."""

    lines: DocumentEntries
    first: np.ndarray  # the first line of each document of a query
    pair: np.ndarray  # of each line, the number of its document of a query
    n_subtopics: int

    @classmethod
    def read(
        cls, lines: DocumentEntries, subtopics: list, queries: np.ndarray, labels: list
    ) -> BySubtopic:
        """Find the documents; raise if one is judged twice for a subtopic."""
        key = lines.query * max(len(labels), 1) + lines.document
        _, first, pair = np.unique(key, return_index=True, return_inverse=True)
        check_no_duplicates(
            pair * max(len(subtopics), 1) + lines.second,
            lambda line: ValueError(
                f"`truth` judges document {shorten(labels[lines.document[line]])} of query "
                f"{shorten(queries[lines.query[line]])} more than once for subtopic "
                f"{shorten(subtopics[lines.second[line]])}; leave one line of each."
            ),
        )
        return cls(lines, first, pair, len(subtopics))

    def documents(self) -> DocumentEntries:
        """Return the lines with each document of a query once, and no subtopic.

        Its number, from 1, replaces the grade.
        """
        query, document, _, subtopic = (column[self.first] for column in self.lines)
        number = np.arange(1.0, len(self.first) + 1)
        return DocumentEntries(query, document, number, subtopic[:0])

    def take_rows(self, number: np.ndarray) -> sparse.csr_array:
        """Return the relevance of rows to subtopics, from the number of each row."""
        from scipy import sparse

        row_of = np.full(len(self.first), -1)
        judged = np.flatnonzero(number > 0)
        row_of[number[judged].astype(np.intp) - 1] = judged
        lines = np.flatnonzero(self.lines.number > 0)
        cells = (row_of[self.pair[lines]], self.lines.second[lines])
        shape = (len(number), self.n_subtopics)
        return sparse.csr_array((self.lines.number[lines], cells), shape=shape)
