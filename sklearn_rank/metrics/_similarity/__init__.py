"""How alike two rankings are: overlaps of lists, and the correlation of orders."""
