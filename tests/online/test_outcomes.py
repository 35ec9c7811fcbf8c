"""Several outcomes and guardrails: by hand, by simulation, and bad input."""

import json
import math

import numpy as np
import pytest

from sklearn_rank.online import VariantComparison, compare_variants

# The worked examples have six units an arm.
pytestmark = pytest.mark.filterwarnings("ignore:.*freedom, as an arm has [1-8] units")

VARIANT = ["old"] * 6 + ["new"] * 6
LATENCY = [10, 12, 9, 11, 10, 8, 9, 12, 10, 11, 9, 9]
CLICKS = [1, 0, 2, 3, 0, 1, 2, 1, 2, 4, 1, 3]
LOG = {"variant": VARIANT, "clicks": CLICKS, "latency": LATENCY, "sales": CLICKS[::-1]}
LOG |= {"views": [10, 5, 8, 20, 3, 4, 9, 6, 5, 15, 5, 10], "user": list(range(12))}


def compare(outcome="clicks", data=LOG, **options):
    return compare_variants(outcome, "variant", data=data, control="old", **options)


def guarded(data=LOG, **asked):
    return compare(data=data, guardrails={"latency": asked}).row("new", "latency")


@pytest.mark.parametrize(("margin", "p_value"), [(2.5, 0.00460028), (1, 0.113050)])
def test_not_worse_by_a_margin(margin, p_value):
    row = guarded(margin=margin)
    assert row.p_value == pytest.approx(p_value, rel=1e-5)
    assert row.p_adjusted == row.p_value
    assert (row.difference, row.df) == (0, pytest.approx(9.878049))
    assert (row.low, row.high) == (pytest.approx(-1.728801), pytest.approx(1.728801))
    assert row.verdict == ("pass" if margin > row.high else "undecided")


def test_a_relative_margin():
    row = guarded(margin=0.2, relative=True)
    old, new = np.reshape(LATENCY, (2, 6))
    error = math.sqrt(new.var(ddof=1) / 6 + 0.64 * old.var(ddof=1) / 6)
    assert error == pytest.approx(0.692820, abs=5e-7)
    assert row.statistic == pytest.approx(2 / error)
    assert row.p_value == pytest.approx(0.00819583, rel=1e-5)
    assert row.verdict == "pass"


@pytest.mark.parametrize("relative", [True, False])
def test_lower_is_better_mirrors(relative):
    margin = 0.2 if relative else 1.5
    up = guarded(margin=margin, relative=relative)
    mirrored = LOG | {"latency": [20 - one for one in LATENCY]}
    down = guarded(mirrored, margin=margin, relative=relative, lower_is_better=True)
    assert down.difference == -up.difference
    if not relative:
        assert (down.p_value, down.verdict) == (up.p_value, up.verdict)
    higher = LOG | {"latency": [one + (5 if i > 5 else 0) for i, one in enumerate(LATENCY)]}
    asked = {"margin": margin, "relative": relative}
    assert guarded(higher, **asked).verdict == "pass"
    assert guarded(higher, lower_is_better=True, **asked).verdict == "fail"


def test_the_verdict_is_that_of_the_interval():
    for margin in np.linspace(0, 3, 61):
        row = guarded(margin=margin)
        assert (row.verdict == "pass") == (row.low > -margin) == (row.p_value < 0.025)


def test_guardrails_at_any_time_are_two_sided():
    rng = np.random.default_rng(3)
    data = {"variant": np.repeat(["old", "new"], 300), "latency": rng.normal(size=600)}
    data["clicks"] = rng.normal(size=600)
    for margin in np.linspace(0, 1, 21):
        options = {"guardrails": {"latency": {"margin": margin}}}
        row = compare(data=data, anytime_n=600, **options).row("new", "latency")
        assert (row.verdict == "pass") == (row.low > -margin) == (row.p_value < 0.05)
        one_sided = compare(data=data, alternative="greater", **options)
        fixed = compare(data=data, **options).row("new", "latency")
        assert one_sided.row("new", "latency") == fixed


def test_a_guardrail_may_be_a_ratio():
    row = compare("sales", guardrails={"clicks": {"margin": 0.1, "denominator": "views"}})
    alone = compare_variants(CLICKS, VARIANT, control="old", denominator=LOG["views"])
    assert row.row("new", "clicks").standard_error == alone.row("new").standard_error


