"""What a metric is: its declaration, its parameters, its summary, and its evaluation."""
