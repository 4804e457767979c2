"""Ingest for the service: batches of files that people send, each ingested by a process of its own."""
