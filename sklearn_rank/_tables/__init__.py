"""Read users, items, groups and times from tables."""
