"""The verdict where an interval only just reaches what matters."""

import math

import pytest

from sklearn_rank.statistics._gate_model import verdict_on_loss
from sklearn_rank.statistics._metric_comparison import verdict_of


@pytest.mark.parametrize(
    ("low", "high", "margin", "verdict"),
    [
        (0.1, 0.2, None, "better"),
        (0, 0.2, None, "undecided"),
        (0, 0, None, "undecided"),
        (0.1, 0.1, None, "better"),
        (0.1, 0.1, 0.05, "undecided"),
        (0.1, 0.3, 0.1, "undecided"),
        (0.11, 0.3, 0.1, "better"),
        (-0.1, 0.1, 0.1, "equivalent"),
        (-0.1, 0.11, 0.1, "undecided"),
        (math.nan, 0.1, None, "undecided"),
        (math.nan, -0.1, None, "undecided"),
    ],
)
def test_an_end_on_the_border_decides_nothing(low, high, margin, verdict):
    assert verdict_of(low, high, margin, lower_is_better=False) == verdict
    opposite = {"better": "worse"}.get(verdict, verdict)
    assert verdict_of(-high, -low, margin, lower_is_better=False) == opposite
    assert verdict_of(low, high, margin, lower_is_better=True) == opposite
    assert verdict_of(-high, -low, margin, lower_is_better=True) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.1, 0.2, "pass"),
        (-0.11, 0.2, "undecided"),
        (-0.3, -0.1, "undecided"),
        (-0.3, -0.11, "fail"),
        (-0.8, -0.8, "fail"),
        (-0.1, -0.1, "undecided"),
        (0.8, 0.8, "undecided"),
        (0, 0, "undecided"),
        (math.nan, math.nan, "undecided"),
    ],
)
def test_a_loss_of_the_margin_passes(low, high, verdict):
    assert verdict_on_loss(low, high, 0.1, lower_is_better=False) == verdict
    assert verdict_on_loss(-high, -low, 0.1, lower_is_better=True) == verdict
