"""Metrics of what lists show, part by part, with a catalogue that travels."""

import pickle

import numpy as np
import pytest

from sklearn_rank.distributed import QueryScorer, as_per_query_scores, summarize
from sklearn_rank.inputs import from_frames
from sklearn_rank.metrics import Catalogue, per_query_scores, ranking_report
from sklearn_rank.metrics._core._registry import METRICS
from tests.distributed.conftest import COLUMNS

pd = pytest.importorskip("pandas")

NEEDING = sorted(name for name, one in METRICS.items() if one.parts)
OF_SYSTEM = ["coverage@5", "gini@5", "entropy@5", "exposure_gini@5"]


def name_of(metric):
    return f"{metric}@5" if "k" in METRICS[metric].parameters else metric


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(80), 12)
    item = np.concatenate([rng.permutation(40)[:12] for _ in range(80)])
    return pd.DataFrame(
        {
            "user": [f"u{one:02}" for one in user],
            "item": item,
            "grade": (rng.random(len(user)) < 0.2).astype(int),
            "score": rng.random(len(user)).round(1),
        }
    )


@pytest.fixture(scope="module")
def catalogue(rows):
    rng = np.random.default_rng(1)
    users = rows["user"].unique()
    past = {user: rng.permutation(40)[:6].tolist() for user in users}
    return Catalogue(
        items=np.arange(40),
        history=past,
        reference={user: rng.permutation(40)[:5].tolist() for user in users},
        counts=rng.integers(81, 99, 40),
        categories={item: f"c{item % 5}" for item in range(40)},
        features=rng.random((40, 3)),
    )


def parts(rows, n_parts):
    number = rows["user"].str[1:].astype(int) % n_parts
    return [rows[number == part].sample(frac=1, random_state=0) for part in range(n_parts)]


def test_values_and_report_are_those_of_one_call(rows, catalogue):
    metrics = [name_of(one) for one in NEEDING]
    per_query = [one for one in metrics if one.partition("@")[0] not in OF_SYSTEM]
    scorer = QueryScorer(
        [*metrics, *OF_SYSTEM], **COLUMNS, items="item", catalogue=catalogue
    )
    scorer = pickle.loads(pickle.dumps(scorer))
    values = [scorer(part) for part in parts(rows, 8)]
    given = {"groups": rows["user"], "items": rows["item"], "catalogue": catalogue}
    expected = ranking_report(
        rows["grade"], rows["score"], **given, metrics=[*metrics, *OF_SYSTEM], digits=17
    )
    assert summarize(values, digits=17) == expected
    in_memory = per_query_scores(rows["grade"], rows["score"], **given, metrics=per_query)
    found = as_per_query_scores(values)
    for name, value in in_memory.scores.items():
        np.testing.assert_array_equal(found.scores[name], value)


def test_tables_of_pairs_and_lists(rows, catalogue):
    pairs = rows.loc[rows["grade"] > 0, ["user", "item"]].assign(held_out=True)
    lists = rows[["user", "item", "score"]].assign(held_out=False)
    both = pd.concat([pairs, lists], ignore_index=True)
    metrics = ["novelty@5", "unexpectedness@5", "serendipity@5", "coverage@5", "recall@5"]
    scorer = QueryScorer.from_tables(
        metrics,
        user="user",
        item="item",
        marker="held_out",
        score="score",
        catalogue=catalogue,
    )
    joined = from_frames(
        pairs.drop(columns="held_out"),
        lists.drop(columns="held_out"),
        user="user",
        item="item",
        score="score",
        return_items=True,
    )
    expected = ranking_report(**joined, metrics=metrics, catalogue=catalogue)
    assert summarize([scorer(part) for part in parts(both, 4)]) == expected


@pytest.mark.parametrize("metric", NEEDING)
def test_a_metric_without_its_part_is_refused_at_once(metric):
    with pytest.raises(ValueError, match=r"needs .* a `catalogue=`"):
        QueryScorer(name_of(metric), **COLUMNS, items="item")


def test_the_number_of_items_comes_from_the_catalogue(rows, catalogue):
    with pytest.raises(ValueError, match="takes `n_items` from the whole data"):
        QueryScorer("coverage@5", **COLUMNS, items="item")
    scorer = QueryScorer("coverage@5", **COLUMNS, items="item", catalogue=catalogue)
    given = QueryScorer("coverage(n_items=40)@5", **COLUMNS, items="item")
    found = summarize([scorer(part) for part in parts(rows, 4)], output_dict=True)
    expected = summarize(given(rows[:300]), output_dict=True)["coverage(n_items=40)@5"]
    assert 0 < expected["mean"] <= found["coverage@5"]["mean"] <= 1


@pytest.mark.parametrize(
    ("catalogue", "metric", "what"),
    [
        (Catalogue(popularity=[1, 2], n_users=3), "novelty@5", "items"),
        (Catalogue(items=["a", "b"], history=[[1, 0]]), "novel_share@5", "users"),
        (
            Catalogue(items=["a", "b"], reference=[[1, 0]]),
            "unexpectedness@5",
            "users of `reference`",
        ),
    ],
)
def test_places_of_the_whole_say_nothing_of_a_part(catalogue, metric, what):
    with pytest.raises(ValueError, match=f"looks up {what} by id"):
        QueryScorer(metric, **COLUMNS, items="item", catalogue=catalogue)


def test_what_is_no_catalogue_is_refused():
    with pytest.raises(TypeError, match="`catalogue` must be a Catalogue"):
        QueryScorer("novelty@5", **COLUMNS, items="item", catalogue={"a": 1})
