"""What the release makes of the tree: see .ci/prepare.py."""

import io
import re
import runpy
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
VERSION_FILE = "sklearn_rank/_base/_machine.py"
PREPARE = runpy.run_path(str(ROOT / ".ci/prepare.py"))


@pytest.fixture
def tree(tmp_path):
    for name in ("README.md", "pyproject.toml", VERSION_FILE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("url", ["", "https://host.example/owner/name"])
def test_no_link_of_the_readme_needs_a_file_beside_it(tree, url):
    PREPARE["source"](tree, "0.1.0", url)
    readme = (tree / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert all(link.startswith("https://") for link in links)
    assert bool(links) == bool(url)
    assert '__version__ = "0.1.0"\n' in (tree / VERSION_FILE).read_text()
    urls = tomllib.loads((tree / "pyproject.toml").read_text())["project"].get("urls", {})
    assert set(urls) == ({"Source", "Issues", "Changelog"} if url else set())
    assert all(value.startswith(url) for value in urls.values())


def test_archives_of_the_same_files_are_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    packed = []
    for seconds, names in ((1, "ab"), (2, "ba")):
        path = tmp_path / f"{seconds}.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for name in names:
                member = tarfile.TarInfo(name)
                member.size, member.mtime, member.uid = 1, seconds, seconds
                archive.addfile(member, io.BytesIO(name.encode()))
        PREPARE["archive"](path)
        packed.append(path.read_bytes())
    assert packed[0] == packed[1]
    with tarfile.open(tmp_path / "1.tar.gz") as archive:
        assert [archive.extractfile(name).read() for name in "ab"] == [b"a", b"b"]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not in a clone")
def test_each_file_at_the_top_is_shipped_or_known_to_stay():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=True)
    known = listed.stdout.decode().split()
    shipped = (ROOT / "MANIFEST.in").read_text().split()
    shipped += ["LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.cfg"]
    stays = PREPARE["_NOT_SHIPPED"]
    tops = {name for name in known if "/" not in name and not name.startswith(stays)}
    assert tops <= set(shipped)
