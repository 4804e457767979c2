"""The readable page of an evidence bundle: what was asked and answered, and each cited clause in its context."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

# Enough of the neighbouring text to read a clause in its place, on both sides of it, in code points.
CONTEXT = 400

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}dt{color:#555}dd{margin:0 0 .4rem}
.said{white-space:pre-wrap}
.context{white-space:pre-wrap;color:#666;border-left:3px solid #ccc;padding-left:1rem}
.context .clause{color:#111}.context mark{background:#ffe58a}code{font-size:.85em;word-break:break-all}
"""


@dataclass(frozen=True, slots=True)
class CitedClause:
    """A citation of the answer with the extracted text it stands in and the clause's spans in that text."""

    citation: Mapping[str, Any]
    extracted: str
    spans: Sequence[tuple[int, int]]


def print_page(
    header: Mapping[str, Any],
    answer: Mapping[str, Any] | None,
    cited: Iterable[CitedClause],
    verdict: Sequence[tuple[str, str]],
) -> str:
    """The page. ``answer`` None: its parts were erased, and the page says so. ``verdict``: how to check, as (label, value)."""
    facts = [
        ("Answer", header["answer_id"]),
        ("Asked and answered", f"{header['recorded_at']}, by {header['actor']} ({header['actor_auth']})"),
        ("As of", header["as_of"]),
        ("As known at", header["known_at"]),
        ("Status", header["status"]),
        ("Corpus root", header["corpus_root"]),
    ]
    if answer is None:
        body = "<p><strong>The question and the answer were erased.</strong> What was cited stands in the record below.</p>"
    else:
        said = f'<p class="said">{escape(answer["answer"])}</p>'
        body = f"<h2>Question</h2><p>{escape(answer['question'])}</p><h2>Answer</h2>{said}"
    clauses = "".join(_clause(item) for item in cited)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Evidence: {escape(header["answer_id"])}</title>'
        f"<style>{_STYLE}</style><h1>Evidence for answer {escape(header['answer_id'])}</h1>{_list(facts)}{body}"
        f"{clauses}<h2>How to check this</h2>{_list(verdict)}</html>\n"
    )


def _list(facts: Sequence[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in facts)
    return f"<dl>{rows}</dl>"


def _clause(item: CitedClause) -> str:
    citation = item.citation
    start, end = citation.get("effective_from") or "the beginning", citation.get("effective_to") or "further notice"
    number = citation.get("number")
    title = f"[{citation.get('n', '')}] {f'{number} · ' if number else ''}{citation['clause_id']}"
    where = " › ".join(citation.get("heading_path") or [])
    return (
        f"<h2>{escape(title)}</h2><p>{escape(where)}</p><p>in force from {escape(start)} to {escape(end)} · "
        f"sha256 <code>{escape(citation['sha256'])}</code></p>"
        f'<div class="context">{_context(item)}</div>'
    )


def _context(item: CitedClause) -> str:
    """The extracted text around the clause, the clause set off and the quoted words marked."""
    if not item.spans:
        return ""
    marked = _quoted(item)
    start, end = max(0, item.spans[0][0] - CONTEXT), min(len(item.extracted), item.spans[-1][1] + CONTEXT)
    edges = sorted({start, end, *(edge for span in [*item.spans, *marked] for edge in span)})
    pieces = []
    for left, right in pairwise(edges):
        text = escape(item.extracted[left:right])
        if any(low <= left and right <= high for low, high in marked):
            text = f"<mark>{text}</mark>"
        if any(low <= left and right <= high for low, high in item.spans):
            text = f'<span class="clause">{text}</span>'
        pieces.append(text)
    return "".join(pieces)


def _quoted(item: CitedClause) -> list[tuple[int, int]]:
    """The quote's spans in the extracted text; the clause's text is its pieces joined by one line feed each."""
    if item.citation.get("role") == "locator" or not item.citation.get("quote_span"):
        return []
    start, end = item.citation["quote_span"]
    marked, at = [], 0
    for low, high in item.spans:
        left, right = max(start, at), min(end, at + high - low)
        if left < right:
            marked.append((low + left - at, low + right - at))
        at += high - low + 1
    return marked
