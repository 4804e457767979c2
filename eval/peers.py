"""A named peer in an environment of its own: LlamaIndex over the same texts, questions and embedder (`make bench-peers`).

`python -m eval.peers DIR` writes the texts of a data folder where the peer can read them, has ``peer_llama_index.py`` answer
with the peer's own Python, and counts what it shows by the rules of the baselines, beside our own figures of the same run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from compliance_rag.service.homes import HomeHandle
from compliance_rag.store.embedder import Embedder
from eval.baselines import (
    CHUNK_TOKENS,
    SHOWN,
    Chunk,
    Tally,
    Whole,
    answerable,
    clause_names,
    compare,
    held_clauses,
    in_force,
    open_with,
    whole_texts,
)
from eval.homes import quiet_log

PEER = Path(__file__).with_name("peer_llama_index.py")
WAY = "llama_index"


def run_peer(python: Path, handle: HomeHandle, asked: Sequence[Mapping[str, Any]], folder: Path) -> dict[str, Any]:
    """What the peer shows for each question, counted."""
    embedder = cast(Embedder, handle.embedder)
    embedder.prepare()
    texts = whole_texts(handle)
    body = {
        "model": str(embedder.folder), "chunk_tokens": CHUNK_TOKENS, "shown": SHOWN,
        "texts": [{"doc": whole.doc_id, "text": whole.text} for whole in texts],
        "questions": [{"question": item["question"], "doc": item.get("doc")} for item in asked],
    }  # fmt: skip
    (folder / "peer.json").write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")
    subprocess.run([str(python), str(PEER), str(folder / "peer.json"), str(folder / "found.json")], check=True)
    found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return {"version": found["version"], "chunks": found["chunks"]} | _counted(handle, embedder, asked, texts, found["shown"])


def _counted(
    handle: HomeHandle, embedder: Embedder, asked: Sequence[Mapping[str, Any]], texts: Sequence[Whole], shown: Sequence[Any]
) -> dict[str, Any]:
    names, sizes = clause_names(handle)
    tally = Tally()
    for item, cuts in zip(asked, shown, strict=True):
        near = [_chunk(texts[number], start, end, embedder) for number, start, end in cuts]
        valid = in_force(handle, item)
        stale = any((chunk.doc_id, chunk.version_id) not in valid for chunk in near)
        held = [names[name] for name in held_clauses(near, sizes)]
        tally.add(held, frozenset(item["gold"]), sum(chunk.tokens for chunk in near), stale)
    return tally.printed()


def _chunk(whole: Whole, start: int, end: int, embedder: Embedder) -> Chunk:
    text = whole.text[start:end]
    return Chunk(whole.doc_id, whole.version_id, text, len(embedder.token_spans(text)), whole.holds(start, end))


def main(arguments: Sequence[str]) -> str:
    """The table as JSON."""
    parser = argparse.ArgumentParser(prog="python -m eval.peers")
    parser.add_argument("data", type=Path)
    parser.add_argument("--python", type=Path, required=True, help="the Python of the peer's environment")
    options = parser.parse_args(arguments)
    quiet_log()
    with tempfile.TemporaryDirectory(prefix="compliance-rag-peers-") as scratch:
        handle, items = open_with(Path(scratch) / "home", options.data)
        ours = compare(handle, items)
        return json.dumps(ours | {WAY: run_peer(options.python, handle, answerable(items), Path(scratch))}, indent=1)


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]) + "\n")
