"""What `tune` and `rank` share: a search, and a comparison with the winner."""
