"""Mutated binary files through the reading child: `python -m eval.fuzz_readers [SUFFIX] [COUNT] [SEED] [DATA]`.

Any bytes are read or refused with a code: the parent never crashes, nothing takes longer than its limit, what is read tiles.
A file whose fonts or pictures were spoilt is read page by page from its pictures, each page within a limit of its own: `slow`
lists the files that took more than a minute, with how many pages that was. `died` counts files at which the confined child
ended badly: a refusal to the user, a fault of ours to mend. A new binary format joins by one row of :data:`READERS`.
"""

from __future__ import annotations

import json
import random
import sys
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from compliance_rag.parse.parse import parse_extracted
from compliance_rag.parse.readers.child import OCR_SECONDS, Progress, read_guarded
from compliance_rag.parse.tiling import check_tiling
from schemas.errors import InputRejected

COUNT = 1_000
SEED = 20261130
# A small file that takes longer hangs; a busy machine makes any file take a few.
MAX_SECONDS = 60.0
# Larger real files would make the run one of waiting, not of trying.
MAX_SEED_BYTES = 300_000
# Reading pages from pictures takes a core ten seconds a page: once a run has read so many, its files end where that begins.
PICTURED_PAGES = 40
# Most changed parts are mended into well-formed XML, or nothing but the XML parser would be tried.
MENDED = 0.85
FAILURES_KEPT = 20
_VALUES = (
    b"", b"0", b"-1", b"1", b"9", b"12", b"99999999999999999999", b"%1.%2.%3", b"%9%9%9", b"true", b"bullet", b"none", b"&#x0;",
    b"\xff\xfe", b"\xe7\xac\xac%1\xe6\x9d\xa1", b"A" * 5_000, b"\x00",
)  # fmt: skip
_TAGS = (
    b"<w:p>", b"</w:p>", b"<w:r>", b"</w:r>", b"<w:t>x</w:t>", b"<w:tbl>", b"</w:tbl>", b"<w:tr>", b"<w:tc>", b"<w:ins>",
    b"</w:ins>", b"<w:del>", b"</w:del>", b"<w:sdt>", b"</w:sdt>", b'<w:fldChar w:fldCharType="begin"/>', b"<w:txbxContent>",
    b'<w:fldChar w:fldCharType="separate"/>', b'<w:fldChar w:fldCharType="end"/>', b'<w:footnoteReference w:id="1"/>',
    b"<w:vanish/>", b'<w:numPr><w:ilvl w:val="7"/><w:numId w:val="1"/></w:numPr>', b"<!--", b"]]>", b"<!DOCTYPE a>", b"&lt;",
)  # fmt: skip


