"""Fetch a small archive from a server of the test; no other address is opened."""

import hashlib
import io
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from sklearn_rank.datasets import _logs, fetch_movielens

pytest.importorskip("pandas")


def make_archive():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("ml-100k/u.data", "196\t242\t3\t881250949\n")
    return file.getvalue()


ARCHIVE = make_archive()


@pytest.fixture
def server(monkeypatch):
    """A server that answers with the archive, and notes what it is asked for."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            served.asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(served.body)

        def log_message(self, *_):
            pass

    served = HTTPServer(("127.0.0.1", 0), Handler)
    served.asked, served.body = [], ARCHIVE
    thread = Thread(target=served.serve_forever)
    thread.start()
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(_logs, "_ADDRESS", f"http://127.0.0.1:{served.server_port}")
    digest = hashlib.sha256(ARCHIVE).hexdigest()
    monkeypatch.setattr(_logs, "_ARCHIVES", {"100k": digest})
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


def test_the_archive_is_fetched_once(server, tmp_path):
    for _ in range(2):
        log = fetch_movielens(data_home=tmp_path)
        assert log.dataset == "movielens-100k"
        assert log.frame["item"].tolist() == [242]
    assert server.asked == ["/ml-100k.zip"]
    path = tmp_path / "movielens" / "ml-100k.zip"
    assert path.read_bytes() == ARCHIVE
    path.write_bytes(b"broken")
    with pytest.warns(UserWarning, match="differs from expected"):
        fetch_movielens(data_home=tmp_path)
    assert len(server.asked) == 2
    fetch_movielens(data_home=tmp_path, download_if_missing=False)
    assert len(server.asked) == 2


def test_another_archive_is_refused(server, tmp_path):
    server.body = b"a login page"
    with pytest.raises(
        OSError, match=r"SHA256.*Download http://127.*ml-100k\.zip.*read_log"
    ):
        fetch_movielens(data_home=tmp_path)
    assert list((tmp_path / "movielens").iterdir()) == []


def test_no_server(monkeypatch, tmp_path):
    unused = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    unused.server_close()
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(_logs, "_ADDRESS", f"http://127.0.0.1:{unused.server_port}")
    path = str(tmp_path / "movielens" / "ml-1m.zip")
    with (
        pytest.warns(UserWarning, match="Retry"),
        pytest.raises(OSError, match="refused") as error,
    ):
        fetch_movielens("1m", data_home=tmp_path, n_retries=1, delay=0)
    assert repr(path) in str(error.value)
    with pytest.raises(OSError, match=r"archive is missing, and download_if_missing=False"):
        fetch_movielens("1m", data_home=tmp_path, download_if_missing=False)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        (
            {"name": "25m"},
            ValueError,
            "'25m'.*Download others, and read them with read_log",
        ),
        ({"data_home": 3}, TypeError, "`data_home` must be a path or None"),
        ({"download_if_missing": "no"}, ValueError, "`download_if_missing` got 'no'"),
        ({"n_retries": -1}, ValueError, "`n_retries` must be an integer >= 0"),
        ({"delay": -1}, ValueError, "`delay` must be a number of seconds >= 0"),
    ],
)
def test_invalid_arguments(params, error, message):
    with pytest.raises(error, match=message):
        fetch_movielens(**params)
