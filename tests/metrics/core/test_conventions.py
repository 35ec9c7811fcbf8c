"""Conventions of libraries that cannot be installed beside this package.

RecTools and Microsoft's recommenders need NumPy 1, LensKit and torchmetrics PyTorch, Spark
Java, and Kaggle's mapk is a function in a page. The numbers are worked by hand from their
sources; the libraries that can be installed are compared in tests/oracles.
"""

from itertools import permutations
from math import log2, nan

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import conventions, per_query_scores, ranking_scores
from tests.metrics.families.test_shown_values import CATALOGUE, ROWS
from tests.metrics.registered import ALL, METRICS

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


def judged(library):
    """Return the metrics of a library that need nothing but grades and scores."""
    return [name for name in conventions[library].metrics if name in METRICS]


# Evidently has none but metrics of what lists show.
OF_RELEVANCE = [library for library in conventions if judged(library)]


@pytest.mark.parametrize(
    ("library", "expected"),
    [
        # meanAveragePrecisionAt: precSum / min(labels, k), mllib RankingMetrics.scala
        ("spark", [(1 / 2 + 2 / 4) / 5, (1 / 2 + 2 / 4) / 2, (1 / 2) / 3]),
        # apk: score / min(len(actual), k), ml_metrics/average_precision.py
        ("kaggle", [(1 / 2 + 2 / 4) / 5, (1 / 2 + 2 / 4) / 2, (1 / 2) / 3]),
        # map_at_k, python_evaluation.py
        ("recommenders", [(1 / 2 + 2 / 4) / 5, (1 / 2 + 2 / 4) / 2, (1 / 2) / 3]),
        # .mean() over the hits that were found, functional/retrieval/average_precision.py
        ("torchmetrics", [(1 / 2 + 2 / 4) / 2, (1 / 2 + 2 / 4) / 2, 1 / 2]),
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


@pytest.mark.parametrize("library", ["lenskit", "mlflow", "llama_index"])
def test_precision_of_a_short_list_divides_by_its_length(library):
    """LensKit, metrics/ranking/_pr.py; MLflow, metrics/metric_definitions.py."""
    found = [score("precision", case, library) for case in (A, B, C)]
    assert found == pytest.approx([2 / 5, 2 / 5, 1 / 3])


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
    """metrics/ranking/_rbp.py: patience 0.85, not normalized by default."""
    assert score("rbp", C, "lenskit", cut=False) == pytest.approx(0.15 * 0.85)


@pytest.mark.parametrize("library", ["spark", "recommenders", "lenskit"])
def test_binary_ndcg(library):
    """Grades above 1 count as 1; the ideal list has min(R, k) relevant items."""
    shift = 0 if library == "lenskit" else 1
    ideal = [1 / max(1, log2(rank + shift)) for rank in range(1, 6)]
    found = ranking_scores(
        [0, 3, 0, 1, 0],
        [5, 4, 3, 2, 1],
        groups=[0] * 5,
        metrics="ndcg@5",
        convention=library,
    )
    expected = (ideal[1] + ideal[3]) / sum(ideal[:2])
    assert found == {"ndcg@5": pytest.approx(expected, rel=1e-12)}


@pytest.mark.parametrize("library", ["lenskit", "rectools"])
def test_hits_and_reciprocal_rank(library):
    assert [score("mrr", case, library) for case in (A, B, C)] == [1 / 2] * 3
    assert [score("hit_rate", case, library) for case in (A, B, C)] == [1.0] * 3


@pytest.mark.parametrize("library", conventions)
def test_every_entry_names_metrics_and_parameters_that_exist(library):
    convention = conventions[library]
    for name, parameters in convention.metrics.items():
        own = set(ALL[name].parameters) | {"replace_undefined_by", "ties"}
        ALL[name].checked({n: v for n, v in parameters.items() if n in ALL[name].checks})
        assert set(parameters) <= own
    assert convention.uncut <= set(convention.metrics)
    assert all(ALL[name].takes_k for name in convention.uncut)


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


def test_ideal_lists_of_other_libraries():
    """Of three relevant items a list of two has the second; the cutoff is 2 or 5.

    MLflow: min(R, n) ideal items. LlamaIndex, Haystack: R. RecTools: k.
    """
    case = {"y_true": [0, 1, 1, 1], "y_score": [2, 1, -np.inf, -np.inf], "groups": [0] * 4}
    weight = [1 / log2(rank + 1) for rank in range(1, 6)]
    n_ideal = {"mlflow": (2, 2), "llama_index": (3, 3), "haystack": (3, 3)}
    n_ideal |= {"rectools": (2, 5), "sentence_transformers": (2, 3)}
    for library, numbers in n_ideal.items():
        names = ["ndcg@2", "ndcg@5"]
        found = ranking_scores(**case, metrics=names, convention=library)
        expected = [weight[1] / sum(weight[:n]) for n in numbers]
        assert list(found.values()) == pytest.approx(expected, rel=1e-12), library


def test_haystack_counts_grades_and_mlflow_hits():
    case = {"y_true": [1, 3], "y_score": [2, 1], "groups": [0, 0]}
    names = ranking_scores(**case, metrics="ndcg@2", convention="mlflow")
    assert names == {"ndcg@2": 1}
    found = ranking_scores(**case, metrics="ndcg@2", convention="haystack")
    assert found == {"ndcg@2": pytest.approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)))}


