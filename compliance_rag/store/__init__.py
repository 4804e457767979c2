"""The only place that opens DuckDB, Lance and the postings."""
