"""Means, standard errors and numbers of a system: in any order, from any parts."""

import pickle
from functools import reduce

import numpy as np
import pytest

from sklearn_rank.distributed._value_tables import summary_from_bytes, summary_to_bytes
from sklearn_rank.metrics import Catalogue, per_query_scores, precision_recall_at_k_curve
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._registry import bind
from tests.metrics.core.test_contract import CATALOGUE, N_ITEMS, bound, metric_of, rows_for
from tests.metrics.core.test_contract import NAMES as OF_QUERIES
from tests.metrics.families.test_system_items import NAMES as OF_ALL_QUERIES

N_QUERIES = 340
RNG = np.random.default_rng(6)
REAL_FEATURES = Catalogue(
    items=range(N_ITEMS),
    users=range(18),
    history=CATALOGUE.history,
    features=RNG.normal(size=(N_ITEMS, 4)),
    categories=RNG.random((N_ITEMS, 5)) * (RNG.random((N_ITEMS, 5)) < 0.5),
    reference={user: range(user, 400, 3) for user in range(19)},
)


def rows_of_many_queries():
    """Return rows with ties, and weights that no sum of floats adds up exactly."""
    rng = np.random.default_rng(0)
    # No list has an item twice.
    groups, items = np.divmod(rng.permutation(N_QUERIES * 400)[:3000], 400)
    return {
        "y_true": rng.integers(0, 3, 3000).astype(float),
        "y_score": rng.integers(0, 5, 3000).astype(float),
        "groups": groups,
        "sample_weight": rng.integers(0, 4, N_QUERIES)[groups],
        "items": items,
    }


def state_of(name, rows, kept=slice(None)):
    """Return the sums of all lists of some rows."""
    columns = {column: values[kept] for column, values in rows.items()}
    (named,) = bind(name, replace_undefined_by=np.nan)
    items = columns.pop("items")
    found = evaluate([named], *columns.values(), {"items": items})
    return found.of_all[named.name]


@pytest.mark.parametrize("n_parts", [2, 7, 50])
@pytest.mark.parametrize("name", OF_ALL_QUERIES)
def test_numbers_of_a_system_have_the_same_bits(name, n_parts):
    rows = rows_of_many_queries()
    if "at_users" not in name:
        rows["sample_weight"] = rows["sample_weight"] * 0.1
    whole = state_of(name, rows)
    part_of = np.random.default_rng(1).integers(0, n_parts, N_QUERIES)[rows["groups"]]
    order = np.random.default_rng(2).permutation(len(part_of))
    merged = None
    for part in range(n_parts):
        state = state_of(name, rows, order[part_of[order] == part])
        state = summary_from_bytes(
            summary_to_bytes(pickle.loads(pickle.dumps(state)), state), state
        )
        merged = state if merged is None else state.merge(merged)
    assert merged.result() == whole.result()
    assert merged.amounts.tobytes() == whole.amounts.tobytes()


def test_curves_have_the_same_bits_in_any_order():
    rows = rows_of_many_queries()
    rows["sample_weight"] = rows["sample_weight"] * 0.1
    del rows["items"]
    order = np.random.default_rng(2).permutation(len(rows["groups"]))
    given = {"replace_undefined_by": np.nan}
    one = precision_recall_at_k_curve(**rows, **given)
    renamed = np.random.default_rng(3).permutation(N_QUERIES)
    rows["groups"] = renamed[rows["groups"]]
    other = precision_recall_at_k_curve(**{k: v[order] for k, v in rows.items()}, **given)
    assert [x.tolist() for x in one] == [x.tolist() for x in other]


def rows_in_any_order(name):
    """Return rows of which many tie, or were not retrieved, with columns of floats."""
    rows, rng = rows_for(name), np.random.default_rng(4)
    rows["y_true"] *= rng.choice([0.1, 0.3, 1.0], len(rows["y_true"]))
    if metric_of(name).ranks:
        if not name.startswith(("inst", "interpolated", "eleven")):  # too many orders
            rows["y_score"] = np.round(rows["y_score"])
        rows["y_score"][rng.random(len(rows["y_score"])) < 0.2] = -np.inf
    return rows


@pytest.mark.parametrize(
    "name",
    [
        *OF_QUERIES,
        "eel(discount='log')",
        "mean_value",
        "category_entropy",
        "calibration@30",
    ],
)
def test_values_have_the_same_bits_in_any_order_of_rows(name):
    name, rows = bound(name), rows_in_any_order(name)
    given = {"metrics": name, "catalogue": REAL_FEATURES, "replace_undefined_by": np.nan}
    whole = per_query_scores(**rows, **given)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(rows["groups"]))
        found = per_query_scores(**{k: v[order] for k, v in rows.items()}, **given)
        assert found.scores[name].tobytes() == whole.scores[name].tobytes()
        assert found.summaries() == whole.summaries()


@pytest.mark.parametrize("n_parts", [2, 7, 50, 333])
@pytest.mark.parametrize(
    "name", ["ndcg@3", "mae", "rmse", "novelty@3", "map(average='geometric')"]
)
def test_means_have_the_same_bits_from_any_parts(name, n_parts):
    rng = np.random.default_rng(5)
    rows = rows_of_many_queries()
    rows["sample_weight"] = rows["sample_weight"] * 0.1
    whole = per_query_scores(
        **rows, metrics=name, catalogue=REAL_FEATURES, replace_undefined_by=np.nan
    )
    parts = [whole.of(p) for p in np.array_split(rng.permutation(len(whole)), n_parts)]
    states = [pickle.loads(pickle.dumps(part.summaries()[name])) for part in parts]
    merged = reduce(lambda one, other: other.merge(one), states)
    assert merged == whole.summaries()[name]
    assert merged.standard_error() == whole.standard_error()[name]
