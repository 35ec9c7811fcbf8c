"""Plain English in pages, docstrings, comments and messages: short, in plain patterns."""

import ast
import io
import re
import tokenize
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
    "query|user|item|row|unit|list|model|fold|group|cell|metric|task|file|line|document"
    "|session|rater|variant|topic|candidate|pair|value|column|cutoff|run|feature|id"
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
    "lower is better, not better if low": r"\bbetter if (?:low|high|small|large)\b",
    "differ, not tells apart": r"\btells (?:\w+ ){0,3}apart\b",
    "compared with, not held against": r"\bh[eo]ld (?:\w+ ){0,5}against\b",
    "write x, not needed is x": r"[;:,.] needed (?:is|are)\b",
    "grades for metrics, not grades to judge by": r"\bto judge by\b",
    "your function, not a function of yours": r"\bof (?:yours|ours)\b",
    "5%, not 5 %": r"\d % ",
    "grades per unit, not 2 to 3 grades a unit": (
        rf"\.\.\. (?:{COUNTED}) an? (?:{UNIT})\b"
    ),
    "one user per line, not a user a line": r"\ban? \w+ a line\b",
    "a caller who, not whoever": r"\bwhoever\b",
    "as x defines it, not as x has it": r"\bas (?:\w+ ){1,3}ha(?:s|ve) it\b",
    "differ from, not others than": r"\bothers than\b|\bother (?!than\b)\w+ than\b",
    "again, not anew": r"\banew\b",
    "except for, not but for": r"\bbut for\b",
    "American spelling": (
        r"\b(?:behaviour|colour|favour|neighbour|centre|grey|labelled|modelled)\w*"
        r"|\b\w+(?:alis|ardis|ndomis|nimis|ximis|ptimis|maris|cognis|goris)(?:e[ds]?|ing)\b"
    ),
    "a word that every reader knows": (
        r"\b(?:amid|amongst|hence|lest|there(?:by|in|of)|thus|whence|whereby|whilst)\b"
    ),
}
# Words that a pattern finds and that are right, with the reason.
ALLOWED = {
    "what users will do": "the verb do",
    "mobility across neighbourhoods": "the title of an article",
}


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
    """Yield texts of several words, such as those of errors; "..." is what they insert."""
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inner = {id(part) for text in joined for part in text.values}
    for text in joined:
        values = [getattr(part, "value", None) for part in text.values]
        yield "".join(part if isinstance(part, str) else "..." for part in values)
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    for node in constants:
        is_text = isinstance(node.value, str) and id(node) not in inner
        if is_text and " " in node.value.strip():
            yield node.value


def remarks(source):
    """Return the comments of a file; those of lines in sequence are one."""
    lines = tokenize.generate_tokens(io.StringIO(source).readline)
    by_line = {one.start[0]: one.string for one in lines if one.type == tokenize.COMMENT}
    texts = [
        text.lstrip("#").strip() + (" " if line + 1 in by_line else "\n")
        for line, text in by_line.items()
    ]
    return "".join(texts).splitlines()


def refused(texts):
    """Return what the refused patterns find, with the words around it."""
    found = set()
    for text in texts:
        prose = re.sub(
            r"^ *>>>.*?(?:\n\s*\n|\Z)|^ *\.\. index::\n(?: [^\n]*\n)+",
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


def test_the_package_has_no_refused_pattern():
    found = []
    for path in PACKAGE:
        source = path.read_text(encoding="utf-8")
        texts = [*messages(ast.parse(source)), *remarks(source)]
        words = refused(texts)
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
        (".. index::\n   pair: a; b\n\nA mapping will do.\n", True),
        (".. index::\n   single: will do\n\nA mapping works too.\n", False),
    ],
)
def test_what_the_patterns_refuse(text, is_refused):
    assert bool(refused([text])) is is_refused


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("A metric that is better if low.", True),
        ("A query with a miss tells them apart.", True),
        ("A judge is held against people.", True),
        ("It has two columns; needed is one.", True),
        ("The rows that are needed are there.", False),
        ("Ratings: grades to judge by.", True),
        ("It is a function of yours.", True),
        ("It loses 5 % of all queries, not 5%.", True),
        ("A file with a user a line.", True),
        ("Whoever loads it runs its code.", True),
        ("The name, as the scorer has it.", True),
        ("It has other judgments than the baseline.", True),
        ("Any number other than 0.", False),
        ("Each fold draws anew.", True),
        ("Equal, but for rounding.", True),
        ("Optimised and colourful.", True),
        ("Otherwise it raises, precise or not, and promises noise.", False),
        ("Thus it ends.", True),
    ],
)
def test_what_more_patterns_refuse_in_code(text, is_refused):
    assert bool(refused([text])) is is_refused


def test_messages_and_comments_of_a_file():
    source = """
# One value
# a row.
def check(x):
    note = "whole"  # a row a query
    if x:
        raise ValueError(f"{x} needs a row " "a query")
    warnings.warn(f"one value {note} a row", UserWarning)
"""
    assert sorted(messages(ast.parse(source))) == [
        "... needs a row a query",
        "one value ... a row",
    ]
    assert remarks(source) == ["One value a row.", "a row a query"]


def test_the_checks_find_what_they_look_for():
    page = "Title\n=====\n\n" + "word " * 71 + "\n\n.. code::\n\n   " + "word " * 80
    assert [len(p.split()) for p in paragraphs(page)] == [71]
    docstring = f"Mean.\n\nNotes\n-----\n{'word ' * 76}\n\nx : int\n    {'word ' * 75}\n"
    assert [len(p.split()) for p in descriptions(docstring)][1:] == [76, 75]
    assert re.search(INVERTED, "Ten lists, of which none is empty, shall do.")
