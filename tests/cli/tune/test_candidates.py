"""Which recommenders are tried, with which values, and how they are named."""

import json
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import ParameterGrid
from threadpoolctl import threadpool_limits

from sklearn_rank import recommenders
from sklearn_rank._cli.tune._candidates import (
    choose_models,
    describe,
    family_of,
    grid_of,
    title_of,
)
from sklearn_rank._cli.tune._half_lives import half_lives
from sklearn_rank._cli.tune._log_size import LogSize, most_items
from sklearn_rank._cli.tune._recommenders import (
    NAMES,
    RECOMMENDERS,
    Recommender,
    _weighted,
)
from sklearn_rank.experiments._as_python import as_python


def days(n):
    return pd.Series(
        pd.to_datetime(["2024-01-01", "2024-01-01"]) + pd.to_timedelta([0, n], "D")
    )


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (365, ["10h", "1D", "3D", "10D", "30D", "100D"]),
        (1, ["3min", "10min", "30min", "1h", "3h"]),
        (30_000, ["30D", "100D", "300D", "1000D", "3000D", "10000D"]),
        (0, []),
    ],
)
def test_half_lives_of_dates(span, expected):
    assert half_lives(days(span)) == expected


@pytest.mark.parametrize(
    ("span", "expected"),
    [(1000, [1, 3, 10, 30, 100, 300]), (0.31, [0.001, 0.003, 0.01, 0.03, 0.1]), (0, [])],
)
def test_half_lives_of_numbers(span, expected):
    assert half_lives(pd.Series([5.0, 5.0 + span])) == pytest.approx(expected)


@pytest.mark.parametrize("span", [5e-324, 1e-310, 1e-307])
def test_a_span_too_short_for_floats_has_no_half_lives(span):
    assert half_lives(pd.Series([0.0, span])) == []


def sized(n_items=10, n_user_pairs=10):
    return LogSize(n_rows=10, n_items=n_items, n_user_pairs=n_user_pairs)


def test_large_catalogs_leave_models_out_and_say_so():
    chosen, remarks = choose_models(None, sized(5_001))
    assert chosen == (
        "popularity",
        "factorization",
        "user_neighbors",
        "neighbors",
        "nmf",
        "slim",
    )
    assert "EASE" in remarks[0]
    assert "5,001 items (tried up to 5,000)" in remarks[0]
    assert "--models" in remarks[0]
    assert choose_models(None, sized(5_000))[1] == []
    assert [text[:16] for text in choose_models(None, sized(10_001))[1]] == [
        "Left out: EASE, ",
        "Left out: SLIM, ",
    ]
    assert choose_models(("ease",), sized(20_001)) == (("ease",), [])


def test_items_of_many_users_leave_user_neighbors_out_and_say_so():
    chosen, (remark,) = choose_models(None, sized(n_user_pairs=2_000_000_001))
    assert "user_neighbors" not in chosen
    assert remark == (
        "Left out: user neighbors, which takes long for 2,000,000,001 pairs of users with "
        "an item in common, once for each item (tried up to 2,000,000,000). "
        "Name user_neighbors in --models to try it all the same."
    )
    assert choose_models(None, sized(n_user_pairs=2_000_000_000))[1] == []


def test_the_size_of_a_log_by_hand():
    # Users 1, 2 and 3 have item "a", two of whom have "b": 9 + 4 pairs.
    log = pd.DataFrame({"user": [1, 1, 2, 3, 2, 1], "item": list("aaaabb")})
    assert LogSize.of(log) == LogSize(n_rows=6, n_items=2, n_user_pairs=13)


def test_user_neighbors_come_later_where_items_have_many_users():
    few = pd.DataFrame({"user": np.arange(500), "item": np.arange(500)})
    many = few.assign(item=0)
    models = "user_neighbors", "neighbors", "nmf"
    first, last = (
        next(iter(dict.fromkeys(map(family_of, ParameterGrid(grid_of(*call))))))
        for call in [(models, few, None, 500), (models, many, None, 500)]
    )
    assert (first, last) == ("user_neighbors", "neighbors")


def candidates(models, n_rows=300):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(12, size=(n_rows, 2)), columns=["user", "item"])
    X["time"] = np.arange(n_rows)
    # As on the command line: `implicit` warns where BLAS may start threads.
    with threadpool_limits(1):
        return list(ParameterGrid(grid_of(models, X, None, smallest=12)))


