"""Bytes of one version to its clauses: reader, outline, tree, paths; pure and the same on any machine (law 10)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from compliance_rag.parse.blocks import Extracted
from compliance_rag.parse.boxes import Places
from compliance_rag.parse.candidates import find_units
from compliance_rag.parse.collector import collector_paused
from compliance_rag.parse.contents import drop_contents
from compliance_rag.parse.cuts import has_cuts, tree_from_cuts
from compliance_rag.parse.labels import INVISIBLE
from compliance_rag.parse.layout_pass import Outcome, Proposer, is_irregular, reshape
from compliance_rag.parse.outline import decode
from compliance_rag.parse.paragraphs import split_paragraphs
from compliance_rag.parse.path import Named, name_nodes
from compliance_rag.parse.titles import free_title
from compliance_rag.parse.tree import Node, build_tree
from compliance_rag.parse.unit import Unit
from schemas.canonical import sha256_hex, sha256_normalised, sha256_text
from schemas.clause import Clause, Flag, ParsedVersion, Span
from schemas.dates import parse_day

if TYPE_CHECKING:
    from compliance_rag.parse.readers import Tracked

PARSER_VERSION = "1.11.0"
"""Changes whenever the same bytes may give other clauses; a stored version keeps the one it was parsed with. Where pages were
read by optical character recognition, its engine and models follow after a ``+``, and where a model had a say in the layout,
its name."""

# One character in five or more being Chinese makes a text Chinese: Chinese contracts carry English names and figures.
_CHINESE_SHARE = 0.2
_CHINESE = re.compile("[\u3400-\u9fff]+")


@dataclass(slots=True)
class Outline:
    """The clause tree of one extracted text: nodes in document order with their paths and numbers."""

    nodes: list[Node]
    names: list[Named]
    furniture: tuple[Span, ...]
    flags: list[Flag] = field(default_factory=list)


def detect_language(text: str) -> str:
    """``zh`` or ``en`` by the share of Chinese characters among the visible ones."""
    visible = len("".join(text.split()))
    wide = sum(map(len, _CHINESE.findall(text)))
    return "zh" if visible and wide / visible >= _CHINESE_SHARE else "en"


def build_outline(extracted: Extracted, language: str) -> Outline:
    """The outline of an extracted text. Any text gives a valid tree."""
    if has_cuts(extracted):
        nodes = tree_from_cuts(extracted)
        whole = [
            Unit(*block.span, index, block.kind) for index, block in enumerate(extracted.blocks) if block.kind != "furniture"
        ]
        return Outline(nodes, name_nodes(nodes), _furniture(extracted, nodes, whole))
    units = free_title(extracted.text, drop_contents(extracted.text, find_units(extracted)))
    nodes = build_tree(extracted, units, decode(units), language)
    tables = frozenset(unit.start for unit in units if unit.kind != "text")
    nodes = split_paragraphs(extracted.text, nodes, tables)
    return Outline(nodes, name_nodes(nodes), _furniture(extracted, nodes, units))


def _furniture(extracted: Extracted, nodes: list[Node], units: list[Unit]) -> tuple[Span, ...]:
    """What the reader set aside, contents pages (stretches of no unit), and zero-width marks between the clauses' own spans."""
    spans = [block.span for block in extracted.blocks if block.kind == "furniture"]
    held = sorted([*spans, *((unit.start, unit.end) for unit in units)])
    spans += _gaps(extracted.text, held, invisible=False)
    own = list(spans)
    for node in nodes:
        own.extend(span for span in (node.label_span, node.heading_span, *node.pieces) if span)
    spans += _gaps(extracted.text, sorted(own), invisible=True)
    return tuple(sorted(spans))


def _gaps(text: str, held: list[Span], *, invisible: bool) -> list[Span]:
    """Stretches between ``held`` spans: those that print something, or those of zero-width marks alone."""
    out: list[Span] = []
    at = 0
    for start, end in [*held, (len(text), len(text))]:
        gap = text[at:start].strip() if start > at else ""
        silent = not gap.strip(INVISIBLE + " \t\n\u3000")
        if gap and silent == invisible:
            first = text.index(gap, at)
            out.append((first, first + len(gap)))
        at = max(at, end)
    return out


def parse_version(data: bytes, name: str, *, language: str | None = None, tracked: Tracked | None = None) -> ParsedVersion:
    """Read the bytes of one version. ``name`` is the file's name, which tells the kind of file; ``language`` is detected when
    None; ``tracked`` chooses the view of tracked changes. Links, kinds and dates are left empty. Raises InputRejected for bytes
    that no reader can take."""
    from compliance_rag.parse.readers import read_source

    with collector_paused():
        return parse_extracted(read_source(data, name, tracked=tracked), sha256_hex(data), language)


