"""What rank_models refuses, and what it says."""

import numpy as np
import pytest

from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import rank_models
from tests.statistics.leagues.example_leagues import EIGHT, MODELS, OF_QUERIES, league

MEANS = league(EIGHT, MODELS)


def without(*pairs):
    """Return the worked example without these scores."""
    return {
        task: {model: v for model, v in one.items() if (task, model) not in pairs}
        for task, one in MEANS.items()
    }


LACKING = without(("task 1", "b"), ("task 1", "c"), ("task 4", "c"))


def test_a_missing_score_is_refused_with_counts():
    match = (
        r"lacks 3 of 32 scores, such as that of model 'b' on 'task 1': 2 of 4 models lack "
        r"a data set, and 2 of 8 data sets lack a model. .*missing='models'"
    )
    with pytest.raises(ValueError, match=match):
        rank_models(LACKING)


@pytest.mark.parametrize("none", [None, np.nan])
def test_a_missing_number_is_a_missing_score(none):
    scores = {**MEANS, "task 1": {**MEANS["task 1"], "b": none}}
    with pytest.raises(ValueError, match="lacks 1 of 32 scores"):
        rank_models(scores)
    assert rank_models(scores, missing="models").left_out == ["b"]


def test_models_or_data_sets_are_left_out_and_counted():
    found = rank_models(LACKING, missing="models")
    assert found.columns["model"].tolist() == ["a", "d"]
    assert found.left_out == ["b", "c"]
    assert "Left out, as a score is missing: 2 models." in str(found)
    found = rank_models(LACKING, missing="datasets")
    assert found.row("a").n_datasets == 6
    assert found.left_out == ["task 1", "task 4"]
    assert "Left out, as a score is missing: 2 data sets." in str(found)
    kept = {task: one for task, one in MEANS.items() if task not in found.left_out}
    assert found.rows() == rank_models(kept).rows()
    assert "Left out" not in str(rank_models(MEANS, missing="models"))


def test_models_that_lack_values_of_queries():
    rng = np.random.default_rng(0)
    scores = {f"t{n}": {m: rng.random(9) for m in "abc"} for n in range(6)}
    del scores["t3"]["b"]
    scores["t3"]["c"] = None
    with pytest.raises(ValueError, match="lacks 2 of 18 scores"):
        rank_models(scores)
    assert rank_models(scores, missing="datasets").left_out == ["t3"]
    with pytest.raises(ValueError, match=r"1 model\(s\), \['a'\] after missing='models'"):
        rank_models(scores, missing="models")


def test_nothing_may_be_left():
    scores = {"x": {"a": 1.0, "b": None}, "y": {"a": None, "b": 1.0}}
    with pytest.raises(ValueError, match=r"0 data set\(s\).*left out 2"):
        rank_models(scores, missing="datasets")
    with pytest.raises(ValueError, match=r"0 model\(s\).*left out 2"):
        rank_models(scores, missing="models")


def test_one_data_set_or_one_model_names_what_takes_it():
    with pytest.raises(ValueError, match=r"1 data set\(s\), \['x'\].*compare_models"):
        rank_models({"x": {"a": 1.0, "b": 2.0}})
    with pytest.raises(ValueError, match=r"1 data set\(s\), \['first'\].*compare_models"):
        rank_models({"first": OF_QUERIES["first"]}, over="queries")
    with pytest.raises(ValueError, match=r"1 model\(s\), \['a'\].*confidence_interval"):
        rank_models({"x": {"a": 1.0}, "y": {"a": 2.0}})


def test_one_cluster_in_a_data_set_has_no_error_over_queries():
    scores = {
        task: {m: PerQueryScores([1, 1], {"m": [v, 0]}, fold=[0, 1]) for m, v in values}
        for task, values in (("x", (("a", 1), ("b", 2))), ("y", (("a", 3), ("b", 2))))
    }
    with pytest.raises(ValueError, match=r"'x': There is 1 query or .*over='datasets'"):
        rank_models(scores, over="queries")


def test_numbers_alone_say_nothing_of_queries():
    with pytest.raises(ValueError, match="over='queries' needs the values of queries"):
        rank_models(MEANS, over="queries")


def test_flips_are_of_data_sets():
    with pytest.raises(ValueError, match="'randomization' flips data sets"):
        rank_models(OF_QUERIES, over="queries", test="randomization")


