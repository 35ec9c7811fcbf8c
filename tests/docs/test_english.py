"""Plain English in pages, docstrings and messages: short paragraphs, plain patterns."""

import ast
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.rst"))
EXAMPLES = sorted((DOCS / "examples").glob("*/plot_*.py"))
WORDS_OF_A_PARAGRAPH = 70
WORDS_IN_A_DOCSTRING = 75
PACKAGE = sorted((DOCS.parent / "sklearn_rank").rglob("*.py"))
INVERTED = r"\bof (?:which|whom)\b|\b(?:is|are) none\b|\bshall\b"

COUNTED = (
    "rows?|values?|weights?|labels?|scores?|grades?|columns?|segments?|numbers?|warnings?"
    "|lines?|points?|bytes|colors?|messages?|bits?"
)
UNIT = (
    "query|user|item|row|list|model|fold|group|cell|metric|task|file|line|document"
    "|session|rater|variant|topic|candidate|pair|value|column|cutoff|run|unit|feature|id"
    "|class|day|week|process|thread|job|method|label|visit|name|cluster"
)
VERB = "has|have|is|was|of|used|may|can|makes|needs|a|an"
# What is refused, and what to say instead.
REFUSED = {
    "one row per query, not a row a query": (
        rf"(?<!\band )\b(?:an?|one|two|\d+) (?:{COUNTED}) an? (?:{UNIT})\b(?! (?:{VERB})\b)"
    ),
    "one per query, not one a query": (
        rf"(?<!on )\b(?:once|one) an? (?!day|week)(?:{UNIT}|\.\.\.)(?![-\w])"
        rf"(?! (?:{VERB})\b)"
    ),
    "is not a number, not is no number": (
        r"(?<!there )\b(?:is|are) no (?!longer\b|more\b|less\b|higher\b|lower\b)\w+"
    ),
    "also works, not will do": r"\bwill do\b",
    "by position, not by place": r"\bby place\b(?!:)",
    "rows evaluate, they do not judge": r"\brows (?:of [\w,]+ \w+|held out) judge\b",
    "differ, not are told apart": r"\bt(?:ell|old) (?:\w+ ){0,3}apart\b",
    "If None, not None:": r"(?:^|[.;(] )None: ",
    "different names, not other names": r"\b(?:have|has|had) (?:another|other) \w+",
    "no relative clause with a preposition": r"\b(?:of|on) (?:which|whom)\b",
}
# Words that a pattern finds and that are right, with the reason.
ALLOWED = {"what users will do": "the verb do"}


def paragraphs(text):
    """Return the paragraphs of prose, without code, tables, literals and directives."""
    found, directive = [], None
    for block in re.split(r"\n\s*\n", text):
        indent = len(block) - len(block.lstrip(" \n"))
        if directive is not None and indent > directive:
            continue
        directive = None
        if block.lstrip().startswith(("..", ">>>")) or block.rstrip().endswith("::"):
            directive = indent if not block.lstrip().startswith(">>>") else None
            continue
        if not re.search(r"^\s*[=\-~^]{4,}", block, re.MULTILINE):
            found += re.split(r"\n(?=\s*(?:[-*#]|\d\.) |\S[^\n]*\n {4})", block)
    return [" ".join(one.split()) for one in found]


def comments(source):
    """Return the prose of an example: its docstring and the comments of its cells."""
    cells = re.findall(r"^# %%\n((?:#.*\n)+)", source, re.MULTILINE)
    prose = [re.sub(r"^# ?", "", cell, flags=re.MULTILINE) for cell in cells]
    return "\n\n".join([ast.get_docstring(ast.parse(source)), *prose])


