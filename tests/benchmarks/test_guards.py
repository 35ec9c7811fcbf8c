"""The benchmark of guards leaves them out, and nothing else."""

import warnings

import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import make_ranking_scorer, ndcg_score
from tests.benchmarks.guards import FORMS, forms, shares, without_guards

CALLS = forms(2000)


@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
@pytest.mark.parametrize("form", FORMS)
def test_guards_change_no_value(form):
    guarded = CALLS[form]()
    with without_guards():
        assert CALLS[form]() == guarded


def test_guards_are_left_out():
    alone = [1] * 20, range(20)
    with pytest.warns(MisleadingScoreWarning):
        ndcg_score(*alone, groups=range(20))
    with without_guards(), warnings.catch_warnings():
        warnings.simplefilter("error")
        ndcg_score(*alone, groups=range(20))
        make_ranking_scorer("ndcg@10", k=3)


def test_a_line_of_the_table():
    seconds, share = shares(CALLS["arrays"], 2)
    assert seconds > 0
    assert share > -1
