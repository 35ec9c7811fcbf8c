"""From a file to the final comparison."""

import json
import re
import subprocess
import sys
from math import log2

import numpy as np
import pandas as pd
import pytest

from sklearn_rank._cli import main
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit


@pytest.fixture(scope="module")
def results(small_csv, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "deep" / "results"
    assert main(["tune", str(small_csv), "--output", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def report(results):
    return json.loads((results / "report.json").read_text())


def test_writes_the_five_files_and_nothing_else(results):
    assert sorted(path.name for path in results.iterdir()) == [
        "cv_results.csv",
        "metric_at_k.png",
        "report.html",
        "report.json",
        "report.txt",
    ]
    assert (results / "metric_at_k.png").read_bytes().startswith(b"\x89PNG")


def by_hand(log, recommend):
    """Mean nDCG@10 after the first 80% of the rows, by plain loops.

    `recommend(train, user)` returns all items, best first.
    """
    rows = list(log.itertuples(index=False))
    train, test = rows[: int(0.8 * len(rows))], rows[int(0.8 * len(rows)) :]
    seen, relevant = {}, {}
    for row in train:
        seen.setdefault(row.user, set()).add(row.item)
    for row in test:
        if row.user in seen and row.item not in seen[row.user]:
            relevant.setdefault(row.user, set()).add(row.item)
    scores = []
    for user, items in relevant.items():
        ranked = [i for i in recommend(train, user) if i not in seen[user]][:10]
        dcg = sum(1 / log2(r + 2) for r, item in enumerate(ranked) if item in items)
        scores.append(dcg / sum(1 / log2(r + 2) for r in range(min(10, len(items)))))
    return np.mean(scores), len(relevant), sum(map(len, relevant.values()))


def most_users_first(train, user):
    count = {}
    for _, item in {(row.user, row.item) for row in train}:
        count[item] = count.get(item, 0) + 1
    # Ids are text on the command line, so equal counts come in the order of texts.
    return sorted(count, key=lambda item: (-count[item], str(item)))


def mean_of(report, name, metric="ndcg@10"):
    return report["models"][name]["means"][metric]


def test_baseline_is_what_plain_loops_say(report, small_log):
    score, n_users, n_pairs = by_hand(small_log, most_users_first)
    assert mean_of(report, "popularity") == pytest.approx(score)
    assert report["held_out"]["n_units"] == n_users
    assert report["held_out"]["n_judged"] >= n_pairs


def test_the_times_of_the_log_are_reported(report, small_log):
    times = pd.to_datetime(small_log["time"])
    told = report["log"]["first_time"], report["log"]["last_time"]
    assert told == (str(times.min()), str(times.max()))


def test_every_row_of_the_last_period_is_accounted_for(report):
    period = report["held_out"]
    assert period["n_held_out"] == 400
    assert sum(period["left_out"].values()) + period["n_judged"] == 400


def test_scores_report_and_curves_agree(report):
    assert set(report["models"]) > {"popularity", "time_decayed_popularity"}
    for model in report["models"].values():
        at_10 = model["report"]["ndcg@10"]["mean"]
        assert model["means"]["ndcg@10"] == pytest.approx(at_10)
        assert model["curve"][9] == pytest.approx(at_10)
        assert len(model["curve"]) == 20
    best = mean_of(report, report["best_name"])
    assert len(report["verdict"]) == 2
    for said in report["verdict"]:
        assert "The tuned model beats " in said
        assert f"ndcg@10 {best:.4f} against 0." in said


def test_candidates_are_ranked_with_mean_and_spread(results):
    table = pd.read_csv(results / "cv_results.csv")
    assert "popularity" in set(table["candidate"])
    assert table["rank_test_score"].is_monotonic_increasing
    folds = table[["split0_test_score", "split1_test_score", "split2_test_score"]]
    np.testing.assert_allclose(table["mean_test_score"], folds.mean(axis=1))
    np.testing.assert_allclose(table["std_test_score"], folds.std(axis=1, ddof=0))


def test_the_winner_can_be_made_in_python(report, small_log):
    made = "from " + report["python"].partition("\nmodel.fit")[0].partition("from ")[2]
    lines = made.splitlines()
    found = {}
    first = next(n for n, line in enumerate(lines) if line.startswith("log = "))
    model = next(n for n, line in enumerate(lines) if line.startswith("model = "))
    exec("\n".join(lines[:first] + lines[model:]), found)
    model = found["model"]
    log = small_log.astype({"user": str, "item": str})
    train, test = next(
        TimeSplit(time="time", user="user", item="item", seen_items="drop").split(log)
    )
    scorer = make_recommender_scorer("ndcg@10", user="user", item="item")
    model.fit(log.iloc[train])
    known = log.iloc[test][log["user"].iloc[test].isin(model.users_)]
    tuned = mean_of(report, report["best_name"])
    assert scorer(model, known) == pytest.approx(tuned)


def test_the_report_says_what_the_screen_says(small_csv, run, tmp_path):
    models = ["--models", "popularity,neighbors"]
    code, out, _ = run("tune", small_csv, *models, "--output", tmp_path, width=80)
    text = (tmp_path / "report.txt").read_text()
    assert code == 0
    assert out.startswith(text)
    assert "2,000 rows of 150 users and " in text
    assert "Last period" in text
    assert "    SD" in text
    assert all(f"ndcg@{k}" in text for k in (1, 5, 10, 20))
    assert max(map(len, text.splitlines())) <= 80


def test_the_last_period_has_no_say_in_the_search(small_log, results, tmp_path, run):
    changed = small_log.copy()
    last = slice(1600, None)
    changed.loc[1600:, "item"] = np.roll(changed["item"].to_numpy()[last], 7)
    changed.to_csv(tmp_path / "changed.csv", index=False)
    run("tune", tmp_path / "changed.csv", "--output", tmp_path)
    columns = ["candidate", "mean_test_score", "split0_test_score", "split2_test_score"]
    one = pd.read_csv(results / "cv_results.csv")[columns]
    other = pd.read_csv(tmp_path / "cv_results.csv")[columns]
    pd.testing.assert_frame_equal(one, other)


def test_jobs_change_nothing(small_csv, tmp_path, run):
    folders = {jobs: tmp_path / str(jobs) for jobs in (1, 2)}
    for jobs, folder in folders.items():
        options = ["--models", "popularity,neighbors", "--jobs", jobs]
        assert run("tune", small_csv, *options, "--output", folder)[0] == 0
    one, other = (
        json.loads((folder / "report.json").read_text()) for folder in folders.values()
    )
    assert one["models"] == other["models"]
    assert one["verdict"] == other["verdict"]


def test_last_rows_of_users_as_validation(small_csv, run):
    code, out, _ = run("tune", small_csv, "--cv", "last", "--folds", "1")
    assert code == 0
    assert "1 fold, last rows of each user" in out
    assert re.search(r"\d +–  popularity", out)


@pytest.mark.parametrize(
    "metric", ["mrr", "map(denominator='relevant')@5", "recall@50", "r_precision"]
)
def test_other_metrics(small_csv, run, metric):
    options = ["--metric", metric, "--folds", "2", "--models", "popularity,neighbors"]
    code, out, _ = run("tune", small_csv, *options)
    assert code == 0
    assert f"popularity on the last period: {metric} " in out


def test_ratings_weigh_and_grade(small_log, tmp_path, run):
    rated = small_log.assign(stars=small_log["item"] % 5 + 1)
    rated.to_csv(tmp_path / "rated.csv", index=False)
    options = ["--rating", "stars", "--folds", "1", "--output", tmp_path]
    options += ["--models", "popularity,neighbors"]
    assert run("tune", tmp_path / "rated.csv", *options)[0] == 0
    graded = json.loads((tmp_path / "report.json").read_text())["models"]
    assert run("tune", tmp_path / "rated.csv", *options, "--min-relevance", 5)[0] == 0
    fives = json.loads((tmp_path / "report.json").read_text())["models"]
    recall = [r["popularity"]["report"]["recall@20"] for r in (graded, fives)]
    assert recall[0]["queries"] > recall[1]["queries"]
    assert recall[0]["undefined"] == recall[1]["undefined"] == 0
    assert "of ratings that are not relevant" in (tmp_path / "report.txt").read_text()


def test_says_plainly_when_tuning_brought_nothing(tmp_path, run):
    rng = np.random.default_rng(0)
    rows = [(rng.integers(60), min(rng.geometric(0.1), 40), t) for t in range(1500)]
    log = pd.DataFrame(rows, columns=["user", "item", "time"])
    log.to_csv(tmp_path / "log.csv", index=False)
    code, out, _ = run("tune", tmp_path / "log.csv")
    assert code == 0
    assert "does not beat popularity" in out


def test_without_a_file_an_embedded_log_is_tuned(run, monkeypatch):
    from sklearn_rank._cli.files import _log_files

    def smaller(*args, **kwargs):
        from sklearn_rank.datasets import make_interactions

        return make_interactions(150, 80, 2000, **kwargs)

    monkeypatch.setattr(_log_files, "make_interactions", smaller)
    code, out, _ = run("tune", "--folds", "1")
    assert code == 0
    assert out.startswith("Read the embedded log: 2,000 rows")
    assert "--output DIR" in out


def test_python_m_is_the_same_command():
    command = [sys.executable, "-m", "sklearn_rank", "tune", "no such file"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("sklearn-rank: error: There is no file 'no such file'")


def test_real_purchases(tmp_path, run, real_data):
    columns = ["--user", "CustomerID", "--item", "StockCode", "--time", "InvoiceDate"]
    path = real_data / "online_retail.csv.gz"
    options = ["--models", "popularity,factorization", "--folds", "1"]
    code, out, _ = run("tune", path, *columns, *options, "--output", tmp_path)
    assert code == 0
    assert "397,924 rows of 4,339 users and 3,665 items, 2010-12-01 to 2011-12-09" in out
    report = json.loads((tmp_path / "report.json").read_text())
    popularity = mean_of(report, "popularity")
    assert mean_of(report, report["best_name"]) > 2 * popularity
    assert mean_of(report, "time_decayed_popularity") > 2 * popularity


def test_novelty_diversity_and_coverage_beside_accuracy(small_csv, run, tmp_path):
    models = ("--models", "popularity,neighbors", "--report", "beyond")
    code, out, _ = run("tune", small_csv, *models, "--output", tmp_path)
    assert code == 0
    assert "novelty  diversity  coverage" in out
    table = pd.read_csv(tmp_path / "cv_results.csv")
    coverage = table["mean_test_coverage@10"]
    assert coverage.between(0, 1).all()
    is_popular = table["model"] == "popularity"
    assert coverage[is_popular].max() < coverage[~is_popular].max()
    picture = (tmp_path / "accuracy_and_novelty.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    # As sharp as the other picture: 6.4 inches.
    assert int.from_bytes(picture[16:20]) == 960
    code, out, _ = run("tune", small_csv, *models[:2], "--output", tmp_path)
    assert "Removed accuracy_and_novelty.png of an earlier run." in out


def test_a_test_of_its_own_is_judged(small_log, tmp_path, run):
    ordered = small_log.sort_values("time")
    n_past = int(0.8 * len(ordered))
    past, future = tmp_path / "past.csv", tmp_path / "future.csv"
    ordered[:n_past].to_csv(past, index=False)
    ordered[n_past:].to_csv(future, index=False)
    options = ["--models", "popularity", "--output", tmp_path / "out"]
    code, out, err = run("tune", past, "--test", future, *options)
    assert code == 0, err
    assert "Test rows" in out
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    score = mean_of(report, "popularity")
    assert score == pytest.approx(by_hand(ordered, most_users_first)[0])


def test_a_budget_and_halving_are_said(small_csv, run):
    code, out, err = run("tune", small_csv, "--time-budget", 0)
    assert code == 0, err
    assert "Not tried: " in out
    options = ["--search", "halving", "--models", "neighbors"]
    code, out, err = run("tune", small_csv, *options)
    assert code == 0, err
    assert "Left behind after a fold or more: " in out
