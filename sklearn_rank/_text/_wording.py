"""How errors show what was given."""

import re

# Scalars of NumPy, which errors show as those of Python.
_NUMPY = re.compile(r"\bnp\.(?:(?:u?int|float|str|bool)\w*\(([^()]*)\)|(True|False)_)")


def shorten(value: object, most: int = 60) -> str:
    """Return how errors show a value: its repr, cut where it is long."""
    if isinstance(value, int) and abs(value) > 10**most:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    except ValueError:  # it holds an integer of more digits than Python writes
        return f"a very long {type(value).__name__}"
    text = _NUMPY.sub(r"\1\2", text)
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def counted(n: int, noun: str) -> str:
    """Return a count and its noun: 1 row, 2,000 rows, 2 queries."""
    several = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else several}"
