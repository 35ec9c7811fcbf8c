"""Any metric of ours says when a booster stops."""

import pickle

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank.metrics import mean_average_precision_score, ranking_scores
from sklearn_rank.rankers import GroupRanker, boosting_metric
from sklearn_rank.rankers._boosting_metric import Patience
from tests.rankers.conftest import (
    lightgbm_ranker,
    lightgbm_validation,
    make_queries,
    xgboost_ranker,
)
from tests.rankers.test_early_stopping import MANY, RANKERS, pointwise

ROUNDS = 5


@pytest.fixture(params=list(RANKERS))
def library(request):
    return request.param


@pytest.fixture
def held_out():
    """Queries to stop by; in two of them nothing is relevant."""
    rows = make_queries(seed=1)
    rows.y[rows.query < 2] = 0
    return rows


def triple(rows):
    return [(rows.X, rows.y, rows.groups)]


def staged(estimator, X, n_rounds):
    """Return the predictions of a booster after each round."""
    library = type(estimator).__module__.partition(".")[0]
    if library == "lightgbm":
        return [estimator.predict(X, num_iteration=i + 1) for i in range(n_rounds)]
    if library == "xgboost":
        return [estimator.predict(X, iteration_range=(0, i + 1)) for i in range(n_rounds)]
    return list(estimator.staged_predict(X))


def mean(metric, rows, scores, **given):
    found = ranking_scores(
        rows.y,
        scores,
        groups=rows.groups,
        metrics=metric,
        replace_undefined_by=np.nan,
        **given,
    )
    return found[metric]


def best_round(values, rounds):
    """Return the first round whose value the next `rounds` do not improve on."""
    best = 0
    for i in range(1, len(values)):
        if values[i] > values[best]:
            best = i
        if i - best >= rounds:
            break
    return best, i + 1


@pytest.mark.parametrize("metric", ["map@10", "recall@2", "fallout@2"])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_stops_where_the_metric_of_all_rounds_says(
    library, metric, weighted, queries, held_out
):
    weight = 1.0 + queries.query % 2 if weighted else None
    ranker = GroupRanker(
        RANKERS[library](), early_stopping_rounds=ROUNDS, stopping_metric=metric
    )
    given = {"groups": queries.groups, "sample_weight": weight}
    ranker.fit(queries.X, queries.y, eval_set=triple(held_out), **given)
    n_rounds = len(ranker.validation_scores_)
    small = RANKERS[library]()
    small.set_params(
        **{"iterations" if library == "catboost" else "n_estimators": n_rounds}
    )
    if library == "catboost":
        small.set_params(learning_rate=0.3)
    full = GroupRanker(small).fit(queries.X, queries.y, **given)
    steps = staged(full.estimator_, held_out.X, n_rounds)
    values = [mean(metric, held_out, scores) for scores in steps]
    sign = -1 if metric == "fallout@2" else 1
    best, stopped = best_round(sign * np.array(values), ROUNDS)
    assert np.allclose(ranker.validation_scores_, values)
    assert stopped == n_rounds < MANY
    assert np.allclose(ranker.predict(held_out.X), steps[best])
    assert mean(metric, held_out, ranker.predict(held_out.X)) == values[best]


def test_the_best_of_few_rounds_is_kept(library, queries, held_out):
    size = {"iterations" if library == "catboost" else "n_estimators": 4}
    ranker = GroupRanker(
        RANKERS[library]().set_params(**size),
        early_stopping_rounds=ROUNDS,
        stopping_metric="map@10",
    )
    ranker.fit(queries.X, queries.y, groups=queries.groups, eval_set=triple(held_out))
    values = ranker.validation_scores_
    assert len(values) == 4
    assert mean("map@10", held_out, ranker.predict(held_out.X)) == max(values)


def test_ties_do_not_count_as_better_and_either_direction_works():
    low = Patience(2, greater_is_better=False)
    assert [low.is_over(value) for value in (3.0, 2.0, 2.0, 2.5)] == [False] * 3 + [True]
    assert low.best == 1
    high = Patience(1, greater_is_better=True)
    assert [high.is_over(value) for value in (1.0, 2.0, 2.0)] == [False, False, True]
    assert high.best == 1


