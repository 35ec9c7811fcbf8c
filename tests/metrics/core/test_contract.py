"""What the core promises of every registered metric, whatever it needs beside grades."""

import gc
import pickle
import re
import weakref
from dataclasses import replace
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank._base._labels import as_vector
from sklearn_rank.metrics import Catalogue, PerQueryScores, per_query_scores, ranking_scores
from sklearn_rank.metrics._core._parameters import Range
from sklearn_rank.metrics._core._registry import METRICS, parse_metrics
from sklearn_rank.metrics._core._summaries import ItemCounts, Mean, Ratio
from tests.metrics.registered import PARAMETERS

TIES = ["average", "worst", "best", "first"]
# Parameters that change how values become one number.
OTHER = {
    "auc": ["auc(weighting='positives')", "auc(weighting='pairs')"],
    "map": ["map(average='geometric')", "map(denominator='retrieved')"],
    "mean_rank": ["mean_rank(percentile=True)"],
    "ips_recall": ["ips_recall(self_normalized=False)@3"],
    "ips_hit_rate": ["ips_hit_rate(self_normalized=False)@3"],
    "ips_ndcg": ["ips_ndcg(self_normalized=False)@3"],
    "mean_value": ["mean_value(discount='log', relevant_only=True)@3"],
    "novelty": [
        "novelty(unknown='skip')@3",
        "novelty(count='interactions', unknown='zero', average='items')@3",
    ],
    "popularity": ["popularity(normalize='max')@3"],
    "popularity_lift": ["popularity_lift(average='ratio')@3"],
    "serendipity": [
        "serendipity(unexpected='history')@3",
        "serendipity(unexpected='history', similarity='cosine')@3",
    ],
    "intra_list_distance": [
        "intra_list_distance(distance='hamming')@3",
        "intra_list_distance(distance='jaccard')@3",
        "intra_list_distance(distance='co_occurrence')@3",
    ],
    "category_entropy": ["category_entropy(rank_weight=0.8)@3"],
    "calibration": [
        "calibration(divergence='jensen_shannon')@3",
        "calibration(divergence='hellinger')@3",
    ],
}
# Values of parameters without a default.
NEEDED = {
    name: "(target='relevant')"
    for name, metric in METRICS.items()
    if "target" in metric.parameters
} | {"accuracy": "(n_items=None)"}
NAMES = [
    name
    for metric in METRICS.values()
    if metric.summary.per_query  # of all queries: test_system_items.py
    for name in [
        f"{metric.name}{NEEDED.get(metric.name, '')}",
        *([f"{metric.name}{NEEDED.get(metric.name, '')}@3"] if metric.takes_k else []),
        *OTHER.get(metric.name, []),
    ]
]
every_name = pytest.mark.parametrize("name", NAMES)
# What is shown has no best order, and no worst.
NAMES_AND_TIES = [
    (name, ties)
    for name in NAMES
    for ties in TIES
    if METRICS[re.match(r"\w+", name)[0]].has_best_order or ties in ("average", "first")
]
N_ITEMS = 500


def metric_of(name):
    return METRICS[name.partition("@")[0].partition("(")[0]]


def catalogue():
    """Return what metrics need to know of 500 items and of 18 of the 20 users."""
    rng = np.random.default_rng(7)
    history = rng.random((18, N_ITEMS)) < 0.1
    return Catalogue(
        items=range(N_ITEMS),
        users=range(18),
        history=history,
        features=rng.integers(0, 3, (N_ITEMS, 4)),
        categories=rng.random((N_ITEMS, 5)) < 0.3,
        reference={user: range(user, 400, 3) for user in range(19)},
    )


CATALOGUE = catalogue()


def sizes():
    """Queries of one row and of hundreds, next to each other: short and long sums."""
    return np.random.default_rng(1).permutation([1, 2, 3, 5, 8, 30, 33, 64, 150, 400] * 2)


