"""Sums without rounding: against fractions and math.fsum, in any order, from any parts."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

from sklearn_rank._base._exact_sum import (
    ExactSums,
    as_float,
    exact_products,
    exact_sum,
    square_root,
    sums_within,
)

RNG = np.random.default_rng(0)
N = 70_000  # more than one block


def of_any_size(n):
    return np.ldexp(RNG.standard_normal(n), RNG.integers(-1074, 990, n))


VALUES = {
    "shares": RNG.random(N),
    "signed": RNG.standard_normal(300),
    "zeros": np.where(RNG.random(300) < 0.9, 0.0, RNG.random(300)),
    "counts": RNG.integers(0, 2**40, 300).astype(float),
    "of any size": of_any_size(40),
    "denormal": np.ldexp(RNG.standard_normal(300), -1070),
    "huge": np.ldexp(RNG.standard_normal(300), 1010),
    "that cancel": np.concatenate([np.full(3, 1e300), np.full(3, -1e300), [1e-300, 1, 3]]),
    "half a bit": np.array([1.0, 2.0**-53, 2.0**-300]),
    "half a bit less": np.array([1.0, 2.0**-53, -(2.0**-300)]),
    "none": np.empty(0),
}


@pytest.fixture(params=VALUES)
def values(request):
    return VALUES[request.param]


def as_fraction(values):
    return sum(map(Fraction, values.tolist()), Fraction(0))


def test_a_sum_is_exact(values):
    assert exact_sum(values) == as_fraction(values)
    assert as_float(exact_sum(values)) == math.fsum(values)


def test_products_are_exact(values):
    values = values[:300]
    other = of_any_size(len(values))
    each = zip(map(Fraction, values.tolist()), map(Fraction, other.tolist()), strict=True)
    expected = sum((one * two for one, two in each), Fraction(0))
    squares = sum((Fraction(x) ** 2 for x in values.tolist()), Fraction(0))
    found = exact_products([values, other])
    assert found[0] == [len(values), exact_sum(values), exact_sum(other)]
    assert found[1][1:] == [squares, expected]
    assert [row[1] for row in found] == found[1]


def test_products_of_many_rows_with_more_digits_than_usual():
    rng = np.random.default_rng(1)
    values = np.ldexp(rng.standard_normal(20_000), rng.integers(-99, 99, 20_000))
    squares = sum((Fraction(x) ** 2 for x in values.tolist()), Fraction(0))
    assert exact_products([values]) == [
        [len(values), as_fraction(values)],
        [as_fraction(values), squares],
    ]


def test_many_sums_are_correctly_rounded(values):
    codes = RNG.integers(0, 5, len(values))
    expected = [math.fsum(values[codes == i]) for i in range(6)]
    sums = sums_within(codes, values, 6)
    assert (sums.tolist(), sums.dtype) == (expected, np.float64)
    found = ExactSums.build(codes, values, 6)
    assert found.result().tolist() == expected
    for i, parts in enumerate(found.parts.T):
        assert as_fraction(parts) == as_fraction(values[codes == i])


@pytest.mark.parametrize("n_parts", [1, 2, 7, 50, 333])
def test_any_parts_in_any_order_are_the_same_sums(values, n_parts):
    codes = RNG.integers(0, 5, len(values))
    expected = ExactSums.build(codes, values, 5)
    sums = ExactSums()
    for rows in np.array_split(RNG.permutation(len(values)), n_parts):
        part = ExactSums.build(codes[rows], values[rows], 5)
        sums = pickle.loads(pickle.dumps(part)).merge(sums)
    assert sums.parts.tobytes() == expected.parts.tobytes()
    found = [exact_sum(part) for part in np.array_split(values, n_parts)]
    assert sum(found, Fraction(0)) == exact_sum(values)


def test_sums_of_sums():
    codes, values = np.array([0, 1, 2, 1]), np.array([0.1, 0.2, 0.3, 1e-20])
    found = ExactSums.build(codes, values, 3).sum_groups(np.array([1, 0, 1]), 2)
    assert found.result().tolist() == [0.2 + 1e-20, math.fsum([0.1, 0.3])]
    longer = ExactSums.build(codes, values, 4).merge(
        ExactSums.build(codes[:1], values[:1], 1)
    )
    assert longer.result().tolist() == [0.2, 0.2, 0.3, 0.0]


def test_what_is_not_finite_stays_so():
    inf, nan = np.inf, np.nan
    values = np.array([inf, 1.0, -inf, inf, nan, 1.0, -inf, 0.1, 1e308, 1e308, 1e-20])
    codes = np.array([0, 0, 1, 2, 3, 3, 2, 4, 5, 5, 5])
    expected = [inf, -inf, nan, nan, 0.1, inf]
    assert sums_within(codes, values, 6) == pytest.approx(expected, nan_ok=True)
    found = ExactSums.build(codes, values, 6)
    found = found.merge(ExactSums.build(np.arange(6), np.ones(6), 6))
    expected[4] = 1.1
    assert found.result() == pytest.approx(expected, rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_a_fraction_is_finite(value):
    with pytest.raises(ValueError, match="Only finite numbers"):
        exact_sum(np.array([1.0, value]))


@pytest.mark.parametrize("power", [-3000, -1074, -3, 0, 1, 1020, 3000])
def test_numbers_of_any_size(power):
    number = Fraction(2) ** power
    assert square_root(number * number * 9) == as_float(number * 3)
    assert square_root(Fraction(0)) == 0
    assert as_float(-number) == -as_float(number)


@pytest.mark.parametrize("n", [3, 5000])
def test_products_need_finite_numbers(n):
    values = np.ones(n)
    values[1] = np.inf
    with pytest.raises(ValueError, match="finite"):
        exact_products([values])