def test_several_metrics_need_a_name():
    rng = np.random.default_rng(0)
    scores = {
        f"t{n}": {m: {"x": rng.random(9), "y": rng.random(9)} for m in "ab"}
        for n in range(6)
    }
    with pytest.raises(ValueError, match=r"'t0': There are several metrics, \['x', 'y'\]"):
        rank_models(scores)
    found = rank_models(scores, metric="y")
    assert str(found).startswith("y, 2 models on 6 data sets")
    with pytest.raises(ValueError, match=r"'t0'.*`metrics` got 'z'"):
        rank_models(scores, metric="z")


def test_unlike_metrics_are_refused():
    values = [0.1, 0.2, 0.4]
    scores = {
        "x": {m: {"mrr": values} for m in "ab"},
        "y": {m: {"map": values} for m in "ab"},
    }
    with pytest.raises(ValueError, match=r"different metrics, {'x': 'mrr', 'y': 'map'}"):
        rank_models(scores)
    mixed = {"x": {"a": {"mrr": values}, "b": {"map": values}}, "y": scores["y"]}
    with pytest.raises(ValueError, match="Data set 'x': The models have scores of"):
        rank_models(mixed)


def errors(lower=("mae",), n=5):
    rng = np.random.default_rng(0)
    return {
        f"t{k}": {
            m: PerQueryScores(np.arange(9), {"mae": rng.random(9)}, lower_is_better=lower)
            for m in "ab"
        }
        for k in range(n)
    }


def test_the_direction_is_that_of_the_scores():
    assert rank_models(errors()).settings["lower_is_better"] is True
    assert (
        rank_models(errors(), lower_is_better=True).rows() == rank_models(errors()).rows()
    )
    assert rank_models(errors(())).settings["lower_is_better"] is False
    with pytest.raises(ValueError, match="is False, but the scores say that lower"):
        rank_models(errors(), lower_is_better=False)
    with pytest.raises(ValueError, match="is True, but the scores say that higher"):
        rank_models(errors(()), lower_is_better=True)
    with pytest.raises(ValueError, match="Lower is better by the scores of some data sets"):
        rank_models({**errors(), "last": errors(())["t0"]})


def test_arrays_take_the_direction_that_is_given():
    rng = np.random.default_rng(0)
    scores = {f"t{n}": {"a": rng.random(9), "b": 1 + rng.random(9)} for n in range(6)}
    assert rank_models(scores).tied_for_first == ["b"]
    found = rank_models(scores, lower_is_better=True)
    assert found.tied_for_first == ["a"]
    assert found.by_dataset["t0"].lower_is_better == {"score"}


def test_few_data_sets_are_warned_of_where_claims_are_about_others():
    match = "There are 4 data sets, which say little .* assumes normal differences"
    with pytest.warns(UserWarning, match=match):
        rank_models(league(EIGHT[:4]))
    rng = np.random.default_rng(0)
    scores = {f"t{n}": {m: rng.random(40) for m in "ab"} for n in range(2)}
    rank_models(scores, over="queries")  # no warning


@pytest.mark.filterwarnings("ignore:Errors over queries have")
def test_two_data_sets_give_no_verdict():
    two = league(EIGHT[:2] * [1, 2, 3, 4], MODELS)
    match = "There are 2 data sets, which say little .* no verdict"
    for test in ("t", "randomization"):
        with pytest.warns(UserWarning, match=match):
            found = rank_models(two, test=test)
        assert np.isnan(found.pairs["p_value"]).all()
        assert np.isnan(found.pairs["p_adjusted"]).all()
        assert found.tied_for_first == [*"dcba"]
    assert "\n2 data sets give no verdict on others like them.\nWarning: " in str(found)
    assert rank_models(OF_QUERIES, over="queries").pairs["p_value"].max() <= 1


@pytest.mark.parametrize(
    ("clusters", "match"),
    [
        (["x"] * 8, "`clusters` must be a dict from data set to its family"),
        ({"task 0": "x"}, "`clusters` lacks 7 data set.s., such as 'task 1'"),
        ({**dict.fromkeys(MEANS, "x"), "tsk": "y"}, "`scores` lacks 1 data .* 'tsk'"),
        (dict.fromkeys(MEANS, "x"), "All 8 data sets are of the cluster 'x'"),
    ],
)
def test_clusters_have_each_data_set(clusters, match):
    with pytest.raises((TypeError, ValueError), match=match):
        rank_models(MEANS, clusters=clusters)


