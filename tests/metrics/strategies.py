"""Small ragged queries: many ties, rows not retrieved, grades and labels of all kinds."""

from dataclasses import dataclass
from datetime import date, timedelta
from math import inf, nan

import numpy as np
from hypothesis import strategies as st

BINARY = st.sampled_from([0, 1])
GRADED = st.sampled_from([0, 0, 1, 2, 3])
FLOATS = st.sampled_from([0.0, 0.0, 0.25, 1.0, 1.5, 3.0])
JUDGED_OR_NOT = st.sampled_from([0, 1, 2, None])
GRADES = st.sampled_from([BINARY, GRADED, FLOATS])

# Few distinct values, so that most queries have ties; 0.1 + 0.2 is not 0.3.
SCORES = st.sampled_from([-inf, -2.0, 0.0, 0.3, 0.1 + 0.2, 7.0, 1e300])

LABELS = {
    "int": lambda n: 3 - n,
    "str": lambda n: f"query {n}",
    "float": lambda n: n / 2,
    "date": lambda n: date(2024, 1, 1) + timedelta(days=n),
    "tuple": lambda n: ("fold", n),
}


@dataclass(frozen=True)
class QueryData:
    """Queries as lists of rows (grade, score), and the same rows as shuffled arrays."""

    queries: dict
    y_true: np.ndarray
    y_score: np.ndarray
    groups: list

    @property
    def flat(self) -> dict:
        return {"y_true": self.y_true, "y_score": self.y_score, "groups": self.groups}

    def in_label_order(self) -> list:
        """Return each query as (grades, scores), in the order of sorted labels."""
        rows_of_each = [self.queries[label] for label in sorted(self.queries)]
        return [tuple(zip(*rows, strict=True)) for rows in rows_of_each]


def as_query_data(labeled_rows) -> QueryData:
    """Return rows (label, (grade, score)) in this order as QueryData."""
    queries: dict = {}
    for label, row in labeled_rows:
        queries.setdefault(label, []).append(row)
    grades = [grade for _, (grade, _) in labeled_rows]
    return QueryData(
        queries,
        np.array([nan if grade is None else float(grade) for grade in grades]),
        np.array([score for _, (_, score) in labeled_rows]),
        [label for label, _ in labeled_rows],
    )


@st.composite
def query_data(draw, grades=GRADES, max_queries=4, max_rows=6) -> QueryData:
    """Draw up to `max_queries` queries of 1 to `max_rows` rows, rows in any order."""
    grade = draw(grades)
    label = LABELS[draw(st.sampled_from(sorted(LABELS)))]
    row = st.tuples(grade, SCORES)
    query = st.lists(row, min_size=1, max_size=max_rows)
    queries = draw(st.lists(query, min_size=1, max_size=max_queries))
    rows = [(label(number), row) for number, rows in enumerate(queries) for row in rows]
    return as_query_data(draw(st.permutations(rows)))
