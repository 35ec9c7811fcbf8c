"""Which models are tried by default, with which values, and how they are named."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from threadpoolctl import threadpool_limits

from sklearn_rank.experiments import default_models, tune_models
from sklearn_rank.experiments._default_models import (
    RANKERS,
    describe_known_ranker,
    rankers_to_try,
)
from sklearn_rank.experiments._default_recommenders import (
    RECOMMENDER_NAMES,
    RECOMMENDERS,
    LogSize,
    LogSummary,
    describe_known_recommender,
    recommenders_to_try,
    usual_recommender_names,
)
from sklearn_rank.experiments._log_splits import half_lives
from sklearn_rank.experiments._python_code import as_python, assignment, imports
from sklearn_rank.experiments._search_space import read_search_space
from sklearn_rank.inputs._times import read_times
from sklearn_rank.recommenders import (
    EASERecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
)


def lives(values):
    times = read_times(np.asarray(values))
    return half_lives(times, np.arange(len(values)))


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
    first = np.datetime64("2024-01-01", "us")
    assert lives([first, first + np.timedelta64(span, "D")]) == expected


@pytest.mark.parametrize(
    ("span", "expected"),
    [(1000, [1, 3, 10, 30, 100, 300]), (0.31, [0.001, 0.003, 0.01, 0.03, 0.1]), (0, [])],
)
def test_half_lives_of_numbers(span, expected):
    assert lives([5.0, 5.0 + span]) == pytest.approx(expected)


@pytest.mark.parametrize("span", [5e-324, 1e-310, 1e-307])
def test_a_span_too_short_for_floats_has_no_half_lives(span):
    assert lives([0.0, span]) == []


def sized(n_items=10, n_user_pairs=10):
    return LogSize(n_rows=10, n_items=n_items, n_user_pairs=n_user_pairs)


def test_large_catalogs_leave_models_out_and_say_so():
    chosen, remarks = usual_recommender_names(facts(sized(5_001)))
    assert chosen == [
        "popularity",
        "factorization",
        "user_neighbors",
        "neighbors",
        "nmf",
        "slim",
    ]
    assert "EASE" in remarks[0]
    assert "5,001 items (tried up to 5,000)" in remarks[0]
    assert "`models`" in remarks[0]
    assert usual_recommender_names(facts(sized(5_000)))[1] == []
    assert [text[:16] for text in usual_recommender_names(facts(sized(10_001)))[1]] == [
        "Left out: EASE, ",
        "Left out: SLIM, ",
    ]
    assert "implicit" not in chosen


def test_items_of_many_users_leave_user_neighbors_out_and_say_so():
    chosen, (remark,) = usual_recommender_names(facts(sized(n_user_pairs=2_000_000_001)))
    assert "user_neighbors" not in chosen
    assert remark == (
        "Left out: user neighbors, which takes long for 2,000,000,001 pairs of users with "
        "an item in common, once for each item (tried up to 2,000,000,000). "
        "Name user_neighbors in `models` to try it all the same."
    )
    assert usual_recommender_names(facts(sized(n_user_pairs=2_000_000_000)))[1] == []


def test_two_stages_are_tried_on_long_logs_with_times():
    large = LogSize(n_rows=20_000, n_items=10, n_user_pairs=10)
    assert "two_stages" in usual_recommender_names(facts(large))[0]
    assert "two_stages" not in usual_recommender_names(facts())[0]
    assert (
        "two_stages"
        not in usual_recommender_names(replace(facts(large), half_lives=[1, 3]))[0]
    )
    with pytest.raises(ValueError, match="'two_stages' learns from windows at the end"):
        recommenders_to_try(["two_stages"], replace(facts(large), half_lives=[]))
    model, grid = recommenders_to_try(["two_stages"], facts())["two_stages"]
    assert (grid, model.label_window) == ({}, 10)
    made = dict(model.candidates)
    assert (made["ease"].half_life, made["recent"].half_life) == (30, 3)
    lines = [*imports(model), *assignment("model", model)]
    exec("\n".join(lines), found := {})
    assert as_python(found["model"]) == as_python(model)


def test_a_model_whose_package_is_missing(log, monkeypatch):
    monkeypatch.setitem(sys.modules, "implicit", None)
    message = r"'implicit' needs implicit.*\[recommenders\]"
    with pytest.raises(ImportError, match=message):
        default_models(log, names=["implicit"])
    with pytest.raises(ImportError, match=message):
        tune_models(log, models=["implicit"], cv="random")


def test_the_size_of_a_log_by_hand():
    # Users 1, 2 and 3 have item 0, two of whom have item 1: 9 + 4 pairs.
    user, item = np.array([1, 1, 2, 3, 2, 1]), np.array([0, 0, 0, 0, 1, 1])
    assert LogSize.from_codes(user, item) == LogSize(n_rows=6, n_items=2, n_user_pairs=13)


def facts(size=None, exclude_seen=True):
    return LogSummary(
        columns={"user": "user", "item": "item"},
        time="time",
        half_lives=[1, 3, 10, 30, 100],
        weightings=["binary", "log"],
        smallest=12,
        size=sized() if size is None else size,
        exclude_seen=exclude_seen,
    )


def test_user_neighbors_come_later_where_items_have_many_users():
    rows = np.arange(500)
    few, many = LogSize.from_codes(rows, rows), LogSize.from_codes(rows, 0 * rows)
    models = ["user_neighbors", "neighbors", "nmf"]
    first = [next(iter(recommenders_to_try(models, facts(size)))) for size in (few, many)]
    assert first == ["user_neighbors", "neighbors"]


def families(names):
    # As on the command line: `implicit` warns where BLAS may start threads.
    with threadpool_limits(1):
        made = recommenders_to_try(names, facts(exclude_seen=False))
        return [
            describe_known_recommender(read_search_space(*one), sized())
            for one in made.items()
        ]


def test_every_candidate_has_a_name_of_its_own():
    found = families(list(RECOMMENDER_NAMES))
    names = [one.words for family in found for one in family.candidates(None, 0)]
    assert len(set(names)) == len(names)
    assert {
        "popularity",
        "time-decayed popularity, half-life 30",
        "matrix factorization, 8 components, log weights",
        "NMF, 8 components, log weights",
        "user neighbors, 50 nearest, by cosine, log weights",
        "SLIM, alpha 0.05, 100 nearest",
        "item neighbors, keep history, 20 nearest, by tfidf, binary weights",
        "EASE, regularization 300, log weights",
        "ALS of implicit, 32 factors, regularization 10, binary weights",
    } < set(names)
    in_order = [family.name for family in found]
    assert set(in_order) == set(RECOMMENDERS)
    baselines = [family.name for family in found if family.is_baseline]
    assert baselines == in_order[:2] == ["popularity", "time_decayed_popularity"]


def test_repeats_let_items_speak_for_themselves():
    for exclude_seen in (True, False):
        made = recommenders_to_try(["ease", "neighbors"], facts(exclude_seen=exclude_seen))
        assert [one.self_weight for one, _ in made.values()] == [not exclude_seen] * 2
    neighbors = made["neighbors"][1]
    assert [grid["similarity"] for grid in neighbors] == [["tfidf"], *[["walk"]] * 5]
    assert [grid["keep"] for grid in neighbors if "normalize" in grid] == [["both"]] * 2


def test_cheap_candidates_come_first_however_they_are_named():
    order = [family.name for family in families(["ease", "nmf", "popularity"])]
    assert order == ["popularity", "time_decayed_popularity", "nmf", "ease"]


def test_a_name_of_another_model_gets_no_words_of_ours():
    popularity = PopularityRecommender()
    one = describe_known_recommender(read_search_space("ease", popularity), sized())
    assert one.title == "ease"
    svd = MatrixFactorizationRecommender(TruncatedSVD())
    assert describe_known_recommender(read_search_space("nmf", svd), sized()).title == "nmf"
    own = read_search_space("mine", (EASERecommender(), {"regularization": [0.5]}))
    (candidate,) = describe_known_recommender(own, sized()).candidates(None, 0)
    assert candidate.words == "mine, regularization 0.5"
    assert candidate.make().regularization == 0.5


def test_a_parameter_of_a_part_is_no_parameter_of_the_whole():
    model = EASERecommender(new_users=PopularityRecommender(half_life=1, time=2))
    grid = {"half_life": [None], "new_users__half_life": [3], "new_users__time": [2]}
    own = describe_known_recommender(read_search_space("ease", (model, grid)), sized())
    (candidate,) = own.candidates(None, 0)
    assert [[value] for value in candidate.values.values()] == list(grid.values())
    assert list(candidate.values) == list(grid)
    assert candidate.words == (
        "EASE, half-life None, new users half life 3, new users time 2"
    )
    nested = {"estimator__n_components": [2]}
    factors = read_search_space(
        "svd", (MatrixFactorizationRecommender(TruncatedSVD()), nested)
    )
    (candidate,) = describe_known_recommender(factors, sized()).candidates(None, 0)
    assert candidate.values == {"n_components": 2}


def test_rankers_by_name():
    made = rankers_to_try(["lightgbm", "pointwise"])
    assert list(made) == [
        "equal",
        "untuned_lightgbm",
        "untuned_pointwise",
        "lightgbm",
        "pointwise_ridge",
        "pointwise_trees",
    ]
    titles = [describe_known_ranker(read_search_space(*one)).title for one in made.items()]
    assert titles == [
        "all scores equal",
        "lightgbm, untuned",
        "pointwise, untuned",
        "lightgbm",
        "pointwise, ridge",
        "pointwise, trees",
    ]
    words = {
        candidate.words
        for one in made.items()
        for candidate in describe_known_ranker(read_search_space(*one)).candidates(None, 0)
    }
    assert "lightgbm, learning_rate 0.03, n_estimators 50, num_leaves 7" in words
    assert len(words) == 3 + 12 + 5 + 12
    assert [name for name, one in RANKERS.items() if one.is_baseline][:1] == ["equal"]


def test_no_grids_are_one_model():
    assert [
        c.params for c in read_search_space("svd", (TruncatedSVD(), [])).candidates(None, 0)
    ] == [{}]


def test_a_ranker_of_a_booster_gets_its_groups():
    lightgbm = pytest.importorskip("lightgbm")
    space = read_search_space("mine", (lightgbm.LGBMRanker(), {"num_leaves": [3, 7]}))
    assert type(space.estimator).__name__ == "GroupRanker"
    assert space.grid == [{"estimator__num_leaves": [3, 7]}]
