"""The reading child: what it may not do, what its death means, that it changes nothing."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.readers import child, read_source, wire
from compliance_rag.parse.readers.child import confinement, read_guarded
from compliance_rag.parse.readers.limits import MAX_XML_DEPTH
from schemas.errors import InputRejected
from tests.parse.docxs import docx, para
from tests.parse.pdfs import line, pdf

_BODY = "The supplier keeps every record for seven years and shows it to the buyer at once when asked for it in writing"
_SOURCES = {
    "a.md": b"# Rule\n\n1. Keep *records*.\n2. Report.\n",
    "a.txt": "第一条 保存记录。\n".encode(),
    "a.html": b"<h1>Rule</h1><ol><li>Keep<li>Report</ol>",
    "a.docx": docx(para("1. Keep records.") + para("2. Report.")),
    "a.pdf": pdf([line("1. " + _BODY + ".", 72, 700)]),
    "a.clauses.json": json.dumps({"clauses": [{"number": "1", "text": "Keep."}]}).encode(),
}


@pytest.fixture(scope="module", autouse=True)
def fresh() -> Iterator[None]:
    """A child of our own, ended after."""
    child._WARM.close()
    yield
    child._WARM.close()


def _code(data: bytes, name: str, **options: float) -> str:
    with pytest.raises(InputRejected) as error:
        read_guarded(data, name, **options)  # type: ignore[arg-type]
    assert error.value.message.startswith(name)
    assert error.value.message.endswith(".")
    return error.value.code


@pytest.mark.parametrize("name", sorted(_SOURCES))
def test_the_child_reads_what_the_reader_reads(name: str) -> None:
    """The same extracted text, blocks, flags and offsets through the child as without it."""
    assert wire.pack(read_guarded(_SOURCES[name], name)) == wire.pack(read_source(_SOURCES[name], name))


def test_a_refusal_comes_back_as_it_is() -> None:
    """Code and sentence of a reader's refusal are the same through the child."""
    for data, name in ((b"", "a.md"), (b"x", "a.xyz"), (b"<a>" * (MAX_XML_DEPTH + 1), "a.xml"), (b"PK\x03\x04", "a.docx")):
        with pytest.raises(InputRejected) as direct:
            read_source(data, name)
        with pytest.raises(InputRejected) as guarded:
            read_guarded(data, name)
        assert (guarded.value.code, guarded.value.message) == (direct.value.code, direct.value.message)


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp and Landlock are Linux's")
def test_the_child_can_do_no_harm() -> None:
    """Tried inside the child: a socket, a file written, one removed, a fork, a program, a file that is none of its business.
    Reading elsewhere is refused by Landlock alone, so where the kernel has none that one is left out."""
    found = confinement()
    assert found["held"]["limits"]
    allowed = [] if found["held"]["landlock"] else ["read"]
    assert [act for act in found["escapes"] if act not in allowed] == []


def test_too_much_memory_is_a_refusal_and_the_next_file_is_read() -> None:
    """A file that needs more address space than it may have."""
    assert _code(b"1. x\n\n" * 1_000_000, "a.md", memory=150 << 20) == "reader_memory"
    assert read_guarded(b"Fine.", "b.md").text == "Fine."


def test_too_much_time_is_a_refusal_and_the_next_file_is_read() -> None:
    """A file that takes longer than it may; the time is kept by the parent."""
    assert _code(b"a [b](c) *d*\n\n" * 200_000, "a.md", seconds=0.3) == "reader_timeout"
    assert read_guarded(b"Fine.", "b.md").text == "Fine."


def test_too_much_processor_time_is_a_refusal() -> None:
    """The processor time is kept by the kernel, in whole seconds."""
    header = {"name": "a.md", "tracked": None, "memory": 3 << 30, "seconds": 1}
    kind, body = child._WARM.ask(header, b"a [b](c) *d*\n\n" * 400_000, 600.0)
    assert (kind, json.loads(body)["code"]) == (b"R", "reader_timeout")
    assert read_guarded(b"Fine.", "b.md").text == "Fine."


def test_a_killed_child_is_a_refusal_and_the_next_file_is_read() -> None:
    """SIGKILL in the middle, as the kernel does when memory runs out."""
    read_guarded(b"Warm.", "w.md")
    template = child._WARM._template
    assert template is not None
    killer = threading.Timer(0.4, os.killpg, (template.process.pid, signal.SIGKILL))
    killer.start()
    assert _code(b"a [b](c) *d*\n\n" * 200_000, "a.md") == "reader_failed"
    killer.join()
    assert read_guarded(b"Fine.", "b.md").text == "Fine."


