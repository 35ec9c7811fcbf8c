"""What is made of the values of queries: numbers, tables, curves."""
