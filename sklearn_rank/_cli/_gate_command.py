"""`sklearn-rank gate`: score two runs, compare them, return the verdict as exit code."""

import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._new_files import check_apart, check_appendable, check_output
from sklearn_rank._cli._printing import print_notes, print_result
from sklearn_rank._cli._results import COMPARED_FILES, as_json, write_comparison
from sklearn_rank._cli.reading._csv import find_torn_line
from sklearn_rank._cli.reading._judged_runs import ComparedRuns, compare_runs, format_notes
from sklearn_rank._cli.reading._run_files import name_runs
from sklearn_rank.statistics import ModelGate

EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 2}


def gate(options: Namespace) -> int:
    """Run `sklearn-rank gate` and return the exit code of the verdict."""
    paths = {"baseline": options.baseline, "candidate": options.candidate}
    is_same = len({Path(path).resolve() for path in paths.values()}) == 1
    runs = paths if is_same else name_runs([*paths.values()])
    files = [*runs.values(), options.qrels, options.truth]
    if options.markdown is not None:
        check_appendable(options.markdown, files)
        if options.output is not None:
            check_apart(options.markdown, options.output, COMPARED_FILES)
    if options.output is not None:
        check_output(options.output, COMPARED_FILES, files)
    choices = {"baseline": next(iter(runs)), "test": options.test, "correction": None}
    compared = _compare(options, runs, **choices)
    result = ModelGate(
        compared.comparison, notes=compared.notes, has_same_lists=compared.are_identical
    )
    _report(options, result, compared.lists)
    return EXIT_CODES[result.verdict]


def _compare(options: Namespace, runs: Mapping[str, str], **choices: Any) -> ComparedRuns:
    """Compare runs, with --anytime without a last row that is still being written."""
    if options.test != "anytime":
        return compare_runs(options, runs, **choices)
    starts = {name: find_torn_line(path, options.encoding) for name, path in runs.items()}
    torn = {name: start for name, start in starts.items() if start is not None}
    with TemporaryDirectory() as folder:
        copies = {
            name: str(Path(folder, str(index), Path(runs[name]).name))
            for index, name in enumerate(torn)
        }
        for name, copy in copies.items():
            Path(copy).parent.mkdir()
            shutil.copyfile(runs[name], copy)
            os.truncate(copy, torn[name])

        def name_files(text: str) -> str:
            for name, copy in copies.items():
                text = text.replace(copy, runs[name])
            return text

        try:
            compared = compare_runs(options, {**runs, **copies}, growing=[*torn], **choices)
        except InputError as error:
            raise InputError(name_files(str(error))) from error
    compared.notes[:] = [*map(name_files, compared.notes)]
    compared.notes.extend(
        f"The last row of {path!r} has no line end: it is still being written, and is left "
        "out."
        for path in dict.fromkeys(runs[name] for name in torn)
    )
    return compared


def _report(options: Namespace, result: ModelGate, lists: Mapping[str, Any] | None) -> None:
    """Write the verdicts if asked, then print them: a closed pipe stops printing."""
    lines = "\n".join(result.lines)
    rows = result.to_dict()["rows"]
    if options.output is not None:
        paragraphs = [lines, str(result.comparison)]
        if result.notes:
            paragraphs.append(format_notes(result.notes))
        verdicts = {"verdict": result.verdict, "verdicts": rows}
        write_comparison(options, result, paragraphs, lists=lists, **verdicts)
    if options.markdown is not None:
        _append(options.markdown, result.to_markdown())
    wrote_files = options.output is not None or options.markdown is not None
    if options.json:
        report = {"verdict": result.verdict, "verdicts": rows, "notes": result.notes}
        lines = as_json(vars(options), report).rstrip()
    print_result(lines, wrote_files=wrote_files)
    print_notes(*result.notes)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        # The runner reads both streams; so the result can be piped.
        print("\n".join(result.annotations()), file=sys.stderr)


def _append(path: str, text: str) -> None:
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"Cannot write {path!r}: {error.strerror or error}.") from error
