"""The verdict on a candidate: its rules, its lines, and where they can be shown."""

import copy

import numpy as np
import pytest

from sklearn_rank.metrics import PerQueryScores, per_query_scores
from sklearn_rank.statistics import ModelGate, compare_models, gate_model
from sklearn_rank.statistics._baseline import describe_change

NAN = float("nan")
OLD = np.array([0.3, 0.6, 0.1, 0.8, 0.4, 0.2, 0.5, 0.7, 0.2, 0.4, 0.1, 0.9])


def values(**scores):
    n_queries = len(next(iter(scores.values())))
    return PerQueryScores([f"q{q}" for q in range(n_queries)], scores)


def test_the_rows_are_those_of_a_comparison():
    new = OLD + np.linspace(-0.05, 0.08, 12)
    gate = gate_model(OLD, new, margin=0.02, confidence_level=0.9)
    row = compare_models(
        {"old": OLD, "new": new}, baseline="old", margin=0.02, confidence_level=0.9
    ).row("new")
    found = gate.comparison.row("candidate")
    assert (found.low, found.high) == (row.low, row.high)
    assert (gate.verdict, gate.passes) == ("pass", True)
    assert gate.lines == [
        f"pass: score {row.difference:+.4f}, 90% interval [{row.low:+.4f}, "
        f"{row.high:+.4f}], margin 0.02, a sample of 12 queries, 12 differ"
    ]
    assert " ".join(str(gate).split()) == gate.lines[0]


def test_one_fixed_query_is_exact_and_a_sample_of_one_is_none():
    one, worse = values(mrr=[1.0]), values(mrr=[0.5])
    gate = gate_model(one, worse, margin=0.1, queries="fixed")
    assert gate.lines == ["fail: mrr -0.5000, exact on this query, 1 differs, margin 0.1"]
    gate = gate_model(one, one, margin=0.1, queries="fixed", floor={"mrr": 0.9})
    assert gate.lines == [
        "pass: mrr: identical on this query, margin 0.1",
        "pass: mrr: mean 1.0000, exact on this query, floor 0.9",
    ]
    assert "fewest" not in gate.comparison.settings
    with pytest.raises(ValueError, match="'mrr' for 1 query; a comparison needs two"):
        gate_model(one, worse, margin=0.1)
    with pytest.raises(ValueError, match="'mrr' for 1 query; a comparison needs two"):
        gate_model([one, worse], [one, one], margin=0.1, queries="fixed")


def test_clusters_are_the_unit():
    rng = np.random.default_rng(0)
    new = OLD + rng.normal(0, 0.1, 12)
    clusters = np.repeat(range(3), 4)
    with pytest.warns(UserWarning, match="3 clusters"):
        gate = gate_model(OLD, new, margin=0.1, clusters=clusters)
    assert gate.comparison.row("candidate").n_clusters == 3


@pytest.mark.parametrize("margin", [0, 0.001])
def test_equal_values_pass_if_queries_are_fixed(margin):
    fixed = {"margin": margin, "queries": "fixed"}
    assert gate_model(OLD, OLD.copy(), **fixed).passes
    assert gate_model(OLD, OLD + 1e-17, **fixed).passes  # rounding
    assert gate_model(OLD, OLD.copy(), margin=margin).verdict == "undecided"
    one, other = ({"m": OLD, "n": np.where(OLD < 0.2, NAN, OLD)} for _ in range(2))
    gate = gate_model(values(**one), values(**other), **fixed)
    assert gate.passes
    shown = f"identical on all {{}} queries, margin {margin}"
    assert gate.lines == [
        f"pass: {m}: {shown.format(n)}" for m, n in (("m", 12), ("n", 10))
    ]
    assert gate.notes == ["2 queries left out of n, which is undefined there."]


def test_values_are_not_equal_if_one_is_undefined():
    lacks = OLD.copy()
    lacks[0] = NAN
    with pytest.warns(UserWarning, match="undefined for different queries"):
        assert gate_model(OLD, lacks, margin=0.001).verdict == "undecided"


def test_fixed_queries_decide_by_their_mean():
    """A mean difference equal to the margin passes, and no verdict is undecided."""
    for loss, verdict in ((0.05, "pass"), (0.0501, "fail"), (-0.4, "pass")):
        gate = gate_model(OLD, OLD - loss, margin=0.05, queries="fixed")
        assert gate.verdict == verdict
        row = gate.comparison.rows()[0]
        assert gate.lines[0].startswith(f"{verdict}: score {-loss:+.4f}, exact on these 12")
        assert gate.to_dict()["rows"][0]["low"] == gate.to_dict()["rows"][0]["high"]
        assert gate.to_dict()["rows"][0]["interval"] == "exact"
        assert row.difference == pytest.approx(-loss)
    same = gate_model(OLD, OLD, margin=0, queries="fixed").to_dict()["rows"][0]
    assert (same["low"], same["high"], same["interval"]) == (0, 0, "identical")


