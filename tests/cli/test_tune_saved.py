"""The winner to keep: as a file, and as Python that makes the same model."""

import re

import numpy as np
import pandas as pd
import pytest

from sklearn_rank._cli._errors import InputError
from sklearn_rank.recommenders import PopularityRecommender, load_model

NAMES = {"user": "Who is it", "item": "thing's", "time": "when"}
OPTIONS = [part for role, name in NAMES.items() for part in (f"--{role}", name)]


@pytest.fixture(scope="module")
def named(small_log):
    """The log with names of its own, ids that look like numbers, and rows to drop."""
    log = small_log.rename(columns=NAMES)
    log["Who is it"] = "00" + log["Who is it"].astype(str)
    log.loc[3, "thing's"] = None
    return log.assign(stars=np.arange(len(log)) % 5 + 1)


def write_log(log, folder, kind):
    if kind == "parquet":
        log.assign(when=log["when"].astype("datetime64[ms]")).to_parquet(
            folder / "log.parquet"
        )
        return folder / "log.parquet", []
    if kind == "epoch":
        seconds = log["when"].astype("datetime64[s]").astype("int64")
        log.assign(when=seconds).to_csv(folder / "log.csv", index=False)
        return folder / "log.csv", []
    if kind in ("whole days", "days as floats", "days in parquet"):
        days = log["when"].dt.strftime("%Y%m%d").astype(int)
        days = days.astype(float) if kind == "days as floats" else days
        if kind == "days in parquet":
            log.assign(when=days).to_parquet(folder / "log.parquet")
            return folder / "log.parquet", []
        log.assign(when=days).to_csv(folder / "log.csv", index=False)
        return folder / "log.csv", []
    if kind == "days":
        days = log["when"].dt.strftime("%d.%m.%Y").to_numpy()
        days[5] = "soon"
        log.assign(when=days).to_csv(folder / "log.csv", index=False)
        return folder / "log.csv", []
    if kind == "ratings":
        stars = log["stars"].astype(object)
        stars[7], stars[8] = "many", -1
        log.assign(stars=stars).to_csv(folder / "log.csv", index=False)
        return folder / "log.csv", ["--rating", "stars"]
    text = log.to_csv(index=False, sep="|").replace("00", "é")
    (folder / "log.txt").write_text(text, encoding="utf-8")
    return folder / "log.txt", []


def python_of(out):
    python = out.partition("As Python, fitted on all rows:\n\n")[2]
    return re.split(r"\n\n(?:Add|Wrote) ", python)[0]


@pytest.mark.parametrize(
    ("kind", "models"),
    [
        *((kind, "popularity") for kind in ("parquet", "epoch", "days", "ratings")),
        ("whole days", "popularity"),
        ("days as floats", "popularity"),
        ("days in parquet", "popularity"),
        *((kind, "ease") for kind in ("parquet", "ratings", "bars")),
    ],
)
def test_the_python_makes_the_model_that_is_saved(named, tmp_path, run, kind, models):
    path, options = write_log(named, tmp_path, kind)
    arguments = [path, *OPTIONS, *options, "--models", models, "--folds", 1]
    code, out, err = run("tune", *arguments, "--save", tmp_path / "model")
    assert code == 0, err
    saved = load_model(str(tmp_path / "model"))
    assert (saved.user, saved.item) == (NAMES["user"], NAMES["item"])
    found = {}
    exec(python_of(out), found)
    assert found["model"].get_params() == saved.get_params()
    users = found["log"][NAMES["user"]].unique()
    assert sorted(users) == saved.users_.tolist()
    np.testing.assert_array_equal(
        found["model"].recommend(users, 5), saved.recommend(users, 5)
    )
    np.testing.assert_allclose(found["model"].popularity_, saved.popularity_)


def test_the_python_of_the_embedded_log_runs(run, monkeypatch):
    from sklearn_rank._cli.files import _log_files
    from sklearn_rank.datasets import make_interactions

    monkeypatch.setattr(
        _log_files,
        "make_interactions",
        lambda *args, **kwargs: make_interactions(150, 80, 2000, **kwargs),
    )
    code, out, _ = run("tune", "--folds", 1, "--models", "neighbors")
    assert code == 0
    python = python_of(out).replace("2000, 1000, 100_000", "150, 80, 2000")
    found = {}
    exec(python, found)
    assert found["model"].user == "user"


