"""A Word file as a package: its parts as XML trees, unpacked within limits, nothing fetched and nothing expanded."""

from __future__ import annotations

import re
import zipfile
import zlib
from io import BytesIO
from posixpath import dirname, join, normpath

from lxml import etree

from compliance_rag.parse.readers.limits import MAX_PACKAGE_PARTS, MAX_UNPACKED_BYTES, MAX_XML_DEPTH
from schemas.errors import InputRejected

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_REL = "{http://schemas.openxmlformats.org/package/2006/relationships}"
# The strict form of the standard names the same things under other addresses.
_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", W[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", R[1:-1].encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/math", b"http://schemas.openxmlformats.org/officeDocument/2006/math"),
    (b"http://purl.oclc.org/ooxml/drawingml/main", b"http://schemas.openxmlformats.org/drawingml/2006/main"),
    (
        b"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing",
        b"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    ),
)
_CHUNK = 1 << 20
# Whatever a damaged archive makes the unpacker say.
_ARCHIVE_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError, IndexError, KeyError)
_NETWORK = re.compile(r"(?!file:)[a-z][a-z0-9+.-]{1,30}:", re.IGNORECASE)
# A paragraph's value is a small number; Python would read a numeral of any length.
_INTEGER = re.compile(r"\s*([+-]?\d{1,9})(?:\.\d*)?\s*\Z")


def integer(text: str | None, default: int) -> int:
    """An integer attribute; ``default`` for anything else."""
    match = _INTEGER.match(text or "")
    return int(match[1]) if match else default


def value_of(element: etree._Element | None, name: str) -> str | None:
    """The ``w:val`` of a child of ``element``, None when there is none."""
    child = element.find(W + name) if element is not None else None
    return child.get(f"{W}val") if child is not None else None


def flag_of(element: etree._Element | None, name: str) -> bool | None:
    """An on/off property among the children of ``element``; None when it says nothing."""
    child = element.find(W + name) if element is not None else None
    if child is None:
        return None
    return child.get(f"{W}val", "true") not in ("0", "false", "off", "none")


