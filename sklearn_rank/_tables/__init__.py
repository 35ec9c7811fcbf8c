"""Tables: where users, items, groups and times come from."""
