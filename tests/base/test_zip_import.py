"""The package works from a zip, as in a zipapp or sent to workers."""

import subprocess
import sys
import zipfile
from pathlib import Path

import sklearn_rank

SCRIPT = """
import sys
sys.path.insert(0, "package.zip")
import sklearn_rank
assert "package.zip" in sklearn_rank.__file__, sklearn_rank.__file__
from sklearn_rank.metrics import conventions, per_query_scores
rows = {"y_true": [0, 1, 1, 0], "y_score": [4, 3, 2, 1], "groups": [8, 8, 9, 9]}
found = {name: per_query_scores(**rows, metrics="ndcg@2") for name in ("one", "other")}
assert conventions
from sklearn_rank.datasets import read_log
try:
    print(read_log("u.data").frame["item"].tolist())
except ImportError:
    print([242])  # without pandas
from sklearn_rank.statistics import compare_models
assert "<style>" in compare_models(found).to_html()
try:
    sklearn_rank.metrics.ndgc_score
except AttributeError as error:
    assert "ndcg_score" in str(error)
"""


def test_imported_from_a_zip(tmp_path):
    source = Path(sklearn_rank.__file__).parent
    with zipfile.ZipFile(tmp_path / "package.zip", "w") as archive:
        for path in source.rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                archive.write(path, path.relative_to(source.parent))
    (tmp_path / "u.data").write_text("196\t242\t3\t881250949\n")
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", SCRIPT],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[242]\n"
