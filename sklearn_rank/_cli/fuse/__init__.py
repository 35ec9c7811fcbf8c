"""`sklearn-rank fuse`: combine several runs of the same queries into one."""
