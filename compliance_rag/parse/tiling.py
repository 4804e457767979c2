"""Law 1: clause labels, headings, texts and furniture cover every visible character of the extracted text, once."""

from __future__ import annotations

from schemas.canonical import sha256_normalised, sha256_text
from schemas.clause import ParsedVersion, Span


def check_tiling(parsed: ParsedVersion) -> list[str]:
    """Problems found, empty when the clauses tile the text: characters lost or held twice, texts that their spans do not
    give, hashes, order, parents and paths. Proves nothing about whether a clause was cut at the right place."""
    spans: list[tuple[int, int, str]] = [(s, e, "furniture") for s, e in parsed.furniture]
    problems: list[str] = []
    paths = {clause.path for clause in parsed.clauses}
    if len(paths) != len(parsed.clauses):
        problems.append("a path stands twice")
    last = -1
    for clause in parsed.clauses:
        where = "/".join(clause.path)
        own: list[Span] = [
            *([clause.label_span] if clause.label_span else []),
            *([clause.heading_span] if clause.heading_span else []),
        ]
        own.extend(clause.spans)
        spans.extend((start, end, where) for start, end in own)
        if clause.text != "\n".join(parsed.extracted[s:e] for s, e in clause.spans):
            problems.append(f"{where}: the text is not what its spans give")
        if clause.sha256 != sha256_text(clause.text) or clause.sha256_normalised != sha256_normalised(clause.text):
            problems.append(f"{where}: hash")
        if clause.parent is not None and clause.parent not in paths:
            problems.append(f"{where}: parent {clause.parent} is no clause")
        if any(start < clause.full_span[0] or end > clause.full_span[1] for start, end in own):
            problems.append(f"{where}: a span lies outside its full span")
        if clause.full_span[0] < last:
            problems.append(f"{where}: out of document order")
        last = clause.full_span[0]
    return problems + _coverage(parsed.extracted, sorted(spans))


def _coverage(text: str, spans: list[tuple[int, int, str]]) -> list[str]:
    problems: list[str] = []
    at = 0
    for start, end, where in spans:
        if start < at:
            problems.append(f"{where}: characters {start}–{min(at, end)} are held twice")
        elif text[at:start].strip():
            problems.append(f"before {where}: {text[at:start].strip()[:40]!r} is in no clause")
        at = max(at, end)
    if text[at:].strip():
        problems.append(f"at the end: {text[at:].strip()[:40]!r} is in no clause")
    return problems