@pytest.mark.filterwarnings("ignore:Maximum number of iterations")  # of a small log
@pytest.mark.parametrize("models", ["nmf", "implicit"])
def test_the_python_needs_no_other_names(small_csv, run, models):
    if models == "implicit":
        pytest.importorskip("implicit")
    code, out, _ = run("tune", small_csv, "--folds", 1, "--models", models)
    assert code == 0
    found = {}
    exec(python_of(out), found)
    assert found["model"].n_features_in_ > 1


def test_the_model_knows_all_rows_and_the_ids_of_the_file(named, tmp_path, run):
    path, _ = write_log(named, tmp_path, "epoch")
    options = ["--models", "neighbors", "--folds", 1, "--save", tmp_path / "model"]
    code, out, _ = run("tune", path, *OPTIONS, *options)
    assert code == 0
    assert f"Wrote the tuned model, fitted on all rows, to {tmp_path / 'model'}." in out
    assert "Add --save" not in out
    saved = load_model(str(tmp_path / "model"))
    complete = named.dropna()
    assert saved.users_.tolist() == sorted(complete["Who is it"].unique())
    seen = complete[["Who is it", "thing's"]].drop_duplicates()
    assert saved.seen_.sum() == len(seen)


def test_numbers_as_ids_of_parquet_stay_numbers(small_log, tmp_path, run):
    small_log.to_parquet(tmp_path / "log.parquet")
    options = ["--models", "popularity", "--folds", 1, "--save", tmp_path / "model"]
    assert run("tune", tmp_path / "log.parquet", *options)[0] == 0
    model = load_model(str(tmp_path / "model"))
    assert isinstance(model, PopularityRecommender)
    assert model.users_.dtype.kind == "i"


def test_a_file_is_replaced_only_with_force(small_csv, tmp_path, run, fails, monkeypatch):
    from sklearn_rank._cli import _tune_command

    path = tmp_path / "model"
    path.write_text("mine")
    options = ["--models", "popularity", "--folds", 1, "--save", path]
    with monkeypatch.context() as patch:
        patch.setattr(
            _tune_command, "read_log_file", lambda *args: pytest.fail("has begun")
        )
        assert f"'{path}' exists" in fails(small_csv, *options)
    assert path.read_text() == "mine"
    assert run("tune", small_csv, *options, "--force")[0] == 0
    assert isinstance(load_model(str(path)), PopularityRecommender)


def test_a_log_is_not_replaced_by_its_model(fails, write):
    text = "user,item,time\na,x,1\nb,y,2\n"
    log = write(text)
    assert f"'{log}' is an input" in fails(log, "--save", log, "--force")
    assert log.read_text() == text


def test_a_model_of_another_library_is_not_written(small_csv, tmp_path, run):
    pytest.importorskip("implicit")
    path = tmp_path / "model"
    options = ["--models", "implicit", "--folds", 1, "--save", path]
    code, _, err = run("tune", small_csv, *options)
    assert code == 2
    assert f"Cannot write the model {str(path)!r}: " in err
    assert not path.exists()


@pytest.mark.parametrize("name", ["report.json", "../results/cv_results.csv"])
def test_a_model_in_the_place_of_a_report(fails, small_csv, tmp_path, name):
    folder = tmp_path / "results"
    folder.mkdir()
    options = ["--output", folder, "--save", folder / name]
    said = f"is one of the files that --output '{folder}' writes; name another."
    assert said in fails(small_csv, *options)
    assert not list(folder.iterdir())


def test_a_model_that_cannot_be_written_takes_nothing_with_it(
    small_csv, tmp_path, run, monkeypatch
):
    from sklearn_rank._cli import _tune_command

    def full(*args, **options):
        raise InputError("Cannot write 'model': No space left on device.")

    monkeypatch.setattr(_tune_command, "save_model", full)
    files = ["--save", tmp_path / "model", "--output", tmp_path / "out"]
    code, out, err = run("tune", small_csv, "--models", "popularity", "--folds", 1, *files)
    assert code == 2
    assert err.splitlines()[-1].endswith("No space left on device.")
    assert "popularity on the last period: ndcg@10" in out
    assert (tmp_path / "out" / "report.json").exists()


def test_the_python_is_in_the_report(small_csv, tmp_path, run):
    options = ["--models", "popularity", "--folds", 1, "--output", tmp_path]
    run("tune", small_csv, *options)
    assert "import PopularityRecommender" in (tmp_path / "report.txt").read_text()
    assert pd.read_json(tmp_path / "report.json", typ="series")["python"].startswith("imp")
