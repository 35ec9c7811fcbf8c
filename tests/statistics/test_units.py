"""Values and margins in percent beside shares, and Series with several values a label."""

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models, confidence_interval, gate_model

RNG = np.random.default_rng(0)
OLD = RNG.beta(4, 2, 40)
NEW = np.clip(OLD - 0.1 + RNG.normal(0, 0.05, 40), 0, 1)
LABELS = [f"q{n}" for n in range(40)]


def test_a_margin_in_percent():
    with pytest.warns(MisleadingScoreWarning, match="such as 0.01 for 1 percent"):
        gate_model(OLD, NEW, margin=1)
    grades = RNG.integers(0, 2, (20, 5))
    grades[:, 0] = 1
    models = {
        name: per_query_scores(grades, RNG.random((20, 5)), metrics="ndcg") for name in "ab"
    }
    with pytest.raises(ValueError, match="'ndcg' is from 0 to 1, so that no difference"):
        compare_models(models, margin=5)
    compare_models({"old": 5 * OLD, "new": 5 * NEW}, margin=1)  # stars


def test_several_values_of_one_query():
    seeds = pd.concat([pd.Series(OLD, index=LABELS)] * 5)
    with pytest.warns(MisleadingScoreWarning, match="200 values of 40 queries"):
        confidence_interval(seeds)
    by_query = confidence_interval(seeds, clusters=seeds.index)
    assert by_query.low < confidence_interval(seeds.groupby(level=0).mean()).high
    with pytest.warns(MisleadingScoreWarning, match=r"clusters=scores\['b'\].index"):
        compare_models({"a": OLD.repeat(5), "b": seeds})


def test_parts_that_number_their_rows_anew_are_silent():
    parts = pd.concat([pd.Series(OLD), pd.Series(NEW)])
    assert confidence_interval(parts).n_queries == 80
