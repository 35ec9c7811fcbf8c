"""Arguments, numbers, ids as codes, runs of rows, exact sums, messages and files."""
