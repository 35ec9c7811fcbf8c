"""Which versions of this package, of Python and of other packages are installed."""

import platform
import sys
from importlib.metadata import packages_distributions, version

import sklearn_rank

NEEDED = ("scikit-learn", "numpy", "scipy")
_OPTIONAL = (
    "pandas polars pyarrow matplotlib rich lightgbm xgboost catboost implicit dask duckdb "
    "pyspark ray"
)


def versions() -> dict[str, str]:
    """Return the versions that the results of this package depend on, by name."""
    return {
        "sklearn-rank": sklearn_rank.__version__,
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
    distribution = packages_distributions()  # one module may be in several of them
    found = {
        name: version(distribution[name][0]) if name in distribution else "not installed"
        for name in _OPTIONAL.split()
    }
    lines = {"platform": platform.platform(), "executable": sys.executable}
    for name, told in (versions() | found | lines).items():
        print(f"{name:>12}: {told}")
