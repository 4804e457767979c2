"""One version from its file to a parsed version: pure enough for a process pool, and the same again when run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from audit.durable import replace as replace_file
from compliance_rag.answer.layout import LayoutModel
from compliance_rag.answer.model import rules_allow
from compliance_rag.parse.readers.scans import Corrections
from compliance_rag.store.parts import print_structure, read_structure
from schemas.canonical import sha256_hex, sha256_text
from schemas.clause import Clause, ParsedVersion
from schemas.clause import Path as ClausePath
from schemas.errors import ComplianceError, InputRejected
from schemas.home import Home
from schemas.manifest import ManifestEntry

# What must be settled by a person before a version may answer: the wording itself is in doubt.
HOLDING_FLAGS: Mapping[str, str] = {
    "tracked_changes": "holds tracked changes; add it again with tracked final or original",
    "no_clauses": "holds text and no clause: all of it reads as headers, footers or contents; give it in another format",
    "ocr_quality": "has no page that was read well enough; `review list` shows the pages to decide about",
}
# Larger files are refused by the readers with a sentence; this only keeps memory bounded before they look.
SOURCE_LIMIT = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Staged:
    """A version ready to publish: its entry, its parse, the reasons for which it must be held (code, sentence), and what a
    person decided about pages that were read from their pictures."""

    entry: ManifestEntry
    parsed: ParsedVersion
    held: tuple[tuple[str, str], ...] = ()
    corrections: Corrections = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A version that could not be taken, with its one reason."""

    entry: ManifestEntry
    code: str
    message: str