def rows_for(name, ties="average"):
    """Return flat rows that every metric has an answer to for most queries."""
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(20), sizes())
    n_rows = len(groups)
    y_true = rng.choice([0.0, 0.0, 1.0, 2.0, 3.0], n_rows)
    if metric_of(name).unjudged != "refused":
        y_true[rng.random(n_rows) < 0.1] = np.nan
    y_score = np.round(rng.normal(size=n_rows), 1)
    y_score[rng.random(n_rows) < 0.05] = -np.inf
    if metric_of(name).name == "inst" and ties == "average":
        y_score = rng.normal(size=n_rows)  # the orders of more ties are too many
    if not metric_of(name).ranks:
        y_score = rng.normal(size=n_rows)
    rows = {"y_true": y_true, "y_score": y_score, "groups": groups}
    return rows | columns_of(y_true, rng.integers(0, N_ITEMS, n_rows), rng)


def columns_of(y_true, items, rng):
    """Return the columns that any metric needs; of a new one, what it declares."""
    declared = {column for metric in METRICS.values() for column in metric.columns}
    n_rows = len(y_true)
    return {column.name: column.example(y_true) for column in declared} | {
        "propensity": rng.uniform(0.1, 1, n_rows),
        "items": items,
        "item_groups": rng.integers(0, 3, n_rows),
        "values": rng.normal(size=n_rows),
        "subtopics": (rng.random((n_rows, 4)) < 0.3) & (y_true > 0)[:, None],
    }


def of_queries(rows, queries):
    kept = np.isin(rows["groups"], queries)
    return {name: column[kept] for name, column in rows.items()}


def values_of(name, rows, **given):
    return per_query_scores(**rows, metrics=name, catalogue=CATALOGUE, **given)


def bound(name):
    """Return the name with the parameters that the whole input would decide."""
    if not metric_of(name).from_data:
        return name
    word, at, k = name.partition("@")
    return f"{word}(max_grade=3){at}{k}"


# ---- a query's value does not depend on its neighbors ----------------------------------


@pytest.mark.parametrize(("name", "ties"), NAMES_AND_TIES)
def test_a_query_has_the_same_value_alone_and_among_others(name, ties):
    """To the last bit, whatever is long or short, tied or not, around it."""
    name, rows = bound(name), rows_for(name, ties)
    (values,) = values_of(name, rows, ties=ties).scores.values()
    for query in range(20):
        (alone,) = values_of(name, of_queries(rows, query), ties=ties).scores.values()
        np.testing.assert_array_equal(alone, values[[query]], err_msg=f"query {query}")


@every_name
def test_a_query_has_the_same_value_in_every_block(name, monkeypatch):
    monkeypatch.setattr("sklearn_rank._ranking._rank.RANKED_ROWS", 64)
    monkeypatch.setattr("sklearn_rank._ranking._keys.SORTED_ROWS", 50)
    rows = rows_for(name)
    (small,) = values_of(bound(name), rows).scores.values()
    monkeypatch.undo()
    (large,) = values_of(bound(name), rows).scores.values()
    np.testing.assert_array_equal(small, large)


# ---- values and intervals stay within the range that is declared ------------------------


def check_range(named, rows):
    """Check the values of queries, or the number that a metric has for all of them."""
    given = {"metrics": [named], "catalogue": CATALOGUE}
    if named.summary.per_query:
        (values,) = per_query_scores(**rows, **given).scores.values()
    else:
        values = np.array(list(ranking_scores(**rows, **given).values()))
    defined = values[~np.isnan(values)]
    low, high = named.range.low, named.range.high
    assert low <= defined.min(initial=high)
    assert defined.max(initial=low) <= high


@pytest.mark.parametrize(("name", "ties"), NAMES_AND_TIES)
def test_values_stay_within_the_range(name, ties):
    (named,) = parse_metrics(bound(name))
    check_range(replace(named, ties=ties), rows_for(name, ties))


