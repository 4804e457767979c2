"""A PDF printed from a Word or Markdown original against the original: ``python -m eval.printed DATA [FILE…]``.

LibreOffice prints the originals (Word files under ``DATA/docx``, Markdown of the sample corpus through HTML); both are parsed,
and a clause counts when the PDF has one with the same path, number, heading and text, white space aside (a page sets its own).
The kinds of difference are counted and the first of each printed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from compliance_rag.parse.parse import parse_version
from eval.suites import own_corpus
from schemas.clause import Clause
from schemas.errors import InputRejected

# Markdown originals of the sample corpus, in both languages; with nine Word files there are twelve.
MARKDOWN = ("halvorsen-retention/v3.0.md", "outsourcing/2026-revision.md", "yunhe/2026-rev1.md")
# Printing all twelve takes half a minute on an idle machine.
PRINT_SECONDS = 1_800
SHOWN = 4
_BULLET = re.compile(r"(?:^|\n)[-•●○▪■o\uf0a7\uf0b7\uf0f0]\s")
# Marks that nothing draws and no page holds: direction, zero-width joiners, soft hyphens.
_UNDRAWN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_NOTE_MARK = re.compile(r"\[(\d{1,2})\]")
_STYLE = "<style>body{font-family:'Liberation Serif','WenQuanYi Micro Hei';font-size:11pt} li{margin:0.3em 0}</style>"


def originals(data: Path) -> list[Path]:
    """The twelve files."""
    return [*sorted((data / "docx").glob("*.docx")), *(own_corpus() / name for name in MARKDOWN)]


def print_pdfs(files: Sequence[Path], folder: Path) -> dict[Path, Path]:
    """The PDF of each file, made in ``folder``. Raises InputRejected ``no_libreoffice``, ``not_printed``."""
    program = shutil.which("soffice")
    if program is None:
        raise InputRejected("no_libreoffice", "LibreOffice is not installed; it prints the originals.", "soffice")
    sources: list[Path] = []
    for number, path in enumerate(files):
        copy = folder / f"{number:02}-{path.stem}{'.html' if path.suffix == '.md' else path.suffix}"
        copy.write_bytes(_html(path) if path.suffix == ".md" else path.read_bytes())
        sources.append(copy)
    command = [program, "--headless", f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--convert-to"]
    for kind, suffix in (("pdf:writer_web_pdf_Export", ".html"), ("pdf:writer_pdf_Export", ".docx")):
        named = [str(path) for path in sources if path.suffix == suffix]
        if named:
            run = [*command, kind, "--outdir", str(folder), *named]
            subprocess.run(run, check=True, capture_output=True, timeout=PRINT_SECONDS)
    made = {path: copy.with_suffix(".pdf") for path, copy in zip(files, sources, strict=True)}
    missing = [path.name for path, pdf in made.items() if not pdf.exists()]
    if missing:
        raise InputRejected("not_printed", f"LibreOffice printed no PDF of {', '.join(missing)}.", missing[0])
    return made


def _html(path: Path) -> bytes:
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(path.read_text("utf-8"))
    body = body.replace("<table>", '<table border="1" cellspacing="0" cellpadding="3">')
    return f'<html><head><meta charset="utf-8">{_STYLE}</head><body>{body}</body></html>'.encode()


def _plain(text: str) -> str:
    """Without white space, bars of tables, marks that nothing draws, bullets, which a Word file describes and a page prints,
    and the brackets that stand for the raised figure of a note."""
    return "".join(_NOTE_MARK.sub(r"\1", _BULLET.sub("\n", _UNDRAWN.sub("", text))).replace("|", "").split())


def compare(original: Path, pdf: Path) -> dict[str, Any]:
    """How many clauses of the original the PDF gives, and what differs in the others."""
    first = parse_version(original.read_bytes(), original.name, tracked="final").clauses
    second = {clause.path: clause for clause in parse_version(pdf.read_bytes(), pdf.name).clauses}
    texts = {_plain(clause.text) for clause in second.values()}
    kinds: Counter[str] = Counter()
    shown: dict[str, list[str]] = {}
    for clause in first:
        kind = _difference(clause, second.get(clause.path), texts)
        kinds[kind] += 1
        if kind != "same" and len(shown.setdefault(kind, [])) < SHOWN:
            other = second.get(clause.path)
            shown[kind].append(f"{'/'.join(clause.path)}: {_words(clause)} <> {_words(other) if other else 'none'}")
    return {
        "clauses": len(first), "in_pdf": len(second), "same": kinds["same"],
        "share": round(kinds["same"] / max(1, len(first)), 4), "kinds": dict(kinds.most_common()), "first": shown,
    }  # fmt: skip


def _difference(clause: Clause, other: Clause | None, texts: set[str]) -> str:
    if other is None:
        return "other path, same text" if _plain(clause.text) in texts else "no such path"
    if clause.number != other.number:
        return "number"
    if _plain(f"{clause.heading}\n{clause.text}") == _plain(f"{other.heading}\n{other.text}"):
        return "same" if _plain(clause.heading) == _plain(other.heading) else "heading cut elsewhere"
    mine, its = _plain(clause.text), _plain(other.text)
    return "text goes on" if its.startswith(mine) else "text ends early" if mine.startswith(its) else "text"


def _words(clause: Clause) -> str:
    return repr(f"[{clause.label}] {clause.heading} | {clause.text[:110]} … {clause.text[-50:]}")


def measure(data: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """The figures over the originals (those whose name holds one of ``names``)."""
    files = [path for path in originals(data) if not names or any(name in path.name for name in names)]
    with tempfile.TemporaryDirectory() as folder:
        made = print_pdfs(files, Path(folder))
        found = {path.name: compare(path, pdf) for path, pdf in made.items()}
    total, same = sum(one["clauses"] for one in found.values()), sum(one["same"] for one in found.values())
    return {"originals": len(found), "clauses": total, "share": round(same / max(1, total), 4), "files": found}


def main() -> None:
    """Print the figures."""
    sys.stdout.write(json.dumps(measure(Path(sys.argv[1]), sys.argv[2:]), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
