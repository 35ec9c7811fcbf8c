"""Calls of all public names with hostile values: ``python -m tests.fuzz``."""
