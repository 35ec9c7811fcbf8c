"""Estimates of values per query from partly judged rows."""

from itertools import product

import numpy as np
import pytest

from sklearn_rank.inputs import from_item_lists, make_pool
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.metrics._core._registry import METRICS
from sklearn_rank.statistics import compare_models, partly_judged_scores
from sklearn_rank.statistics._raters._control_variates import subtract_controls
from sklearn_rank.statistics._raters._partly_judged import LINEAR

NAN, INF = np.nan, np.inf
PEOPLE = [2, NAN, 0, NAN, 1, NAN, 3, NAN, NAN, NAN, 0, 1, NAN, NAN, 2]
JUDGE = [3, 1, 0, 1, 2, 0, 3, 2, 1, 0, 1, 1, 2, 1, 3]
MODELS = {
    "A": [3, 2, 1, 3, 2, 1, 1, 3, 2, 2, 3, 1, 3, 1, 2],
    "B": [1, 2, 3, 2, 3, 1, 3, 2, 1, 1, 2, 3, 1, 2, 3],
}
GROUPS = [*"aaabbbcccdddeee"]
few_queries = pytest.mark.filterwarnings(
    "ignore:People judged rows of",
    "ignore:The judged rows weigh",
    "ignore:.*are rough with",
)

# ---- printed examples ------------------------------------------------------------------


def example(y_score=MODELS, judge=JUDGE, probability=0.5, **given):
    given = {"groups": GROUPS, "metrics": "dcg@2", **given}
    return partly_judged_scores(
        PEOPLE, y_score, judge=judge, probability=probability, **given
    )


@few_queries
def test_printed_values_of_queries():
    expected = {
        ("A", "dcg@2"): [3.326599, 1.695788, 4.076077, 2.927142, 5.366287],
        ("B", "dcg@2"): [0.874633, -0.323875, 1.381396, 1.266842, 3.289595],
        ("A", "precision@2"): [0, 1, 0, -1, 1],
        ("B", "precision@2"): [-1, 1, -1, 0, 1],
        ("A", "rbp"): [0.563403, 0.333070, 0.471356, 0.351909, 0.463090],
        ("B", "rbp"): [0.459344, 0.234596, 0.353429, 0.319074, 0.350150],
    }
    found = example(metrics=["dcg@2", "precision@2", "rbp"])
    for (model, metric), values in expected.items():
        assert found[model].scores[metric] == pytest.approx(values, abs=5e-7)
    assert found["A"].groups.tolist() == [*"abcde"]
    assert found["A"].whole == {"dcg@2": {}, "precision@2": {}, "rbp": {"max_grade": 3}}
    row = compare_models(found, baseline="B", metrics="dcg@2").row("A")
    ends = row.difference, row.standard_error, row.low, row.high
    assert ends == pytest.approx((2.180661, 0.179629, 1.681932, 2.679389), abs=5e-7)


@few_queries
def test_printed_values_of_one_model_and_without_a_judge():
    found = example(MODELS["A"])["dcg@2"]
    expected = [0.141437, -1.173336, -2.056414, -0.723516, 0.928389]
    assert found == pytest.approx(expected, abs=5e-7)
    found = example(judge=None)
    means = [one.mean()["dcg@2"] for one in found.values()]
    assert means == pytest.approx([3.972458, 0.598115], abs=5e-7)


@few_queries
def test_printed_values_of_tied_and_missing_rows():
    models = {"A": [3, 3, 1, 3, 2, -INF, 1, 3, 2, 2, 2, 2, 3, 1, 2], "B": MODELS["B"]}
    found = compare_models(example(models, probability=[1, 0.5, 0.25] * 5), baseline="B")
    row = found.row("A")
    assert row.difference == pytest.approx(1.055523, abs=5e-7)
    assert row.standard_error == pytest.approx(2.636233, abs=5e-7)


# ---- by plain loops, and laws ----------------------------------------------------------


