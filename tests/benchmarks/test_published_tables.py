import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from tests.benchmarks import published_tables  # noqa: E402


def _log(n_users=30, n_items=12, start=0):
    rng = np.random.default_rng(start)
    shape = (n_users, n_items)
    user, item = np.nonzero(rng.random(shape) < 0.6)
    log = pd.DataFrame({"user": user + start, "item": item, "time": np.arange(len(user))})
    return log.assign(rating=rng.integers(3, 6, len(log)))


@pytest.mark.parametrize(("is_rounded", "n_train"), [(True, [1, 2, 4]), (False, [0, 1, 3])])
def test_split_by_item(is_rounded, n_train):
    log = pd.DataFrame({"item": np.repeat([0, 1, 2], [1, 2, 5])})
    in_train = published_tables.split_by_item(log, 42, is_rounded=is_rounded)
    assert np.bincount(log["item"][in_train], minlength=3).tolist() == n_train
    numbers = np.random.RandomState(42).random_sample(8)
    assert max(numbers[3:][in_train[3:]]) < min(numbers[3:][~in_train[3:]])


def test_split_at_random():
    in_train = published_tables.split_at_random(_log(), 1)
    n_rows = len(in_train)
    assert (~in_train).sum() == int(np.ceil(n_rows / 5))
    order = np.random.RandomState(1).permutation(n_rows)
    assert in_train[order[0]]
    assert not in_train[order[-1]]


def test_tables_of_films():
    log, films = _log(), pd.DataFrame({"item": range(12), "genre": np.arange(12) % 3.0})
    walks = {"n_neighbors": [5]}
    for rows in (
        published_tables.stratified(log, walks),
        published_tables.ratio(log, walks),
    ):
        found = {name: values["ndcg@10"] for name, values, _ in rows}
        assert list(found) == ["popularity", "EASE", "walk"]
        assert all(0 < value <= 1 for value in found.values())
    cold = list(published_tables.cold_films(log, films, n_seeds=1))
    assert [values for _, values, _ in cold] == [{"recall@10": 1.0}] * 2


def test_tables_of_sessions():
    names = {"user": "SessionId", "item": "ItemId", "time": "Time"}
    train, test = (
        _log(start=start).rename(columns=names).astype({"Time": float})
        for start in (0, 100)
    )
    test["Time"] += train["Time"].max() + 1
    train["ItemId"], test["ItemId"] = train["ItemId"] + 1, test["ItemId"] + 1
    wide = pd.DataFrame({"SessionId": 999, "ItemId": range(1, 40), "Time": -1.0})
    rows, search = published_tables.sessions(pd.concat([wide, train]), test)
    assert all(0 < values["mrr@20"] <= values["hit_rate@20"] <= 1 for _, values, _ in rows)
    first = test.groupby("SessionId").head(2).groupby("SessionId")["ItemId"].agg(list)
    first = first[first.map(len) == 2]
    exact = pd.DataFrame(
        {
            "SessionId": first.index,
            "Position": 0,
            "Recommendations": [
                ",".join(map(str, [shown, target, *range(40, 58)]))
                for shown, target in first
            ],
        }
    )
    listed = published_tables.listed_sessions(search, test, {"exact": exact})
    ours, theirs = list(listed)
    assert ours[2] == {"targets": len(first)}
    assert theirs[1] == {"hit_rate@20": 1.0, "mrr@20": 0.5}


def test_table_of_purchases():
    log = _log().sample(frac=1, random_state=0)
    log["InvoiceDate"] = pd.date_range("2020-01-01", periods=len(log))
    log = log.rename(columns={"user": "CustomerID", "item": "StockCode"})
    found = {name: values["ndcg@10"] for name, values, _ in published_tables.retail(log)}
    assert len(found) == 4
    assert min(found.values()) > 0