@pytest.mark.parametrize("name", list(PARAMETERS))
@settings(max_examples=20)
@given(data=st.data())
def test_values_stay_within_the_range_with_any_parameters(name, data):
    drawn = data.draw(st.fixed_dictionaries(PARAMETERS[name]))
    (named,) = parse_metrics(name)
    check_range(named.with_parameters(**drawn), of_queries(rows_for(name), range(9)))


@every_name
def test_a_value_for_undefined_queries_is_within_the_range(name):
    (named,) = parse_metrics(name)
    for value in (-0.5, 2.0):
        found = replace(named, replace_undefined_by=value).range
        assert found.low <= min(named.range.low, value)
        assert found.high >= max(named.range.high, value)
    assert replace(named, replace_undefined_by=np.nan).range == named.range


@pytest.mark.parametrize("name", ["ndcg", "mean_rank", "mae"])
def test_parts_and_differences_keep_the_range(name):
    rows = rows_for(name)
    whole = values_of(name, rows)
    (known,) = parse_metrics(name)
    halves = [values_of(name, of_queries(rows, q)) for q in ([1, 2, 3], [4, 5])]
    for found in (whole.of([3, 4]), halves[0].merge(halves[1])):
        assert found._range_of(name) == known.range
    width = known.range.high - known.range.low
    assert whole.difference(whole)._range_of(name) == Range(-width, width)
    assert PerQueryScores([1], {name: [0.5]})._range_of(name) == Range(-np.inf, np.inf)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ndcg", "0 to 1"),
        ("mae", "0 or more"),
        ("dcg", "0 to the value of the ideal order"),
        ("mean_rank", "1 to the number of items"),
        ("mpr", "0 to 1"),
        ("novelty", "0 to log2 of the number of users"),
        ("novelty(normalize=True)", "0 to 1"),
    ],
)
def test_ranges_in_words(name, words):
    assert str(parse_metrics(name)[0].range) == words


# ---- parts merge into the whole --------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@every_name
def test_halves_merge_into_the_number_of_the_whole(name, weighted):
    rows = rows_for(name)
    if weighted:
        rows["sample_weight"] = np.random.default_rng(9).uniform(0, 2, 20)[rows["groups"]]
    name, queries = bound(name), np.random.default_rng(2).permutation(20)
    whole = values_of(name, rows)
    one, other = (values_of(name, of_queries(rows, q)) for q in np.split(queries, [7]))
    merged = one.merge(other)
    assert sorted(merged.groups.tolist()) == list(range(20))
    at_once = ranking_scores(
        **rows, metrics=name, replace_undefined_by=np.nan, catalogue=CATALOGUE
    )
    # Values of rmse are roots, the squares of which are rounded.
    assert whole.mean() == pytest.approx(at_once, rel=1e-15 * (name == "rmse"), abs=0)
    assert merged.mean() == pytest.approx(whole.mean(), rel=0, abs=0, nan_ok=True)
    assert merged.standard_error() == whole.standard_error()
    expected = whole.summaries()[name]
    assert one.summaries()[name].merge(other.summaries()[name]) == expected


@pytest.mark.parametrize("name", [name for name in NAMES if metric_of(name).from_data])
def test_parts_that_decided_for_themselves_do_not_merge(name):
    rows = rows_for(name)
    rows["y_true"] = np.fmin(rows["y_true"], np.where(rows["groups"] < 10, 2, 3))
    parts = [of_queries(rows, np.arange(*ends)) for ends in [(0, 10), (10, 20)]]
    one, other = (values_of(name, part) for part in parts)
    with pytest.raises(ValueError, match=r"different values of `max_grade`, 2\.0 and 3\.0"):
        one.merge(other)
    one, other = (values_of(bound(name), part) for part in parts)
    assert one.merge(other).mean() == pytest.approx(values_of(bound(name), rows).mean())


def test_a_split_query_is_an_error():
    found = values_of("mrr", rows_for("mrr"))
    with pytest.raises(ValueError, match="Query 3 is in two parts"):
        found.of([1, 3]).merge(found.of([3, 4]))
    with pytest.raises(ValueError, match="Query 3 is in two parts"):
        found.of([0]).merge(found.of([1, 3]), found.of([2]), found.of([4, 3]))
    with pytest.raises(TypeError, match=r"PerQueryScores, .* got 5"):
        found.of([0]).merge(found.of([1]), 5)


