"""The published contracts: models, identifiers, dates, hashes, table DDL. Imports nothing of ours."""
