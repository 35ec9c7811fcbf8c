"""Sums without rounding: the same bits for any order and any parts.

A number is cut at fixed powers of two into digits: whole numbers so small that floats add
them, and products of two, without rounding. One sum is kept as a fraction; many sums at
once are kept as the nearest float and floats for the rest. Both hold the sum exactly, so
parts of it may be added in any order. All finite floats are fine, however small or large.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import mul
from typing import Self

import numpy as np

# Fewer rows are faster in Python.
_FEW_ROWS = 64
# Sums of products of two digits over this many rows are at most 2**53.
_SMALL_DIGIT = 19
_ROWS = 2**15
# Sums of digits of this width over this many rows are at most 2**53, too.
_WIDE_DIGIT = 53 - 15
# BLAS adds products of more rows in several threads, whose start costs more.
_LINE = 2**13
# Few floats have bits beyond this many digits.
_USUAL_DIGITS = 3
# Numbers from 1 / 2**_LARGE to 2**_LARGE have products within floats.
_LARGE = 400
# The width of digits of many sums, less the bits of the largest number of values.
_BITS = 52
_ONLY_FINITE = "Only finite numbers have an exact sum; leave out the others."
# Beyond, a sum of digits might leave the floats before the others bring it back.
_HUGE = 960


def exact_sum(values: np.ndarray) -> Fraction:
    """Return the sum of finite values."""
    total = Counter[int]()
    rest, digits = np.empty((2, min(len(values), _ROWS)))
    for start in range(0, len(values), _ROWS):
        block = values[start : start + _ROWS]
        rest, digits = rest[: len(block)], digits[: len(block)]
        rest[:] = block
        while size := largest(rest):
            power, held = _cut_digits(rest, digits, size, _WIDE_DIGIT)
            total[power] += int(digits.sum() * 2.0**-held)
    return _as_fraction(total)


def exact_products(columns: Sequence[np.ndarray]) -> list[list[Fraction]]:
    """Return the sums of the products of each two columns of finite numbers.

    A column of ones is added as the first.
    """
    length, n = len(columns[0]), len(columns)
    if length <= _FEW_ROWS:
        return _products_in_python(columns)
    sums = [[Counter[int]() for _ in range(n + 1)] for _ in range(n + 1)]
    # Blocks reuse arrays: allocation would take longer than the work.
    space = np.empty((n * (_USUAL_DIGITS + 1), min(length, _ROWS)))
    for rows, shape in _chunks(length):
        lines = space[:, : shape[0] * shape[1]].reshape(-1, *shape)
        for line, column in zip(lines, columns, strict=False):
            line[:] = column[rows].reshape(shape)
        _add_products(sums, list(lines[:n]), list(lines[n:]))
    sums[0][0][0] = length
    products = [list(map(_as_fraction, sums[i][i:])) for i in range(n + 1)]
    return [[products[min(i, j)][abs(i - j)] for j in range(n + 1)] for i in range(n + 1)]


def _products_in_python(columns: Sequence[np.ndarray]) -> list[list[Fraction]]:
    """Return the sums by integers of Python, which are fast for few rows."""
    if not all([np.isfinite(column).all() for column in columns]):  # noqa: C419
        raise ValueError(_ONLY_FINITE)
    ratios = [[x.as_integer_ratio() for x in column.tolist()] for column in columns]
    unit = max([below for pairs in ratios for _, below in pairs], default=1)
    integers = [[above * (unit // below) for above, below in pairs] for pairs in ratios]
    rows = [[unit] * len(columns[0]), *integers]
    return [[Fraction(sum(map(mul, a, b)), unit**2) for b in rows] for a in rows]


def _chunks(length: int) -> Iterator[tuple[slice, tuple[int, int]]]:
    """Yield the rows of each block, and their lines: how many, and how long."""
    start = 0
    while start < length:
        line = min(length - start, _LINE)
        n_lines = min((length - start) // line, _ROWS // _LINE)
        yield slice(start, start + n_lines * line), (n_lines, line)
        start += n_lines * line


def _sum_products(digits: np.ndarray, factors: np.ndarray, power: int) -> int:
    """Return the sum of products, divided by 2**power."""
    return int(sum(np.vecdot(digits, factors).tolist()) * 2.0**-power)


def _as_fraction(by_power: Mapping[int, int]) -> Fraction:
    low = min(by_power, default=0)
    total = sum(number << (power - low) for power, number in by_power.items())
    return Fraction(total, 1 << -low) if low < 0 else Fraction(total << low)


def _add_products(
    sums: list[list[Counter[int]]], rests: list[np.ndarray], space: list[np.ndarray]
) -> None:
    """Add products of digits to the sums of two columns, the first first, by their power.

    Each digit is multiplied with all before. Rows without more digits are left out.
    """
    ones = np.ones(rests[0].shape[1])
    cut: list[tuple[int, int, int, np.ndarray]] = []
    while any(sizes := [largest(rest) for rest in rests]):
        if len(cut) >= _USUAL_DIGITS * len(rests):
            left = np.flatnonzero(np.logical_or.reduce([rest != 0 for rest in rests]))
            if len(left) <= _LINE:
                ones, rests = ones[: len(left)], [_take_cells(rest, left) for rest in rests]
                cut = [(*entry[:3], _take_cells(entry[3], left)) for entry in cut]
            space = []
        for column, size in enumerate(sizes, 1):
            if not size:
                continue
            rest = rests[column - 1]
            digits = space.pop() if space else np.empty_like(rest)
            power, held = _cut_digits(rest, digits, size, _SMALL_DIGIT)
            cut.append((column, power, held, digits))
            for second_column, other_power, other_held, second_digits in [
                (0, 0, 0, ones),
                *cut,
            ]:
                total = _sum_products(digits, second_digits, held + other_held)
                is_twice = second_column == column and second_digits is not digits
                by_power = sums[min(column, second_column)][max(column, second_column)]
                by_power[power + other_power] += total * (1 + is_twice)


def _take_cells(lines: np.ndarray, places: np.ndarray) -> np.ndarray:
    return lines.reshape(1, -1)[:, places]


def _cut_digits(
    rest: np.ndarray, digits: np.ndarray, size: float, width: int
) -> tuple[int, int]:
    """Take the first digits off the rest; return their power of two, and that they hold.

    Digits over 2**held are whole, and those times 2**power are what was taken.
    """
    power = _exponent(size) - width
    if abs(power) < _LARGE:
        large = 1.5 * 2.0 ** (52 + power)  # its last bit is 2**power
        np.add(rest, large, out=digits)
        digits -= large
        rest -= digits
        return power, power
    np.rint(_scale(rest, -power, digits), out=digits)
    rest -= _scale(digits, power)
    return power, 0


def _exponent(size: float) -> int:
    if not math.isfinite(size):
        raise ValueError(_ONLY_FINITE)
    return math.frexp(size)[1]


def _digits(values: np.ndarray, width: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (power, digits), which times 2**power add up to the values.

    Powers are multiples of the width, digits are up to 2**width. The array is used again.
    """
    rest = np.array(values, dtype=np.float64)
    digits, numbers = np.empty((2, len(rest)))
    while size := largest(rest):
        power = (_exponent(size) - 1) // width * width
        np.rint(_scale(rest, -power, digits), out=digits)
        yield power, digits
        rest -= _scale(digits, power, numbers)