def test_clusters_are_not_for_claims_about_these_data_sets():
    with pytest.raises(ValueError, match="`clusters` are of data sets, which over="):
        rank_models(OF_QUERIES, over="queries", clusters={"first": 1, "second": 2})


def test_few_queries_are_warned_of():
    with pytest.warns(UserWarning, match=r"5\.37 degrees of freedom, below 9"):
        rank_models(OF_QUERIES, over="queries")


def test_too_few_flips_are_warned_of():
    with pytest.warns(UserWarning, match="5 data sets cannot go below p = 0.062"):
        rank_models(league(EIGHT[:5]), test="randomization")
    with pytest.warns(UserWarning, match="n_resamples=9 is too small for 6 comparison"):
        rank_models(MEANS, n_resamples=9, random_state=0)


def test_models_undefined_for_different_queries_are_warned_of():
    rng = np.random.default_rng(0)
    scores = {f"t{n}": {m: rng.random(9) for m in "ab"} for n in range(6)}
    scores["t4"]["a"][2] = np.nan
    with pytest.warns(UserWarning, match="Data set 't4': Models are undefined"):
        rank_models(scores)
    scores["t4"]["a"][:] = np.nan
    with pytest.raises(ValueError, match="'t4': There is no query for which all models"):
        rank_models(scores)


@pytest.mark.parametrize("bad", [None, 3, "x", [1, 2], np.eye(3)])
def test_other_scores_are_refused(bad):
    with pytest.raises(TypeError, match="a dict from data set to the scores of each model"):
        rank_models(bad)


def test_scores_of_one_data_set_are_refused():
    with pytest.raises(TypeError, match=r"scores\['a'\].*For one data set use"):
        rank_models(OF_QUERIES["first"])
    with pytest.raises(ValueError, match="`scores` is empty"):
        rank_models({})


def test_numbers_and_values_do_not_mix():
    mixed = {**OF_QUERIES, "third": {"a": 0.5, "b": 0.6, "c": 0.4}}
    with pytest.raises(ValueError, match=r"such as 0\.5, and others, such as \[0\.9"):
        rank_models(mixed)


def test_infinite_numbers_are_refused():
    with pytest.raises(ValueError, match="1 infinite value"):
        rank_models({**MEANS, "x": {**MEANS["task 1"], "a": np.inf}})


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("over", "models"),
        ("test", "wilcoxon"),
        ("missing", "drop"),
        ("family", "row"),
        ("lower_is_better", "yes"),
        ("confidence_level", 95),
        ("n_resamples", 0),
        ("random_state", "x"),
    ],
)
def test_an_unknown_option_is_refused(name, bad):
    with pytest.raises(ValueError, match=f"{name}|seed"):
        rank_models(MEANS, **{name: bad})


def test_frames_of_numbers():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame.from_dict(MEANS, orient="index")
    assert rank_models(frame).to_dict() == rank_models(MEANS).to_dict()
    with pytest.raises(ValueError, match="has a column twice"):
        rank_models(pd.concat([frame, frame], axis=1))
    with pytest.raises(ValueError, match="'task 0' in more than one row"):
        rank_models(pd.concat([frame, frame]))
    with pytest.raises(ValueError, match=r"Column 'index': .*set_index"):
        rank_models(frame.reset_index())
    with pytest.raises(ValueError, match=r"0 model\(s\), \[\]"):
        rank_models(frame[[]])
    assert rank_models(frame.replace(0.601, np.nan), missing="models").left_out == ["d"]


def test_frames_of_polars_have_rows_without_names():
    pl = pytest.importorskip("polars")
    found = rank_models(pl.DataFrame(EIGHT, schema=MODELS))
    assert list(found.values) == list(range(8))
    assert found.rows() == rank_models(MEANS).rows()


def test_a_frame_of_values_for_each_data_set():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frames = {f"t{n}": pd.DataFrame(rng.random((9, 3)), columns=[*"abc"]) for n in range(6)}
    found = rank_models(frames)
    expected = rank_models({task: dict(one.items()) for task, one in frames.items()})
    assert found.to_dict() == expected.to_dict()
