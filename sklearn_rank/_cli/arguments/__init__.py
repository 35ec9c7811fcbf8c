"""Arguments that several commands share, their types, and metrics by name."""
