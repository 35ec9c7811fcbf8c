"""Blocks of thousands of tied rows, by other roads: whole numbers, and plain sums.

Whole numbers stay exact where products of thousands of probabilities drift or underflow.
"""

from fractions import Fraction
from itertools import permutations
from math import comb, fsum, nan

import numpy as np
import pytest

from sklearn_rank._ranking._tied_ranks import hypergeometric, probabilities, ranks_of_chosen
from sklearn_rank.metrics import inst_score, per_query_scores
from sklearn_rank.metrics._families import _insq_inst


def one(number):
    return np.array([number])


def ratio(numerator, denominator):
    """Return the quotient of integers that may be too large for floats."""
    return float(Fraction(numerator, denominator))


def scored(metric, y_true, y_score=None):
    """Return the value of one query, whose rows all tie unless scores are given."""
    y_score = np.zeros(len(y_true)) if y_score is None else y_score
    groups = np.zeros(len(y_true))
    found = per_query_scores(y_true, y_score, groups=groups, metrics=metric)
    [values] = found.scores.values()
    return values[0]


# ---- hypergeometric numbers ------------------------------------------------------------

DRAWS = [
    (5000, 300, 2500),
    (5000, 4700, 2500),
    (8000, 7600, 4000),
    (20_000, 10_000, 19_999),
    (7000, 1, 3500),
    (3000, 0, 7),
]


@pytest.mark.parametrize(("size", "n_hits", "drawn"), DRAWS)
def test_hypergeometric_is_a_ratio_of_binomials(size, n_hits, drawn):
    case, hits, probability = hypergeometric(one(size), one(n_hits), one(drawn))
    expected = [
        ratio(comb(n_hits, h) * comb(size - n_hits, drawn - h), comb(size, drawn))
        for h in hits.tolist()
    ]
    assert (case == 0).all()
    assert (np.diff(hits) == 1).all()
    assert fsum(expected) == pytest.approx(1, rel=1e-15)
    np.testing.assert_allclose(probability, expected, rtol=1e-13)


@pytest.mark.parametrize(("size", "n_hits", "drawn"), [(10**6, 10**5, 10**5), *DRAWS])
def test_mean_and_variance_of_hypergeometric_numbers(size, n_hits, drawn):
    _, hits, probability = hypergeometric(one(size), one(n_hits), one(drawn))
    mean = drawn * n_hits / size
    spread = mean * (size - n_hits) / size * (size - drawn) / (size - 1)
    assert probability @ hits == pytest.approx(mean, rel=1e-13)
    assert probability @ (hits - mean) ** 2 == pytest.approx(spread, rel=1e-11)


def test_hypergeometric_cases_do_not_know_of_each_other():
    columns = [np.array(column) for column in zip(*DRAWS, strict=True)]
    case, hits, probability = hypergeometric(*columns)
    for number, draw in enumerate(DRAWS):
        alone = hypergeometric(*map(one, draw))
        np.testing.assert_array_equal(hits[case == number], alone[1])
        np.testing.assert_array_equal(probability[case == number], alone[2])


def test_hypergeometric_numbers_of_small_draws_are_complete():
    for size in range(1, 9):
        for n_hits in range(size + 1):
            for drawn in range(size + 1):
                _, hits, probability = hypergeometric(*map(one, (size, n_hits, drawn)))
                lowest, highest = max(0, drawn + n_hits - size), min(n_hits, drawn)
                assert hits.tolist() == list(range(lowest, highest + 1))
                assert probability.sum() == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize("peak", [0, 1, 4])
def test_probabilities_are_the_same_from_every_place(peak):
    weights = np.array([1.0, 3, 7, 2, 5, 4, 4])
    ratio_of_next = np.append(weights[1:], 1) / weights
    lengths, peaks = np.array([5, 1, 1]), np.array([peak, 0, 0])
    ratio_of_next[4:] = 99  # the last of a run has none
    found = probabilities(ratio_of_next, lengths, peaks)
    np.testing.assert_allclose(found, [*(weights[:5] / 18), 1, 1], rtol=1e-15)


# ---- the ranks of some of the tied rows ------------------------------------------------


def exact_ranks(size, n_chosen, above, reach):
    """Return E[1 / rank] and E[other above / rank] of each chosen row."""
    found = []
    for j in range(min(n_chosen, reach)):
        inverse = others = Fraction(0)
        for place in range(j, min(reach, size - n_chosen + j + 1)):
            ways = comb(place, j) * comb(size - 1 - place, n_chosen - 1 - j)
            chance = Fraction(ways, comb(size, n_chosen))
            inverse += chance / (above + 1 + place)
            others += chance * (place - j) / (above + 1 + place)
        found.append((float(inverse), float(others)))
    return np.array(found).T


