"""Margins, floors, ranges and directions of each metric of a gate."""

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import confidence_interval, gate_model
from sklearn_rank.statistics._baseline import describe_change, read_values
from sklearn_rank.statistics._gate_model import describe_changes
from sklearn_rank.statistics._gate_rules import GateRules

OLD = np.array([0.3, 0.6, 0.1, 0.8, 0.4, 0.2, 0.5, 0.7, 0.2, 0.4, 0.1, 0.9])
QUERIES = [f"q{n}" for n in range(12)]


def by_query(values):
    return dict(zip(QUERIES, np.asarray(values).tolist(), strict=True))


def both(**losses):
    """Return old and new values of metrics that lose something."""
    old = {name: by_query(OLD) for name in losses}
    return old, {name: by_query(OLD - loss) for name, loss in losses.items()}


def test_each_metric_has_its_margin():
    sides = both(faithfulness=0.04 + OLD / 1e6, helpfulness=0.04 - OLD / 1e6)
    margin = {"faithfulness": 0.05, "helpfulness": 0.02}
    gate = gate_model(*sides, margin=margin, queries="fixed")
    assert [line[:22] for line in gate.lines] == [
        "pass: faithfulness -0.",
        "fail: helpfulness -0.0",
    ]
    assert [line.rpartition(" ")[2] for line in gate.lines] == ["0.05", "0.02"]
    assert gate.comparison.settings["margins"] == margin
    assert [row["margin"] for row in gate.to_dict()["rows"]] == [0.05, 0.02]
    assert "| 0.02 | 12 | 12 | fail |" in gate.to_markdown()
    assert "0.05" in gate.comparison.to_html()
    alone = [
        gate_model(*sides, margin=value, metrics=name).comparison.rows()[0]
        for name, value in margin.items()
    ]
    together = gate_model(*sides, margin=margin).comparison.rows()
    for one, row in zip(alone, together, strict=True):
        assert (one.low, one.high, one.verdict) == (row.low, row.high, row.verdict)


def test_a_margin_may_name_another_spelling():
    values = per_query_scores(np.eye(6), np.eye(6), metrics=["AP", "ndcg_cut_10"])
    gate = gate_model(values, values, margin={"AP": 0.1, "ndcg@10": 0}, queries="fixed")
    assert [line.rpartition(" ")[2] for line in gate.lines] == ["0.1", "0"]


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ({"margin": {"m": 0.1}}, "`margin` is needed: n has none"),
        ({"margin": {"m": 0.1, "n": 1, "x": 1}}, "`margin` got 'x'"),
        ({"margin": {"m": -1, "n": 0}}, r"`margin\['m'\]` must be a finite number >= 0"),
        ({"margin": 0, "floor": {"x": 1}}, "`floor` got 'x'"),
        ({"margin": 0, "floor": {"m": "1"}}, r"`floor\['m'\]` must be a finite number"),
        (
            {"margin": 0, "floor": 85, "value_range": (0, 1)},
            "no mean can be 85.*0.85 for 85",
        ),
        ({"margin": 0, "value_range": {"m": (0, 0)}}, "lowest and the highest value"),
        (
            {"margin": 0, "value_range": {"m": (0, 0.5)}},
            r"outside `value_range` \(0, 0.5\)",
        ),
        ({"margin": 0, "lower_is_better": 5}, "must be names of metrics, or a dict"),
        (
            {"margin": 0, "lower_is_better": {"m": 1}},
            r"lower_is_better\['m'\]` must be a bo",
        ),
        ({"margin": 0, "lower_is_better": ["x"]}, "`lower_is_better` got 'x'"),
    ],
)
def test_rules_that_are_wrong(rules, text):
    with pytest.raises((ValueError, TypeError), match=text):
        gate_model(*both(m=0, n=0), queries="fixed", **rules)


@pytest.mark.parametrize(
    ("floor", "fixed", "sample"),
    [(0.2, "pass", "pass"), (0.43, "pass", "undecided"), (0.44, "fail", "undecided")],
)
@pytest.mark.parametrize("lower", [False, True])
def test_the_mean_has_to_reach_a_floor(floor, fixed, sample, lower):
    """The mean is .4333, its interval about .27 to .61."""
    sign = -1 if lower else 1
    values = by_query(OLD * sign)
    rules = {"margin": 0.5, "floor": floor * sign}
    rules |= {"lower_is_better": "score"} if lower else {}
    gate = gate_model(values, values, queries="fixed", **rules)
    (row,) = gate.to_dict()["floors"]
    assert (row["verdict"], gate.verdict) == (fixed, fixed)
    assert row["mean"] == pytest.approx(sign * OLD.mean())
    assert f"mean {sign * 0.4333}, exact on these 12 queries, floor" in gate.lines[1]
    assert f"| floor {floor * sign} | 12 |  | {fixed} |" in gate.to_markdown()
    gate = gate_model(values, values, **rules)
    assert gate.lines[1].startswith(f"{sample}: score")
    interval = confidence_interval(OLD * sign)
    assert gate.floors[0]["interval"] == [interval.low, interval.high]


def test_a_floor_that_is_missed_by_the_interval_fails():
    values = by_query(OLD)
    assert gate_model(values, values, margin=0.5, floor=0.8).verdict == "fail"


