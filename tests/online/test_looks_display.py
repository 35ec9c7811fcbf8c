import sys

import matplotlib
import numpy as np
import pytest

from sklearn_rank.online import VariantLooksDisplay, compare_variants

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

RNG = np.random.default_rng(0)
VARIANT = RNG.choice(list("abc"), 3_000)
OUTCOME = RNG.normal(1, 1, 3_000)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def looks(variants, **options):
    is_here = np.isin(VARIANT, list(variants))
    return [
        compare_variants(
            OUTCOME[:n][is_here[:n]], VARIANT[:n][is_here[:n]], control="a", **options
        )
        for n in (1_000, 2_000, 3_000)
    ]


def test_line_and_band():
    comparisons = looks("ab", anytime_n=2_000)
    display = VariantLooksDisplay.from_comparisons(comparisons, name="any time")
    rows = [found.row("b") for found in comparisons]
    x, y = display.line_.get_data()
    assert x.tolist() == [row.n_units + row.n_units_control for row in rows]
    assert y.tolist() == [row.difference for row in rows]
    ends = display.band_.get_paths()[0].vertices[:, 1]
    assert ends.min() == min(row.low for row in rows)
    assert ends.max() == max(row.high for row in rows)
    last = rows[-1]
    label = f"any time {last.difference:+.3f} [{last.low:+.3f}, {last.high:+.3f}]"
    assert display.ax_.get_legend().get_texts()[0].get_text() == label
    assert display.ax_.get_ylabel() == "difference to a (95% interval)"


def test_two_on_one_axis():
    first = VariantLooksDisplay.from_comparisons(looks("ab", anytime_n=2_000))
    second = VariantLooksDisplay.from_comparisons(
        looks("ab"), ax=first.ax_, line_kw={"color": "red"}, band_kw={"alpha": 0.5}
    )
    assert second.ax_ is first.ax_
    assert second.line_.get_color() == "red"
    assert second.band_.get_alpha() == 0.5
    assert first.ax_.get_legend() is None


def test_several_runs_in_one_call():
    runs = {"any time": looks("ab", anytime_n=2_000), "fixed": looks("ab")}
    found = VariantLooksDisplay.from_comparisons(runs)
    labels = [text.get_text() for text in found.ax_.get_legend().get_texts()]
    assert [label.rpartition(" -")[0] for label in labels] == list(runs) == list(found)


def test_one_of_several_variants():
    comparisons = looks("abc")
    display = VariantLooksDisplay.from_comparisons(comparisons, variant="c")
    assert display.difference[0] == comparisons[0].row("c").difference
    with pytest.raises(ValueError, match="must name one of several"):
        VariantLooksDisplay.from_comparisons(comparisons)


def test_bad_input():
    with pytest.raises(TypeError, match="VariantComparisons"):
        VariantLooksDisplay.from_comparisons([1])
    with pytest.raises(ValueError, match="1 or more"):
        VariantLooksDisplay.from_comparisons([])
    columns = {"n_units": [1, 2], "difference": [0, 0], "low": [0, 0], "high": [1]}
    with pytest.raises(ValueError, match="of one length"):
        VariantLooksDisplay(**columns).plot()
    with pytest.raises(TypeError, match="line_kw"):
        VariantLooksDisplay.from_comparisons(looks("ab"), line_kw="red")


def test_matplotlib_is_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"sklearn-rank\[plot\]"):
        VariantLooksDisplay.from_comparisons([])
