"""How much memory there is, asked before something that may not fit is allocated."""

import os
from pathlib import Path

# Limits of a container, by the two versions of Linux's control groups.
_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def available_memory() -> int | None:
    """Return the bytes that can be had without swapping, None if it is unknown."""
    told = [_free_on_linux(), *map(_limit_of_container, _LIMITS)]
    known = [n_bytes for n_bytes in told if n_bytes is not None]
    return min(known) if known else _physical_memory()


def require_memory(n_bytes: int, purpose: str, instead: str) -> None:
    """Raise where `purpose` takes more memory than there is; say what to do `instead`."""
    available = available_memory()
    if available is not None and n_bytes > available:
        raise ValueError(
            f"{purpose} needs at least {_write(n_bytes)} of memory, but "
            f"{_write(available)} are available. {instead}"
        )


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


def _write(n_bytes: int) -> str:
    units = ("bytes", "kB", "MB", "GB", "TB")
    thousands = min((len(str(n_bytes)) - 1) // 3, len(units) - 1)
    size = float(f"{n_bytes / 1000**thousands:.3g}")
    return f"{size:,.15g} {units[thousands]}"
