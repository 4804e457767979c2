"""The clause tables as a projection of the ledger: one way to apply records, for publishing, rolling forward and rebuilding."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

from audit.durable import replace, sync_folder
from audit.ledger import Ledger
from audit.roots import CorpusRoot
from compliance_rag.service.records import CORPUS_TYPES, read_event, read_publication
from compliance_rag.store.clauses import ClauseWriter, Placed, publication_fields, write_batch
from compliance_rag.store.publish import copy_name, publish_copy
from schemas.errors import IntegrityError
from schemas.home import Home

Checkpoint = Callable[[str], None]
"""Told the name of each step of a batch once it is durable; tests stop the process there."""


def no_checkpoint(step: str) -> None:
    """Go on."""


def write_intent(home: Home, first: int) -> None:
    """Note that records from ``first`` on may be in the ledger and not yet in the clause tables."""
    home.clauses.mkdir(parents=True, exist_ok=True)
    replace(home.pending, json.dumps({"first": first}).encode())


def read_intent(home: Home) -> int | None:
    """The first record of a batch in flight, None when there is none; 0, so that all is compared, when it is unreadable."""
    try:
        value = json.loads(home.pending.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        return 0
    first = value.get("first") if isinstance(value, dict) else None
    return first if isinstance(first, int) else 0


def clear_intent(home: Home) -> None:
    """The batch is in every store."""
    with suppress(FileNotFoundError):
        home.pending.unlink()
        sync_folder(home.clauses)


def project(source: Home, tables: Home, ledger: Ledger, checkpoint: Checkpoint = no_checkpoint) -> None:
    """Apply the ledger's corpus records that the clause tables lack, publish a copy, and clear the intent.

    ``source`` holds the extracted texts, ``tables`` the clause tables. Needs the writer lock. Raises IntegrityError
    ``corpus_root_mismatch`` when the tables then do not give the ledger's last corpus root; nothing is written then.
    """
    with write_batch(tables) as writer:
        applied = writer.applied
        if applied >= ledger.size:
            raise IntegrityError("clauses_ahead", "The clause tables hold records that the ledger does not; run rebuild.")
        last, recorded = _apply(writer, source, ledger, applied + 1)
        last = max(last, applied)
        root = CorpusRoot(publication_fields(placed.row) for placed in writer.versions()).root
        if recorded is not None and recorded != root:
            raise IntegrityError("corpus_root_mismatch", "The clause tables do not give the ledger's corpus root; run rebuild.")
        writer.set_applied(last, root)
    checkpoint("tables")
    publish_copy(tables, copy_name(last, root))
    checkpoint("published")
    clear_intent(tables)


def _apply(writer: ClauseWriter, source: Home, ledger: Ledger, start: int) -> tuple[int, str | None]:
    """Apply records from ``start`` on; the index of the last one and the corpus root that the last publication names."""
    last, root = -1, None
    latest: dict[str, Placed] = {placed.row.ref: placed for placed in writer.versions()}
    for index, header in ledger.headers(start, CORPUS_TYPES):
        last = index
        if header["type"] != "publication":
            writer.add_event(read_event(header), header["actor"])
            continue
        version = read_publication(ledger, source, header)
        root = header["corpus_root"]
        staged = latest.get(version.row.ref)
        if staged is not None and staged.row.root == version.row.root and staged.row.state == "staged":
            latest[version.row.ref] = writer.add_publication(version.row, staged)
        else:
            latest[version.row.ref] = writer.add_version(version)
    return last, root
