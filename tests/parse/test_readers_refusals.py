"""Bad files: one sentence, a stable code, the file named."""

from __future__ import annotations

import pytest

from compliance_rag.parse.readers import limits, read_source
from schemas.errors import InputRejected

_BOMB = b'<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;">]><a><p>&y;</p></a>'
_EXTERNAL = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a><p>&x;</p></a>'


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (b"", "a.md", "empty_file"),
        (b" \n\t\n", "a.txt", "empty_file"),
        (b"<p hidden>x</p>", "a.html", "empty_file"),
        (b"<a><meta>x</meta></a>", "a.xml", "empty_file"),
        (b'{"clauses": []}', "a.clauses.json", "empty_file"),
        (b"text", "a.xyz", "unknown_type"),
        (b"PK\x03\x04abc", "a.docx", "damaged_file"),
        (b"PK\x03\x04abc", "a.txt", "unknown_type"),
        (b"\xd0\xcf\x11\xe0abc", "a.doc", "unknown_type"),
        (b"\xffWPCabc", "a.wpd", "unknown_type"),
        (b"\x89PNG", "a.png", "damaged_file"),
        (b"{\\rtf1 x}", "a.txt", "unknown_type"),
        (bytes(range(1, 9)) * 200, "a.txt", "unreadable_text"),
        (b"{", "a.clauses.json", "damaged_file"),
        (b'{"clauses": [3]}', "a.clauses.json", "damaged_file"),
        (b'{"clauses": [{"text": []}]}', "a.clauses.json", "damaged_file"),
        (b'{"clauses": [{"text": "a", "effective_from": "2025-02-29"}]}', "a.clauses.json", "unreadable_date"),
        (b"<a><p>x</a>", "a.xml", "damaged_file"),
        (_BOMB, "a.xml", "dtd_refused"),
        (_EXTERNAL, "a.xml", "dtd_refused"),
        (b"<a>" * (limits.MAX_XML_DEPTH + 1), "a.xml", "too_deep"),
        (b"%PDF-1.4 nothing", "a.pdf", "damaged_file"),
        (b"no pdf", "a.pdf", "damaged_file"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(data: bytes, name: str, code: str) -> None:
    """The code is stable, the sentence names the file and ends with a remedy."""
    with pytest.raises(InputRejected) as error:
        read_source(data, name)
    assert error.value.code == code
    assert error.value.message.startswith(name)
    assert error.value.message.endswith(".")
    assert "\n" not in error.value.message


@pytest.mark.parametrize(
    ("data", "name"), [(b"\xd0\xcf\x11\xe0abc", "a.doc"), (b"\xffWPCabc", "a.wpd"), (b"{\\rtf1 x}", "a.rtf")]
)
def test_older_formats_name_the_way_out(data: bytes, name: str) -> None:
    """Word before 2007, WordPerfect and RTF are told to be saved as .docx."""
    with pytest.raises(InputRejected, match=r"save it as \.docx and add that") as error:
        read_source(data, name)
    assert error.value.code == "unknown_type"


def test_size_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file at the limit is read, one byte more is refused."""
    monkeypatch.setattr("compliance_rag.parse.readers.MAX_FILE_BYTES", 10)
    assert read_source(b"a" * 10, "a.txt").text == "a" * 10
    with pytest.raises(InputRejected) as error:
        read_source(b"a" * 11, "a.txt")
    assert error.value.code == "file_too_large"
