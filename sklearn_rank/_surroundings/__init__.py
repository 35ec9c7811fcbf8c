"""What surrounds the package: memory, packed files, scikit-learn's callbacks."""
