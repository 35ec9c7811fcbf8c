"""What the figures depend on: the machine and the versions."""

import os
import platform
from importlib import metadata
from pathlib import Path

import numpy as np

__all__ = ["describe_machine", "dispatched", "installed_versions"]

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
        "sorts": _sorts(),
        "load": _load(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def dispatched() -> list[str]:
    """Return the features of the processor that NumPy has faster code for, and uses."""
    config = np.show_config(mode="dicts")
    return config["SIMD Extensions"].get("found", []) if config else []


def _sorts() -> str:
    """Return what NumPy's sorts are made for, which decides how long they take."""
    features = " ".join(dispatched())
    for name, signs in (("AVX-512", ("AVX512", "X86_V4")), ("AVX2", ("AVX2", "X86_V3"))):
        if any(sign in features for sign in signs):
            return f"with {name}"
    return "with SVE" if "SVE" in features else "plain"


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