def test_holm_is_over_primary_outcomes_and_variants():
    rng = np.random.default_rng(0)
    variant = rng.choice(["old", "b", "c"], 600)
    data = {"variant": variant, "x": rng.normal(size=600) + 0.3 * (variant == "b")}
    data |= {"y": rng.normal(size=600), "z": rng.normal(size=600)}
    found = compare(["x", "y"], data, guardrails={"z": {"margin": 0.1}})
    p_values = {(row.outcome, row.variant): row.p_value for row in found.rows()}
    primary = sorted(value for (name, _), value in p_values.items() if name != "z")
    for row in found.rows():
        if row.role == "guardrail":
            assert row.p_adjusted == row.p_value
        else:
            place = primary.index(row.p_value)
            steps = [(4 - i) * p for i, p in enumerate(primary[: place + 1])]
            assert row.p_adjusted == pytest.approx(min(1, max(steps)))
    assert "Holm over 4" in " ".join(str(found).split())


def row_with(verdict, role="primary", outcome="x"):
    numbers = dict.fromkeys(VariantComparison._numbers, 0.0)
    names = {"outcome": outcome, "role": role, "variant": "b", "control": "a"}
    rest = {"verdict": verdict, "relative": False, "lower_is_better": False}
    return names | numbers | rest


@pytest.mark.parametrize(
    ("primary", "guardrails", "decision"),
    [
        (["better"], [], "ship"),
        (["better", "undecided"], ["pass", "pass"], "ship"),
        (["better"], ["undecided"], "undecided"),
        (["better"], ["pass", "fail"], "stop"),
        (["better", "worse"], ["pass"], "stop"),
        (["undecided"], ["pass"], "undecided"),
        (["undecided"], ["fail"], "stop"),
    ],
)
def test_decisions(primary, guardrails, decision):
    rows = [row_with(verdict, outcome=str(i)) for i, verdict in enumerate(primary)]
    rows += [
        row_with(verdict, "guardrail", f"g{i}") for i, verdict in enumerate(guardrails)
    ]
    assert VariantComparison(rows).decisions == {"b": decision}


def test_lower_may_be_better_of_primary_outcomes():
    rng = np.random.default_rng(1)
    data = {"variant": np.repeat(["old", "new"], 100), "x": rng.normal(size=200)}
    data["x"][100:] += 1
    data["y"] = data["x"]
    found = compare({"x": {}, "y": {"lower_is_better": True}}, data)
    assert [row.verdict for row in found.rows()] == ["better", "worse"]
    assert found.decisions == {"new": "stop"}
    assert compare("x", data, lower_is_better=True).row("new").verdict == "worse"
    less = compare("x", data, alternative="less", lower_is_better=True)
    assert less.row("new").verdict == "undecided"


def test_an_error_of_0_decides_nothing():
    data = LOG | {"crashes": [0] * 12}
    with pytest.warns(UserWarning, match="'crashes' of 'new' and 'old' are equal within"):
        found = compare(data=data, guardrails={"crashes": {"margin": 0.1}})
    assert found.row("new", "crashes").verdict == "undecided"


def test_caps_hold_for_all_arms_together_after_summing():
    rng = np.random.default_rng(2)
    sales = rng.lognormal(0, 2, 1_000)
    variant = np.repeat(["old", "new"], 500)
    limit = np.quantile(sales, 0.99)
    for cap in ({"quantile": 0.99}, limit):
        row = compare("s", {"s": sales, "variant": variant}, cap=cap).row("new")
        by_hand = compare_variants(np.minimum(sales, limit), variant, control="old")
        assert row.p_value == by_hand.row("new").p_value
        assert row.n_capped == 10
    halves = {"s": np.repeat(sales / 2, 2), "variant": np.repeat(variant, 2)}
    halves["user"] = np.repeat(np.arange(1_000), 2)
    found = compare("s", halves, unit="user", cap=limit)
    assert found.row("new").value == pytest.approx(row.value)
    assert "Capped: 10 units of s." in str(found)
    both = compare({"s": {"cap": 1}, "t": {}}, halves | {"t": halves["s"]}, unit="user")
    assert both.columns["n_capped"].tolist() == [1_000 - np.sum(sales <= 1), 0]


def test_frames_and_dicts_are_the_same():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(LOG, index=range(5, 17))
    options = {"unit": "user", "denominator": "views"}
    found = compare(**options)
    assert compare(data=frame, **options).rows() == found.rows()
    by_hand = compare_variants(
        CLICKS, VARIANT, control="old", unit=LOG["user"], denominator=LOG["views"]
    )
    row = by_hand.row("new")
    assert found.row("new") == row | {"outcome": "clicks"}


@pytest.mark.parametrize("module", ["polars", "pyarrow"])
def test_frames_of_others(module):
    library = pytest.importorskip(module)
    make = library.DataFrame if module == "polars" else library.table
    assert compare(data=make(LOG), unit="user").rows() == compare(unit="user").rows()


def test_text():
    guardrails = {"latency": {"margin": 0.2, "relative": True, "lower_is_better": True}}
    text = str(compare(["clicks", "sales"], guardrails=guardrails, correction=None))
    assert max(map(len, text.splitlines())) <= 80
    for part in ("2 primary outcomes, 1 guardrail", "6 units of old", "+20%", "new: "):
        assert part in text
    assert "Lower is better: latency." in text
    assert "margin" in text
    assert "margin" not in str(compare(["clicks", "sales"]))


