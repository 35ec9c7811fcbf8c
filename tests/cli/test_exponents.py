"""An exponent beyond 32 bits ends the process in pandas before 3: here it is a bad cell."""

import subprocess
import sys

import pytest

LONG = "1e2147483648"
LOG = f"user,item,time\n1,2,{LONG}\n1,3,5\n2,2,6\n"
FILES = {
    "u.data": f"1\t2\t3\t4\n1\t2\t{LONG}\t4\n",
    "log.csv": LOG,
    "values.csv": f"query,ndcg@10\n1,{LONG}\n2,0.5\n",
    "lists.csv": f"user,item,rank\n1,2,{LONG}\n1,3,2\n",
    "truth.csv": "user,item\n1,2\n",
}
GATE = "'gate', '--baseline', 'values.csv', '--candidate', 'values.csv', '--margin', '1'"
CALLS = {
    "read_log": "from sklearn_rank.datasets import read_log; read_log('u.data')",
    "split": "main(['split', 'log.csv', '--output', 'out'])",
    "gate": f"main([{GATE}])",
    "evaluate": "main(['evaluate', 'lists.csv', 'truth.csv'])",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_long_exponent_is_a_bad_cell(tmp_path, call):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    script = f"from sklearn_rank._cli import main\n{call}"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1)  # Python's own for an error, no signal
    assert "line 2" in done.stderr or "The log has 2 rows" in done.stderr
