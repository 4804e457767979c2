"""Evidence bundles: one answer with all that proves it, in one file that verifies anywhere; and the whole home."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from audit.checkpoint import last_note, log_keys
from audit.durable import locked
from audit.ledger import Ledger
from audit.notes import verifier_key
from audit.verifier import CitedClause, print_page, verdict_rows
from schemas.canonical import canonical_json
from schemas.errors import InputRejected, IntegrityError, NotFound
from schemas.home import LEDGER_FORMAT, Home
from schemas.ids import read_clause_id

# A fixed instant for zip entries: the same evidence gives the same bytes.
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_INSTRUCTIONS = """Evidence for answer {answer_id}

index.html    what was asked and answered, and each cited clause in its context: open it in a browser
answer.json   the answer as it was shown, with its receipt
bundle.json   the ledger's records, each with its inclusion proof in the tree of {size} records; the proof that this tree
              grew out of the answer's own receipt
ledger/       the records' parts, the keys that open them, the signed checkpoint
sources/      the documents as received; extracted/: their text, in which clause spans count code points
verifier.py   one file that imports nothing of ours: read it, or write your own from its first page

The verifier compares answer.json with the record and prints index.html again from it: both are part of the proof, and
a changed one is refused. This README and verifier.py itself are not: whoever gave you the bundle could have changed
them. Take verifier.py from a place you trust where that matters.

To check it, with Python 3.11 and either the package cryptography or the program openssl:

    python verifier.py .
    python verifier.py . --key PUB      with the public key you got from the log's owner on another way

What it answers is under checked.in_words, in sentences.

{signed}
"""


def export_bundle(ledger: Ledger, home: Home, index: int, out: Path) -> dict[str, Any]:
    """Write answer ``index`` with its proofs to the zip ``out``; gives ``{"out", "size", "signed", "records"}``.

    Proofs lead to the newest checkpoint that covers every record in it, else to the log's present root, which then only a
    receipt vouches for (``signed`` False). Of the keys only the answer's own goes along.
    Raises NotFound ``no_record``; InputRejected ``not_an_answer``, ``out_exists``, ``out_unwritable``; IntegrityError when
    anything it takes is missing or damaged.
    """
    header = ledger.header(index)
    if header["type"] != "answer":
        raise InputRejected("not_an_answer", f"Record {index} is a {header['type']}, not an answer.", str(index))
    records = _needed(ledger, header, index)
    note = last_note(ledger.folder / "checkpoints")
    signed = note is not None and records[-1] < note.size <= ledger.size
    size = note.size if note is not None and signed else ledger.size
    answer = _answer(ledger, header)
    with _archive(out) as archive:
        _put(archive, "bundle.json", _bundle(ledger, records, index + 1, size))
        for at in records:
            _put_record(archive, ledger, home, ledger.header(at))
        key = header.get("sealed_under")
        if key is not None and answer is not None:
            _put(archive, f"ledger/keys/{key}", _read(ledger.folder / "keys" / key))
        if note is not None and signed:
            name = f"{note.size:020d}.note"
            _put(archive, f"ledger/checkpoints/{name}", _read(ledger.folder / "checkpoints" / name))
        for known in log_keys(ledger).values():
            _put(archive, f"keys/{known.key_id}.vkey", verifier_key(ledger.origin, known.public).encode() + b"\n")
        if answer is not None:
            shown = answer | {"ledger": ledger.receipt(index).model_dump(mode="json")}
            _put(archive, "answer.json", json.dumps(shown, ensure_ascii=False, indent=1).encode())
        root = ledger.tree.root(size).hex()
        verdict = verdict_rows(ledger.origin, root, size, signed=signed)
        page = print_page(header, answer, _cited(ledger, home, answer, records), verdict)
        _put(archive, "index.html", page.encode("utf-8", "surrogatepass"))
        _put(archive, "verifier.py", _read(Path(__file__).parent / "verifier.py"))
        _put(archive, "README.txt", _instructions(header, size, signed=signed).encode())
    return {"out": str(out), "size": size, "signed": signed, "records": records}


def export_all(ledger: Ledger, home: Home, out: Path) -> dict[str, Any]:
    """Write the two truths (sources and extracted texts, ledger) and the settings to the zip ``out``, as of one instant.

    Unpacked into an empty folder and rebuilt, it is a home with the same ids, hashes and roots. Raises InputRejected
    ``out_exists``.
    """
    with _archive(out) as archive:
        # Before the log: a checkpoint signed meanwhile would be of a longer one.
        _put_folder(archive, home, ledger.folder / "checkpoints")
        # Log and head under the lock; what they name was there before them and is never taken away, except an erased key.
        with locked(ledger.folder / "lock"):
            ledger.refresh()
            for path in [*sorted((ledger.folder / "log").iterdir()), ledger.folder / "head", ledger.folder / "format"]:
                _put(archive, str(path.relative_to(home.root)), _read(path))
        for folder in ("parts", "keys"):
            _put_folder(archive, home, ledger.folder / folder)
        _put_folder(archive, home, home.sources)
        _put_folder(archive, home, home.extracted_dir)
        if home.settings.exists():
            _put(archive, home.settings.name, _read(home.settings))
    return {"out": str(out), "size": ledger.size, "root": ledger.root}


@contextmanager
def _archive(out: Path) -> Iterator[zipfile.ZipFile]:
    """A zip that stands under its name only once it is whole."""
    if out.exists():
        raise InputRejected("out_exists", f"{out.name} exists; name another file.", out.name)
    unfinished = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
            yield archive
        os.replace(unfinished, out)
    except OSError as error:
        raise InputRejected("out_unwritable", f"{out.name} could not be written ({error.strerror}).", out.name) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise IntegrityError(
            "file_missing", f"{path.parent.name}/{path.name} is missing; run audit verify.", path.name
        ) from error


def _answer(ledger: Ledger, header: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer as shown, None when erased."""
    try:
        value = json.loads(ledger.part(header, "answer"))
    except NotFound as error:
        if error.code != "erased":
            raise
        return None
    return dict(value)


