from itertools import product

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.online import sample_ratio_test


@pytest.mark.parametrize(
    ("counts", "p_value", "mismatch"),
    [
        ((821_588, 815_482), 1.8218e-06, True),
        ((50_000, 50_500), 0.114749, False),
        ((5_000, 5_300), 0.00311669, False),
    ],
)
def test_equal_shares(counts, p_value, mismatch):
    found = sample_ratio_test(counts=dict(zip("ab", counts, strict=True)))
    assert found.p_value == pytest.approx(p_value, rel=1e-4)
    assert found.mismatch is mismatch
    assert found.expected == {"a": sum(counts) / 2, "b": sum(counts) / 2}


def test_the_statistic_of_the_first():
    found = sample_ratio_test(counts={"a": 821_588, "b": 815_482})
    assert found.statistic == pytest.approx(22.774369, abs=1e-6)


@pytest.mark.parametrize("shares", [{"a": 1 / 3, "b": 2 / 3}, {"b": 2, "a": 1}])
def test_other_shares(shares):
    found = sample_ratio_test(counts={"a": 900, "b": 2_100}, expected=shares)
    assert found.statistic == pytest.approx(15)
    assert found.p_value == pytest.approx(0.000107512, rel=1e-4)
    assert found.mismatch


@pytest.mark.parametrize(
    ("counts", "shares", "p_value"),
    [
        ((821_588, 815_482), (1, 1), 0.000462262),
        ((5_000, 5_300), (1, 1), 0.0626312),
        ((900, 2_100), (1, 2), 0.00656084),
        ((100, 100), (1, 1), 1),
    ],
)
def test_at_any_time(counts, shares, p_value):
    named = [dict(zip("ab", each, strict=True)) for each in (counts, shares)]
    found = sample_ratio_test(counts=named[0], expected=named[1], anytime=True)
    assert found.p_value == pytest.approx(p_value, rel=1e-6)
    assert found.mismatch == (p_value < 0.001)


def test_the_bayes_factor_by_single_units():
    """The product over units of the chance by the units so far, over the planned one."""
    units, shares = "abbbabcbbcabbbcbb" * 3, {"a": 0.5, "b": 0.3, "c": 0.2}
    seen, factor = {name: 1000 * share for name, share in shares.items()}, 1.0
    for name in units:
        factor *= seen[name] / sum(seen.values()) / shares[name]
        seen[name] += 1
    found = sample_ratio_test(list(units), expected=shares, anytime=True)
    assert found.statistic == pytest.approx(np.log(factor), abs=1e-9)


def test_looks_at_any_time_raise_few_false_alarms():
    rng = np.random.default_rng(0)
    alarms = {True: 0, False: 0}
    for _ in range(150):
        so_far = rng.binomial(500, 0.5, 40).cumsum()
        for anytime in alarms:
            alarms[anytime] += any(
                sample_ratio_test(
                    counts={"a": int(n), "b": 500 * (look + 1) - int(n)},
                    confidence_level=0.95,
                    anytime=anytime,
                ).mismatch
                for look, n in enumerate(so_far)
            )
    assert alarms[True] <= 0.05 * 150 < alarms[False]


def test_numbers_of_units_are_no_labels():
    with pytest.raises(TypeError, match="numbers of units as counts="):
        sample_ratio_test({"a": 10, "b": 12})


def test_labels_are_counted():
    labels = np.repeat(["new", "old"], [30, 50])
    found = sample_ratio_test(labels, confidence_level=0.95)
    assert found.counts == {"new": 30, "old": 50}
    assert found.p_value == sample_ratio_test(counts=found.counts).p_value
    assert found.mismatch


def test_a_variant_without_units_counts():
    found = sample_ratio_test(["a"] * 20, expected={"a": 1, "b": 1})
    assert found.counts == {"a": 20, "b": 0}
    assert found.statistic == pytest.approx(20)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ValueError, "not both"),
        ({"variant": ["a", "b"], "counts": {"a": 1, "b": 1}}, ValueError, "not both"),
        ({"variant": ["a", "a"]}, ValueError, "two variants"),
        ({"counts": {"a": 0, "b": 0}}, ValueError, "0 units"),
        ({"counts": {"a": 1.5, "b": 2}}, TypeError, "integer"),
        ({"counts": {"a": -1, "b": 2}}, ValueError, ">= 0"),
        ({"counts": [3, 4]}, TypeError, "dict"),
        ({"variant": ["a", None]}, ValueError, "missing"),
        ({"variant": ["a", "b"] * 2, "expected": {"a": 1, "B": 1}}, ValueError, "no share"),
        ({"variant": ["a", "b"], "expected": {"a": 1, "b": 0}}, ValueError, "above 0"),
        ({"variant": ["a", "b"] * 2, "expected": [1, 1]}, TypeError, "dict"),
        ({"variant": ["a", "b"], "confidence_level": 1}, ValueError, "confidence_level"),
        ({"variant": ["a", "b"], "anytime": "yes"}, ValueError, "anytime"),
    ],
)
def test_bad_input(arguments, error, message):
    with pytest.raises(error, match=message):
        sample_ratio_test(**arguments)


def by_listing(counts, shares):
    """Return the probability of all results that are no more likely, by a plain loop."""
    n, k = sum(counts), len(counts)
    results = [one for one in product(range(n + 1), repeat=k) if sum(one) == n]
    chances = np.array([stats.multinomial.pmf(one, n, shares) for one in results])
    own = stats.multinomial.pmf(counts, n, shares)
    return chances[chances <= own * (1 + 1e-7)].sum()


@pytest.mark.parametrize(
    ("counts", "shares"),
    [
        ((9, 3), (0.9, 0.1)),
        ((4, 4, 1), (0.45, 0.45, 0.1)),
        ((0, 6, 3), (0.1, 0.3, 0.6)),
        ((1, 1, 1, 4), (0.25, 0.25, 0.25, 0.25)),
    ],
)
def test_few_expected_units_have_an_exact_test(counts, shares):
    expected = dict(zip("abcd", shares, strict=False))
    found = sample_ratio_test(
        counts=dict(zip("abcd", counts, strict=False)), expected=expected
    )
    assert found.p_value == pytest.approx(by_listing(counts, shares), rel=1e-9)
    planned = sum(counts) * np.array(shares)
    assert found.statistic == pytest.approx(((counts - planned) ** 2 / planned).sum())


def test_many_units_with_one_rare_variant_take_each_alone():
    counts, expected = {"a": 50_000, "b": 49_900, "c": 12}, {"a": 0.5, "b": 0.5, "c": 2e-5}
    found = sample_ratio_test(counts=counts, expected=expected)
    alone = stats.binomtest(12, 99_912, 2e-5 / 1.00002).pvalue
    assert found.p_value == pytest.approx(3 * alone)
    assert found.mismatch


@pytest.mark.parametrize("level", [0.05, 0.001])
@pytest.mark.parametrize("shares", [(0.01, 0.99), (0.02, 0.49, 0.49)])
def test_the_level_holds_where_few_units_are_expected(shares, level):
    n = 100 if len(shares) == 2 else 30
    rejected = 0.0
    for one in product(range(n + 1), repeat=len(shares) - 1):
        if sum(one) > n:
            continue
        counts = [*one, n - sum(one)]
        chance = stats.multinomial.pmf(counts, n, shares)
        found = sample_ratio_test(
            counts=dict(zip("abc", counts, strict=False)),
            expected=dict(zip("abc", shares, strict=False)),
            confidence_level=1 - level,
        )
        rejected += chance * found.mismatch
    assert 0 < rejected <= level
