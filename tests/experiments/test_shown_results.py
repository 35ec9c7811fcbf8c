"""What results show: text, HTML, frames, dicts, pictures, Python, and that they pickle."""

import json
import pickle

import numpy as np
import pytest
from lightgbm import LGBMRanker
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

from sklearn_rank._display._figures import as_png
from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.experiments import default_models, evaluate_models, tune_models
from sklearn_rank.experiments._model_evaluation import PICTURES
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
)
from sklearn_rank.statistics import compare_candidates


@pytest.fixture(scope="module")
def tuned(log):
    models = ["popularity", "neighbors", "ease"]
    return tune_models(log, time="time", models=models, metrics=["ndcg@10", "novelty@10"])


@pytest.fixture(scope="module")
def found(log):
    past, future = log.iloc[:7000], log.iloc[7000:].assign(country="x")
    models = {
        "EASE": EASERecommender(),
        "kNN": ItemNeighborsRecommender(),
        "popular": PopularityRecommender(),
    }
    fitted = {name: model.fit(past) for name, model in models.items()}
    pairs = set(zip(past["user"], past["item"], strict=True))
    keep = [pair not in pairs for pair in zip(future["user"], future["item"], strict=True)]
    future = future[np.array(keep) & future["user"].isin(past["user"])]
    future = future.assign(country=np.where(future["user"] % 2, "A", "B"))
    return evaluate_models(
        fitted, future, metrics=["ndcg@10", "recall@10", "coverage@10"], by="country"
    )


def test_the_numbers_of_the_specification():
    log = make_interactions(2000, 1000, 100_000, random_state=0, as_frame=True)
    names = ["popularity", "factorization", "neighbors", "ease"]
    tuned = tune_models(log, user="user", item="item", time="time", models=names)
    assert str(tuned) == (
        "42 candidates of 5 models by ndcg@10 on 3 folds, windows of time\n"
        "Last period, 2024-11-15 to 2024-12-30: evaluated on 18,503 rows of 1,838 users\n"
        "  (944 of new users and 553 repeats left out)\n"
        "    mean       SE      95% interval\n"
        "  0.3057   0.0056  [0.2947, 0.3167]  item neighbors, alpha 0.5, beta 0, keep\n"
        "                                     both, 100 nearest, normalize True, by walk,\n"
        "                                     binary weights (tuned)  <- best\n"
        "  0.2949   0.0056  [0.2840, 0.3059]  matrix factorization, 16 components, binary\n"
        "                                     weights\n"
        "  0.2876   0.0054  [0.2771, 0.2982]  EASE, regularization 300, binary weights\n"
        "  0.1152   0.0034  [0.1085, 0.1220]  popularity\n"
        "  0.1138   0.0033  [0.1072, 0.1205]  time-decayed popularity, half-life 100D\n"
        "The best is significantly better than every other model (p ≤ 0.05, Holm)."
    )
    assert tuned.best_estimator_.recommend([7, 11], 10).shape == (2, 10)


def test_the_rankers_of_the_specification():
    X, y, groups = make_ranking(n_queries=300, random_state=0)
    lightgbm = GroupRanker(LGBMRanker(verbose=-1, n_jobs=1))
    models = {
        "lightgbm": (lightgbm, {"estimator__num_leaves": [7, 31]}),
        "ridge": (GroupRanker(Ridge()), {"estimator__alpha": [0.1, 10]}),
    }
    tuned = tune_models(X, y, groups=groups, n_splits=5, models=models)
    assert "0.9271   0.0077  [0.9103, 0.9425]  ridge, alpha 0.1 (tuned)" in str(tuned)
    assert "0.9027   0.0095  [0.8817, 0.9218]  lightgbm, num_leaves 7" in str(tuned)
    assert "0.4387   0.0158  [0.4072, 0.4735]  all scores equal" in str(tuned)


