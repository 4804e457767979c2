"""Lineage and what changed between two versions."""
