"""The machine: its memory, and the versions of what is installed."""

import os
import platform
import sys
from pathlib import Path

# Of this package; the build reads it here.
__version__ = "0.1.0.dev0"

# Memory is checked before an array that may not fit is allocated.

# Limits of a container, by the two versions of Linux's control groups.
_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def available_memory() -> int | None:
    """Return the bytes that can be had without swapping, None if it is unknown."""
    limits = [_free_on_linux(), *map(_limit_of_container, _LIMITS)]
    sizes = [n_bytes for n_bytes in limits if n_bytes is not None]
    return min(sizes) if sizes else _physical_memory()


def require_memory(n_bytes: int, purpose: str, instead: str) -> None:
    """Raise where `purpose` takes more memory than there is; say what to do `instead`."""
    available = available_memory()
    if available is not None and n_bytes > available:
        raise ValueError(
            f"{purpose} needs at least {_format_bytes(n_bytes)} of memory, but "
            f"{_format_bytes(available)} are available. {instead}"
        )


def require_columns(n_columns: int, name: str) -> None:
    """Raise where sparse rows have too many columns for an array with one value each."""
    purpose = f"An array for the {n_columns:,} columns of `{name}`"
    require_memory(8 * n_columns, purpose, "Leave out columns without a value.")


def _free_on_linux() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _limit_of_container(path: Path) -> int | None:
    try:
        text = path.read_text("ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None  # "max" where there is no limit


def _physical_memory() -> int | None:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None  # Windows
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _format_bytes(n_bytes: int) -> str:
    units = ("bytes", "kB", "MB", "GB", "TB")
    thousands = min((len(str(n_bytes)) - 1) // 3, len(units) - 1)
    size = float(f"{n_bytes / 1000**thousands:.3g}")
    return f"{size:,.15g} {units[thousands]}"


NEEDED = ("scikit-learn", "numpy", "scipy")
_OPTIONAL = (
    "pandas polars pyarrow matplotlib rich lightgbm xgboost catboost implicit dask duckdb "
    "pyspark ray"
)


def versions() -> dict[str, str]:
    """Return the versions that the results of this package depend on, by name."""
    # Slow, and `--help` needs only this package's version.
    from importlib.metadata import version

    return {
        "sklearn-rank": __version__,
        **{name: version(name) for name in NEEDED},
        "python": platform.python_version(),
    }


def show_versions() -> None:
    """Print the versions of this package, of Python and of what it works with.

    Add them to the report of an error. No package is imported to find its version.

    See Also
    --------
    sklearn.show_versions : The same for scikit-learn.

    Examples
    --------
    >>> import sklearn_rank
    >>> sklearn_rank.show_versions()  # doctest: +SKIP
    """
    from importlib.metadata import packages_distributions, version

    distribution = packages_distributions()  # one module may be in several of them
    machine = {
        name: version(distribution[name][0]) if name in distribution else "not installed"
        for name in _OPTIONAL.split()
    }
    lines = {"platform": platform.platform(), "executable": sys.executable}
    for name, value in (versions() | machine | lines).items():
        print(f"{name:>12}: {value}")
