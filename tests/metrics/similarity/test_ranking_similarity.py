"""How alike two lists of each user are: overlap at k, rank-biased, and the footrule."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import (
    footrule_at_k_score,
    overlap_at_k_score,
    rank_biased_overlap_score,
    ranking_similarity,
)
from sklearn_rank.recommenders import PopularityRecommender
from sklearn_rank.statistics import compare_models, confidence_interval

FIGURE = list("abcdefg"), list("zcavwxy")
UNEQUAL = list("NHMACFL"), list("CGNA")
COLORS = (
    ["red", {"blue", "green"}, "yellow", "pink"],
    [{"blue", "red"}, "white", {"yellow", "black", "purple"}, "green"],
)
LETTERS = [{"N", "H"}, "M", {"A", "C", "F"}, "L"], ["C", "G", {"N", "A"}]
ITSELF = (["a", {"b", "c"}, "d"],) * 2


def rbo(lists, **given):
    return rank_biased_overlap_score([lists[0]], [lists[1]], **given)


# ---- published values ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lists", "p", "variant", "expected"),
    [
        (("abcd", "bacf"), 0.9, "truncated", 0.225675),
        (("abcd", "bacf"), 0.9, "extrapolated", 0.71775),
        (("abcd", "bacf"), 0.9, "normalized", 0.6562227),
        (FIGURE, 0.9, "extrapolated", 0.288217),
        (FIGURE, 0.9, "min", 0.221686),
        (FIGURE, 0.9, "max", 0.580676),
        (FIGURE, 0.5, "extrapolated", 0.136756),
        (FIGURE, 0.5, "min", 0.136294),
        (FIGURE, 0.5, "max", 0.139492),
        (UNEQUAL, 0.9, "extrapolated", 0.490384),
        (UNEQUAL, 0.9, "min", 0.260303),
        (UNEQUAL, 0.9, "max", 0.688994),
        (("123", "1"), 0.4, "extrapolated", 1.0),
        (("1234", "2"), 0.9, "extrapolated", 0.25425),
        (("1234567809", "1234567890"), 0.9, "extrapolated", 0.995217),
        (("1234567809", "1234567890"), 0.9, "truncated", 0.646539),
        (("abcde", "badfc"), 0.9, "extrapolated", 0.723555),
        (("abcde", "badfc"), 0.8, "extrapolated", 0.649813),
    ],
)
def test_values_of_the_literature(lists, p, variant, expected):
    lists = tuple(map(list, lists))
    assert rbo(lists, p=p, variant=variant) == pytest.approx(expected, abs=5e-7)
    assert rbo(lists[::-1], p=p, variant=variant) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("lists", "p", "ties", "variant", "expected"),
    [
        (COLORS, 0.95, "average", "extrapolated", 0.692285),
        (COLORS, 0.95, "average", "min", 0.331052),
        (COLORS, 0.95, "average", "max", 0.893069),
        (COLORS, 0.95, "corrected", "extrapolated", 0.720713),
        (COLORS, 0.95, "corrected", "min", 0.350916),
        (COLORS, 0.95, "corrected", "max", 0.912934),
        (COLORS, 0.95, "equal", "extrapolated", 0.706826),
        (COLORS, 0.95, "equal", "min", 0.342968),
        (COLORS, 0.95, "equal", "max", 0.904986),
        (COLORS, 0.95, "average", "residual", 0.562017),
        (COLORS, 0.95, "corrected", "residual", 0.562017),
        (COLORS, 0.95, "equal", "residual", 0.562017),
        (LETTERS, 0.9, "average", "extrapolated", 0.439739),
        (LETTERS, 0.9, "corrected", "extrapolated", 0.456897),
        (LETTERS, 0.9, "equal", "extrapolated", 0.515579),
        (ITSELF, 0.9, "average", "extrapolated", 0.9775),
        (ITSELF, 0.9, "corrected", "extrapolated", 1),
        (ITSELF, 0.9, "equal", "extrapolated", 1),
    ],
)
def test_ties_of_the_authors(lists, p, ties, variant, expected):
    # The residual is that of two rounded values.
    found = rbo(lists, p=p, ties=ties, variant=variant)
    assert found == pytest.approx(expected, abs=1.1e-6)
    found = rbo(lists[::-1], p=p, ties=ties, variant=variant)
    assert found == pytest.approx(expected, abs=1.1e-6)


def orders_of(list_):
    groups = [permutations(e) if isinstance(e, set) else [(e,)] for e in list_]
    return [[item for group in order for item in group] for order in product(*groups)]


@pytest.mark.parametrize("variant", ["min", "truncated", "normalized"])
@pytest.mark.parametrize("lists", [COLORS, LETTERS, ITSELF])
def test_the_average_is_the_mean_over_all_orders(lists, variant):
    pairs = list(product(*map(orders_of, lists)))
    expected = np.mean([rbo(pair, variant=variant) for pair in pairs])
    assert rbo(lists, variant=variant) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "variant", ["extrapolated", "min", "max", "residual", "truncated", "normalized"]
)
def test_the_average_of_unequal_lists_is_no_mean_where_ranks_are_assumed(variant):
    for lists, is_equal in [(ITSELF, True), ((["a", {"b", "c"}], ["a"]), False)]:
        pairs = list(product(*map(orders_of, lists)))
        mean = np.mean([rbo(pair, variant=variant) for pair in pairs])
        is_mean = rbo(lists, variant=variant) == pytest.approx(mean, rel=1e-12)
        assert is_mean == (is_equal or variant in ("min", "truncated", "normalized"))


@pytest.mark.parametrize("k", range(1, 8))
def test_overlap_is_the_mean_over_all_orders(k):
    for lists in (COLORS, LETTERS, ITSELF):
        pairs = product(*map(orders_of, lists))
        expected = np.mean([len({*one[:k]} & {*two[:k]}) / k for one, two in pairs])
        found = overlap_at_k_score([lists[0]], [lists[1]], k=k)
        assert found == pytest.approx(expected, rel=1e-13)


def test_overlap_by_hand():
    expected = [0, 1, 2 / 3, 0.75, 0.8]
    for k, overlap in enumerate(expected, 1):
        found = overlap_at_k_score([[*"abcde"]], [[*"badfc"]], k=k)
        assert found == pytest.approx(overlap)
    found = overlap_at_k_score([[*"abcde"]], [[*"badfc"]], k=5, denominator="union")
    assert found == pytest.approx(2 / 3)


def test_agreement_and_average_overlap_of_the_literature():
    one, two = ([list_] for list_ in FIGURE)
    agreement = [overlap_at_k_score(one, two, k=k) for k in range(1, 8)]
    expected = [0, 0, 2 / 3, 1 / 2, 2 / 5, 1 / 3, 2 / 7]
    np.testing.assert_allclose(agreement, expected)
    average = np.cumsum(agreement) / np.arange(1, 8)
    np.testing.assert_allclose(
        average[2:], [0.222222, 0.291667, 0.313333, 0.316667, 0.312245], atol=5e-7
    )


@pytest.mark.parametrize(
    ("p", "depth", "expected"),
    [
        (0.8, 10, 0.969034),
        (0.9, 10, 0.855585),
        (0.95, 10, 0.672422),
        (0.98, 50, 0.852234),
        (0.809, 5, 0.85),
        (0.902, 10, 0.85),
        (0.951, 20, 0.85),
    ],
)
def test_equal_lists_agree_at_least_by_the_weight_of_their_ranks(p, depth, expected):
    items = list(range(depth))
    # Of 0.85, p was found and rounded to three decimals.
    tolerance = 2e-3 if expected == 0.85 else 5e-7
    found = rbo((items, items), p=p, variant="min")
    assert found == pytest.approx(expected, abs=tolerance)


def footrule_of(one, two, k):
    """Return the footrule of two lists of k items or more."""
    ranks = [{item: i for i, item in enumerate(order[:k], 1)} for order in (one, two)]
    far = sum(
        abs(ranks[0].get(item, k + 1) - ranks[1].get(item, k + 1))
        for item in {*one[:k], *two[:k]}
    )
    return 1 - far / (k * (k + 1))


def test_footrule_by_hand():
    found = footrule_at_k_score([[*"abcde"]], [[*"badfc"]], k=5)
    assert found == pytest.approx(1 - 8 / 30)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_footrule_is_the_mean_over_all_orders(k):
    for lists in (COLORS, LETTERS, ITSELF):
        pairs = product(*map(orders_of, lists))
        expected = np.mean([footrule_of(*pair, k) for pair in pairs])
        found = footrule_at_k_score([lists[0]], [lists[1]], k=k)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_footrule_of_short_lists_is_between_nothing_and_all_in_common():
    one, two = [["a"], ["a"], ["a", "b"], [], []], [["b"], ["a"], ["b"], ["a"], []]
    found = values("footrule@4", one, two)
    # Of the third, a has the ranks 1 and 5, b the ranks 2 and 1; two lists so long with
    # nothing in common differ by 4 + 3 and 4.
    np.testing.assert_allclose(found, [0, 1, 1 - (4 + 1) / 11, 0, np.nan])


def test_several_measures_at_once():
    one, two = [[*"abcde"], COLORS[0], []], [[*"badfc"], COLORS[1], []]
    names = ["rbo", "overlap@3", "jaccard@4", "footrule@5"]
    found = ranking_similarity(one, two, metrics=names, p=0.8, ties="equal")
    assert list(found.scores) == names
    functions = (
        lambda *lists: rank_biased_overlap_score(*lists, p=0.8, ties="equal"),
        lambda *lists: overlap_at_k_score(*lists, k=3),
        lambda *lists: overlap_at_k_score(*lists, k=4, denominator="union"),
        lambda *lists: footrule_at_k_score(*lists, k=5),
    )
    for name, function in zip(names, functions, strict=True):
        alone = [function(one[i : i + 1], two[i : i + 1]) for i in range(2)]
        np.testing.assert_array_equal(found.scores[name], [*alone, np.nan])
        with pytest.warns(UndefinedMetricWarning, match=f"{name}: undefined for 1 of 3"):
            assert function(one, two) == pytest.approx(np.mean(alone), rel=1e-15)
    assert list(ranking_similarity(one, two).scores) == ["rbo", "overlap@10"]
    assert list(ranking_similarity(one, two, metrics="rbo").scores) == ["rbo"]


def lists_of(score, groups):
    """Return the list of each group as ids, those that tie in a set."""
    found = {}
    for group in dict.fromkeys(sorted(groups)):
        rows = [i for i, g in enumerate(groups) if g == group and score[i] > -np.inf]
        levels = sorted({score[i] for i in rows}, reverse=True)
        found[group] = [{i for i in rows if score[i] == level} for level in levels]
    return found


def test_scores_are_the_same_as_lists():
    rng = np.random.default_rng(0)
    groups = rng.choice([*"uvwxyz"], 80).tolist()
    one, two = rng.integers(0, 6, (2, 80)).astype(float)
    one[rng.random(80) < 0.3] = two[rng.random(80) < 0.3] = -np.inf
    names = ("rbo", "overlap@3", "jaccard@3", "footrule@3")
    found = ranking_similarity(one, two, groups=groups, metrics=names)
    expected = ranking_similarity(
        lists_of(one, groups), lists_of(two, groups), metrics=names
    )
    assert found.groups.tolist() == expected.groups.tolist()
    for name in names:
        np.testing.assert_allclose(found.scores[name], expected.scores[name], rtol=1e-12)
    score = overlap_at_k_score(one, two, groups=groups, k=3)
    assert score == pytest.approx(found.mean()["overlap@3"])


def test_scores_with_a_row_a_user_are_the_same_as_flat_ones():
    rng = np.random.default_rng(1)
    one, two = rng.integers(0, 9, (2, 5, 8)) / 2
    one[rng.random((5, 8)) < 0.3] = -np.inf
    names = ("rbo", "overlap@3", "jaccard@3", "footrule@3")
    groups = np.arange(5).repeat(8)
    expected = ranking_similarity(one.ravel(), two.ravel(), groups=groups, metrics=names)
    # The counts are scores, too, since the other side is.
    for given in ((one, two), (one, np.rint(2 * two).astype(int)), (one, 2 * two)):
        found = ranking_similarity(*given, metrics=names)
        assert found.groups.tolist() == [0, 1, 2, 3, 4]
        for name in names:
            np.testing.assert_array_equal(found.scores[name], expected.scores[name])


def test_arrays_of_ids_are_lists():
    one, two = np.array([[3, 1, 2], [4, 5, 6]]), np.array([[1, 3, 9], [6, 5, 4]])
    expected = values("footrule@3", one.tolist(), two.tolist())
    found = [
        values("footrule@3", one, two),
        values("footrule@3", one.astype(str), two.astype(str)),
        values("footrule@3", one.astype(float), two.tolist()),
    ]
    for each in found:
        np.testing.assert_array_equal(each, expected)
    # A list that ends early.
    padded = np.array([[3, 1, np.nan], [4, 5, 6]])
    np.testing.assert_array_equal(
        values("overlap@3", padded, two), values("overlap@3", [[3, 1], [4, 5, 6]], two)
    )


def test_tuples_tie_as_sets_do():
    with_tuples = [
        [tuple(entry) if isinstance(entry, set) else entry for entry in list_]
        for list_ in COLORS
    ]
    for ties in ("average", "corrected", "equal"):
        assert rbo(with_tuples, ties=ties) == rbo(COLORS, ties=ties)
    # A tuple over users, or in the place of a list, is a sequence.
    assert overlap_at_k_score((("x", "y"),), [["y", "z"]], k=1) == 0
    assert overlap_at_k_score([[("x", "y")]], [["y", "z"]], k=1) == 0.5


def test_tuples_in_arrays_are_ids():
    array = np.empty((1, 2), dtype=object)
    array[0] = [("x", 1), ("y", 2)]
    assert overlap_at_k_score(array, array[:, ::-1], k=1) == 0
    assert overlap_at_k_score({"u": array[0]}, {"u": array[0]}, k=1) == 1
    assert overlap_at_k_score(array.tolist(), array.tolist(), k=1) == 0.5


def test_weights_of_users():
    one, two = [["x"], ["x"], []], [["x"], ["y"], []]
    # An undefined user without weight is none to warn of.
    assert overlap_at_k_score(one, two, k=1, sample_weight=[3, 1, 0]) == 0.75
    found = footrule_at_k_score(
        one, two, k=1, sample_weight=[3, 1, 4], replace_undefined_by=1
    )
    assert found == pytest.approx(7 / 8)
    scores = [2, 1, 1, 2], [2, 1, 2, 1]
    found = overlap_at_k_score(
        *scores, groups=list("uuvv"), k=1, sample_weight=[3, 3, 1, 1]
    )
    assert found == 0.75
    found = rank_biased_overlap_score(
        *scores, groups=list("vvuu"), p=0.5, variant="truncated", sample_weight=[1, 1, 0, 0]
    )
    assert found == 0.75


def test_undefined_for_all():
    with pytest.warns(UndefinedMetricWarning, match="undefined for 1 of 1 users"):
        assert np.isnan(rank_biased_overlap_score([[]], [[]]))
    assert np.isnan(rank_biased_overlap_score([[]], [[]], replace_undefined_by=np.nan))
    assert rank_biased_overlap_score([[]], [[]], replace_undefined_by=1) == 1


def values(name, one, two, **given):
    """Return the values of users by one measure."""
    return ranking_similarity(one, two, metrics=name, **given).scores[name]


# ---- many users ------------------------------------------------------------------------


def plain_rbo(one, two, p, depth=2000):
    """Return the lower bound by padding both lists with different items."""
    total, a, b = 0.0, set(), set()
    for d in range(1, depth + 1):
        if d <= len(one):
            a.add(one[d - 1])
        if d <= len(two):
            b.add(two[d - 1])
        total += (1 - p) * p ** (d - 1) * len(a & b) / d
    return total


def test_many_users_at_once_are_each_alone():
    rng = np.random.default_rng(0)
    lists = [
        [rng.permutation(30)[: rng.integers(0, 12)].tolist() for _ in range(2)]
        for _ in range(50)
    ]
    one, two = zip(*lists, strict=True)
    alone = [rbo(pair, replace_undefined_by=np.nan) for pair in lists]
    np.testing.assert_allclose(values("rbo", one, two), alone, rtol=1e-12)
    expected = [plain_rbo(*pair, 0.9) if any(pair) else np.nan for pair in lists]
    for variant in ("extrapolated", "min", "max"):
        quiet = {"variant": variant, "replace_undefined_by": np.nan}
        alone = [rbo(pair, **quiet) for pair in lists]
        together = rank_biased_overlap_score(one, two, **quiet)
        assert together == pytest.approx(np.nanmean(alone), rel=1e-12)
        if variant == "min":
            np.testing.assert_allclose(alone, expected, rtol=1e-9, atol=1e-12)


def test_bounds_are_around_the_value():
    rng = np.random.default_rng(1)
    one, two = (rng.permuted(np.tile(np.arange(12), (40, 1)), axis=1)[:, :6] for _ in "ab")
    for pair in zip(one.tolist(), two.tolist(), strict=True):
        value, low, high, residual = (
            rbo(pair, variant=variant)
            for variant in ("extrapolated", "min", "max", "residual")
        )
        assert low <= value <= high + 1e-12
        assert high - low == pytest.approx(residual)


@pytest.mark.parametrize("ties", ["average", "corrected", "equal"])
def test_no_value_is_outside_of_the_range(ties):
    rng = np.random.default_rng(2)
    one, two = rng.integers(0, 4, (2, 4000)).astype(float)
    one[rng.random(4000) < 0.4] = two[rng.random(4000) < 0.1] = -np.inf
    found = ranking_similarity(
        one,
        two,
        groups=rng.integers(0, 700, 4000),
        metrics=["rbo", "overlap@3", "jaccard@3", "footrule@3"],
        ties=ties,
    )
    for measured in found.scores.values():
        assert np.nanmin(measured) >= 0
        assert np.nanmax(measured) <= 1 + 1e-12


def test_an_interval_ends_where_the_values_do():
    found = ranking_similarity([["x"]] * 9, [["x"]] * 8 + [["y"]], metrics="overlap@1")
    assert confidence_interval(found)["overlap@1"].high <= 1


def test_users_are_matched_by_key():
    one = {"ann": ["tea", "jam"], "bob": ["rice"]}
    other = {"bob": ["rice"], "ann": ["jam", "milk"]}
    found = ranking_similarity(one, other, metrics="overlap@2")
    assert dict(zip(found.groups.tolist(), found.scores["overlap@2"], strict=True)) == {
        "ann": 0.5,
        "bob": 0.5,
    }
    series = [pd.Series(lists.values(), index=lists.keys()) for lists in (one, other)]
    assert overlap_at_k_score(*series, k=2) == 0.5
    with pytest.raises(ValueError, match=r"`b` has no list of 1 user.*'bob'"):
        overlap_at_k_score(series[0], series[1].drop("bob"))


def test_two_recommenders_and_an_interval():
    log = np.random.default_rng(0).integers(0, 20, (300, 2))
    users = np.unique(log[:, 0])
    whole, half = PopularityRecommender().fit(log), PopularityRecommender().fit(log[:150])
    lists, others = whole.recommend(users, 5), half.recommend(users, 5)
    found = ranking_similarity(lists, others, metrics=["overlap@5", "rbo"])
    interval = confidence_interval(found)
    assert 0 < interval["overlap@5"].low < found.mean()["overlap@5"] < 1
    assert overlap_at_k_score(lists, others, k=5) == found.mean()["overlap@5"]
    # Is one model nearer to itself than to another one?
    same = ranking_similarity(lists, lists, metrics=["overlap@5", "rbo"])
    compared = compare_models({"same": same, "half": found}, baseline="same")
    assert "rbo" in str(compared)


def test_empty_lists():
    one, two = [[], ["a"], [], [None, None]], [["a"], [], [], ["a", None]]
    for name in ("rbo", "overlap@1", "jaccard@1", "footrule@1"):
        np.testing.assert_array_equal(values(name, one, two), [0, 0, np.nan, 0])
    # The list could go on as the other one does.
    for variant in ("max", "residual"):
        assert rbo(([], ["a"]), variant=variant) == pytest.approx(1)
        # One order of it cannot agree with all orders of the other one.
        assert 0 < rbo(([], [("a", "b")]), variant=variant) < 1


# ---- bad input -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        footrule_at_k_score,
        overlap_at_k_score,
        rank_biased_overlap_score,
        ranking_similarity,
    ],
)
@pytest.mark.parametrize(
    ("a", "b", "error", "text"),
    [
        ([["x", "y", "x"]], [["x"]], ValueError, "`a` has item 'x' twice for user 0"),
        ([["x"]], [["y", {"x", "y"}]], ValueError, "`b` has item 'y' twice for user 0"),
        ([[("x", "x")]], [["y"]], ValueError, "`a` has item 'x' twice for user 0"),
        ({"u": ["x"]}, {"v": ["x"]}, ValueError, "`b` has no list of 1 user.*'u'"),
        (
            {user: ["x"] for user in "uvwx"},
            {},
            ValueError,
            r"4 user\(s\) of `a`: 'u', 'v', 'w';",
        ),
        (np.ones((1, 1)), np.ones((1, 1)), ValueError, "may be ids or scores"),
        (np.ones((1, 1)), np.ones((1, 1), int), ValueError, "`a` is a 2-D array of floats"),
        (np.array([[0.5, 1]]), np.array([[0.5]]), ValueError, r"`b` has \(1, 1\)"),
        (np.array([[0.5, np.nan]]), np.ones((1, 2)), ValueError, r"at 1 \(nan\); scores"),
        ({"u": ["x"]}, [["x"]], TypeError, "mapping over users"),
        ([["x"]], [["x"], ["y"]], ValueError, "1 users, but `b` has 2"),
        ([[None, "x"]], [["x"]], ValueError, "`a` of user 0 has a missing id before"),
        (["xy"], [["x"]], TypeError, "each user or query needs a list"),
        ([["1"]], [[1]], TypeError, r"cannot be compared: `a` has item '1' \(str\)"),
        ([[(1,)], []], [[], ["x"]], TypeError, "Item ids cannot be compared"),
        ({"u": [1]}, {"u": np.array(["1"])}, TypeError, "Item ids cannot be compared"),
    ],
)
def test_bad_lists(function, a, b, error, text):
    with pytest.raises(error, match=text):
        function(a, b)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"p": 1}, "`p` must be a number between 0 and 1, got 1"),
        ({"p": 0}, "`p` must be a number between 0 and 1"),
        ({"variant": "ext"}, "`variant` got 'ext'"),
        ({"ties": "first"}, "`ties` got 'first'"),
        ({"sample_weight": [1, 2]}, r"one weight per query, shape \(1,\)"),
        ({"sample_weight": [-1]}, "finite and not negative"),
        ({"replace_undefined_by": "raise"}, "`replace_undefined_by` must be"),
    ],
)
def test_bad_parameters(given, text):
    with pytest.raises(ValueError, match=text):
        rank_biased_overlap_score([["x"]], [["x"]], **given)


def test_bad_parameters_of_overlap():
    with pytest.raises(ValueError, match="`k` must be an integer >= 1"):
        overlap_at_k_score([["x"]], [["x"]], k=0)
    with pytest.raises(ValueError, match="`denominator` got 'n'"):
        overlap_at_k_score([["x"]], [["x"]], denominator="n")


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ([1, 2], [1, 2, 3], "`a` has shape .2,., but `groups` has 3 rows"),
        ([1, 2, np.nan], [1, 2, 3], r"`a` .* at 2 \(nan\); scores"),
        ([1, 2, 3], [np.inf, 2, 3], r"`b` .* at 0 \(inf\); scores"),
        (["x", "y", "z"], [1, 2, 3], "numbers"),
    ],
)
def test_scores_that_are_none(a, b, text):
    with pytest.raises(ValueError, match=text):
        ranking_similarity(a, b, groups=["u", "u", "v"])


@pytest.mark.parametrize(
    ("metrics", "text"),
    [
        ("rbo@5", "metrics"),
        ("overlap", "metrics"),
        ("overlap@0", "k"),
        ("overlap@x", "metrics"),
        ([], "each once"),
        (["rbo", "rbo"], "each once"),
    ],
)
def test_measures_that_are_none(metrics, text):
    with pytest.raises(ValueError, match=text):
        ranking_similarity([["x"]], [["x"]], metrics=metrics)


def test_some_ids_of_another_type_are_no_mistake():
    assert overlap_at_k_score([["x", 1], []], [[1, 2.5], ["y"]], k=2) == 0.25


@pytest.mark.parametrize("metrics", [[5], [["rbo"]], [None], 5, None])
def test_measures_have_names(metrics):
    with pytest.raises(TypeError, match=r"`metrics` must .*name.*got"):
        ranking_similarity([["x"]], [["x"]], metrics=metrics)


@pytest.mark.parametrize(
    ("sample_weight", "text"),
    [
        ([1, 2], r"one weight per row, .* user, shape \(3,\)"),
        ([1, 2, 1], r"differs within user 'u' \(1 and 2\)"),
        ([1, np.nan, 1], "missing"),
    ],
)
def test_weights_of_rows_that_are_none(sample_weight, text):
    with pytest.raises(ValueError, match=text):
        overlap_at_k_score(
            [1, 2, 3], [1, 2, 3], groups=["u", "u", "v"], sample_weight=sample_weight
        )


@pytest.mark.parametrize("none", [{}, []])
def test_lists_of_nobody_have_no_mean(none):
    with pytest.raises(ValueError, match="`a` and `b` have no users"):
        rank_biased_overlap_score(none, none)
