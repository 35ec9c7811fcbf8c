"""Changed operators and numbers that a test should notice: ``python -m tests.mutation``."""
