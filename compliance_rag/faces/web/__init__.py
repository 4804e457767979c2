"""The page: ask, read the source beside the answer, compare, review, audit. Rendered here, nothing fetched from elsewhere."""
