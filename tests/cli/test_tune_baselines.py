"""What the tuned model is compared with."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid
from threadpoolctl import threadpool_limits

from sklearn_rank._cli._tune_arguments import MODEL_NAMES as NAMED
from sklearn_rank.experiments import default_models
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import PopularityRecommender

BASELINES = ("time_decayed_popularity", "popularity")


@pytest.fixture(scope="module")
def fashion_csv(tmp_path_factory):
    """A log in which everybody takes what is in fashion, which changes every 50 rows."""
    rng = np.random.default_rng(0)
    time = np.arange(3000)
    item = (time // 50 + rng.integers(3, size=len(time))) % 60
    user = rng.integers(100, size=len(time))
    path = tmp_path_factory.mktemp("fashion") / "log.csv"
    pd.DataFrame({"user": user, "item": item, "time": time}).to_csv(path, index=False)
    return path


def tune(run, path, folder, *options):
    code, out, err = run("tune", path, "--folds", 2, "--output", folder, *options)
    assert code == 0, err
    report = json.loads((folder / "report.json").read_text())
    assert (folder / "metric_at_k.png").exists()
    return out, report


def baseline_by_hand(path, half_life):
    """Score on the newest fifth, of users with a past and items new to them."""
    log = pd.read_csv(path, dtype={"user": str, "item": str})
    columns = {"user": "user", "item": "item", "time": "time"}
    train, test = next(TimeSplit(**columns, seen_items="drop").split(log))
    model = PopularityRecommender(half_life=half_life, **columns).fit(log.iloc[train])
    known = log.iloc[test][log["user"].iloc[test].isin(model.users_)]
    return make_recommender_scorer("ndcg@10", user="user", item="item")(model, known)


# Fashion: most items of the last period are new, and count as missed here and there.
@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
@pytest.mark.parametrize("models", ["popularity,ease", "ease"])
def test_the_half_life_is_the_best_in_validation(run, fashion_csv, tmp_path, models):
    _, best = tune(run, fashion_csv, tmp_path / "best", "--models", "popularity")
    found = best["candidates"]
    pairs = zip(found["mean_test_score"], found["param_half_life"], strict=True)
    half_life = max((p for p in pairs if p[1] is not None), key=lambda p: p[0])[1]
    _, report = tune(run, fashion_csv, tmp_path / "out", "--models", models)
    fading, plain = (report["models"][name] for name in BASELINES)
    assert fading["title"] == f"time-decayed popularity, half-life {half_life:g}"
    score = fading["means"]["ndcg@10"]
    assert score == pytest.approx(baseline_by_hand(fashion_csv, half_life))
    assert score > 2 * plain["means"]["ndcg@10"]


def test_a_model_that_beats_popularity_may_lose_to_time_decayed(run, fashion_csv, tmp_path):
    out, report = tune(run, fashion_csv, tmp_path, "--models", "neighbors")
    assert "does not beat time-decayed popularity on the last period" in out
    assert "does not beat time-decayed popularity on" in report["verdict"][1]
    best_first = ["time-decayed popularity", "item neighbors (tuned)", "popularity"]
    assert judged(out) == best_first


def judged(out):
    """Return the titles of the models in the table of the metric at k, as they stand."""
    table = out.partition("  ndcg@1  ")[2].partition("\n\n")[0].splitlines()[1:]
    return [line.partition("  ")[0] for line in table]


def test_the_tuned_model_may_be_time_decayed_popularity(run, fashion_csv, tmp_path):
    out, report = tune(run, fashion_csv, tmp_path, "--models", "popularity,nmf")
    assert report["best_name"] == "time_decayed_popularity"
    assert "The search chose time-decayed popularity" in out
    assert "beats popularity on the last period" in out
    assert "beats time-decayed" not in out
    titles = judged(out)
    assert sorted(titles) == ["NMF", "popularity", "time-decayed popularity (tuned)"]


def test_a_log_too_short_for_a_half_life_has_one_baseline(run, tmp_path):
    rng = np.random.default_rng(0)
    log = pd.DataFrame(
        {"user": rng.integers(9, size=400), "item": rng.integers(60, size=400)}
    )
    # Two seconds: the shortest half-life is one, a third of the time is less.
    log["time"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(400) * 5, "ms")
    log.to_csv(tmp_path / "log.csv", index=False)
    out, report = tune(run, tmp_path / "log.csv", tmp_path / "out", "--models", "ease")
    assert len(report["verdict"]) == 1
    assert "decayed" not in out


def test_what_is_said_of_new_users_holds_for_every_model(run, fashion_csv):
    log = pd.read_csv(fashion_csv)
    warnings.simplefilter("ignore", ConvergenceWarning)  # NMF takes few steps
    with threadpool_limits(1):  # of which implicit warns when a model is made
        names = [name for name in NAMED if name != "repeats"]
        for model, grid in default_models(log, time="time", names=names).values():
            for params in ParameterGrid(grid):
                fitted = clone(model).set_params(**params).fit(log)
                one, other = fitted.recommend([1000, 1001], 60)
                assert list(one) == list(other)
    newcomer = pd.DataFrame({"user": ["new"], "item": [0], "time": [len(log)]})
    path = fashion_csv.with_name("newcomer.csv")
    pd.concat([log, newcomer]).to_csv(path, index=False)
    code, out, _ = run("tune", path, "--models", "popularity", "--folds", 1)
    assert code == 0
    said = "of new users: users without history all get the same popular items"
    assert f"left out 1 row {said}" in out
    # They are no reason to leave newcomers out: fading popularity shows them others.
    plain, fading = (
        PopularityRecommender(half_life=half_life, user="user", item="item", time="time")
        .fit(log)
        .recommend([1000], 3)
        for half_life in (None, 10)
    )
    assert fading.tolist() != plain.tolist()
