"""Functions that make tables of several libraries from a pandas DataFrame."""

import pytest

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

LIBRARIES = [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas]
