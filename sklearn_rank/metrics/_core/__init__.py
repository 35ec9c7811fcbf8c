"""The core of metrics: declaration, parameters, summary and evaluation."""
