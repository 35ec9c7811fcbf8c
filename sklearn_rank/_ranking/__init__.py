"""The engine: rows of any input, ranked by one sort into a record that metrics see."""