def docstrings(tree):
    """Yield the prose of the docstrings of a file."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and ast.get_docstring(node):
            yield ast.get_docstring(node)


def descriptions(docstring):
    """Return the paragraphs of a docstring, without names of sections and parameters."""
    heads = r"^ *\S[^\n]*\n *-{3,}\n|^ *\S[^\n]* : [^\n]+\n(?= )|^\w+(?:Error|Warning)\n"
    return paragraphs(re.sub(heads, "\n", docstring, flags=re.MULTILINE))


def messages(tree):
    """Yield the texts that are raised or given to ``warn``, "..." for what they insert."""
    for node in ast.walk(tree):
        is_warning = isinstance(node, ast.Call) and "warn" in ast.unparse(node.func)
        if not is_warning and not isinstance(node, ast.Raise):
            continue
        joined = [one for one in ast.walk(node) if isinstance(one, ast.JoinedStr)]
        inner = {id(part) for one in joined for part in one.values}
        for one in joined:
            values = [getattr(part, "value", None) for part in one.values]
            yield "".join(part if isinstance(part, str) else "..." for part in values)
        for one in ast.walk(node):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                yield from [] if id(one) in inner else [one.value]


def refused(texts):
    """Return what the refused patterns find, with the words around it."""
    found = set()
    for text in texts:
        prose = re.sub(
            r"^ *>>>.*?(?:\n\s*\n|\Z)|^ *\.\. index::\n(?: .*\n)+",
            "",
            text,
            flags=re.M | re.S,
        )
        prose = " ".join(prose.split())
        for said, pattern in REFUSED.items():
            for match in re.finditer(pattern, prose, re.IGNORECASE):
                around = prose[max(match.start() - 40, 0) : match.end() + 20]
                if not any(words in around for words in ALLOWED):
                    found.add(f"{said}: {around}")
    return sorted(found)


def read(path):
    text = path.read_text(encoding="utf-8")
    return comments(text) if path.suffix == ".py" else text


@pytest.mark.parametrize("path", PAGES + EXAMPLES, ids=lambda path: path.stem)
def test_paragraphs_are_short(path):
    long = [p for p in paragraphs(read(path)) if len(p.split()) > WORDS_OF_A_PARAGRAPH]
    assert not long, f"{len(long)} paragraphs over {WORDS_OF_A_PARAGRAPH} words: {long}"


def test_paragraphs_of_docstrings_are_short():
    long = [
        f"{path.relative_to(DOCS.parent)}: {len(words.split())} words: {words}"
        for path in PACKAGE
        for docstring in docstrings(ast.parse(path.read_text(encoding="utf-8")))
        for words in descriptions(docstring)
        if len(words.split()) > WORDS_IN_A_DOCSTRING
    ]
    assert long == [], "\n".join(long)


@pytest.mark.parametrize("path", PAGES + EXAMPLES, ids=lambda path: path.stem)
def test_clauses_are_not_inverted(path):
    text = re.sub(
        r"^ *>>>.*?(?:\n\s*\n|\Z)|``.*?``", "", read(path), flags=re.M | re.DOTALL
    )
    text = " ".join(text.split())
    found = [
        text[max(m.start() - 40, 0) : m.end() + 20] for m in re.finditer(INVERTED, text)
    ]
    assert not found


@pytest.mark.parametrize("path", PAGES + EXAMPLES, ids=lambda path: path.stem)
def test_pages_have_no_refused_pattern(path):
    assert refused([read(path)]) == []


def test_docstrings_and_messages_have_no_refused_pattern():
    found = []
    for path in PACKAGE:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        words = refused([*docstrings(tree), *messages(tree)])
        found += [f"{path.relative_to(DOCS.parent)}: {one}" for one in words]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("It needs a row a query.", True),
        ("A row is a user and a column an item.", False),
        ("Give one value\na row.", True),
        ("The items a user has, one row per query.", False),
        ("These models are no estimators.", True),
        ("There is no file; it is no longer here.", False),
        ("A mapping will do.", True),
        ("It is close to what users will do next.", False),
        ("Arrays are matched by place.", True),
        ("1,838 rows of some users judge them.", True),
        ("Such models are not told apart.", True),
        ("Name of the metric. None: the only one.", True),
        ("Both have other labels.", True),
        ("The queries on which they differ.", True),
        (">>> is_no = 'a row a query'  # no output\n", False),
    ],
)
def test_what_the_patterns_refuse(text, is_refused):
    assert bool(refused([text])) is is_refused


def test_messages_are_those_of_raise_and_warn():
    source = """
def check(x):
    note = "a row a query"
    if x:
        raise ValueError(f"{x} needs a row " "a query")
    warnings.warn(f"one value {note} a row", UserWarning)
"""
    assert list(messages(ast.parse(source))) == [
        "... needs a row a query",
        "one value ... a row",
    ]


def test_the_checks_find_what_they_look_for():
    page = "Title\n=====\n\n" + "word " * 71 + "\n\n.. code::\n\n   " + "word " * 80
    assert [len(p.split()) for p in paragraphs(page)] == [71]
    docstring = f"Mean.\n\nNotes\n-----\n{'word ' * 76}\n\nx : int\n    {'word ' * 75}\n"
    assert [len(p.split()) for p in descriptions(docstring)][1:] == [76, 75]
    assert re.search(INVERTED, "Ten lists, of which none is empty, shall do.")
