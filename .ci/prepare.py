"""Steps of the release that need more than a shell: see .ci/release."""

import gzip
import io
import re
import subprocess
import sys
import tarfile
from os import environ
from pathlib import Path

# What belongs to the repository and not to a user of its archive.
_NOT_SHIPPED = (".github/", ".gitignore", ".pre-commit-", ".readthedocs.yaml")


def source(folder, version, url=""):
    """Set the version, and make links of the README work away from the repository."""
    folder = Path(folder)
    _replace(
        folder / "sklearn_rank/_base/_machine.py",
        r'__version__ = "[^"]*"',
        f'__version__ = "{version}"',
    )
    readme = folder / "README.md"
    if url:
        # A repository shows a file at /blob/TAG/ and gives it alone at /raw/TAG/.
        _replace(readme, r"(!\[[^\]]*\]\()(?!https?:)", rf"\g<1>{url}/raw/{version}/")
        _replace(readme, r"(?<!!)(\[[^\]]*\]\()(?!https?:)", rf"\g<1>{url}/blob/{version}/")
        _replace(
            folder / "pyproject.toml",
            r"\[project\.optional-dependencies\]",
            f'[project.urls]\nSource = "{url}"\nIssues = "{url}/issues"\n'
            f'Changelog = "{url}/blob/{version}/CHANGELOG.md"\n\n'
            "[project.optional-dependencies]",
        )
    else:
        _replace(readme, r"!\[[^\]]*\]\((?!https?:)[^)]*\)\n+", "")
        _replace(readme, r"\[([^\]]*)\]\((?!https?:)([^)]*)\)", r"\1 (`\2`)")


def _replace(path, pattern, new):
    text, count = re.subn(pattern, new, path.read_text(encoding="utf-8"))
    if not count:
        raise SystemExit(f"{path.name} has nothing that matches {pattern}")
    path.write_text(text, encoding="utf-8")


def archive(path):
    """Pack a source archive again: names in order, one time for all, and no owner."""
    seconds = int(environ["SOURCE_DATE_EPOCH"])
    packed = io.BytesIO()
    with (
        tarfile.open(path) as old,
        gzip.GzipFile("", "wb", 9, packed, mtime=seconds) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.pax_headers = seconds, {}
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    Path(path).write_bytes(packed.getvalue())


def complete(path):
    """Compare the files of a source archive with those that git knows."""
    with tarfile.open(path) as packed:
        held = {name.partition("/")[2] for name in packed.getnames()}
    known = subprocess.run(
        ["git", "ls-files"], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    missing = [name for name in known if name not in held]
    missing = [name for name in missing if name and not name.startswith(_NOT_SHIPPED)]
    if missing:
        names = ", ".join(missing[:10])
        raise SystemExit(f"{Path(path).name} lacks {names}; see MANIFEST.in")


if __name__ == "__main__":
    {"source": source, "archive": archive, "complete": complete}[sys.argv[1]](*sys.argv[2:])
