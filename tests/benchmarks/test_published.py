"""The splits of published tables, and the script on made files."""

import csv
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import ItemNeighborsRecommender, PopularityRecommender
from tests.benchmarks import published

LOG = make_interactions(40, 60, 500, random_state=0, as_frame=True)
LOG = LOG.assign(rating=LOG["user"] % 3 + 3)[["user", "item", "rating", "time"]]


def test_three_quarters_of_the_rows_of_each_item_are_train():
    train, test = published.split_by_item(LOG)
    sizes = LOG.groupby("item").size()
    # round() of Python: half to even.
    expected = {item: round(0.75 * n) for item, n in sizes.items() if round(0.75 * n)}
    assert train.groupby("item").size().to_dict() == expected
    assert sorted([*train.index, *test.index]) == list(LOG.index)


def test_a_fifth_of_the_rows_is_test():
    train, test = published.split_by_ratio(LOG[:99])
    assert (len(train), len(test)) == (79, 20)
    order = np.random.RandomState(123).permutation(99)
    assert test.index.tolist() == order[79:].tolist()


@pytest.fixture
def folder(tmp_path):
    LOG.to_csv(tmp_path / "u.data", sep="\t", header=False, index=False)
    clicks = pd.DataFrame(
        [
            (session, 10 * (session % 6) + click, 100 * session + click)
            for session in range(80)
            for click in range(4)
        ],
        columns=["SessionId", "ItemId", "Time"],
    )
    is_train = clicks["SessionId"] < 60
    for name, part in {"train_full": clicks[is_train], "test": clicks[~is_train]}.items():
        path = tmp_path / f"yoochoose-clicks-100k_{name}.txt"
        part.to_csv(path, sep="\t", index=False)
    # Session 60 has items 0 to 3: the second list finds its target at rank 2, the third
    # list has none.
    lists = "SessionId;Position;Recommendations\n60;0;3,2\n60;1;3,2\n60;3;1,2\n"
    (tmp_path / "recoms_rsc15_100k_own.csv").write_text(lists)
    return tmp_path


def test_the_tables_of_a_folder(folder, monkeypatch, capsys):
    few = {name: published.MODELS[name] for name in ("popularity", "walk")}
    monkeypatch.setattr(published, "MODELS", few)
    monkeypatch.setattr(sys, "argv", ["published", str(folder)])
    published.main()
    lines = capsys.readouterr().out.splitlines()
    titles = [line for line in lines if line[:1].strip()]
    assert titles[len(published.SPLITS) :] == ["recommenders", "Cornac", "session-rec"]
    assert titles[0].startswith("gowalla, left out without gowalla/train.txt, ")
    assert sum("ndcg@10" in line for line in lines) == 4
    (own,) = [line for line in lines if line.startswith("  own, 2 targets")]
    assert own.endswith("hit_rate@20 0.5000  mrr@20 0.2500")
    (walk,) = [line for line in lines if line.startswith("  walk, 2 targets")]
    assert "hit_rate@20 1.0000" in walk


def test_a_table_without_its_files_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["published", str(tmp_path)])
    published.main()
    assert "Cornac, left out without u.data\n" in capsys.readouterr().out


@pytest.fixture
def split_folder(tmp_path):
    """Users with 12, 3 and 4 items of 60; user 40 has no test rows, only a line."""
    rng = np.random.default_rng(0)
    parts = {name: [] for name in published.PARTS}
    for user in range(40):
        items = rng.permutation(60)[:19]
        for name, own in zip(parts, np.split(items, [12, 15]), strict=True):
            parts[name].append(" ".join(map(str, [user, *own])))
    parts["train.txt"].append("40 7")
    parts["test.txt"].append("40")
    (tmp_path / "lastfm").mkdir()
    for name, lines in parts.items():
        (tmp_path / "lastfm" / name).write_text("\n".join(lines) + "\n")
    return tmp_path


def test_a_file_of_a_split_is_read_as_pairs(split_folder):
    train = published.read_pairs(split_folder / "lastfm" / "train.txt")
    assert train.shape == (481, 2)
    assert train[-1].tolist() == [40, 7]
    assert (np.bincount(train[:, 0])[:40] == 12).all()
    test = published.read_pairs(split_folder / "lastfm" / "test.txt")
    assert sorted(set(test[:, 0])) == list(range(40))


MODELS = {
    "RP3beta": (PopularityRecommender(), {}),
    "EASE": (ItemNeighborsRecommender(), {"n_neighbors": [2, 5]}),
}