def largest(values: np.ndarray) -> float:
    """Return the size of the largest number, 0 of none."""
    if not values.size:
        return 0.0
    return max(
        float(np.maximum.reduce(values, axis=None)),
        -float(np.minimum.reduce(values, axis=None)),
    )


def _scale(
    values: np.ndarray, power: int | np.ndarray, out: np.ndarray | None = None
) -> np.ndarray:
    if isinstance(power, int) and -1000 < power < 1000:
        return np.multiply(values, 2.0**power, out=out)  # faster than ldexp
    return np.ldexp(values, power, out=out)


def square_root(number: Fraction) -> float:
    """Return the square root of a number of any size, 0 or more."""
    power = (number.numerator.bit_length() - number.denominator.bit_length()) // 2
    near_one = math.sqrt(number / Fraction(4) ** power)
    return as_float(Fraction(near_one) * Fraction(2) ** power)


def as_float(number: Fraction) -> float:
    """Return the float next to a number, an infinite one beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def sums_within(codes: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """Return n sums, correctly rounded: sum i is that of the values with code i."""
    counts = _sum_small_integers(codes, values, n)
    return _DigitSums.build(codes, values, n).rounded() if counts is None else counts


def _sum_small_integers(codes: np.ndarray, values: np.ndarray, n: int) -> np.ndarray | None:
    """Return the sums if values are small whole numbers, which floats add exactly."""
    if not (np.rint(values) == values).all() or not np.abs(values).sum() < 2.0**53:
        return None
    # Sums of no values are integers.
    return np.bincount(codes, values, n).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class ExactSums:
    """Many sums, each as its nearest float, the nearest float of the rest, and so on.

    As the parts are numbers too, sums are merged by adding up the parts. A sum beyond the
    largest float is infinite, and stays so.
    """

    parts: np.ndarray = field(default_factory=lambda: np.zeros((1, 0)))  # (n_parts, n)

    @classmethod
    def build(cls, codes: np.ndarray, values: np.ndarray, n: int) -> Self:
        """Return n sums: sum i is that of the values with code i."""
        counts = _sum_small_integers(codes, values, n)
        if counts is not None:
            return cls(counts[np.newaxis])
        left = _DigitSums.build(codes, values, n)
        parts = [left.rounded()]
        while (left := left.subtract(parts[-1])).by_power:
            parts.append(left.rounded())
        return cls(np.array(parts))

    def result(self) -> np.ndarray:
        """Return the sums, correctly rounded."""
        return self.parts[0]

    def sum_groups(self, codes: np.ndarray, n: int) -> Self:
        """Return n sums: sum i is that of the sums with code i."""
        return self.build(np.tile(codes, len(self.parts)), self.parts.ravel(), n)

    def merge(self, other: Self) -> Self:
        """Return the sums of the values of both; where one has no sum i, it is 0."""
        sizes = [state.parts.shape[1] for state in (self, other)]
        codes = np.concatenate([np.arange(size) for size in sizes])
        return self.followed_by(other).sum_groups(codes, max(sizes))

    def followed_by(self, other: Self) -> Self:
        """Return these sums, and the others after them."""
        sides, height = (self.parts, other.parts), max(len(self.parts), len(other.parts))
        filled = [np.pad(side, ((0, height - len(side)), (0, 0))) for side in sides]
        return type(self)(np.hstack(filled))


class _DigitSums:
    """Digits of n sums by their power of two, and the values that are not finite."""

    def __init__(self, n: int, width: int):
        self.n, self.width = n, width
        self.by_power: dict[int, np.ndarray] = {}
        self.beyond: np.ndarray | None = None

    @classmethod
    def build(cls, codes: np.ndarray, values: np.ndarray, n: int) -> "_DigitSums":
        """Return those of the sums of the values of each code."""
        most = int(np.bincount(codes).max(initial=1))
        return cls(n, _BITS - most.bit_length()).add(codes, values)

    def add(self, codes: np.ndarray, values: np.ndarray) -> "_DigitSums":
        """Return those of the sums with more values, each added to the sum of its code."""
        digit_sums = _DigitSums(self.n, self.width)
        digit_sums.by_power = dict(self.by_power)
        is_finite = np.isfinite(values)
        if not is_finite.all():
            digit_sums.beyond = np.bincount(codes[~is_finite], values[~is_finite], self.n)
            codes, values = codes[is_finite], values[is_finite]
        for power, digits in _digits(values, self.width):
            total = np.bincount(codes, digits, self.n)
            digit_sums.by_power[power] = digit_sums.by_power.get(power, 0.0) + total
        digit_sums._carry()
        return digit_sums

    def subtract(self, part: np.ndarray) -> "_DigitSums":
        """Return those of what is left without this part of each sum."""
        left = self.add(np.arange(self.n), np.where(np.isfinite(part), -part, 0.0))
        for digits in left.by_power.values():
            digits[~np.isfinite(part)] = 0.0
        left._carry()
        return left

    def _carry(self) -> None:
        """Make digits small, and leave out those that are 0 in all sums."""
        power = min(self.by_power, default=0)
        while self.by_power and power <= max(self.by_power):
            digits = self.by_power.pop(power, np.zeros(1))
            carried = np.rint(digits * 2.0**-self.width)
            if carried.any():
                digits = digits - carried * 2.0**self.width
                above = self.by_power.get(power + self.width, 0.0)
                self.by_power[power + self.width] = above + carried
            if digits.any():
                self.by_power[power] = digits
            power += self.width

    def rounded(self) -> np.ndarray:
        """Return the float next to each sum."""
        shift = self._shift() if max(self.by_power, default=0) > _HUGE else 0
        total, rest, tail = np.zeros((3, self.n))
        for power in sorted(self.by_power, reverse=True):
            numbers = _scale(self.by_power[power], power - shift)
            total, lost = _add_exactly(total, numbers)
            if lost.any():
                rest, lost = _add_exactly(rest, lost)
                tail += lost
        if tail.any():
            # An odd last bit of the rest separates a half from a bit more or less.
            is_even = (tail != 0) & (rest.view(np.int64) % 2 == 0)
            rest = np.where(is_even, np.nextafter(rest, np.copysign(np.inf, tail)), rest)
        with np.errstate(over="ignore"):
            scaled = _scale(total + rest, shift)
        return scaled if self.beyond is None else scaled + self.beyond

    def _shift(self) -> np.ndarray:
        """Return the power of two by which huge sums are divided for a while."""
        shift = np.zeros(self.n, dtype=np.intp)
        for power, digits in self.by_power.items():
            if power > _HUGE:
                shift = np.maximum(shift, np.where(digits != 0, power - _HUGE, 0))
        return shift


def _add_exactly(larger: np.ndarray, smaller: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rounded sum of two numbers, one of them 0 or larger, and what is lost."""
    total = larger + smaller
    return total, smaller - (total - larger)
