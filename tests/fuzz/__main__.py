"""Spoil arguments of calls that work, and report errors in words that are not ours.

    python -m tests.fuzz --calls 25000 --seed 0

The calls are those of the examples of all public names. Each time one or two arguments are
replaced. Reported, once a place, are: an error that no line raises on purpose, here or in
scikit-learn; a call that takes longer than the limit; and a number that is NaN without a
warning. Nothing is written but into a temporary folder.
"""

import argparse
import linecache
import math
import os
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from copy import deepcopy

import numpy as np

from tests.fuzz.calls import recorded_calls
from tests.fuzz.values import spoiled

MEMORY = 6 * 2**30
# An import that fails names the library; a file that is not there is named by the system.
MEANT = (ImportError, OSError, MemoryError)
# Of an argument that does not exist, of what is no path, and of a path that none can be.
WORDS_OF_PYTHON = ("argument", "os.PathLike", "embedded null", "surrogates not allowed")
# What authors of recommenders write, and what is called with checked data only.
HOOKS = (
    *("fit_interactions", "score_histories", "score_users", "score_pairs"),
    *("update_users", "propose", "propose_histories"),
)


class TooLongError(BaseException):
    """No `except` of the code under test catches it."""


def main():
    """Print what was found, and exit with 1 if that is anything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--calls", type=int, default=25_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=30, help="of one call at most")
    parser.add_argument("--only", default="", help="names that contain this")
    options = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "Agg")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _too_long)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        calls, without = recorded_calls()
        calls = [
            call
            for call in calls
            if call.arguments
            and options.only in call.name
            and not call.name.endswith(HOOKS)
        ]
        found = _spoil(calls, options)
    print(f"Names whose examples do not call them: {', '.join(without) or 'none'}")
    for (kind, place), (count, _) in sorted(found.items()):
        print(f"{count} times {kind} at {place}")
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in OUTCOMES.most_common())
    print(f"\n{options.calls} calls of {len({call.name for call in calls})} functions and ")
    print(f"methods, seed {options.seed}: {outcomes}; {len(found)} places to mend")
    sys.exit(bool(found))


OUTCOMES = Counter()


def _spoil(calls, options):
    rng = np.random.default_rng(options.seed)
    # A name is as likely as another; what takes long is called less often.
    kept = Counter(call.name for call in calls)
    weights = np.array([1 / kept[c.name] / max(1, c.seconds / 0.01) for c in calls])
    drawn = rng.choice(len(calls), options.calls, p=weights / weights.sum())
    found = {}
    for number, place in enumerate(drawn):
        if number % 1000 == 0 and number:
            print(f"{number} calls", flush=True)
        call = calls[place]
        arguments = dict(call.arguments)
        chosen = rng.choice(list(arguments), min(len(arguments), rng.integers(1, 3)), False)
        for name in chosen:
            arguments[str(name)] = spoiled(deepcopy(arguments[str(name)]), rng)
        wrong = _tried(call, deepcopy_or_same(arguments), options.seconds)
        if wrong:
            count, example = found.get(wrong, (0, None))
            given = ", ".join(f"{n}={arguments[n]!r:.120}" for n in map(str, chosen))
            found[wrong] = count + 1, example or f"call {number}: {call.name}({given})"
            if not count:
                print(f"{wrong[0]} at {wrong[1]}\n    {found[wrong][1]}", flush=True)
    return found


def deepcopy_or_same(arguments):
    """Return a copy, so that no call changes what the next one gets."""
    return {name: _copy(value) for name, value in arguments.items()}


def _copy(value):
    try:
        return deepcopy(value)
    except (TypeError, ValueError):
        return value


def _tried(call, arguments, seconds):
    """Return what is wrong, as its kind and its place, or None."""
    signal.alarm(seconds)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = _called(call, arguments)
    except TooLongError as error:
        OUTCOMES["took too long"] += 1
        return "Too long", _place(error)
    except Exception as error:
        OUTCOMES["refused"] += 1
        return None if _is_meant(error) else (type(error).__name__, f"{_place(error)}")
    finally:
        signal.alarm(0)
        _close_figures()
    OUTCOMES["answered"] += 1
    is_nan = isinstance(result, float | np.floating) and math.isnan(result)
    return ("NaN without a warning", call.name) if is_nan and not caught else None


def _called(call, arguments):
    positional = [
        value for n in arguments if n in ("args", "arrays") for value in arguments[n]
    ]
    named = {n: v for n, v in arguments.items() if n not in ("args", "arrays")}
    if call.itself is None:
        return call.call(*positional, **named)
    if isinstance(call.itself, type):
        return call.itself(*positional, **named)
    return call.call(_copy(call.itself), *positional, **named)


def _is_meant(error):
    """Return whether a line raises the error on purpose, here or in scikit-learn."""
    if isinstance(error, MEANT):
        return True
    if not isinstance(error, ValueError | TypeError):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    is_raised = linecache.getline(last.filename, last.lineno).strip().startswith("raise")
    ours = max(place for place, f in enumerate(frames) if "sklearn" in f.filename)
    in_scikit_learn = "sklearn_rank" not in frames[ours].filename
    of_python = any(words in str(error) for words in WORDS_OF_PYTHON)
    return in_scikit_learn or of_python or (is_raised and ours == len(frames) - 1)


def _place(error):
    frames = traceback.extract_tb(error.__traceback__)
    frame = [frames[-1], *(f for f in frames if "sklearn_rank" in f.filename)][-1]
    name = frame.filename.rpartition("sklearn_rank/")[2]
    return f"{name}:{frame.lineno} ({frame.name})"


def _too_long(number, frame):
    raise TooLongError


def _close_figures():
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


if __name__ == "__main__":
    main()
