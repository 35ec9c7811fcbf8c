"""Every metric equals its plain-loop reference, over all orders of tied rows."""

from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import exp, inf, isnan, log, nan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sklearn_rank.metrics import per_query_scores
from tests.metrics import reference as ref
from tests.metrics.registered import (
    ALLOWS_UNJUDGED,
    CUTOFFS,
    METRICS,
    MIN_RELEVANCE,
    PARAMETERS,
)
from tests.metrics.strategies import (
    BINARY,
    FLOATS,
    GRADED,
    GRADES,
    JUDGED_OR_NOT,
    as_query_data,
    query_data,
)

# Among tiny inputs are those in which no query has a retrieved row.
pytestmark = pytest.mark.filterwarnings(
    "ignore:None of:sklearn_rank.exceptions.MisleadingScoreWarning"
)

TIES = ["average", "worst", "best", "first"]
TOLERANCE = {"rtol": 1e-12, "atol": 1e-14}


def spelled(name, params):
    """Return the metric's name with its parameters, as a user writes it in a string."""
    others = {key: value for key, value in params.items() if key != "k"}
    if name == "accuracy":
        others["n_items"] = None  # without it, the name has two meanings
    inside = ", ".join(f"{key}={value!r}" for key, value in others.items())
    cut = f"@{params['k']}" if params.get("k") else ""
    whole_list = ", k=None" if "k" in params and params["k"] is None else ""
    return f"{name}({inside}{whole_list}){cut}".replace("(, ", "(").replace("()", "")


def per_query(name, data, ties, params):
    metric = spelled(name, params)
    scored = per_query_scores(**data.flat, metrics=[metric], ties=ties)
    (values,) = scored.scores.values()
    return values


def check(name, data, ties, params):
    expected = [
        float(ref.with_ties(ties, ref.REFERENCES[name], grades, scores, **params))
        for grades, scores in data.in_label_order()
    ]
    actual = per_query(name, data, ties, params)
    np.testing.assert_allclose(actual, expected, **TOLERANCE)


def test_every_registered_metric_has_a_reference():
    assert set(METRICS) == set(ref.REFERENCES) == set(PARAMETERS)


@pytest.mark.parametrize("name", sorted(METRICS))
@settings(max_examples=60, deadline=None)  # what has three rows is tried in full below
@given(data=st.data())
def test_metric_equals_its_reference(name, data):
    kinds = st.just(JUDGED_OR_NOT) if name in ALLOWS_UNJUDGED else GRADES
    queries = data.draw(query_data(grades=kinds))
    params = data.draw(st.fixed_dictionaries(PARAMETERS[name]))
    for ties in TIES:
        check(name, queries, ties, params)


# The references have no default for what the package takes from the data.
PLAIN = {n: {"max_grade": 2} for n, m in METRICS.items() if "max_grade" in m.from_data}


@cache
def every_query(n_rows, grades=(0, 1, 2), scores=(-inf, 1.0, 2.0, 3.0)):
    """Return all queries of `n_rows` rows as one data set."""
    queries = product(product(grades, scores), repeat=n_rows)
    return as_query_data(
        [(number, row) for number, rows in enumerate(queries) for row in rows]
    )


@pytest.mark.parametrize("name", sorted(METRICS))
def test_metric_equals_its_reference_on_all_queries_of_three_rows(name):
    takes_k = METRICS[name].takes_k
    for k in [1, 2, 3, 4] if takes_k else [None]:
        params = PLAIN.get(name, {}) | ({"k": k} if takes_k else {})
        for ties in TIES:
            check(name, every_query(3), ties, params)


@pytest.mark.parametrize("name", sorted(ALLOWS_UNJUDGED))
@pytest.mark.parametrize("ties", TIES)
def test_unjudged_rows_on_all_queries_of_three_rows(name, ties):
    params = PLAIN.get(name, {}) | ({"k": 2} if METRICS[name].takes_k else {})
    check(name, every_query(3, grades=(None, 0, 1)), ties, params)


@pytest.mark.parametrize("name", sorted(METRICS))
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_long_blocks_of_tied_rows(name, data):
    """Blocks of up to 11 rows, where closed forms with binomials could drift."""
    if name in {"cg", "dcg", "ndcg", "rbp", "err", "q_measure"}:
        grade = data.draw(st.sampled_from([BINARY, st.sampled_from([0, 0, 0, 0, 1, 2])]))
    else:
        grade = BINARY
    rows = st.lists(st.tuples(grade, st.sampled_from([1.0, 1.0, 2.0])), max_size=8)
    queries = data.draw(st.lists(rows.filter(bool), min_size=1, max_size=2))
    labeled = [(n, row) for n, query in enumerate(queries) for row in query]
    labeled += [(n, (0, 1.0)) for n in range(len(queries)) for _ in range(3)]
    params = data.draw(st.fixed_dictionaries(PARAMETERS[name]))
    check(name, as_query_data(labeled), "average", params)


