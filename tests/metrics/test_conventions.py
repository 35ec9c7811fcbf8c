"""Conventions of libraries that cannot be installed beside this package.

RecTools and Microsoft's recommenders need NumPy 1, LensKit PyTorch, Spark Java, and
Kaggle's mapk is a function in a page. The numbers are worked by hand from their sources;
the libraries that can be installed are compared in tests/oracles.
"""

from math import log2

import pytest

from sklearn_rank.metrics import conventions, ranking_scores
from sklearn_rank.metrics._registry import METRICS

# Ranked lists as hits in rank order, R relevant items in all, cutoff: A and B are long
# enough for the cutoff, C is not.
A, B, C = ("01010", 8, 5), ("01010", 2, 5), ("010", 3, 5)


def rows(hits, n_relevant):
    """Return flat rows: the list, then the relevant items that it misses."""
    missed = n_relevant - hits.count("1")
    y_true = [int(hit) for hit in hits] + [1] * missed
    y_score = [-float(rank) for rank in range(len(hits))] + [float("-inf")] * missed
    return {"y_true": y_true, "y_score": y_score, "groups": [0] * len(y_true)}


def score(metric, case, convention, *, cut=True):
    hits, n_relevant, k = case
    name = f"{metric}@{k}" if cut else metric
    found = ranking_scores(**rows(hits, n_relevant), metrics=name, convention=convention)
    return found[name]


@pytest.mark.parametrize(
    ("library", "expected"),
    [
        # meanAveragePrecisionAt: precSum / min(labels, k), mllib RankingMetrics.scala
        ("spark", [(1 / 2 + 2 / 4) / 5, (1 / 2 + 2 / 4) / 2, (1 / 2) / 3]),
        # apk: score / min(len(actual), k), ml_metrics/average_precision.py
        ("kaggle", [(1 / 2 + 2 / 4) / 5, (1 / 2 + 2 / 4) / 2, (1 / 2) / 3]),
        # map_at_k, python_evaluation.py
        ("recommenders", [(1 / 2 + 2 / 4) / 5, (1 / 2 + 2 / 4) / 2, (1 / 2) / 3]),
        # MAP(divide_by_k=False), metrics/ranking.py
        ("rectools", [(1 / 2 + 2 / 4) / 8, (1 / 2 + 2 / 4) / 2, (1 / 2) / 3]),
    ],
)
def test_average_precision(library, expected):
    found = [score("map", case, library) for case in (A, B, C)]
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("library", ["spark", "recommenders", "rectools"])
def test_precision_divides_by_k_and_recall_by_the_relevant(library):
    assert [score("precision", case, library) for case in (A, B, C)] == [
        2 / 5,
        2 / 5,
        1 / 5,
    ]
    found = [score("recall", case, library) for case in (A, B, C)]
    assert found == pytest.approx([2 / 8, 2 / 2, 1 / 3])


def test_lenskit_precision_divides_by_the_length_of_the_list():
    """metrics/ranking/_pr.py: of a list cut at k."""
    assert score("precision", C, "lenskit", cut=False) == pytest.approx(1 / 3)


def test_lenskit_recall_divides_by_what_is_attainable():
    """metrics/ranking/_pr.py: min(relevant, k)."""
    found = [score("recall", case, "lenskit") for case in (A, B, C)]
    assert found == pytest.approx([2 / 5, 2 / 2, 1 / 3])


def test_lenskit_leaves_two_ranks_undiscounted():
    """metrics/ranking/_dcg.py: 1 / log2(max(rank, 2))."""
    ideal = [1, 1, 1 / log2(3), 1 / log2(4), 1 / log2(5)]
    expected = [
        (1 + 1 / log2(4)) / sum(ideal),
        (1 + 1 / log2(4)) / sum(ideal[:2]),
        1 / sum(ideal[:3]),
    ]
    found = [score("ndcg", case, "lenskit") for case in (A, B, C)]
    assert found == pytest.approx(expected, rel=1e-12)


def test_lenskit_persistence():
    """metrics/ranking/_rbp.py: patience 0.85, not normalised by default."""
    assert score("rbp", C, "lenskit", cut=False) == pytest.approx(0.15 * 0.85)


@pytest.mark.parametrize("library", ["spark", "recommenders"])
def test_binary_ndcg(library):
    """Grades above 1 count as 1; the ideal list has min(R, k) relevant items."""
    ideal = [1 / log2(rank + 1) for rank in range(1, 6)]
    found = ranking_scores(
        [0, 3, 0, 1, 0],
        [5, 4, 3, 2, 1],
        groups=[0] * 5,
        metrics="ndcg@5",
        convention=library,
    )
    expected = (1 / log2(3) + 1 / log2(5)) / sum(ideal[:2])
    assert found == {"ndcg@5": pytest.approx(expected, rel=1e-12)}


@pytest.mark.parametrize("library", ["lenskit", "rectools"])
def test_hits_and_reciprocal_rank(library):
    assert [score("mrr", case, library) for case in (A, B, C)] == [1 / 2] * 3
    assert [score("hit_rate", case, library) for case in (A, B, C)] == [1.0] * 3


@pytest.mark.parametrize("library", conventions)
def test_every_entry_names_metrics_and_parameters_that_exist(library):
    convention = conventions[library]
    for name, parameters in convention.metrics.items():
        own = set(METRICS[name].parameters) | {"replace_undefined_by"}
        assert set(parameters) <= own


def test_what_is_given_wins_over_the_convention():
    data = {"y_true": [0, 2, 1], "y_score": [3, 2, 1], "groups": [0, 0, 0]}
    linear = ranking_scores(**data, metrics="ndcg(gain='linear')", convention="lightgbm")
    plain = ranking_scores(**data, metrics="ndcg")
    assert list(linear.values()) == list(plain.values())


def test_undefined_queries_count_as_they_do_there():
    data = {"y_true": [0, 1, 0, 0], "y_score": [2, 1, 2, 1], "groups": [0, 0, 1, 1]}
    assert ranking_scores(**data, metrics="map", convention="lightgbm") == {"map": 0.75}
    assert ranking_scores(**data, metrics="map", convention="trec_eval") == {"map": 0.25}
    given = ranking_scores(
        **data, metrics="map", convention="trec_eval", replace_undefined_by=1.0
    )
    assert given == {"map": 0.75}


def test_a_convention_that_does_not_know_a_metric():
    with pytest.raises(ValueError, match=r"'lightgbm'.*'err'.*'ndcg', 'map'"):
        ranking_scores([1], [1], groups=[0], metrics="err", convention="lightgbm")


def test_an_unknown_convention():
    with pytest.raises(
        ValueError, match=r"`convention` got 'trec'.*Did you mean 'trec_eval'"
    ):
        ranking_scores([1], [1], groups=[0], convention="trec")
