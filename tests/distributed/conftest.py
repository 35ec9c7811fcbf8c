"""Rows in files, sorted by query and in no order, with integer and string ids."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

from sklearn_rank.distributed import QueryScorer, as_per_query_scores
from sklearn_rank.metrics import per_query_scores

METRICS = ["ndcg@10", "map@5", "recall@3", "err(max_grade=4)@10"]
JAVA = "Spark needs Java 17 or newer: apt-get install default-jre-headless"
COLUMNS = {"groups": "user", "y_true": "grade", "y_score": "score"}


@dataclass
class Rows:
    """The rows of a test, and the values that one call in memory has for them."""

    frame: object  # of pandas
    folder: Path
    is_sorted: bool

    @cached_property
    def path(self):
        """Several Parquet files, which cut queries."""
        path = self.folder / "rows"
        path.mkdir()
        for start in range(0, len(self.frame), 1700):
            part = self.frame.iloc[start : start + 1700]
            part.to_parquet(path / f"{start:06}.parquet", index=False, row_group_size=600)
        return path

    @cached_property
    def values(self):
        return per_query_scores(
            self.frame["grade"],
            self.frame["score"],
            groups=self.frame["user"],
            metrics=METRICS,
        )

    @property
    def scorer(self):
        return QueryScorer(METRICS, **COLUMNS)

    def check(self, values):
        """Raise unless all values of all queries are those of the call in memory."""
        found = as_per_query_scores(values)
        assert found.groups.tolist() == self.values.groups.tolist()
        assert list(found.scores) == METRICS
        for name, expected in self.values.scores.items():
            np.testing.assert_array_equal(found.scores[name], expected)


def make_frame(ids, n_queries=120):
    """Return queries of 1 to 60 rows with ties, lost rows and queries without a hit."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 61, n_queries)
    user = np.repeat(rng.permutation(n_queries), sizes)
    n_rows = len(user)
    score = rng.random(n_rows).round(1)
    return pd.DataFrame(
        {
            "user": user if ids == "integers" else [f"ü{one}" for one in user],
            "grade": rng.integers(0, 5, n_rows) * (rng.random(n_rows) < 0.1),
            "score": np.where(rng.random(n_rows) < 0.02, -np.inf, score),
            "country": np.where(user % 3 == 0, "AT", "DE"),
            "weight": 1.0 + user % 4,
            "item": rng.integers(0, 50, n_rows),
            "propensity": rng.uniform(0.2, 1, n_rows),
        }
    )


@pytest.fixture(scope="module", params=["integers", "strings"])
def ids(request):
    return request.param


@pytest.fixture(scope="module", params=["sorted", "shuffled"])
def rows(request, ids, tmp_path_factory):
    return in_order(make_frame(ids), request.param, tmp_path_factory.mktemp("rows"))


@pytest.fixture
def two_rows(tmp_path_factory):
    """Each of the ids and each of the orders that `rows` has, in two runs and not four.

    For engines that take seconds to shuffle the smallest table.
    """
    return [
        in_order(make_frame(ids), order, tmp_path_factory.mktemp("rows"))
        for ids, order in (("integers", "sorted"), ("strings", "shuffled"))
    ]


def in_order(frame, order, folder):
    is_sorted = order == "sorted"
    if is_sorted:
        frame = frame.sort_values("user", kind="stable", ignore_index=True)
    else:
        frame = frame.sample(frac=1, random_state=0, ignore_index=True)
    return Rows(frame, folder, is_sorted)


@pytest.fixture
def frame():
    return make_frame("integers")


def java_version():
    """Return the number of the Java that Spark would start, 0 where there is none."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None:
        return 0
    told = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    found = re.search(r'version "(\d+)', told)
    return int(found[1]) if found else 0


@pytest.fixture
def spark(tmp_path, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    if java_version() < 17:
        pytest.skip(JAVA)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "500",  # which cuts queries
        "spark.sql.warehouse.dir": str(tmp_path),
        "spark.local.dir": str(tmp_path),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
        # Few rows: compiling well takes longer than running.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.wholeStage": "false",
    }
    builder = sql.SparkSession.builder.master("local[2]").appName("tests")
    session = builder.config(map=settings).getOrCreate()
    yield session
    session.stop()
