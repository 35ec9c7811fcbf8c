"""Case 2: a matrix of users × items is no log, and the error says how to make one."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_rank.recommenders import EASERecommender

M = sparse.random(200, 50, 0.1, "csr", random_state=0)
ROWS = M.tocoo()
EXPECTED = EASERecommender().fit(np.column_stack([ROWS.row, ROWS.col]), ROWS.data)


def run(advice, X):
    """Run the code of an advice, with `fit` that of a recommender."""
    model = EASERecommender()
    exec(advice, {"X": X, "np": np, "sparse": sparse, "fit": model.fit})
    return model


def advice_of(error, begin, end):
    return re.search(f"{begin}(.*){end}", str(error.value)).group(1)


@pytest.mark.parametrize("X", [M, M.tocoo(), sparse.csc_array(M)])
def test_a_sparse_matrix_is_an_error_whose_advice_runs(X):
    with pytest.raises(
        TypeError, match="X is a sparse matrix; a recommender takes"
    ) as error:
        EASERecommender().fit(X)
    model = run(advice_of(error, "Use ", ", not toarray"), X)
    assert np.array_equal(model.item_weights_, EXPECTED.item_weights_)
    with pytest.raises(TypeError, match=r"C = X\.tocoo\(\); predict\(np\.column_stack"):
        EXPECTED.predict(X)


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, np.ndarray.tolist])
def test_a_dense_matrix_is_an_error_whose_advice_runs(form):
    X = form(M.toarray())
    message = r"X has shape \(200, 50\), and columns 0 and 1 are mostly 0, as in"
    with pytest.raises(ValueError, match=message) as error:
        EASERecommender().fit(X)
    model = run(advice_of(error, "Use ", r"\. If they are ids, give user=0, item=1\."), X)
    assert np.array_equal(model.item_weights_, EXPECTED.item_weights_)
    ids = EASERecommender(user=0, item=1).fit(X)
    assert ids.n_features_in_ == 50


@pytest.mark.parametrize(
    "log",
    [
        [[0, 0], [0, 1], [1, 0]],  # two columns are no matrix
        [[0, 0, "a"], [0, 1, "a"], [1, 0, "b"]],
        [[0, 0, 5], [1, 0, 3], [1, 1, 3]],  # users are 0 in one row of three
    ],
)
def test_ids_of_0_are_a_log(log):
    assert len(EASERecommender().fit(log).users_) == 2


@pytest.mark.parametrize("empty", [0.0, np.nan])
def test_a_pivot_table_is_an_error_whose_advice_runs(empty):
    log = pd.DataFrame({"user": ROWS.row, "item": [f"i{i:02}" for i in ROWS.col]})
    log["weight"] = ROWS.data
    X = log.pivot(index="user", columns="item", values="weight").fillna(empty)
    with pytest.raises(ValueError, match="No column of X is named 'user'") as error:
        EASERecommender().fit(X)
    model = run(advice_of(error, "For a pivot table: ", r"\.$"), X)
    assert model.user_column_ == "user"
    assert np.array_equal(model.item_weights_, EXPECTED.item_weights_)


def test_a_log_is_not_taken_for_a_pivot_table():
    log = pd.DataFrame({"a": [1], "b": [1], "c": [1], "d": [1], "e": ["x"]})
    with pytest.raises(ValueError, match=r"a name or a position.$"):
        EASERecommender().fit(log)
