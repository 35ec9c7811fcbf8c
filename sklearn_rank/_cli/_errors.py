"""The error that ends a command with one line and exit code 2."""


class InputError(Exception):
    """Something the user gave cannot be used; the message is one line and says why."""