def test_json_and_notebooks():
    found = compare(guardrails={"latency": {"margin": 1}}, correction=None)
    read = json.loads(json.dumps(found.to_dict()))
    assert read["decisions"] == {"new": "undecided"}
    assert [row["verdict"] for row in read["rows"]] == ["undecided", "undecided"]
    assert read["rows"][0]["p_value"] == found.row("new", "clicks").p_value
    assert read["settings"]["correction"] is None
    assert found._repr_html_().count("<tr>") == 3


def test_picture():
    plt = pytest.importorskip("matplotlib.pyplot")
    found = compare(["clicks", "sales"])
    display = found.plot(outcome="sales")
    assert display.ax_.get_xlabel() == "difference of sales to old (95% interval)"
    with pytest.raises(ValueError, match="`outcome` must name one"):
        found.plot()
    plt.close("all")


GUARD = {"latency": {"margin": 1}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outcome": "click"}, "Did you mean 'clicks'"),
        ({"unit": "users"}, "`unit='users'` is not a column of `data`. Did you"),
        ({"outcome": ["clicks", "clicks"]}, "each once"),
        ({"outcome": []}, "must name columns"),
        ({"outcome": {}}, "must name columns"),
        ({"data": {name: [] for name in LOG}}, "one value per row, got shape"),
        ({"outcome": ["clicks", "latency"], "guardrails": GUARD}, "once; got"),
        ({"guardrails": {"latncy": {"margin": 1}}}, "Did you mean 'latency'"),
        ({"guardrails": {"latency": {"margn": 1}}}, "Did you mean 'margin'"),
        ({"guardrails": {"latency": {}}}, "no 'margin'"),
        ({"guardrails": {"latency": {"margin": -1}}}, ">= 0"),
        ({"guardrails": {"latency": {"margin": 2, "relative": True}}}, "two percent"),
        ({"guardrails": {"latency": {"margin": 1, "relative": 1.5}}}, "relative"),
        ({"cap": {"quantil": 0.9}}, "quantile"),
        ({"cap": {"quantile": 99}}, "below 1"),
        ({"cap": 0}, "makes all of 'clicks' 0"),
        ({"cap": 1, "denominator": "views"}, "has a denominator"),
        ({"lower_is_better": "latency"}, "`lower_is_better` got"),
        ({"outcome": {"clicks": {"margin": 1}}}, "`outcome\\['clicks'\\]` got 'margin'"),
        ({"population": "yes"}, "`population`"),
        ({"data": None}, "pass its log"),
        ({"data": None, "outcome": CLICKS, "guardrails": GUARD}, "names of columns"),
    ],
)
def test_bad_values(options, message):
    with pytest.raises(ValueError, match=message):
        compare(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"data": 5}, "`data` must be a frame"),
        ({"unit": LOG["user"]}, "leave out `data`"),
        ({"guardrails": "latency"}, "must be a dict such as"),
        ({"guardrails": {"latency": 0.02}}, "must be a dict such as"),
        ({"cap": "high"}, "`cap` must be a finite number"),
    ],
)
def test_bad_types(options, message):
    with pytest.raises(TypeError, match=message):
        compare(**options)


@pytest.mark.parametrize("value", [-1, 0])
def test_a_relative_margin_needs_a_control_above_0(value):
    with pytest.raises(ValueError, match="'relative': False"):
        guarded(LOG | {"latency": [value] * 12}, margin=0.1, relative=True)


def ship_rate(n_primary, effect, guardrail, n_guardrails, *, runs=4_000, n=100):
    """Return how often is shipped; effects are in errors of a difference."""
    rng = np.random.default_rng(0)
    unit = math.sqrt(2 / n)
    variant = np.repeat(["old", "new"], n)
    margin = {"margin": 5 * unit}
    names = [f"p{i}" for i in range(n_primary)], [f"g{i}" for i in range(n_guardrails)]
    ships = 0
    for _ in range(runs):
        data = {name: rng.normal(size=2 * n) for part in names for name in part}
        for name in names[0]:
            data[name][n:] += effect * unit
        for name in names[1]:
            data[name][n:] += (guardrail - 5) * unit
        guardrails = dict.fromkeys(names[1], margin) or None
        found = compare(names[0], data | {"variant": variant}, guardrails=guardrails)
        ships += found.decisions["new"] == "ship"
    return ships / runs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of", "rate"),
    [((2, 0, 0, 0), 0.024), ((1, 8, 0, 1), 0.025), ((1, 2.83, 2.83, 3), 0.42)],
)
def test_how_often_is_shipped(of, rate):
    assert ship_rate(*of) == pytest.approx(rate, abs=0.01)