@pytest.mark.parametrize("grades", [GRADED, FLOATS], ids=["graded", "floats"])
@pytest.mark.parametrize("name", ["dcg", "ndcg"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_callable_gain_and_discount(name, grades, data):
    def square(grade):
        return grade**2

    def root(rank):
        return rank**-0.5

    queries = data.draw(query_data(grades=st.just(grades)))
    params = {"k": data.draw(CUTOFFS), "gain": square, "discount": root}
    for label, rows in queries.queries.items():
        grades, scores = zip(*rows, strict=True)
        reference = ref.REFERENCES[name]
        expected = float(ref.expected_over_ties(reference, grades, scores, **params))
        actual = METRICS[name].function(
            np.array(grades, dtype=float),
            np.array(scores),
            groups=[label] * len(rows),
            replace_undefined_by=-1.0,
            **params,
        )
        wanted = -1.0 if isnan(expected) else expected
        assert actual == pytest.approx(wanted, rel=1e-12, abs=1e-14)


# ---- means other than the plain one ----------------------------------------------------


def values_of(reference, queries, **params):
    """Return the value and the rows of each query for which it is defined."""
    scored = [
        (float(ref.expected_over_ties(reference, *columns, **params)), columns)
        for columns in queries.in_label_order()
    ]
    return [(value, columns) for value, columns in scored if not isnan(value)]


@pytest.mark.parametrize("weighting", ["query", "positives", "pairs"])
@settings(max_examples=100, deadline=None)
@given(queries=query_data(), min_relevance=MIN_RELEVANCE)
def test_weightings_of_auc(weighting, queries, min_relevance):
    scored = values_of(ref.auc, queries, min_relevance=min_relevance)
    total = weights = 0.0
    for value, (grades, _) in scored:
        positives = sum(ref.is_relevant(grade, min_relevance) for grade in grades)
        pairs = positives * (len(grades) - positives)
        weight = {"query": 1, "positives": positives, "pairs": pairs}[weighting]
        total, weights = total + weight * value, weights + weight
    assume(scored)
    actual = METRICS["auc"].function(
        **defined_only(queries, min_relevance),
        weighting=weighting,
        min_relevance=min_relevance,
    )
    assert actual == pytest.approx(total / weights, rel=1e-12)


def defined_only(queries, min_relevance):
    """Return the flat columns of the queries that hold both kinds of rows."""
    rows = [
        (label, row)
        for label, rows in queries.queries.items()
        if len({ref.is_relevant(grade, min_relevance) for grade, _ in rows}) == 2
        for row in rows
    ]
    return as_query_data(rows).flat


@settings(max_examples=100, deadline=None)
@given(queries=query_data(), k=CUTOFFS)
def test_geometric_mean_of_average_precision(queries, k):
    """Values below 0.00001 count as that; the worst query pulls the mean down."""
    scored = values_of(ref.average_precision, queries, k=k)
    assume(len(scored) == len(queries.queries))
    logarithms = [log(max(value, 1e-5)) for value, _ in scored]
    actual = METRICS["map"].function(**queries.flat, k=k, average="geometric")
    assert actual == pytest.approx(exp(sum(logarithms) / len(logarithms)), rel=1e-12)


# ---- judgments of a part of a pool ----------------------------------------------------


@pytest.mark.parametrize("ties", ["average", "first"])
@settings(max_examples=100, deadline=None)
@given(
    queries=query_data(grades=st.just(st.sampled_from([None, 0, 1, 2, ref.OUTSIDE]))),
    said_of_outside=st.sampled_from([0.0, nan]),
)
def test_rows_outside_the_pool(ties, queries, said_of_outside):
    """They take their ranks and count as irrelevant, but not among the judged."""
    outside = queries.y_true == ref.OUTSIDE
    columns = queries.flat | {"y_true": np.where(outside, said_of_outside, queries.y_true)}
    expected = [
        float(ref.with_ties(ties, ref.infap, *query)) for query in queries.in_label_order()
    ]
    actual = METRICS["infap"].function(
        **columns, pooled=~outside, ties=ties, replace_undefined_by=0.0
    )
    assert actual == pytest.approx(np.nan_to_num(expected).mean(), rel=1e-12)


# ---- the references themselves ---------------------------------------------------------


def test_arrangements_are_the_distinct_permutations():
    block = [(1, 0.5), (0, 0.5), (1, 0.5), (2, 0.5)]
    found = list(ref.arrangements(block))
    assert len(found) == len(set(found))
    assert set(found) == set(permutations(block))


def test_expected_over_ties_is_the_mean_over_all_permutations():
    grades, scores = (1, 0, 0, 1), (2.0, 2.0, 2.0, 1.0)
    every = [
        ref.mrr([*block, (1, 1.0)])
        for block in permutations([(1, 2.0), (0, 2.0), (0, 2.0)])
    ]
    assert ref.expected_over_ties(ref.mrr, grades, scores) == sum(every) / 6
    assert sum(every) / 6 == Fraction(11, 18)


def test_orders_put_what_was_not_retrieved_last():
    grades, scores = (3, 0, 1, 2), (-inf, 1.0, 1.0, 5.0)
    assert ref.first_order(grades, scores) == [(2, 5.0), (0, 1.0), (1, 1.0), (3, -inf)]
    every = list(ref.all_orders(grades, scores))
    assert len(every) == 2
    assert all(rows[0] == (2, 5.0) and rows[-1] == (3, -inf) for rows in every)


def test_worst_and_best_are_extremes_in_the_direction_of_the_metric():
    grades, scores = (0, 1, 1), (1.0, 1.0, 1.0)
    worst_and_best = [
        tuple(ref.with_ties(ties, reference, grades, scores) for ties in ("worst", "best"))
        for reference in (ref.mrr, ref.mean_rank)
    ]
    assert worst_and_best == [(Fraction(1, 2), 1), (Fraction(5, 2), Fraction(3, 2))]
