"""A deterministic embedder for tests: hashed terms, unit rows. No model is loaded; the same text gives the same vector."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from compliance_rag.store.tokens import terms

DIMENSION = 384


class HashingEmbedder:
    """Stands where ``Embedder`` stands."""

    identity = {"name": "hashing", "source": "tests", "sha256": "0" * 64, "passages": "fp32", "questions": "fp32"}  # noqa: RUF012

    def encode_passages(self, texts: Sequence[str], progress: object = None) -> npt.NDArray[np.float32]:
        """Unit rows (n, 384)."""
        return np.stack([self.encode_query(text) for text in texts]) if texts else np.zeros((0, DIMENSION), np.float32)

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        """Unit row (384,)."""
        row = np.zeros(DIMENSION, np.float64)
        for term in terms(text):
            digest = hashlib.sha256(term.encode()).digest()
            row[int.from_bytes(digest[:4]) % DIMENSION] += 1 if digest[4] & 1 else -1
        length = np.linalg.norm(row)
        if not length:
            row[0] = length = 1.0
        return (row / length).astype(np.float32)