def _needed(ledger: Ledger, header: Mapping[str, Any], index: int) -> list[int]:
    """The answer, every earlier publication and event of the documents it cites, keys, and its own holds and erasure."""
    docs = {read_clause_id(entry["clause_id"])[0] for entry in header["cited"]}
    found = []
    for at, other in ledger.headers(types={"publication", "withdrawal", "redate", "key", "hold", "erasure"}):
        of_document = at < index and other.get("doc_id") in docs
        about_it = index in (other.get("holds"), other.get("erases"))
        if of_document or about_it or other["type"] == "key":
            found.append(at)
    return sorted([*found, index])


def _bundle(ledger: Ledger, records: list[int], from_size: int, size: int) -> bytes:
    """The records in the tree of ``size``, and how it grew out of the answer's own receipt, the tree of ``from_size``."""
    entries = [
        {
            "index": at,
            "line": ledger.line(at).decode("utf-8"),
            "proof": [digest.hex() for digest in ledger.tree.inclusion(at, size)],
        }
        for at in records
    ]
    return canonical_json(
        {
            "format": LEDGER_FORMAT,
            "origin": ledger.origin,
            "size": size,
            "root": ledger.tree.root(size).hex(),
            "from_size": from_size,
            "consistency": [digest.hex() for digest in ledger.tree.consistency(from_size, size)],
            "records": entries,
        }
    )


def _put_record(archive: zipfile.ZipFile, ledger: Ledger, home: Home, header: Mapping[str, Any]) -> None:
    """A record's parts as stored, and a publication's files."""
    for entry in header["parts"]:
        _put(archive, f"ledger/parts/{entry['sha256']}", _read(ledger.folder / "parts" / entry["sha256"]))
    if header["type"] == "publication":
        _put(archive, f"sources/{header['source_sha256']}", _read(home.source(header["source_sha256"])))
        path = home.extracted(header["extracted_sha256"])
        _put(archive, f"extracted/{path.name}", _read(path))


def _cited(ledger: Ledger, home: Home, answer: Mapping[str, Any] | None, records: list[int]) -> Iterator[CitedClause]:
    """Each citation with the text it stands in, from the latest publication in the bundle that holds it."""
    for citation in [] if answer is None else answer["citations"]:
        doc_id, version_id, path = read_clause_id(citation["clause_id"])
        for at in reversed(records):
            header = ledger.header(at)
            if (header.get("doc_id"), header.get("version_id"), header["type"]) != (doc_id, version_id, "publication"):
                continue
            rows = json.loads(ledger.part(header, "clauses"))
            row = next((row for row in rows if row["path"] == "/".join(path) and row["sha256"] == citation["sha256"]), None)
            if row is not None:
                text = _read(home.extracted(header["extracted_sha256"])).decode("utf-8", "surrogatepass")
                yield CitedClause(citation, text, [(span[0], span[1]) for span in row["spans"]])
                break


def _instructions(header: Mapping[str, Any], size: int, *, signed: bool) -> str:
    sentence = (
        "The checkpoint in ledger/checkpoints signs that tree; keys/ holds the log's keys, which are worth no more than\n"
        "the way you got them: compare them with the owner's."
        if signed
        else "NOT SIGNED: no checkpoint covers this answer yet. It is worth as much as a receipt of the answer that you hold\n"
        "from elsewhere (--receipt ANSWER.json), or the log's witness folder (--witness DIR)."
    )
    return _INSTRUCTIONS.format(answer_id=header["answer_id"], size=size, signed=sentence)


def _put_folder(archive: zipfile.ZipFile, home: Home, folder: Path) -> None:
    for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
        if path.is_file():
            _put(archive, str(path.relative_to(home.root)), path.read_bytes())


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """An entry, once."""
    if name not in archive.NameToInfo:
        entry = zipfile.ZipInfo(name, _ZIP_TIME)
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, data)
