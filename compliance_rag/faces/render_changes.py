"""What a person reads about changes on the terminal, in the language of the document or of the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from compliance_rag.answer.terms import is_han
from compliance_rag.changes.fates import several
from compliance_rag.changes.html_words import (
    Words,
    clause_name,
    say_change,
    say_path,
    say_rippled,
    say_signal,
    say_span,
    say_version,
    words_for,
)
from compliance_rag.changes.rippled import rippled
from compliance_rag.faces.render import SIGNALS_SHOWN, console, redline_text, short
from schemas.objects import Change, Changes, ClauseObject

# Rippled clauses on the terminal, nearest first: a definition that the whole text rests on touches most of it. All are on the
# page and in JSON.
CLAUSES_SHOWN = 40
# A clause longer than this is read in `clause` or on the redline page.
WORDS_SHOWN = 900


def show_changes(changes: Changes, language: str) -> None:
    """A list of changes with the redline of each, then the clauses that they touch; framed in the document's ``language``."""
    out, words = console(), words_for(language)
    title = f"{changes.doc_id}{words.colon}{say_version(words, changes.from_)} → {say_version(words, changes.to)}"
    out.print(Text(title))
    kinds = Counter[str](change.kind for change in changes.changes)
    told = [words.count.format(count=kinds[kind], kind=name.lower()) for kind, name in words.kinds.items() if kinds[kind]]
    out.print(words.comma.join(told) or words.none, style="bold")
    for change in changes.changes:
        out.print(_change_line(change, words))
    _show_rippled(changes.changes, words)


def _change_line(change: Change, words: Words) -> Text:
    before, after = _names(change.before, words), _names(change.after, words)
    names = before if before == after or not after else (after if not before else f"{before} → {after}")
    line = Text(f"\n{words.kinds[change.kind].lower()} {names}", style="bold")
    line.append(f" {words.bracketed.format(text=words.weights[change.weight])}", style="dim")
    if change.signals:
        line.append("  " + signals(change.signals, words), style="yellow")
    line.append("\n  ")
    line.append_text(redline_text(change.redline))
    if change.affects:
        line.append(f"\n  {words.touches(len(change.affects))}", style="dim")
    return line


def signals(found: Sequence[str], words: Words) -> str:
    """The first of them; a table rewritten whole has a hundred."""
    more = len(found) - SIGNALS_SHOWN
    told = [say_signal(words, signal) for signal in found[:SIGNALS_SHOWN]]
    return "; ".join([*told, words.more_signals.format(count=more)] if more > 0 else told)


def _names(side: ClauseObject | list[ClauseObject] | None, words: Words) -> str:
    return words.comma.join(clause_name(words, clause) for clause in several(side))


def _show_rippled(changes: Sequence[Change], words: Words) -> None:
    """Clauses that kept their words, each with the path that leads to it."""
    found = rippled(changes)
    if not found:
        return
    out = console()
    out.print(Text(f"\n{words.rippled}", style="bold"))
    for item in found[:CLAUSES_SHOWN]:
        paths = [say_path(words, way.ripple) for way in item.ways]
        line = say_rippled(words, item.clause, "; ".join(paths))
        if item.more:
            line += words.bracketed.format(text=words.more_paths(item.more))
        out.print(Text(f"  {line}"))
    more = len(found) - CLAUSES_SHOWN
    if more > 0:
        out.print(Text(f"  {words.more_clauses(more)}", style="dim"))


def show_about(changes: Changes, question: str) -> None:
    """What changed about a subject: each change in a sentence, the words of both versions, and where they stand; framed in the
    language of the question."""
    out, words = console(), words_for("zh" if is_han(question) else "en")
    before, after = changes.from_, changes.to
    out.print(Text(f"{words.question}  {question}", style="bold"))
    if not changes.changes:
        said = words.not_about.format(before=before.version, after=after.version, document=changes.doc_id)
        out.print(f"{words.answer}  {said}")
        return
    cited: list[ClauseObject] = []
    for change in changes.changes:
        olds, news = several(change.before), several(change.after)
        told = say_change(words, change, _names(change.before, words), _names(change.after, words))
        line = Text(f"\n{told}", style="bold")
        line.append(f" {words.bracketed.format(text=words.weights[change.weight])}", style="dim")
        if change.signals:
            line.append("  " + signals(change.signals, words), style="yellow")
        for word, side in ((words.was, olds), (words.now, news)):
            for clause in side:
                cited.append(clause)
                quote = words.quoted.format(text=short(clause.text or clause.heading, WORDS_SHOWN))
                line.append(f"\n  {word} [{len(cited)}]{words.colon}{quote}")
        if change.affects:
            line.append(f"\n  {words.touches(len(change.affects))}", style="dim")
        out.print(line)
    _show_rippled(changes.changes, words)
    out.print("")
    for number, clause in enumerate(cited, 1):
        out.print(Text(f"  [{number}] {clause.clause_id}{words.comma}{_days(clause, words)}", style="dim"))


def _days(clause: ClauseObject, words: Words) -> str:
    return say_span(words, clause.effective_from, clause.effective_to)
