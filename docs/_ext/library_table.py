"""One worked input, and the number that each library gives for it."""

import warnings

import numpy as np
from definitions import list_table
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import conventions, ranking_scores
from sklearn_rank.metrics._registry import METRICS

# Three queries: grades and scores. The first has a tie of a relevant and an irrelevant row
# at ranks 2 and 3; the second is shorter than k = 5 and one of its three relevant rows was
# not retrieved; the third has no relevant row.
QUERIES = {
    "a": ([0, 2, 0, 0, 1, 0, 1, 1], [9, 8, 8, 6, 5, 4, 3, 2]),
    "b": ([0, 1, 3, 1], [3, 2, 1, -np.inf]),
    "c": ([0, 0, 0], [3, 2, 1]),
}
SHOWN = (
    "precision",
    "recall",
    "f1",
    "hit_rate",
    "r_precision",
    "mrr",
    "map",
    "ndcg",
)
K = 5


def worked_input():
    """Return y_true, y_score and groups of the three queries."""
    y_true = np.concatenate([grades for grades, _ in QUERIES.values()])
    y_score = np.concatenate([scores for _, scores in QUERIES.values()])
    groups = np.repeat(list(QUERIES), [len(grades) for grades, _ in QUERIES.values()])
    return y_true, y_score, groups


def cell(library, metric):
    """Return the number of a library, or a dash where no parameters express it."""
    theirs = conventions[library].metrics
    if metric not in theirs:
        return "–"
    has_cutoff = METRICS[metric].takes_k and "k" not in theirs[metric]
    name = f"{metric}@{K}" if has_cutoff else metric
    y_true, y_score, groups = worked_input()
    with warnings.catch_warnings():
        # Libraries that leave queries out do so in silence.
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        scores = ranking_scores(
            y_true, y_score, groups=groups, metrics=name, convention=library
        )
    return f"{scores[name]:.4f}" + ("" if has_cutoff or metric == "r_precision" else " *")


def library_table():
    """Return the table: a row a library, a column a metric."""
    heads = [f"{name}@{K}" if METRICS[name].takes_k else name for name in SHOWN]
    rows = [["library", *heads]]
    for library in conventions:
        rows.append([f"``{library}``", *(cell(library, metric) for metric in SHOWN)])
    return list_table(rows)


def library_words():
    """Return what no parameter can express, library by library."""
    lines = []
    for key, convention in conventions.items():
        title = f"``{key}``"
        undefined = convention.undefined
        lines += [title, "-" * len(title), "", convention.library + ".", ""]
        lines += [f":Ties: ``ties={convention.ties!r}``"]
        left_out = (
            "left out of the mean" if np.isnan(undefined) else f"counts {undefined:g}"
        )
        lines += [
            f":No relevant item: {left_out}",
            ":Parameters: " + _given(convention),
        ]
        lines += [f":{topic}: {words}" for topic, words in convention.words.items()]
        lines += [""]
    return "\n".join(lines)


def _given(convention):
    described = []
    for name, parameters in convention.metrics.items():
        given = ", ".join(f"{key}={_shown(value)}" for key, value in parameters.items())
        described.append(f"``{name}({given})``" if given else f"``{name}``")
    return ", ".join(described)


def _shown(value):
    return f"numpy.{value.__name__}" if isinstance(value, np.ufunc) else repr(value)