def test_weights_of_held_out_queries_count(library, queries):
    weight = np.where(queries.query % 4 == 0, 100.0, 1.0)
    mask = queries.query % 2 == 0
    ranker = GroupRanker(
        RANKERS[library](),
        early_stopping_rounds=ROUNDS,
        stopping_metric="ndcg@2",
        validation_fraction=mask,
    )
    ranker.fit(queries.X, queries.y, groups=queries.groups, sample_weight=weight)
    found = ranking_scores(
        queries.y[mask],
        ranker.predict(queries.X[mask]),
        groups=queries.groups[mask],
        metrics="ndcg@2",
        sample_weight=weight[mask],
    )
    assert max(ranker.validation_scores_) == pytest.approx(found["ndcg@2"])


@pytest.mark.parametrize("kind", ["regressor", "classifier", "two grades"])
def test_pointwise_boosters_stop_by_it_too(library, kind, queries, held_out):
    inner = pointwise(library)
    if kind != "regressor":
        name = type(inner).__name__.replace("Regressor", "Classifier")
        classifier = getattr(pytest.importorskip(library), name)
        of_regressors = {"loss_function", "objective"}
        given = {n: v for n, v in inner.get_params().items() if n not in of_regressors}
        inner = classifier(**given)
    y, yv = queries.y, held_out.y
    if kind == "two grades":
        y, yv = (y > 1) * 1, (yv > 1) * 1
    ranker = GroupRanker(inner, early_stopping_rounds=ROUNDS, stopping_metric="ndcg@3").fit(
        queries.X, y, groups=queries.groups, eval_set=[(held_out.X, yv, held_out.groups)]
    )
    found = ranking_scores(
        yv,
        ranker.predict(held_out.X),
        groups=held_out.groups,
        metrics="ndcg@3",
        replace_undefined_by=np.nan,
    )
    assert max(ranker.validation_scores_) == pytest.approx(found["ndcg@3"])
    assert len(ranker.validation_scores_) < MANY


def test_it_sees_what_the_last_step_of_a_pipeline_sees(library, queries, held_out):
    scaled, booster = StandardScaler().fit(queries.X), RANKERS[library]()
    plain, piped = (
        GroupRanker(inner, early_stopping_rounds=ROUNDS, stopping_metric="map@10")
        for inner in (booster, make_pipeline(StandardScaler(), booster))
    )
    piped.fit(queries.X, queries.y, groups=queries.groups, eval_set=triple(held_out))
    own = [(scaled.transform(held_out.X), held_out.y, held_out.groups)]
    X = scaled.transform(queries.X)
    plain.fit(X, queries.y, groups=queries.groups, eval_set=own)
    assert np.allclose(piped.validation_scores_, plain.validation_scores_)


def test_categories_of_a_frame(library, queries):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(queries.X, columns=list("abcd"))
    X["shop"] = pandas.Categorical(np.where(queries.X[:, 0] > 0, "north", "south"))
    own = {"catboost": {"cat_features": ("shop",)}, "xgboost": {"enable_categorical": True}}
    inner = RANKERS[library]().set_params(**own.get(library, {}))
    mask = queries.query >= 16
    ranker = GroupRanker(
        inner, early_stopping_rounds=ROUNDS, stopping_metric="map", validation_fraction=mask
    ).fit(X, queries.y, groups=queries.groups)
    value = mean_average_precision_score(
        queries.y[mask], ranker.predict(X[mask]), groups=queries.groups[mask]
    )
    assert max(ranker.validation_scores_) == pytest.approx(value)


def test_searches_and_pickles(library, queries, with_routing):
    ranker = GroupRanker(RANKERS[library](), early_stopping_rounds=ROUNDS, random_state=0)
    search = GridSearchCV(
        ranker,
        {"stopping_metric": ["map@10", "mrr"]},
        cv=GroupKFold(2),
        error_score="raise",
    ).fit(queries.X, queries.y, groups=queries.groups)
    best = search.best_estimator_
    again = pickle.loads(pickle.dumps(best))
    assert np.array_equal(again.predict(queries.X), best.predict(queries.X))


