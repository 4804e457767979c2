"""How fast PDFs are read: pages a core-second with boxes, and a thousand pages to outline in time and memory.

``python -m eval.bench_pdf [DIR]``: the PDFs under DIR (default: the sample corpus's), each read once to warm up and timed in
processor seconds of one core; then one document of a thousand pages made here, from bytes to clauses in a process of its own.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path
from typing import Any

from compliance_rag.parse.parse import parse_extracted
from compliance_rag.parse.readers.pdf import read_pages
from compliance_rag.parse.readers.pdf_assemble import assemble
from eval.make_sample_pdf import content, document
from eval.suites import own_corpus
from schemas.errors import InputRejected

PAGES = 1_000
LINES_A_PAGE = 44
_TEXT = (
    "The operator shall keep every record of a delivery at the seat of the company for seven years and show it to the "
    "authority on request within ten days after the notice has been received in writing"
)
_WORDS = _TEXT.split()


def long_pdf(pages: int = PAGES) -> bytes:
    """A document of ``pages`` full pages: numbered sections and clauses, headers, footers, sentences over page ends."""
    lines = []
    for number in range(pages * LINES_A_PAGE):
        section, place = divmod(number, 40)
        at = number * 7 % len(_WORDS)
        words = " ".join((_WORDS[at:] + _WORDS[:at])[:14])
        opens = place % 4 == 0
        label = f"{section + 1} Section on records" if place == 0 else f"{section + 1}.{place // 4} {words.capitalize()}"
        lines.append(label if opens else f"{words}." if place % 4 == 3 else words)
    laid = [
        [("F1", 10, 64, 770 - 15 * row, text) for row, text in enumerate(lines[at : at + LINES_A_PAGE])]
        for at in range(0, len(lines), LINES_A_PAGE)
    ]
    return document([content(page, number, len(laid)) for number, page in enumerate(laid, 1)], "A thousand pages")


def speed(files: list[Path]) -> dict[str, Any]:
    """Pages a processor second over ``files``, characters with boxes put together to text."""
    pages, seconds, refused = 0, 0.0, 0
    for path in files:
        data = path.read_bytes()
        try:
            assemble(*read_pages(data, path.name))
            start = time.process_time()
            found = read_pages(data, path.name)
            assemble(*found)
        except InputRejected:
            refused += 1
            continue
        seconds += time.process_time() - start
        pages += len(found[0])
    return {
        "files": len(files) - refused, "pages": pages, "cpu_s": round(seconds, 2),
        "pages_a_core_second": round(pages / seconds, 1) if seconds else None,
    }  # fmt: skip


def _outline(data: bytes, answer: Any) -> None:
    start, cpu = time.perf_counter(), time.process_time()
    version = parse_extracted(assemble(*read_pages(data, "long.pdf")), "0" * 64)
    answer.send({
        "pages": PAGES, "clauses": len(version.clauses), "characters": len(version.extracted),
        "wall_s": round(time.perf_counter() - start, 1), "cpu_s": round(time.process_time() - cpu, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    })  # fmt: skip


def thousand_pages() -> dict[str, Any]:
    """Time and peak memory of a thousand pages from bytes to outline, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_outline, args=(long_pdf(), theirs))
    child.start()
    theirs.close()
    found: dict[str, Any] = mine.recv()
    child.join()
    return found


def main(arguments: list[str]) -> dict[str, Any]:
    """Both figures."""
    folder = Path(arguments[0]) if arguments else own_corpus()
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".pdf" and path.is_file())
    return {"speed": speed(files), "thousand_pages": thousand_pages()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1:]), indent=1) + "\n")