@pytest.mark.parametrize("has_folds", [False, True])
def test_many_parts_merge_at_once_as_one_by_one(has_folds):
    rows = rows_for("mrr")
    rows["sample_weight"] = np.random.default_rng(9).uniform(0, 2, 20)[rows["groups"]]
    whole = values_of("mrr", rows)
    if has_folds:  # the same queries again, in another fold
        names = whole.groups % 10
        whole = whole._relabeled(names, np.arange(20) // 10)
    parts = [whole.of(np.arange(20) % 7 == part) for part in range(7)]
    parts.insert(2, whole.of(np.zeros(20, dtype=bool)))  # an empty one
    at_once, one_by_one = parts[0].merge(*parts[1:]), reduce(PerQueryScores.merge, parts)
    for merged in (at_once, one_by_one):
        order = np.argsort(np.arange(20) % 7, kind="stable")
        assert merged.groups.tolist() == whole.groups[order].tolist()
        np.testing.assert_array_equal(merged.scores["mrr"], whole.scores["mrr"][order])
        np.testing.assert_array_equal(merged.weights["mrr"], whole.weights["mrr"][order])
        assert (merged.fold is None) == (not has_folds)
    assert at_once.mean() == whole.mean()
    assert parts[0].merge().groups.tolist() == parts[0].groups.tolist()


def test_a_query_twice_within_a_part_is_not_in_two_parts():
    found = values_of("mrr", rows_for("mrr"))
    twice = found._relabeled(np.zeros(20, dtype=int), None)
    other = found.of([3, 4])
    assert len(other.merge(twice, found.of([5]))) == 23


def test_parts_of_other_metrics_do_not_merge():
    rows = rows_for("mrr")
    with pytest.raises(ValueError, match="different metrics"):
        values_of("mrr", rows).merge(values_of("map", rows))


# ---- what is known of all ranks, and what is not ---------------------------------------


@every_name
def test_long_lists_give_what_short_ones_give(name):
    """Of lists much longer than the cutoff, ranks below it are not worked out."""
    rng = np.random.default_rng(3)
    if not metric_of(name).ranks:
        pytest.skip("rating errors have no ranks")
    known = Catalogue(
        items=range(900),
        users=range(6),
        history=rng.random((6, 900)) < 0.1,
        features=rng.integers(0, 3, (900, 4)),
        categories=rng.random((900, 5)) < 0.3,
        reference={user: [1, 2, 3] for user in range(6)},
    )
    n_rows = 6 * 900
    y_true = np.append(rng.choice([0.0, 1, 2], n_rows, p=[0.97, 0.02, 0.01]), 1)
    rows = {"y_true": y_true, "y_score": np.append(rng.normal(size=n_rows), 0)}
    rows["groups"] = np.repeat(np.arange(7), [900] * 6 + [1])  # of one length no more
    rows |= columns_of(y_true, np.arange(n_rows + 1) % 900, rng)
    long, ragged = (
        per_query_scores(**some, metrics=name, catalogue=known)
        for some in (of_queries(rows, range(6)), rows)
    )
    np.testing.assert_array_equal(long.scores[name], ragged.scores[name][:6])


def test_ranks_that_were_not_worked_out_cannot_be_read():
    from sklearn_rank._ranking._rank import rank_chunks
    from sklearn_rank._ranking._rows import read_rows

    y_score = np.random.default_rng(0).normal(size=(3, 500))
    rows = read_rows(np.ones_like(y_score), y_score, None, None)
    (block,) = rank_chunks(rows, "average", cutoff=5)
    assert block.relevant.places(5).rank.max() == 5
    with pytest.raises(AssertionError, match="below 5 were not worked out"):
        _ = block.relevant.above
    with pytest.raises(AssertionError, match="below_k=True"):
        block.relevant.places(6)
    (block,) = rank_chunks(rows, "average")
    assert block.relevant.above.max() == 499


def test_a_block_is_freed_before_the_next_one():
    """A record that holds itself would wait for the garbage collector, with its arrays."""
    from sklearn_rank._ranking._rank import rank_chunks
    from sklearn_rank._ranking._rows import read_rows

    rows = read_rows(np.ones((3, 5)), np.arange(15.0).reshape(3, 5), None, None)
    gc.disable()
    try:
        (block,) = rank_chunks(rows, "average")
        own = None, "linear", "relevant", "log", 2
        METRICS["ndcg"].kernel(block.relevant.judged(), *own)
        alive = weakref.ref(block.relevant)
        del block
        assert alive() is None
    finally:
        gc.enable()


# ---- summaries -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["arithmetic", "geometric", "quadratic"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_mean_of_parts_is_the_mean(kind, weighted):
    rng = np.random.default_rng(0)
    values = rng.uniform(0.1, 1, 50)
    values[::7] = np.nan
    weight = rng.uniform(0, 3, 50) if weighted else None
    whole = Mean(kind).add(values, weight)
    parts = Mean(kind)
    for part in np.array_split(np.arange(50), 9):
        parts = parts.add(values[part], None if weight is None else weight[part])
    defined = ~np.isnan(values)
    x, w = values[defined], np.ones(42) if weight is None else weight[defined]
    into, back = {
        "arithmetic": (lambda x: x, lambda m: m),
        "geometric": (np.log, np.exp),
        "quadratic": (np.square, np.sqrt),
    }[kind]
    assert whole.result() == pytest.approx(back(np.average(into(x), weights=w)), rel=1e-14)
    assert (whole.n, whole.undefined) == (len(x), 50 - len(x))
    assert parts == whole


@pytest.mark.parametrize("n_parts", [2, 7, 50, 333])
@pytest.mark.parametrize("weighted", [False, True])
def test_means_have_the_same_bits_in_any_order_from_any_parts(weighted, n_parts):
    rng = np.random.default_rng(0)
    values, weight = rng.exponential(size=(2, 2000))
    values[::9] = np.nan
    whole = Mean().add(values, weight if weighted else None)
    parts = Mean()
    for part in np.array_split(rng.permutation(2000), n_parts):
        of_part = Mean().add(values[part], weight[part] if weighted else None)
        parts = pickle.loads(pickle.dumps(of_part)).merge(parts)
    assert parts.result() == whole.result()
    assert parts.standard_error() == whole.standard_error()
    assert parts == whole


def test_means_and_standard_errors_are_correctly_rounded():
    values = np.random.default_rng(0).random(1000)
    exact = [Fraction(x) for x in values.tolist()]
    mean = sum(exact) / 1000
    variance = sum((x - mean) ** 2 for x in exact) / 999
    found = Mean().add(values)
    assert found.result() == float(mean)
    assert found.standard_error() == pytest.approx((variance / 1000) ** 0.5, rel=3e-16)


def test_nothing_cancels_in_a_standard_error():
    for values in ([0.1] * 7, [1e300] * 7, [1e-310] * 7):
        assert Mean().add(values).result() == values[0]
        assert Mean().add(values).standard_error() == 0
    near = Mean().add(1e9 + np.array([0.0, 1, 2, 3])).standard_error()
    assert near == pytest.approx(np.std([0, 1, 2, 3], ddof=1) / 2, rel=1e-15)


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_means_of_infinite_values(infinite):
    found = Mean().add([1.0, infinite], np.array([1.0, 2.0]))
    assert found.result() == infinite
    assert found.add([3.0]).result() == infinite
    assert np.isnan(found.add([-infinite]).result())
    assert np.isnan(found.standard_error())
    assert found.add([infinite], np.zeros(1)) == found


def test_the_standard_error_of_a_mean_is_s_over_the_root_of_n():
    values = [0.1, 0.5, 0.9, 0.2]
    expected = np.std(values, ddof=1) / 2
    assert Mean().add(values).standard_error() == pytest.approx(expected, rel=1e-14)
    assert np.isnan(Mean().add([0.5]).standard_error())


@pytest.mark.parametrize(
    ("kind", "values", "slope"),
    [
        ("geometric", [1, np.e**2], np.e),  # logarithms 0 and 2
        ("quadratic", [1, np.sqrt(3)], 1 / (2 * np.sqrt(2))),  # squares 1 and 3
    ],
)
def test_the_standard_error_of_other_means_is_that_of_the_average_times_the_slope(
    kind, values, slope
):
    """Numbers 2 apart have the variance 2, and their average the standard error 1."""
    assert Mean(kind).add(values).standard_error() == pytest.approx(slope, rel=1e-14)


def test_a_ratio_is_one_sum_over_another():
    found = Ratio().add([0.5, 1.0, np.nan], np.array([4.0, 1.0, np.nan]))
    assert found.total == 3
    assert found.weight == 5
    assert found.result() == 0.6
    assert (found.n, found.undefined) == (2, 1)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_weights_of_any_size_merge(scale):
    values, weight = np.array([0.25, 0.5, 1.0]), np.array([0.5, 1, 0.25])
    expected = np.average(values, weights=weight)
    one = Mean().add(values[:2], weight[:2] * scale)
    both = one.merge(Mean().add(values[2:], weight[2:] * scale))
    assert both.result() == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_the_standard_error_has_the_size_of_the_values(scale):
    values, weight = np.array([0.25, 0.5, 1.0]), np.array([0.5, 1, 0.25])
    expected = Mean().add(values, weight).standard_error() * scale
    found = Mean().add(values * scale, weight).standard_error()
    assert found == pytest.approx(expected, rel=1e-14)


def test_means_of_another_kind_do_not_merge():
    with pytest.raises(ValueError, match="kind 'geometric'"):
        Mean("geometric").merge(Mean())


def test_counts_of_items_merge_by_label():
    def share(counts):
        return len(counts.items) / 8

    empty = ItemCounts(share)
    one = empty.add((2, np.array([0, 0, 1]), np.array([5, 7, 5]), np.ones(3)))
    other = empty.add((1, np.array([0]), np.array([9]), np.ones(1)), np.array([0.5]))
    both = one.merge(other)
    assert both.items.tolist() == [5, 7, 9]
    assert both.amounts.tolist() == [2, 1, 0.5]
    assert (both.n, both.result()) == (3, 3 / 8)


def test_counts_of_items_of_any_type_merge():
    def amounts(counts):
        return counts.amounts.sum()

    def of_labels(*labels):
        codes = np.arange(len(labels))
        found = (1, np.zeros_like(codes), codes, np.ones(len(labels)))
        return ItemCounts(amounts).add(found).labeled(as_vector(labels, name="items"))

    both = of_labels("a", ("b", 1)).merge(of_labels(7, "a"))
    assert dict(zip(both.items.tolist(), both.amounts.tolist(), strict=True)) == {
        7: 1,
        "a": 2,
        ("b", 1): 1,
    }
    strings = of_labels("a")
    assert strings.items.dtype.kind == "U"
    assert set(strings.merge(of_labels(7)).items.tolist()) == {"a", 7}
    nothing = (1, np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0))
    assert strings.add(nothing).items.tolist() == ["a"]
    assert ItemCounts(amounts).add(nothing).merge(strings).n == 2


