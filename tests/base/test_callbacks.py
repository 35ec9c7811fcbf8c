"""scikit-learn's callbacks on searches over rankers and recommenders."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.rankers import GroupRanker, PairwiseRanker
from sklearn_rank.recommenders import ItemNeighborsRecommender, load_model, save_model

callback = pytest.importorskip("sklearn.callback")


class Recorder:
    """Counts the tasks that end."""

    def __init__(self):
        self.ended = []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, **details):
        pass

    def on_fit_task_end(self, estimator, context, **details):
        self.ended.append(context.task_name)


def tune_ranker(model, name, callbacks, n_jobs):
    X, y, groups = make_ranking(n_queries=30, shuffle=True, random_state=0)
    with config_context(enable_metadata_routing=True):
        return (
            GridSearchCV(
                model,
                {name: [0.1, 1000.0]},
                scoring=make_ranking_scorer("ndcg@10", replace_undefined_by=0.0),
                cv=GroupKFold(3),
                error_score="raise",
                n_jobs=n_jobs,
            )
            .set_callbacks(*callbacks)
            .fit(X, y, groups=groups)
        )


def tune_recommender(callbacks, n_jobs):
    log = make_interactions(100, 100, 2000, random_state=0, as_frame=True)
    columns = {"user": "user", "item": "item"}
    search = GridSearchCV(
        ItemNeighborsRecommender(**columns),
        {"n_neighbors": [2, 30]},
        scoring=make_recommender_scorer("ndcg@10", **columns),
        cv=TimeSplit(3, time="time"),
        error_score="raise",
        n_jobs=n_jobs,
    )
    return search.set_callbacks(*callbacks).fit(log)


def pipeline():
    return make_pipeline(StandardScaler(), GroupRanker(Ridge()))


SEARCHES = {
    "ranker": lambda *how: tune_ranker(GroupRanker(Ridge()), "estimator__alpha", *how),
    "pipeline": lambda *how: tune_ranker(pipeline(), "groupranker__estimator__alpha", *how),
    "recommender": tune_recommender,
}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", SEARCHES)
def test_a_progress_bar_on_a_search(name, n_jobs, capsys):
    pytest.importorskip("rich")
    bar = callback.ProgressBar(max_propagation_depth=0)
    found = SEARCHES[name]([bar], n_jobs)
    assert "GridSearchCV - fit" in capsys.readouterr().out
    plain = SEARCHES[name]([], 1)
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )


@pytest.mark.parametrize("name", SEARCHES)
def test_a_callback_of_ones_own_sees_each_fold_of_each_candidate(name):
    recorder = Recorder()
    SEARCHES[name]([recorder], 1)
    assert recorder.ended.count("candidate-split-evaluation") == 2 * 3
    assert recorder.ended.count("refit-with-best-params") == 1


def test_a_progress_bar_shows_the_fits_of_recommenders(capsys):
    pytest.importorskip("rich")
    tune_recommender([callback.ProgressBar()], 1)
    assert "ItemNeighborsRecommender - fit" in capsys.readouterr().out


def test_the_fit_of_a_recommender_is_a_task():
    recorder = Recorder()
    log = make_interactions(20, 20, 80, random_state=0, as_frame=True)
    ItemNeighborsRecommender(user="user", item="item").set_callbacks(recorder).fit(log)
    assert recorder.ended == ["fit"]


def test_a_model_file_has_no_callbacks(tmp_path):
    log = make_interactions(20, 20, 80, random_state=0, as_frame=True)
    model = ItemNeighborsRecommender().set_callbacks(Recorder()).fit(log)
    save_model(model, tmp_path / "model.npz")
    read = load_model(tmp_path / "model.npz")
    assert read.recommend([0], k=3).tolist() == model.recommend([0], k=3).tolist()


@pytest.mark.parametrize(
    "ranker", [GroupRanker(Ridge()), PairwiseRanker(LogisticRegression())]
)
def test_the_fit_of_a_ranker_is_a_task(ranker):
    recorder = Recorder()
    X, y, groups = make_ranking(n_queries=5, random_state=0)
    ranker.set_callbacks(recorder).fit(X, y, groups=groups)
    assert recorder.ended == ["fit"]


def test_scores_of_each_iteration():
    X, y, groups = make_ranking(n_queries=30, random_state=0)
    with_groups = np.column_stack([groups, X])
    # A list of metrics: scikit-learn 1.9 cannot read the single number of a scorer that is
    # not its own, though it says so.
    metrics = ["ndcg@10", "mrr"]
    scorer = make_ranking_scorer(metrics, groups=0, replace_undefined_by=0.0)
    monitor = callback.ScoringMonitor(scoring=scorer)
    model = LogisticRegression(max_iter=20, tol=0.1).set_callbacks(monitor)
    expected = scorer(model.fit(with_groups, y), with_groups, y)
    log = monitor.get_logs().data
    iterations = [row for row in log if row["task_name"] != "fit"]
    assert len(iterations) == model.n_iter_[0]
    assert {name: iterations[-1][name] for name in metrics} == expected