# ---- ties ------------------------------------------------------------------------------

# What tied rows count for, where it is not the order of the rows.
TIES = {"sklearn": "average", "catboost": "worst", "torchmetrics": {"ndcg": "average"}}
TIED = {"y_true": [0, 0, 2, 1, 0], "y_score": [2, 1, 1, 1, 0], "groups": [0] * 5}


def untied(ties):
    """Return scores, without ties, of the orders that `ties` takes the mean of."""
    block = {"first": [(1, 2, 3)], "worst": [(1, 3, 2)], "average": permutations((1, 2, 3))}
    for order in block[ties]:
        y_score = np.array([5.0, 0, 0, 0, 1])
        y_score[list(order)] = [4, 3, 2]
        yield y_score


@pytest.mark.parametrize("library", OF_RELEVANCE)
def test_tied_rows(library):
    """All metrics of a library in one call, against each order of the tied rows."""
    names = [f"{name}@3" if METRICS[name].takes_k else name for name in judged(library)]
    found = ranking_scores(**TIED, metrics=names, convention=library)
    for name in names:
        ties = TIES.get(library, "first")
        ties = ties if isinstance(ties, str) else ties.get(name.partition("@")[0], "first")
        orders = [
            ranking_scores(**TIED | {"y_score": y_score}, metrics=name, convention=library)[
                name
            ]
            for y_score in untied(ties)
        ]
        assert found[name] == pytest.approx(np.mean(orders), rel=1e-12), name


def test_ndcg_of_torchmetrics_is_the_mean_over_ties():
    """functional/retrieval/ndcg.py: _tie_average_dcg; the others take one order."""
    rows = {"y_true": [0, 0, 1], "y_score": [2, 1, 1], "groups": [0] * 3}
    found = ranking_scores(**rows, metrics=["mrr", "ndcg"], convention="torchmetrics")
    mean_gain = (1 / log2(3) + 1 / log2(4)) / 2
    assert found == {"mrr": 1 / 3, "ndcg": pytest.approx(mean_gain, rel=1e-12)}


def test_ties_that_are_given_stand_for_all_metrics():
    found = ranking_scores(
        **TIED, metrics=["mrr", "ndcg"], convention="torchmetrics", ties="best"
    )
    best = {"y_true": [0, 2, 1, 0, 0], "y_score": [5, 4, 3, 2, 1], "groups": [0] * 5}
    assert found == ranking_scores(**best, metrics=["mrr", "ndcg"])


def test_ties_are_checked_under_a_convention():
    with pytest.raises(ValueError, match=r"`ties` got 'frist'.*Did you mean 'first'"):
        ranking_scores(**TIED, convention="torchmetrics", ties="frist")


# ---- names without a cutoff ------------------------------------------------------------

# Ranks that a name without a cutoff takes; the whole list where none is said.
RANKS = {
    ("xgboost", "ndcg"): 32,
    ("xgboost", "map"): 32,
    ("implicit", "ndcg"): 10,
    ("implicit", "map"): 10,
    ("kaggle", "map"): 10,
    ("recommenders", "precision"): 10,
    ("recommenders", "recall"): 10,
    ("recommenders", "map"): 10,
    ("recommenders", "ndcg"): 10,
    ("xgboost", "precision"): 32,
    ("sentence_transformers", "map"): 100,
    ("sentence_transformers", "mrr"): 10,
    ("sentence_transformers", "ndcg"): 10,
    ("sentence_transformers", "precision"): 10,
    ("sentence_transformers", "recall"): 10,
    ("sentence_transformers", "hit_rate"): 10,
}
# These ask for a cutoff, so there it is the one that we take.
ASKS = {"spark", "rectools", "mlflow"}


@pytest.mark.parametrize("relevant", [[3, 9, 10, 31, 32, 58], [58]])
@pytest.mark.parametrize("library", OF_RELEVANCE)
def test_a_name_without_a_cutoff(library, relevant):
    y_true = np.zeros(60)
    y_true[relevant] = 1
    rows = {"y_true": y_true, "y_score": np.arange(60, 0, -1), "groups": [0] * 60}
    for name in judged(library):
        if not METRICS[name].takes_k or (library[:9], name) == ("trec_eval", "hit_rate"):
            continue
        if conventions[library].metrics[name].get("ideal") == "k":
            continue  # without a cutoff there is none
        k = RANKS.get((library, name))
        if library in ASKS:
            k = METRICS[name].parameters["k"]
        found, given, whole = (
            ranking_scores(**rows, metrics=asked, convention=library).popitem()[1]
            for asked in (name, f"{name}(k={k})", f"{name}(k=None)")
        )
        assert found == given, name
        if relevant == [58]:
            assert (found < whole) == (k is not None and k < 60), name


