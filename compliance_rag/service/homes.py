"""Opening a home: its settings, its ledger, and whether its clause tables say what the ledger says."""

from __future__ import annotations

import secrets
import threading
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from audit.durable import replace
from audit.ledger import Ledger
from compliance_rag.service.project import project, read_intent
from compliance_rag.service.records import CORPUS_TYPES
from compliance_rag.store.attach import clause_home
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.lock import try_writer_lock, writer_lock
from compliance_rag.store.publish import current_copy
from schemas.dates import zone
from schemas.errors import ComplianceError, InputRejected, IntegrityError, NotFound
from schemas.home import HOME_FORMAT, HOME_MARK, Home
from schemas.settings import Settings

# What may stand in a folder that is to become a home: traces of a creation that was cut off, and folders a user prepares.
EARLY_NAMES = frozenset({"writer.lock", "ledger", "inbox", "dagster"})
# A log's name is its own, so that no head, note or receipt of one home is taken for another's: 64 random bits.
ORIGIN_PREFIX = "compliance-rag.local/"
ORIGIN_BYTES = 8
# A reader may see the moment between a writer's copy and the end of its batch; it looks again this often.
LOOKS = 5


class PassageEmbedder(Protocol):
    """What ingest needs of an embedder; ``store.embedder.Embedder`` has it."""

    identity: dict[str, str]

    def encode_passages(self, texts: Sequence[str], progress: Any = None) -> npt.NDArray[np.float32]:
        """Unit rows (n, dimension)."""

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        """Unit row (dimension,)."""


class HomeHandle:
    """An open home. ``tables`` is where its clause tables lie (the home itself unless settings say otherwise)."""

    def __init__(self, home: Home, settings: Settings, ledger: Ledger, embedder: PassageEmbedder | None) -> None:
        self.home = home
        self.settings = settings
        self.ledger = ledger
        self.tables = clause_home(home, settings.clauses.uri)
        self._embedder = embedder
        self._corpus: Corpus | None = None
        self._guard = threading.Lock()
        self._loading = threading.Lock()

    @property
    def embedder(self) -> PassageEmbedder:
        """The embedder of the settings, loaded when first asked for. Raises InputRejected ``unknown_embedder``."""
        with self._loading:
            if self._embedder is None:
                from compliance_rag.store.embedder import Embedder

                self._embedder = Embedder.load(self.settings.embedder)
            return self._embedder

    def use(self, embedder: PassageEmbedder) -> None:
        """Embed by this one from now on."""
        with self._loading:
            self._embedder = embedder

    @property
    def vectors_uri(self) -> str:
        """Where the vectors lie."""
        return self.settings.vectors.uri or str(self.home.vectors)

    def corpus(self) -> Corpus:
        """The current snapshot; opened anew when a writer has published another."""
        with self._guard:
            current = current_copy(self.tables)
            if self._corpus is None or self._corpus.path != current:
                self._corpus = Corpus(current)
            return self._corpus

    def forget(self) -> None:
        """Let the snapshot go, before its file is replaced."""
        with self._guard:
            if self._corpus is not None:
                self._corpus.close()
            self._corpus = None


def open_home(
    root: Path,
    *,
    create: bool = False,
    overlay: Mapping[str, Any] | None = None,
    embedder: PassageEmbedder | None = None,
    check: bool = True,
) -> HomeHandle:
    """Open the home at ``root``; ``create`` makes one where nothing is. ``overlay`` goes over settings.toml.

    A batch that a dead writer left half applied is rolled forward. ``check`` False leaves the clause tables unread (rebuild).
    Raises NotFound ``no_home``; InputRejected ``not_a_home``, ``home_newer``, ``bad_settings``; IntegrityError
    ``settings_missing``, ``clauses_missing``, ``clauses_damaged``, ``clauses_behind``, ``clauses_ahead``, ``clauses_foreign``,
    and the ledger's.
    """
    home = Home(root)
    if create:
        create = _create(home)
    elif not root.exists() or (root.is_dir() and not any(root.iterdir())):
        raise NotFound("no_home", f"There is no home at {root.name!r}; add a document first.", str(root))
    settings = read_settings(home, overlay)
    ledger = Ledger.open(home.ledger, origin=settings.ledger.origin, create=create)
    handle = HomeHandle(home, settings, ledger, embedder)
    if check:
        settle(handle)
    return handle