def test_text_fits_narrow_terminals(tuned):
    assert max(map(len, str(tuned).splitlines())) <= 80
    narrow = tuned.to_text(40)
    assert max(map(len, narrow.splitlines())) <= 40
    assert "<- best" in narrow


def test_html_has_the_same_rows(tuned):
    html = tuned._repr_html_()
    assert html.count("<tr") == 1 + len(tuned.means)
    assert "color:inherit" in html
    assert all(title.split(",")[0] in html for title in tuned.titles.values())


def test_frames(tuned, found):
    frame = found.to_frame()
    assert list(frame.index) == ["EASE", "kNN", "popular"]
    assert frame.loc["EASE", "coverage@10"] == found.means["EASE"]["coverage@10"]
    assert found.to_frame(["recall@20"]).shape == (3, 1)
    with pytest.raises(ValueError, match="recall@20"):
        found.to_frame(["recal@20"])
    assert found.to_frame("recall@20").equals(found.to_frame(["recall@20"]))
    for wrong in (True, 3, [["recall@20"]]):
        with pytest.raises(ValueError, match=r"`metrics` got .* Valid: "):
            found.to_frame(wrong)
    candidates = tuned.candidates
    assert len(candidates) == len(tuned.cv_results_["params"])
    assert candidates["mean_test_score"].is_monotonic_decreasing


def test_letters_of_all_metrics(found):
    letters = found.superscripts()
    assert list(letters.columns) == ["ndcg@10", "recall@10", "coverage@10"]
    assert letters["coverage@10"].iloc[0] == f"{found.means['EASE']['coverage@10']:.4f}"


@pytest.mark.parametrize(
    ("markup", "name"), [("latex", r"hit\_rate@10"), ("html", "hit_rate@10")]
)
def test_letters_name_each_metric_once(found, log, markup, name):
    metrics = ["hit_rate@10", "user_coverage@10"]
    evaluated = evaluate_models(found.models_, log[-2000:], metrics=metrics)
    letters = evaluated.superscripts(markup=markup)
    assert list(letters.columns) == [
        name,
        name.replace("hit", "user").replace("rate", "coverage"),
    ]


def test_segments(found):
    frame = found.segments()
    values = found.values_["EASE"]
    of_a = values.of(np.asarray(values.groups) % 2 == 1).mean()["ndcg@10"]
    assert frame.loc["EASE", "A"] == of_a
    assert set(frame.columns[:3]) == {"all", "A", "B"}
    with pytest.raises(ValueError, match="`by` lacks"):
        found.segments(by={0: "one"})


def test_a_single_segment_has_no_difference(found):
    frame = found.segments(dict.fromkeys(found.values_["EASE"].groups.tolist(), "A"))
    assert list(frame.columns) == ["all", "A"]
    assert (frame["A"] == frame["all"]).all()


def test_segments_that_cannot_be_shown(found, log):
    models = {"EASE": found.models_["EASE"]}
    with pytest.raises(ValueError, match="'item'` is one segment per user or query, but "):
        evaluate_models(models, log[-2000:], by="item")
    alone = evaluate_models(models, log[-2000:], metrics=["coverage@10", "ndcg@10"])
    with pytest.raises(ValueError, match="`by` is needed, a mapping from user"):
        alone.segments()
    with pytest.raises(ValueError, match="'coverage@10' has one value for all users"):
        alone.segments(dict.fromkeys(log["user"], "A"))


def test_a_metric_of_all_users_has_no_interval(found, log):
    alone = evaluate_models(found.models_, log[-2000:], metrics="coverage@10")
    assert str(alone).splitlines()[-1] == (
        "Without intervals, chance alone may explain every difference."
    )
    (axes,) = alone.plot().axes_
    assert len(axes.get_lines()) == len(found.models_)
    with pytest.raises(ValueError, match="no metric with a value for each query"):
        alone.superscripts()
    one = evaluate_models({"EASE": found.models_["EASE"]}, log[-2000:])
    with pytest.raises(ValueError, match="a comparison needs two"):
        one.superscripts()