def test_every_candidate_has_a_name_of_its_own():
    found = candidates(NAMES)
    names = [describe(params) for params in found]
    assert len(set(names)) == len(names)
    assert {
        "popularity",
        "time-decayed popularity, half-life 30",
        "matrix factorization, 8 components, log weights",
        "NMF, 8 components, log weights",
        "user neighbors, 50 nearest, by cosine, log weights",
        "SLIM, alpha 0.05, 100 nearest",
        "item neighbors, 20 nearest, by tfidf, binary weights",
        "EASE, regularization 300, log weights",
        "ALS of implicit, 32 factors, regularization 10, binary weights",
    } < set(names)
    assert title_of(found[0]) == "popularity"
    assert title_of(found[1]) == "time-decayed popularity"
    assert {family_of(params) for params in found} == set(RECOMMENDERS)


def test_cheap_candidates_come_first_however_they_are_named():
    found = [family_of(params) for params in candidates(("ease", "nmf", "popularity"))]
    order = list(dict.fromkeys(found))
    assert order == ["popularity", "time_decayed_popularity", "nmf", "ease"]


def test_a_row_of_the_table_is_all_that_a_family_needs(monkeypatch):
    class SparseRecommender(recommenders.EASERecommender):
        def __init__(self, *, l1_ratio=0.1, weighting="sum", user=0, item=1):
            super().__init__(weighting=weighting, user=user, item=item)
            self.l1_ratio = l1_ratio

    monkeypatch.setattr(recommenders, "SparseRecommender", SparseRecommender, raising=False)
    row = Recommender(
        "sparse", "SparseRecommender", _weighted(l1_ratio=[0.1, 0.5]), cost=20
    )
    monkeypatch.setitem(RECOMMENDERS, "sparse", row)
    names = [describe(params) for params in candidates(("sparse", "popularity"))]
    assert names[-1] == "sparse, l1 ratio 0.5, log weights"
    assert sum(name.startswith("sparse") for name in names) == 4


def test_both_popularities_are_baselines_whatever_is_tried(small_csv, run, tmp_path):
    options = ["--models", "ease, ease", "--folds", 1, "--output", tmp_path]
    code, out, _ = run("tune", small_csv, *options)
    assert code == 0
    table = out.partition("Candidates by")[2].partition("\n\n")[0]
    assert "half-life" not in table
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["options"]["models"] == ["ease"]
    assert len(report["candidates"]) == 4
    assert report["comparison"]["scores"]["popularity"] > 0
    assert report["comparison"]["scores"]["time_decayed_popularity"] > 0
    assert "time_decayed_popularity" in report["comparison"]["curves"]
    assert report["comparison"]["model"].startswith("EASERecommender(")


@pytest.mark.parametrize("model", ["popularity", "neighbors"])
def test_models_alone(small_csv, run, model):
    code, out, _ = run("tune", small_csv, "--models", model, "--folds", 1)
    assert code == 0
    assert "<- best" in out


def test_implicit_can_be_made_in_python(small_csv, run, tmp_path):
    from implicit.als import AlternatingLeastSquares

    options = ["--models", "implicit", "--folds", 1, "--output", tmp_path]
    code, _, err = run("tune", small_csv, *options)
    assert code == 0, err
    text = json.loads((tmp_path / "report.json").read_text())["comparison"]["model"]
    names = {"AlternatingLeastSquares": AlternatingLeastSquares}
    with threadpool_limits(1):
        model = eval(text, {**names, **vars(recommenders)})
        assert as_python(model) == text
    assert model.model.factors in {32, 128}


def test_implicit_is_not_tried_by_default_and_may_be_missing(fails, monkeypatch):
    assert "implicit" not in choose_models(None, sized())[0]
    monkeypatch.setitem(sys.modules, "implicit", None)
    message = fails("no.csv", "--models", "ease,implicit")  # before the log is read
    assert "--models implicit needs implicit, which is not installed" in message
    assert 'pip install "sklearn-rank[recommenders]"' in message


@pytest.mark.parametrize("names", ["eese", "", "ease,,popularity", "ease;popularity"])
def test_unknown_models(fails, names):
    message = fails("no.csv", "--models", names)
    assert "argument --models: got " in message
    assert "Valid: 'popularity', 'factorization'" in message


def test_a_model_left_out_is_named_on_the_screen(small_csv, run, monkeypatch):
    few = replace(RECOMMENDERS["ease"], limit=most_items(10))
    monkeypatch.setitem(RECOMMENDERS, "ease", few)
    code, out, _ = run("tune", small_csv, "--folds", 1)
    assert code == 0
    assert "Left out: EASE" in out
    assert "EASE, regularization" not in out
