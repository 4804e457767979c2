"""Paths in the home folder: every one is built here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HOME_MARK = "settings.toml"
HOME_FORMAT = 1
LEDGER_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Home:
    """A home folder. Holds no absolute path inside, so it may be moved whole while nothing writes."""

    root: Path

    @property
    def settings(self) -> Path:
        return self.root / HOME_MARK

    @property
    def sources(self) -> Path:
        return self.root / "sources"

    def source(self, sha256: str) -> Path:
        return self.sources / sha256

    @property
    def extracted_dir(self) -> Path:
        return self.root / "extracted"

    def extracted(self, sha256: str) -> Path:
        return self.extracted_dir / f"{sha256}.txt"

    @property
    def ledger(self) -> Path:
        return self.root / "ledger"

    @property
    def clauses(self) -> Path:
        return self.root / "clauses"

    @property
    def clauses_work(self) -> Path:
        return self.clauses / "work.duckdb"

    @property
    def clauses_pointer(self) -> Path:
        return self.clauses / "current"

    def clauses_copy(self, name: str) -> Path:
        return self.clauses / f"clauses.{name}.duckdb"

    @property
    def vectors(self) -> Path:
        return self.root / "vectors"

    @property
    def postings(self) -> Path:
        return self.root / "postings"

    @property
    def dagster(self) -> Path:
        return self.root / "dagster"

    @property
    def quarantine(self) -> Path:
        return self.root / "quarantine"

    @property
    def writer_lock(self) -> Path:
        return self.root / "writer.lock"

    @property
    def request_lock(self) -> Path:
        """Taken while an answer with a request id of its caller's is committed: never two records for one request."""
        return self.root / "requests.lock"

    @property
    def api_keys(self) -> Path:
        """Hashes of the keys that open the HTTP service, with their roles."""
        return self.root / "api-keys.json"

    @property
    def pending(self) -> Path:
        """The intent file of a publication batch in flight; its presence after a crash means: roll forward."""
        return self.clauses / "pending.json"

    @property
    def inbox(self) -> Path:
        return self.root / "inbox"