def test_a_model_without_a_value_comes_last(log):
    item = log["item"].iloc[0]
    user = log.loc[log["item"] == item, "user"].iloc[0]  # gets nothing from the first
    models = {
        "single": PopularityRecommender().fit(log[log["item"] == item]),
        "all": PopularityRecommender().fit(log[:7000]),
    }
    test = log[7000:][log[7000:]["user"] == user]
    with pytest.warns(UndefinedMetricWarning):
        found = evaluate_models(models, test, metrics="gini@10")
    assert np.isnan(found.means["single"]["gini@10"])
    assert list(found.intervals()) == ["all", "single"]


def test_comparison_is_with_the_baseline_of_the_call(found, log):
    with_baseline = evaluate_models(found.models_, log[-2000:], baseline="popular")
    pairs = [(row.model, row.baseline) for row in with_baseline.comparison.rows()]
    assert pairs == [("EASE", "popular"), ("kNN", "popular")]


def test_against_one_model(found):
    rows = found.against("popular").rows()
    assert {row.baseline for row in rows} == {"popular"}
    assert found.best_on_test in found.may_be_best
    with pytest.raises(ValueError, match="popular"):
        found.against("populer")


def test_dicts_are_json_and_objects_pickle(tuned, found):
    for one in (tuned, found):
        assert json.loads(json.dumps(one.to_dict(), allow_nan=False))["settings"]
        again = pickle.loads(pickle.dumps(one))
        assert str(again) == str(one)
        assert repr(again) == repr(one)


def test_pictures(tuned, found):
    for kind in (*PICTURES[:2], *PICTURES[3:], "accuracy_and_novelty", "ranks"):
        assert as_png(tuned.plot(kind).figure_).startswith(b"\x89PNG")
    lines = found.plot().axes_[0].get_lines()
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == len(lines)
    with pytest.raises(ValueError, match="kind"):
        found.plot("curve")
    segments = found.plot("segments").axes_[0]
    names = [label.get_text().partition("\n")[0] for label in segments.get_xticklabels()]
    assert names == list(found.segments().columns[1:-1])
    with pytest.raises(ValueError, match="nothing to draw segments by"):
        tuned.plot("segments")


def test_pictures_that_need_more(log, queries):
    tuned = tune_models(log, time="time", models=["popularity"])
    with pytest.raises(ValueError, match="needs 'novelty@10'; name it in `metrics`"):
        tuned.plot("accuracy_and_novelty")
    X, y, groups = queries
    rankers = tune_models(X, y, groups=groups, models={"ridge": GroupRanker(Ridge())})
    with pytest.raises(ValueError, match=r"draw history by.*recommenders have histories"):
        rankers.plot("history")


def test_the_picture_of_histories_counts_the_items_of_each_user(found, log):
    axes = found.plot("history").axes_[0]
    first = axes.get_xticklabels()[0].get_text().split()
    lengths = log.iloc[:7000].drop_duplicates(["user", "item"])["user"].value_counts()
    values = found.values_[next(iter(found.intervals()))]
    known = lengths.reindex(values.groups, fill_value=0).to_numpy()
    assert (int(first[0]), first[1]) == (known.min(), "to")
    coldest = values.scores[found.metrics[0]][known <= int(first[2])]
    assert axes.get_lines()[0].get_ydata()[0] == pytest.approx(np.nanmean(coldest))


def test_the_picture_of_ranks_has_the_best_candidate_of_each_model(tuned):
    axes = tuned.plot("ranks").axes_[0]
    best = tuned.candidates.drop_duplicates("model").set_index("model")
    best = best.loc[[tuned.titles[name].partition(", ")[0] for name in tuned.intervals()]]
    means = [best[f"split{fold}_test_score"].rank(ascending=False) for fold in range(3)]
    for line, row in zip(axes.get_lines(), np.transpose(means), strict=True):
        assert line.get_ydata().tolist() == row.tolist()


