"""Ctrl-C in the middle of a search."""

import sys

import pytest

from sklearn_rank.datasets import make_interactions

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no SIGINT to send"
)


@pytest.mark.parametrize("jobs", [1, 2])
def test_tune(tmp_path, interrupt, jobs):
    log = make_interactions(300, 200, 6000, random_state=0, as_frame=True)
    log.to_csv(tmp_path / "log.csv", index=False)
    interrupt("tune", tmp_path / "log.csv", "--folds", 20, "--jobs", jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_rank(rank_files, interrupt, jobs):
    options = ["--model", "pairwise", "--folds", 20, "--jobs", jobs]
    interrupt("rank", *rank_files.arguments, *options)
