"""Arithmetic on arrays: runs of rows, blocks, packed keys, exact sums."""
