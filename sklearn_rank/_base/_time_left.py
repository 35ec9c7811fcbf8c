"""The time that work still takes, in words."""

# No estimate before this many seconds and this share of the work.
SHORT = 2.0
LEAST_SHARE = 0.05
# Lines of progress come at least so often.
SECONDS_BETWEEN_LINES = 30
UNITS = ((3600.0, "h"), (60.0, "min"), (1.0, "s"))


def describe_time_left(elapsed: float, share: float) -> str:
    """Return an estimate such as "about 2 min left" after a share of the work, or ""."""
    if share >= 1 or elapsed < SHORT or share < LEAST_SHARE:
        return ""
    return f"about {describe_duration(elapsed * (1 / share - 1))} left"


def describe_duration(seconds: float) -> str:
    """Return seconds in the largest unit with a value of at least 2."""
    size, unit = next((u for u in UNITS if seconds >= 2 * u[0]), UNITS[-1])
    return f"{max(round(seconds / size), 1)} {unit}"
