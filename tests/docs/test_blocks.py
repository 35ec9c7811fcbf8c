"""Each block to copy runs alone, after the block that makes the data of its page."""

import doctest
import re
from pathlib import Path

import pytest
from sklearn import config_context

DOCS = Path(__file__).parents[2] / "docs"
# The packages of the blocks that need one.
NEEDED = {"boosting": "lightgbm", "A ranker": "lightgbm", "Optuna": "optuna"}


def blocks(page, underline):
    """Return the data of a page, and each title with its block."""
    data, _, rest = (DOCS / page).read_text(encoding="utf-8").partition(".. contents::")
    sections = re.split(rf"^(?=.+\n{underline}{{4,}}\n)", rest, flags=re.MULTILINE)[1:]
    return [(data, section.partition("\n")[0], section) for section in sections]


BLOCKS = [*blocks("start.rst", "="), *blocks("cookbook.rst", "-")]


@pytest.mark.parametrize(
    ("data", "title", "block"), BLOCKS, ids=[title for _, title, _ in BLOCKS]
)
def test_a_block_runs_alone(data, title, block):
    for word, package in NEEDED.items():
        if word in title:
            pytest.importorskip(package)
    examples = doctest.DocTestParser().get_doctest(data + block, {}, title, None, 0)
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    with config_context():
        runner.run(examples, out=report.append)
    assert runner.tries > 0
    assert not report, "".join(report)