def parse_extracted(
    extracted: Extracted, source_sha256: str, language: str | None = None, propose: Proposer | None = None
) -> ParsedVersion:
    """The clauses of an extracted text. ``propose`` is asked where headings and paragraphs of an irregular layout begin."""
    language = language or detect_language(extracted.text)
    outline = build_outline(extracted, language)
    layout: Outcome | None = None
    if propose is not None and is_irregular(extracted, _numbered(outline)):
        extracted, layout = reshape(extracted, propose)
        outline = build_outline(extracted, language)
    clauses = _clauses(extracted, outline)
    flags = [*extracted.flags, *_flags(outline), *(layout.flags() if layout is not None else ())]
    if not clauses and extracted.text.strip() and not extracted.held:
        flags.append(Flag("no_clauses", f"No clause was found: all {len(extracted.text):,} characters were set aside."))
    report = _report(extracted, outline, clauses, flags)
    return ParsedVersion(
        source_sha256=source_sha256,
        extracted=extracted.text,
        extracted_sha256=sha256_text(extracted.text),
        parser_version=_version(extracted.engine, layout),
        language=language,
        title=extracted.title or _title(clauses),
        clauses=clauses,
        furniture=outline.furniture,
        flags=tuple(flags),
        report=report if layout is None else {**report, "layout": layout.report()},
    )


def _version(engine: str | None, layout: Outcome | None) -> str:
    """The parser's version with what else had a say: the engine that read pages, and who cut the layout."""
    layout_by = f"layout:{layout.name}" if layout is not None and layout.accepted else None
    return "+".join(part for part in (PARSER_VERSION, engine, layout_by) if part is not None)


def _numbered(outline: Outline) -> list[Span]:
    """The stretches of the outermost numbered clauses, each with all below it."""
    ends = _ends(outline.nodes)
    out: list[Span] = []
    for node, name, end in zip(outline.nodes, outline.names, ends, strict=True):
        if name.number is not None and (not out or node.start >= out[-1][1]):
            out.append((node.start, end))
    return out


def _title(clauses: tuple[Clause, ...]) -> str | None:
    first = clauses[0] if clauses else None
    return first.heading or None if first is not None and first.number is None else None


def _clauses(extracted: Extracted, outline: Outline) -> tuple[Clause, ...]:
    ends = _ends(outline.nodes)
    places = Places.of(extracted.blocks)
    out: list[Clause] = []
    for index, (node, name) in enumerate(zip(outline.nodes, outline.names, strict=True)):
        out.append(_clause(extracted, outline, index, node, name, ends[index], places))
    return _flagged(_marked(out, extracted.marked), extracted.flags)


def _marked(clauses: list[Clause], marked: list[tuple[Span, str]]) -> list[Clause]:
    """Clauses with the codes of what belongs to their own words."""
    if not marked:
        return clauses
    spans = sorted(
        (span, index)
        for index, clause in enumerate(clauses)
        for span in (clause.label_span, clause.heading_span, *clause.spans)
        if span
    )
    starts = [span[0] for span, _ in spans]
    codes: dict[int, list[str]] = {}
    for (start, end), code in marked:
        # Own spans do not overlap, so those before the one that holds ``start`` end before it.
        for at in range(max(0, bisect_right(starts, start) - 1), bisect_left(starts, end)):
            (_, last), index = spans[at]
            if last > start:
                codes.setdefault(index, []).append(code)
    return [
        replace(clause, flags=tuple(dict.fromkeys([*clause.flags, *codes[index]]))) if index in codes else clause
        for index, clause in enumerate(clauses)
    ]


def _flagged(clauses: list[Clause], flags: list[Flag]) -> tuple[Clause, ...]:
    """Clauses with the codes of what could not be read on the pages they are printed on."""
    by_page: dict[int, list[str]] = {}
    for flag in flags:
        if flag.page is not None:
            by_page.setdefault(flag.page, []).append(flag.code)
    if not by_page:
        return tuple(clauses)
    out = []
    for clause in clauses:
        codes = [code for page in sorted({box[0] for box in clause.boxes}) for code in by_page.get(page, ())]
        out.append(replace(clause, flags=tuple(dict.fromkeys([*clause.flags, *codes]))) if codes else clause)
    return tuple(out)


