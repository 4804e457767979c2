"""A small home with publications, answers and other records, written by the real ledger."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from audit.ledger import Committed, Ledger, PartDraft, RecordDraft
from audit.roots import CorpusRoot, clauses_part, version_root

ORIGIN = "example.test/ledger"
WHO = {"actor": "ana", "actor_auth": "asserted"}


def digest(data: bytes) -> str:
    """sha256, hex."""
    return hashlib.sha256(data).hexdigest()


class SampleHome:
    """Publishes documents of one line per clause and answers from them."""

    def __init__(self, root: Path, origin: str = ORIGIN) -> None:
        self.root = root
        for name in ("sources", "extracted"):
            (root / name).mkdir(parents=True, exist_ok=True)
        self.ledger = Ledger.open(root / "ledger", origin=origin, create=True)
        self.corpus = CorpusRoot()
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.texts: dict[str, list[str]] = {}
        self.answers = 0

    def publish(self, doc: str, version: str, start: str, texts: list[str], **fields: Any) -> Committed:
        """One version; clause n is ``texts[n-1]``."""
        source = f"# {doc} {version}\n".encode() + "\n".join(texts).encode()
        extracted = "\n".join(texts)
        (self.root / "sources" / digest(source)).write_bytes(source)
        (self.root / "extracted" / f"{digest(extracted.encode())}.txt").write_text(extracted, encoding="utf-8")
        rows, at = [], 0
        for number, text in enumerate(texts, 1):
            rows.append(
                {
                    "path": str(number), "sha256": digest(text.encode()), "number": str(number), "heading": f"Heading {number}",
                    "effective_from": None, "effective_to": None, "spans": [[at, at + len(text)]], "page": 1,
                    "boxes": [[1, 72000, 72000 * number, 540000, 80000 * number]],
                }
            )  # fmt: skip
            at += len(text) + 1
        header = {
            "doc_id": doc, "version": version, "version_id": version, "effective_from": start, "effective_to": None,
            "published_on": None, "status": "official", "language": "en", "source_sha256": digest(source),
            "extracted_sha256": digest(extracted.encode()), "parser": "test 1", "root": version_root(rows), **WHO, **fields,
        }  # fmt: skip
        header["corpus_root"] = self.corpus.add(header)
        draft = RecordDraft("publication", header, [PartDraft("clauses", clauses_part(rows))])
        self.rows[f"{doc}@{version}"], self.texts[f"{doc}@{version}"] = rows, texts
        return self.ledger.append([draft])[0]

    def answer(
        self, ref: str, number: int, as_of: str, question: str = "How long?", **change: Any
    ) -> tuple[Committed, dict[str, Any]]:
        """An answer citing one clause; gives the record and the JSON as shown, receipt included."""
        self.answers += 1
        row, text = self.rows[ref][number - 1], self.texts[ref][number - 1]
        citation = {
            "n": 1, "clause_id": f"{ref}#{number}", "sha256": row["sha256"], "text": text, "quote": text[2:9],
            "role": "primary", "quote_span": [2, 9],
            "checks": {"exists": True, "in_force": True, "hash": True, "quote": True, "supports": True},
            **change.pop("citation", {}),
        }  # fmt: skip
        shown = {
            "answer_id": f"a{self.answers}", "request_id": f"r{self.answers}", "status": "answered", "question": question,
            "as_of": as_of, "known_at": "2999-01-01T00:00:00.000000Z", "known_basis": "recorded",
            "corpus_root": self.corpus.root, "answer": text, "citations": [citation], "retrieval_confidence": 0.5, **change,
        }  # fmt: skip
        names = ("answer_id", "request_id", "as_of", "known_at", "corpus_root", "status")
        header = {name: shown[name] for name in names} | WHO
        header["cited"] = [{"clause_id": citation["clause_id"], "sha256": citation["sha256"]}]
        parts = [
            PartDraft("question", question.encode(), personal=True),
            PartDraft("answer", json.dumps(shown, ensure_ascii=False).encode(), personal=True),
            PartDraft("settings", b"{}"),
        ]
        committed = self.ledger.append([RecordDraft("answer", header, parts)])[0]
        return committed, {**shown, "ledger": committed.receipt.model_dump()}

    def note(self, text: str = "note") -> Committed:
        """A record of a type no release knows."""
        return self.ledger.append([RecordDraft("x-note", {"text": text, **WHO}, [PartDraft("body", text.encode())])])[0]


def filled(root: Path, records: int = 8) -> SampleHome:
    """A home of ``records`` records (at least 3): two versions of a policy, then answers and notes by turns."""
    home = SampleHome(root)
    home.publish("policy", "1", "2020-01-01", ["Records are kept for five years.", "Fees are due in May."])
    home.publish("policy", "2", "2024-01-01", ["Records are kept for seven years.", "Fees are due in June. 费用六月到期。"])
    while home.ledger.size < records:
        if home.ledger.size % 3 == 1:
            home.note(f"note {home.ledger.size}")
        else:
            home.answer(
                "policy@2" if home.ledger.size % 2 else "policy@1", 1, "2024-05-01" if home.ledger.size % 2 else "2021-05-01"
            )
    return home
