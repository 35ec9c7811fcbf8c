"""`sklearn-rank conform`: print cases for metrics, and judge answers to them."""

import json
from argparse import Namespace
from functools import partial

from sklearn_rank._base._text import wrap_text
from sklearn_rank._base._validation import check_option
from sklearn_rank._cli._errors import InputError, report_errors_as_options
from sklearn_rank._cli._printing import print_result


def conform(options: Namespace) -> int:
    """Run `sklearn-rank conform`; return 1 if an answer is wrong."""
    from sklearn_rank.metrics._results._conformance import (
        TOOLS,
        conformance_vectors,
        judge_answers,
    )

    with report_errors_as_options({"convention": "--convention"}):
        check_option("convention", options.convention, TOOLS)
        if options.answers is None:
            print_result(json.dumps(conformance_vectors(), separators=(",", ":")))
            return 0
        judged = judge_answers(_read_answers(options.answers), options.convention)
    for answers in judged:
        print_result(partial(wrap_text, answers.text))
    return int(any(answers.wrong for answers in judged))


def _read_answers(path: str) -> object:
    """Return the content of a JSON file."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise InputError(f"Cannot read {path!r}: {error.strerror}.") from error
    except ValueError as error:
        raise InputError(f"{path!r} is not JSON: {error}.") from error
