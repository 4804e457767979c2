"""A clause shown where it stands: its page with the words highlighted, or its text in context with the words marked."""

from __future__ import annotations

from typing import Literal

from compliance_rag.service.reads import extracted_text
from compliance_rag.show.context import context_html, picture_html
from compliance_rag.show.page import boxes_png
from compliance_rag.store.corpus import EVERYTHING, Corpus
from compliance_rag.store.rows import StoredClause, VersionRow
from compliance_rag.store.timeline import Knowledge
from schemas.canonical import sha256_hex
from schemas.errors import IntegrityError, UsageError
from schemas.home import Home

ShownAs = Literal["png", "html"]


def shown_clause(corpus: Corpus, home: Home, name: str, kind: ShownAs, knowledge: Knowledge = EVERYTHING) -> bytes:
    """The clause with this id as one file of bytes. ``png``: the pages it is printed on; ``html``: the same in a page where the
    source has pages, else the extracted text around it with its words marked.

    Raises NotFound as :meth:`Corpus.clause`; UsageError ``no_pages`` for a picture of a source without pages; IntegrityError
    ``source_missing``, ``source_damaged``, ``extracted_missing``, ``extracted_damaged``.
    """
    found = corpus.clause(name, knowledge)
    clause, row = found.clause, found.version
    if clause.boxes:
        png = boxes_png(source_bytes(home, row), clause.boxes)
        if kind == "png":
            return png
        alt = f"{clause.label} {clause.heading}\n{clause.text}".strip()
        return picture_html(png, title=_title(found), about=_about(row), language=row.language, alt=alt).encode()
    if kind == "png":
        raise UsageError("no_pages", f"{name}: its source has no pages to draw; give a file that ends in .html.", "--show")
    head = [span for span in (clause.label_span, clause.heading_span) if span is not None]
    text = extracted_text(home, row)
    page = context_html(text, clause.spans, title=_title(found), about=_about(row), language=row.language, head=head)
    return page.encode()


def source_bytes(home: Home, row: VersionRow) -> bytes:
    """The source file of a version, its hash checked now. Raises IntegrityError ``source_missing``, ``source_damaged``."""
    path = home.source(row.source_sha256)
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise IntegrityError("source_missing", f"The source file of {row.ref} is gone from the home.", path.name) from error
    if sha256_hex(data) != row.source_sha256:
        raise IntegrityError("source_damaged", f"The source file of {row.ref} is damaged.", path.name)
    return data


def _title(found: StoredClause) -> str:
    clause = found.clause
    return f"{found.version.title}: {clause.number or ''} {clause.heading}".replace(":  ", ": ").strip(" :")


def _about(row: VersionRow) -> str:
    return f"{row.ref}, {row.version}"
