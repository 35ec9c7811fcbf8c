"""Pictures of metrics, in the manner of scikit-learn's displays."""
