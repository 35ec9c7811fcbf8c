"""The splits of published tables, and the script on made files."""

import sys

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.datasets import make_interactions
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
    assert [line for line in lines if line[:1].strip()] == [*published.TABLES]
    assert sum("ndcg@10" in line for line in lines) == 4
    (own,) = [line for line in lines if line.startswith("  own, 2 targets")]
    assert own.endswith("hit_rate@20 0.5000  mrr@20 0.2500")
    (walk,) = [line for line in lines if line.startswith("  walk, 2 targets")]
    assert "hit_rate@20 1.0000" in walk


def test_a_table_without_its_files_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["published", str(tmp_path)])
    published.main()
    assert "Cornac, left out without u.data\n" in capsys.readouterr().out