def test_kaggle_takes_ten_items_where_no_cutoff_is_given():
    """mapk(actual, predicted, k=10)"""
    y_true = np.zeros(12)
    y_true[[1, 11]] = 1
    rows = {"y_true": y_true, "y_score": np.arange(12, 0, -1), "groups": [0] * 12}
    found = ranking_scores(**rows, metrics=["map", "map@12"], convention="kaggle")
    assert found == {"map": (1 / 2) / 2, "map@12": (1 / 2 + 2 / 12) / 2}


# ---- what is given ---------------------------------------------------------------------

# Two customers of three bought nothing in the week that is judged.
BOUGHT = {"y_true": [1, 0, 0, 0], "y_score": [2, 1, 1, 1], "groups": [0, 0, 1, 2]}


def test_an_explicit_nan_stands():
    found = ranking_scores(
        **BOUGHT, metrics="map@12", convention="kaggle", replace_undefined_by=nan
    )
    assert found == {"map@12": 1.0}
    assert ranking_scores(**BOUGHT, metrics="map@12", convention="kaggle") == {
        "map@12": 1 / 3
    }


def test_warn_is_the_default_that_a_convention_overrides():
    found = ranking_scores(
        **BOUGHT, metrics="map@12", convention="kaggle", replace_undefined_by="warn"
    )
    assert found == {"map@12": 1 / 3}
    with pytest.warns(UndefinedMetricWarning, match="2 of 3"):
        assert ranking_scores(**BOUGHT, metrics="map@12") == {"map@12": 1.0}


@pytest.mark.parametrize("value", [0.25, np.float64(0.25), -1, 0, 1])
def test_a_number_stands_for_every_metric(value):
    """The value that a convention has for one metric gives way, too."""
    found = ranking_scores(
        **BOUGHT,
        metrics=["ndcg@3", "map@3"],
        convention="catboost",
        replace_undefined_by=value,
    )
    expected = pytest.approx((1 + 2 * float(value)) / 3)
    assert found == {"ndcg@3": expected, "map@3": expected}


def test_an_undefined_query_may_count_differently_by_metric():
    found = ranking_scores(**BOUGHT, metrics=["ndcg@3", "map@3"], convention="catboost")
    assert found == {"ndcg@3": 1.0, "map@3": pytest.approx(1 / 3)}


# What a query without relevant rows counts as, where it is not 0.
UNDEFINED = {
    "lightgbm": 1,
    "xgboost": {"ndcg": 1, "map": 1},
    "catboost": {"ndcg": 1, "recall": 1},
    "recommenders": nan,
    "rectools": nan,
    "lenskit": nan,
    "implicit": nan,
    "llama_index": nan,
    "sentence_transformers": nan,
}
# These have a value for every query that has a row.
DEFINED = {"cg", "dcg", "fallout"}


@pytest.mark.parametrize("library", OF_RELEVANCE)
def test_a_query_without_relevant_rows(library):
    rows = {"y_true": [0, 0, 0], "y_score": [3, 2, 1], "groups": [0] * 3}
    names = [name for name in judged(library) if name not in DEFINED]
    found = ranking_scores(**rows, metrics=names, convention=library)
    expected = UNDEFINED.get(library, 0)
    if isinstance(expected, dict):
        expected = {name: expected.get(name, 0) for name in names}
    else:
        expected = dict.fromkeys(names, expected)
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("bad", ["drop", [0.0], None])
def test_what_undefined_queries_count_is_checked(bad):
    with pytest.raises((TypeError, ValueError), match="replace_undefined_by"):
        ranking_scores(**BOUGHT, convention="sklearn", replace_undefined_by=bad)


# ---- trec_eval -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ("rbp", "persistence 0.9.*before it sets them"),
        ("rbp_residual", "rbp_resid.*without an unjudged document it is 0"),
        ("err", "not in trec_eval, version 10, or not as our parameters"),
    ],
)
def test_trec_eval_says_what_differs(metric, says):
    with pytest.raises(ValueError, match=says):
        ranking_scores(**TIED, metrics=metric, convention="trec_eval_10")
    with pytest.raises(ValueError, match="not in trec_eval, version 9"):
        ranking_scores(**TIED, metrics=metric, convention="trec_eval")


