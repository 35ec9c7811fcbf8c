"""Time and memory of the package beside its peers: python -m tests.benchmarks."""