def read_settings(home: Home, overlay: Mapping[str, Any] | None = None) -> Settings:
    """``settings.toml`` with ``overlay`` over it. Raises InputRejected ``not_a_home``, ``home_newer``, ``bad_settings``,
    ``unknown_time_zone``; IntegrityError ``settings_missing``."""
    try:
        value = tomllib.loads(home.settings.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _unnamed(home) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputRejected("bad_settings", f"{HOME_MARK} cannot be read: {error}.", HOME_MARK) from error
    number = value.get("format")
    if type(number) is not int:
        raise _foreign(home)
    if number > HOME_FORMAT:
        raise InputRejected(
            "home_newer", f"This home has format {number}, this release reads {HOME_FORMAT}; update it.", HOME_MARK
        )
    try:
        settings = Settings.model_validate(_laid_over(value, overlay or {}))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise InputRejected("bad_settings", f"Setting {where}: {first['msg']}.", where) from error
    if settings.time_zone is not None:
        zone(settings.time_zone)
    return settings


def _foreign(home: Home) -> InputRejected:
    name = home.root.name
    return InputRejected(
        "not_a_home", f"{name!r} is not a home of ours; name an empty folder or one made by add.", str(home.root)
    )


def _unnamed(home: Home) -> ComplianceError:
    """A folder without settings: a home that lost them where a ledger lies in it, else none of ours."""
    if not (home.ledger / "head").exists():
        return _foreign(home)
    return IntegrityError(
        "settings_missing",
        f"{HOME_MARK} of this home is gone, and with it the name of its log: restore it from a copy, or write it anew with "
        f'`format = {HOME_FORMAT}` and, under `[ledger]`, `origin = "NAME"`, the first line of any checkpoint note you trust.',
        HOME_MARK,
    )


def _laid_over(base: Mapping[str, Any], overlay: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in overlay.items():
        below = result.get(key)
        result[key] = _laid_over(below, value) if isinstance(below, dict) and isinstance(value, Mapping) else value
    return result


def _create(home: Home) -> bool:
    """Make a home where there is none; settings come last, so that a folder with settings is whole. False when a home with
    published texts stands there already: its ledger must be there too, and is never made anew.

    Raises InputRejected ``not_a_home``, ``unwritable_home``.
    """
    if home.settings.exists():
        return not any(home.sources.glob("*")) and not any(home.clauses.glob("*.duckdb"))
    if home.root.exists() and (not home.root.is_dir() or {path.name for path in home.root.iterdir()} - EARLY_NAMES):
        raise _unnamed(home)
    try:
        home.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"No home can be made at {str(home.root)!r}: {error.strerror}; name a folder that can be written."
        raise InputRejected("unwritable_home", message, str(home.root)) from error
    with writer_lock(home):
        if home.settings.exists():
            return True
        for folder in (home.sources, home.extracted_dir, home.clauses, home.inbox):
            folder.mkdir(exist_ok=True)
        origin = f"{ORIGIN_PREFIX}{secrets.token_hex(ORIGIN_BYTES)}"
        replace(home.settings, f'format = {HOME_FORMAT}\n\n[ledger]\norigin = "{origin}"\n'.encode("ascii"))
    return True


def settle(handle: HomeHandle) -> None:
    """Prove that the clause tables hold what the ledger says, rolling forward what a dead writer left."""
    for look in range(LOOKS):
        in_flight = read_intent(handle.tables)
        if in_flight is not None:
            with try_writer_lock(handle.home) as mine:
                if mine:
                    roll_forward(handle)
                    in_flight = None
        handle.ledger.refresh()
        missing = _missing(handle, in_flight)
        if missing is None:
            return
        if look == LOOKS - 1:
            raise missing


def roll_forward(handle: HomeHandle) -> None:
    """Under the writer lock: finish the batch that a dead writer left, if there is one."""
    if read_intent(handle.tables) is not None:
        handle.ledger.refresh()
        project(handle.home, handle.tables, handle.ledger)


def _missing(handle: HomeHandle, in_flight: int | None) -> IntegrityError | None:
    """What the clause tables lack or hold too much, None when they are right. A living writer's batch is no lack."""
    corpus, ledger = handle.corpus(), handle.ledger
    if corpus.applied >= ledger.size:
        return IntegrityError(
            "clauses_ahead",
            f"The clause tables hold ledger record {corpus.applied}, the ledger has only {ledger.size}; run rebuild.",
            corpus.name,
        )
    if corpus.applied >= 0 and ledger.header(corpus.applied)["type"] not in CORPUS_TYPES:
        return IntegrityError("clauses_foreign", "The clause tables belong to another ledger; run rebuild.", corpus.name)
    if corpus.placed:
        last = ledger.header(corpus.placed[-1].row.index)
        if last.get("corpus_root") != corpus.corpus_root:
            return IntegrityError(
                "clauses_foreign", "The clause tables and the ledger disagree on the corpus root; run rebuild."
            )
    end = ledger.size if in_flight is None else min(in_flight, ledger.size)
    lacking = [header for index, header in ledger.headers(corpus.applied + 1, CORPUS_TYPES) if index < end]
    if not lacking:
        return None
    names = [_name(header) for header in lacking[:3]]
    more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
    return IntegrityError(
        "clauses_behind", f"The clause tables lack {', '.join(names)}{more} of the ledger; run rebuild.", names[0]
    )


def _name(header: Mapping[str, Any]) -> str:
    return f"{header['type']} {header['doc_id']}@{header['version_id'] or '*'} (record {header['index']})"
