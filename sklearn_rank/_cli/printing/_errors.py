"""The error that ends a command with one line and exit code 2."""


class InputError(Exception):
    """Something the user gave cannot be used; the message is one line and says why."""


class MissingColumn(InputError):
    """A file has not the column that it needs for a role."""

    def __init__(self, message: str, role: str, n_columns: int):
        super().__init__(message)
        self.role = role
        self.n_columns = n_columns