def test_a_split_has_both_protocols(split_folder, monkeypatch, capsys):
    """Trained on train alone, items of valid stay in the lists, as misses."""
    monkeypatch.setattr(published, "models_of_split", lambda name, n_items: MODELS)
    command = ["published", str(split_folder), "--table", "lastfm"]
    monkeypatch.setattr(sys, "argv", command)
    published.main()
    title, sizes, *rows = capsys.readouterr().out.splitlines()[1:]
    assert title == "lastfm"
    assert " ".join(sizes.split()) == "pairs train + valid 601 train 481 test 160"
    train, valid, test = (
        published.read_pairs(split_folder / "lastfm" / part) for part in published.PARTS
    )
    on_valid = {
        k: make_recommender_scorer("ndcg@20")(ItemNeighborsRecommender(k).fit(train), valid)
        for k in (2, 5)
    }
    assert [row.split(";")[0].strip() for row in rows[::2]] == [
        "RP3beta",
        f"EASE, n_neighbors={max(on_valid, key=on_valid.get)}",
        "Fusion of RP3beta and EASE",
    ]
    assert [row.count("[0.") for row in rows] == [2, 4] * 3
    assert all(("; train + valid" in row) == ("recall@20" in row) for row in rows)
    model = PopularityRecommender().fit(train)
    mean = make_recommender_scorer("ndcg@10")(model, test)
    assert f"ndcg@10 {mean:.4f} [" in rows[1]


def test_fused_lists_have_the_sums_of_reciprocal_ranks():
    """Items 1 and 2 are first and second in one list, 3 and 1 in the other."""
    lists = [
        pd.DataFrame({"user": 0, "item": items, "rank": [1.0, 2.0]})
        for items in ([1, 2], [3, 1])
    ]
    # 1: 1 / 61 + 1 / 62, 3: 1 / 61, 2: 1 / 62; item 9 is in no list.
    for item, value in {1: 1, 3: 1 / 2, 2: 1 / 3, 9: 0}.items():
        scores = published.fused_scores(lists, np.array([[0, item]]), ["mrr"])
        assert scores.mean()["mrr"] == value


def test_each_item_of_a_list_has_a_rank():
    """User 1 has an item left, user 0 two."""
    model = PopularityRecommender().fit([(0, 5), (1, 5), (1, 6), (2, 7), (2, 6)])
    ranks = published.lists_of(model, np.array([0, 1]))
    assert ranks.to_numpy().tolist() == [[0, 6, 1], [0, 7, 2], [1, 7, 1]]


@pytest.mark.parametrize("name", published.SPLITS)
def test_grids_of_splits_have_parameters_of_their_models(name):
    models = published.models_of_split(name, 100)
    assert len(models["EASE"][1]["regularization"]) > 1
    assert len(published.models_of_split(name, 10**4)["EASE"][1]["regularization"]) == 1
    assert "EASE" not in published.models_of_split(name, 10**5)
    for n_items in (100, 10**4, 10**5):
        assert {*published.fused_pair(n_items)} <= {
            *published.models_of_split(name, n_items)
        }
    for model, grid in models.values():
        for parameters in ParameterGrid(grid):
            clone(model).set_params(**parameters)


PUBLISHED = Path(__file__).parents[2] / "docs" / "published"
N_ITEMS = {"gowalla": 40_981, "ml-1m": 3_628, "lastfm": 17_388}


def tables_of_splits():
    """Yield the log, the protocol, the metrics and the rows of each table of the page."""
    for path in sorted(PUBLISHED.glob("*_train_*.csv")):
        log, _, protocol = path.stem.rpartition("_")[0].partition("_")
        with path.open(encoding="utf-8", newline="") as lines:
            (_, *metrics), *rows = csv.reader(lines)
        protocol = protocol.replace("_", " + ")
        yield log, protocol, [metric.lower() for metric in metrics], rows


def test_the_page_has_what_the_script_prints():
    """Bold rows have models, settings of their grids, and means with intervals."""
    pytest.importorskip("implicit")
    tables = list(tables_of_splits())
    assert len(tables) == 5
    for log, protocol, metrics, rows in tables:
        models = published.models_of_split(log, N_ITEMS[log])
        titles = {
            ", ".join(filter(None, [title, published.in_words(parameters)]))
            for title, (_, grid) in models.items()
            for parameters in ParameterGrid(grid)
        }
        titles.add("Fusion of {} and {}".format(*published.fused_pair(N_ITEMS[log])))
        own = [cells for cells in rows if cells[0].startswith("**")]
        assert {re.sub(r"\*\*|``", "", title) for title, *_ in own} <= titles
        interval = re.compile(r"0\.\d{4} \[0\.\d{4}, 0\.\d{4}\]")
        assert all(interval.fullmatch(cell) for _, *cells in own for cell in cells)
        assert all(cells in own or cells[0].endswith(", published") for cells in rows)
        assert set(metrics) <= set(published.metrics_of_protocols()[protocol])
        values = [float(cells[-1][:6]) for cells in rows]
        assert values == sorted(values, reverse=True)
        assert len(own) == len(models) + 1 or metrics[0] == "recall@40"


def test_the_summary_has_numbers_of_the_tables():
    """Each cell is a model and its number, which a table below has for this model."""
    with (PUBLISHED / "summary.csv").open(encoding="utf-8", newline="") as lines:
        _, *rows = csv.reader(lines)
    paths = [path for path in PUBLISHED.glob("*.csv") if path.stem != "summary"]
    tables = "".join(path.read_text(encoding="utf-8").lower() for path in paths)
    for _, *cells in rows:
        for model, _, number in (cell.lower().rpartition(" ") for cell in cells):
            assert re.search(rf"{re.escape(model)}.*,\"?{number}", tables), model