def row_weights(score, metric):
    """Return the weight of each row of a list, the mean of the places of tied rows."""
    places = {
        "dcg(gain='exponential')@4": lambda rank: (rank <= 4) / np.log2(rank + 1),
        "precision(min_relevance=2)@3": lambda rank: (rank <= 3) / 3,
        "precision(k=None)": lambda rank: 1 / max(np.sum(score > -INF), 1),
        "rbp(persistence=0.5)": lambda rank: 0.5**rank,
        "insq@4": lambda rank: (rank <= 4) / (rank + 1) ** 2 / (np.pi**2 / 6 - 1),
        "cg@2": lambda rank: rank <= 2,
    }[metric]
    found = np.zeros(len(score))
    for i in np.flatnonzero(score > -INF):
        first, n = np.sum(score > score[i]) + 1, np.sum(score == score[i])
        found[i] = np.mean([places(rank) for rank in range(first, first + n)])
    return found


GAINS = {
    "dcg(gain='exponential')@4": lambda grade: 2**grade - 1,
    "precision(min_relevance=2)@3": lambda grade: grade >= 2,
    "precision(k=None)": lambda grade: grade > 0,
    "rbp(persistence=0.5)": lambda grade: grade / 3,
    "insq@4": lambda grade: grade / 3,
    "cg@2": lambda grade: grade,
}


def without_own(values, controls):
    """Return the estimates of queries with slopes of the other queries, of all series."""
    found = np.empty_like(values)
    n = values.shape[1]
    for q in range(n):
        others = np.arange(n) != q
        x, y = controls[:, others], values[:, others]
        x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
        slopes = np.linalg.lstsq(np.vstack(x), y.ravel(), rcond=None)[0]
        found[:, q] = values[:, q] - controls[:, q] @ slopes
    return found


def random_rows(rng, n=40, m=6):
    true = rng.integers(0, 4, (n, m)).astype(float)
    judge = np.clip(true + rng.integers(-1, 2, (n, m)), 0, 3).astype(float)
    scores = [true + rng.integers(-2, 3, (n, m)) for _ in range(3)]
    models = {
        name: np.where(rng.random((n, m)) < 0.2, -INF, score)
        for name, score in zip("xyz", scores, strict=True)
    }
    probability = rng.uniform(0.3, 1, (n, m))
    people = np.where(rng.random((n, m)) < probability, true, NAN)
    return true, people, judge, models, probability


@pytest.mark.parametrize("metric", GAINS)
@pytest.mark.parametrize("has_judge", [True, False])
def test_estimates_by_plain_loops(metric, has_judge):
    _, people, judge, models, probability = random_rows(np.random.default_rng(5))
    given = {"probability": probability, "judge": judge if has_judge else None}
    found = partly_judged_scores(people, models, metrics=metric, **given)
    gain, is_judged = GAINS[metric], ~np.isnan(people)
    values, controls = [], []
    for score in models.values():
        w = np.array([row_weights(row, metric) for row in score])
        h = np.where(is_judged, w / probability, 0)
        values.append((h * gain(np.where(is_judged, people, 0))).sum(axis=1))
        parts = [(w - h).sum(axis=1)]
        if has_judge:
            parts.append(((w - h) * gain(judge)).sum(axis=1))
        controls.append(np.column_stack(parts))
    values, controls = np.array(values), np.array(controls)
    mean, of_mean = values.mean(axis=0), controls.mean(axis=0)
    expected = without_own(mean[None], of_mean[None]) + without_own(
        values - mean, controls - of_mean
    )
    for one, row in zip(found.values(), expected, strict=True):
        assert one.scores[metric] == pytest.approx(row, rel=1e-9, abs=1e-9)
    flat = np.random.default_rng(0).permutation(people.size)
    shuffled = partly_judged_scores(
        people.ravel()[flat],
        {name: score.ravel()[flat] for name, score in models.items()},
        groups=np.arange(40).repeat(6)[flat],
        metrics=metric,
        **{name: one if one is None else one.ravel()[flat] for name, one in given.items()},
    )
    for name, one in shuffled.items():
        assert one.scores[metric] == pytest.approx(found[name].scores[metric], abs=1e-9)


