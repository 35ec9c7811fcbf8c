"""Check the docstrings of the metrics against the table of shared paragraphs."""

import argparse
import sys

from tests.docstrings.source import check, fix

MODULE = "sklearn_rank.metrics"


def main() -> int:
    """Say which docstrings differ, or write the shared paragraphs into them."""
    parser = argparse.ArgumentParser("python -m tests.docstrings", description=__doc__)
    parser.add_argument("--fix", action="store_true", help="rewrite the source files")
    parser.add_argument("--module", default=MODULE, help=f"default: {MODULE}")
    asked = parser.parse_args()
    if asked.fix:
        for path in fix(asked.module):
            print(f"{path}: rewritten")
        return 0
    differing = check(asked.module)
    for said in differing:
        print(said)
    if differing:
        print("python -m tests.docstrings --fix writes the paragraphs of the table.")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
