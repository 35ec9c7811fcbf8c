"""Metrics by name: the registry, the grammar of names, conventions of libraries."""
