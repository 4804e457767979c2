"""Thin Dagster: partitions, assets, checks, resources, sensor."""

import warnings

# Dagster warns of its beta backfill policies at every import; the choice is stated in the README.
warnings.filterwarnings("ignore", message=".*backfill_policy.*")