class Package:
    """The parts of one Word file.

    Raises InputRejected from every method: ``damaged_file``, ``encrypted_docx``, ``macros_refused``, ``dtd_refused``,
    ``external_content``, ``unpacks_too_large``, ``too_deep``.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._unpacked = 0
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except _ARCHIVE_FAULTS as error:
            raise self._damaged("it is no readable archive") from error
        entries = self._zip.infolist()
        if len(entries) > MAX_PACKAGE_PARTS:
            raise self.refuse("unpacks_too_large", f"it holds {len(entries):,} parts, at most {MAX_PACKAGE_PARTS:,} are read")
        self._entries: dict[str, zipfile.ZipInfo] = {}
        for entry in entries:
            key = entry.filename.lstrip("/").lower()
            if key in self._entries:
                raise self._damaged(f"its part {entry.filename!r} stands in it twice")
            if entry.flag_bits & 1:
                raise self.refuse("encrypted_docx", "it is protected by a password; remove it in Word and save as .docx")
            self._entries[key] = entry
        self._check_macros()
        self.main = self._main_part()
        self.relations = self.relationships(self.main)
        self._check_external()

    def refuse(self, code: str, why: str) -> InputRejected:
        """The refusal of this file."""
        return InputRejected(code, f"{self.name}: {why}.", self.name)

    def _damaged(self, why: str) -> InputRejected:
        return self.refuse("damaged_file", f"{why}; open it in Word, save it anew as .docx and add that")

    def _check_macros(self) -> None:
        types = self.read("[Content_Types].xml") or b""
        if b"macroenabled" in types.lower() or any(key.endswith("vbaproject.bin") for key in self._entries):
            raise self.refuse("macros_refused", "it carries macros; save it in Word as .docx, which has none, and add that")

    def _main_part(self) -> str:
        main = next((target for kind, target, _ in self._related("", "_rels/.rels") if kind == "officeDocument"), None)
        main = main or "word/document.xml"
        if main.lower() not in self._entries:
            raise self._damaged("it holds no Word document")
        return main

    def _check_external(self) -> None:
        """Nothing that Word would load from elsewhere; a link that a reader may click on is text, and a template in
        the author's own folders shapes no words."""
        for key in sorted(self._entries):
            if not key.endswith(".rels"):
                continue
            for kind, target, external in self._related("", key):
                harmless = kind == "hyperlink" or (kind == "attachedTemplate" and not _NETWORK.match(target))
                if external and not harmless:
                    raise self.refuse(
                        "external_content",
                        f"part of it ({kind}) lies outside the file at {target[:80]!r}; break the link in Word (File, Info, "
                        "Edit Links to Files), save it and add that",
                    )

    def read(self, part: str) -> bytes | None:
        """The bytes of a part, None when the file has none of that name."""
        entry = self._entries.get(part.lstrip("/").lower())
        if entry is None:
            return None
        chunks: list[bytes] = []
        try:
            with self._zip.open(entry) as stream:
                while chunk := stream.read(_CHUNK):
                    self._unpacked += len(chunk)
                    if self._unpacked > MAX_UNPACKED_BYTES:
                        raise self.refuse(
                            "unpacks_too_large",
                            f"its text unpacks to more than {MAX_UNPACKED_BYTES:,} bytes; save the document anew, in parts",
                        )
                    chunks.append(chunk)
        except (RuntimeError, *_ARCHIVE_FAULTS) as error:
            raise self._damaged(f"its part {part!r} cannot be unpacked") from error
        return b"".join(chunks)

    def tree(self, part: str | None) -> etree._Element | None:
        """A part as a tree of elements, None when there is no such part."""
        data = self.read(part) if part else None
        if data is None:
            return None
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            data = re.sub(r"\A\ufeff?<\?xml[^>]*\?>", "", data.decode("utf-16", "replace")).encode("utf-8", "replace")
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            raise self.refuse("dtd_refused", "it declares XML entities, which no Word file needs; save it anew in Word")
        for strict, usual in _STRICT:
            data = data.replace(strict, usual)
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
        )
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            if "depth" in str(error).lower():
                raise self._too_deep() from error
            raise self._damaged(f"its part {part!r} is no well-formed XML") from error
        if root.getroottree().docinfo.internalDTD is not None:
            raise self.refuse("dtd_refused", "it declares XML entities, which no Word file needs; save it anew in Word")
        self._check_depth(root)
        return root

    def _check_depth(self, root: etree._Element) -> None:
        depth = 0
        for event, _ in etree.iterwalk(root, events=("start", "end")):
            depth += 1 if event == "start" else -1
            if depth > MAX_XML_DEPTH:
                raise self._too_deep()

    def _too_deep(self) -> InputRejected:
        return self.refuse("too_deep", f"its elements are nested deeper than {MAX_XML_DEPTH}; save it anew in Word")

    def relationships(self, part: str) -> dict[str, tuple[str, str]]:
        """``{id: (kind, target part)}`` of a part; what lies outside the file is left out."""
        rels = join(dirname(part), "_rels", part.rsplit("/", 1)[-1] + ".rels")
        return {
            key: (kind, target)
            for key, (kind, target, external) in self._identified(dirname(part), rels).items()
            if not external
        }

    def _related(self, base: str, rels: str) -> list[tuple[str, str, bool]]:
        return list(self._identified(base, rels).values())

    def _identified(self, base: str, rels: str) -> dict[str, tuple[str, str, bool]]:
        root = self.tree(rels)
        found: dict[str, tuple[str, str, bool]] = {}
        for element in root.iterfind(f"{_REL}Relationship") if root is not None else ():
            kind = (element.get("Type") or "").rsplit("/", 1)[-1]
            target = element.get("Target") or ""
            external = (element.get("TargetMode") or "").lower() == "external"
            if not external:
                target = normpath(join("/", base, target)).lstrip("/")
            found[element.get("Id") or f"#{len(found)}"] = (kind, target, external)
        return found

    def related(self, kind: str) -> str | None:
        """The part that the main part names as its ``kind`` (styles, numbering, footnotes …)."""
        return next((target for found, target in self.relations.values() if found == kind), None)
