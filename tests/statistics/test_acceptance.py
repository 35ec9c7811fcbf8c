"""Worked examples of the comparison, each computed in two ways."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.statistics import compare_models
from tests.statistics.examples import (
    DARWIN,
    FIRST_DRUG,
    OF_USERS,
    SECOND_DRUG,
    SIX,
    TEN_SMALL,
    THREE_CLUSTERS,
    THREE_MODELS,
    TIED_SUMS,
    USERS,
    WEIGHTS,
    WITH_NAN,
    against_zero,
)

FEW = pytest.mark.filterwarnings("ignore:.*queries; intervals")


def row_of(values, **options):
    found = compare_models(against_zero(values), baseline="zero", **options)
    return found.row("model")


def about(*values):
    return pytest.approx(values, rel=2e-5, abs=2e-6)


def test_darwins_plants():
    row = row_of(DARWIN)
    assert (row.mean, row.standard_error, row.statistic) == about(
        2.616667, 1.218195, 2.147987
    )
    assert (row.p_value, row.low, row.high, row.effect_size) == about(
        0.0497029, 0.003899, 5.229434, 0.554608
    )
    oracle = stats.ttest_1samp(DARWIN, 0)
    assert row.p_value == pytest.approx(oracle.pvalue, rel=1e-12)
    exact = {"test": "randomization", "n_resamples": 2**15}
    assert row_of(DARWIN, **exact).p_value == 1726 / 32768
    assert row_of(DARWIN, **exact, alternative="greater").p_value == 863 / 32768


def test_sleep():
    scores = {"first": FIRST_DRUG, "second": SECOND_DRUG}
    row = compare_models(scores, baseline="first").row("second")
    found = (row.difference, row.statistic, row.p_value, row.low, row.high, row.effect_size)
    assert found == about(1.58, 4.062128, 0.00283289, 0.700114, 2.459886, 1.284558)
    assert (row.better, row.equal, row.worse) == (9, 1, 0)
    exact = compare_models(scores, baseline="first", test="randomization")
    assert exact.row("second").p_value == 4 / 1024


@FEW
def test_three_models():
    found = compare_models(THREE_MODELS, baseline="A", test="t")
    b, c = found.row("B"), found.row("C")
    assert (b.difference, b.standard_error, b.statistic, b.p_value) == about(
        0.083333, 0.0283627, 2.938128, 0.0323267
    )
    assert (b.low, b.high, b.relative_difference, b.effect_size) == about(
        0.010425, 0.156242, 0.208333, 1.199486
    )
    assert (c.difference, c.standard_error, c.statistic, c.p_value) == about(
        0.126667, 0.0174483, 7.259527, 0.000774974
    )
    assert (c.low, c.high) == about(0.081814, 0.171519)
    assert [(r.better, r.equal, r.worse) for r in (b, c)] == [(5, 0, 1), (6, 0, 0)]
    means = found.means
    assert means["model"].tolist() == ["A", "B", "C"]
    assert (means["mean"][0], means["low"][0], means["high"][0]) == about(
        0.40, 0.126341, 0.673659
    )


@FEW
@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("holm", [0.0323267, 0.00154995]),
        ("bonferroni", [0.0646534, 0.00154995]),
        ("fdr_bh", [0.0323267, 0.00154995]),
        ("max_t", [6 / 64, 2 / 64]),
        (None, [0.0323267, 0.000774974]),
    ],
)
def test_three_models_corrected(correction, expected):
    found = compare_models(THREE_MODELS, baseline="A", correction=correction)
    assert found.columns["p_adjusted"].tolist() == about(*expected)


@FEW
def test_three_models_by_flips():
    found = compare_models(THREE_MODELS, baseline="A", test="randomization")
    assert found.columns["p_value"].tolist() == [6 / 64, 2 / 64]


@FEW
def test_all_pairs():
    found = compare_models(THREE_MODELS)
    pairs = list(zip(found.columns["model"], found.columns["baseline"], strict=True))
    assert pairs == [("B", "A"), ("C", "A"), ("C", "B")]
    assert found.columns["p_adjusted"].tolist() == about(0.0646534, 0.00232492, 0.193129)
    assert found.row("C", "B").difference == pytest.approx(0.26 / 6)


@FEW
def test_ties_of_sums():
    assert row_of(TIED_SUMS, test="randomization").p_value == 24 / 64


@FEW
def test_weights():
    row = row_of(SIX, sample_weight=WEIGHTS)
    assert (row.difference, row.standard_error) == about(0.14, 0.0833333)
    assert (row.df, row.p_value) == about(4.053619, 0.167309)
    assert np.isnan(row.effect_size)
    row = row_of(SIX)
    assert (row.difference, row.standard_error) == about(0.15, 0.0763763)


@FEW
def test_clusters():
    row = row_of(SIX, clusters=THREE_CLUSTERS)
    found = (row.standard_error, row.p_value, row.low, row.high)
    assert found == about(0.0745356, 0.206670, -0.240735, 0.540735)
    assert (row.df, row.n_effective, row.largest_cluster) == about(1.666667, 2.571429, 0.5)
    assert row.n_clusters == 3
    row = row_of(SIX, clusters=THREE_CLUSTERS, sample_weight=WEIGHTS)
    assert (row.difference, row.standard_error) == about(0.14, 0.0915738)
    found = (row.df, row.p_value, row.low, row.high)
    assert found == about(1.75, 0.282658, -0.313184, 0.593184)


@FEW
def test_users():
    row = row_of(OF_USERS, groups=USERS)
    found = (row.difference, row.standard_error, row.p_value, row.low, row.high)
    assert found == about(0.0541667, 0.0220784, 0.0524570, -0.000811, 0.109144)
    assert row.df == pytest.approx(5.598396, abs=1e-6)
    exact = row_of(OF_USERS, clusters=USERS, test="randomization")
    assert exact.p_value == 14 / 256
    assert (exact.low, exact.high) == about(-0.0025, 0.094)
    assert exact.interval == "flips"


@FEW
def test_one_user_with_half_of_the_rows():
    values = [0.3, 0.2, 0.4, 0.1, 0.5, 0.1, -0.1, 0, 0.2, -0.2]
    row = row_of(values, clusters=[0, 0, 0, 0, 0, 1, 2, 3, 4, 5])
    assert (row.standard_error, row.df, row.p_value) == about(0.1166667, 2.793103, 0.294771)


def test_users_ignored():
    row = row_of(OF_USERS)
    assert (row.standard_error, row.p_value) == about(0.0149979, 0.00408596)
    assert row_of(OF_USERS, test="randomization").p_value == 32 / 4096


@FEW
def test_undefined_queries_are_left_out_for_all():
    with pytest.warns(UserWarning, match="undefined for different queries"):
        found = compare_models(WITH_NAN, baseline="A")
    assert found.means["mean"].tolist() == about(0.5, 0.633333, 0.533333)
    b, c = found.row("B"), found.row("C")
    assert (b.difference, b.statistic, b.p_value) == about(0.133333, 2, 0.183503)
    assert (c.difference, c.statistic, c.p_value) == about(0.033333, 0.25, 0.825922)
    assert (b.n_queries, found.n_undefined) == (3, {"score": 2})


def test_wilcoxon_is_not_about_the_mean():
    values = np.repeat([0.01, -0.09], [900, 100])
    assert row_of(values).p_value == pytest.approx(1)
    p_value = row_of(values, test=lambda a, b: stats.wilcoxon(a - b)).p_value
    assert p_value == pytest.approx(9.8e-79, rel=0.02)

    def sign_test(one, other):
        return stats.binomtest(int(np.sum(one > other)), len(one))

    assert row_of(values, test=sign_test).p_value == pytest.approx(1.3e-161, rel=0.04)


def test_hits():
    values = np.repeat([0, 1, -1], [80, 14, 6])
    row = row_of(values)
    assert (row.difference, row.p_value) == about(0.08, 0.0734755)
    mcnemar = stats.binomtest(6, 20).pvalue
    assert mcnemar == pytest.approx(0.115318, abs=1e-6)
    drawn = row_of(values, test="randomization", n_resamples=99_999, random_state=0)
    assert drawn.p_value == pytest.approx(mcnemar, abs=4 * np.sqrt(0.1 / 99_999))


def test_the_largest_of_many_equal_candidates():
    rng = np.random.default_rng(1)
    below = 0
    for _ in range(1000):
        values = rng.normal(0, 0.2, (200, 20))
        best = values[:, values.mean(axis=0).argmax()]
        below += stats.ttest_1samp(best, 0).pvalue < 0.05
    assert below / 1000 == pytest.approx(0.388, abs=0.01)
    assert below / 1000 == pytest.approx(1 - 0.975**20, abs=0.04)


def test_many_queries_and_a_margin():
    half = np.sqrt(0.2**2 * (10**6 - 1) / 10**6)
    row = row_of(0.0005 + np.tile([half, -half], 500_000), margin=0.005)
    found = (row.statistic, row.p_value, row.low, row.high, row.effect_size)
    assert found == pytest.approx((2.5, 0.0124, 0.000108, 0.000892, 0.0025), rel=2e-3)
    assert row.verdict == "equivalent"


@pytest.mark.parametrize(("margin", "verdict"), [(0.02, "equivalent"), (0.01, "undecided")])
def test_margin(margin, verdict):
    row = row_of(TEN_SMALL, margin=margin)
    assert (row.difference, row.low, row.high) == about(0.007, -0.003691, 0.017691)
    assert row.verdict == verdict


def test_two_one_sided_tests_say_that_models_are_equivalent():
    above = row_of(TEN_SMALL + 0.02, alternative="greater").p_value
    below = row_of(TEN_SMALL - 0.02, alternative="less").p_value
    assert (above, below) == about(0.000145, 0.011223)


def test_samples_that_are_not_paired_lose_what_pairs_tell():
    unpaired = stats.ttest_ind(FIRST_DRUG, SECOND_DRUG).pvalue
    assert unpaired == pytest.approx(0.0791867, abs=1e-7)
