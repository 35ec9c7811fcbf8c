"""A golden set of twelve questions and four systems, as files: those of the pages."""

import json
import random
from math import isnan, log2
from pathlib import Path

RELEVANT = {
    "how to sow carrots": "carrots.md#2",
    "how to water beans": "beans.md#1",
    "how to prune roses": "roses.md#4",
    "how to store apples": "apples.md#3",
    "how to stake tomatoes": "tomatoes.md#2",
    "how to thin radishes": "radishes.md#1",
    "plants for shade": "shade.md#1",
    "plants for clay": "clay.md#2",
    "plants for bees": "bees.md#1",
    "plants for pots": "pots.md#3",
    "plants for hedges": "hedges.md#1",
    "plants for winter": "winter.md#2",
}
OTHERS = ["soil.md#1", "tool.md#5", "calendar.md#9", "frost.md#2"]
SECOND = (
    "how to stake tomatoes",
    "how to thin radishes",
    "plants for hedges",
    "plants for winter",
)
WORSE = ("how to sow carrots", "how to water beans")


def _list(item, rank, others):
    """Return three ids at most, with the item at a rank; above 3 it is missed."""
    return [*others[: rank - 1], *[item] * (rank <= 3), *others[rank - 1 :]][:3]


def _write(path, records):
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


def _write_repeats(folder):
    """Write three runs of two systems that ask a language model: they vary."""
    rng = random.Random(0)
    for name, share in (("main", 0.8), ("branch", 0.7)):
        repeats = []
        for repeat in (1, 2, 3):
            lists = [
                {
                    "query": query,
                    "run": repeat,
                    "retrieved": _list(item, 1 + (rng.random() > share), OTHERS),
                }
                for query, item in RELEVANT.items()
            ]
            _write(folder / f"{name}-{repeat}.jsonl", lists)
            repeats += lists
        _write(folder / f"{name}.jsonl", repeats)


def _write_values(folder):
    """Write scores that other tools gave, before and after a change."""
    rows = {"main": [], "branch": []}
    for n, query in enumerate(RELEVANT):
        rows["main"].append(f"{query},0.9,200\n")
        rows["branch"].append(f"{query},{0.75 if n < 2 else 0.9},{240 if n % 2 else 200}\n")
    for name, lines in rows.items():
        text = "".join(["query,faithfulness,latency\n", *lines])
        (folder / f"{name}.csv").write_text(text)


def _write_labels(folder):
    """Write labels of 300 answers by two generous judges, and by people for each fifth."""
    rng, words = random.Random(1), ("fail", "pass")
    lines = ["unit,people,gpt,claude\n"]
    for unit in range(1, 301):
        is_right = rng.random() < 0.7
        gpt, claude = (words[rng.random() < (0.95 if is_right else 0.4)] for _ in range(2))
        people = words[is_right] if unit % 5 == 4 else ""
        lines.append(f"a{unit},{people},{gpt},{claude}\n")
    (folder / "labels.csv").write_text("".join(lines))


def _ndcg_of_ids(truth, ids, k):
    """Return nDCG of ids in order, as a program without scores computes it."""
    dcg, ideal = (
        sum(gain / log2(n + 2) for n, gain in enumerate(gains[:k]))
        for gains in ([truth.get(id_, 0) for id_ in ids], sorted(truth.values())[::-1])
    )
    return dcg / ideal if ideal else None


def write_answers(folder):
    """Write the values of two programs.

    The first divides nDCG by the best order of its list; the second reads ids alone.
    """
    from sklearn_rank.inputs import from_item_lists
    from sklearn_rank.metrics import per_query_scores
    from sklearn_rank.metrics._results._conformance import conformance_vectors

    answers, of_ids = {}, {}
    for case in conformance_vectors()["cases"]:
        lists = [[tuple(row) for row in case["list"]]]
        rows = from_item_lists([case["truth"]], lists, duplicates="first")
        names = {"ndcg": f"ndcg(ideal='list')@{case['k']}", "mrr": f"mrr@{case['k']}"}
        values = per_query_scores(**rows, metrics=names).mean()
        answers[case["id"]] = {
            name: None if isnan(value) else value for name, value in values.items()
        }
        ids = [id_ for id_, _ in case["list"]]
        of_ids[case["id"]] = {"ndcg": _ndcg_of_ids(case["truth"], ids, case["k"])}
    for name, values in (("answers", answers), ("ids", of_ids)):
        (Path(folder) / f"{name}.json").write_text(json.dumps(values))


def write_files(folder):
    """Write a golden set, the lists of four systems, and documents with their chunks."""
    folder = Path(folder)
    golden, results, new, bm25, dense = [], [], [], [], []
    for n, (query, item) in enumerate(RELEVANT.items()):
        is_how = query.startswith("how")
        category = "how" if is_how else "plants"
        golden.append({"query": query, "expected_ids": [item], "category": category})
        rank = 2 if query in SECOND else 1
        results.append({"query": query, "retrieved": _list(item, rank, OTHERS)})
        rank = 3 if query in WORSE else rank
        new.append({"query": query, "retrieved": _list(item, rank, OTHERS)})
        others = OTHERS[n % 4 :] + OTHERS[: n % 4]
        # Vectors are right except for a question that words answer.
        ranks = (1, 3) if n == 4 else ((2, 3, 4, 4)[n % 4], 1)
        for lists, rank, ids, scores in (
            (bm25, ranks[0], others[:2], (9.5, 7.0, 4.5)),
            (dense, ranks[1], others[2:], (0.9, 0.75, 0.6)),
        ):
            hits = _list(item, rank, ids)
            lists.append(
                {
                    "query": query,
                    "retrieved": [
                        {"id": id_, "score": score}
                        for id_, score in zip(hits, scores, strict=False)
                    ],
                }
            )
    files = {"golden": golden, "results": results, "new": new, "bm25": bm25, "dense": dense}
    for name, records in files.items():
        _write(folder / f"{name}.jsonl", records)
    _write_repeats(folder)
    _write_values(folder)
    _write_labels(folder)
    (folder / "golden.csv").write_text(
        "query,docid,grade\ncarrots,a.md#2,2\ncarrots,b.md#1,1\nbeans,c.md#4,1\n"
    )
    chunks = {"carrots": ["a.md#1", "a.md#3", "b.md#1"], "beans": ["d.md#1", "c.md#1"]}
    (folder / "chunks.json").write_text(f"{json.dumps(chunks)}\n")