def stage(
    entry: ManifestEntry,
    base: Path,
    home: Home,
    known_titles: Mapping[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    read_scans: bool = True,
    layout: LayoutModel | None = None,
) -> Staged:
    """Read, keep and parse the file of ``entry`` (relative to ``base``). ``known_titles``: document ids by lower-cased
    title, for references to other documents; ``progress(done, total)`` counts pages that are read from their pictures;
    without ``read_scans`` a file with such pages is refused as ``scans_needed``; ``layout`` is asked where the headings of a
    document without numbers are, if the entry's ``model_use`` lets it be.

    The bytes are kept as ``sources/<sha256>`` before they are parsed. Raises InputRejected: ``missing_file``,
    ``unknown_clause_number`` and those of the readers.
    """
    data = read_file(base / entry.file)
    return stage_bytes(entry, data, home, known_titles, progress=progress, read_scans=read_scans, layout=layout)


def stage_bytes(
    entry: ManifestEntry,
    data: bytes,
    home: Home,
    known_titles: Mapping[str, str] | None = None,
    *,
    corrections: Corrections | None = None,
    progress: Callable[[int, int], None] | None = None,
    read_scans: bool = True,
    layout: LayoutModel | None = None,
) -> Staged:
    """:func:`stage` of bytes at hand. ``corrections``: what a person decided about pages of a scan. Raises as that."""
    from compliance_rag.parse.collector import collector_paused
    from compliance_rag.parse.parse import parse_extracted
    from compliance_rag.parse.readers.child import read_guarded
    from compliance_rag.structure.analyse import analyse

    name = Path(entry.file).name
    asked = layout if layout is not None and rules_allow((entry.model_use,), layout.endpoint.base_url) else None
    with collector_paused():
        extracted = read_guarded(
            data, name, tracked=entry.tracked, corrections=corrections, progress=progress, read_scans=read_scans
        )
        parsed = parse_extracted(extracted, sha256_hex(data), entry.language, asked)
    keep(home.source(sha256_hex(data)), data)
    parsed = replace(parsed, clauses=with_dates(parsed.clauses, entry))
    parsed = analyse(
        parsed,
        doc_id=entry.doc_id,
        title=entry.title,
        known_titles=known_titles or {},
        effective_from=entry.effective_from,
        published_on=entry.published_on,
        amends=entry.amends,
        part_of=entry.part_of,
    )
    check_parsed(parsed)
    keep(home.extracted(parsed.extracted_sha256), parsed.extracted.encode("utf-8", "surrogatepass"))
    return Staged(entry, parsed, holding_reasons(parsed, entry), dict(corrections or {}))


def stage_or_reject(
    entry: ManifestEntry,
    base: Path,
    home: Home,
    known_titles: Mapping[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    read_scans: bool = True,
    layout: LayoutModel | None = None,
) -> Staged | Rejected:
    """:func:`stage`, a bad file given back as its reason, so that it never stops the others."""
    try:
        return stage(entry, base, home, known_titles, progress, read_scans=read_scans, layout=layout)
    except ComplianceError as error:
        return Rejected(entry, error.code, error.message)


def read_file(path: Path) -> bytes:
    """The bytes of a source. Raises InputRejected ``missing_file``, ``unreadable_file``, ``file_too_large``."""
    try:
        if path.stat().st_size > SOURCE_LIMIT:
            raise InputRejected("file_too_large", f"{path.name} is larger than {SOURCE_LIMIT >> 20} MB.", path.name)
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputRejected("missing_file", f"There is no file {path.name!r}.", str(path)) from error
    except OSError as error:
        raise InputRejected("unreadable_file", f"{path.name} cannot be read: {error.strerror}.", path.name) from error


def keep(path: Path, data: bytes) -> None:
    """Keep bytes under their own hash in one step; equal bytes already there are left alone, damaged ones replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        if path.read_bytes() == data:
            return
    except FileNotFoundError:
        pass
    replace_file(path, data)


def with_dates(clauses: Sequence[Clause], entry: ManifestEntry) -> tuple[Clause, ...]:
    """The clauses with the dates that the manifest confirms. Raises InputRejected ``unknown_clause_number``."""
    dates = entry.clause_dates
    if not dates:
        return tuple(clauses)
    paths: dict[ClausePath, str] = {}
    for number in dates:
        found = [clause.path for clause in clauses if named(clause, number)]
        if not found:
            raise InputRejected(
                "unknown_clause_number", f"clause_dates: {entry.doc_id} {entry.version!r} has no clause {number!r}.", number
            )
        paths |= dict.fromkeys(found, number)
    return tuple(
        replace(
            clause,
            effective_from=dates[paths[clause.path]].effective_from,
            effective_to=dates[paths[clause.path]].effective_to,
        )
        if clause.path in paths
        else clause
        for clause in clauses
    )


def named(clause: Clause, number: str) -> bool:
    """Whether ``number`` is a name of the clause: its number, an alias or its path."""
    return number in (clause.number, *clause.aliases, "/".join(clause.path))


def check_parsed(parsed: ParsedVersion) -> None:
    """Prove what the stores rely on, before anything is recorded: texts and hashes follow from the positions, paths are unique
    and every link has both its ends, and the parse survives its record.

    Raises InputRejected ``unreadable_text`` for half characters; ``parser_fault`` for what would be our fault.
    """
    try:
        parsed.extracted.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputRejected("unreadable_text", "The text holds half a character that no file can keep.") from error
    for clause in parsed.clauses:
        text = "\n".join(parsed.extracted[start:end] for start, end in clause.spans)
        if text != clause.text or sha256_text(text) != clause.sha256:
            raise _fault(clause.path, "does not follow from its positions")
    paths = {clause.path for clause in parsed.clauses}
    if len(paths) != len(parsed.clauses):
        raise _fault((), "shares its path with another")
    for path in _ends(parsed):
        if path not in paths:
            raise _fault(path, "is linked to and does not exist")
    try:
        data = print_structure(parsed, [""] * len(parsed.clauses), {})
    except (TypeError, ValueError) as error:
        raise InputRejected("parser_fault", f"The parse cannot be recorded ({error}); please report it.") from error
    names = {"source_sha256": parsed.source_sha256, "extracted_sha256": parsed.extracted_sha256}
    again = read_structure(data, parsed.extracted, parser_version=parsed.parser_version, **names)[0]
    if replace(again, report={}) != replace(parsed, report={}):
        raise InputRejected("parser_fault", "The parse does not survive its record; please report it.")


def _ends(parsed: ParsedVersion) -> Iterator[ClausePath]:
    for clause in parsed.clauses:
        if clause.parent is not None:
            yield clause.parent
    yield from (item.path for item in parsed.definitions)
    yield from (item.path for item in parsed.references)
    for use in parsed.term_uses:
        yield from (use.path, use.target)
    for link in parsed.exceptions:
        yield from (link.path, link.modifies)


def _fault(path: ClausePath, what: str) -> InputRejected:
    where = "/".join(path) or "a clause"
    return InputRejected("parser_fault", f"Clause {where} {what}; please report it.", where)


def holding_reasons(parsed: ParsedVersion, entry: ManifestEntry) -> tuple[tuple[str, str], ...]:
    """Why a version must be held, each reason once."""
    codes = dict.fromkeys(flag.code for flag in parsed.flags if flag.code in HOLDING_FLAGS)
    if entry.tracked is not None:
        codes.pop("tracked_changes", None)
    return tuple((code, f"{entry.doc_id} {entry.version!r} {HOLDING_FLAGS[code]}.") for code in codes)
