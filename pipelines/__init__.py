"""Thin Dagster: partitions, assets, checks, resources, sensor."""
