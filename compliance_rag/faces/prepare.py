"""Unpack and export the packaged embedder, so that the first question does not wait for it."""

from __future__ import annotations

import sys

from compliance_rag.store.embedder import Embedder
from schemas.settings import EmbedderSettings


def main() -> None:
    """Build what is missing in the user's cache; quick when nothing is."""
    print("preparing the packaged embedder (about 20 s the first time)", file=sys.stderr)
    Embedder.load(EmbedderSettings()).prepare()


if __name__ == "__main__":
    main()
