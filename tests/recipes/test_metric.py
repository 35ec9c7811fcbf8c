"""A new metric, step by step: one file, and everything else follows from it."""

from fractions import Fraction
from math import nan

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_validate

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import (
    MetricAtKDisplay,
    make_ranking_scorer,
    per_query_scores,
    ranking_report,
    ranking_scores,
)
from tests.metrics import reference
from tests.metrics.core import test_contract
from tests.metrics.families import test_reference

NAME = "generalized_precision"
NAMES = pytest.mark.parametrize("name", [NAME, f"{NAME}@3"])
ROWS = {"y_true": [0, 2, 1], "y_score": [3, 2, 1], "groups": ["q"] * 3}
VALUE = (0 / 2 + 2 / 2) / 2  # mean of grade / 2 over two ranks


@pytest.fixture(autouse=True)
def family(add_family):
    return add_family("_generalized_precision")


def test_it_has_a_function_and_a_name(family):
    assert family.generalized_precision_at_k_score(**ROWS, k=2) == VALUE
    assert ranking_scores(**ROWS, metrics=f"{NAME}@2") == {f"{NAME}@2": VALUE}
    other = "GeneralizedPrecision@2"
    assert ranking_scores(**ROWS, metrics=other) == {other: VALUE}
    with pytest.raises(ValueError, match="Did you mean 'generalized_precision'"):
        ranking_scores(**ROWS, metrics="generalised_precision@2")


def test_it_has_a_scorer(family):
    X, y, groups = make_ranking(n_queries=30, random_state=0)
    X = np.column_stack([groups, X])
    by_name = make_ranking_scorer(f"{NAME}(max_grade=4)@5", groups=0)
    by_function = make_ranking_scorer(
        family.generalized_precision_at_k_score, groups=0, k=5, max_grade=4
    )
    found = cross_validate(
        Ridge(),
        X,
        y,
        groups=groups,
        cv=GroupKFold(3),
        scoring={"name": by_name, "function": by_function},
        error_score="raise",
    )
    assert (found["test_name"] > 0).all()
    np.testing.assert_array_equal(found["test_name"], found["test_function"])


def test_it_has_a_line_in_reports_and_a_picture():
    plt = pytest.importorskip("matplotlib.pyplot")
    assert f"{NAME}@2  0.5000" in ranking_report(**ROWS, metrics=NAME, k=2)
    display = MetricAtKDisplay.from_predictions(**ROWS, metrics=NAME, k=2)
    assert display.mean[NAME].tolist() == [0, VALUE]
    plt.close("all")


def test_it_has_a_section_and_a_row_on_the_page_of_definitions(definitions):
    text = definitions.definitions()
    assert ".. _metric-generalized-precision:" in text
    assert "Journal of the American Society" in text
    row = definitions.behavior_table().partition("generalized_precision@2 <")[2]
    assert row.splitlines()[1:3] == ["     - 1", "     - 0"]  # perfect, reversed


# ---- laws ------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", test_contract.TIES)
@NAMES
def test_a_query_has_the_same_value_alone_and_among_others(name, ties):
    test_contract.test_a_query_has_the_same_value_alone_and_among_others(name, ties)


@NAMES
def test_a_query_has_the_same_value_in_every_block(name, monkeypatch):
    test_contract.test_a_query_has_the_same_value_in_every_block(name, monkeypatch)


@pytest.mark.parametrize("weighted", [False, True])
@NAMES
def test_halves_merge_into_the_number_of_the_whole(name, weighted):
    test_contract.test_halves_merge_into_the_number_of_the_whole(name, weighted)


@NAMES
def test_parts_that_decided_for_themselves_do_not_merge(name):
    test_contract.test_parts_that_decided_for_themselves_do_not_merge(name)


@NAMES
def test_long_lists_give_what_short_ones_give(name):
    test_contract.test_long_lists_give_what_short_ones_give(name)


# ---- the plain loop --------------------------------------------------------------------


def generalized_precision(rows, max_grade, k=10):
    if not any(grade for grade, _ in rows):
        return nan
    retrieved = [grade for grade, score in rows if score > -np.inf]
    depth = len(retrieved) if k is None else k
    return Fraction(sum(retrieved[:k]), depth * max_grade) if depth else Fraction(0)


@pytest.mark.parametrize("ties", test_reference.TIES)
@pytest.mark.parametrize("k", [1, 2, 3, 4, None])
def test_it_equals_the_plain_loop_on_all_queries_of_three_rows(k, ties, monkeypatch):
    monkeypatch.setitem(reference.REFERENCES, NAME, generalized_precision)
    queries = test_reference.every_query(3)
    test_reference.check(NAME, queries, ties, {"k": k, "max_grade": 2})


def test_a_query_without_relevant_items_is_undefined():
    found = per_query_scores([0, 0], [1, 2], groups=[1, 1], metrics=NAME)
    assert np.isnan(found.scores[NAME][0])
