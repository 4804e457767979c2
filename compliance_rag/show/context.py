"""A stretch of extracted text as one HTML file with the clause's words marked: no scripts, nothing fetched."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

from schemas.clause import Span

# What is shown before and after the clause, in characters: a screen each way.
AROUND = 1_500
# A clause longer than this is shown from its beginning to here.
MAX_SHOWN = 200_000
_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.6 Georgia, "Noto Serif", "Songti SC", "Noto Serif CJK SC", serif; color: #1a1a1a; background: #fff;
  margin: 2rem auto; max-width: 48rem; padding: 0 1.5rem; }
h1 { font-size: 1.3rem; margin: 0 0 .25rem; } p.meta { color: #555; margin: 0 0 1.5rem; font-size: .9rem; }
div.text { white-space: pre-wrap; overflow-wrap: anywhere; color: #555; }
mark { background: #ffec6e; color: #000; } mark.head { background: #fff6bf; font-weight: 600; }
p.cut { color: #888; font-style: italic; } img { max-width: 100%; border: 1px solid #bbb; }
@media print { body { margin: 0; max-width: none; } mark { border-bottom: 2px solid #000; } }
"""


def context_html(
    text: str, spans: Sequence[Span], *, title: str, about: str, language: str, head: Sequence[Span] = (), around: int = AROUND
) -> str:
    """A complete HTML document: the extracted ``text`` around ``spans`` (code points), those marked, ``head`` (label and
    heading) marked more lightly. ``title`` names the clause, ``about`` says where it is from; ``language`` is a BCP 47 tag."""
    marked = sorted([*((start, end, "") for start, end in spans), *((start, end, "head") for start, end in head)])
    first = min((start for start, _, _ in marked), default=0)
    last = min(max((end for _, end, _ in marked), default=0), first + MAX_SHOWN)
    start, end = _line_start(text, max(0, first - around)), _line_end(text, min(len(text), last + around))
    parts: list[str] = []
    at = start
    for left, right, kind in marked:
        left, right = max(left, at), min(right, end)
        if left >= right:
            continue
        parts.append(_plain(text[at:left]))
        parts.append(
            f'<mark class="head">{_plain(text[left:right])}</mark>' if kind else f"<mark>{_plain(text[left:right])}</mark>"
        )
        at = right
    parts.append(_plain(text[at:end]))
    body = f'<div class="text">{"".join(parts)}</div>'
    if start:
        body = f'<p class="cut">… {start:,} characters before</p>{body}'
    if end < len(text):
        body += f'<p class="cut">… {len(text) - end:,} characters after</p>'
    return _page(title, about, language, body)


def picture_html(png: bytes, *, title: str, about: str, language: str, alt: str) -> str:
    """A complete HTML document that holds one picture; ``alt`` is read out in its place."""
    data = base64.b64encode(png).decode("ascii")
    return _page(title, about, language, f'<img alt="{escape(alt, quote=True)}" src="data:image/png;base64,{data}">')


def _plain(text: str) -> str:
    return escape(text.replace("\f", "\n"), quote=False)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1 if at else 0


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _page(title: str, about: str, language: str, body: str) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language, quote=True)}"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head><body>\n"
        f'<h1>{escape(title)}</h1>\n<p class="meta">{escape(about)}</p>\n{body}\n</body></html>\n'
    )
