"""Words and tables of plain text."""
