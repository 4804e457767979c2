"""Small Word files written by hand, for tests."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO

from schemas.clause import Clause

_NS = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
PARTS = ("styles", "numbering", "settings", "footnotes", "endnotes", "comments")


def docx(
    body: str,
    *,
    numbering: str = "",
    styles: str = "",
    settings: str = "",
    footnotes: str = "",
    endnotes: str = "",
    comments: str = "",
    headers: Mapping[str, str] | None = None,
    relations: str = "",
    extra: Mapping[str, bytes] | None = None,
    main_type: str = _MAIN,
) -> bytes:
    """A Word file with this body and these parts, each the inner XML of its root. ``headers``: relationship id to inner XML of
    a header (``h…``) or a footer (``f…``)."""
    inner = dict(zip(PARTS, (styles, numbering, settings, footnotes, endnotes, comments), strict=True))
    rels = [f'<Relationship Id="p{name}" Type="{_TYPE}{name}" Target="{name}.xml"/>' for name in PARTS if inner[name]]
    files: dict[str, bytes] = {f"word/{name}.xml": _part(name, xml) for name, xml in inner.items() if xml}
    for key, xml in (headers or {}).items():
        kind = "header" if key.startswith("h") else "footer"
        rels.append(f'<Relationship Id="{key}" Type="{_TYPE}{kind}" Target="{key}.xml"/>')
        files[f"word/{key}.xml"] = _part("hdr" if kind == "header" else "ftr", xml)
    files["word/document.xml"] = _part("document", f"<w:body>{body}</w:body>")
    files["word/_rels/document.xml.rels"] = (
        f'<Relationships xmlns="{_RELS}">{"".join(rels)}{relations}</Relationships>'.encode()
    )
    files["_rels/.rels"] = (
        f'<Relationships xmlns="{_RELS}"><Relationship Id="r1" Type="{_TYPE}officeDocument" Target="word/document.xml"/>'
        "</Relationships>"
    ).encode()
    files["[Content_Types].xml"] = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main_type}"/></Types>'
    ).encode()
    return packed(files | dict(extra or {}))


def packed(files: Mapping[str, bytes]) -> bytes:
    """An archive of these files, the same bytes on every machine."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _part(root: str, xml: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:{root} {_NS}>{xml}</w:{root}>'.encode()


def run(text: str, properties: str = "") -> str:
    """A run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def para(
    text: str = "",
    *,
    level: int | None = None,
    num: int | None = None,
    style: str = "",
    xml: str = "",
    mark: str = "",
    more: str = "",
) -> str:
    """A paragraph: ``num`` and ``level`` its list; ``xml`` further content; ``mark`` the properties of its end; ``more`` other
    properties."""
    style = f'<w:pStyle w:val="{style}"/>' if style else ""
    ilvl = "" if level is None else f'<w:ilvl w:val="{level}"/>'
    listed = f'<w:numPr>{ilvl}<w:numId w:val="{num}"/></w:numPr>' if num is not None else ""
    end = f"<w:rPr>{mark}</w:rPr>" if mark else ""
    return f"<w:p><w:pPr>{style}{listed}{more}{end}</w:pPr>{run(text) if text else ''}{xml}</w:p>"


def level(at: int, text: str, fmt: str = "decimal", *, start: int = 1, more: str = "", left: int | None = None) -> str:
    """A level of a list definition."""
    ind = f'<w:pPr><w:ind w:left="{left}" w:hanging="360"/></w:pPr>' if left is not None else ""
    head = f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{fmt}"/>{more}'
    return f'{head}<w:lvlText w:val="{escape(text)}"/>{ind}</w:lvl>'


def abstract(key: int, *levels: str, more: str = "") -> str:
    """A list definition."""
    return f'<w:abstractNum w:abstractNumId="{key}">{more}{"".join(levels)}</w:abstractNum>'


def num(key: int, of: int, overrides: str = "") -> str:
    """A list."""
    return f'<w:num w:numId="{key}"><w:abstractNumId w:val="{of}"/>{overrides}</w:num>'


def start_override(at: int, value: int) -> str:
    """A list's own start value at a level."""
    return f'<w:lvlOverride w:ilvl="{at}"><w:startOverride w:val="{value}"/></w:lvlOverride>'


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table of cells, each given as its paragraphs in XML or as its text."""
    cells = [[cell if cell.startswith("<") else para(cell) for cell in row] for row in rows]
    inner = "".join("<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in row) + "</w:tr>" for row in cells)
    return f"<w:tbl><w:tblPr/>{inner}</w:tbl>"


def rows(clauses: Sequence[Clause]) -> list[tuple[str, str, str, str]]:
    """Path, label, heading and text of each clause."""
    return [("/".join(clause.path), clause.label, clause.heading, clause.text) for clause in clauses]
