"""A redline as one HTML file: the list of changes first, then two columns; no scripts, nothing fetched, all text escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from compliance_rag.changes.fates import several
from compliance_rag.changes.html_words import (
    Words,
    clause_name,
    say_change,
    say_path,
    say_rippled,
    say_signal,
    say_version,
    words_for,
)
from compliance_rag.changes.redline import as_read, marked
from compliance_rag.changes.rippled import rippled
from schemas.objects import Change, Changes, ClauseObject

# Unchanged words kept either side of a mark in the list; the columns always show the whole clause.
CONTEXT_CHARACTERS = 60
# A change is listed by its first marks; a table rewritten row by row would fill pages before the next change is seen.
EXCERPT_CHARACTERS = 600
SIGNALS_SHOWN = 12
_PATH = "\x00"
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
@media (max-width: 40rem) { body { margin: 1rem auto; padding: 0 .75rem; } th, td { padding: .35rem; hyphens: auto; }
  table.list col.kind { width: 5rem; } table.list col.number { width: 4.5rem; } table.list col.weight { width: 5rem; } }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } tr { break-inside: avoid; }
  a { color: inherit; text-decoration: none; } }
"""


def changes_html(changes: Changes, title: str, language: str) -> str:
    """A complete HTML document, UTF-8. ``title`` is the document's title, ``language`` its BCP 47 tag."""
    before, after = changes.from_, changes.to
    words = words_for(language)
    compared = words.compared.format(
        before=say_version(words, before), after=say_version(words, after), summary=_summary(changes.changes, words)
    )
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="{escape(language, quote=True)}"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}: {escape(before.version)} → {escape(after.version)}</title>",
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f'<p class="meta">{escape(compared)}</p>',
    ]
    if changes.changes:
        parts += [*_list(changes.changes, words), *_rippled(changes.changes, words), *_columns(changes, words)]
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def _summary(changes: Sequence[Change], words: Words) -> str:
    if not changes:
        return words.nothing
    counts = Counter[str](change.kind for change in changes)
    substantive = sum(change.weight == "substantive" for change in changes)
    told = [words.count.format(count=counts[kind], kind=name.lower()) for kind, name in words.kinds.items() if counts[kind]]
    return words.counted.format(all=len(changes), substantive=substantive, kinds=words.comma.join(told))


def _list(changes: Sequence[Change], words: Words) -> Iterator[str]:
    yield f"<h2>{words.listed}</h2>"
    yield '<table class="list"><colgroup><col class="kind"><col class="number"><col><col class="weight"></colgroup>'
    yield f"<thead><tr>{''.join(f'<th>{name}</th>' for name in words.columns)}</tr></thead><tbody>"
    for at, change in enumerate(changes, 1):
        signals = "".join(f'<span class="signal">{escape(signal)}</span>' for signal in _signals(change, words))
        touches = f'<span class="signal">{words.touches(len(change.affects))}</span>' if change.affects else ""
        yield (
            f'<tr class="{change.weight}"><td><a href="#c{at}">{words.kinds[change.kind]}</a></td>'
            f"<td>{_numbers(change, words)}</td>"
            f"<td>{_excerpt(change)}{_came_of(change, words)}{signals}{touches}</td>"
            f"<td>{words.weights[change.weight]}</td></tr>"
        )
    yield "</tbody></table>"


def _rippled(changes: Sequence[Change], words: Words) -> Iterator[str]:
    """The clauses that kept their words and are touched, each with the path that leads to it and a link to the change."""
    found = rippled(changes)
    if not found:
        return
    places = {id(change): at for at, change in enumerate(changes, 1)}
    yield f"<h2>{words.rippled}</h2><ul>"
    for item in found:
        paths = "; ".join(
            f'<a href="#c{places[id(way.change)]}">{escape(say_path(words, way.ripple))}</a>' for way in item.ways
        )
        head, _, tail = escape(say_rippled(words, item.clause, _PATH)).partition(_PATH)
        rest = escape(words.bracketed.format(text=words.more_paths(item.more))) if item.more else ""
        yield f"<li>{head}{paths}{tail}{rest}</li>"
    yield "</ul>"


def _came_of(change: Change, words: Words) -> str:
    """Of clauses split or drawn together, which became which: their words may be the same."""
    if change.kind not in ("split", "merged"):
        return ""
    told = say_change(words, change, *(_names(several(side), words) for side in (change.before, change.after)))
    if change.weight == "editorial":
        told = words.same_words.format(told=told)
    return f'<span class="signal">{escape(told)}</span>'


