"""Tables of values per query: their columns, how they are read, and their sums."""