def test_judged_rows_alone_give_the_metric():
    true, _, judge, models, _ = random_rows(np.random.default_rng(1))
    true[3] = 0  # a query without relevant rows counts 0
    metrics = [*GAINS, "dcg", "dcg(discount='reciprocal')@3"]
    found = partly_judged_scores(true, models, metrics=metrics, judge=judge)
    for name, score in models.items():
        expected = per_query_scores(true, score, metrics=metrics, replace_undefined_by=0)
        for metric in expected.scores:
            np.testing.assert_allclose(
                found[name].scores[metric], expected.scores[metric], atol=1e-12
            )


def test_all_samples_together_have_the_true_mean():
    """Each of 2 ** 6 samples of six queries, which have unequal chances."""
    rng = np.random.default_rng(0)
    true, judge = rng.normal(size=6), rng.normal(size=6)
    chance = np.array([0.2, 0.5, 0.5, 0.9, 0.3, 0.6])
    total = 0.0
    for sample in product([0, 1], repeat=6):
        is_judged = np.array(sample) == 1
        h = is_judged / chance
        controls = np.stack([1 - h, judge - h * judge], axis=1)
        found, _ = subtract_controls((h * true)[None], controls[None], np.arange(6))
        total += np.prod(np.where(is_judged, chance, 1 - chance)) * found.mean()
    assert total == pytest.approx(true.mean(), rel=1e-9)


def test_a_control_that_one_query_has_alone_gets_no_slope_there():
    values = np.array([[1.0, 2.0, 4.0, 0.1]])
    controls = np.zeros((1, 4, 2))
    controls[0, 2, 0] = 0.7
    found, _ = subtract_controls(values, controls, np.arange(4))
    np.testing.assert_array_equal(found, values)


def adds_up(metric, rng):
    """Return whether values of judgments of different rows add up, undefined being 0."""
    n, m = 30, 5
    score = np.where(rng.random((n, m)) < 0.3, -INF, rng.integers(0, 4, (n, m)))
    both = rng.integers(0, 4, (n, m)).astype(float)
    is_first = rng.random((n, m)) < 0.5
    parts = np.where(is_first, both, 0), np.where(is_first, 0, both), both
    parameter = "(max_grade=3)" if "max_grade" in METRICS[metric].parameters else ""
    name = f"{metric}{parameter}" + ("@3" if METRICS[metric].takes_k else "")
    one, other, together = (
        per_query_scores(y, score, metrics=name, replace_undefined_by=0)[name]
        for y in parts
    )
    return np.allclose(one + other, together)


@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
def test_the_sums_over_rows_are_those_metrics_whose_values_add_up():
    rng = np.random.default_rng(0)
    plain = [
        name
        for name, metric in METRICS.items()
        if metric.rows == "relevant"
        and not (metric.columns or metric.parts or metric.all_items)
        and metric.unjudged != "needed"
        and metric.summary.per_query
    ]
    assert {name for name in plain if adds_up(name, rng)} == {*LINEAR}


@few_queries
def test_probabilities_of_a_simple_random_sample():
    rng = np.random.default_rng(2)
    true, _, judge, models, _ = random_rows(rng)
    score = models["x"]
    whole = np.where(np.arange(40)[:, None] % 4 == 0, true, NAN)
    found = [
        partly_judged_scores(whole, score, judge=judge, probability=one)["dcg@10"]
        for one in (None, 0.25)
    ]
    np.testing.assert_array_equal(*found)
    single = np.where(rng.permutation(240).reshape(40, 6) < 60, true, NAN)
    found = [
        partly_judged_scores(single, score, judge=judge, probability=one)["dcg@10"]
        for one in (None, 0.25)
    ]
    np.testing.assert_array_equal(*found)


