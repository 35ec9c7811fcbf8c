"""The command that writes shared paragraphs, on a module of its own."""

import sys

import pytest

from tests.docstrings.__main__ import main
from tests.docstrings.shared import Paragraph
from tests.docstrings.source import check, fix

BEFORE = r'''
import functools

__all__ = ["Shape", "first", "second"]


def first(grades, *, k=10, ties="average", own=(1, 2)):
    r"""Measure something.

    .. math:: \frac{1}{k} \\

    Parameters
    ----------
    own : tuple, \
default=(1, 2)
        Words of its own.

        A second paragraph.
    k : int
        Something else.
    gone : float
        No parameter any more.

    Raises
    ------
    ValueError
        As long ago; and if k is even.

    Notes
    -----
    Nothing.
    """
    return "Parameters"


@functools.lru_cache
def second(grades):
    """Measure something else."""


class Shape:
    """A class.

    Parameters
    ----------
    k : int, default=None
        How many.
    """

    def __init__(self, k=None):
        self.k = k

    @classmethod
    def of(cls, grades, **rest):
        """Make one.

        Parameters
        ----------
        grades : list
            Other words.
        """
'''
AFTER = r'''
import functools

__all__ = ["Shape", "first", "second"]


def first(grades, *, k=10, ties="average", own=(1, 2)):
    r"""Measure something.

    .. math:: \frac{1}{k} \\

    Parameters
    ----------
    grades : array-like
        Relevance grades, in words enough for more than a single line of a docstring of this
        width.
    k : int, default=10
        How many.
    ties : str, default="average"
        What ties count for.
    own : tuple, \
default=(1, 2)
        Words of its own.

        A second paragraph.
    gone : float
        No parameter any more.

    Raises
    ------
    ValueError
        For bad input; and if k is even.

    Notes
    -----
    Nothing.
    """
    return "Parameters"


@functools.lru_cache
def second(grades):
    """Measure something else."""


class Shape:
    """A class.

    Parameters
    ----------
    k : int, default=None
        How many.
    """

    def __init__(self, k=None):
        self.k = k

    @classmethod
    def of(cls, grades, **rest):
        """Make one.

        Parameters
        ----------
        grades : list of Shape
            In a method.
        **rest : dict
            The rest.

        Raises
        ------
        ValueError
            For bad input.
        """
'''
TABLE = {
    "Parameters": {
        "grades": {
            "Shape.*": Paragraph("list of {class}", "In a method."),
            "*": Paragraph(
                "array-like",
                "Relevance grades, in words enough for more than a single line of a "
                "docstring of this width.",
            ),
        },
        "ties": {"*": Paragraph("str, default={default}", "What ties count for.")},
        "k": {"*": Paragraph("int, default={default}", "How many.")},
        "**rest": {"*": Paragraph("dict", "The rest.")},
    },
    "Raises": {
        "ValueError": {"first Shape.*": Paragraph("", "For bad input", may_go_on=True)}
    },
}


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of the scratch module, and its file."""
    path = tmp_path / "scratch_of_docstrings.py"
    path.write_text(BEFORE)
    monkeypatch.syspath_prepend(tmp_path)
    yield path.stem, path
    sys.modules.pop(path.stem, None)


def test_check_names_the_line_and_what_differs(module):
    name, path = module
    line = BEFORE[: BEFORE.index('r"""')].count("\n") + 1
    first, *rest = sorted(check(name, TABLE), key=lambda said: "first" not in said)
    assert first == (
        f"{path}:{line}: first: ValueError, grades, k, the order of Parameters, ties"
    )
    assert [said.split(": ")[1:] for said in rest] == [
        ["Shape.of", "**rest, ValueError, grades"]
    ]
    assert path.read_text() == BEFORE


def test_fix_writes_shared_paragraphs_and_nothing_else(module):
    name, path = module
    assert fix(name, TABLE) == [path]
    assert path.read_text() == AFTER


def test_what_is_mended_needs_no_mending(module):
    name, path = module
    fix(name, TABLE)
    sys.modules.pop(name)
    assert check(name, TABLE) == []
    assert fix(name, TABLE) == []
    assert path.read_text() == AFTER


def test_a_shared_paragraph_leaves_with_its_parameter(module):
    name, path = module
    table = {"Parameters": {"gone": {"*": Paragraph("float", "As before.")}}}
    fix(name, table)
    assert "gone" not in path.read_text()


def test_the_command_exits_with_1_and_says_how_to_mend(monkeypatch, capsys):
    monkeypatch.setattr("tests.docstrings.__main__.check", lambda module: ["a.py:1: f: k"])
    monkeypatch.setattr(sys, "argv", ["docstrings"])
    assert main() == 1
    said = capsys.readouterr().out
    assert said.startswith("a.py:1: f: k\n")
    assert "python -m tests.docstrings --fix" in said
