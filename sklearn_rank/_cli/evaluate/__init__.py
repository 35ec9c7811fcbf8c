"""`sklearn-rank evaluate`: metrics of lists, and of rows that may not fit memory."""
