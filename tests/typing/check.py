"""Check the scripts of this folder with mypy and basedpyright, as the gate does.

Both must accept the scripts in `right`, and refuse those in `wrong` at the line that is
marked with ``# wrong``, and nowhere else.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SCRIPTS = sorted([*FOLDER.glob("right/*.py"), *FOLDER.glob("wrong/*.py")])
Place = tuple[str, int]


def of_mypy() -> Iterator[tuple[Place, str]]:
    """Yield where mypy finds errors, and what it says."""
    config = f"--config-file={FOLDER / 'mypy.ini'}"
    for line in output(["mypy", config, "--output=json", *map(str, SCRIPTS)]).splitlines():
        found = json.loads(line)
        if found["severity"] == "error":
            yield place(found["file"], found["line"]), found["message"]


def of_pyright() -> Iterator[tuple[Place, str]]:
    """Yield where basedpyright finds errors, and what it says."""
    python = ["--pythonpath", sys.executable]
    text = output(["basedpyright", "--outputjson", "--project", str(FOLDER), *python])
    for found in json.loads(text)["generalDiagnostics"]:
        line = found["range"]["start"]["line"] + 1
        yield place(found["file"], line), found["message"]


def output(command: list[str]) -> str:
    """Return what a checker prints; it ends with 1 where it finds errors."""
    done = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False
    )
    if done.returncode > 1 or done.stderr:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def place(file: str, line: int) -> Place:
    """Return the file below this folder, and the line."""
    return Path(file).resolve().relative_to(FOLDER).as_posix(), line


def marked() -> Iterator[Place]:
    """Yield the lines that are wrong."""
    for path in SCRIPTS:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.endswith("# wrong"):
                yield place(str(path), number)


def main() -> None:
    """Exit with a message where a checker says other than the marks."""
    wrong = set(marked())
    with ThreadPoolExecutor() as pool:
        checkers = {
            "mypy": pool.submit(lambda: list(of_mypy())),
            "basedpyright": pool.submit(lambda: list(of_pyright())),
        }
    failed = False
    for name, future in checkers.items():
        found = dict(future.result())
        for (file, line), message in sorted(found.items()):
            if (file, line) not in wrong:
                failed = True
                print(f"{name} refuses what is right: {file}:{line}: {message}")
        for file, line in sorted(wrong - set(found)):
            failed = True
            print(f"{name} accepts what is wrong: {file}:{line}")
    if failed:
        sys.exit(1)
    print(f"mypy and basedpyright agree with the marks of {len(SCRIPTS)} scripts.")


if __name__ == "__main__":
    main()
