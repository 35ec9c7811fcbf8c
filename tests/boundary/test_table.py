import pytest

from tests.boundary.table import CASES, outcome_of


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.number} {case.code}")
def test_naive_calls_have_the_outcome_of_the_table(case):
    assert outcome_of(case) == case.outcome