def test_a_range_makes_an_interval_exact():
    changed = OLD.copy()
    changed[0] += 0.1
    sides = {"faithfulness": by_query(OLD)}, {"faithfulness": by_query(changed)}
    gate = gate_model(*sides, margin=0.05)
    assert gate.comparison.rows()[0].interval == "t"
    assert gate.notes[0] == (
        "faithfulness: 1 of 12 queries differ; with `value_range`, its lowest and highest "
        "value, the interval is exact."
    )
    for value_range in ((0, 1), {"faithfulness": (0, 1)}):
        row = gate_model(*sides, margin=0.05, value_range=value_range).comparison.rows()[0]
        assert row.interval == "exact"
        assert row.low < -0.2


def test_low_is_better_where_it_is_said():
    sides = both(latency=-0.2, quality=0)
    rules = {"margin": 0.1, "queries": "fixed"}
    with pytest.raises(
        ValueError,
        match="lower is often better for 'latency': give its direction, "
        r"lower_is_better=\{'latency': True\}, or False\.",
    ):
        gate_model(*sides, **rules)
    assert gate_model(*sides, metrics="quality", **rules).passes
    gate = gate_model(*sides, lower_is_better="latency", **rules)
    assert gate.lines[0].startswith("fail: latency (lower is better) +0.2000")
    (worst,) = gate.worst(1)
    assert (worst["metric"], worst["loss"]) == ("latency", pytest.approx(0.2))
    assert worst["difference"] == worst["loss"]
    assert gate_model(*sides, lower_is_better={"latency": False}, **rules).passes


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        *((name, True) for name in ("latency_p95", "totalCost", "errors", "eval.time")),
        *((name, False) for name in ("lifetime", "timeliness", "costly", "faithfulness")),
    ],
)
def test_which_names_ask_for_a_direction(name, asks):
    if not asks:
        assert gate_model(*both(**{name: 0}), margin=0, queries="fixed").passes
        return
    with pytest.raises(ValueError, match="give its direction"):
        gate_model(*both(**{name: 0}), margin=0, queries="fixed")


def test_a_metric_of_this_package_has_its_direction():
    sides = both(mean_rank=-0.2)
    assert gate_model(*sides, margin=0.1, queries="fixed").verdict == "fail"
    with pytest.raises(ValueError, match="but lower is"):
        gate_model(*sides, margin=0.1, lower_is_better={"mean_rank": False})


def test_tables_in_parts_have_one_margin():
    table = pd.DataFrame({"group": range(50), "mrr": np.linspace(0, 1, 50)})

    def streams():
        return [iter([table[:30], table[30:]]) for _ in range(2)]

    gate = gate_model(*streams(), margin=0.01, queries="fixed", floor=0.4)
    assert [row["verdict"] for row in gate.floors] == ["pass"]
    assert gate.worst() == []
    with pytest.raises(ValueError, match="have one `margin`"):
        gate_model(*streams(), margin={"mrr": 0.1})


def test_by_metric_and_by_query_are_told_apart():
    by_metric = {"faithfulness": by_query(OLD), "mrr": by_query(OLD)}
    as_queries = {
        query: {"faithfulness": value, "mrr": value}
        for query, value in by_query(OLD).items()
    }
    for values in (by_metric, as_queries):
        read = read_values(values)
        assert read.groups.tolist() == QUERIES
        assert read["mrr"].tolist() == read["faithfulness"].tolist() == OLD.tolist()
    by_metric["mrr"] = by_query(OLD) | {"more": 1}
    with pytest.raises(ValueError, match="no value of 'faithfulness' for query 'more'"):
        read_values(by_metric)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (by_query(OLD), QUERIES),
        (pd.Series(OLD, index=QUERIES, name="score"), QUERIES),
        (pd.Series(OLD), [str(n) for n in range(12)]),
        (pd.DataFrame({"score": OLD}, index=QUERIES), QUERIES),
        (pd.DataFrame({"query": QUERIES, "score": OLD}), QUERIES),
    ],
)
def test_forms_of_values(values, labels):
    read = read_values(values)
    assert read.groups.tolist() == labels
    assert read["score"].tolist() == OLD.tolist()


def test_values_of_a_metric_have_its_range():
    read = read_values(pd.Series(OLD, index=QUERIES, name="ndcg@10"))
    assert read._range_of("ndcg@10").high == 1
    with pytest.raises(TypeError, match="`values` must be a result of per_query_scores"):
        read_values(OLD)


def test_no_change_is_described_without_queries_of_both():
    old, new = read_values({"a": 0.1}), read_values({"b": 0.2})
    assert describe_change(old, new, dict.fromkeys(old.scores, "score")) == []
    assert describe_changes(["a", "b"], ["b", "a"]) == ""
    assert describe_changes(["a"], ["a", "b"]) == "0 gone, 1 new (such as ['b'])"


def test_rules_of_one_metric_have_its_range_only():
    ranges = {"m": (0, 1), "n": (0, 5)}
    rules = GateRules.read(0.1, 0.2, ranges).take_metric("m", 0.3)
    assert (rules.margin, rules.floor, [*rules.ranges]) == (0.3, None, ["m"])
