"""The hash of a scorer by joblib is that of the call which makes it."""

import copy
import os
import pickle
import subprocess
import sys

import joblib
import pytest
from sklearn.base import clone

from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer
from sklearn_rank.metrics._core._registry import METRICS

MAKERS = {maker.__name__: maker for maker in (make_ranking_scorer, make_recommender_scorer)}
CALLS = [
    "make_ranking_scorer('ndcg@10', groups='query')",
    "make_ranking_scorer(['ndcg', 'err@5'], groups=1, max_grade=4)",
    "make_recommender_scorer('recall@5', user='user', item='item')",
    "make_recommender_scorer(['map', 'mrr'], exclude_seen=False)",
]


def hashes():
    return [joblib.hash(eval(call, MAKERS)) for call in CALLS]


@pytest.mark.parametrize("call", CALLS)
def test_copies_have_the_hash_of_the_call(call):
    scorer = eval(call, MAKERS)
    copies = [eval(call, MAKERS), pickle.loads(pickle.dumps(scorer)), copy.deepcopy(scorer)]
    copies.append(clone(scorer, safe=False))
    assert {joblib.hash(each) for each in copies} == {joblib.hash(scorer)}


def test_a_hash_does_not_depend_on_what_ran_before():
    before = hashes()
    for metric in METRICS.values():  # these keep what they compute
        assert metric.checks.keys() >= metric.parameters.keys() - {"k"}
    assert hashes() == before


def test_different_calls_have_different_hashes():
    assert len(set(hashes())) == len(CALLS)


@pytest.mark.parametrize("seed", ["1", "2"])
def test_another_process_has_the_same_hashes(seed):
    code = "from tests.metrics.scorers.test_hashes import hashes; print(*hashes())"
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == hashes()
