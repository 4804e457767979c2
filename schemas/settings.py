"""Settings of a home folder (`settings.toml`); the faces overlay the environment, nothing else reads it."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

# ``//user:password@`` of an address.
_USER_INFO = re.compile(r"(//)[^/?#]*@")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelSettings(_Section):
    """The endpoint that writes answers; none by default."""

    base_url: str | None = None
    name: str | None = None
    api_key_env: str = "COMPLIANCE_RAG_KEY"
    timeout: float = 60.0


class EmbedderSettings(_Section):
    """A sentence-transformers model: the packaged one by default, else any name or folder."""

    name: str = "multilingual-e5-small"
    path: str | None = None


class StoreSettings(_Section):
    """Where a store lies; None is the home folder."""

    uri: str | None = None


class LedgerSettings(_Section):
    """The log's name, pinned locally; the witness folder outside the home; and when the schedule starts a checkpoint: after so
    many answers or so many minutes, with the key file that only the checkpoint command reads (none: no schedule)."""

    origin: str = "compliance-rag.local/ledger"
    witness: str | None = None
    checkpoint_key: str | None = None
    every_answers: int = Field(default=100, ge=1)
    every_minutes: int = Field(default=60, ge=1)


class ReviewSettings(_Section):
    """Which answers go to a person: those under a threshold; by reason code or refusal reason, ``route`` says yes or no where
    the default does not suit; and those that cite a clause of these kinds (``obligation``, ``penalty`` …)."""

    thresholds: dict[str, float] = Field(default_factory=dict)
    route: dict[str, bool] = Field(default_factory=dict)
    kinds: tuple[str, ...] = ()


class ReadingSettings(_Section):
    """``layout_model``: the endpoint is asked where headings and paragraphs of documents without numbers begin; it may move
    boundaries, never words."""

    layout_model: bool = False


class PublishingSettings(_Section):
    """Four eyes."""

    second_person: bool = False


class ServiceSettings(_Section):
    """How `serve` works: ``workers`` processes answer questions (None: one for each core; each holds the corpus in memory)."""

    workers: int | None = Field(default=None, ge=1, le=16)


class Settings(_Section):
    """All of ``settings.toml``."""

    format: int = 1
    time_zone: str | None = None
    model: ModelSettings = ModelSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    clauses: StoreSettings = StoreSettings()
    vectors: StoreSettings = StoreSettings()
    ledger: LedgerSettings = LedgerSettings()
    review: ReviewSettings = ReviewSettings()
    publishing: PublishingSettings = PublishingSettings()
    reading: ReadingSettings = ReadingSettings()
    service: ServiceSettings = ServiceSettings()

    def public(self) -> dict[str, Any]:
        """What the ledger keeps of the settings: not where this machine keeps keys and notes, nor how many processes it runs,
        nor a password in an address."""
        value = self.model_dump(mode="json", exclude={"ledger": {"checkpoint_key", "witness"}, "service": True})
        # Left out where nothing is said: records made before these could be set are no change.
        value["review"] = {name: said for name, said in value["review"].items() if said or name == "thresholds"}
        if self.reading == ReadingSettings():
            del value["reading"]
        for section, name in (("model", "base_url"), ("clauses", "uri"), ("vectors", "uri")):
            if value[section][name] is not None:
                value[section][name] = _USER_INFO.sub(r"\1", value[section][name])
        return value