def residual_of_trec_eval(judged, p=0.9):
    """m_rbp_resid.c of version 10: nothing is added unless a document is unjudged."""
    unjudged = [p**rank for rank, is_judged in enumerate(judged) if not is_judged]
    return p ** len(judged) + (1 - p) * sum(unjudged) if unjudged else 0.0


@pytest.mark.parametrize("judged", ["110", "001", "111", "0"])
def test_the_words_on_the_residual(judged):
    flags = [flag == "1" for flag in judged]
    y_true = [1.0 if flag else nan for flag in flags]
    found = per_query_scores(
        y_true,
        [-rank for rank in range(len(flags))],
        groups=[0] * len(flags),
        metrics=["rbp_residual(persistence=0.9)", "judged@4"],
    ).scores
    theirs = residual_of_trec_eval(flags)
    ours = 0.9 ** len(flags) if all(flags) else theirs
    assert found["rbp_residual(persistence=0.9)"] == pytest.approx([ours])
    unjudged_at_4 = judged.count("0") / 4  # m_unjudged.c
    assert found["judged@4"] == pytest.approx([len(flags) / 4 - unjudged_at_4])


# ---- what lists show -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "name", "expected"),
    [
        # Numbers of the libraries on this toy, but for those read in their sources.
        ("rectools", "novelty@3", 1.625),
        ("rectools", "popularity@3", 1.2083333333),
        ("rectools", "popularity(normalize='total')@3", 0.1208333333),
        ("rectools", "intra_list_distance@3", 5 / 3),
        ("rectools", "serendipity@3", 0.046875),
        ("rectools", "coverage(n_items=8)@3", 0.75),
        ("rectools", "user_coverage@3", 0.75),
        ("recommenders", "novelty", 2.3543048049),
        ("recommenders", "intra_list_distance", 0.7226310729),
        ("recommenders", "intra_list_distance(distance='cosine')", 0.4597393614),
        ("recommenders", "serendipity", 0.2824414783),
        ("recommenders", "entropy", 2.4817145730),
        ("lenskit", "popularity_percentile", 0.4),
        ("lenskit", "gini(n_items=8)", 0.3977272727),
        ("lenskit", "exposure_gini(n_items=8)", 0.4228834596),
        ("evidently", "novelty@3", 19 / 12),
    ],
)
def test_what_lists_show(library, name, expected):
    found = ranking_scores(**ROWS, catalogue=CATALOGUE, metrics=name, convention=library)
    assert found == {name: pytest.approx(expected, abs=6e-11)}


@pytest.mark.parametrize(
    ("library", "name", "why"),
    [
        ("evidently", "intra_list_distance", "by the number of items, not of pairs"),
        ("lenskit", "category_entropy", "adds 1e-6"),
        ("rectools", "unexpectedness", "1 minus ours"),
        ("recommenders", "coverage", "above 1 if other items are shown"),
    ],
)
def test_what_no_parameter_expresses(library, name, why):
    with pytest.raises(ValueError, match=why):
        ranking_scores(**ROWS, catalogue=CATALOGUE, metrics=name, convention=library)


def test_a_list_of_one_item_counts_as_it_does_there():
    rows = {"y_true": [0], "y_score": [1], "groups": ["u1"], "items": ["a"]}
    found = ranking_scores(
        **rows, catalogue=CATALOGUE, metrics="ild@3", convention="rectools"
    )
    assert found == {"ild@3": 0}


@pytest.mark.parametrize("library", ["ndeval", "pyndeval"])
def test_a_query_without_a_relevant_subtopic_counts_0_in_ndeval(library):
    rows = {"y_true": [[1, 0], [0, 1], [0, 0]], "y_score": [2, 1, 1], "groups": [0, 0, 1]}
    names = [*conventions[library].metrics]
    found = ranking_scores(**rows, metrics=names, convention=library)
    alone = {name: rows[name][:2] for name in rows}
    expected = ranking_scores(**alone, metrics=names)
    assert found == pytest.approx({name: value / 2 for name, value in expected.items()})


@pytest.mark.parametrize("library", ["ndeval", "pyndeval"])
def test_but_it_has_no_nnrbp(library):
    rows = {"y_true": [[1, 0], [0, 1], [0, 0]], "y_score": [2, 1, 1], "groups": [0, 0, 1]}
    name = "nrbp(normalize='collection')"
    (found,) = per_query_scores(**rows, metrics=name, convention=library).scores.values()
    np.testing.assert_array_equal(np.isnan(found), [False, True])
    given = {"convention": library, "replace_undefined_by": 0.5}
    (found,) = per_query_scores(**rows, metrics=name, **given).scores.values()
    assert found[1] == 0.5


def test_ndeval_says_what_differs():
    with pytest.raises(ValueError, match="divided by the value of a list whose documents"):
        ranking_scores([[1]], [1], groups=[0], metrics="alpha_dcg", convention="ndeval")
