"""Change the package in one place at a time, and see whether a test fails.

    python -m pip install -e ".[test-all]" coverage
    python -m tests.mutation --mutants 200 --seed 0

First the tests of the mirrored folders run once with coverage, to learn which test executes
which line, and how long it takes. That takes a while; `--keep FOLDER` keeps it for the
next run. Then each mutant, in a copy of the package, meets the tests that execute its line,
the quickest first, up to a minute of them. A mutant that no test meets, or that all pass,
lives. It is printed; whether it is wrong or means the same has to be read.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

from tests.mutation.mutants import mutants_of

ROOT = Path(__file__).parents[2]
# Folders of the package, and those of the tests that mirror them.
PLACES = {
    "metrics/_core": "tests/metrics",
    "metrics/_families": "tests/metrics",
    "statistics": "tests/statistics",
}
MOST_SECONDS = 60


def main():
    """Print the mutants that live, and the share that died."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="folders whose name contains this")
    parser.add_argument("--keep", help="a folder for what each test executes")
    options = parser.parse_args()
    if find_spec("coverage") is None:
        parser.error("python -m pip install coverage")
    places = {place: PLACES[place] for place in PLACES if options.only in place}
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(options.keep or folder).absolute()
        kept.mkdir(exist_ok=True)
        if not (kept / "contexts").exists():
            _learn(kept, places)
        tests, seconds = _tests_by_line(kept), _seconds(kept)
        tree = Path(folder, "tree")
        unwanted = shutil.ignore_patterns(".git", "__pycache__", "build", "_build", "dist")
        shutil.copytree(ROOT, tree, ignore=unwanted)
        found = Counter()
        for path, mutant in _drawn(options, places):
            chosen = _chosen(tests.get((path, mutant.line), ()), seconds)
            died = bool(chosen) and _dies(tree, path, mutant, chosen)
            found["died" if died else "lived"] += 1
            if not died:
                change = f"{mutant.old.strip()} became {mutant.new.strip() or 'nothing'}"
                print(f"{path}:{mutant.line}: {change}; {len(chosen)} tests", flush=True)
    print(f"{options.mutants} mutants, seed {options.seed}: {dict(found)}")


def _drawn(options, places):
    drawn = []
    for place in places:
        for path in sorted((ROOT / "sklearn_rank" / place).glob("**/*.py")):
            source = path.read_text(encoding="utf-8")
            name = path.relative_to(ROOT).as_posix()
            drawn += [(name, mutant) for mutant in mutants_of(source)]
    return random.Random(options.seed).sample(drawn, options.mutants)


def _learn(kept, places):
    settings = kept / "settings"
    settings.write_text(
        "[run]\nsource = sklearn_rank\ndynamic_context = test_function\n"
        f"data_file = {kept / 'contexts'}\n"
    )
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}"]
    command += ["-m", "pytest", "-q", "-n0", f"--junitxml={kept / 'seconds.xml'}"]
    subprocess.run([*command, *sorted(set(places.values()))], cwd=ROOT)


def _tests_by_line(kept):
    """Return the test functions that execute each line, as names of modules give them."""
    from coverage import CoverageData

    data = CoverageData(str(kept / "contexts"))
    data.read()
    found = {}
    for path in data.measured_files():
        name = "sklearn_rank/" + path.rpartition("/sklearn_rank/")[2]
        for line, contexts in data.contexts_by_lineno(path).items():
            found[name, line] = [one for one in contexts if ".test_" in one]
    return found


def _seconds(kept):
    """Return how long each test takes; without those that fail before any change."""
    seconds, failed = Counter(), set()
    for case in ElementTree.parse(kept / "seconds.xml").iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name').partition('[')[0]}"
        seconds[name] += float(case.get("time"))
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(name)
    return {name: seconds[name] for name in seconds if name not in failed}


def _chosen(contexts, seconds):
    """Return the quickest tests, as pytest names them, up to a minute of them."""
    chosen, total = [], 0.0
    known = [context for context in contexts if context in seconds]
    for context in sorted(known, key=lambda one: (seconds[one], one)):
        total += seconds[context]
        if chosen and total > MOST_SECONDS:
            break
        module, _, function = context.rpartition(".")
        chosen.append(f"{module.replace('.', '/')}.py::{function}")
    return chosen


def _dies(tree, path, mutant, tests):
    target = tree / path
    source = target.read_text(encoding="utf-8")
    target.write_text(mutant.of(source), encoding="utf-8")
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-n0"]
    try:
        ran = subprocess.run(
            [*command, "-p", "no:cacheprovider", *tests],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
            capture_output=True,
            timeout=6 * MOST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return True  # a loop without an end is noticed too
    finally:
        target.write_text(source, encoding="utf-8")
    passed, failed, stopped = 0, 1, 2
    if ran.returncode not in (passed, failed, stopped):  # not because of the mutant
        raise RuntimeError(ran.stdout.decode()[-2000:])
    return ran.returncode != 0


if __name__ == "__main__":
    main()
