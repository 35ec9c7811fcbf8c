"""Faults of programs, planted by plain loops in random data, are named."""

from math import isnan, log2, nan

import numpy as np
import pytest

from sklearn_rank.metrics import explain_difference
from sklearn_rank.metrics._results._conformance import conformance_vectors, judge_answers

K = 10


def draw(rng, *, ties=False, repeats=False, empty=True):
    """Return truth and lists of pairs of item and score, in the order of a program."""
    truth, lists = {}, {}
    for number in range(int(rng.integers(15, 61))):
        query, pool = f"q{number:02d}", [f"d{i:02d}" for i in rng.permutation(40)]
        n_relevant = int(rng.choice([0, 1, 2, 4, 7, 14], p=[0.1, 0.2, 0.2, 0.2, 0.2, 0.1]))
        truth[query] = {item: int(rng.integers(1, 4)) for item in pool[:n_relevant]}
        size = int(rng.choice([0, 2, 4, 8, 12, 16], p=[0.1, 0.1, 0.2, 0.2, 0.2, 0.2]))
        pool = list(rng.permutation(pool[: n_relevant + 12]))[: size if empty else size + 1]
        scores = [float(len(pool) - rank) for rank in range(len(pool))]
        if ties and rng.random() < 1 / 3:
            scores = [float(score // 3) for score in scores]
        if repeats and len(pool) > 3 and rng.random() < 1 / 3:
            at = int(rng.integers(1, min(len(pool), 8)))
            pool[at] = pool[int(rng.integers(0, at))]
        lists[query] = [
            (str(item), score) for item, score in zip(pool, scores, strict=True)
        ]
    return truth, lists


def hits_of(grades, ids, k, repeats="first"):
    """Return the grade at each rank of the list."""
    seen, top = set(), []
    for item in ids:
        if item not in seen or repeats != "first":
            lost = item in seen and repeats == "miss"
            top.append(0 if lost else grades.get(item, 0))
        seen.add(item)
    return top[:k], len(top)


def log_discount(rank):
    return 1 / log2(rank + 1)


def ndcg(grades, ids, k=K, gain=float, ideal="relevant", discount=log_discount, **other):
    repeats = other.get("repeats", "first")
    top, n = hits_of(grades, ids, k, repeats)
    best = sorted(grades.values(), reverse=True)
    if repeats == "in ideal":
        again = [item for place, item in enumerate(ids[:k]) if item in ids[:place]]
        best = sorted([*best, *(grades.get(item, 0) for item in again)], reverse=True)
    best = {
        "relevant": best[:k],
        "list": best[: min(n, k)],
        "retrieved": sorted(top, reverse=True),
        "k": (best + [max(best, default=0)] * k)[:k],
        "all": best,
    }[ideal]
    dcg = sum(gain(g) * discount(r) for r, g in enumerate(top, 1))
    highest = sum(
        gain(g) * other.get("of_ideal", discount)(r) for r, g in enumerate(best, 1)
    )
    return dcg / highest if highest else 0.0


def precision(grades, ids, k=K, short=False, **other):
    top, n = hits_of(grades, ids, k, **other)
    return sum(g > 0 for g in top) / (max(min(k, n), 1) if short else k)


def recall(grades, ids, k=K, most=100, **other):
    top, _ = hits_of(grades, ids, k, **other)
    return sum(g > 0 for g in top) / max(min(len(grades), most), 1)


def average_precision(grades, ids, k=K, by="attainable", **other):
    top, _ = hits_of(grades, ids, k, **other)
    at = [r for r, g in enumerate(top, 1) if g > 0]
    total = sum(n / r for n, r in enumerate(at, 1))
    r = len(grades)
    return total / max({"attainable": min(r, k), "k": k, "hits": len(at), "all": r}[by], 1)


def reciprocal(grades, ids, k=K, of=max, start=0, **other):
    top, _ = hits_of(grades, ids, k, **other)
    each = [1 / (r + start) for r, g in enumerate(top, 1) if g > 0]
    return of(each) if each else 0.0


def one_late(rank):
    return 1 / log2(rank + 2)


def of_lists(score, ties="first", change=list, **given):
    """Return the value of a query, of its list in the order of a rule for ties."""
    orders = {
        "first": lambda row: 0,
        "ascending": lambda row: row[0],
        "reversed": lambda row: 0,
    }

    def value(grades, rows, k=K):
        own = {"k": k, **given} | ({"most": k} if "most" in given else {})
        rows = rows[::-1] if ties in ("reversed", "descending") else rows
        if ties in ("ascending", "descending"):
            rows = sorted(rows, reverse=ties == "descending")
        elif ties in ("worst", "best"):
            sign = 1 if ties == "worst" else -1
            rows = sorted(rows, key=lambda row: sign * grades.get(row[0], 0))
        else:
            rows = sorted(rows, key=orders[ties])
        rows = change(sorted(rows, key=lambda row: -row[1]))
        return score(grades, [item for item, _ in rows], **own)

    return value


def at_least_2(grades, rows, k=K):
    return of_lists(recall)({i: grade for i, grade in grades.items() if grade > 1}, rows, k)


def left_out(score, is_kept):
    def value(grades, rows, k=K):
        kept = is_kept(grades, rows, k)
        return score(grades, [item for item, _ in rows], k) if kept else nan

    return value


def has_hit(grades, rows, k=K):
    return float(any(item in grades for item, _ in rows[:k]))


FAULTS = {
    "gain='exponential'": ("ndcg", of_lists(ndcg, gain=lambda g: 2.0**g - 1)),
    "gain='binary'": ("ndcg", of_lists(ndcg, gain=np.sign)),
    "ideal='list'": ("ndcg", of_lists(ndcg, ideal="list")),
    "ideal='retrieved'": ("ndcg", of_lists(ndcg, ideal="retrieved")),
    "ideal='k'": ("ndcg", of_lists(ndcg, ideal="k")),
    "ideal='all'": ("ndcg", of_lists(ndcg, ideal="all")),
    "discount='jarvelin'": ("ndcg", of_lists(ndcg, discount=lambda r: 1 / max(1, log2(r)))),
    "discount='reciprocal'": ("ndcg", of_lists(ndcg, discount=lambda r: 1 / r)),
    "discount one rank late": ("ndcg", of_lists(ndcg, discount=one_late)),
    "discount one rank late in the list": (
        "ndcg",
        of_lists(ndcg, discount=one_late, of_ideal=log_discount),
    ),
    "ranks counted from 0": ("mrr", of_lists(reciprocal, start=1)),
    "sum over all relevant items": ("mrr", of_lists(reciprocal, of=sum)),
    "mean over all relevant items": ("mrr", of_lists(reciprocal, of=np.mean)),
    "denominator='attainable'": ("recall", of_lists(recall, most=None)),
    "one hit is enough": ("recall", has_hit),
    "denominator='list'": ("precision", of_lists(precision, short=True)),
    "denominator='k'": ("map", of_lists(average_precision, by="k")),
    "denominator='relevant'": ("map", of_lists(average_precision, by="all")),
    "denominator='retrieved'": ("map", of_lists(average_precision, by="hits")),
    "lists cut after 5 rows": ("ndcg", of_lists(ndcg, change=lambda rows: rows[:5])),
    "lowest score first": ("ndcg", of_lists(ndcg, change=lambda rows: rows[::-1])),
    "duplicates='first'": ("ndcg", of_lists(ndcg)),
    "duplicates='miss'": ("map", of_lists(average_precision, repeats="miss")),
    "duplicates credited": ("recall", of_lists(recall, repeats="credited")),
    "duplicates credited, and in the ideal": ("ndcg", of_lists(ndcg, repeats="in ideal")),
    "ties='first'": ("ndcg", of_lists(ndcg)),
    "tied rows in reversed order": ("ndcg", of_lists(ndcg, ties="reversed")),
    "ties by ids ascending": ("map", of_lists(average_precision, ties="ascending")),
    "ties by ids descending": ("ndcg", of_lists(ndcg, ties="descending")),
    "ties='worst'": ("ndcg", of_lists(ndcg, ties="worst")),
    "ties='best'": ("mrr", of_lists(reciprocal, ties="best")),
    "k=9": ("ndcg", of_lists(ndcg, k=9)),
    "k=11": ("recall", of_lists(recall, k=11)),
    "k=5": ("precision", of_lists(precision, k=5)),
    "min_relevance=2": ("recall", at_least_2),
    "it is precision@10": ("recall", of_lists(precision)),
    "it is recall@10": ("hit_rate", of_lists(recall)),
    "queries without a hit left out": ("ndcg", left_out(ndcg, has_hit)),
    "queries without a list left out": ("ndcg", left_out(ndcg, lambda g, rows, k: rows)),
    "queries without a relevant item count 1": (
        "ndcg",
        lambda g, rows, k=K: of_lists(ndcg)(g, rows, k) if g else 1.0,
    ),
}


def plant(name, seed, *, metric=None, value=None):
    """Return truth, lists, the metric and the values of a program with a fault."""
    metric, value = (metric, value) if value else FAULTS[name]
    for attempt in range(100):
        rng = np.random.default_rng([seed, attempt, *name.encode()])
        truth, lists = draw(
            rng, ties="tie" in name, repeats="duplicates" in name, empty="list" in name
        )
        values = {query: value(truth[query], lists[query]) for query in truth}
        right = {"ndcg": ndcg, "map": average_precision, "mrr": reciprocal}
        right |= {"recall": recall, "precision": precision, "hit_rate": recall}
        ours = {
            query: right[metric](truth[query], [i for i, _ in lists[query]])
            for query in truth
        }
        shown = [
            query
            for query, value_of in values.items()
            if abs(value_of - ours[query]) > 1e-9 or (truth[query] and isnan(value_of))
        ]
        if shown or "first" in name:
            break
    return truth, lists, f"{metric}@{K}", {q: v for q, v in values.items() if not isnan(v)}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named(name):
    for seed in range(3):
        truth, lists, metric, theirs = plant(name, seed)
        found = explain_difference(truth, lists, theirs=theirs, metric=metric)
        assert (name,) in found.found, found
        assert f"all {len(theirs)} values" in str(found)


PAIRS = {
    ("gain='exponential'", "ideal='list'"): (
        "ndcg",
        of_lists(ndcg, gain=lambda g: 2.0**g - 1, ideal="list"),
    ),
    ("gain='binary'", "discount one rank late"): (
        "ndcg",
        of_lists(ndcg, gain=np.sign, discount=one_late),
    ),
    ("k=5", "denominator='list'"): ("precision", of_lists(precision, k=5, short=True)),
    ("lists cut after 5 rows", "ideal='list'"): (
        "ndcg",
        of_lists(ndcg, change=lambda rows: rows[:5], ideal="list"),
    ),
    ("ideal='k'", "ties='first'"): ("ndcg", of_lists(ndcg, ideal="k")),
    ("denominator='retrieved'", "duplicates='miss'"): (
        "map",
        of_lists(average_precision, by="hits", repeats="miss"),
    ),
    ("sum over all relevant items", "tied rows in reversed order"): (
        "mrr",
        of_lists(reciprocal, of=sum, ties="reversed"),
    ),
    ("gain='exponential'", "queries without a relevant item count 1"): (
        "ndcg",
        lambda g, r: of_lists(ndcg, gain=lambda x: 2.0**x - 1)(g, r) if g else 1.0,
    ),
}


@pytest.mark.parametrize("names", PAIRS)
def test_two_faults_at_once(names):
    metric, value = PAIRS[names]
    truth, lists, metric, theirs = plant(" ".join(names), 7, metric=metric, value=value)
    found = explain_difference(truth, lists, theirs=theirs, metric=metric)
    assert set(names) in [set(changes) for changes in found.found], found


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_by_rounded_values(name):
    truth, lists, metric, theirs = plant(name, 0)
    rounded = {query: round(value, 4) for query, value in theirs.items()}
    explained = explain_difference(truth, lists, theirs=rounded, metric=metric)
    assert (name,) in explained.found, explained


@pytest.mark.parametrize("decimals", [3, 15])
@pytest.mark.parametrize("seed", range(3))
def test_noise_has_no_explanation(seed, decimals):
    truth, lists, metric, theirs = plant("ties='first'", seed)
    rng = np.random.default_rng(seed)
    noisy = {
        query: round(value + rng.normal(scale=0.01), decimals)
        for query, value in theirs.items()
    }
    found = explain_difference(truth, lists, theirs=noisy, metric=metric)
    assert found.found == []
    assert "grades" in str(found)


def test_a_few_wrong_values_beside_a_definition():
    truth, lists, metric, theirs = plant("ideal='list'", 0)
    wrong = [query for query in theirs if truth[query] and lists[query]][3]
    theirs[wrong] += 0.2
    found = explain_difference(truth, lists, theirs=theirs, metric=metric)
    assert found.found == []
    assert found.nearest[0][0] == ("ideal='list'",)
    assert f"misses {wrong!r}" in str(found)


def test_values_that_are_no_numbers():
    truth, lists, metric, theirs = plant("ideal='list'", 1)
    first, second = [query for query in theirs if truth[query] and lists[query]][:2]
    found = explain_difference(
        truth, lists, theirs=theirs | {first: np.inf, second: nan}, metric=metric
    )
    assert ("ideal='list'",) in found.found
    assert "1 value is infinite (a logarithm of rank 1 divides by 0)" in str(found)
    assert "1 query is missing" in str(found)
    with pytest.raises(ValueError, match="a logarithm of rank 1 divides by 0"):
        explain_difference(truth, lists, theirs=np.nan, metric=metric)
    with pytest.raises(ValueError, match="`groups` is for rows; leave it out"):
        explain_difference(truth, lists, theirs=0.5, groups=[1])


TRUTH = {"a": ["1", "2"], "b": ["3"], "c": ["4", "5"], "d": ["6"], "e": ["7"]}
LISTS = {"a": ["1"], "b": ["9", "3"], "c": ["4", "9"], "d": [], "e": ["7", "8"]}
OURS = {"a": 0.6131472, "b": 0.6309298, "c": 0.6131472, "d": 0.0, "e": 1.0}


def explain(theirs, metric="ndcg@5", queries="abcde"):
    truth, lists = ({q: of[q] for q in queries} for of in (TRUTH, LISTS))
    return explain_difference(truth, lists, theirs=theirs, metric=metric)


def test_our_own_definition_is_no_change():
    found = explain(OURS)
    assert found.found == [()]
    assert found.notes == ["One definition gives all 5 values."]
    assert explain(found.ours).found == [()]


def test_a_query_without_a_list_that_counts():
    found = explain(OURS | {"d": 1.0})
    assert found.found == []
    assert found.nearest == [((), pytest.approx(0.714306, abs=1e-6))]
    assert found.notes == [
        "Queries without a list do not count 0.",
        "It gives all 4 values of the others.",
    ]


def test_what_would_tell_two_ideals_apart():
    found = explain({"a": 1.0, "b": 0.6309298, "e": 1.0}, queries="abe")
    assert {("ideal='list'",), ("ideal='retrieved'",)} <= set(found.found)
    assert found.notes[-1].endswith("in a list of R items or more shows which it is.")


def test_a_metric_without_a_cutoff_is_not_taken_for_another():
    found = explain({"a": 0.5, "b": 0.0, "c": 0.25, "d": 0.0, "e": 1.0}, "r_precision")
    assert found.found == []
    assert not any("it is " in text for texts, _ in found.nearest for text in texts)


def test_few_lists_with_repeats_are_explained_at_each_cutoff():
    truth = {"a": ["1", "2"], "b": ["3"], "c": ["4", "5"]}
    lists = {"a": ["1", "1", "9"], "b": ["9", "3", "3"], "c": ["4", "9", "4"]}
    theirs = {
        query: ndcg(dict.fromkeys(truth[query], 1), lists[query], repeats="in ideal", k=2)
        for query in truth
    }
    found = explain_difference(truth, lists, theirs=theirs, metric="ndcg@3")
    assert any("k=2" in texts for texts in found.found), found


def test_what_is_not_explained_is_said_first():
    with pytest.raises(ValueError, match="needs more than grades and scores"):
        explain(0.5, "coverage@10")
    with pytest.raises(ValueError, match="no query with a value; give at least one"):
        explain({"a": nan})
    with pytest.raises(ValueError, match="none of the queries of `groups`"):
        explain({"x": 1.0})


def test_answers_at_one_cutoff_of_the_cases():
    cases = [case for case in conformance_vectors()["cases"] if case["k"] == 10]
    (judged,) = judge_answers({case["id"]: {"mrr": 1.0} for case in cases})
    assert "of 284 wrong (sklearn_rank)" in judged.text
    assert judged.text.endswith("No definition that was tried gives the answers.")
