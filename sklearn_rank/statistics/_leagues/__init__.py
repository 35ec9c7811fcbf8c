"""Several models on several data sets: means, ranks that hold together, a table."""
