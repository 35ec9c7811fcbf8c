"""What users keep: files that appear complete, or not at all."""
