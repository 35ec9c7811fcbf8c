"""What the results of this module share: rows by name, and a frame."""

from sklearn_rank.metrics._core._per_query import import_pandas
from sklearn_rank.statistics._columns import as_columns, as_rows


class Result:
    """Rows of a result, all with the same columns."""

    def __init__(self, rows, *, settings=None):
        self.columns = as_columns(rows)
        self.settings = dict(settings or {})

    def __len__(self):
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def rows(self):
        """All rows.

        Returns
        -------
        rows : list of Bunch
            The columns of each row by name, as attributes too.
        """
        return as_rows(self.columns)

    def to_frame(self):
        """The rows as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            A row a comparison.
        """
        return import_pandas("to_frame").DataFrame(self.columns)