def test_callbacks_and_metrics_of_the_user_are_kept(queries, held_out):
    lightgbm = pytest.importorskip("lightgbm")
    seen = {}
    GroupRanker(
        RANKERS["lightgbm"](), early_stopping_rounds=ROUNDS, stopping_metric="map@10"
    ).fit(
        queries.X,
        queries.y,
        groups=queries.groups,
        eval_set=triple(held_out),
        callbacks=[lightgbm.record_evaluation(seen)],
        eval_metric=lambda y, scores: ("constant", 1.0, True),
    )
    assert {"ndcg@1", "constant", "map@10"} <= set(seen["valid_0"])
    ranker = GroupRanker(
        RANKERS["xgboost"](), early_stopping_rounds=ROUNDS, stopping_metric="map@10"
    ).fit(queries.X, queries.y, groups=queries.groups, eval_set=triple(held_out))
    log = ranker.estimator_.evals_result()["validation_0"]
    assert log["map@10"] == ranker.validation_scores_.tolist()
    assert ranker.estimator_.get_params()["callbacks"] is None


def test_rounds_of_the_booster_itself_give_way(queries, held_out):
    given = {"groups": queries.groups, "eval_set": triple(held_out)}
    one, other = (
        GroupRanker(
            RANKERS["xgboost"]().set_params(early_stopping_rounds=own),
            early_stopping_rounds=ROUNDS,
            stopping_metric="map@10",
        ).fit(queries.X, queries.y, **given)
        for own in (None, 1)
    )
    assert np.array_equal(one.predict(held_out.X), other.predict(held_out.X))
    assert other.estimator_.get_params()["early_stopping_rounds"] == 1
    other.set_params(early_stopping_rounds=None, stopping_metric=None)
    other.fit(queries.X, queries.y, **given)
    assert not hasattr(other, "validation_scores_")


def test_bad_metrics(queries, held_out):
    given = {"X": queries.X, "y": queries.y, "groups": queries.groups}
    for metric, error, text in [
        ("map@ten", ValueError, "map@ten"),
        ("nonsense", ValueError, "nonsense"),
        (["map", "mrr"], ValueError, "`stopping_metric` must be one metric"),
        ("novelty@3", ValueError, "catalogue"),
    ]:
        ranker = GroupRanker(
            lightgbm_ranker(), early_stopping_rounds=3, stopping_metric=metric
        )
        with pytest.raises(error, match=text):
            ranker.fit(**given)
    with pytest.raises(ValueError, match="'map@10'` needs `early_stopping_rounds`"):
        GroupRanker(lightgbm_ranker(), stopping_metric="map@10").fit(**given)
    hist = HistGradientBoostingRegressor(max_iter=5)
    ranker = GroupRanker(hist, early_stopping_rounds=3, stopping_metric="map@10")
    with pytest.raises(ValueError, match="`stopping_metric` is for estimators of LightGBM"):
        ranker.fit(**given)


@pytest.mark.parametrize(
    "make",
    [
        lambda: lightgbm_ranker(boosting_type="dart"),
        lambda: xgboost_ranker(booster="dart"),
        lambda: xgboost_ranker(booster="gblinear"),
    ],
)
def test_rounds_that_change_later_are_not_kept(make, queries):
    ranker = GroupRanker(make(), early_stopping_rounds=3, stopping_metric="map@10")
    with pytest.raises(ValueError, match="later rounds change the earlier ones"):
        ranker.fit(queries.X, queries.y, groups=queries.groups)


def test_undefined_for_all_validation_queries_is_an_error(library, queries, held_out):
    ranker = GroupRanker(
        RANKERS[library](), early_stopping_rounds=3, stopping_metric="map@10"
    )
    own = [(held_out.X, held_out.y * 0, held_out.groups)]
    text = r"'map@10' is undefined for all 24 queries"
    with pytest.raises(ValueError, match=text):
        ranker.fit(queries.X, queries.y, groups=queries.groups, eval_set=own)


# boosting_metric


def sorted_rows(rows):
    order = np.argsort(rows.query, kind="stable")
    return rows.X[order], rows.y[order], rows.query[order]


