"""The yardstick of the retrieval bench: a bare LanceDB hybrid query over the same texts and vectors, nothing of ours around it.

No answer is ever made from it: its statistics come from everything ever indexed, and no day or permission is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

TABLE = "bare"


class BareHybrid:
    """One LanceDB table with a full-text index and flat vectors, as LanceDB's documentation builds it."""

    def __init__(self, folder: Path, texts: Sequence[str], vectors: npt.NDArray[np.float32]) -> None:
        """Write ``texts`` with their ``vectors`` (n, d) under ``folder`` and index the texts."""
        import lancedb
        import pyarrow as pa

        flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1), pa.float32()), vectors.shape[1])
        rows = pa.table({"id": pa.array(range(len(texts)), pa.int64()), "text": pa.array(texts), "vector": flat})
        self._table: Any = lancedb.connect(str(folder)).create_table(TABLE, data=rows)
        self._table.create_fts_index("text")

    def search(self, text: str, vector: npt.NDArray[np.float32], limit: int) -> list[int]:
        """Row numbers of the ``limit`` best by LanceDB's default mix of both rankings."""
        query = self._table.search(query_type="hybrid", vector_column_name="vector", fts_columns="text")
        found = query.vector(vector).text(text).limit(limit).to_arrow()
        ids: list[int] = found["id"].to_pylist()
        return ids
