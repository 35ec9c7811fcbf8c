"""The benchmark of large logs in miniature."""

import pytest

from tests.benchmarks.large_log import measure_all


@pytest.mark.slow
def test_what_a_model_costs(tmp_path):
    found = measure_all(2_000, 100, 200, ["log", "item neighbors"], tmp_path)
    assert found["item neighbors"]["fit"] > found["log"]["fit"] == 0
    assert found["log"]["megabytes"] > 10
    assert not list(tmp_path.iterdir())
