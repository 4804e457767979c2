"""A home on a medium that nobody can write: what was acknowledged can be read and proved, what needs a record says so."""

from __future__ import annotations

import errno
import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from audit.verifier import verify_home
from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import ask, search
from compliance_rag.service.homes import open_home
from compliance_rag.service.reconstruct import reconstruct
from schemas.errors import IntegrityError
from tests.embedding import HashingEmbedder
from tests.service.test_ask import QUESTION, V1, put, request


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Any]:
    """A home that has answered, then made unwritable: every opening for writing below it fails as on a read-only medium."""
    root = tmp_path / "home"
    handle = open_home(root, create=True, embedder=HashingEmbedder())
    put(handle, tmp_path, "policy", "1", "2020-01-01", V1)
    answer = ask(handle, request(QUESTION))
    handle.forget()
    for name in ("lock", "erasing.lock"):
        (root / "ledger" / name).unlink(missing_ok=True)
    (root / "writer.lock").unlink(missing_ok=True)
    real = os.open

    def refusing(path: Any, flags: int, *arguments: Any, **named: Any) -> int:
        if str(path).startswith(str(root)) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return real(path, flags, *arguments, **named)

    monkeypatch.setattr(os, "open", refusing)
    return root, answer


def test_reads_work_and_answers_say_why_not(read_only: tuple[Path, Any]) -> None:
    """Documents, search, past answers and the verifier work; `ask` is refused in one sentence, and nothing is changed."""
    root, answer = read_only
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    handle = open_home(root, embedder=HashingEmbedder())
    corpus = handle.corpus()
    assert [row.version for row in corpus.versions] == ["1"]
    assert search(handle, Query("customer record", date(2025, 1, 1), datetime(2999, 1, 1, tzinfo=UTC))).hits
    assert reconstruct(handle, answer.answer_id)["seen"]["answer"] == answer.answer
    assert verify_home(root)["valid"]
    with pytest.raises(IntegrityError) as caught:
        ask(handle, request(QUESTION))
    assert caught.value.code == "ledger_unwritable"
    assert "can't be written (Read-only file system)" in caught.value.message
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
