"""How often a gate lets a loss through, against what its level promises."""

from collections import Counter

import numpy as np
import pytest

from sklearn_rank.statistics import gate_model
from tests.benchmarks.error_rates import is_nominal

MARGIN = 0.05


@pytest.mark.parametrize("repeats", [400, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_loss_of_the_margin_seldom_passes_or_fails(repeats):
    rng = np.random.default_rng(0)
    verdicts, not_significant = Counter(), 0
    for _ in range(repeats):
        old = rng.uniform(size=60)
        new = old - MARGIN + rng.normal(0, 0.25, 60)
        found = gate_model(old, new, margin=MARGIN)
        verdicts[found.verdict] += 1
        not_significant += found.comparison.row("candidate").p_value > 0.05
    for verdict in ("pass", "fail"):
        assert is_nominal(verdicts[verdict] / repeats, repeats, level=0.025), verdict
    # What a gate lets through that passes whatever is not significant.
    assert not_significant / repeats == pytest.approx(0.66, abs=0.08)
