"""Read numbers of users: arrays of any type, missing values, sparse matrices."""