def _signals(change: Change, words: Words) -> list[str]:
    """Each on a line, or where they are many how many there are of each kind: the columns show them all."""
    if len(change.signals) <= SIGNALS_SHOWN:
        return [say_signal(words, signal) for signal in change.signals]
    counts = Counter(signal.partition(":")[0] for signal in change.signals)
    told = [words.many.format(field=words.fields.get(field, field), count=count) for field, count in counts.items()]
    return [words.comma.join(told)]


def _columns(changes: Changes, words: Words) -> Iterator[str]:
    yield f"<h2>{words.redline}</h2>"
    yield "<table><thead><tr>"
    yield f"<th>{escape(changes.from_.version)}</th><th>{escape(changes.to.version)}</th></tr></thead><tbody>"
    for at, change in enumerate(changes.changes, 1):
        moved = change.kind == "moved" or any(signal.startswith("moved:") for signal in change.signals)
        style = ' class="moved"' if moved else ""
        left, right = _cell(change, "-", moved, words), _cell(change, "+", moved, words)
        yield f'<tr id="c{at}"{style}><td class="text">{left}</td><td class="text">{right}</td></tr>'
    yield "</tbody></table>"


def _names(clauses: Sequence[ClauseObject], words: Words) -> str:
    return words.comma.join(clause_name(words, clause) for clause in clauses)


def _numbers(change: Change, words: Words) -> str:
    olds, news = _names(several(change.before), words), _names(several(change.after), words)
    shown = olds or news if not (olds and news) or olds == news else f"{olds} → {news}"
    return escape(shown)


def _head(clauses: Sequence[ClauseObject], words: Words) -> str:
    heads = " · ".join(" ".join(filter(None, (clause.number, clause.heading))) or words.unnumbered for clause in clauses)
    return f'<span class="head">{escape(heads)}</span>'


def _cell(change: Change, side: str, moved: bool, words: Words) -> str:
    """One column: the whole text of the clause on that side with what went or came marked."""
    clauses = several(change.before if side == "-" else change.after)
    if not clauses:
        return f'<span class="none">{words.absent}</span>'
    other = several(change.after if side == "-" else change.before)
    note = ""
    if moved and other:
        word = (words.moved_to if side == "-" else words.moved_from).format(name=_names(other, words))
        note = f'<span class="move">[{escape(word)}]</span>\n'
    tag = "del" if side == "-" else "ins"
    text = "".join(
        f"<{tag}>{escape(text)}</{tag}>" if marked else escape(text)
        for op, text, marked in marked(change.redline)
        if op in ("=", side)
    )
    return f"{_head(clauses, words)}{note}{text}"


def _excerpt(change: Change) -> str:
    """The first marks with a little of what stands around them."""
    marks = marked(change.redline)
    if change.kind in ("renumbered", "moved") or not any(marked for _, _, marked in marks):
        return ""
    plain = as_read(marks)
    parts: list[str] = []
    room, last = EXCERPT_CHARACTERS, len(plain) - 1
    for at, (op, text) in enumerate(plain):
        if room <= 0:
            parts.append(" …")
            break
        shown = _shortened(text, at > 0, at < last) if op == "=" else text
        if op != "=" and len(shown) > room:
            shown = _whole_words(shown[: room + 1], -1) + " …"
        room -= len(shown)
        tag = "del" if op == "-" else "ins"
        parts.append(escape(shown) if op == "=" else f"<{tag}>{escape(shown)}</{tag}>")
    return "".join(parts)


def _shortened(text: str, after_mark: bool, before_mark: bool) -> str:
    if len(text) <= CONTEXT_CHARACTERS * (after_mark + before_mark):
        return text
    head = _whole_words(text[: CONTEXT_CHARACTERS + 1], -1) if after_mark else ""
    tail = _whole_words(text[-CONTEXT_CHARACTERS - 1 :], 1) if before_mark else ""
    return f"{head} … {tail}"


def _whole_words(piece: str, side: int) -> str:
    """``piece`` without the part of a word at its cut end (``side`` -1: its last), where it has spaces at all."""
    if side < 0:
        head, space, _ = piece.rpartition(" ")
        return head if space else piece[:-1]
    _, space, tail = piece.partition(" ")
    return tail if space else piece[1:]
