"""A redline as one HTML file: the list of changes first, then two columns; no scripts, nothing fetched, all text escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from compliance_rag.store.clause_keys import typographic_key
from schemas.objects import Change, Changes, ClauseObject

# Unchanged words kept either side of a mark in the list; the columns always show the whole clause.
CONTEXT_CHARACTERS = 60
# A change is listed by its first marks; a table rewritten row by row would fill pages before the next change is seen.
EXCERPT_CHARACTERS = 600
SIGNALS_SHOWN = 12
_TITLES = {
    "added": "Added", "removed": "Removed", "modified": "Modified", "renumbered": "Renumbered", "moved": "Moved",
    "split": "Split", "merged": "Merged",
}  # fmt: skip
_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 Georgia, "Noto Serif", "Songti SC", "Noto Serif CJK SC", serif; color: #1a1a1a;
  margin: 2rem auto; max-width: 76rem; padding: 0 1.5rem; background: #fff; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid #bbb; }
p.meta { color: #555; margin: 0 0 1rem; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { border: 1px solid #ccc; padding: .45rem .6rem; vertical-align: top; text-align: left; overflow-wrap: anywhere; }
th { background: #f3f3f3; font-weight: 600; }
table.list col.kind { width: 7.5rem; } table.list col.number { width: 11rem; } table.list col.weight { width: 7rem; }
td.text { white-space: pre-wrap; }
del { color: #a40000; text-decoration: line-through; background: #fdecec; }
ins { color: #0b5a1e; text-decoration: underline; background: #e9f7ec; }
.moved { border-left: 4px double #5b3fa0; background: #f5f1fd; } .moved .move { color: #5b3fa0; font-style: italic; }
.none { color: #888; font-style: italic; } .head { display: block; font-weight: 600; white-space: normal; }
.signal { display: block; font: 13px/1.4 system-ui, sans-serif; color: #333; } .editorial td { color: #444; }
a { color: #134a8e; } caption { text-align: left; color: #555; padding: .25rem 0; }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } tr { break-inside: avoid; }
  a { color: inherit; text-decoration: none; } }
"""


def changes_html(changes: Changes, title: str, language: str) -> str:
    """A complete HTML document, UTF-8. ``title`` is the document's title, ``language`` its BCP 47 tag."""
    before, after = changes.from_, changes.to
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="{escape(language, quote=True)}"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}: {escape(before.version)} to {escape(after.version)}</title>",
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f'<p class="meta">{escape(before.version)} (in force from {before.effective_from}) compared with '
        f"{escape(after.version)} (in force from {after.effective_from}). {escape(_summary(changes.changes))}</p>",
    ]
    if changes.changes:
        parts += [*_list(changes.changes), *_columns(changes)]
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def _summary(changes: Sequence[Change]) -> str:
    if not changes:
        return "No clause changed."
    counts = Counter[str](change.kind for change in changes)
    substantive = sum(change.weight == "substantive" for change in changes)
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in _TITLES if counts[kind])
    return f"{len(changes)} changes, {substantive} substantive: {kinds}."


def _list(changes: Sequence[Change]) -> Iterator[str]:
    yield "<h2>List of changes</h2>"
    yield '<table class="list"><colgroup><col class="kind"><col class="number"><col><col class="weight"></colgroup>'
    yield "<thead><tr><th>Change</th><th>Clause</th><th>What changed</th><th>Weight</th></tr></thead><tbody>"
    for at, change in enumerate(changes, 1):
        signals = "".join(f'<span class="signal">{escape(signal)}</span>' for signal in _signals(change))
        touches = f'<span class="signal">{_touches(len(change.affects))}</span>' if change.affects else ""
        yield (
            f'<tr class="{change.weight}"><td><a href="#c{at}">{_TITLES[change.kind]}</a></td><td>{_numbers(change)}</td>'
            f"<td>{_excerpt(change)}{signals}{touches}</td><td>{change.weight}</td></tr>"
        )
    yield "</tbody></table>"


def _signals(change: Change) -> list[str]:
    more = len(change.signals) - SIGNALS_SHOWN
    return change.signals[:SIGNALS_SHOWN] + ([f"and {more} more"] if more > 0 else [])


def _touches(count: int) -> str:
    return "touches 1 other clause" if count == 1 else f"touches {count} other clauses"


