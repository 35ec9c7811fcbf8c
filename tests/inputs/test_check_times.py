"""The guard of times: units that are mixed, and rows dated far after all others."""

import numpy as np
import pytest

from sklearn_rank.datasets import make_interactions
from sklearn_rank.inputs._times import check_units, find_far_rows, read_times

SECONDS = np.sort(np.random.default_rng(0).integers(1_290_000_000, 1_320_000_000, 1000))
UNITS = {"milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}


def mixed(factor, rows, dtype=np.int64):
    times = SECONDS.astype(dtype)
    times[rows] *= factor
    return times


@pytest.mark.parametrize("rows", [slice(None, None, 2), [5, 7, 9], slice(3, None)], ids=str)
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("unit", UNITS)
def test_two_units_are_an_error_and_its_advice_mends_them(unit, dtype, rows):
    times, factor = mixed(UNITS[unit], rows, dtype), UNITS[unit]
    n = int((times != SECONDS).sum())
    found = rf"seconds \({1000 - n} rows, such as 12.* in row [01]\) and {unit} \({n} rows"
    with pytest.raises(ValueError, match=found) as raised:
        check_units(read_times(times))
    assert str(raised.value).endswith(f"; divide the {unit} by {factor:,}.")
    check_units(read_times(np.where(times > 10**11, times / factor, times)))


def test_all_units_are_named():
    times = mixed(1000, [1, 2])
    times[4] *= 10**9
    expected = (
        rf"^`times` mixes seconds \(997 rows, such as {SECONDS[0]} in row 0\) and "
        rf"milliseconds \(2 rows, such as {SECONDS[1]}000 in row 1\) and nanoseconds "
        rf"\(1 row, such as {SECONDS[4]}000000000 in row 4\); divide the milliseconds by "
        r"1,000 and the nanoseconds by 1,000,000,000\.$"
    )
    with pytest.raises(ValueError, match=expected):
        check_units(read_times(times))


@pytest.mark.parametrize("factor", [1, 10**3, 10**6, 10**9])
def test_one_unit_is_none_mixed(factor):
    check_units(read_times(SECONDS * factor))
    check_units(read_times((SECONDS * factor).astype("M8[ns]")))


def test_values_between_the_units_make_one_scale():
    check_units(read_times([5 * 10**9, 5 * 10**10, 5 * 10**11]))
    check_units(read_times([5 * 10**9, 5 * 10**12, 5 * 10**13, 5 * 10**15]))
    with pytest.raises(ValueError, match="mixes seconds"):
        check_units(read_times([0, 5 * 10**9, 5 * 10**12]))


SMALL = {
    "row numbers": np.arange(1000),
    "years": np.random.default_rng(1).integers(1990, 2025, 5000),
    "uniform": np.random.default_rng(2).random(1000),
    "one time": np.ones(1000),
    "two times": np.repeat([1, 2], [999, 1]),
    "a waning log, upside down": -np.random.default_rng(3).exponential(size=1000),
    "fewer than a hundred": [*range(98), 10**6],
    "made": make_interactions(500, 300, 10_000, random_state=0).time,
}


@pytest.mark.parametrize("times", SMALL.values(), ids=SMALL)
def test_nothing_is_said_of_times_as_they_are(times):
    times = read_times(times)
    check_units(times)
    assert find_far_rows(times) is None


@pytest.mark.parametrize("kind", ["M8[s]", "M8[ns]", np.int64, np.float64, np.uint64])
def test_far_rows_are_counted_and_shown(kind):
    times = np.append(SECONDS, [SECONDS[-1] + 10**8, SECONDS[-1] + 10**9]).astype(kind)
    order = np.random.default_rng(0).permutation(len(times))
    found = find_far_rows(read_times(times[order]))
    first = np.argmax(times[order] > times[999])
    show = read_times(times).show
    values = read_times(times).values
    assert (found.n, found.row) == (2, first)
    assert found.value == show(read_times(times[order]).values[first])
    assert found.newest == show(values[999])
    assert found.gap == values[1000] - values[999]
    assert found.describe("Column 'when'", "line 7") == (
        f"Column 'when' has 2 rows far after all others, such as {found.value} in line 7; "
        f"the newest of the others is at {found.newest}."
    )


@pytest.mark.parametrize(("gap", "is_far"), [(99, False), (101, True)])
def test_the_gap_is_a_tenth_of_the_span(gap, is_far):
    times = np.arange(1021)  # of which a hundredth at both ends does not count
    assert (find_far_rows(read_times([*times, 1020 + gap])) is not None) == is_far


@pytest.mark.parametrize(("gap", "is_far"), [(599, False), (600, True)])
def test_the_gap_is_three_times_any_before_it(gap, is_far):
    times = [*range(500), *range(699, 1199)]
    assert (find_far_rows(read_times([*times, 1198 + gap])) is not None) == is_far


@pytest.mark.parametrize(("n", "is_far"), [(10, True), (11, False)])
def test_far_rows_are_one_in_a_hundred_at_most(n, is_far):
    times = [*range(1000 - n), *[5000] * n]
    assert (find_far_rows(read_times(times)) is not None) == is_far


HOSTILE = {
    "both ends of the floats": np.repeat([1.7e308, -1.7e308, 0], [300, 300, 1]),
    "one beyond the floats' half": np.append(np.zeros(199), [1.7e308, -1.7e308]),
    "int64": np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 500),
    "uint64": np.random.default_rng(0).integers(0, 2**64 - 1, 500, dtype=np.uint64),
    "the smallest": np.full(200, -(2**63)),
    "denormal": np.full(200, 5e-324),
}


@pytest.mark.parametrize("times", HOSTILE.values(), ids=HOSTILE)
def test_numbers_of_any_size_are_looked_at(times):
    check_units(read_times(times))
    assert find_far_rows(read_times(times)) is None