def test_queries_without_weight_show_no_items():
    counts = ItemCounts(len)
    certain = -np.inf  # a logarithm, as coverage has it, and no number times 0
    found = (2, np.array([0, 1]), np.array([5, 7]), np.array([certain, certain]))
    added = counts.add(found, np.array([0.0, 3.0]))
    assert added.items.tolist() == [7]
    assert (added.amounts.tolist(), added.n) == ([certain], 1)


# ---- PerQueryScores --------------------------------------------------------------------


def test_align_matches_by_label():
    one = PerQueryScores(["b", "a", "c"], {"mrr": [1.0, 0.5, 0.25]})
    other = PerQueryScores(["a", "c", "b"], {"mrr": [0.5, 0.0, 1.0]})
    assert one.align(other).groups.tolist() == ["b", "a", "c"]
    difference = one.difference(other)
    assert difference.scores["mrr"].tolist() == [0, 0, 0.25]
    assert difference.mean()["mrr"] == pytest.approx(0.25 / 3)


def test_align_matches_by_label_and_fold():
    one = PerQueryScores([1, 1, 2], {"mrr": [1.0, 0.5, 0.25]}, fold=[0, 1, 1])
    other = PerQueryScores([1, 2, 1], {"mrr": [0.0, 0.5, 1.0]}, fold=[1, 1, 0])
    assert one.align(other).scores["mrr"].tolist() == [1, 0, 0.5]


