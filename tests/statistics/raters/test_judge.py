"""Means from the values of a judge and a sample of human ones."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.metrics import PerQueryScores, per_query_scores
from sklearn_rank.statistics import confidence_interval, judge_assisted_mean

RNG = np.random.default_rng(0)
TRUE = RNG.uniform(size=400)
JUDGE = TRUE + 0.1 + RNG.normal(0, 0.1, 400)
HUMAN = np.where(np.arange(400) % 4 == 0, TRUE, np.nan)


def by_loops(human, judge, probability, clusters):
    """Return values of queries: least squares over the queries of other clusters."""
    is_human = ~np.isnan(human)
    h = np.where(is_human, 1 / probability, 0.0)
    values = h * np.where(is_human, human, 0.0)
    found = np.empty(len(judge))
    for i in range(len(judge)):
        others = clusters != clusters[i]
        columns = np.column_stack([np.ones(len(judge)), 1 - h, ((1 - h) * judge.T).T])
        slopes = np.linalg.lstsq(columns[others], values[others], rcond=None)[0]
        found[i] = values[i] - columns[i, 1:] @ slopes[1:]
    return found


def test_a_printed_example():
    human = np.array([0.2, 0.9, 0.5, 0.4, 0.7, *[np.nan] * 5])
    judge = [0.3, 0.7, 0.6, 0.5, 0.6, 0.4, 0.9, 0.1, 0.5, 0.8]
    with pytest.warns(UserWarning, match="human values of 5"):
        found = judge_assisted_mean(human, judge)
    assert (found.mean, found.standard_error) == pytest.approx(
        (0.521826, 0.140278), abs=5e-7
    )
    assert (found.low, found.high) == pytest.approx((0.132352, 0.911300), abs=5e-7)
    assert (found.df, found.n_effective) == pytest.approx((4, 5))
    assert found.weight == pytest.approx(0.603175, abs=5e-7)
    values = by_loops(human, np.array(judge), 0.5, np.arange(10))
    assert values[:3] == pytest.approx([-0.1625, 1.288983, 0.408108], abs=5e-7)
    probability = [0.25, 0.5, 0.5, 0.5, 0.5, *[np.nan] * 5]  # only those of people count
    with pytest.warns(UserWarning, match="human values of 5"):
        found = judge_assisted_mean(human, judge, probability=probability)
    assert (found.mean, found.standard_error) == pytest.approx(
        (0.449399, 0.198632), abs=5e-7
    )


# Three judges: a generous one, a strict one and a coin.
JUDGES = np.column_stack([JUDGE, 0.5 * TRUE, np.zeros(400)])
JUDGES += np.random.default_rng(5).normal(0, 0.1, (400, 3))


@pytest.mark.parametrize("judge", [JUDGE, JUDGES], ids=["one", "three"])
@pytest.mark.parametrize("n_users", [70, 400])
def test_each_query_has_the_slopes_of_the_other_clusters(n_users, judge):
    rng = np.random.default_rng(n_users)
    users = np.sort(rng.integers(0, n_users, 400)) if n_users < 400 else np.arange(400)
    probability = rng.uniform(0.1, 0.9, 400)
    human = np.where(rng.random(400) < probability, TRUE, np.nan)
    found = judge_assisted_mean(human, judge, probability=probability, clusters=users)
    values = by_loops(human, judge, probability, users)
    expected = confidence_interval(values, clusters=users)
    assert found.mean == pytest.approx(expected.mean, rel=1e-9)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-9)
    of_people = confidence_interval(human, clusters=users)
    assert found.df == pytest.approx(min(expected.df, of_people.df))
    is_human = ~np.isnan(human)
    assert found.bias == pytest.approx(np.mean((judge.T - TRUE).T[is_human], axis=0))
    assert found.judge_mean == pytest.approx(judge.mean(axis=0))
    assert (found.n_queries, found.n_human) == (400, is_human.sum())


def test_weights_are_in_the_order_of_the_judges():
    h = np.where(np.isnan(HUMAN), 0.0, 4.0)
    columns = np.column_stack([np.ones(400), 1 - h, (1 - h)[:, None] * JUDGES])
    values = h * np.nan_to_num(HUMAN)
    slopes = np.linalg.lstsq(columns, values, rcond=None)[0]
    found = judge_assisted_mean(HUMAN, JUDGES)
    assert found.weight == pytest.approx(-slopes[2:])
    turned = judge_assisted_mean(HUMAN, JUDGES[:, [2, 0, 1]])
    assert turned.weight == pytest.approx(found.weight[[2, 0, 1]])
    assert turned.low == pytest.approx(found.low, rel=1e-9)
    assert str(found).count(f"{found.weight[1]:.6g}") == 1


def test_a_column_of_one_judge_has_the_numbers_of_the_judge():
    found = judge_assisted_mean(HUMAN, JUDGE[:, None])
    assert found.weight.shape == (1,)
    assert dict(found) == dict(judge_assisted_mean(HUMAN, JUDGE))


def test_a_judge_who_tells_nothing_more_is_left_out():
    generous, strict, coin = JUDGES.T
    copies = [np.full(400, 0.1), generous, strict, 2 * generous - strict + 1, coin]
    found, expected = (
        judge_assisted_mean(HUMAN, np.column_stack(columns))
        for columns in (copies, [*JUDGES.T])
    )
    assert found.weight[[0, 3]].tolist() == [0, 0]
    assert found.weight[[1, 2, 4]].tolist() == expected.weight.tolist()
    assert (found.mean, found.low) == (expected.mean, expected.low)
    assert judge_assisted_mean(HUMAN, np.full(400, 0.1)).weight == 0
    close = strict.copy()
    close[1] += 0.1  # in one query
    assert (judge_assisted_mean(HUMAN, np.column_stack([strict, close])).weight != 0).all()


def test_scores_of_several_judges_are_matched_by_label():
    labels = np.array([f"q{i}" for i in range(400)])
    order = RNG.permutation(400)
    human = PerQueryScores(labels[::4], {"ndcg": TRUE[::4]})
    generous, strict, coin = (PerQueryScores(labels, {"ndcg": of}) for of in JUDGES.T)
    found = judge_assisted_mean(human, [generous, strict.of(order), coin])
    expected = judge_assisted_mean(HUMAN, JUDGES)
    assert found["ndcg"].low == pytest.approx(expected.low)
    assert found["ndcg"].weight == pytest.approx(expected.weight)
    with pytest.raises(ValueError, match="different queries: 1 are not in"):
        judge_assisted_mean(human, [generous, strict.of(order[1:])])


@pytest.mark.parametrize("query", [4, 5])
def test_each_judge_must_grade_all_queries(query):
    judges = JUDGES.copy()
    judges[query, 1] = np.nan
    with pytest.raises(ValueError, match="1 queries that a judge has no value of; each"):
        judge_assisted_mean(HUMAN, judges)
    judges[5] = np.nan
    if query == 5:
        assert judge_assisted_mean(HUMAN, judges).n_queries == 399


def test_several_judges_need_five_human_values_each():
    few = np.where(np.arange(400) < 14, TRUE, np.nan)
    with pytest.raises(ValueError, match=r"a column for each judge, as np\.column_stack"):
        judge_assisted_mean(np.ones(20), [np.arange(20), np.ones(20)])
    with pytest.raises(ValueError, match="3 judges need 15 human values, got 14; pass"):
        judge_assisted_mean(few, JUDGES)
    users = np.arange(400) // 40
    with pytest.raises(ValueError, match="need 15 clusters with human values, got 10"):
        judge_assisted_mean(HUMAN, JUDGES, clusters=users)


def test_the_weight_is_1_for_a_judge_who_is_only_biased_and_0_for_a_coin():
    found = judge_assisted_mean(HUMAN, TRUE + 0.3)
    assert found.weight == pytest.approx(1, abs=0.02)
    assert found.mean == pytest.approx(TRUE.mean(), abs=0.002)
    coin = np.random.default_rng(1).normal(size=400)
    assert abs(judge_assisted_mean(HUMAN, coin).weight) < 0.1
    alone = confidence_interval(HUMAN)
    for judge in (coin, np.full(400, 0.1)):
        found = judge_assisted_mean(HUMAN, judge)
        assert found.mean == pytest.approx(alone.mean, abs=0.01)
        assert found.standard_error < 1.1 * alone.standard_error


def test_human_values_of_all_are_all_that_counts():
    found = judge_assisted_mean(TRUE, JUDGE)
    alone = confidence_interval(TRUE, method="t")
    assert (found.mean, found.low) == pytest.approx((alone.mean, alone.low), rel=1e-12)


def test_scores_are_matched_by_label():
    labels = np.array([f"q{i}" for i in range(400)])
    order = RNG.permutation(400)
    judge = PerQueryScores(labels[order], {"ndcg": JUDGE[order]})
    human = PerQueryScores(labels[::4], {"ndcg": TRUE[::4], "mrr": TRUE[::4]})
    found = judge_assisted_mean(human, judge)
    assert list(found) == ["ndcg"]
    expected = judge_assisted_mean(HUMAN, JUDGE)
    assert found["ndcg"].low == pytest.approx(expected.low)


def test_series_are_in_one_order():
    pandas = pytest.importorskip("pandas")
    human = pandas.Series(HUMAN, [f"q{i}" for i in range(400)])
    judge = pandas.Series(JUDGE, human.index)
    assert judge_assisted_mean(human, judge).n_human == 100
    with pytest.raises(ValueError, match=r"order"):
        judge_assisted_mean(human, judge[::-1])


def test_clusters_widen_it():
    codes = np.repeat(np.arange(100), 4)
    offset = np.repeat(RNG.normal(size=100), 4)
    human = np.where(codes % 2 == 0, TRUE + offset, np.nan)
    plain = judge_assisted_mean(human, JUDGE + offset)
    found = judge_assisted_mean(human, JUDGE + offset, clusters=codes)
    assert found.standard_error > 1.5 * plain.standard_error


def test_it_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covers = 0
    for _ in range(400):
        true = rng.uniform(size=500) ** 3
        judge = 0.5 * true + 0.3 + rng.normal(0, 0.1, 500)
        human = np.where(rng.permutation(500) < 60, true, np.nan)
        found = judge_assisted_mean(human, judge)
        covers += found.low <= 0.25 <= found.high
    assert covers / 400 == pytest.approx(0.95, abs=0.035)


def test_few_human_values_are_told():
    few = np.where(np.arange(400) < 20, TRUE, np.nan)
    with pytest.warns(UserWarning, match="human values of 20"):
        judge_assisted_mean(few, JUDGE)


@pytest.mark.parametrize(
    ("human", "judge", "message"),
    [
        ([0.1], [0.1, 0.2], "`human` has 1 values and `judge` 2"),
        ([0.1, np.nan], [0.1, 0.2], "1 human value; it needs two"),
        (PerQueryScores([1], {"a": [1]}), [0.1], "both as arrays"),
        (PerQueryScores([1], {"a": [1]}), PerQueryScores([1], {"b": [1]}), "in common"),
        (
            PerQueryScores([1, 3], {"a": [1, 1]}),
            PerQueryScores([1, 2], {"a": [1, 1]}),
            "such as 3; the judge must grade all",
        ),
        (
            PerQueryScores([1, 1], {"a": [1, 1]}),
            PerQueryScores([1, 2], {"a": [1, 1]}),
            "more than once",
        ),
        (
            PerQueryScores([1, 2], {"a": [1, 1]}),
            PerQueryScores([1, 2], {"a": [1, 1]}, {"a": [1, 2]}),
            "have weights",
        ),
    ],
)
def test_what_is_refused(human, judge, message):
    with pytest.raises(ValueError, match=message):
        judge_assisted_mean(human, judge)


def test_clusters_are_those_of_the_queries_of_the_judge():
    pd = pytest.importorskip("pandas")
    scores = PerQueryScores(np.arange(7, 407), {"a": JUDGE})
    clusters = np.arange(400) // 2
    expected = judge_assisted_mean(scores, scores, clusters=clusters)
    fitting = pd.Series(clusters, index=scores.groups)
    assert judge_assisted_mean(scores, scores, clusters=fitting) == expected
    other = pd.Series(clusters, index=scores.groups + 400)
    with pytest.raises(ValueError, match="groups and clusters have different labels"):
        judge_assisted_mean(scores, scores, clusters=other)


@pytest.mark.parametrize(
    ("probability", "message"),
    [
        (0, r"`probability` has 100 missing or impossible value\(s\), .* at 0 \(0.0\)"),
        (1.5, "at least 1e-100 and at most 1"),
        (5e-324, "at least 1e-100 and at most 1"),
        (np.full(400, np.nan), "give the chance of each query with a grade"),
        ([0.5, 0.5], r"shape \(2,\); give one number, or one per query, shape \(400,\)"),
    ],
)
def test_impossible_probabilities(probability, message):
    with pytest.raises(ValueError, match=message):
        judge_assisted_mean(HUMAN, JUDGE, probability=probability)


def test_undefined_queries_of_the_judge_leave_with_their_probability():
    judge = np.where(np.arange(400) % 10, JUDGE, np.nan)
    human = np.where(np.arange(400) % 10, HUMAN, np.nan)
    probability = np.where(np.arange(400) % 10, 0.25, np.nan)
    found = judge_assisted_mean(human, judge, probability=probability)
    is_used = ~np.isnan(judge)
    expected = judge_assisted_mean(human[is_used], judge[is_used], probability=0.25)
    assert found == expected


@pytest.mark.parametrize("judge", [TRUE, np.where(np.arange(400) == 8, np.nan, TRUE)])
def test_exchanged_arguments_are_refused_with_the_order(judge):
    order = r"The order is judge_assisted_mean\(human, judge\)"
    message = r"`values` has 300 queries with a human value and none of the judge.*"
    with pytest.raises(ValueError, match=message + order):
        judge_assisted_mean(judge, HUMAN)
    labels = np.arange(400)
    people = PerQueryScores(labels[::4], {"ndcg": TRUE[::4]})
    with pytest.raises(ValueError, match="300 queries with human grades.*" + order):
        judge_assisted_mean(PerQueryScores(labels, {"ndcg": judge}), people)


# Values of 0 and 1, and a judge that is hardly ever wrong.

PASSES = np.where(np.arange(300) % 10 == 3, 0.0, 1.0)
VERDICTS = np.where(np.isin(np.arange(300), (3, 8, 41)), 1 - PASSES, PASSES)
PEOPLE = np.where(np.arange(300) % 5 == 3, PASSES, np.nan)
FEW_DIFFER = pytest.mark.filterwarnings("ignore:.*human values that differ")


def test_the_error_allows_for_errors_of_the_judge_that_nobody_saw():
    warning = "`values` has 2 of 60 human values that differ .* confidence_interval"
    with pytest.warns(UserWarning, match=warning):
        found = judge_assisted_mean(PEOPLE, VERDICTS, value_range=(0, 1))
    values = by_loops(PEOPLE, VERDICTS, 0.2, np.arange(300))
    error = np.sqrt(values.var(ddof=1) / 300 + (1 / 60) ** 2)
    assert found.mean == pytest.approx(values.mean())
    assert found.standard_error == pytest.approx(error)
    low, high = stats.t.interval(0.95, 59, values.mean(), error)
    assert (found.low, found.high) == pytest.approx((low, min(high, 1)))
    with pytest.warns(UserWarning, match="give `value_range`, such as"):
        unbounded = judge_assisted_mean(PEOPLE, VERDICTS)
    assert (unbounded.low, unbounded.high) == pytest.approx((low, high))
    with pytest.warns(UserWarning, match="2 of 60"):
        percent = judge_assisted_mean(100 * PEOPLE, 100 * VERDICTS, value_range=(0, 100))
    assert percent.standard_error == pytest.approx(100 * error)


def test_the_error_allows_for_errors_of_several_judges_that_nobody_saw():
    wrong = [(3, 8, 41), (18, 60), (8, 100, 233)]
    turned = [np.isin(np.arange(300), units) for units in wrong]
    judges = np.column_stack([np.where(is_off, 1 - PASSES, PASSES) for is_off in turned])
    human = np.where(np.random.default_rng(0).permutation(300) < 60, PASSES, np.nan)
    values = by_loops(human, judges, 0.2, np.arange(300))
    error = np.sqrt(values.var(ddof=1) / 300 + (1 / 60) ** 2)
    with pytest.warns(
        UserWarning, match=r"that differ from the judges together; .* their errors"
    ):
        found = judge_assisted_mean(human, judges, value_range=(0, 1))
    assert found.mean == pytest.approx(values.mean(), rel=1e-9)
    assert found.standard_error == pytest.approx(error, rel=1e-9)


@pytest.mark.slow
@FEW_DIFFER
@pytest.mark.filterwarnings("ignore:.*human values of")
@pytest.mark.parametrize(("share", "n_human"), [(0.5, 60), (0.9, 40), (0.2, 100)])
def test_five_judges_with_shared_errors_cover_as_often_as_they_say(share, n_human):
    rng = np.random.default_rng(n_human)
    covers = 0
    for _ in range(2000):
        truth = (rng.random(300) < share) * 1.0
        is_wrong = rng.random((300, 5)) < [0.05, 0.1, 0.1, 0.15, 0.2]
        is_shared = rng.random(300) < 0.2
        is_wrong[is_shared] = rng.random((np.count_nonzero(is_shared), 1)) < 0.5
        judges = np.where(is_wrong, 1 - truth[:, None], truth[:, None])
        human = np.where(rng.permutation(300) < n_human, truth, np.nan)
        found = judge_assisted_mean(human, judges, value_range=(0, 1))
        covers += found.low <= share <= found.high
    assert covers / 2000 > 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / 2000) - 0.005


@FEW_DIFFER
@pytest.mark.filterwarnings("ignore:.*human values of 30")
def test_clusters_and_chances_count_in_what_nobody_saw():
    values = by_loops(PEOPLE, VERDICTS, 0.2, np.arange(300) // 10)
    found = judge_assisted_mean(PEOPLE, VERDICTS, clusters=np.arange(300) // 10)
    without = confidence_interval(values, clusters=np.arange(300) // 10).standard_error
    assert found.standard_error**2 - without**2 == pytest.approx(1 / 30**2)
    chance = np.where(np.arange(300) < 150, 0.1, 0.3)
    found = judge_assisted_mean(PEOPLE, VERDICTS, probability=chance)
    values = by_loops(PEOPLE, VERDICTS, chance, np.arange(300))
    without = confidence_interval(values).standard_error
    n_effective = (30 * 10 + 30 / 0.3) ** 2 / (30 * 100 + 30 / 0.09)
    assert found.standard_error**2 - without**2 == pytest.approx(1 / n_effective**2)


@FEW_DIFFER
@pytest.mark.parametrize("share", [0.5, 0.9, 1])
def test_sixty_passes_of_sixty_are_not_certain(share):
    human = np.where(np.arange(400) < 60, 1.0, np.nan)
    judge = (np.random.default_rng(0).random(400) < share) * 1.0
    found = judge_assisted_mean(human, judge, value_range=(0, 1))
    assert (found.mean, found.high) == pytest.approx((1, 1))
    assert found.low == pytest.approx(stats.beta.ppf(0.025, 60, 1), abs=1e-6)
    found = judge_assisted_mean(1 - human, judge, value_range=(0, 1))
    assert (found.mean, found.low) == pytest.approx((0, 0), abs=1e-12)
    assert found.high == pytest.approx(stats.beta.ppf(0.975, 1, 60), abs=1e-6)
    assert judge_assisted_mean(human, judge).low < 0.97


@FEW_DIFFER
def test_the_range_is_that_of_the_metric():
    is_pass = np.arange(400) % 20 > 0
    truth = np.stack([is_pass, ~is_pass], axis=1) * 1.0
    seen = truth.copy()
    seen[13::40] = 1 - seen[13::40]
    how = {"metrics": "precision@1"}
    scores = np.broadcast_to([2.0, 1.0], (400, 2))
    judge = per_query_scores(seen, scores, **how)
    human = per_query_scores(truth, scores, **how).of(np.arange(400) % 5 == 0)
    found = judge_assisted_mean(human, judge)["precision@1"]
    values = np.where(np.arange(400) % 5 == 0, truth[:, 0], np.nan), seen[:, 0]
    assert found == judge_assisted_mean(*values, value_range=(0, 1))
    assert found.high <= 1
    with pytest.raises(ValueError, match=r"outside `value_range` \(0, 0.5\)"):
        judge_assisted_mean(human, judge, value_range=(0, 0.5))


def test_values_between_the_ends_are_kept_within_the_range_only():
    human = np.where(np.arange(400) < 60, 1 - TRUE / 100, np.nan)
    judge = 1 - TRUE / 100 + np.where(np.arange(400) < 60, -0.5, 0.5)
    plain = judge_assisted_mean(human, judge)
    found = judge_assisted_mean(human, judge, value_range=(0, 1))
    assert found.standard_error == plain.standard_error
    assert plain.high > 1 >= found.high
    assert 0 <= found.low <= found.mean <= found.high


# The method for values of 0 and 1 again, of many samples at once.

PAIRS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])  # by people and by the judge


def draw_samples(n_units, n_human, share, wrong, n_samples, seed):
    """Return how many units have each pair of values, judged by people and others."""
    rng = np.random.default_rng(seed)
    is_pass, is_wrong = PAIRS[:, 0] == 1, PAIRS[:, 0] != PAIRS[:, 1]
    chances = np.where(is_pass, share, 1 - share) * np.where(is_wrong, wrong, 1 - wrong)
    sizes = n_human, n_units - n_human
    return [rng.multinomial(size, chances, n_samples) for size in sizes]


def intervals_of_samples(of_people, others):
    """Return the low and the high ends, by least squares over the kinds of units."""
    n_human, n_units = of_people[0].sum(), of_people[0].sum() + others[0].sum()
    times = n_units / n_human
    of_others = np.stack([others[:, [0, 2]].sum(axis=1), others[:, [1, 3]].sum(axis=1)], 1)
    counts = np.hstack([of_people, of_others]).astype(float)
    h = np.array([times] * 4 + [0, 0])
    columns = np.stack([np.ones(6), 1 - h, (1 - h) * [0, 1, 0, 1, 0, 1]], axis=1)
    values = h * [0, 0, 1, 1, 0, 0]
    products = np.einsum("st,ti,tj->sij", counts, columns, columns)
    inverse = np.linalg.pinv(products, rcond=1e-10, hermitian=True)
    slopes = np.einsum("sij,st,tj,t->si", inverse, counts, columns, values)
    moved = np.einsum("sij,tj->sti", inverse, columns)
    apart = values - slopes @ columns.T
    apart /= 1 - np.minimum(np.einsum("sti,ti->st", moved, columns), 1 - 1e-9)
    alone = apart + slopes[:, :1] - moved[:, :, 0] * apart
    mean = (counts * alone).sum(axis=1) / n_units
    squares = (counts * (alone - mean[:, None]) ** 2).sum(axis=1)
    is_different = np.abs(alone[:, :4] - mean[:, None]) / times > 0.5
    n_different = (of_people * is_different).sum(axis=1)
    variance = squares / (n_units * (n_units - 1)) + (n_different < 5) / n_human**2
    half = stats.t.ppf(0.975, n_human - 1) * np.sqrt(variance)
    low, high = np.clip(mean - half, 0, 1), np.clip(mean + half, 0, 1)
    n_passes = of_people[:, 2:].sum(axis=1)
    end = 0.025 ** (1 / n_human)
    low = np.where(n_passes == n_human, np.minimum(low, end), low)
    return low, np.where(n_passes == 0, np.maximum(high, 1 - end), high)


CELLS = [
    (2000, 60, 0.05, 0.01),
    (2000, 60, 0.05, 0.10),
    (2000, 60, 0.10, 0.01),
    (400, 50, 0.30, 0.02),
    (300, 40, 0.90, 0.05),
    (300, 20, 0.90, 0.05),
    (1000, 100, 0.97, 0.01),
    (5000, 200, 0.98, 0.02),
]


@FEW_DIFFER
@pytest.mark.filterwarnings("ignore:.*human values of")
@pytest.mark.parametrize("cell", CELLS)
def test_many_samples_at_once_have_the_intervals_of_single_calls(cell):
    of_people, others = draw_samples(*cell, 3, seed=1)
    low, high = intervals_of_samples(of_people, others)
    for sample in range(3):
        seen = np.repeat(PAIRS, of_people[sample], axis=0)
        unseen = np.repeat(PAIRS, others[sample], axis=0)
        human = np.r_[seen[:, 0], np.full(len(unseen), np.nan)]
        judge = np.r_[seen[:, 1], unseen[:, 1]]
        found = judge_assisted_mean(human, judge, value_range=(0, 1))
        expected = low[sample], high[sample]
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS)
def test_good_judges_and_rare_values_are_covered(cell):
    share = cell[2]
    of_people, others = draw_samples(*cell, 20_000, seed=2)
    low, high = intervals_of_samples(of_people, others)
    missed = np.mean((share < low) | (share > high))
    assert missed <= 1.1 * 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 20_000)
    exact = stats.binomtest(round(share * cell[1]), cell[1]).proportion_ci(0.95)
    assert np.mean(high - low) < exact.high - exact.low


def test_with_enough_values_that_differ_no_guard_is_needed():
    human = np.array([*[0.0, 1.0] * 30, *[np.nan] * 60])
    judge = np.array([*[0.0, 1.0, 1.0, 0.0] * 15, *[1.0] * 60])  # half of them differ
    plain = judge_assisted_mean(human, judge, value_range=(-1, 2))
    within = judge_assisted_mean(human, judge, value_range=(0, 1))
    assert within.standard_error == pytest.approx(plain.standard_error, rel=1e-12)


def test_judges_in_rows_are_told_to_be_columns():
    with pytest.raises(ValueError, match="give a column for each judge, as np"):
        judge_assisted_mean([0.1, 0.2, np.nan], [[0.1, 0.2, 0.3], [0.1, 0.2, 0.4]])


def test_values_of_other_queries_are_told_how_to_match():
    with pytest.raises(ValueError, match="`judge` 5; give both one value per query, NaN"):
        judge_assisted_mean([0.1, 0.2, np.nan], [0.1] * 5)
