"""Word files that are not taken: each with its code and one sentence; and the limits at their edge."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from compliance_rag.parse.readers import docx_package, read_source
from compliance_rag.parse.readers.limits import MAX_XML_DEPTH
from schemas.errors import InputRejected
from tests.parse.docxs import docx, packed, para, run

_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_MACRO = "application/vnd.ms-word.document.macroEnabled.main+xml"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
_NS = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_LAUGHS = b'<!DOCTYPE w:document [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'


def _document(xml: bytes) -> bytes:
    return docx("", extra={"word/document.xml": xml})


def _outside(kind: str, target: str) -> bytes:
    relation = f'<Relationship Id="x1" Type="{_TYPE}{kind}" Target="{target}" TargetMode="External"/>'
    return docx(para("Text."), relations=relation)


def _nested(depth: int) -> str:
    return "<w:sdt>" * depth + para("deep") + "</w:sdt>" * depth


def _twice() -> bytes:
    out = BytesIO(docx(para("One.")))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(out, "a") as archive:
        archive.writestr("word/document.xml", b"<x/>")
    return out.getvalue()


def _locked() -> bytes:
    data = bytearray(docx(para("One.")))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(signature, at + 4)
    return bytes(data)


_CASES = {
    "no archive": (b"PK\x03\x04" + bytes(300), "damaged_file"),
    "no zip at all": (b"plain words", "damaged_file"),
    "an archive without a document": (packed({"a.txt": b"x"}), "damaged_file"),
    "no body": (_document(b"<w:document " + _NS + b"/>"), "damaged_file"),
    "no XML": (_document(b"<w:document"), "damaged_file"),
    "a part twice": (_twice(), "damaged_file"),
    "a cut archive": (docx(para("One."))[:-40], "damaged_file"),
    "no words": (docx(para("")), "empty_file"),
    "encrypted by Office": (_OLE + "EncryptedPackage".encode("utf-16-le") + bytes(50), "encrypted_docx"),
    "an encrypted archive": (_locked(), "encrypted_docx"),
    "the old format under a new name": (_OLE, "unknown_type"),
    "macros by type": (docx(para("x"), main_type=_MACRO), "macros_refused"),
    "macros by part": (docx(para("x"), extra={"word/vbaProject.bin": b"x"}), "macros_refused"),
    "entities": (_document(_LAUGHS + b"<w:document " + _NS + b"><w:body>&b;</w:body></w:document>"), "dtd_refused"),
    "an entity in UTF-16": (
        _document(("\ufeff<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>").encode("utf-16-le")), "dtd_refused",
    ),
    "deep nesting": (docx(_nested(MAX_XML_DEPTH)), "too_deep"),
    "a picture elsewhere": (_outside("image", "http://example.org/x.png"), "external_content"),
    "a document elsewhere": (_outside("subDocument", "file:///C:/other.docx"), "external_content"),
    "a template on the network": (_outside("attachedTemplate", "https://example.org/x.dotm"), "external_content"),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(_CASES))
def test_a_bad_word_file_is_refused_in_one_sentence(case: str) -> None:
    """The code is stable; the sentence names the file and says what to do."""
    data, code = _CASES[case]
    with pytest.raises(InputRejected) as error:
        read_source(data, "a.docx")
    assert error.value.code == code
    assert error.value.message.startswith("a.docx: ")
    assert error.value.message.endswith(".")
    assert "\n" not in error.value.message


@pytest.mark.parametrize(
    ("kind", "target"), [("hyperlink", "https://example.org"), ("attachedTemplate", "file:///C:\\Users\\a\\Normal.dotm")]
)  # fmt: skip
def test_what_nobody_would_load_is_no_reason(kind: str, target: str) -> None:
    """A link to click on and the author's own template are no content."""
    assert read_source(_outside(kind, target), "a.docx").text == "Text."


def test_nesting_at_its_limit() -> None:
    """Elements as deep as allowed are read: the document, its body, the paragraph, its run and text are five."""
    assert read_source(docx(_nested(MAX_XML_DEPTH - 5)), "a.docx").text == "deep"
    with pytest.raises(InputRejected):
        read_source(docx(_nested(MAX_XML_DEPTH - 4)), "a.docx")


def test_what_unpacks_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte of spaces packs to a kilobyte: refused beyond the limit, read at it; parts count likewise."""
    data = docx(para("x", xml=run(" " * 1_000_000)))
    assert len(data) < 10_000
    assert read_source(data, "a.docx").text.strip() == "x"
    monkeypatch.setattr(docx_package, "MAX_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(InputRejected) as error:
        read_source(data, "a.docx")
    assert error.value.code == "unpacks_too_large"
    many = docx(para("x"), extra={f"word/media/{index}.png": b"" for index in range(10)})
    entries = len(zipfile.ZipFile(BytesIO(many)).namelist())
    monkeypatch.setattr(docx_package, "MAX_PACKAGE_PARTS", entries)
    assert read_source(many, "a.docx").text == "x"
    monkeypatch.setattr(docx_package, "MAX_PACKAGE_PARTS", entries - 1)
    with pytest.raises(InputRejected):
        read_source(many, "a.docx")


def test_a_word_file_under_another_name_is_read() -> None:
    """Content decides: a .docx named .doc or .dotx is a Word file."""
    for name in ("a.doc", "a.dotx", "a.zip"):
        assert read_source(docx(para("Text.")), name).text == "Text."
