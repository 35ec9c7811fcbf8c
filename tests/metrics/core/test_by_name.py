"""Other names of the field, conventions and columns, wherever a metric is named."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, cross_validate

from sklearn_rank.inputs import from_files, from_frames, from_item_lists
from sklearn_rank.metrics import (
    conventions,
    make_ranking_scorer,
    make_recommender_scorer,
    ndcg_score,
    per_query_scores,
    ranking_report,
    ranking_scores,
)
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._core._registry import parse_metric
from sklearn_rank.model_selection import cross_validate_per_query
from sklearn_rank.recommenders import PopularityRecommender
from sklearn_rank.statistics import compare_models

rng = np.random.default_rng(4)
N_ROWS = 240
ROWS = {
    "y_true": rng.integers(0, 4, N_ROWS).astype(float),
    "y_score": np.round(rng.normal(size=N_ROWS), 1),
    "groups": np.repeat(np.arange(24), 10),
}


# ---- aliases and case ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("NDCG@10", "ndcg@10"),
        ("success@10", "hit_rate@10"),
        ("hr@10", "hit_rate@10"),
        ("hit@10", "hit_rate@10"),
        ("P@5", "precision@5"),
        ("R@5", "recall@5"),
        ("recip_rank", "mrr"),
        ("rr", "mrr"),
        ("ap", "map(denominator='relevant')"),
        ("MAP@3", "map@3"),
        ("retrieval_auroc", "auc"),
        ("mpr", "mean_rank(percentile=True)"),
        ("RMSE", "rmse"),
        ("NDCG(gain='exponential')@10", "ndcg(gain='exponential')@10"),
        ("mpr(min_relevance=2)", "mean_rank(percentile=True, min_relevance=2)"),
    ],
)
def test_results_have_the_name_that_was_asked_for(alias, name):
    found = ranking_scores(**ROWS, metrics=[alias], replace_undefined_by=np.nan)
    same = ranking_scores(**ROWS, metrics=name, replace_undefined_by=np.nan)
    assert found == {alias: same[name]}
    values = per_query_scores(**ROWS, metrics=alias)
    assert list(values.scores) == list(values.mean()) == [alias]
    assert values.definitions == {alias: name}
    np.testing.assert_array_equal(values[name], values[alias])


def test_spellings_of_one_metric_are_computed_once(monkeypatch):
    names = ["hit_rate@3", "HR@3", "success_3", "hit_rate@ 3", "hit_rate(k=3)", "mrr"]
    runs = []
    run = BoundMetric.run
    monkeypatch.setattr(BoundMetric, "run", lambda b, view: runs.append(b) or run(b, view))
    found = ranking_scores(**ROWS, metrics=names, replace_undefined_by=np.nan)
    assert list(found) == names
    assert [bound.name for bound in runs] == ["hit_rate@3", "mrr"]
    assert len(set(list(found.values())[:5])) == 1


def test_a_mapping_names_metrics():
    rows = {"y_true": [0, 1, 1], "y_score": [3, 2, 1], "groups": ["q"] * 3}
    metrics = {"total@2": lambda y_true, y_score: 7.0, "ndcg": "ndcg@2", "AP": "mrr"}
    found = ranking_scores(**rows, metrics=metrics)
    assert found == pytest.approx({"total@2": 7, "ndcg": 0.3868528072, "AP": 0.5})
    values = per_query_scores(**rows, metrics=metrics)
    assert values.definitions == {"total@2": "total@2", "ndcg": "ndcg@2", "AP": "mrr"}
    assert list(ranking_report(**rows, metrics=metrics, output_dict=True)) == list(metrics)
    with pytest.raises(TypeError, match="`metrics` must be names and metrics"):
        ranking_scores(**rows, metrics={3: "ndcg"})
    with pytest.raises(ValueError, match="'ndcg' is a metric here: write 'ndcg' for it"):
        ranking_scores(**rows, metrics={"ndcg": lambda y_true, y_score: 7.0})


def test_results_of_two_calls_meet_by_definition():
    names = ["ndcg_cut_10", "AP"]
    other = ["map(denominator='relevant')", "ndcg@10"]
    one, two = (per_query_scores(**ROWS, metrics=metrics) for metrics in (names, other))
    assert list(one.difference(two).scores) == names
    half = np.arange(24) < 12
    merged = one.of(half).merge(two.of(~half))
    assert list(merged.scores) == names
    np.testing.assert_array_equal(merged["map(denominator='relevant')"], one["AP"])
    models = {"one": one, "two": two}
    assert [row.metric for row in compare_models(models).rows()] == names
    assert compare_models(models, metrics="nDCG@10").row("two").metric == "nDCG@10"
    ratings = ["recall@5", "AP"]
    with pytest.raises(ValueError, match="scores of different metrics"):
        compare_models({"one": one, "two": per_query_scores(**ROWS, metrics=ratings)})


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("ndgc@10", "ndcg"), ("recal@5", "recall"), ("MRRR", "mrr"), ("succes", "hit_rate")],
)
def test_other_names_have_a_hint(wrong, meant):
    with pytest.raises(ValueError, match=f"Did you mean '{meant}'"):
        parse_metric(wrong)


# ---- conventions -----------------------------------------------------------------------


def of_lightgbm(y_true=ROWS["y_true"]):
    """NDCG as LightGBM has it: exponential gain, ties as they come, undefined counts 1."""
    return {"gain": "exponential", "ties": "first", "replace_undefined_by": 1.0}


def test_values_of_queries_by_convention():
    rows = {**ROWS, "y_true": np.where(ROWS["groups"] == 3, 0, ROWS["y_true"])}
    found = per_query_scores(**rows, metrics="ndcg@5", convention="lightgbm")
    assert found.scores["ndcg@5"][3] == 1
    assert found.mean()["ndcg@5"] == ndcg_score(**rows, k=5, **of_lightgbm())
    ours = per_query_scores(**rows, metrics="ndcg@5")
    differs = found.scores["ndcg@5"] != ours.scores["ndcg@5"]
    assert 3 in found.groups[differs]


def test_a_report_by_convention():
    report = ranking_report(
        **ROWS, metrics="ndcg", k=5, convention="lightgbm", output_dict=True
    )
    assert report["ndcg@5"]["mean"] == ndcg_score(**ROWS, k=5, **of_lightgbm())


def test_scorers_by_convention():
    X, y, groups = ROWS["y_score"][:, None], ROWS["y_true"], ROWS["groups"]
    scorer = make_ranking_scorer("ndcg@5", convention="lightgbm")
    assert repr(scorer) == "make_ranking_scorer('ndcg@5', convention='lightgbm')"
    model = LinearRegression().fit(X, ROWS["y_score"])
    expected = ndcg_score(y, model.predict(X), groups=groups, k=5, **of_lightgbm())
    assert scorer(model, X, y, groups=groups) == expected
    found = cross_validate_per_query(
        LinearRegression(),
        X,
        y,
        groups=groups,
        cv=GroupKFold(3),
        metrics="ndcg@5",
        convention="lightgbm",
    )
    again = cross_validate_per_query(
        LinearRegression(), X, y, groups=groups, cv=GroupKFold(3), metrics=scorer
    )
    assert found.mean() == again.mean()
    with pytest.raises(ValueError, match=r"leave out .*`convention`"):
        cross_validate_per_query(
            LinearRegression(), X, y, groups=groups, metrics=scorer, convention="lightgbm"
        )


def test_a_recommender_scorer_by_convention():
    log = pd.DataFrame({"user": [1, 1, 2, 2, 3], "item": [1, 2, 1, 3, 2]})
    model = PopularityRecommender(user="user", item="item").fit(log)
    held = pd.DataFrame({"user": [1, 2, 3], "item": [3, 2, 1]})
    y = [3.0, 1.0, 2.0]
    columns = {"user": "user", "item": "item"}
    plain = make_recommender_scorer("ndcg@2", **columns)
    spark = make_recommender_scorer("ndcg@2", **columns, convention="spark")  # binary
    assert spark(model, held, y) == plain(model, held)


@pytest.mark.parametrize("function", [per_query_scores, ranking_scores, ranking_report])
def test_an_unknown_convention(function):
    with pytest.raises(ValueError, match=r"got 'trec'\. .*Did you mean 'trec_eval'"):
        function(**ROWS, metrics="ndcg", convention="trec")
    assert "trec_eval" in conventions


# ---- columns beside grades and scores --------------------------------------------------

PROPENSITY = rng.uniform(0.1, 1, N_ROWS)


def test_a_scorer_takes_a_column_from_metadata_or_from_x():
    X = pd.DataFrame({"f": ROWS["y_score"], "q": ROWS["groups"], "p": PROPENSITY})
    y = ROWS["y_true"]
    metrics = ["ips_ndcg@5", "mrr"]
    by_column = make_ranking_scorer(metrics, groups="q", propensity="p")
    with config_context(enable_metadata_routing=True):
        by_metadata = cross_validate(
            LinearRegression(),
            X[["f"]],
            y,
            cv=GroupKFold(3),
            scoring=make_ranking_scorer(metrics),
            params={"groups": ROWS["groups"], "propensity": PROPENSITY},
        )
    from_x = cross_validate(
        LinearRegression(), X, y, cv=GroupKFold(3), groups=X["q"], scoring=by_column
    )
    assert set(by_metadata) >= {"test_ips_ndcg@5", "test_mrr"}
    assert not np.isnan(from_x["test_ips_ndcg@5"]).any()
    model = LinearRegression().fit(X[["f"]], y)
    scorer = make_ranking_scorer("ips_ndcg@5")
    given = {"groups": ROWS["groups"], "propensity": PROPENSITY}
    expected = ranking_scores(y, model.predict(X[["f"]]), metrics="ips_ndcg@5", **given)
    assert scorer(model, X[["f"]], y, **given) == expected["ips_ndcg@5"]
    found = scorer.per_query(model, X[["f"]], y, **given)
    assert found.mean() == expected


def test_cross_validation_per_query_takes_columns():
    X = ROWS["y_score"][:, None]
    with config_context(enable_metadata_routing=True):
        found = cross_validate_per_query(
            LinearRegression(),
            X,
            ROWS["y_true"],
            metrics="ips_recall@5",
            groups=ROWS["groups"],
            cv=GroupKFold(3),
            params={"propensity": PROPENSITY},
        )
    assert len(found) == 24
    assert not np.isnan(found.mean()["ips_recall@5"])


def test_a_missing_column_says_what_it_is():
    scorer = make_ranking_scorer("ips_ndcg@5")
    model = LinearRegression().fit(ROWS["y_score"][:, None], ROWS["y_true"])
    with pytest.raises(ValueError, match="`propensity` is needed, the probability"):
        scorer(model, ROWS["y_score"][:, None], ROWS["y_true"], groups=ROWS["groups"])
    with pytest.raises(TypeError, match="no parameter 'propnsity'"):
        scorer(
            model,
            ROWS["y_score"][:, None],
            ROWS["y_true"],
            groups=ROWS["groups"],
            propnsity=PROPENSITY,
        )


def test_a_recommender_scorer_has_no_such_column():
    with pytest.raises(ValueError, match="needs `propensity` of each row"):
        make_recommender_scorer("ips_ndcg@5")


@pytest.mark.parametrize("function", [per_query_scores, ranking_scores, ranking_report])
def test_a_wrong_keyword_is_met_with_the_nearest(function):
    with pytest.raises(TypeError, match=r"no parameter 'tie'\. Write ties=\.$"):
        function(**ROWS, metrics="ndcg", tie="worst")


def test_a_scorer_takes_no_column_that_no_metric_needs():
    with pytest.raises(ValueError, match="needs a column 'propensity'"):
        make_ranking_scorer("ndcg@5", propensity="p")


def test_a_scorer_knows_what_was_pooled():
    X = pd.DataFrame({"f": [3.0, 2, 1, 0], "in_pool": [True, False, True, True]})
    y, groups = [1.0, 0.0, 1.0, 0.0], [0, 0, 0, 0]
    model = LinearRegression().fit(X[["f"]], X["f"])
    scorer = make_ranking_scorer("infap", pooled="in_pool")
    expected = ranking_scores(
        y, X["f"], groups=groups, metrics="infap", pooled=X["in_pool"]
    )["infap"]
    plain = ranking_scores(y, X["f"], groups=groups, metrics="infap")["infap"]
    assert expected != plain
    wrapped = TakesColumn(model)
    assert scorer(wrapped, X, y, groups=groups) == expected


class TakesColumn:
    """A model that leaves all columns but the first out."""

    def __init__(self, model):
        self.model = model

    def predict(self, X):
        return self.model.predict(X[["f"]])


# ---- a whole data set decides, not its folds -------------------------------------------


def test_folds_agree_on_the_highest_grade():
    X, groups = ROWS["y_score"][:, None], ROWS["groups"]
    y = np.where(groups < 8, np.minimum(ROWS["y_true"], 1), ROWS["y_true"])
    found = cross_validate_per_query(
        LinearRegression(), X, y, metrics="err@5", groups=groups, cv=GroupKFold(3)
    )
    assert found.whole == {"err@5": {"max_grade": 3.0}}
    named = cross_validate_per_query(
        LinearRegression(),
        X,
        y,
        metrics="err(max_grade=3)@5",
        groups=groups,
        cv=GroupKFold(3),
    )
    np.testing.assert_array_equal(found.scores["err@5"], named.scores["err(max_grade=3)@5"])


# ---- ids of items ----------------------------------------------------------------------


def test_inputs_return_the_item_of_each_row():
    rows = from_item_lists(
        {"a": ["x", "z"], "b": ["y"]}, {"a": ["x", "y"], "b": ["z"]}, return_items=True
    )
    assert list(zip(rows.groups, rows["items"], rows.y_score, strict=True)) == [
        ("a", "x", -1),
        ("a", "y", -2),
        ("a", "z", -np.inf),
        ("b", "z", -1),
        ("b", "y", -np.inf),
    ]
    truth = pd.DataFrame({"user": [1, 1], "item": [10, 30]})
    lists = pd.DataFrame({"user": [1, 1], "item": [20, 10], "rank": [1, 2]})
    columns = {"user": "user", "item": "item", "rank": "rank"}
    rows = from_frames(truth, lists, **columns, return_items=True)
    assert rows["items"].tolist() == [20, 10, 30]
    rows = from_files(["q 0 d1 1"], ["q Q0 d2 1 0.5 run"], return_items=True)
    assert rows["items"].tolist() == ["d2", "d1"]
    assert set(from_item_lists([[1]], [[1]])) == {"y_true", "y_score", "groups"}
    # What no metric needs is taken and not used.
    assert ranking_scores(**rows, metrics="mrr") == {"mrr": 0.0}
