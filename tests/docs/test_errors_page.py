"""The page of errors and warnings has the messages that users see."""

import ast
import csv
import json
import re
import warnings
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold

from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import tune_models
from sklearn_rank.inputs import from_files, from_frames, from_item_lists
from sklearn_rank.metrics import (
    Catalogue,
    aurc_score,
    bpref_score,
    expected_reciprocal_rank_score,
    make_ranking_scorer,
    make_recommender_scorer,
    ndcg_score,
    per_query_scores,
    ranking_scores,
    roc_auc_per_query_score,
)
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.online import compare_variants
from sklearn_rank.rankers import GroupRanker, RankFusion
from sklearn_rank.recommenders import (
    EASERecommender,
    FeatureTable,
    ItemNeighborsRecommender,
    PopularityRecommender,
    RerankingRecommender,
    TwoStageRecommender,
    load_model,
    save_model,
)
from sklearn_rank.statistics import (
    abstention_report,
    abstention_threshold,
    compare_models,
    confidence_interval,
    gate_model,
    judge_assisted_mean,
    partly_judged_scores,
    rank_models,
)

PAGE = Path(__file__).parents[2] / "docs" / "errors.rst"
MESSAGES = re.findall(r"^   ``(.+)`` \| ", PAGE.read_text("utf-8"), flags=re.MULTILINE)

ROWS = {"y_true": [1, 0, 0, 2], "y_score": [4, 3, 2, 1], "groups": list("aabb")}
LABELED = pd.Series([1, 0, 0, 2], index=list("wxyz"))
RANKER = GroupRanker(Ridge()).fit([[1.0], [2.0]], [1, 0], groups=["a", "a"])
HALVES = np.repeat(np.arange(20) / 2, 4).reshape(-1, 2)
ENDING = from_item_lists({"a": {"tea", "jam"}}, {"a": ["oil", "tea"]})
NEIGHBORS = ItemNeighborsRecommender().fit([[-1, 0], [-1, 1], [-2, 0]])
IN_ORDER = EASERecommender(recency=5, time=2).fit([["ann", "tea", 1]])
TWO_USERS = pd.DataFrame({"user": list("aabb"), "item": [0, 1] * 2, "rank": [1, 2] * 2})
DISTANCES = [f"q{n} Q0 d{d} {d} {d / 2} me" for n in range(20) for d in (1, 2)]
TABLE = {"y_true": [[1, 0], [0, 2]], "y_score": [[2, 1], [4, 3]]}

