"""How numbers are written for people: the same in text, tables, pages and pictures."""


def format_percent(share: float) -> str:
    """Return a share as a percentage, such as 95%."""
    return f"{100 * share:g}%"


def name_interval(level: float) -> str:
    """Return the name of an interval, such as 95% interval."""
    return f"{format_percent(level)} interval"


def format_interval(low: float, high: float, shown: str = ".4f") -> str:
    """Return an interval in brackets, its ends in a format."""
    return f"[{low:{shown}}, {high:{shown}}]"
