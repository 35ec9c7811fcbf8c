"""How often a gate lets a loss through, against what its level promises."""

from collections import Counter

import numpy as np
import pytest

from sklearn_rank._cli._gate_command import Verdict, combine_verdicts
from sklearn_rank._cli.reading._judged_runs import ComparedRuns
from sklearn_rank.statistics import compare_models
from tests.benchmarks.error_rates import is_nominal

MARGIN = 0.05


@pytest.mark.parametrize("repeats", [400, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_loss_of_the_margin_seldom_passes_or_fails(repeats):
    rng = np.random.default_rng(0)
    verdicts, not_significant = Counter(), 0
    for _ in range(repeats):
        old = rng.uniform(size=60)
        new = old - MARGIN + rng.normal(0, 0.25, 60)
        found = compare_models({"old": old, "new": new}, baseline="old", margin=MARGIN)
        compared = ComparedRuns(found, [], are_identical=False)
        verdicts[combine_verdicts([Verdict(row, compared) for row in found.rows()])] += 1
        not_significant += found.row("new").p_value > 0.05
    for verdict in ("pass", "fail"):
        assert is_nominal(verdicts[verdict] / repeats, repeats, level=0.025), verdict
    # What a gate lets through that passes whatever is not significant.
    assert not_significant / repeats == pytest.approx(0.66, abs=0.08)
