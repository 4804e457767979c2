"""Mutated and assembled texts through readers, outline and links: `python -m eval.fuzz_structure [COUNT] [SEED] [DATA]`.

Any text gives a valid tree: no crash, no hang, clauses that tile, links whose both ends exist. A text that fails is kept in the
report with its seed, so that it can be made again.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.tiling import check_tiling
from compliance_rag.structure.analyse import analyse
from schemas.errors import ComplianceError

COUNT = 20_000
SEED = 20261130
# A text of this size that takes more processor seconds hangs.
MAX_SECONDS = 2.0
MAX_CHARS = 4_000
FAILURES_KEPT = 20
NAMES = ("a.txt", "a.md", "a.html", "a.xml", "a.clauses.json")
_PIECES = (
    "1. ", "1.1 ", "2.", "(a) ", "(i) ", "(A)", "A. ", "ARTICLE I", "Section 2.1 ", "Schedule 1", "第一条 ", "第二章 总则",
    "（一）", "一、", "1．", "①", "附件一", "\n", "\n\n", "\t", "   ", "\f", "\u200b", "\u3000", "。", "；", ": ",
    "; and ", ". ", '"Fee" means ', "shall", "section 2(a) to (c)", "subject to clause 1.1", "第一条第二款", "前款",
    "除第三条外",
    "on 1 March 2024", "2024年3月1日", "DUTIES", "Duties of the parties", "the supplier keeps records", "供应商保存记录",
    "# ", "## ", "- ", "* ", "**bold** ", "| a | b |\n|---|---|\n", "<p>", "</p>", "<ol start=3><li>", "</li></ol>", "<b>",
    "</b>", "&nbsp;", "<![CDATA[", "]]>", "<!--", "-->", "<del>", "</del>", "```", '{"title": "T", "clauses": [',
    '{"number": "1", "text": "x"}', "]}", "é", "\U0001f600", "9" * 30, "(" * 20, "." * 30, "i" * 12, " " * 40,
)  # fmt: skip


def assembled(rng: random.Random) -> str:
    """A text put together from what outlines are made of."""
    return "".join(rng.choice(_PIECES) for _ in range(rng.randint(1, 120)))


def mutated(rng: random.Random, text: str) -> str:
    """A stretch of a real or assembled text with pieces cut, doubled, swapped and put in."""
    start = rng.randrange(max(1, len(text)))
    out = text[start : start + rng.randint(1, MAX_CHARS)]
    for _ in range(rng.randint(1, 12)):
        at, end = sorted(rng.randrange(len(out) + 1) for _ in range(2))
        piece = out[at : min(end, at + 200)]
        out = rng.choice((
            out[:at] + out[at + len(piece) :], out[:at] + piece + out[at:], out[:at] + rng.choice(_PIECES) + out[at:],
            out[:at] + piece[::-1] + out[at + len(piece) :],
        ))  # fmt: skip
    return out


def fault_of(text: str, name: str) -> str | None:
    """What is wrong with the outcome of one text; None when it is sound or refused with a code."""
    start = time.process_time()
    try:
        version = analyse(parse_version(text.encode("utf-8", "surrogatepass"), name), doc_id="d", title=None, amends="b")
    except ComplianceError:
        return None
    except RecursionError:
        return "recursion"
    taken = time.process_time() - start
    if taken > MAX_SECONDS:
        return f"took {taken:.1f} s"
    problems = check_tiling(version)
    paths = {clause.path for clause in version.clauses}
    ends = [
        item.target for item in version.references if item.target is not None and item.target_doc is None and item.target != ()
    ]
    ends += [link.path for link in version.exceptions] + [link.modifies for link in version.exceptions]
    problems += [f"a link to {end}, which is no clause" for end in ends if end not in paths]
    problems += [
        f"{item.text!r} is not at its span"
        for item in version.references
        if version.extracted[slice(*item.span)].split() != item.text.split()
    ]
    return "; ".join(problems[:3]) or None


def fuzz(count: int = COUNT, seed: int = SEED, data: Path | None = None) -> dict[str, Any]:
    """Run ``count`` texts, half mutated, half assembled. A crash of ours is not caught: it ends the run, and the report's seed
    with the number on stderr makes the text again."""
    rng = random.Random(seed)
    real = [path.read_bytes().decode("utf-8", "replace") for path in sorted(data.rglob("*.txt"))[:40]] if data else []
    failures: list[dict[str, Any]] = []
    slowest = 0.0
    for number in range(count):
        text = (
            mutated(rng, rng.choice(real) if real and rng.random() < 0.7 else assembled(rng)) if number % 2 else assembled(rng)
        )
        name = rng.choice(NAMES) if number % 3 == 0 else "a.txt"
        start = time.process_time()
        try:
            fault = fault_of(text, name)
        except BaseException:
            sys.stderr.write(f"seed {seed}, text {number}, {name}: {text[:2000]!r}\n")
            raise
        slowest = max(slowest, time.process_time() - start)
        if fault and len(failures) < FAILURES_KEPT:
            failures.append({"number": number, "name": name, "fault": fault, "text": text[:2000]})
    return {"count": count, "seed": seed, "slowest_s": round(slowest, 3), "failures": failures}


if __name__ == "__main__":
    arguments = sys.argv[1:]
    report = fuzz(
        int(arguments[0]) if arguments else COUNT,
        int(arguments[1]) if len(arguments) > 1 else SEED,
        Path(arguments[2]) if len(arguments) > 2 else None,
    )
    sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=1) + "\n")