def test_some_queries_keep_their_folds():
    found = PerQueryScores([1, 2, 1], {"mrr": [1.0, 0.5, 0.25]}, fold=[0, 0, 1])
    some = found.of([2, 0])
    assert (some.fold.tolist(), some.groups.tolist()) == ([1, 0], [1, 1])
    assert some.scores["mrr"].tolist() == [0.25, 1]
    assert found.of([False, True, True]).fold.tolist() == [0, 1]
    assert found.of([]).groups.tolist() == []


@pytest.mark.parametrize(
    "queries", ["a", {"a"}, {"a": 1}, ["a", "b"], [0.0], None, 0, [[0]]], ids=repr
)
def test_labels_are_not_the_places_of_queries(queries):
    found = PerQueryScores(["a", "b"], {"mrr": [1.0, 0.5]})
    with pytest.raises(TypeError, match=r"indices or a mask, for labels np\.isin\(result"):
        found.of(queries)
    assert found.of(np.isin(found.groups, ["b"])).scores["mrr"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("groups", "text"),
    [([1, 4], "1 are not in the other one, and 1 of"), ([1, 1], "duplicate query")],
)
def test_align_needs_the_same_queries_once(groups, text):
    one = PerQueryScores([1, 2], {"mrr": [1.0, 0.5]})
    with pytest.raises(ValueError, match=text):
        one.align(PerQueryScores(groups, {"mrr": [1.0, 0.5]}))


