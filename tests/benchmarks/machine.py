"""What the figures depend on: the machine and the versions."""

import os
import platform
from importlib import metadata
from pathlib import Path

__all__ = ["describe_machine", "installed_versions"]

PACKAGES = (
    "sklearn-rank",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "ranx",
    "numba",
    "pytrec_eval-terrier",
    "torch",
    "torchmetrics",
    "implicit",
)


def installed_versions() -> dict[str, str]:
    """Return the version of each package, "not installed" for those that are not."""
    return {package: _version(package) for package in PACKAGES}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def describe_machine() -> dict[str, str]:
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load": _load(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    """Return the name, with family and model, which tell processors of one name apart."""
    about = Path("/proc/cpuinfo")
    if not about.exists():
        return platform.processor() or platform.machine()
    lines = (line.partition(":") for line in about.read_text().splitlines())
    found = {key.strip(): value.strip() for key, _, value in lines}
    if "model name" not in found:
        return platform.machine()
    return "{model name} (family {cpu family}, model {model})".format(**found)


def _load() -> str:
    """Return how many processes wanted a core in the last minute: above `cores` is busy."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
