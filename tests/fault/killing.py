"""A writer that publishes and appends, killed where it is told to, and what must hold of its home afterwards."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import audit.ledger
from audit.ledger import Ledger, PartDraft, RecordDraft
from audit.lines import LogLines
from audit.parts import PartStore
from audit.verifier import verify_home
from compliance_rag.service.homes import HomeHandle, read_settings
from compliance_rag.store.postings import Postings
from compliance_rag.store.vectors import Vectors
from schemas.home import Home
from tests.service.building import make_home, policy, publish, reopen, staged

BATCH_STEPS = ("indexed", "intent", "ledger", "tables", "published")
LEDGER_STEPS = ("parts", "names", "line", "head")
APPEND_PHASES = (*(f"{when} {step}" for step in LEDGER_STEPS for when in ("before", "after")), "any instant")
PUBLISH_PHASES = (*BATCH_STEPS, *APPEND_PHASES)
"""Where a writer is killed: after each step of a publication, around each step of an append, or by the clock."""


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _around(owner: Any, name: str, phase: str, step: str, countdown: list[int]) -> None:
    real = getattr(owner, name)

    def wrapped(*arguments: Any, **named: Any) -> Any:
        if phase == f"before {step}":
            _tick(countdown)
        done = real(*arguments, **named)
        if phase == f"after {step}":
            _tick(countdown)
        return done

    setattr(owner, name, wrapped)


def _tick(countdown: list[int]) -> None:
    countdown[0] -= 1
    if countdown[0] < 0:
        _die()


def _arm(phase: str, skip: int) -> Callable[[str], None]:
    """Die at the ``skip``-th passing of ``phase``; gives the hook for a publication's own steps."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the service's log is not the test's
    return _wrap_steps(phase, [skip])


def _wrap_steps(phase: str, countdown: list[int]) -> Callable[[str], None]:
    _around(PartStore, "write", phase, "parts", countdown)
    _around(PartStore, "sync", phase, "names", countdown)
    _around(LogLines, "append", phase, "line", countdown)
    _around(audit.ledger, "replace", phase, "head", countdown)

    def at_step(step: str) -> None:
        if step == phase:
            _tick(countdown)

    return at_step


def append_until_killed(root: str, phase: str, skip: int, told: Connection) -> None:
    """In a child: append records of two parts, two at a time, telling each acknowledged one as ``(index, leaf hash)``."""
    _arm(phase, skip)
    ledger = ledger_of(Path(root))
    while True:
        parts = [PartDraft("body", b"b" * 3_000), PartDraft("secret", b"s" * 900, personal=True)]
        for done in ledger.append([RecordDraft("x-note", {"actor": "a"}, parts)] * 2):
            told.send((done.index, done.receipt.leaf_hash))


def publish_until_killed(root: str, start: int, phase: str, skip: int, told: Connection) -> None:
    """In a child: publish versions numbered from ``start`` and append two records after each, telling every acknowledged record
    as ``(index, leaf hash)``; die at the ``skip``-th passing of ``phase``."""
    at_step = _arm(phase, skip)
    handle = make_home(Path(root))
    for number in range(start, start + 1_000):
        publish(handle, staged(handle, policy(number), str(number), f"{1900 + number}-01-01"), checkpoint=at_step)
        size = handle.ledger.size
        told.send((size - 1, handle.ledger.receipt(size - 1).leaf_hash))
        for turn in range(2):
            fields = {"number": number, "turn": turn, "actor": "a"}
            parts = [PartDraft("body", b"b" * 3_000), PartDraft("secret", b"s" * 900, personal=True)]
            (done,) = handle.ledger.append([RecordDraft("x-note", fields, parts)])
            told.send((done.index, done.receipt.leaf_hash))


def command_until_killed(phase: str, arguments: list[str]) -> None:
    """In a child: the real command, killed at the first passing of ``phase``; its output stays its own."""
    import compliance_rag.service.ingest as ingest
    from compliance_rag.faces.cli import main

    at_step = _wrap_steps(phase, [0])
    assert ingest.publish_batch.__kwdefaults__ is not None
    ingest.publish_batch.__kwdefaults__["checkpoint"] = at_step
    main(arguments)


def check_home(handle: HomeHandle, acknowledged: dict[int, str]) -> HomeHandle:
    """Open as any reader would, with nothing repaired by hand, and prove: the ledger verifies, every acknowledged record is
    there unchanged, every version recorded is whole in every store."""
    opened = reopen(handle)
    report = verify_home(handle.home.root)
    assert report["valid"], report["first_bad"]
    for index, leaf in acknowledged.items():
        assert opened.ledger.receipt(index).leaf_hash == leaf, f"acknowledged record {index} is lost"
    corpus = opened.corpus()
    recorded = [header["version_id"] for _, header in opened.ledger.headers(0, {"publication"})]
    assert [row.version_id for row in corpus.versions] == recorded
    for row in corpus.versions:
        clauses = corpus.clauses_of(row.doc_id, row.version_id)
        assert len(clauses) == row.clause_count
        assert all(item.to_object().text == item.clause.text for item in clauses)
    keys = [key for key in corpus.text_keys if key]
    assert (Postings.open(handle.home.postings).rows_of(keys) >= 0).all()
    assert Vectors.open(opened.vectors_uri, opened.embedder.identity).missing(keys) == []
    return opened


def fresh_home(root: Path) -> HomeHandle:
    """A home with one version."""
    handle = make_home(root)
    publish(handle, staged(handle, policy(0), "0", "1899-01-01"))
    return handle


def ledger_of(root: Path) -> Ledger:
    """A home's ledger alone, opened anew."""
    home = Home(root)
    return Ledger.open(home.ledger, origin=read_settings(home).ledger.origin)