@pytest.mark.parametrize("above", [0, 2, 1000])
def test_ranks_of_chosen_rows(above):
    """All at once, so that blocks which turn at different rows stand side by side."""
    cases = [
        (size, n_chosen, reach)
        for size in (1, 2, 7, 12)
        for n_chosen in range(1, size + 1)
        for reach in range(1, size + 1)
    ]
    size, n_chosen, reach = (np.array(column) for column in zip(*cases, strict=True))
    ranks = ranks_of_chosen(size, n_chosen, np.full(len(size), above), reach)
    for number, (n, m, k) in enumerate(cases):
        of_block = ranks.block == number
        inverse, others = exact_ranks(n, m, above, k)
        assert ranks.number[of_block].tolist() == list(range(min(m, k)))
        # Errors are those of the largest, that of the first row.
        tolerance = {"rtol": 0, "atol": 3e-15 * inverse[0]}
        np.testing.assert_allclose(ranks.inverse[of_block], inverse, **tolerance)
        np.testing.assert_allclose(ranks.unchosen[of_block], others, rtol=0, atol=3e-15)


@pytest.mark.parametrize("n_chosen", [1, 20, 150, 290, 300])
@pytest.mark.parametrize("above", [0, 5000])
def test_ranks_of_chosen_rows_in_a_long_block(n_chosen, above):
    ranks = ranks_of_chosen(one(300), one(n_chosen), one(above))
    inverse, others = exact_ranks(300, n_chosen, above, 300)
    np.testing.assert_allclose(ranks.inverse, inverse, rtol=1e-13)
    np.testing.assert_allclose(ranks.unchosen, others, rtol=1e-13)


@pytest.mark.parametrize("n_chosen", [1, 700, 25_000, 49_999])
@pytest.mark.parametrize("reach", [10, 3000, 50_000])
def test_chosen_rows_together_hold_each_rank_with_the_same_chance(n_chosen, reach):
    n_rows, above = 50_000, 3
    ranks = ranks_of_chosen(one(n_rows), one(n_chosen), one(above), one(reach))
    place = np.arange(reach)
    each = n_chosen / n_rows / (above + 1 + place)
    assert ranks.inverse.sum() == pytest.approx(fsum(each), rel=1e-13)
    other_above = place * (n_rows - n_chosen) / (n_rows - 1)
    assert ranks.unchosen.sum() == pytest.approx(fsum(each * other_above), rel=1e-12)


def test_only_the_first_chosen_rows():
    columns = one(4000), one(900), one(2)
    every = ranks_of_chosen(*columns)
    first = ranks_of_chosen(*columns, most=one(7))
    assert len(first.block) == 7
    np.testing.assert_allclose(first.inverse, every.inverse[:7], rtol=1e-13)


# ---- expected reciprocal rank ----------------------------------------------------------


def exact_err(blocks, max_grade, k):
    """Return ERR of blocks of tied integer grades, by elementary symmetric polynomials."""
    unit = 2**max_grade
    total, reaches, above = Fraction(0), Fraction(1), 0
    for grades in blocks:
        size, polynomial = len(grades), [1]
        for grade in grades:
            factor = unit - 2**grade + 1
            pairs = zip([*polynomial, 0], [0, *polynomial], strict=True)
            polynomial = [unit * one + factor * other for one, other in pairs]
        scale = unit**size
        mean = [Fraction(e, scale * comb(size, i)) for i, e in enumerate(polynomial)]
        for i in range(size if k is None else min(k - above, size)):
            total += reaches * (mean[i] - mean[i + 1]) / (above + i + 1)
        reaches *= mean[-1]
        above += size
    return float(total)


