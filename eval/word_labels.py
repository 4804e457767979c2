"""The numbers that we compute for Word's lists against docling's: ``python -m eval.word_labels FOLDER --python PYTHON``.

docling runs in an environment of its own (`make word-labels DATA=FOLDER`). Both sides are read as one run of words, aligned,
and the labels compared where the same words follow: ``equal``, ``differ`` (shown), ``only_docling`` (shown), ``only_ours``
(docling numbers no list level that hangs on a heading or paragraph style).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from compliance_rag.parse.readers.docx import read_docx

PEER = Path(__file__).with_name("peer_docling.py")
_WORD = re.compile(r"\w+|[^\w\s]")
# Words shown of a clause whose label differs.
SHOWN = 8

Side = tuple[list[str], dict[int, str]]


def side(pieces: Iterable[tuple[str | None, str]]) -> Side:
    """All words, and the label of each piece that has one by the place of its first word."""
    words: list[str] = []
    labels: dict[int, str] = {}
    for label, text in pieces:
        if label:
            labels[len(words)] = label.strip().rstrip(".")
        words += _WORD.findall(text)
    return words, labels


def ours(path: Path) -> Side:
    """What our reader gives for a Word file."""
    read = read_docx(path.read_bytes(), path.name)
    pieces = []
    for block in read.blocks:
        start, end = block.label_span or (block.span[0], block.span[0])
        pieces.append((read.text[start:end] or None, read.text[end : block.span[1]]))
    return side(pieces)


def compare(mine: Side, theirs: Side) -> dict[str, Any]:
    """Counts, and each difference."""
    aligned: dict[int, int] = {}
    for here, there, length in SequenceMatcher(None, mine[0], theirs[0], autojunk=False).get_matching_blocks():
        aligned |= {there + step: here + step for step in range(length)}
    counts: Counter[str] = Counter()
    shown = []
    for place, label in theirs[1].items():
        own = mine[1].get(aligned.get(place, -1))
        kind = "only_docling" if own is None else "equal" if own == label else "differ"
        counts[kind] += 1
        if kind != "equal":
            shown.append({"ours": own, "docling": label, "words": " ".join(theirs[0][place : place + SHOWN])})
    counts["only_ours"] = len(mine[1]) - counts["equal"] - counts["differ"]
    return {**counts, "differences": shown}


def main(arguments: list[str]) -> str:
    """The figures of each file and of all, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m eval.word_labels")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", type=Path, required=True, help="the Python of docling's environment")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "docling.json"
        subprocess.run([str(options.python), str(PEER), str(options.folder), str(out)], check=True)
        held = json.loads(out.read_text(encoding="utf-8"))
    found = {name: compare(ours(options.folder / name), side(pieces)) for name, pieces in held.items()}
    total = Counter(
        {kind: sum(one.get(kind, 0) for one in found.values()) for kind in ("equal", "differ", "only_docling", "only_ours")}
    )
    return json.dumps({"files": found, "total": total}, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]) + "\n")