def test_unjudged_rows_of_lists():
    judged = {f"q{i}": {"a": i % 3, "b": 0} for i in range(40)}
    lists = {f"q{i}": ["b", "c", "a"] if i % 2 else ["a", "c"] for i in range(40)}
    rows = from_item_lists(judged, lists)
    marked = partly_judged_scores(**rows, metrics="precision@2")
    y_true = np.where(np.signbit(rows.y_true), NAN, rows.y_true)
    expected = partly_judged_scores(
        y_true, rows.y_score, groups=rows.groups, metrics="precision@2"
    )
    np.testing.assert_array_equal(marked["precision@2"], expected["precision@2"])


def test_series_in_other_orders_are_refused():
    pd = pytest.importorskip("pandas")
    labels = [f"row {i}" for i in range(15)]
    people, judge = pd.Series(PEOPLE, labels), pd.Series(JUDGE, labels)[::-1]
    with pytest.raises(ValueError, match="order"):
        partly_judged_scores(people, MODELS["A"], groups=GROUPS, judge=judge)


# ---- bad input and warnings ------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"metrics": "ndcg@10"},
            "'ndcg@10' is not a sum over rows, so single judged rows cannot give it "
            "without bias; use 'dcg@10', or judge whole queries and use judge_assisted",
        ),
        ({"metrics": "map"}, "use 'dcg', or judge whole"),
        ({"y_score": {}}, "`y_score` has no model"),
        ({"y_score": {"A": [1, 2]}}, "y_score"),
        ({"probability": 0}, "missing or impossible"),
        ({"probability": [NAN] * 15}, "`probability` has 7 missing or impossible"),
        ({"probability": [1, 0.5]}, r"shape \(2,\); give one number, or one per row"),
        ({"judge": [1, NAN, *JUDGE[2:]]}, "`judge` has 1 missing value"),
        ({"judge": [1, -1, *JUDGE[2:]]}, "`judge` has 1 negative value"),
        ({"judge": [1, 2]}, "`judge` has shape"),
        ({"groups": ["a"] * 7 + ["b"] * 8}, "in 2 of 2 queries; an estimate needs three"),
        ({"metrics": "rbp(max_grade=2)"}, "`max_grade` is 2.* highest grade is 3"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        example(**given)


@pytest.mark.parametrize(
    ("people", "message"),
    [
        ([NAN] * 15, "judged rows in 0 of 5 queries"),
        ([1, 2, 0, *[NAN] * 12], "judged rows in 1 of 5 queries"),
        ([-1, 2, 0, *[NAN] * 12], "`y_true` has 1 negative"),
    ],
)
def test_people_who_judge_too_little(people, message):
    with pytest.raises(ValueError, match=message):
        partly_judged_scores(people, MODELS["A"], groups=GROUPS)


def test_small_and_unequal_samples_are_told():
    with pytest.warns(UserWarning, match="judged") as caught:
        example(MODELS["A"])
    texts = [str(one.message) for one in caught]
    assert texts[0].startswith("People judged rows of 5 queries; below 30")
    assert texts[1].startswith("The judged rows weigh as 7 equal ones; below 30")
    rng = np.random.default_rng(0)
    people = np.where(np.arange(600) % 2, rng.integers(0, 3, 600), NAN).reshape(60, 10)
    chance = np.where(np.arange(600) == 1, 0.004, 0.9).reshape(60, 10)
    with pytest.warns(UserWarning, match="judged") as caught:
        partly_judged_scores(people, rng.random((60, 10)), probability=chance)
    texts = [str(one.message) for one in caught]
    assert texts[0].startswith("The judged rows weigh as 5.")
    assert texts[1].startswith("A judged row stands for 250 rows, as its probability")


def test_reversed_scores_are_told_once_for_each_model():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, (60, 10)).astype(float)
    people = np.where(rng.random(true.shape) < 0.5, true, NAN)
    ranks = np.argsort(np.argsort(-true, axis=1), axis=1) + 1
    with pytest.warns(UserWarning, match="score below the others") as caught:
        partly_judged_scores(people, {"ranks": ranks, "good": true}, judge=true)
    assert len(caught) == 1


# ---- how often intervals cover: a rate of 400 runs has a standard error of .011 --------