SWAPPED = PopularityRecommender(user="item", item="user")
PAIRS = pd.DataFrame({"user": ["a"], "item": ["tea"]})
BASKETS = pd.DataFrame(
    {"user": ["ann", "bob"] * 50, "item": ["tea", "jam"] * 50, "time": np.arange(100) // 2}
)


class OwnUsers(PopularityRecommender):
    def score_users(self, users):
        return self.score_histories(self.histories_[users])


def changed(form, metric=ndcg_score, **change):
    """Return the call of a metric with a part of its input changed."""
    return partial(metric, **(form | change))


def by_age(half_life, mixed=False, reference_time=None):
    """Fit on a log in seconds whose last row is far ahead, or in milliseconds."""
    times = 10**9 + np.arange(100)
    times[-1] *= 1000 if mixed else 2
    model = PopularityRecommender(
        half_life=half_life, time=2, reference_time=reference_time
    )
    model.fit(np.column_stack([np.arange(100), np.arange(100), times]))


REPEATS = {"exclude_seen": False}


def two_stages(**params):
    models = [("all", PopularityRecommender())]
    return TwoStageRecommender(models, Ridge(), **{"time": "time"} | params)


def two_stages_refusing_nan():
    """Fit with a table that lacks an item."""
    table = FeatureTable(pd.DataFrame({"item": ["tea"], "price": [1]}), id="item")
    two_stages(item_features=table, **REPEATS).fit(BASKETS)


def load_format(number):
    """Load a model file of an older or a newer form."""
    about = {"format": number, "versions": {"sklearn-rank": "9.0"}}
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.npz")
        with ZipFile(path, "w") as archive:
            archive.writestr("model.json", json.dumps(about))
        load_model(path)


def swapped_parts():
    """Tune on the end of a log, and evaluate on its beginning."""
    log = make_interactions(60, 80, 800, random_state=0, as_frame=True)
    parts = {"X": log[400:], "test": (log[:400], None)}
    tune_models(**parts, time="time", models={"all": PopularityRecommender()})


def search_rankers(ranker, groups):
    """Search over folds of queries."""
    scorer = make_ranking_scorer("ndcg@10", groups=0)
    options = {"scoring": scorer, "cv": GroupKFold(2), "error_score": "raise"}
    X, y = [[1.0, 0], [1, 1], [2, 2], [2, 3]], [1, 0, 0, 1]
    GridSearchCV(ranker, {"n_jobs": [1]}, **options).fit(X, y, groups=groups)


def boosted():
    """Return LightGBM's ranker."""
    return pytest.importorskip("lightgbm").LGBMRanker(verbose=-1, n_jobs=1)


CALLS = (
    lambda: search_rankers(boosted(), None),
    lambda: search_rankers(boosted(), list("aabb")),
    lambda: GroupRanker(boosted(), groups="user").fit(BASKETS, [0, 1] * 50),
    changed(ROWS, groups=None),
    changed(TABLE, groups=["a", "b"]),
    changed(ROWS, groups=["a", None, "b", "b"]),
    partial(GroupRanker(Ridge(), groups="query").fit, [[1.0], [2.0]], [1, 0]),
    changed(ROWS, y_score=[3, 2, 1]),
    changed(TABLE, y_score=[[2, 1]]),
    changed(ROWS, y_true=LABELED, y_score=LABELED[::-1]),
    changed(ROWS, groups=["7", 7, "b", "b"]),
    partial(judge_assisted_mean, LABELED, LABELED.set_axis(list("abcd"))),
    changed(TABLE, y_true=[[[1]]], y_score=[[[1]]]),
    changed(ROWS, y_true=[], y_score=[], groups=[]),
    changed(ROWS, y_score=list("abcd")),
    changed(ROWS, y_true=[1, -1, 0, 2]),
    changed(ROWS, y_true=[1, np.nan, 0, 2]),
    changed(from_item_lists({"a": {"tea"}}, {"a": ["jam", "tea"]}), bpref_score),
    changed(ROWS, y_true=[1, np.inf, 0, 2]),
    changed(ROWS, y_score=[4, np.nan, 2, 1]),
    changed(ROWS, y_score=[4, np.inf, 2, 1]),
    changed(ROWS, y_score=[2**63 + 1, 2**63, -1, 0]),
    changed(ROWS, sample_weight=[1, 1]),
    changed(TABLE, sample_weight=[1, 1, 1]),
    changed(ROWS, sample_weight=[1, 2, 1, 1]),
    changed(ROWS, sample_weight=[-1, -1, 1, 1]),
    changed(ROWS, sample_weight=[0, 0, 0, 0]),
    changed(ROWS, k=10.0),
    changed(ROWS, ties="mean"),
    changed(ROWS, replace_undefined_by="raise"),
    changed(ROWS, expected_reciprocal_rank_score, max_grade=1),
    changed(ROWS, ranking_scores, metrics="ndgc@10"),
    changed(ROWS, ranking_scores, metrics="auc@5"),
    changed(ENDING, ranking_scores, metrics="accuracy@1"),
    changed(ENDING, roc_auc_per_query_score),
    partial(make_ranking_scorer, "ndcg@10", k=3),
    changed(ROWS, ranking_scores, metrics="map@0"),
    partial(ndcg_score, Ridge(), ROWS["y_true"], ROWS["y_score"]),
    partial(PopularityRecommender().fit, pd.DataFrame({"customer": ["a"]})),
    partial(PopularityRecommender().fit, PAIRS.assign(user_id=1)),
    partial(
        make_recommender_scorer("ndcg@10", user=1),
        PopularityRecommender().fit(PAIRS),
        PAIRS,
    ),
    partial(PopularityRecommender().fit, sparse.eye_array(3)),
    partial(PopularityRecommender().fit, np.eye(3)),
    partial(from_item_lists, {"ann": {1}}, {"ann": ["1"]}),
    partial(PopularityRecommender().fit(PAIRS).update, PAIRS.assign(item="gin")),
    partial(OwnUsers().fit(PAIRS).update, PAIRS),
    partial(PopularityRecommender().fit(PAIRS).explain, "a", "tea"),
    partial(ItemNeighborsRecommender(new_users=PopularityRecommender).fit, PAIRS),
    partial(ItemNeighborsRecommender(new_users=SWAPPED).fit, PAIRS),
    partial(RerankingRecommender(PopularityRecommender(), "mmr").fit, PAIRS),
    partial(Catalogue, categories=pd.DataFrame({"item": [1, 0], "sweet": [1, 0]})),
    partial(
        RerankingRecommender(
            PopularityRecommender(), "mmr", categories={"jam": "spreads"}
        ).fit,
        PAIRS,
    ),
    partial(two_stages(time=None).fit, BASKETS),
    partial(two_stages(label_window=99).fit, BASKETS),
    partial(two_stages().fit, BASKETS),
    partial(two_stages(**REPEATS, n_candidates=1).fit(BASKETS).recommend, ["ann"], 2),
    two_stages_refusing_nan,
    partial(load_model, PAGE),
    partial(load_format, 3),
    partial(load_format, 1),
    partial(save_model, Ridge(), "model"),
    partial(save_model, PopularityRecommender().fit([[1j, 0], [(1, 2j), 0]]), "model"),
    partial(EASERecommender(recency=5).fit, PAIRS),
    partial(IN_ORDER.recommend_for_items, [{"tea"}]),
    partial(by_age, 365, mixed=True),
    lambda: next(TimeSplit(test_size=7).split(None, times=[20240131, 20240201])),
    partial(
        PopularityRecommender(half_life=1, time="t").fit(PAIRS.assign(t=1)).update,
        PAIRS.assign(t=pd.Timestamp("2020-01-01")),
    ),
    partial(by_age, 365),
    partial(by_age, 365, reference_time=10**9),
    partial(confidence_interval, [0.1, 0.2, 0.4]),
    partial(
        confidence_interval, np.repeat([0.5, 0.05, 0], [1, 11, 138]), value_range=(0, 1)
    ),
    partial(
        compare_variants,
        [0, 1] * 50,
        ["a"] * 90 + ["b"] * 10,
        control="a",
        allocation="equal",
    ),
    partial(confidence_interval, [0.1] * 20),
    partial(compare_models, {"a": [0.1, 0.2], "b": [0.2, 0.4]}, test="exact"),
    partial(
        compare_models,
        {"a": [0.1, 0.2], "b": [0.2, 0.4]},
        clusters=[1, 1],
        value_range=(0, 1),
        test="anytime",
    ),
    partial(compare_models, {}, intervals="simultaneous", correction=None),
    lambda: bool(gate_model([*range(20)], [*range(20)], margin=0)),
    partial(rank_models, {"x": {"a": 1, "b": 2}, "y": {"a": 3}}),
    partial(judge_assisted_mean, [0, 1, 1], [[0, 1], [1, 1], [1, 0]]),
    partial(partly_judged_scores, [[1, 0]] * 3, [[2, 1]] * 3, metrics="ndcg@10"),
    partial(rank_models, {"x": {"a": 1, "b": 2}, "y": {"a": 3, "b": 3}}),
    changed(TABLE, ranking_scores, metrics="fallout", replace_undefined_by="abstained"),
    partial(aurc_score, **TABLE, metric="fallout"),
    changed(TABLE, aurc_score, y_score=[[-1, -2], [-1, -2]]),
    changed(ROWS, aurc_score, confidence={"a": 1}),
    changed(TABLE, aurc_score, confidence=[1, np.nan]),
    changed(ROWS, aurc_score, confidence=[1, 2, 3, 3]),
    changed(TABLE, per_query_scores, metrics="aurc"),
    changed(TABLE, abstention_report, threshold=9),
    changed(TABLE, abstention_report),
    changed(TABLE, abstention_threshold, confidence=[1, np.inf]),
    changed(TABLE, abstention_threshold),
    changed(ROWS, y_true=[1, 0, 0, 0]),
    partial(
        GroupRanker(Ridge()).fit,
        pd.DataFrame({"a": [1.0, 2.0, 3.0]}),
        pd.Series([1, 0, 1], index=[2, 1, 0]),
        groups=["a"] * 3,
    ),
    changed(ROWS, groups=np.array([2, 2, 1, 1]) * 2.0**53),
    changed(TABLE, y_score=np.full((2, 2), -np.inf)),
    partial(
        from_frames,
        TWO_USERS,
        TWO_USERS.rename(columns={"rank": "distance"}),
        user="user",
        item="item",
        score="distance",
    ),
    partial(RankFusion().fit, pd.DataFrame({"dist": [0.1, 0.2]}), groups=["a", "a"]),
    partial(from_item_lists, [{f"{item:03}"} for item in range(20)], [["0", "1"]] * 20),
    partial(from_item_lists, {u: [0] for u in "abcde"}, {u: [0] for u in "klmno"}),
    partial(from_item_lists, {"a": "x", "b": "y"}.items(), {"a": "x", "b": "z"}.items()),
    partial(NEIGHBORS.recommend, range(3), 1),
    partial(make_recommender_scorer("mrr@1"), NEIGHBORS, [[u, 0] for u in range(20)]),
    partial(make_recommender_scorer("mrr@1"), NEIGHBORS, [[-1, 0]] * 21 + [[0, 1]]),
    partial(from_item_lists, [{0}] * 20, [[(0, 0.1), (1, 0.2)]] * 20),
    partial(ndcg_score, [[1, 0]] * 20, [[1, 2]] * 20),
    partial(from_frames, TWO_USERS, TWO_USERS, user="user", item="item", score="rank"),
    partial(from_files, {f"q{n}": {"d1": 1} for n in range(20)}, DISTANCES),
    lambda: next(TimeSplit().split(None, times=[*range(99), 10**6])),
    swapped_parts,
    partial(ndcg_score, [1] * 20, range(20), groups=range(20)),
    partial(ndcg_score, [1] * 40, range(40), groups=list(range(20)) * 2),
    partial(ndcg_score, [0.5, 0.1] * 20, [1, 0] * 20, groups=list(range(20)) * 2),
    partial(ndcg_score, [[1, 7, 345]], [[7, 1, 8]]),
    partial(GroupRanker(Ridge()).fit, np.eye(20), [1, 0] * 10, groups=range(20)),
    partial(GroupRanker(Ridge(), groups=0).fit, HALVES, [1, 0] * 20),
    partial(RANKER.score, [[1.0]], [1], groups=["a"]),
)


@pytest.mark.parametrize(("message", "call"), list(zip(MESSAGES, CALLS, strict=True)))
def test_message_is_that_of_the_page(message, call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(
            (ValueError, TypeError, NotImplementedError, UserWarning)
        ) as raised:
            call()
    pattern = re.escape(message).replace(r"\.\.\.", ".+")
    assert re.search(pattern, str(raised.value).replace("`", ""))


# ---- all warnings of the package are on the page ----------------------------------------

LISTED = PAGE.with_name("warnings.csv")
PACKAGE = PAGE.parents[1] / "sklearn_rank"


def text_of(node):
    """Return the literal parts of a text, with ... for its values."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    return "..."


def all_texts(path):
    """Yield all texts in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr | ast.Constant):
            yield text_of(node).replace("`", "") + " "


def texts_of_warnings():
    """Yield the file and the text of each warning in the package's source."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
        texts = [
            argument
            for call in calls
            if "warn" in getattr(call.func, "attr", getattr(call.func, "id", ""))
            for argument in call.args
        ]
        for function in (f for f in functions if "warn" in f.name):
            for statement in ast.walk(function):
                if isinstance(statement, ast.Return):
                    texts.append(statement.value)
                elif isinstance(statement, ast.Assign):
                    names = {getattr(target, "id", "") for target in statement.targets}
                    texts += [statement.value] if names & {"text", "message"} else []
                elif isinstance(statement, ast.List | ast.Tuple):
                    texts += statement.elts
                elif isinstance(statement, ast.Call):
                    texts += statement.args
        for text in map(text_of, filter(None, texts)):
            if text.count(" ") > 6:
                yield path.name, text


def pattern(part):
    """Return a pattern of a part of a message, whose values are `...`."""
    plain = part.replace("`", "")
    return re.compile(".*?".join(map(re.escape, plain.split("..."))), re.DOTALL)


def test_all_warnings_are_listed():
    with LISTED.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert {len(row) for row in rows} == {2}
    listed = [row[0].strip("`") for row in rows[1:]]
    parts = [part for part in listed if not part.startswith("**")]
    patterns = [*map(pattern, parts), *map(pattern, MESSAGES)]
    texts = [(name, text.replace("`", "")) for name, text in texts_of_warnings()]
    assert len(texts) > 40
    missing = [
        (name, text) for name, text in texts if not any(p.search(text) for p in patterns)
    ]
    assert not missing, missing
    source = "".join(text for path in PACKAGE.rglob("*.py") for text in all_texts(path))
    unused = [part for part in parts if not pattern(part).search(source)]
    assert not unused, unused
