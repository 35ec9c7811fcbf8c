"""The engine: rank the rows of any input by one sort into a record for metrics."""
