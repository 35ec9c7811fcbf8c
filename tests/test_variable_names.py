"""Variables are named by nouns of the field."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "sklearn_rank"
# Fields of results, which are public.
PUBLIC = {
    "metrics/_results/_difference_explanation.py": {"found"},
    "online/_named_results.py": {"other"},
}
FILLERS = {
    *("found", "one", "given", "known", "named", "told", "said", "how", "some", "few"),
    *("what", "whole", "apart", "beside", "meant", "thing", "things", "stuff"),
}
# Words of the field in some folders: a place is a rank that a row may hold.
DOMAIN_WORDS = {"place": ("_ranking",), "shown": ("_families", "_ranking", "_core")}
# `other` is the second operand of a method, as in Python's own documentation.
OPERANDS = {"other", "others"}


def filler_names(path: Path) -> Iterator[tuple[str, int]]:
    """Yield filler names of variables and of parameters of private functions."""
    banned = FILLERS | {
        word for word, parts in DOMAIN_WORDS.items() if not set(parts) & set(path.parts)
    }
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    members = [node for c in classes if not c.name.startswith("_") for node in c.body]
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            if node.id in banned | OPERANDS:
                yield node.id, node.lineno
        elif isinstance(node, ast.Lambda | ast.FunctionDef):
            name = getattr(node, "name", "_lambda")
            if not name.startswith("_") or (name == "__init__" and node in members):
                continue  # its parameters are API
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            is_method = bool(arguments) and arguments[0].arg in ("self", "cls")
            for argument in arguments:
                if argument.arg in (banned if is_method else banned | OPERANDS):
                    yield argument.arg, argument.lineno


def test_no_variable_has_a_filler_name():
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        names = [pair for pair in filler_names(path) if pair[0] not in PUBLIC.get(name, ())]
        if names:
            lines = ", ".join(f"{word} (line {line})" for word, line in names)
            wrong.append(f"{name}: {lines}")
    assert not wrong, "\n".join(wrong)