def flipped(rng: random.Random, data: bytes) -> bytes:
    """Bytes flipped, cut out, doubled or put in, or the end cut off."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 20)):
        at = rng.randrange(len(out) + 1)
        size = rng.choice((1, 1, 2, 8, 64, 512))
        match rng.randrange(5):
            case 0:
                out[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del out[at : at + size]
            case 2:
                out[at:at] = out[at : at + size]
            case 3:
                out[at:at] = rng.choice(_VALUES)
            case _:
                if rng.random() < 0.1:
                    del out[at:]
    return bytes(out)


def repacked(rng: random.Random, data: bytes) -> bytes:
    """An archive with one to three of its parts changed: tags moved, doubled, dropped, values replaced, bytes flipped, or the
    part itself dropped, emptied or swapped with another."""
    if rng.random() < 0.2:
        return flipped(rng, data)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    names = sorted(name for name in parts if name.endswith((".xml", ".rels")))
    weights = [8 if name.endswith(("document.xml", "numbering.xml", "styles.xml")) else 1 for name in names]
    for name in rng.choices(names, weights, k=rng.randint(1, 3)):
        change = rng.random()
        if name not in parts or change < 0.03:
            parts.pop(name, None)
        elif change < 0.05:
            parts[name] = parts.get(rng.choice(names), b"")
        elif change < 0.15:
            parts[name] = flipped(rng, parts[name])
        else:
            parts[name] = _edited(rng, parts[name])
    out = BytesIO()
    with zipfile.ZipFile(out, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), part, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _edited(rng: random.Random, part: bytes) -> bytes:
    """Changes that leave most of the tags whole, so that they reach the reader and not only the XML parser."""
    pieces = part.split(b"<")
    for _ in range(rng.randint(1, 8)):
        at, to = rng.randrange(1, max(2, len(pieces))), rng.randrange(1, max(2, len(pieces)))
        if at >= len(pieces) or to >= len(pieces):
            break
        match rng.randrange(6):
            case 0:
                pieces[at], pieces[to] = pieces[to], pieces[at]
            case 1:
                pieces[to:to] = pieces[at : at + rng.randint(1, 40)]
            case 2:
                del pieces[at : at + rng.randint(1, 3)]
            case 3:
                pieces[at : at + 1] = [pieces[at], rng.choice(_TAGS)[1:]]
            case _:
                before, mark, after = pieces[at].partition(b'="')
                pieces[at] = before + mark + rng.choice(_VALUES) + after[after.find(b'"') :] if mark else pieces[at]
    return _mended(b"<".join(pieces)) if rng.random() < MENDED else b"<".join(pieces)


def _mended(part: bytes) -> bytes:
    """The part as a forgiving parser reads it: well-formed again and just as odd."""
    from lxml import etree

    try:
        root = etree.fromstring(part, etree.XMLParser(recover=True, resolve_entities=False, huge_tree=True))
    except etree.XMLSyntaxError:
        return part
    return part if root is None else bytes(etree.tostring(root))


@dataclass(frozen=True, slots=True)
class Reader:
    """A binary format under test: the ending of its files and how one is spoilt."""

    suffix: str
    spoil: Callable[[random.Random, bytes], bytes]


READERS: Mapping[str, Reader] = {
    reader.suffix: reader
    for reader in (
        Reader(".docx", repacked),
        Reader(".pdf", flipped),
    )
}
"""The binary readers: one row each."""


def fault_of(data: bytes, name: str, progress: Progress | None = None, *, scans: bool = True) -> tuple[str, str | None]:
    """How one file ended (``read`` or the code of its refusal) and what is wrong with that, None when nothing is. ``progress``
    counts the pages that are read from their pictures; without ``scans`` a file ends there. A crash of the parent is not
    caught."""
    try:
        extracted = read_guarded(data, name, seconds=MAX_SECONDS, progress=progress, read_scans=scans)
    except InputRejected as refusal:
        return refusal.code, f"hangs: {refusal.message}" if refusal.code == "reader_timeout" else None
    parsed = parse_extracted(extracted, "0" * 64)
    problems = check_tiling(parsed)
    problems += [flag.text for flag in parsed.flags if flag.code == "unplaced_text"]
    return "read", "; ".join(problems[:3]) or None


class _Pictured:
    """How many pages of a file were read from their pictures."""

    def __init__(self) -> None:
        self.pages = 0

    def __call__(self, done: int, total: int) -> None:
        self.pages = total


def fuzz(suffix: str, seeds: list[bytes], count: int = COUNT, seed: int = SEED) -> dict[str, Any]:
    """Run ``count`` spoilt files made from ``seeds``. A crash of the parent ends the run; the seed and the number of the file
    on stderr make it again."""
    rng = random.Random(seed)
    outcomes: Counter[str] = Counter()
    failures: list[dict[str, Any]] = []
    died: list[int] = []
    slow: list[dict[str, Any]] = []
    slowest, scanned = 0.0, 0
    for number in range(count):
        data = READERS[suffix].spoil(rng, rng.choice(seeds))
        pictured = _Pictured()
        start = time.monotonic()
        try:
            outcome, fault = fault_of(data, f"a{suffix}", pictured, scans=scanned < PICTURED_PAGES)
        except BaseException:
            sys.stderr.write(f"seed {seed}, file {number}{suffix}\n")
            raise
        took = time.monotonic() - start
        scanned += pictured.pages
        slowest = max(slowest, took)
        if took > MAX_SECONDS:
            slow.append({"number": number, "seconds": round(took, 1), "pages_from_pictures": pictured.pages})
            # Two readings of the file, and the pages in between each within its own limit.
            over = took - 2 * MAX_SECONDS - OCR_SECONDS * pictured.pages
            fault = f"hangs: {over:.0f} s over its limits" if over > 0 else fault
        outcomes[outcome] += 1
        if outcome == "reader_failed":
            died.append(number)
        if fault and len(failures) < FAILURES_KEPT:
            failures.append({"number": number, "fault": fault, "bytes": zlib.crc32(data)})
    return {
        "reader": suffix, "count": count, "seed": seed, "slowest_s": round(slowest, 3), "pages_from_pictures": scanned,
        "slow": slow, "died": died,
        "outcomes": dict(sorted(outcomes.items())), "failures": failures,
    }  # fmt: skip


def spoilt(suffix: str, seeds: list[bytes], number: int, seed: int = SEED) -> bytes:
    """File ``number`` of a run, to look at it again."""
    rng = random.Random(seed)
    data = b""
    for _ in range(number + 1):
        data = READERS[suffix].spoil(rng, rng.choice(seeds))
    return data


def real_files(suffix: str, data: Path) -> list[bytes]:
    """The real files of this ending that are small enough."""
    paths = sorted(path for path in data.rglob("*") if path.suffix.lower() == suffix)
    return [path.read_bytes() for path in paths if 0 < path.stat().st_size <= MAX_SEED_BYTES]


if __name__ == "__main__":
    arguments = sys.argv[1:]
    ending = arguments[0] if arguments else ".docx"
    report = fuzz(
        ending,
        real_files(ending, Path(arguments[3] if len(arguments) > 3 else "../shared/data")),
        int(arguments[1]) if len(arguments) > 1 else COUNT,
        int(arguments[2]) if len(arguments) > 2 else SEED,
    )
    sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=1) + "\n")
