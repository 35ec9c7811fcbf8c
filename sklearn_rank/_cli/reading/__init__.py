"""What users pass: logs, lists, runs and queries in files, checked."""
