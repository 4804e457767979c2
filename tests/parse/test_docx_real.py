"""Real Word files: nothing lost, nothing doubled, every label the one LibreOffice and Word print."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from lxml import etree

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import Tracked
from compliance_rag.parse.readers.docx_package import MC, R, W
from compliance_rag.parse.tiling import check_tiling

_FILES = (
    "docx/OpenChainSpec-1.2.TranslationTemplate-zh-Hans.docx", "docx/OpenChainSpec-2.0-zh-Hans.docx",
    "docx/OpenChainSpec-2.0.TranslationTemplate.docx", "docx/bonterms-mutual-nda.docx", "docx/common-paper-amendment.docx",
    "docx/common-paper-csa-with-ai.docx", "docx/common-paper-data-processing-agreement.docx",
    "docx/common-paper-independent-contractor-agreement.docx", "docx/common-paper-statement-of-work.docx",
    "messy/word/redlines_expected_redline.docx", "messy/word/redlines_modified.docx", "messy/word/redlines_original.docx",
    "messy/word/word-docx.docx",
)  # fmt: skip


def _words(root: etree._Element, view: Tracked) -> str:
    """The characters a page shows, found another way than the reader: all ``w:t`` that no change, no older rendering and no
    field code takes away."""
    dropped = ("ins", "moveTo") if view == "original" else ("del", "moveFrom")
    out: list[str] = []
    codes: list[bool] = []
    for element in root.iter(f"{W}t", f"{W}delText", f"{W}noBreakHyphen", f"{W}fldChar"):
        names = {etree.QName(around).localname for around in element.iterancestors()}
        if names & set(dropped) or any(around.tag == f"{MC}Fallback" for around in element.iterancestors()):
            continue
        if element.tag == f"{W}fldChar":
            kind = element.get(f"{W}fldCharType")
            if kind == "begin":
                codes.append(True)
            elif kind == "separate":
                codes[-1] = False
            else:
                codes.pop()
        elif not any(codes) and (element.tag != f"{W}delText" or view == "original"):
            out.append(element.text or "")
    return "".join(out)


def _shown_parts(archive: ZipFile, document: etree._Element) -> list[str]:
    """Names of the headers and footers that some page shows."""
    rels = etree.fromstring(archive.read("word/_rels/document.xml.rels"))
    targets = {rel.get("Id"): "word/" + (rel.get("Target") or "").split("/")[-1] for rel in rels}
    settings = archive.read("word/settings.xml")
    names: list[str] = []
    held: dict[tuple[str, str], str] = {}
    for section in document.iter(f"{W}sectPr"):
        wanted = ["default", *(["first"] if section.find(f"{W}titlePg") is not None else [])]
        wanted += ["even"] if b"evenAndOddHeaders" in settings else []
        for reference in section.iter(f"{W}headerReference", f"{W}footerReference"):
            held[reference.tag, reference.get(f"{W}type") or "default"] = targets[reference.get(f"{R}id")]
        names += [part for (_, which), part in held.items() if which in wanted]
    return list(dict.fromkeys(names))


def _notes(archive: ZipFile, document: etree._Element) -> list[etree._Element]:
    wanted = {(e.tag[:-9], e.get(f"{W}id")) for e in document.iter(f"{W}footnoteReference", f"{W}endnoteReference")}
    found: list[etree._Element] = []
    for kind in ("footnote", "endnote"):
        if f"word/{kind}s.xml" in archive.namelist():
            root = etree.fromstring(archive.read(f"word/{kind}s.xml"))
            found += [note for note in root if (f"{W}{kind}", note.get(f"{W}id")) in wanted]
    return found


def _visible(data: bytes, view: Tracked) -> Counter[str]:
    with ZipFile(BytesIO(data)) as archive:
        document = etree.fromstring(archive.read("word/document.xml"))
        roots = [document, *(etree.fromstring(archive.read(part)) for part in _shown_parts(archive, document))]
        roots += _notes(archive, document)
    return Counter("".join("".join(_words(root, view).split()) for root in roots))


@pytest.mark.data
@pytest.mark.parametrize("view", ["final", "original"])
@pytest.mark.parametrize("name", _FILES)
def test_every_visible_character_is_kept_once(measuring_data: Path, name: str, view: Tracked) -> None:
    """Characters in the XML are characters in clauses, furniture and remainder, exactly: as many of each, once the signs that
    stand for markup (computed labels, bullets, bars, marks of notes, ticks) are taken off; and in figures in the report."""
    data = (measuring_data / name).read_bytes()
    parsed = parse_version(data, name, tracked=view)
    assert not check_tiling(parsed)
    source = _visible(data, view)
    spans = [s for clause in parsed.clauses for s in (clause.label_span, clause.heading_span, *clause.spans) if s]
    kept = Counter("".join("".join(parsed.extracted[start:end].split()) for start, end in [*spans, *parsed.furniture]))
    assert not source - kept, source - kept
    balance = parsed.report["balance"]
    assert isinstance(balance, dict)
    assert (kept - source).total() == balance["inserted"]
    assert balance["clauses"] + balance["furniture"] == source.total() + balance["inserted"]
    assert balance["remainder"] == 0
