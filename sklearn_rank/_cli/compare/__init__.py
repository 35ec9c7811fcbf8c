"""`sklearn-rank compare`: runs compared on the same queries."""
