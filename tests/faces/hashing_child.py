"""The ingest process of the service with the tests' embedder, which loads no model."""

from __future__ import annotations

import json
import sys

from compliance_rag.faces.ingest.child import run
from tests.embedding import HashingEmbedder

if __name__ == "__main__":
    run(json.load(sys.stdin), HashingEmbedder())
