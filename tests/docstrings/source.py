"""Docstrings in the files that hold them: where they stand, and how to rewrite them."""

import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.docstrings.mend import mend, qualified_name
from tests.docstrings.shared import TABLE, Table

__all__ = ["check", "fix", "own_members", "public_objects"]

CONTINUED = re.compile(r"(?<!\\)\\\n")


def check(module: str, table: Table = TABLE) -> list[str]:
    """Return a line for each docstring that the table would change."""
    return [said for _, _, said in _changes(module, table)]


def fix(module: str, table: Table = TABLE) -> list[Path]:
    """Write the shared paragraphs into the files, and return those that changed."""
    changes = defaultdict(list)
    for node, lines, said in _changes(module, table):
        changes[Path(said.partition(":")[0])].append((node, lines))
    for path, docstrings in changes.items():
        text = path.read_text().split("\n")
        # From the last to the first, for the lines below a change move.
        for node, lines in sorted(docstrings, key=lambda one: -one[0].lineno):
            text[node.lineno - 1 : node.end_lineno] = lines
        path.write_text("\n".join(text))
    return sorted(changes)


def public_objects(module: str) -> Iterator[Any]:
    """Yield the functions and classes of a module, and what the classes define."""
    found = import_module(module)
    for name in found.__all__:
        public = getattr(found, name)
        if inspect.isclass(public) or inspect.isfunction(public):
            yield public
        if inspect.isclass(public):
            members = [getattr(public, member) for member in own_members(public)]
            yield from filter(inspect.isroutine, members)


def own_members(public: type) -> Iterator[str]:
    """Yield the public methods and properties that the class's own package wrote."""
    package = public.__module__.partition(".")[0]
    for name, member in inspect.getmembers_static(public):
        inner = getattr(member, "fget", None) or getattr(member, "__func__", member)
        is_own = inspect.isfunction(inner) and inner.__module__.startswith(package)
        if is_own and not name.startswith("_"):
            yield name


def _changes(module: str, table: Table) -> Iterator[tuple[ast.Constant, list[str], str]]:
    """Yield the docstrings that differ: the place, the new lines and a report."""
    seen = set()
    for public in public_objects(module):
        path = Path(str(inspect.getsourcefile(inspect.unwrap(public))))
        qualified = qualified_name(public)
        where = (path, qualified)
        # A method that two classes inherit is written once.
        if where in seen:
            continue
        seen.add(where)
        text = path.read_text()
        node = _docstring(ast.parse(text), qualified)
        lines = text.split("\n")[node.lineno - 1 : node.end_lineno]
        mended, differing = _mended(public, lines, node.col_offset, table)
        if mended != lines:
            names = ", ".join(sorted(differing)) or "the empty lines"
            yield node, mended, f"{path}:{node.lineno}: {qualified}: {names}"


def _docstring(tree: ast.AST, qualified: str) -> ast.Constant:
    """Return the docstring of a function, class or method in its file, with its place."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    node: Any = tree
    for name in qualified.split("."):
        named = [one for one in node.body if isinstance(one, kinds) and one.name == name]
        node = named[-1]  # after its overloads
    if ast.get_docstring(node) is None:
        raise ValueError(f"{qualified} has no docstring where it is defined.")
    return node.body[0].value


def _mended(
    public: Any, lines: list[str], indent: int, table: Table
) -> tuple[list[str], set[str]]:
    """Return the lines of a docstring with its quotes as they should be."""
    if len(lines) == 1:
        return lines, set()
    # What stands in the line of the quotes is the summary, and no paragraph. What a
    # backslash continues is one line here.
    inner = CONTINUED.sub("\\\\\0", "\n".join(lines[1:-1])).split("\n")
    inner = [line[indent:] if line[:indent].isspace() else line for line in inner]
    mended, differing = mend(public, inner, indent, table)
    padded = [f"{' ' * indent}{line}".rstrip(" ") for line in mended]
    whole = "\n".join(padded).replace("\0", "\n").split("\n")
    return [lines[0], *whole, lines[-1]], differing