def several_blocks(seed):
    rng = np.random.default_rng(seed)
    sizes, shares = [(150, 4, 120), (3, 160, 1)][seed % 2], [(1, 1, 0.1), (0.5, 0.9, 1)]
    return [
        (rng.integers(1, 5, size) * (rng.random(size) < share)).tolist()
        for size, share in zip(sizes, shares[seed // 2 % 2], strict=True)
    ]


@pytest.mark.parametrize("max_grade", [4, 30])
@pytest.mark.parametrize("k", [None, 1, 7, 60, 140])
@pytest.mark.parametrize("seed", range(4))
def test_err_of_hundreds_of_tied_rows(max_grade, k, seed):
    blocks = several_blocks(seed)
    y_true = np.concatenate(blocks)
    y_score = np.repeat([3.0, 2.0, 1.0], [len(grades) for grades in blocks])
    metric = f"err(max_grade={max_grade})" + ("" if k is None else f"@{k}")
    expected = exact_err(blocks, max_grade, k)
    assert scored(metric, y_true, y_score) == pytest.approx(expected, rel=2e-14)


def test_err_of_rows_that_satisfy_nearly_everybody():
    grades = [4] * 101
    assert scored("err", grades) == pytest.approx(exact_err([grades], 4, None), rel=2e-14)


def test_err_where_hardly_anybody_ever_stops():
    """The chance to stop at a rank is 2**-40 of an average over 5,000 rows."""
    y_true = np.zeros(5000)
    y_true[7] = 1
    expected = 2.0**-40 / 5000 * fsum(1 / np.arange(1, 5001))
    assert scored("err(max_grade=40)", y_true) == pytest.approx(expected, rel=1e-13)
    y_true[:2500] = 1
    expected *= 2500  # but for terms of 2**-40 times as much
    assert scored("err(max_grade=40)", y_true) == pytest.approx(expected, rel=1e-8)


def test_err_where_many_values_count():
    """Few users stop at any of 800 rows, so that no row is left out."""
    grades = np.random.default_rng(0).integers(1, 11, 800).tolist()
    for k in (None, 750):
        metric = "err(max_grade=16)" + ("" if k is None else f"@{k}")
        expected = exact_err([grades], 16, k)
        assert scored(metric, grades) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("n_rows", [30, 120])
def test_err_of_tied_fractions(n_rows):
    """Rows are added one after the other, in whole numbers."""
    y_true = np.random.default_rng(n_rows).integers(1, 11, n_rows) / 3.7
    unit, polynomial = 2**60, [1]
    for grade in y_true:
        going_on = unit - int(Fraction(2**grade - 1) / 8 * unit)
        pairs = zip([*polynomial, 0], [0, *polynomial], strict=True)
        polynomial = [unit * without + going_on * row for without, row in pairs]
    scale = unit**n_rows
    mean = [Fraction(e, scale * comb(n_rows, i)) for i, e in enumerate(polynomial)]
    expected = sum((mean[i] - mean[i + 1]) / (i + 1) for i in range(n_rows))
    assert scored("err(max_grade=3)", y_true) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("k", [None, 1, 3, 5])
@pytest.mark.parametrize(
    "grades", [(3, 1, 2, 2, 1), (0, 4, 4, 1), (2.5, 0, 0, 1.2, 3, 0.1)]
)
def test_err_of_tied_rows_is_the_mean_of_all_orders(grades, k):
    orders = list(permutations(grades))
    values = []
    for order in orders:
        going_on, value = 1.0, 0.0
        for rank, grade in enumerate(order[:k], 1):
            satisfied = (2**grade - 1) / 16
            value += going_on * satisfied / rank
            going_on *= 1 - satisfied
        values.append(value)
    metric = "err(max_grade=4)" + ("" if k is None else f"@{k}")
    expected = fsum(values) / len(orders)
    assert scored(metric, np.array(grades)) == pytest.approx(expected, rel=1e-14)


def test_err_of_a_query_has_the_same_bits_among_others():
    rng = np.random.default_rng(0)
    sizes = [3, 40, 5, 900, 10, 33, 1, 760, 300, 6]
    groups = np.arange(len(sizes)).repeat(sizes)
    y_true = rng.integers(0, 6, len(groups)) / rng.integers(1, 3, len(groups))
    for k in (None, 10, 50):
        metric = "err(max_grade=14)" + ("" if k is None else f"@{k}")
        table = per_query_scores(y_true, 0 * y_true, groups=groups, metrics=metric)
        [together] = table.scores.values()
        alone = [scored(metric, y_true[groups == query]) for query in range(len(sizes))]
        np.testing.assert_array_equal(together, alone)


def test_err_of_grades_that_never_satisfy():
    assert scored("err(max_grade=100)", np.ones(300)) == 0


# ---- the other metrics -----------------------------------------------------------------


@pytest.mark.parametrize("n_judged", [1, 2, 30, 590, 600])
@pytest.mark.parametrize("above", [(), (1, 0, nan), (nan, nan)])
def test_infap_of_hundreds_of_tied_rows(n_judged, above):
    """Over the places, then over how many judged rows stand above in the block."""
    size, epsilon, n_hits = 600, 1e-5, (n_judged + 1) // 2
    y_true = np.full(size, nan)
    y_true[:n_judged] = np.arange(n_judged) < n_hits
    judged_above, hits_above = np.isfinite(above).sum(), np.nansum(above)
    # The hits of the first rows have no more than hits above.
    total = fsum(1.0 for grade in above if grade == 1)
    share = (n_hits - 1) / max(n_judged - 1, 1)
    for place in range(size):
        for judged in range(max(0, n_judged + place - size), min(place, n_judged - 1) + 1):
            ways = comb(n_judged - 1, judged) * comb(size - n_judged, place - judged)
            chance = n_hits / size * ratio(ways, comb(size - 1, place))
            precision = hits_above + judged * share + epsilon
            precision /= judged_above + judged + 2 * epsilon
            rows_above = len(above) + place
            total += chance * (1 + rows_above * precision) / (rows_above + 1)
    y_score = np.r_[np.arange(len(above), 0, -1.0), np.zeros(size)]
    value = scored("infap", np.r_[np.array(above), y_true], y_score)
    assert value == pytest.approx(total / (n_hits + np.nansum(above)), rel=1e-12)


@pytest.mark.parametrize(("n_rows", "n_relevant"), [(40_000, 3), (40_000, 15_000)])
@pytest.mark.parametrize("k", [1, 30, None])
def test_first_hit_of_thousands(n_rows, n_relevant, k):
    """The product of misses, place by place, in plain floats."""
    missed, reciprocal = 1.0, []
    for place in range(n_rows if k is None else k):
        hazard = min(n_relevant / (n_rows - place), 1)
        reciprocal.append(missed * hazard / (place + 1))
        missed *= 1 - hazard
    y_true = np.arange(n_rows) < n_relevant
    cut = "" if k is None else f"@{k}"
    assert scored(f"mrr{cut}", y_true) == pytest.approx(fsum(reciprocal), rel=1e-12)
    metric = f"hit_rate(k={k})"
    assert scored(metric, y_true) == pytest.approx(1 - missed, rel=1e-12)


@pytest.mark.parametrize(
    ("n_rows", "n_relevant", "k"), [(5000, 700, 2500), (5000, 4800, 900)]
)
def test_precision_over_thousands_of_hits(n_rows, n_relevant, k):
    """Given h hits above the cutoff, these are spread evenly over its places."""
    n_rows = 5000
    inverse = fsum(1 / rank for rank in range(1, k + 1))
    ramp = fsum((rank - 1) / rank for rank in range(1, k + 1))
    total = Fraction(0)
    for h in range(max(1, k - n_rows + n_relevant), min(k, n_relevant) + 1):
        ways = comb(n_relevant, h) * comb(n_rows - n_relevant, k - h)
        given = (inverse + (h - 1) / (k - 1) * ramp) / k
        total += Fraction(ways, comb(n_rows, k)) * Fraction(given)
    y_true = np.arange(n_rows) < n_relevant
    metric = f"map(denominator='retrieved')@{k}"
    assert scored(metric, y_true) == pytest.approx(float(total), rel=1e-12)


@pytest.mark.parametrize("persistence", [0.3, 0.8, 1 - 1e-9, 1e-300])
@pytest.mark.parametrize("n_above", [0, 5])
def test_weights_of_thousands_of_ranks(persistence, n_above):
    """Each rank of tied rows expects the same."""
    n_rows = 20_000
    y_true = np.r_[np.zeros(n_above), np.arange(n_rows) < 500]
    y_score = np.r_[np.arange(n_above, 0, -1.0), np.zeros(n_rows)]
    every = persistence ** np.arange(n_above, n_above + n_rows, dtype=float)
    weights = (1 - persistence) * fsum(every)
    metric = f"rbp(persistence={persistence!r})"
    assert scored(metric, y_true, y_score) == pytest.approx(
        weights * 500 / n_rows, rel=1e-11
    )


# ---- orders without a closed form ------------------------------------------------------


def test_too_many_orders_are_not_gone_through():
    y_true = np.arange(30_000) % 7 == 0
    with pytest.raises(ValueError, match=r"Query 0\.0 has more than 10000 orders"):
        inst_score(y_true, np.zeros(30_000), groups=np.zeros(30_000))


def orders_of_tied(counts, length):
    """Return the orders of tied rows: the first of them without gain, others alike."""
    gains = np.repeat(np.arange(1.0, len(counts)), counts[1:])
    return _insq_inst._orders_of_tie_group(np.arange(1, length + 1), sum(counts), gains)


@pytest.mark.parametrize("length", range(1, 9))
@pytest.mark.parametrize("counts", [(3, 5), (0, 4, 4), (6, 1, 1), (2, 2, 2, 2), (8, 0)])
def test_number_of_orders(counts, length):
    rows = [letter for letter, count in enumerate(counts) for _ in range(count)]
    words = {()}
    for _ in range(length):
        words = {
            (*word, letter)
            for word in words
            for letter in set(rows)
            if word.count(letter) < counts[letter]
        }
    assert len(orders_of_tied(counts, length)) == len(words)


@pytest.mark.parametrize(
    ("counts", "length", "is_more"),
    [
        ([9999, 1], 10_000, False),
        ([10_000, 1], 10_001, True),
        ([138, 2], 140, False),
        ([141, 2], 143, True),
        ([7] * 3, 21, True),
        ([1] * 500, 2, True),
        ([1] * 99, 2, False),
        ([60_000, 2], 9, False),
        ([8, 8], 16, True),
    ],
)
def test_more_orders_than_are_gone_through(counts, length, is_more):
    assert (len(orders_of_tied(counts, length)) > _insq_inst.MOST_ORDERS) == is_more
