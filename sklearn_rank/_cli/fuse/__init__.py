"""`sklearn-rank fuse`: several runs of the same queries as one."""
