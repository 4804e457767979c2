"""Run by docling's own Python: the list labels that docling's Word backend computes, for :mod:`eval.word_labels`.

``python peer_docling.py FOLDER OUT``: for each ``.docx`` its pieces of text in order, each with its label or null.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from docling.backend.msword_backend import MsWordDocumentBackend  # type: ignore[import-not-found]
from docling.datamodel.base_models import InputFormat  # type: ignore[import-not-found]
from docling.datamodel.document import InputDocument  # type: ignore[import-not-found]


def pieces(path: Path) -> list[tuple[str | None, str]]:
    """Label and text of each item, in document order."""
    given = InputDocument(path_or_stream=path, format=InputFormat.DOCX, backend=MsWordDocumentBackend)
    document = MsWordDocumentBackend(given, path).convert()
    items = [item for item, _ in document.iterate_items()]
    return [(item.marker if getattr(item, "enumerated", False) else None, getattr(item, "text", "")) for item in items]


if __name__ == "__main__":
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    found = {path.name: pieces(path) for path in sorted(folder.glob("*.docx"))}
    out.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