def test_a_child_found_dead_is_replaced() -> None:
    """A template that died between two files costs nothing."""
    read_guarded(b"Warm.", "w.md")
    template = child._WARM._template
    assert template is not None
    os.killpg(template.process.pid, signal.SIGKILL)
    template.process.wait()
    assert read_guarded(b"Fine.", "b.md").text == "Fine."


def test_bombs_are_refused_by_code() -> None:
    """A zip bomb, an entity bomb, deep nesting: each its code, then a sound file is read."""
    laughs = b'<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>'
    assert _code(docx("", extra={"word/document.xml": laughs}), "a.docx") == "dtd_refused"
    assert _code(laughs, "a.xml") == "dtd_refused"
    assert _code(docx("<w:sdt>" * MAX_XML_DEPTH + para("x") + "</w:sdt>" * MAX_XML_DEPTH), "a.docx") == "too_deep"
    assert read_guarded(_SOURCES["a.docx"], "b.docx").text.startswith("1. Keep")


@pytest.mark.slow
def test_a_zip_bomb_is_refused() -> None:
    """Two hundred megabytes of spaces and one more packed into a quarter of one."""
    bomb = docx("", extra={"word/document.xml": b" " * 200_000_001})
    assert len(bomb) < 300_000
    assert _code(bomb, "a.docx") == "unpacks_too_large"


def test_threads_share_one_child() -> None:
    """Requests of several threads wait for one another and never mix."""
    found: dict[int, str] = {}

    def read(index: int) -> None:
        found[index] = read_guarded(f"Text {index}.".encode(), "a.md").text

    threads = [threading.Thread(target=read, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {index: f"Text {index}." for index in range(8)}


_SOUND = Extracted("1. Keep.", [Block("item", (0, 8), label_span=(0, 2))], "text", offsets=[(0, 0)])


@pytest.mark.parametrize(
    "bad",
    [
        b"", b"\x00" * 7, b"\xff" * 40, wire.pack(_SOUND)[:-3], wire.pack(_SOUND).replace(b"item", b"evil"),
        wire.pack(replace(_SOUND, text="x")), wire.pack(replace(_SOUND, blocks=[Block("item", (5, 4))])),
        wire.pack(replace(_SOUND, offsets=[(3, 0), (1, 0)])), wire.pack(_SOUND).replace(b'"text": "1', b'"text": [1'),
        wire.pack(_SOUND).replace(b'"media"', b'"__cl"'), wire.pack(_SOUND).replace(b"[[\"q\", 2]]", b"[[\"q\", 9]]"),
        wire.pack(replace(_SOUND, blocks=[Block("item", (0, 8)), Block("item", (3, 8))])),
    ],
)  # fmt: skip
def test_an_answer_that_makes_no_sense_is_refused(bad: bytes) -> None:
    """The parent takes nothing from a child that is not an extracted text: a ValueError, and no other error."""
    with pytest.raises(ValueError, match=r".*"):
        wire.unpack(bad)


def test_an_extracted_text_survives_the_wire() -> None:
    """Half characters, boxes and edges come back equal."""
    from array import array

    block = Block("paragraph", (0, 3), page=1, boxes=((1, 0.1, 2.0, 3.5, 4.0),), box_spans=((0, 3),))
    block.box_edges = ((False, array("d", [0.1, 0.2, 0.3])),)
    extracted = Extracted("a\ud800b", [block], "pdf", offsets=[(0, 0), (2, 9)], page_breaks=(2,), remainder=[("comments", "x")])
    assert wire.unpack(wire.pack(extracted)) == extracted


@pytest.mark.data
def test_real_files_read_the_same_through_the_child(measuring_data: Path) -> None:
    """Three Word files, a PDF and two texts of the real material: equal with and without the child."""
    folder = measuring_data
    names = (
        sorted((folder / "docx").glob("common*.docx"))[:2]
        + sorted((folder / "versioned" / "github-terms-of-service").glob("*.md"))[:1]
    )
    names += [folder / "messy" / "pdf-digital" / "UELMA-Open-Law-White-Paper.pdf"]
    for path in names:
        data = path.read_bytes()
        assert wire.pack(read_guarded(data, path.name)) == wire.pack(read_source(data, path.name)), path.name
