"""The scripts that the gate ends with fail where they have to, and only there."""

import json
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / ".ci"


def script(name):
    """Return what a script of the gate defines; none of it runs."""
    return runpy.run_path(str(FOLDER / f"{name}.py"))


def coverage(folder, **of_file):
    path = folder / "coverage.json"
    path.write_text(json.dumps({"files": {__file__: of_file}}))
    return path


def ran():
    return 1


@pytest.mark.parametrize(
    ("lines", "is_complete"), [([ran.__code__.co_firstlineno + 1], True), ([], False)]
)
def test_all_that_is_public_has_to_run(lines, is_complete, tmp_path, monkeypatch, capsys):
    main = script("exercised")["main"]
    monkeypatch.setitem(main.__globals__, "public_objects", lambda: [("part.ran", [ran])])
    path = coverage(tmp_path, executed_lines=lines)
    if is_complete:
        main(path)  # it ends without an exit status
    else:
        with pytest.raises(SystemExit, match=r"^part\.ran$"):
            main(path)
    assert capsys.readouterr().out.startswith(f"{int(is_complete)} of 1 public")


@pytest.mark.parametrize(("floor", "status"), [("66", 0), ("67", 1)])
def test_branches_have_a_floor(floor, status, tmp_path):
    path = coverage(tmp_path, executed_branches=[[1, 2], [2, 3]], missing_branches=[[1, 0]])
    with pytest.raises(SystemExit) as ended:
        script("branches")["main"](path, floor)
    assert ended.value.code == status
