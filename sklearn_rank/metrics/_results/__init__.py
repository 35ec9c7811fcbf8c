"""Results from values per query: numbers, tables, curves."""
