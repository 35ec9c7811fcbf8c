"""Functions that make tables of several libraries from a pandas DataFrame.

They import their library when they are called, so tests are skipped if it is missing.
"""


def as_pandas(frame):
    return frame


def as_polars(frame):
    import polars

    return polars.from_pandas(frame)


def as_arrow(frame):
    import pyarrow

    return pyarrow.Table.from_pandas(frame)


LIBRARIES = [as_pandas, as_polars, as_arrow]
