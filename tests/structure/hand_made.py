"""Versions made by hand: clause trees whose extracted text is written out clause by clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.canonical import sha256_normalised, sha256_text
from schemas.clause import Clause, ParsedVersion, Path, Reference


@dataclass(frozen=True)
class Row:
    """One clause: ``path`` written with ``/``; ``label`` as printed; ``parent`` found from the path unless given."""

    path: str
    label: str
    text: str
    heading: str = ""
    container: bool = False
    parent: str | None = None


def made(rows: Sequence[Row], language: str = "en", title: str | None = None) -> ParsedVersion:
    """A parsed version whose clauses stand one after the other, a line each."""
    extracted, clauses = "", []
    paths = [row.path for row in rows]
    for row in rows:
        path: Path = tuple(row.path.split("/"))
        start = len(extracted)
        extracted += " ".join(part for part in (row.label, row.heading) if part)
        extracted += " " if extracted[start:] else ""
        begin = len(extracted)
        extracted += row.text
        end = len(extracted)
        extracted += "\n"
        clauses.append(_clause(row, path, _parent(row, paths), (start, begin, end)))
    return ParsedVersion("0" * 64, extracted, sha256_text(extracted), "test", language, title, tuple(clauses))


def _parent(row: Row, paths: Sequence[str]) -> Path | None:
    if row.parent is not None:
        return tuple(row.parent.split("/"))
    outer = row.path
    while "/" in outer:
        outer = outer.rsplit("/", 1)[0]
        if outer in paths:
            return tuple(outer.split("/"))
    return None


def _clause(row: Row, path: Path, parent: Path | None, offsets: tuple[int, int, int]) -> Clause:
    start, begin, end = offsets
    return Clause(
        path=path, number=row.label.strip("() ") or None, label=row.label, heading=row.heading, heading_path=(),
        depth=0 if parent is None else len(parent), parent=parent, text=row.text, sha256=sha256_text(row.text),
        sha256_normalised=sha256_normalised(row.text), spans=((begin, end),), full_span=(start, end), container=row.container,
    )  # fmt: skip


def targets(version: ParsedVersion, path: str) -> list[str | None]:
    """The targets of the references printed in the clause at ``path``."""
    return [None if r.target is None else "/".join(r.target) for r in references(version, path)]


def references(version: ParsedVersion, path: str) -> list[Reference]:
    """The references printed in the clause at ``path``; each one's span is checked to give back its text."""
    found = [r for r in version.references if r.path == tuple(path.split("/"))]
    for reference in found:
        assert version.extracted[slice(*reference.span)] == reference.text
    return found


def clause(version: ParsedVersion, path: str) -> Clause:
    """The clause at ``path``."""
    return next(c for c in version.clauses if c.path == tuple(path.split("/")))
