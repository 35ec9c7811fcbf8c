"""`sklearn-rank evaluate`: metrics of Parquet files that may be larger than memory."""
