"""Small changes of source, each of one operator, comparison, word or number."""

import ast
from dataclasses import dataclass

COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
OPERATORS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
WORDS = {"and": "or", "or": "and"}
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min", "maximum": "minimum"}
NAMES |= {"minimum": "maximum", "left": "right", "right": "left", "floor": "ceil"}


@dataclass(frozen=True)
class Mutant:
    """A change of one place, which lies in one line."""

    line: int
    start: int  # in bytes, as in ast
    end: int
    old: str
    new: str

    def of(self, source):
        """Return the source with the change."""
        lines = source.encode().splitlines(keepends=True)
        line = lines[self.line - 1]
        new = line[: self.start] + self.new.encode() + line[self.end :]
        lines[self.line - 1] = new
        return b"".join(lines).decode()


def mutants_of(source):
    """Return all mutants within functions, but of annotations, docstrings and errors."""
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    return finder.found


class _Finder(ast.NodeVisitor):
    def __init__(self, source):
        self.lines = [line.encode() for line in source.splitlines()]
        self.found = []
        self.depth = 0

    def visit_FunctionDef(self, node):
        self.depth += 1
        for statement in node.body:
            self.visit(statement)
        self.depth -= 1

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node):
        """Leave out what errors say."""

    visit_JoinedStr = visit_Assert = visit_Raise

    def visit_Compare(self, node):
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        for before, operator, after in zip(sides, node.ops, sides[1:], strict=False):
            self._between(before, after, COMPARISONS.get(type(operator)))

    def visit_BinOp(self, node):
        self.generic_visit(node)
        self._between(node.left, node.right, OPERATORS.get(type(node.op)))

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        word = "and" if isinstance(node.op, ast.And) else "or"
        for before, after in zip(node.values, node.values[1:], strict=False):
            self._between(before, after, (word, WORDS[word]))

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        signs = {ast.Not: "not ", ast.USub: "-", ast.Invert: "~"}
        sign = signs.get(type(node.op))
        if sign and not isinstance(node.operand, ast.Constant):
            self._add(node.lineno, node.col_offset, sign, "")

    def visit_Constant(self, node):
        if isinstance(node.value, bool):
            self._add(node.lineno, node.col_offset, str(node.value), str(not node.value))
        elif isinstance(node.value, int | float):
            old = ast.get_source_segment(b"\n".join(self.lines).decode(), node)
            self._add(node.lineno, node.col_offset, old, repr(node.value + 1))

    def visit_Name(self, node):
        self._name(node.id, node.lineno, node.col_offset)

    def visit_Attribute(self, node):
        self.generic_visit(node)
        self._name(node.attr, node.end_lineno, node.end_col_offset - len(node.attr))

    def _name(self, name, line, start):
        if name in NAMES:
            self._add(line, start, name, NAMES[name])

    def _between(self, before, after, change):
        if change is None:
            return
        first = before.end_lineno, before.end_col_offset
        for line in range(before.end_lineno, after.lineno + 1):
            start = first[1] if line == first[0] else 0
            end = after.col_offset if line == after.lineno else None
            text = self.lines[line - 1][start:end]
            place = text.find(change[0].encode())
            if place >= 0:
                self._add(line, start + place, *change)
                return

    def _add(self, line, start, old, new):
        end = start + len(old.encode())
        if self.depth and self.lines[line - 1][start:end] == old.encode():
            self.found.append(Mutant(line, start, end, old, new))
