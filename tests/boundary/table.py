"""Naive calls and what becomes of them, as a table: ``python -m tests.boundary``.

Each row is a call that a person of the field types, with the outcome that it must have:
the right number, an error or a warning that says what to do.
"""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn import config_context
from sklearn.feature_selection import RFECV
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline

from sklearn_rank._cli import main
from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    make_ranking_scorer,
    make_recommender_scorer,
    mean_average_precision_score,
    ndcg_score,
    roc_auc_per_query_score,
)
from sklearn_rank.model_selection import TimeSplit, UserKFold
from sklearn_rank.rankers import GroupRanker, QueryFeatures
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
)
from sklearn_rank.statistics import fleiss_kappa_score

LOG = make_interactions(200, 80, 4_000, random_state=0, as_frame=True)
COLUMNS = {"user": "user", "item": "item"}
MATRIX = sparse.csr_array(np.random.default_rng(0).binomial(1, 0.1, (200, 50)) * 1.0)
X, Y, GROUPS = make_ranking(n_queries=60, random_state=0)
ROWS = from_item_lists({"u": {"b", "z"}}, {"u": ["a", "b", "c"]})
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


class Case(NamedTuple):
    """A call, and what must become of it."""

    number: int
    code: str
    call: Callable[[], Any]
    outcome: str  # a number, or the name of an error or a warning, or "silent"


