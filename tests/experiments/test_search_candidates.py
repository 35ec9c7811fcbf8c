"""What a search over folds found: the best candidates."""

from types import SimpleNamespace

import pytest

from sklearn_rank.experiments import _search_candidates
from sklearn_rank.experiments._run_candidates import CandidateRun
from sklearn_rank.experiments._search_candidates import SearchResult


def make_search(scores, models, choose="best"):
    """Return a search with the scores of candidates on folds; costs fall by candidate."""
    candidates = [
        SimpleNamespace(space=SimpleNamespace(name=model, cost=-index))
        for index, model in enumerate(models)
    ]
    found = [
        {fold: SimpleNamespace(scores={"ndcg": one}) for fold, one in enumerate(of_folds)}
        for of_folds in scores
    ]
    return SearchResult(candidates, CandidateRun(found), ["ndcg"], 2, choose)


@pytest.mark.parametrize("n_candidates", [10, 1_000])
def test_ranks_are_computed_as_often_for_many_candidates(monkeypatch, n_candidates):
    n_ranked = []
    rank = _search_candidates._rank
    monkeypatch.setattr(
        _search_candidates, "_rank", lambda means: n_ranked.append(1) or rank(means)
    )
    scores = [[0.5, 0.5 + 1e-6 * place] for place in range(n_candidates)]
    search = make_search(scores, ["ease", "slim"] * (n_candidates // 2), "one-se")
    assert search.second_index == n_candidates - 2
    assert search.best_index == n_candidates - 1
    assert len(n_ranked) <= 5


def test_the_best_of_another_model():
    scores = [[0.1, 0.2], [0.3, 0.5], [0.3, 0.4], [0.2, 0.1], [0.9]]
    search = make_search(scores, ["a", "a", "a", "b", "c"])
    assert search.first_index == search.best_index == 1
    assert search.second_index == 3  # the candidate of c did not finish
    assert make_search(scores[:3], ["a"] * 3).second_index is None
