"""In-force set, ranking, forced expansion."""
