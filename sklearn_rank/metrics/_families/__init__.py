"""The metrics, a file for each family: kernels and public functions."""