def test_differences_need_a_metric_in_common():
    one = PerQueryScores([1], {"mrr": [1.0]})
    with pytest.raises(ValueError, match="no metric in common"):
        one.difference(PerQueryScores([1], {"map": [1.0]}))


def test_lengths_are_checked():
    with pytest.raises(ValueError, match="'mrr' has shape"):
        PerQueryScores([1, 2], {"mrr": [1.0]})


def test_it_says_what_it_is_and_pickles():
    rows = rows_for("err")
    found = per_query_scores(**rows, metrics=["err@10", "mean_rank"])
    assert repr(found) == "PerQueryScores(20 queries, metrics=['err@10', 'mean_rank'])"
    assert found.lower_is_better == {"mean_rank"}
    again = pickle.loads(pickle.dumps(found))
    assert again.mean() == found.mean()
    assert again.whole == {"err@10": {"max_grade": 3.0}}


def test_labels_of_other_types_stay_what_they_are():
    one = PerQueryScores([1, 2], {"mrr": [1.0, 0.5]})
    other = PerQueryScores(["a", ("b", 1)], {"mrr": [1.0, 0.5]})
    assert one.merge(other).groups.tolist() == [1, 2, "a", ("b", 1)]


@pytest.mark.parametrize("method", ["align", "merge", "difference"])
def test_only_its_like_can_be_compared_or_merged(method):
    one = PerQueryScores([1], {"mrr": [1.0]})
    with pytest.raises(TypeError, match=r"must be a PerQueryScores.*got 5"):
        getattr(one, method)(5)


def test_values_are_numbers():
    with pytest.raises(ValueError, match="`mrr` must hold numbers"):
        PerQueryScores([1, 2], {"mrr": ["good", "bad"]})
