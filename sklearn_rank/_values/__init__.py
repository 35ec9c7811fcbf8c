"""What users give as numbers: arrays of any type, missing values, sparse matrices."""
