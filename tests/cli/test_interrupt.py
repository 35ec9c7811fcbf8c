"""Ctrl-C in the middle of a search, in a process of its own."""

import signal
import subprocess
import sys

import pytest

from sklearn_rank.datasets import make_interactions


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_in_the_middle_of_a_search(tmp_path, jobs):
    log = make_interactions(300, 200, 6000, random_state=0, as_frame=True)
    log.to_csv(tmp_path / "log.csv", index=False)
    folder = tmp_path / "results"
    options = ["--folds", "20", "--jobs", jobs, "--output", str(folder)]
    command = [sys.executable, "-m", "sklearn_rank", "tune", str(tmp_path / "log.csv")]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert first.startswith("Tuning by ndcg@10: "), first + err
    assert process.returncode == 130
    assert err.splitlines()[-1] == "sklearn-rank: interrupted; no file is half written."
    assert "Traceback" not in err
    assert "Candidates" not in out
    assert not folder.exists()
