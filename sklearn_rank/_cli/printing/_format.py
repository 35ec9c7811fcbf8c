"""Counts, periods and values in words."""

import pandas as pd

LONGEST_VALUE = 60


def counted(n: int, noun: str) -> str:
    """Return a count and its noun: 1 row, 2,000 rows, 2 queries."""
    several = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else several}"


def shown(value: object) -> str:
    """Return what was given, in quotes, and not more of it than helps."""
    text = str(value)
    return repr(text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}...")


def show_period(times: pd.Series) -> str:
    """Return the first and last time as text."""
    first, last = times.min(), times.max()
    if isinstance(first, pd.Timestamp):
        return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
    return f"{first:.15g} to {last:.15g}"