def _ends(nodes: list[Node]) -> list[int]:
    ends = [max([node.end if not node.pieces else 0, *(e for _, e in node.pieces), _head_end(node)]) for node in nodes]
    for index in range(len(nodes) - 1, -1, -1):
        parent = nodes[index].parent
        if parent >= 0:
            ends[parent] = max(ends[parent], ends[index])
    return ends


def _head_end(node: Node) -> int:
    return max(node.heading_span[1] if node.heading_span else 0, node.label_span[1] if node.label_span else 0, node.start)


def _clause(extracted: Extracted, outline: Outline, index: int, node: Node, name: Named, end: int, places: Places) -> Clause:
    text = extracted.text
    own = "\n".join(text[s:e] for s, e in node.pieces)
    headings: list[str] = []
    parent = node.parent
    while parent >= 0:
        span = outline.nodes[parent].heading_span
        if span:
            headings.append(text[span[0] : span[1]])
        parent = outline.nodes[parent].parent
    flags = list(dict.fromkeys([*node.flags, *(["duplicate_label"] if name.duplicate else [])]))
    block = node.block
    head = (node.label_span, node.heading_span)
    boxes, ranges = places.boxes(text, head, node.pieces) if places.rows else ((), ())
    return Clause(
        path=name.path,
        number=name.number,
        label=text[node.label_span[0] : node.label_span[1]] if node.label_span else "",
        heading=text[node.heading_span[0] : node.heading_span[1]] if node.heading_span else "",
        heading_path=tuple(reversed(headings)),
        depth=len(headings) if node.parent < 0 else _depth(outline.nodes, index),
        parent=outline.names[node.parent].path if node.parent >= 0 else None,
        text=own,
        sha256=sha256_text(own),
        sha256_normalised=sha256_normalised(own),
        spans=tuple(node.pieces),
        full_span=(node.start, end),
        heading_span=node.heading_span,
        label_span=node.label_span,
        page=block.page if block else None,
        boxes=boxes,
        box_ranges=ranges,
        source_id=block.source_id if block else None,
        aliases=(block.source_id,) if block and block.cuts and block.source_id else (),
        effective_from=_day(block.dates[0]) if block else None,
        effective_to=_day(block.dates[1]) if block else None,
        flags=tuple(flags),
        container=node.container,
    )


def _day(text: str | None) -> date | None:
    return parse_day(text) if text else None


def _depth(nodes: list[Node], index: int) -> int:
    depth = 0
    while nodes[index].parent >= 0:
        index = nodes[index].parent
        depth += 1
    return depth


def _flags(outline: Outline) -> list[Flag]:
    out: list[Flag] = []
    for node, name in zip(outline.nodes, outline.names, strict=True):
        number = name.number or "/".join(name.path)
        if "ambiguous_marker" in node.flags:
            other = f"{node.other.style} under another clause" if node.other else "plain text"
            read = node.label.style if node.label else "text"
            out.append(Flag("ambiguous_marker", f"{number}: read as {read}; could also be {other}.", name.path))
        if "numbering_gap" in node.flags:
            out.append(Flag("numbering_gap", f"{number} does not follow the number before it.", name.path))
        if name.duplicate or "duplicate_label" in node.flags:
            out.append(Flag("duplicate_label", f"{number} stands more than once.", name.path))
    return out


def _balance(extracted: Extracted, outline: Outline, clauses: tuple[Clause, ...]) -> dict[str, int]:
    """Law 9 in figures, in visible characters: what is in clauses (numbers and headings with them), in furniture, and set aside
    under a flag; ``inserted`` of the first two stand for markup and are not in the source."""
    spans = [span for clause in clauses for span in (clause.label_span, clause.heading_span, *clause.spans) if span]
    return {
        "clauses": sum(_visible(extracted.text[start:end]) for start, end in spans),
        "furniture": sum(_visible(extracted.text[start:end]) for start, end in outline.furniture),
        "remainder": sum(_visible(words) for _, words in extracted.remainder),
        "inserted": extracted.inserted,
    }


def _visible(text: str) -> int:
    return len("".join(text.split()))


def _report(extracted: Extracted, outline: Outline, clauses: tuple[Clause, ...], flags: list[Flag]) -> dict[str, object]:
    codes = Counter(flag.code for flag in flags)
    return {
        "clauses": len(clauses),
        "numbered": sum(clause.number is not None for clause in clauses),
        "containers": sum(clause.container for clause in clauses),
        "furniture_characters": sum(end - start for start, end in outline.furniture),
        "balance": _balance(extracted, outline, clauses),
        "flags": dict(sorted(codes.items())),
        **({"held_pages": {str(page): text for page, text in extracted.held}} if extracted.held else {}),
    }
