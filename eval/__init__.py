"""Gold sets, scorers, baselines, reports."""