def _columns(changes: Changes) -> Iterator[str]:
    yield "<h2>Redline</h2>"
    yield "<table><thead><tr>"
    yield f"<th>{escape(changes.from_.version)}</th><th>{escape(changes.to.version)}</th></tr></thead><tbody>"
    for at, change in enumerate(changes.changes, 1):
        moved = change.kind == "moved" or any(signal.startswith("moved:") for signal in change.signals)
        style = ' class="moved"' if moved else ""
        left, right = _cell(change, "-", moved), _cell(change, "+", moved)
        yield f'<tr id="c{at}"{style}><td class="text">{left}</td><td class="text">{right}</td></tr>'
    yield "</tbody></table>"


def _clauses(side: ClauseObject | list[ClauseObject] | None) -> list[ClauseObject]:
    if side is None:
        return []
    return [side] if isinstance(side, ClauseObject) else side


def _name(clause: ClauseObject) -> str:
    return clause.number or clause.heading or "unnumbered"


def _numbers(change: Change) -> str:
    olds, news = ", ".join(map(_name, _clauses(change.before))), ", ".join(map(_name, _clauses(change.after)))
    shown = olds or news if not (olds and news) or olds == news else f"{olds} → {news}"
    return escape(shown)


def _head(clauses: Sequence[ClauseObject]) -> str:
    heads = " · ".join(" ".join(filter(None, (clause.number, clause.heading))) or "unnumbered" for clause in clauses)
    return f'<span class="head">{escape(heads)}</span>'


def _cell(change: Change, side: str, moved: bool) -> str:
    """One column: the whole text of the clause on that side with what went or came marked."""
    clauses = _clauses(change.before if side == "-" else change.after)
    if not clauses:
        return '<span class="none">not in this version</span>'
    other = _clauses(change.after if side == "-" else change.before)
    note = ""
    if moved and other:
        word = "moved to" if side == "-" else "moved from"
        note = f'<span class="move">[{word} {escape(", ".join(map(_name, other)))}]</span>\n'
    tag = "del" if side == "-" else "ins"
    words = "".join(
        f"<{tag}>{escape(text)}</{tag}>" if marked else escape(text)
        for op, text, marked in _marks(change.redline)
        if op in ("=", side)
    )
    return f"{_head(clauses)}{note}{words}"


def _marks(redline: Sequence[tuple[str, str]]) -> list[tuple[str, str, bool]]:
    """The redline with whether each run is to be marked: one that differs in white space, width and typography alone is not."""
    found: list[tuple[str, str, bool]] = []
    at = 0
    while at < len(redline):
        end = at + 1
        if redline[at][0] != "=":
            while end < len(redline) and redline[end][0] != "=":
                end += 1
            gone = "".join(text for op, text in redline[at:end] if op == "-")
            came = "".join(text for op, text in redline[at:end] if op == "+")
            marked = typographic_key(gone) != typographic_key(came)
        else:
            marked = False
        found += [(op, text, marked) for op, text in redline[at:end]]
        at = end
    return found


def _excerpt(change: Change) -> str:
    """The first marks with a little of what stands around them."""
    marks = _marks(change.redline)
    if change.kind in ("renumbered", "moved") or not any(marked for _, _, marked in marks):
        return ""
    plain = _joined(marks)
    parts: list[str] = []
    room, last = EXCERPT_CHARACTERS, len(plain) - 1
    for at, (op, text) in enumerate(plain):
        if room <= 0:
            parts.append(" …")
            break
        shown = _shortened(text, at > 0, at < last) if op == "=" else text
        if op != "=" and len(shown) > room:
            shown = shown[:room] + " …"
        room -= len(shown)
        tag = "del" if op == "-" else "ins"
        parts.append(escape(shown) if op == "=" else f"<{tag}>{escape(shown)}</{tag}>")
    return "".join(parts)


def _joined(marks: Sequence[tuple[str, str, bool]]) -> list[tuple[str, str]]:
    """Runs to show in one column: unmarked ones as they stand in the version after, joined to what is unchanged beside them."""
    found: list[tuple[str, str]] = []
    for op, text, marked in marks:
        shown = op if marked else "="
        if not marked and op == "-":
            continue
        if found and shown == "=" and found[-1][0] == "=":
            found[-1] = ("=", found[-1][1] + text)
        else:
            found.append((shown, text))
    return found


def _shortened(text: str, after_mark: bool, before_mark: bool) -> str:
    if len(text) <= CONTEXT_CHARACTERS * (after_mark + before_mark):
        return text
    head = text[:CONTEXT_CHARACTERS] if after_mark else ""
    tail = text[-CONTEXT_CHARACTERS:] if before_mark else ""
    return f"{head} … {tail}"
