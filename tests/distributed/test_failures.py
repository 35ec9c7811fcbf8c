"""What fails while rows are scored: a worker that is killed, an interrupt."""

import os
import signal
from pathlib import Path

import pytest

from sklearn_rank.distributed import QueryScorer, summarize
from tests.distributed.conftest import COLUMNS, METRICS

pytest.importorskip("pyarrow")


class KilledOnce:
    """A scorer whose process is killed when it scores for the first time."""

    def __init__(self, score, path):
        self.score, self.path = score, path

    def __call__(self, frame):
        if len(frame):  # and not the example that Dask tries first
            try:
                with open(self.path, "x") as file:
                    file.write(str(os.getpid()))
            except FileExistsError:
                return self.score(frame)
            os.kill(os.getpid(), signal.SIGKILL)
        return self.score(frame)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="has no such signal")
@pytest.mark.filterwarnings(r"ignore::DeprecationWarning:(dask|distributed)\..*")
@pytest.mark.slow  # a cluster of processes
def test_a_worker_that_is_killed_while_it_scores(frame, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    score = QueryScorer(METRICS, **COLUMNS)
    killed = KilledOnce(score, str(tmp_path / "process"))
    # Dask's default shuffle may wait forever for the killed process on a busy machine.
    ddf = dd.from_pandas(frame, npartitions=4).shuffle("user", shuffle_method="tasks")
    values = ddf.map_partitions(killed, meta=score.meta(ddf))
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )
    with cluster, distributed.Client(cluster) as client:
        found = client.compute(values).result(timeout=300)
    assert (tmp_path / "process").read_text() != str(os.getpid())
    assert summarize(found, n_rows=len(frame)) == summarize(score(frame))


@pytest.mark.parametrize("way", ["spill", "partitions"])
def test_an_interrupt_leaves_nothing_behind(frame, tmp_path, way):
    def interrupt(n_rows):
        raise KeyboardInterrupt

    given = {"spill": tmp_path, "partitions": 3}[way]
    with pytest.raises(KeyboardInterrupt):
        QueryScorer(METRICS, **COLUMNS).stream([frame], **{way: given}, progress=interrupt)
    assert not list(Path(tmp_path).iterdir())
