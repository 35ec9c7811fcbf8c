"""Ranks of models over several data sets: tests of all pairs, and what they decide."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import rankdata

from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import compare_models, rank_models
from tests.statistics.leagues.example_leagues import (
    EIGHT,
    MODELS,
    OF_QUERIES,
    PAIRS,
    league,
    stepped_down,
)

ROUGH = pytest.mark.filterwarnings("ignore:Errors over queries have")


def of_pairs(ranking, name, pairs=PAIRS):
    return [getattr(ranking.pair(*pair), name) for pair in pairs]


def ranks(ranking):
    return {row.model: (row.rank, row.rank_low, row.rank_high) for row in ranking.rows()}


def test_the_worked_example_by_flips():
    found = rank_models(league(EIGHT, MODELS))
    # .757812 .007812 .023438 .007812 .023438 .0625, as shares of 128 flips.
    expected = [n / 128 for n in (97, 1, 3, 1, 3, 8)]
    assert of_pairs(found, "p_adjusted") == expected
    assert found.columns["mean"] == pytest.approx([0.497750, 0.496625, 0.467750, 0.424250])
    assert found.columns["mean_rank"].tolist() == [1.375, 1.625, 3.25, 3.75]
    assert ranks(found) == {"a": (1, 1, 2), "b": (2, 1, 2), "c": (3, 3, 4), "d": (4, 3, 4)}
    assert found.tied_for_first == ["a", "b"]
    assert found.columns["letters"].tolist() == ["a", "a", "b", "b"]
    assert found.settings["test"] == "randomization"
    assert set(of_pairs(found, "df")) == {7}


def test_the_worked_example_by_student_and_holm():
    found = rank_models(league(EIGHT, MODELS), test="t")
    alone = [0.737992, 0.000185, 0.001667, 0.001192, 0.001691, 0.016562]
    holm = [0.737992, 0.001113, 0.006666, 0.005960, 0.006666, 0.033124]
    assert of_pairs(found, "p_value") == pytest.approx(alone, abs=5e-7)
    assert of_pairs(found, "p_adjusted") == pytest.approx(holm, abs=5e-7)
    assert ranks(found) == {"a": (1, 1, 2), "b": (2, 1, 2), "c": (3, 3, 3), "d": (4, 4, 4)}
    for one, other in PAIRS:
        first, second = EIGHT[:, MODELS.index(one)], EIGHT[:, MODELS.index(other)]
        expected = stats.ttest_rel(first, second)
        pair = found.pair(one, other)
        assert pair.p_value == pytest.approx(expected.pvalue, rel=1e-9)
        assert pair.difference / pair.standard_error == pytest.approx(expected.statistic)


def test_a_pair_alone_is_that_of_compare_models():
    alone = compare_models(
        {"a": EIGHT[:, 0], "b": EIGHT[:, 1]}, baseline="b", test="randomization"
    ).row("a")
    pair = rank_models(league(EIGHT, MODELS)).pair("a", "b")
    assert alone.p_value == pair.p_value == 0.7578125
    assert pair.difference == pytest.approx(alone.difference, rel=1e-12)
    assert pair.standard_error == pytest.approx(alone.standard_error, rel=1e-12)


@ROUGH
def test_the_worked_example_over_queries():
    found = rank_models(OF_QUERIES, over="queries")
    pairs = ["ab", "ac", "bc"]
    assert found.columns["mean"].tolist() == pytest.approx([0.5875, 0.5225, 0.335])
    errors = of_pairs(found, "standard_error", pairs)
    assert errors == pytest.approx([0.043493, 0.044791, 0.036372], abs=5e-7)
    df = of_pairs(found, "df", pairs)
    assert df == pytest.approx([6.598387, 5.372595, 6.999421], abs=5e-7)
    adjusted = of_pairs(found, "p_adjusted", pairs)
    assert adjusted == pytest.approx([0.181254, 0.003951, 0.003951], abs=5e-7)
    assert found.tied_for_first == ["a", "b"]
    assert "for new queries of these 2.\nWarning: " in str(found)


@ROUGH
def test_the_error_over_queries_is_a_sum_over_data_sets():
    variances, dfs = [], []
    for scores in OF_QUERIES.values():
        apart = np.subtract(scores["a"], scores["c"])
        variances.append(stats.sem(apart) ** 2 / 4)
        dfs.append(len(apart) - 1)
    pair = rank_models(OF_QUERIES, over="queries").pair("a", "c")
    assert pair.standard_error == pytest.approx(np.sqrt(sum(variances)))
    expected = sum(variances) ** 2 / sum(
        v**2 / df for v, df in zip(variances, dfs, strict=True)
    )
    assert pair.df == pytest.approx(expected)


def test_the_error_over_queries_knows_clusters():
    rng = np.random.default_rng(0)
    users, folds = np.repeat(np.arange(30), 4), np.tile(np.arange(4), 30)
    scores = {}
    for task in ("x", "y"):
        by_user = rng.normal(0, 1, (2, 30)).repeat(4, axis=1)
        values = by_user + rng.normal(0, 0.1, (2, 120))
        scores[task] = {
            name: PerQueryScores(users, {"m": one}, fold=folds)
            for name, one in zip("ab", values, strict=True)
        }
    pair = rank_models(scores, over="queries").pair("a", "b")
    rows = [compare_models(one, baseline="b").row("a") for one in scores.values()]
    assert {row.n_clusters for row in rows} == {30}
    expected = np.hypot(*(row.standard_error for row in rows)) / 2
    assert pair.standard_error == pytest.approx(expected)
    assert 29 < pair.df <= 58  # not the 238 of rows


@pytest.mark.parametrize("seed", range(6))
def test_flips_are_those_of_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 4, (8, 4)) / 10  # few values, so that many statistics tie
    if seed % 2:
        numbers = numbers + rng.normal(0, 0.05, (8, 4)) + [0, 0.1, 0.1, 0.2]
    numbers[:, 3] = numbers[:, 2] if seed == 0 else numbers[:, 3]  # two are the same
    found = rank_models(league(numbers, MODELS))
    alone, together = stepped_down(numbers)
    for one, other in together:
        pair = found.pair(MODELS[one], MODELS[other])
        assert pair.p_value == alone[one, other]
        assert pair.p_adjusted == together[one, other]


def test_random_flips_are_near_all_flips_and_count_the_data():
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(10, 3)) + np.array([0, 0.5, 1])
    every = rank_models(league(numbers))
    drawn = rank_models(league(numbers), n_resamples=499, random_state=0)
    assert every.settings["test"] == drawn.settings["test"] == "randomization"
    for pair in (("m0", "m1"), ("m0", "m2"), ("m1", "m2")):
        p = drawn.pair(*pair).p_adjusted
        assert (p * 500) == pytest.approx(round(p * 500), abs=1e-9)
        assert p >= 1 / 500
        spread = np.sqrt(0.25 / 499)
        assert p == pytest.approx(every.pair(*pair).p_adjusted, abs=4 * spread)
    again = rank_models(league(numbers), n_resamples=499, random_state=0)
    assert again.to_dict() == drawn.to_dict()


def test_all_flips_up_to_one_more_than_asked_for():
    numbers = np.random.default_rng(0).normal(size=(9, 2))
    exact = rank_models(league(numbers), n_resamples=255)
    assert exact.pair("m0", "m1").p_value * 256 % 1 == 0
    drawn = rank_models(league(numbers), n_resamples=254, random_state=0)
    assert drawn.pair("m0", "m1").p_value * 255 == pytest.approx(
        round(drawn.pair("m0", "m1").p_value * 255)
    )


@pytest.mark.parametrize(("n", "test"), [(7, "t"), (8, "randomization")])
def test_flips_need_eight_data_sets(n, test):
    assert rank_models(league(EIGHT[:n])).settings["test"] == test


@pytest.mark.parametrize("test", ["t", "randomization"])
@pytest.mark.parametrize("n_resamples", [99, 9999])
def test_the_same_difference_everywhere_is_the_rarest_flip(test, n_resamples):
    # 0.61234 - 0.61233 has a rounding error of more than 1e-12 of itself.
    numbers = EIGHT[:, [0, 0, 0]] + [0, 1e-5, 0]
    found = rank_models(league(numbers), test=test, n_resamples=n_resamples, random_state=0)
    assert found.pair("m1", "m0").p_value == 2.0**-7
    assert found.pair("m1", "m0").standard_error == 0
    assert found.pair("m0", "m2").p_value == found.pair("m0", "m2").p_adjusted == 1
    assert found.pair("m0", "m2").difference == 0
    assert ranks(found)["m0"][0] == ranks(found)["m2"][0] == 2


def test_the_same_difference_of_all_queries():
    values = np.array([0.1, 0.5, 0.2, 0.7])
    scores = {
        task: {"a": values + shift, "b": values + shift + 0.1, "c": values + shift}
        for task, shift in (("x", 0), ("y", 0.1), ("z", 0.05))
    }
    found = rank_models(scores, over="queries")
    assert found.pair("b", "a").p_value == 0.25
    assert found.pair("a", "c").p_value == 1


def test_no_order_of_models_and_data_sets_matters():
    shuffled = EIGHT[[5, 2, 7, 0, 3, 6, 1, 4]][:, [2, 0, 3, 1]]
    found = rank_models(league(shuffled, [*"cadb"]))
    expected = rank_models(league(EIGHT, MODELS))
    assert found.rows() == expected.rows()
    for pair in PAIRS:
        one, other = found.pair(*pair), expected.pair(*pair)
        assert one == other
        assert found.pair(*pair[::-1]).difference == -one.difference


@ROUGH
@pytest.mark.parametrize("over", ["datasets", "queries"])
@pytest.mark.filterwarnings("ignore:There are 2 data sets")
def test_models_are_matched_by_name(over):
    turned = {
        task: dict(list(models.items())[:: 1 if task == "first" else -1])
        for task, models in OF_QUERIES.items()
    }
    found, expected = rank_models(turned, over=over), rank_models(OF_QUERIES, over=over)
    assert found.to_dict() == expected.to_dict()


@pytest.mark.parametrize("test", ["t", "randomization"])
def test_other_units_give_the_same_ranks(test):
    expected = rank_models(league(EIGHT, MODELS), test=test)
    for factor in (1e-200, 1e200):
        found = rank_models(league(EIGHT * factor, MODELS), test=test)
        assert found.columns["rank_low"].tolist() == expected.columns["rank_low"].tolist()
        assert of_pairs(found, "p_adjusted") == pytest.approx(
            of_pairs(expected, "p_adjusted")
        )


def test_lower_is_better_turns_ranks_and_nothing_else():
    found = rank_models(league(-EIGHT, MODELS), lower_is_better=True)
    expected = rank_models(league(EIGHT, MODELS))
    assert ranks(found) == ranks(expected)
    assert found.columns["mean_rank"].tolist() == expected.columns["mean_rank"].tolist()
    assert found.pair("a", "d").difference == -expected.pair("a", "d").difference < 0
    assert "(lower is better)" in str(found)


def test_mean_ranks_are_those_of_scipy():
    numbers = np.random.default_rng(0).integers(0, 5, (9, 6)) / 8
    found = rank_models(league(numbers))
    expected = np.mean([rankdata(-row, method="average") for row in numbers], axis=0)
    for row in found.rows():
        assert row.mean_rank == pytest.approx(expected[int(row.model[1])])


def test_equal_means_share_a_rank():
    numbers = np.array([[0.1, 0.2, 0.3, 0.0], [0.2, 0.3, 0.1, 0.0], [0.3, 0.1, 0.2, 0.0]])
    with pytest.warns(UserWarning, match="There are 3 data sets"):
        found = rank_models(league(numbers))
    assert found.columns["rank"].tolist() == [1, 1, 1, 4]
    assert found.columns["model"].tolist() == ["m0", "m1", "m2", "m3"]


def test_ranks_count_who_beats_whom():
    rng = np.random.default_rng(5)
    numbers = rng.normal(0, 0.4, (12, 7)) + np.linspace(0, 1, 7)
    found = rank_models(league(numbers), random_state=0)
    names = found.columns["model"].tolist()
    beats = {
        (one, other)
        for one in names
        for other in names
        if one != other
        and found.pair(one, other).p_adjusted <= 0.05
        and found.pair(one, other).difference > 0
    }
    assert 0 < len(beats) < 21
    for row in found.rows():
        assert row.rank_low == 1 + sum(loser == row.model for _, loser in beats)
        assert row.rank_high == 7 - sum(winner == row.model for winner, _ in beats)
        assert row.tied_for_first == (row.rank_low == 1)


def test_means_of_queries_are_weighed_by_data_set():
    rng = np.random.default_rng(0)
    values = {
        f"task {n}": dict(zip("ab", rng.random((2, n)), strict=True))
        for n in (2, 3, 5, 8, 13, 400)
    }
    found = rank_models(values)
    expected = np.mean([np.mean(one["a"]) for one in values.values()])
    assert found.row("a").mean == pytest.approx(expected)
    of_numbers = rank_models(
        {
            name: {m: float(np.mean(v)) for m, v in one.items()}
            for name, one in values.items()
        }
    )
    assert found.pair("a", "b").p_value == pytest.approx(of_numbers.pair("a", "b").p_value)
    assert list(found.by_dataset) == list(values)
    assert of_numbers.by_dataset == {}
    row = compare_models(values["task 13"], baseline="b").row("a")
    pair = found.by_dataset["task 13"].row("b", "a")
    assert pair.p_value == row.p_value


def test_one_query_counts_over_data_sets():
    rng = np.random.default_rng(0)
    scores = {
        f"task {n}": dict(zip("ab", rng.random((2, n)), strict=True)) for n in range(1, 7)
    }
    found = rank_models(scores)
    assert found.values["task 1"] == pytest.approx(
        {"a": scores["task 1"]["a"][0], "b": scores["task 1"]["b"][0]}
    )
    assert list(found.by_dataset) == [f"task {n}" for n in range(2, 7)]
    with pytest.raises(
        ValueError, match=r"Data set 'task 1': There is 1 query .*compare_models"
    ):
        rank_models(scores, over="queries")


def test_streams_of_tables_are_like_values():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    values = {f"task {n}": rng.random((3, 30)) for n in range(6)}

    def tables(one):
        frame = pd.DataFrame({"group": np.arange(30), "mrr": one})
        return iter([frame[:10], frame[10:]])

    streams = {
        task: {name: tables(one) for name, one in zip("abc", of_task, strict=True)}
        for task, of_task in values.items()
    }
    found = rank_models(streams, over="queries")
    expected = rank_models(
        {
            task: {
                name: PerQueryScores(np.arange(30), {"mrr": one})
                for name, one in zip("abc", of_task, strict=True)
            }
            for task, of_task in values.items()
        },
        over="queries",
    )
    for pair in ("ab", "ac", "bc"):
        one, other = found.pair(*pair), expected.pair(*pair)
        assert one.p_adjusted == pytest.approx(other.p_adjusted, rel=1e-9)


FAMILIES = dict(zip(league(EIGHT), [*"xxyyzzuv"], strict=True))


def test_a_cluster_counts_once_by_the_mean_of_its_data_sets():
    order = [7, 2, 4, 0, 6, 1, 3, 5]
    scores = league(EIGHT, MODELS)
    scores = {f"task {place}": scores[f"task {place}"] for place in order}
    found = rank_models(scores, clusters=FAMILIES, missing="datasets")
    means = np.array([EIGHT[:2], EIGHT[2:4], EIGHT[4:6]]).mean(axis=1)
    units = np.vstack([means, EIGHT[6:]])
    expected = rank_models(league(units, MODELS), test="t")
    for name, column in expected.pairs.items():
        if column.dtype == float:
            np.testing.assert_allclose(found.pairs[name], column, rtol=1e-12)
    for row, other in zip(found.rows(), expected.rows(), strict=True):
        assert row.mean == pytest.approx(other.mean)
        assert {**row, "mean": 0, "n_datasets": 5} == {**other, "mean": 0}
        assert row.n_datasets == 8
    assert list(found.values) == list(scores)
    head = "score, 4 models on 8 data sets in 5 clusters; all pairs; t test, p corrected by"
    assert str(found).startswith(head)
    assert "for clusters like these 5, if clusters are\n" in str(found)
    assert found.settings["test"] == "t"


def test_clusters_of_one_data_set_are_the_data_sets():
    scores = league(EIGHT, MODELS)
    found = rank_models(scores, clusters={name: name for name in scores}, random_state=0)
    expected = rank_models(scores, random_state=0)
    assert {k: v.tolist() for k, v in found.pairs.items()} == {
        k: v.tolist() for k, v in expected.pairs.items()
    }


def test_clusters_of_data_sets_that_are_left_out_do_not_matter():
    scores = league(EIGHT, MODELS)
    scores["task 0"].pop("a")
    found = rank_models(scores, clusters=FAMILIES, missing="datasets")
    assert found.left_out == ["task 0"]
    assert "task 0" not in found.settings["clusters"]
