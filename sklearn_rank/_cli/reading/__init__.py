"""Read and check the files of users: logs, lists, runs and queries."""
