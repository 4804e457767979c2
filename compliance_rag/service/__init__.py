"""What the faces and the pipelines call: ingest, reads, questions, time, rebuild."""
