import pytest

pytest.importorskip("pandas")


def test_what_lists_of_users_cost():
    from tests.benchmarks.user_lists import MODELS, measure

    found = dict(measure(400, 200, [1, 4]))
    assert list(found) == list(MODELS)
    assert all(len(costs) == 3 and min(costs) >= 0 for costs in found.values())