def test_a_sample_of_equal_values_says_how_many_are_needed():
    """183 queries without a difference rule out a loss of 0.02: 0.98 ** 183 < 0.025."""
    values_of = {"mrr": np.linspace(0, 1, 40)}
    one = per_query_scores(np.eye(40), np.eye(40), metrics="mrr")
    gate = gate_model(one, one, margin=0.02)
    assert gate.lines == [
        "undecided: mrr: identical on all 40 queries; 183 such queries could rule out a "
        "loss of 0.02. For these alone, choose fixed queries"
    ]
    assert 0.98**183 < 0.025 < 0.98**182
    (line,) = gate_model(one, one, margin=0.1).lines  # 1 - 0.025 ** (1 / 40) = 0.0881
    ends = "[-0.0881, +0.0881]"
    assert (
        line == f"pass: mrr: identical on all 40 queries, 95% interval {ends}, margin 0.1"
    )
    assert (
        "they rule out no loss"
        in gate_model(*[values(**values_of)] * 2, margin=0.02).lines[0]
    )


@pytest.mark.parametrize(("loss", "n"), [(0, 0), (4e-13, 0), (-0.1, 0), (1e-6, 2)])
def test_a_value_falls_by_more_than_the_rounding_of_a_file(loss, n):
    old, new = (values(m=np.array([0.06, 3000]) - less) for less in (0, loss))
    assert f"; {n} of 2 fell." in describe_change(old, new, {"m": "m"})[0]


def test_too_few_queries_say_about_how_many_could_decide():
    one = per_query_scores(np.eye(20), np.eye(20), metrics="mrr")
    shown = np.eye(20)
    shown[0] = 1 - shown[0]
    gate = gate_model(one, per_query_scores(np.eye(20), shown, metrics="mrr"), margin=0.1)
    row = gate.comparison.rows()[0]
    n = np.ceil(20 * ((row.high - row.low) / 2 / (0.1 + row.difference)) ** 2)
    assert gate.notes[1] == (
        f"mrr: 20 queries cannot tell; about {n:,.0f} queries of this kind could."
    )


def test_equal_values_of_one_metric_decide_nothing():
    metric = "hit_rate@1"
    one = PerQueryScores(range(12), {metric: OLD > 0.3, "mrr": OLD})
    other = PerQueryScores(range(12), {metric: OLD > 0.3, "mrr": OLD * 1.2})
    gate = gate_model(one, other, margin=0.01)
    assert [line.partition(":")[0] for line in gate.lines] == ["undecided", "pass"]
    assert not gate_model(one, other, margin=0.01, metrics=metric).passes


@pytest.mark.parametrize(
    ("metrics", "verdict"),
    [
        (["up"], "pass"),
        (["up", "noisy"], "undecided"),
        (["down", "noisy", "up"], "fail"),
        (None, "fail"),
    ],
)
def test_every_metric_has_to_pass(metrics, verdict):
    noise = np.tile([0.3, -0.3], 6)
    new = {"up": OLD + noise / 9 + 1, "noisy": OLD + noise, "down": OLD + noise / 9 - 1}
    gate = gate_model(
        values(**dict.fromkeys(new, OLD)), values(**new), margin=0.01, metrics=metrics
    )
    assert gate.verdict == verdict
    assert gate.passes == (verdict == "pass")


def test_lower_is_better_where_it_is():
    y_true, noise = np.eye(12), np.random.default_rng(0).uniform(size=(12, 12))
    old, new = y_true + noise, noise - 0.6 * y_true
    one, other = (per_query_scores(y_true, y, metrics="mean_rank") for y in (old, new))
    gate = gate_model(one, other, margin=0.5)
    assert gate.verdict == "fail"
    assert gate.lines[0].startswith("fail: mean_rank (lower is better) +")
    assert gate_model(other, one, margin=0).passes


def test_few_queries_that_differ_are_explained():
    one = per_query_scores(np.eye(20), np.eye(20), metrics="mrr")
    shown = np.eye(20)
    shown[0] = 1 - shown[0]
    other = per_query_scores(np.eye(20), shown, metrics="mrr")
    gate = gate_model(one, other, margin=0.1)
    assert gate.verdict == "undecided"
    assert gate.notes[0].startswith("mrr: 1 of 20 queries differ; a loss of up to 0.")
    assert f"Note: {gate.notes[0]}" in gate.to_markdown()


def test_the_values_of_a_stream_are_not_known():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"group": range(50), "mrr": np.linspace(0, 1, 50)})
    streams = [iter([table[:30], table[30:]]) for _ in range(2)]
    gate = gate_model(*streams, margin=0.01)
    assert gate.verdict == "undecided"
    assert "0 of 50 queries differ" in gate.notes[0]
    assert gate.lines[0].startswith("undecided: mrr +0.0000, 95% interval")


def test_markdown():
    gate = gate_model(values(a_b=OLD), values(a_b=OLD - 0.3 * OLD), margin=0.01)
    heading, _, titles, _, row, *_ = gate.to_markdown().split("\n")
    assert heading == "### fail: candidate against baseline"
    assert titles.count("|") == row.count("|") == 10
    assert row.startswith(r"| a\_b | 0.4333 | 0.3033 | -0.1300 | [-0.")
    assert row.endswith("| 0.01 | 12 | 12 | fail |")


