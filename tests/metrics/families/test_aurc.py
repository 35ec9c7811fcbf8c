"""Risk and coverage: the curve, its area, and the value of each query."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold

from sklearn_rank.distributed import QueryScorer, summarize
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    aurc_score,
    make_ranking_scorer,
    per_query_scores,
    ranking_scores,
    risk_coverage_curve,
)
from sklearn_rank.metrics._core._risk_coverage import RiskByPlace, RiskCoverage, aurc
from sklearn_rank.statistics import system_confidence_interval

LOSS = np.array([0, 1, 0, 1, 0.5, 0])
CONFIDENCE = np.array([3.0, 2, 2, 2, 1, 1])
WEIGHT = np.array([1.0, 2, 1, 1, 3, 1])
ADJUSTED = [
    ("selective", None),
    ("selective", "excess"),
    ("selective", "normalized"),
    ("joint", None),
]

TRUTH = {"q1": ["d1"], "q2": [], "q3": ["d3"], "q4": ["d4", "d5"], "q5": [], "q6": ["d6"]}
A = {
    "q1": {"d1": 0.9, "d2": 0.3},
    "q2": {},
    "q3": {"d3": 0.7},
    "q4": {"d9": 0.7, "d4": 0.5},
    "q5": {"d7": 0.6},
    "q6": {},
}
SYSTEMS = {"A": A, "B": A | {"q2": {"d8": 0.8}}}


def rows_of(system):
    return from_item_lists(TRUTH, SYSTEMS[system])


def summary_of(loss, confidence, weight=None):
    found = np.asarray(loss, dtype=float), np.asarray(confidence), np.ones(len(loss))
    return RiskCoverage(aurc).add(found, weight)


@pytest.mark.parametrize(
    ("weight", "areas", "values", "risk"),
    [
        (
            np.ones(6),
            [0.357407, 0.217130, 0.785595, 0.208333],
            [-0.599259, 0.992716, -0.012840, 0.992716, 0.452222, 0.318889],
            [0, 0.5, 0.416667],
        ),
        (WEIGHT, [0.463348, 0.230014, 0.862554, 0.259259], None, [0, 0.6, 0.5]),
    ],
)
def test_areas_values_and_curve_of_the_specification(weight, areas, values, risk):
    summary = summary_of(LOSS, CONFIDENCE, weight)
    assert [round(aurc(summary, *how), 6) for how in ADJUSTED] == areas
    places = RiskByPlace.compute(CONFIDENCE, LOSS, weight)
    found_risk, coverage = places.curve()
    assert found_risk.round(6).tolist() == risk
    assert values is None or coverage.round(6).tolist() == [0.166667, 0.666667, 1]
    found = places.values(LOSS)
    assert values is None or found.round(6).tolist() == values
    assert np.average(found, weights=weight) == pytest.approx(places.selective(), rel=1e-14)


def test_constant_confidence_gives_the_mean_loss():
    summary = summary_of(LOSS, np.ones(6))
    assert round(aurc(summary, "selective", None), 6) == 0.416667
    assert aurc(summary, "selective", None) == pytest.approx(LOSS.mean(), rel=1e-15)
    assert aurc(summary, "joint", None) == pytest.approx(LOSS.mean() / 2, rel=1e-15)


def plain_area(loss, confidence, area):
    """The mean over all orders that put the more confident query first."""
    found = []
    for order in permutations(range(len(loss))):
        of_order = confidence[list(order)]
        if (of_order[1:] > of_order[:-1]).any():
            continue
        lost = np.cumsum(loss[list(order)])
        n = np.arange(1, len(loss) + 1)
        if area == "selective":
            found.append(np.mean(lost / n))
        else:
            before = np.append(0, lost[:-1])
            found.append(np.sum(before + lost) / 2 / len(loss) ** 2)
    return np.mean(found)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("area", ["selective", "joint"])
def test_ties_are_the_mean_over_all_orders(area, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    loss = rng.choice([0, 0.25, 1], n)
    confidence = rng.choice([1.0, 2.0, -np.inf], n)
    found = aurc(summary_of(loss, confidence), area, None)
    assert found == pytest.approx(plain_area(loss, confidence, area), rel=1e-13, abs=1e-15)


def test_joint_area_of_losses_of_0_and_1_follows_from_auroc():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    loss = rng.choice([0.0, 1.0], 200, p=[0.7, 0.3])
    confidence = rng.permutation(200) - 60 * loss
    accuracy = 1 - loss.mean()
    auroc = roc_auc_score(1 - loss, confidence)
    expected = (1 - auroc) * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2
    found = aurc(summary_of(loss, confidence), "joint", None)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("system", "metric", "areas"),
    [
        ("A", "hit_rate@1", [0.347222, 0.155556, 0.504505, 0.208333]),
        ("A", "ndcg@10", [0.269852, 0.117945, 0.415859, 0.165350]),
        ("B", "hit_rate@1", [0.461111, 0.111111, 0.350877, 0.263889]),
        ("B", "ndcg@10", [0.410605, 0.121857, 0.388769, 0.231651]),
    ],
)
def test_areas_of_two_systems(system, metric, areas):
    found = [
        aurc_score(**rows_of(system), metric=metric, area=area, adjust=adjust)
        for area, adjust in ADJUSTED
    ]
    assert [round(area, 6) for area in found] == areas


def test_the_curve_ends_with_the_queries_that_are_not_answered():
    risk, coverage, threshold = risk_coverage_curve(**rows_of("A"), metric="hit_rate@1")
    assert threshold.tolist() == [0.9, 0.7, 0.6, -np.inf]
    assert coverage.round(6).tolist() == [0.166667, 0.5, 0.666667, 1]
    assert risk.round(6).tolist() == [0, 0.333333, 0.5, 0.5]


def test_names_merge_and_parts_are_refused():
    rows = rows_of("A")
    found = ranking_scores(**rows, metrics=["aurc@10", "aurc(metric='hit_rate')@1"])
    assert [round(value, 6) for value in found.values()] == [0.269852, 0.347222]
    with pytest.raises(ValueError, match="each; abstention_report has values per query"):
        per_query_scores(**rows, metrics="aurc@10")
    whole = summary_of(LOSS, CONFIDENCE, WEIGHT)
    parts = [
        summary_of(LOSS[one], CONFIDENCE[one], WEIGHT[one])
        for one in ([3, 0, 4], [1, 5], [2])
    ]
    merged = parts[2].merge(parts[0]).merge(parts[1])
    assert aurc(merged, "selective", "normalized") == aurc(whole, "selective", "normalized")


SURE = {"q1": 1, "q2": 5, "q3": np.inf, "q4": 3, "q5": 2, "q6": 9}


def test_confidence_by_query_by_row_and_in_a_grid():
    rows = rows_of("A")
    of_rows = [SURE[query] for query in rows.groups.tolist()]
    expected = risk_coverage_curve(**rows, confidence=of_rows)
    assert expected[2].tolist() == [np.inf, 3, 2, 1, -np.inf]  # empty lists come last
    for given in (SURE, pd.Series(SURE)):
        found = risk_coverage_curve(**rows, confidence=given)
        np.testing.assert_array_equal(found, expected)
    mixed = np.random.default_rng(0).permutation(len(rows.groups))
    shuffled = {name: column[mixed] for name, column in rows.items()}
    found = aurc_score(**shuffled, confidence=np.array(of_rows)[mixed])
    assert found == aurc_score(**rows, confidence=of_rows)
    grid = {"y_true": [[1, 0], [0, 1]], "y_score": [[2, 1], [2, 1]]}
    found = risk_coverage_curve(**grid, metric="hit_rate@1", confidence=[1, 2])
    assert [one.tolist() for one in found] == [[1, 0.5], [0.5, 1], [2, 1]]


def test_weights_are_relative_and_queries_without_weight_do_not_count():
    rows = rows_of("A")
    weight = (rows.groups != "q5") * 2.0
    given = {name: column[rows.groups != "q5"] for name, column in rows.items()}
    found = aurc_score(**rows, sample_weight=weight)
    assert found == pytest.approx(aurc_score(**given), rel=1e-14)


def test_scorers_negate_it_and_take_a_column():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=60), "sure": np.repeat(rng.random(20), 3)})
    y, groups = rng.integers(0, 2, 60), np.repeat(np.arange(20), 3)
    model = Ridge().fit(X, y)
    rows = {"y_true": y, "y_score": model.predict(X), "groups": groups}
    for given, column in (({}, None), ({"confidence": "sure"}, X["sure"])):
        scorer = make_ranking_scorer("aurc@2", **given)
        expected = -aurc_score(**rows, confidence=column, k=2)
        assert scorer(model, X, y, groups=groups) == pytest.approx(expected)
    X["query"] = groups
    scorer = make_ranking_scorer("aurc@2", groups="query")
    grid = {"alpha": [0.1, 100]}
    search = GridSearchCV(Ridge(), grid, scoring=scorer, cv=KFold(2)).fit(X, y)
    means = []
    for alpha in grid["alpha"]:
        folds = []
        for train, test in KFold(2).split(X):
            score = Ridge(alpha=alpha).fit(X.iloc[train], y[train]).predict(X.iloc[test])
            folds.append(-aurc_score(y[test], score, groups=groups[test], k=2))
        means.append(np.mean(folds))
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx(means)
    assert search.best_params_ == {"alpha": grid["alpha"][np.argmax(means)]}


@pytest.mark.parametrize("confidence", [None, "sure"])
def test_tables_of_parts_merge(confidence):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"query": np.repeat(np.arange(40), 3)})
    frame["grade"] = rng.integers(0, 2, 120)
    frame["score"] = rng.normal(size=120)
    frame["sure"] = np.repeat(rng.random(40), 3)
    columns = {"groups": "query", "y_true": "grade", "y_score": "score"}
    given = {} if confidence is None else {"confidence": confidence}
    scorer = QueryScorer("aurc(adjust='excess')@2", **columns, **given)
    parts = [scorer(frame[frame["query"] % 3 == part]) for part in range(3)]
    (found,) = summarize(parts, output_dict=True).values()
    rows = {name: frame[column] for name, column in (columns | given).items()}
    expected = aurc_score(**rows, adjust="excess", k=2)
    assert found["mean"] == pytest.approx(expected, rel=1e-13)
    assert found["queries"] == 40


def test_undefined_queries_are_left_out_with_a_warning():
    grid = {"y_true": [[1, 1], [1, 0]], "y_score": [[2, 1], [3, 1]]}
    with pytest.warns(match="undefined for 1 of 2 queries"):
        assert risk_coverage_curve(**grid, metric="auc")[1].tolist() == [1]
    with pytest.warns(match="undefined for 1 of 2 queries"):
        assert aurc_score(**grid, metric="auc") == 0
    alone = {name: value[:1] for name, value in grid.items()}
    with pytest.warns(match="undefined for 1 of 1 queries"):
        assert len(risk_coverage_curve(**alone, metric="auc")[0]) == 0
    assert aurc_score(**alone, metric="auc", replace_undefined_by=0.5) == 0.5
    assert np.isnan(
        aurc_score([[1]], [[1]], adjust="normalized", replace_undefined_by=np.nan)
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metric": "dcg@3"}, "has the range 0 to the value"),
        ({"metric": "fallout@3"}, "better if it is lower"),
        ({"metric": "coverage@3"}, "has one value for all queries"),
        ({"metric": "psndcg@3"}, "weights queries"),
        ({"metric": "ips_ndcg@3"}, "needs the column 'propensity'"),
        ({"metric": "bpref"}, "treats unjudged rows by itself"),
        ({"metric": "err@3"}, r"write err\(max_grade=...\)"),
        ({"metric": "accuracy(n_items=None)@1", "min_relevance": 2.0}, None),
        ({"metric": "ndcg", "min_relevance": 2.0}, "`min_relevance` has no effect"),
        ({"confidence": [1, 2]}, r"has shape \(2,\)"),
        ({"confidence": {"q1": 1}}, "lacks 5 of 6 queries, such as 'q2'"),
        ({"confidence": SURE | {"q4": np.nan}}, "of query 'q4' is NaN"),
        ({"confidence": pd.Series([1, 2], index=["q1", "q1"])}, "has .q1. twice"),
        ({"confidence": np.arange(9)}, "differs within query 'q1'"),
    ],
)
def test_bad_input_is_named(given, message):
    if message is None:
        assert aurc_score(**rows_of("A"), **given) > 0
        return
    with pytest.raises(ValueError, match=message):
        aurc_score(**rows_of("A"), **given)


def test_a_metric_with_a_given_highest_grade_works():
    found = aurc_score(**rows_of("A"), metric="err(max_grade=1)@3")
    assert 0 < found < 1


def test_other_metrics_may_stand_beside_it():
    rows = from_item_lists(TRUTH, SYSTEMS["A"], return_items=True)
    found = ranking_scores(**rows, metrics=["aurc", "personalization@2"])
    assert found["aurc"] == aurc_score(**rows_of("A"))
    sparse = pytest.importorskip("scipy.sparse")
    y_true = sparse.csr_array([[1, 0, 0], [0, 0, 0]])
    y_score = sparse.csr_array([[2.0, 1, 0], [0, 0, 0]])
    assert aurc_score(y_true, y_score, metric="hit_rate@1") == 0


@pytest.mark.parametrize("function", [aurc_score, risk_coverage_curve])
def test_lists_without_an_order_of_queries_warn(function):
    with pytest.warns(UserWarning, match="have the same confidence, -1"):
        function(**from_item_lists({"a": [1], "b": [2]}, {"a": [1], "b": [1]}))


def test_an_interval_of_items_is_refused():
    with pytest.raises(ValueError, match="'aurc' is not a metric of shown items"):
        system_confidence_interval(**rows_of("A"), metrics="aurc")
