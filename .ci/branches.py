"""Print which branches no test takes, and how many percent tests take; fail below a floor.

    python -m slipcover --json --out coverage.json -m pytest
    python .ci/branches.py coverage.json 99.7

A branch is from one line to another; line 0 is the end of the function.
"""

import json
import sys
from pathlib import Path


def main(path: str, floor: str) -> None:
    """Read what SlipCover wrote."""
    taken = missed = 0
    for name, found in sorted(json.loads(Path(path).read_text("utf-8"))["files"].items()):
        taken += len(found["executed_branches"])
        missed += len(found["missing_branches"])
        for first, last in found["missing_branches"]:
            print(f"{name}: {first} -> {last}")
    share = 100 * taken / (taken + missed)
    print(f"{share:.2f}% of {taken + missed:,} branches, at least {floor}%")
    sys.exit(share < float(floor))


if __name__ == "__main__":
    main(*sys.argv[1:])