def test_lightgbm_calls_it_by_both_of_its_doors(queries, held_out):
    lightgbm = pytest.importorskip("lightgbm")
    (X, y, query), (Xv, yv, qv) = sorted_rows(queries), sorted_rows(held_out)
    evaluate = boosting_metric("map@10", library="lightgbm")
    ranker = lightgbm_ranker(n_estimators=6).fit(
        X,
        y,
        group=np.bincount(query),
        **lightgbm_validation(Xv, yv),
        eval_group=[np.bincount(qv)],
        eval_metric=evaluate,
    )
    train = lightgbm.Dataset(X, y, group=np.bincount(query))
    valid = train.create_valid(Xv, yv, group=np.bincount(qv), weight=1.0 + qv % 2)
    seen = {}
    booster = lightgbm.train(
        {"objective": "lambdarank", "min_child_samples": 2, "verbose": -1},
        train,
        6,
        valid_sets=[valid],
        feval=evaluate,
        callbacks=[lightgbm.record_evaluation(seen)],
    )
    by_hand = {"groups": qv, "metrics": "map@10", "replace_undefined_by": np.nan}
    plain = ranking_scores(yv, ranker.predict(Xv), **by_hand)
    assert ranker.evals_result_["valid_0"]["map@10"][-1] == pytest.approx(plain["map@10"])
    weighted = ranking_scores(
        yv, booster.predict(Xv), sample_weight=1.0 + qv % 2, **by_hand
    )
    assert seen["valid_0"]["map@10"][-1] == pytest.approx(weighted["map@10"])
    assert evaluate.greater_is_better
    with pytest.raises(ValueError, match="needs the sizes of queries"):
        pointwise("lightgbm").fit(X, y, **lightgbm_validation(Xv, yv), eval_metric=evaluate)


def test_xgboost_calls_it_with_groups(queries, held_out):
    xgboost = pytest.importorskip("xgboost")
    (X, y, query), (Xv, yv, qv) = sorted_rows(queries), sorted_rows(held_out)
    weight = 1.0 + np.arange(qv.max() + 1) % 2
    evaluate, seen = boosting_metric("recall@2", library="xgboost"), {}
    booster = xgboost.train(
        {"objective": "rank:ndcg", "disable_default_eval_metric": True},
        xgboost.DMatrix(X, y, qid=query),
        40,
        evals=[(xgboost.DMatrix(Xv, yv, qid=qv, weight=weight), "valid")],
        custom_metric=evaluate,
        maximize=evaluate.greater_is_better,
        early_stopping_rounds=5,
        evals_result=seen,
        verbose_eval=False,
    )
    best = booster.best_iteration
    scores = booster.predict(xgboost.DMatrix(Xv), iteration_range=(0, best + 1))
    expected = ranking_scores(
        yv,
        scores,
        groups=qv,
        metrics="recall@2",
        sample_weight=weight[qv],
        replace_undefined_by=np.nan,
    )
    values = seen["valid"]["recall@2"]
    assert values[best] == max(values)
    assert values[best] == pytest.approx(expected["recall@2"], abs=1e-5)
    with pytest.raises(TypeError, match="XGBRanker passes one query at a time"):
        xgboost_ranker(eval_metric=evaluate).fit(
            X, y, qid=query, eval_set=[(Xv, yv)], eval_qid=[qv], verbose=False
        )
    with pytest.raises(ValueError, match=r"pass qid= to xgboost\.DMatrix"):
        evaluate(yv * 1.0, xgboost.DMatrix(Xv, yv))


def test_what_no_library_can_call_is_an_error():
    with pytest.raises(ValueError, match="CatBoost does not pass groups to your metric"):
        boosting_metric("map", library="catboost")
    with pytest.raises(ValueError, match="'lightgbm', 'xgboost', 'catboost'"):
        boosting_metric("map", library="sklearn")
    with pytest.raises(ValueError, match="`metric` must be one metric"):
        boosting_metric(["map", "mrr"], library="lightgbm")
    evaluate = boosting_metric("map", library="lightgbm")
    assert repr(evaluate) == "boosting_metric('map', library='lightgbm')"
    with pytest.raises(ValueError, match="undefined for all 1 queries"):
        evaluate(np.zeros(3), np.arange(3.0), None, [3])