def test_a_model_has_one_color_and_marker_in_all_pictures(tuned):
    kinds = ["metric_at_k", "ranks", "history", "trade_off", "accuracy_and_novelty"]
    titles = [tuned.titles[name].partition(", ")[0] for name in tuned.intervals()]
    looks = {title: set() for title in titles}
    for kind in kinds:
        axes = tuned.plot(kind).axes_[0]
        lines = [one for one in axes.get_lines() if one.get_marker() not in ("", "None")]
        lines = lines[: len(titles)]
        if kind != "metric_at_k":  # whose rows below name the models, in the same order
            names = [line.get_label() for line in lines]
            assert all(map(str.startswith, names, titles)), kind
        for title, line in zip(titles, lines, strict=True):
            looks[title].add((line.get_color(), line.get_marker()))
    assert all(len(found) == 1 for found in looks.values())
    assert len(set.union(*looks.values())) == len(titles)


def test_the_curves_have_bands_that_agree_with_the_intervals(tuned):
    axes = tuned.plot().axes_[0]
    bands = [one for one in axes.collections if one.get_gid() is None]
    assert len(bands) == len(tuned.means)
    for band, mean in zip(bands, tuned.intervals().values(), strict=True):
        corners = band.get_paths()[0].vertices
        ends = corners[corners[:, 0] == 10, 1]
        assert (ends.min(), ends.max()) == pytest.approx((mean.low, mean.high), abs=2e-4)


def test_the_winner_of_the_search_has_a_ring(tuned):
    axes = tuned.plot("accuracy_and_novelty").axes_[0]
    (ring,) = [line for line in axes.get_lines() if line.get_fillstyle() == "none"]
    novelty = tuned.cv_results_["mean_test_novelty@10"][tuned.best_index_]
    assert [ring.get_xdata()[0], ring.get_ydata()[0]] == [tuned.best_score_, novelty]
    assert axes.get_ylabel() == "novelty@10 (bits)"


def test_python_makes_the_winner(tuned, log):
    names: dict = {}
    exec(tuned.python(), names)
    assert repr(names["model"]) == repr(tuned.best_estimator_)


def test_results_serve_the_tools_for_searches(tuned):
    found = compare_candidates(tuned, test_size=0.2, metric="ndcg@10")
    assert len(found) == len(tuned.cv_results_["params"]) - 1


def test_models_are_tried_with_half_lives_and_recency_where_there_are_times(log):
    plain = default_models(log)
    fading = default_models(log, time="time")
    assert set(plain) == set(fading) - {"time_decayed_popularity"}
    for name in set(plain) - {"popularity"}:
        model, (*values, half_lives, recency) = fading[name]
        every = plain[name][1]
        assert (model.time, values) == (
            "time",
            every if isinstance(every, list) else [every],
        )
        assert half_lives["half_life"] == ["10D", "30D", "100D"]
        assert recency["recency"] == [3, 10]
        others = half_lives.keys() - {"half_life"}
        assert others == recency.keys() - {"recency"}
        assert others <= set().union(*values)


def test_half_lives_of_own_models_need_no_name_of_the_column(log):
    own = {"own": (EASERecommender(), {"half_life": ["10D"], "recency": [None, 3]})}
    tuned = tune_models(log, time="time", models=own, error_score="raise")
    assert tuned.models_["own"].time == "time"
    assert len(tuned.candidates) == 2


def test_default_rankers_of_a_sparse_table_leave_out_trees(queries):
    X, y, groups = queries
    dense = default_models(X, y, groups=groups)
    fewer = default_models(sparse.csr_array(X), y, groups=groups)
    assert set(dense) - set(fewer) == {
        "untuned_pointwise",
        "pointwise_ridge",
        "pointwise_trees",
    }
    assert "pairwise" in fewer


def test_default_models_can_be_changed(log):
    models = default_models(log, time="time")
    assert list(models)[:2] == ["popularity", "time_decayed_popularity"]
    assert {"factorization", "user_neighbors", "neighbors", "nmf", "ease", "slim"} <= set(
        models
    )
