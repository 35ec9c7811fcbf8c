"""The search of `tune` and `rank`, and the comparison with the winner."""