def draw_queries(rng, n, m):
    """Return grades by people and a judge who is generous to the shown, and two models."""
    level = rng.normal(0, 0.7, (n, 1))
    quality = level + rng.normal(0, 1, (n, m))
    true = np.clip(quality + 0.5, 0, 3).round()
    judge = np.clip(quality + 1 + rng.normal(0, 0.5, (n, m)), 0, 3).round()
    scores = {name: quality + rng.normal(0, noise, (n, m)) for name, noise in NOISES}
    return true, judge, scores


NOISES = [("A", 1.0), ("B", 1.3)]


@pytest.fixture(scope="module")
def true_difference():
    rng = np.random.default_rng(1)
    true, _, scores = draw_queries(rng, 200_000, 12)
    values = [
        per_query_scores(true, s, metrics="dcg@10", replace_undefined_by=0)
        for s in scores.values()
    ]
    return values[0]["dcg@10"].mean() - values[1]["dcg@10"].mean()


@pytest.mark.slow
@pytest.mark.parametrize("design", ["30 whole queries of 400", "300 rows of 200 queries"])
def test_rate_of_the_difference_with_a_biased_judge(design, true_difference):
    rng = np.random.default_rng(0)
    covers = 0
    for _ in range(400):
        n = 400 if "whole" in design else 200
        true, judge, scores = draw_queries(rng, n, 12)
        if "whole" in design:
            people = np.where(rng.permutation(n)[:, None] < 30, true, NAN)
        else:
            people = np.where(rng.permutation(n * 12).reshape(n, 12) < 300, true, NAN)
        found = partly_judged_scores(people, scores, judge=judge)
        row = compare_models(found, baseline="B").row("A")
        covers += row.low <= true_difference <= row.high
    assert covers / 400 == pytest.approx(0.95, abs=0.035)


def draw_pool(rng, scores, judge, spread, share):
    """Return the chance of drawn rows, NaN of others, and the first ten of each model."""
    n = len(judge)
    first = {name: np.argsort(-score, axis=1)[:, :10] for name, score in scores.items()}
    runs = {name: {q: items[q].tolist() for q in range(n)} for name, items in first.items()}
    pool = make_pool(runs)
    uncertainty = {q: {} for q in range(n)}
    for q, item in zip(pool.groups.tolist(), pool["items"].tolist(), strict=True):
        uncertainty[q][item] = spread[int(judge[q, item])]
    budget = int(share * len(pool.groups))
    drawn = make_pool(
        runs, budget=budget, uncertainty=uncertainty, random_state=rng.integers(2**31)
    )
    chance = np.full(judge.shape, NAN)
    chance[drawn.groups, drawn["items"]] = drawn.probability
    rows = {
        name: np.where(
            (np.arange(judge.shape[1]) == items[:, :, None]).any(axis=1), score, -INF
        )
        for (name, score), items in zip(scores.items(), first.values(), strict=True)
    }
    return chance, rows


@pytest.mark.slow
def test_share_of_verdicts_of_three_tenths_of_the_judgments():
    rng = np.random.default_rng(0)
    same = opposite = 0
    for _ in range(400):
        true, judge, scores = draw_queries(rng, 200, 30)
        scores["B"] = scores["A"] + rng.uniform(0, 1.5) * rng.normal(size=true.shape)
        spread = [max(true[judge == grade].std(), 0.1) for grade in range(4)]
        chance, rows = draw_pool(rng, scores, judge, spread, 0.3)
        every = {
            name: per_query_scores(true, score, metrics="dcg@10", replace_undefined_by=0)
            for name, score in rows.items()
        }
        people = np.where(np.isnan(chance), NAN, true)
        some = partly_judged_scores(people, rows, probability=chance, judge=judge)
        verdicts = [compare_models(found, baseline="A").row("B") for found in (every, some)]
        one, other = (row.verdict for row in verdicts)
        same += one == other
        opposite += {one, other} == {"better", "worse"}
    assert opposite == 0
    assert same / 400 > 0.85
