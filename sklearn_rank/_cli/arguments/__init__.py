"""What several commands take: arguments, their types, metrics by name."""