def test_annotations():
    gate = gate_model(values(m=OLD), values(m=OLD - 0.5 * OLD), margin=0.01)
    (text,) = gate.annotations()
    assert text.startswith("::error title=gate::fail: m -0.2167, 95%25")
    (text,) = gate.annotations("a,b:c%.py", 3)
    assert text.startswith("::error file=a%2Cb%3Ac%25.py,line=3,title=gate::fail: m -")
    same = gate_model(values(m=OLD), values(m=OLD), margin=0, queries="fixed")
    assert same.annotations()[0].startswith("::notice title=gate::pass: ")
    noise = np.tile([0.1, -0.1], 6)
    unclear = gate_model(values(m=OLD), values(m=OLD + noise), margin=0)
    assert unclear.annotations()[0].startswith("::warning title=gate::undecided: ")


def test_a_name_cannot_begin_another_command():
    gate = gate_model(
        values(**{"m\n::notice::x": OLD}), values(**{"m\n::notice::x": OLD}), margin=0
    )
    assert "\n" not in gate.lines[0] + gate.annotations()[0]
    assert gate.to_markdown().split("\n")[4].startswith("| m")


def test_frame_and_dict():
    pytest.importorskip("pandas")
    gate = gate_model(OLD, OLD / 2, margin=0.01)
    assert gate.to_frame().loc[0, ["metric", "verdict"]].tolist() == ["score", "fail"]
    found = gate.to_dict()
    assert (found["verdict"], found["rows"][0]["n_queries"]) == ("fail", 12)
    assert found["settings"]["margin"] == 0.01
    assert "fail: score" in gate._repr_html_()
    assert repr(gate) == "ModelGate('fail', metrics=['score'])"
    assert copy.deepcopy(gate).lines == gate.lines


def test_a_gate_is_neither_true_nor_false():
    with pytest.raises(TypeError, match=r"use gate\.passes"):
        assert gate_model(OLD, OLD / 2, margin=0.01)


@pytest.mark.parametrize("margin", [None, -0.1, NAN, "0.1"])
def test_a_margin_is_a_number_from_0(margin):
    with pytest.raises((TypeError, ValueError), match="`margin` must be a finite number"):
        gate_model(OLD, OLD, margin=margin)


def test_a_gate_is_of_a_comparison_with_a_margin():
    comparison = compare_models({"old": OLD, "new": OLD / 2}, baseline="old")
    with pytest.raises(TypeError, match="`margin` must be a finite number >= 0 in the"):
        ModelGate(comparison)
    with pytest.raises(TypeError, match="`comparison` must be a ModelComparison"):
        ModelGate(OLD)


def test_other_queries():
    with pytest.raises(ValueError, match="different queries"):
        gate_model({"a": 0.1, "b": 0.2}, {"a": 0.1, "c": 0.2}, margin=0)


@pytest.mark.parametrize(
    ("low", "high", "lower_is_better", "expected"),
    [
        (-0.01, 0.2, False, "pass"),
        (0.02, 0.2, False, "pass"),
        (-0.02, 0.2, False, "undecided"),
        (-0.2, -0.01, False, "undecided"),
        (-0.2, -0.02, False, "fail"),
        (-0.2, 0.01, True, "pass"),
        (-0.2, 0.02, True, "undecided"),
        (0.02, 0.2, True, "fail"),
        (NAN, NAN, False, "undecided"),
    ],
)
def test_verdict_by_the_interval(low, high, lower_is_better, expected):
    lower = ["score"] if lower_is_better else []
    made = compare_models({"old": OLD, "new": OLD / 2}, baseline="old", margin=0.01)
    row = {**made.rows()[0], "low": low, "high": high}
    comparison = type(made)([row], lower_is_better=lower, settings=made.settings)
    gate = ModelGate(comparison)
    assert gate.verdict == expected
    assert ("(lower is better)" in gate.lines[0]) == lower_is_better


def test_more_queries_are_not_advised_where_repeats_vary():
    rng = np.random.default_rng(0)
    old, new = rng.normal(0.5, 0.2, (2, 60, 3))
    gate = gate_model(old, new, margin=0.001)
    assert gate.verdict == "undecided"
    assert len(gate.notes) == 1
    assert "3 and 3 repeats; SD between queries" in gate.notes[0]
    assert "queries of this kind could" not in str(gate)


def test_the_floor_of_a_candidate_that_was_run_once():
    rng = np.random.default_rng(0)
    old = OLD[:, None] + rng.normal(0, 0.1, (12, 3))
    gate = gate_model(old, OLD, margin=0.4, floor=0.3, queries="fixed")
    assert gate.lines[1] == (
        "pass: score: mean 0.4333, exact on these 12 queries, floor 0.3"
    )
    assert gate.notes == [
        "score: candidate was run once; it is taken to vary as the other one."
    ]


def test_equal_values_rule_out_no_loss_of_nothing():
    one = values(mrr=np.linspace(0, 1, 40))
    (line,) = gate_model(one, one, margin=0).lines
    assert "they rule out no loss" in line