def outcome_of(case: Case) -> str:
    """Return what becomes of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = case.call()
        except (ValueError, TypeError) as error:
            return type(error).__name__
    told = [one for one in caught if issubclass(one.category, MisleadingScoreWarning)]
    if told:
        return f"{len({str(one.message) for one in told})} warning"
    is_number = isinstance(found, float | np.floating)
    return (
        f"{found:.3f}" if is_number else str(found) if isinstance(found, str) else "silent"
    )


def _time_first() -> str:
    cv = TimeSplit(2, time="time", **COLUMNS)
    named = make_recommender_scorer("ndcg@10", **COLUMNS)
    frame = LOG[["time", "user", "item"]]
    one = cross_val_score(EASERecommender(**COLUMNS), frame, cv=cv, scoring=named)
    naive = make_recommender_scorer("ndcg@10")
    cv = TimeSplit(2, time="time")
    other = cross_val_score(EASERecommender(), frame, cv=cv, scoring=naive)
    return "as with names" if np.array_equal(one, other) else f"{one} {other}"


def _renamed() -> Any:
    names = {"time": "t_dat", "user": "customer_id", "item": "article_id"}
    return EASERecommender().fit(LOG.rename(columns=names)[list(names.values())])


def _advice_on_matrices() -> Any:
    C = MATRIX.tocoo()
    return EASERecommender().fit(np.column_stack([C.row, C.col]), C.data)


def _selected() -> Any:
    frame = pd.DataFrame(X).assign(q=GROUPS)
    frame.columns = frame.columns.astype(str)
    model = GroupRanker(Ridge(), groups="q")
    scorer = make_ranking_scorer("ndcg@10", groups="q")
    return RFECV(model, scoring=scorer, cv=GroupKFold(3)).fit(frame, Y, groups=GROUPS)


def _pipeline() -> str:
    model = make_pipeline(QueryFeatures(), GroupRanker(Ridge()))
    cv, scorer = GroupKFold(3), make_ranking_scorer("ndcg@10")
    with config_context(enable_metadata_routing=True):
        found = cross_validate(
            model,
            X,
            Y,
            cv=cv,
            scoring=scorer,
            params={"groups": GROUPS},
            error_score="raise",
        )
    # By hand, as folds differ between versions of scikit-learn: .916, .920, .920 in 1.9.
    scores = []
    for train, test in cv.split(X, Y, GROUPS):
        parts = [
            QueryFeatures().fit_transform(X[rows], groups=GROUPS[rows])
            for rows in (train, test)
        ]
        predicted = Ridge().fit(parts[0], Y[train]).predict(parts[1])
        scores.append(
            ndcg_score(
                Y[test], predicted, groups=GROUPS[test], k=10, replace_undefined_by=np.nan
            )
        )
    return "as by hand" if np.allclose(found["test_score"], scores) else "otherwise"


def _lost_zeros(shown: str) -> Any:
    truth = {f"u{i}": [f"{i:010}"] for i in range(40)}
    rows = from_item_lists(truth, {f"u{i}": [shown.format(i)] for i in range(40)})
    return ndcg_score(**rows)


def _cold(model: Any) -> Any:
    scorer = make_recommender_scorer("ndcg@10")
    return cross_val_score(model, LOG, cv=UserKFold(3), scoring=scorer, error_score="raise")


def _all_relevant(name: str, grades: np.ndarray) -> Any:
    scorers = {"map": mean_average_precision_score, "ndcg": ndcg_score}
    scores = np.arange(300.0)
    return scorers[name](grades, scores, groups=np.repeat(np.arange(50), 6))


def _no_ratings() -> Any:
    fitted = PopularityRecommender().fit(LOG)
    return make_recommender_scorer("ndcg@10", min_relevance=4)(fitted, LOG)


def _auc(**options: Any) -> float:
    return roc_auc_per_query_score(**ROWS, **options)


def _columns_turned(names: list | None) -> Any:
    truth = pd.DataFrame(np.eye(4), columns=names)
    return mean_average_precision_score(truth, truth[truth.columns[::-1]])


def _distances(sign: int) -> Any:
    lists = {f"u{i}": [("a", 0.0), ("b", sign * 1.0)] for i in range(40)}
    return ndcg_score(**from_item_lists({user: ["a"] for user in lists}, lists))


def _labels() -> float:
    rows = [np.repeat(np.arange(5), row) for row in FLEISS]
    return fleiss_kappa_score(rows)


def _output_in_input() -> str:
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder, "qrels", "test.tsv")
        part.parent.mkdir()
        part.write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
        lists = Path(folder, "lists.json")
        lists.write_text('{"1": ["a"]}')
        before = part.read_bytes()
        code = main(["evaluate", str(lists), folder, "-o", str(part)])
        same = "unchanged" if part.read_bytes() == before else "changed"
        return f"rc {code}, {same}"


def _plain_folds() -> Any:
    cv, scorer = KFold(5, shuffle=True, random_state=0), make_ranking_scorer("ndcg@10")
    with config_context(enable_metadata_routing=True):
        params = {"groups": GROUPS}
        model = GroupRanker(Ridge())
        return cross_validate(
            model, X, Y, cv=cv, scoring=scorer, params=params, error_score="raise"
        )


ONES = [1, 0] * 50
CASES = (
    Case(1, "cross_val_score(EASERecommender(), time first)", _time_first, "as with names"),
    Case(
        1, "EASERecommender().fit(t_dat, customer_id, article_id)", _renamed, "ValueError"
    ),
    Case(2, "fit(M)", lambda: EASERecommender().fit(MATRIX), "TypeError"),
    Case(
        2, "fit(M.toarray())", lambda: EASERecommender().fit(MATRIX.toarray()), "ValueError"
    ),
    Case(2, "what the error of fit(M) advises", _advice_on_matrices, "silent"),
    Case(
        3,
        "ndcg_score([1, 0] * 50, range(100), groups=range(100))",
        lambda: ndcg_score(ONES, range(100), groups=range(100), replace_undefined_by=0),
        "1 warning",
    ),
    Case(3, "RFECV of GroupRanker(Ridge(), groups='q')", _selected, "ValueError"),
    Case(4, "QueryFeatures in a pipeline, routing", _pipeline, "as by hand"),
    Case(
        5,
        "make_ranking_scorer('ndcg@10', k=3)",
        lambda: make_ranking_scorer("ndcg@10", k=3),
        "ValueError",
    ),
    Case(5, "the same, k=10", lambda: make_ranking_scorer("ndcg@10", k=10), "silent"),
    Case(6, "ids '0000000012' and '12'", lambda: _lost_zeros("{}"), "1 warning"),
    Case(6, "ids such as '12 7'", lambda: _lost_zeros("{:010} 7"), "ValueError"),
    Case(
        7, "neighbors, UserKFold(3)", lambda: _cold(ItemNeighborsRecommender()), "1 warning"
    ),
    Case(7, "popularity, UserKFold(3)", lambda: _cold(PopularityRecommender()), "silent"),
    Case(8, "auc of lists that end", _auc, "ValueError"),
    Case(
        8,
        "the same, n_items=10",
        lambda: roc_auc_per_query_score(**ROWS, n_items=10),
        "0.625",
    ),
    Case(9, "map of ones", lambda: _all_relevant("map", np.ones(300)), "1 warning"),
    Case(
        9,
        "ndcg of 1 to 5",
        lambda: _all_relevant("ndcg", np.arange(300) % 5 + 1.0),
        "0.857",
    ),
    Case(10, "min_relevance=4, no y", _no_ratings, "ValueError"),
    Case(11, "columns in two orders", lambda: _columns_turned(list("abcd")), "ValueError"),
    Case(11, "columns 0 to n - 1", lambda: _columns_turned(None), "0.361"),
    Case(12, "40 lists of distances", lambda: _distances(1), "1 warning"),
    Case(12, "the same, negated", lambda: _distances(-1), "1.000"),
    Case(13, "Fleiss's table of counts", lambda: fleiss_kappa_score(FLEISS), "ValueError"),
    Case(13, "the same as labels", _labels, "0.210"),
    Case(14, "evaluate F --values F/part1.parquet", _output_in_input, "rc 2, unchanged"),
    Case(15, "KFold(5, shuffle=True), routing", _plain_folds, "1 warning"),
)
