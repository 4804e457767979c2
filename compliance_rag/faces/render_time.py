"""What a person reads about time: answers gone stale, a clause through its versions, what changed about a subject."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from compliance_rag.changes.html_words import ENGLISH, say_path
from compliance_rag.changes.redline import redline
from compliance_rag.faces.render import clause_name, console, redline_text, short
from schemas.objects import ClauseObject
from schemas.stale import StaleClause, StaleItem

QUESTION_SHOWN = 110
# A clause longer than this is read in `clause` or on the redline page.
WORDS_SHOWN = 900
_DECIDED = {"no_impact": "no impact", "updated": "answer updated", "withdrawn": "answer withdrawn"}
_CAUSES = {
    "modified": "rewritten", "removed": "no longer in force", "rippled": "same words, touched by another change",
}  # fmt: skip


def show_stale(items: Sequence[StaleItem]) -> None:
    """Each answer with its owner, and the old and new words of what it cited."""
    out = console()
    out.print(f"{len(items)} stale" if items else "no answer is stale", style="bold")
    for item in items:
        state = f"with {item.owner} until {item.due}" if item.owner else "nobody looks after it"
        if item.decision is not None:
            state = f"closed, {_DECIDED[item.decision]}"
        line = Text(f"\n{item.id}  ", style="bold")
        line.append(short(item.question or "(question erased)", QUESTION_SHOWN))
        line.append(f"\n  answer {item.answer_id}, asked {item.asked_at[:10]} as of {item.as_of}: {state}", style="dim")
        for place, one in enumerate(item.decisions, 1):
            held = "" if place == len(item.decisions) else ", since decided again"
            at = one.recorded_at[:16].replace("T", " ")
            note = "(reason erased)" if one.note is None else one.note
            line.append(f"\n  {_DECIDED[one.decision]}, {one.actor} on {at}{held}: {note}", style="dim")
        out.print(line)
        for clause in item.clauses:
            out.print(_clause(clause))


def show_closed(item: StaleItem, before: StaleItem, *, recorded: bool) -> None:
    """What closing did: recorded, put in the place of an earlier decision, or on record already."""
    now = item.decisions[-1]
    if not recorded:
        at = now.recorded_at[:16].replace("T", " ")
        told = f"{item.id} is closed so already, by {now.actor} on {at}; nothing was recorded"
    elif before.decision is None:
        told = f"{item.id} closed: {_DECIDED[now.decision]}"
    else:
        told = (
            f"{item.id} was closed before ({_DECIDED[before.decision]}); decided again: {_DECIDED[now.decision]}, which holds"
        )
    console().print(Text(told, style="yellow"))


def show_made_stale(answers: int) -> None:
    """How many past answers a write made stale."""
    if answers:
        words = "1 past answer" if answers == 1 else f"{answers} past answers"
        console().print(Text(f"made {words} stale; see `stale --open`", style="yellow"))


def _clause(found: StaleClause) -> Text:
    before, after = found.before, found.after
    line = Text(f"  {before.doc_id} {clause_name(before)}", style="bold")
    if after is not None and after.number != before.number:
        line.append(f" → {clause_name(after)}", style="bold")
    line.append(f"  {_CAUSES[found.cause]}", style="yellow")
    line.append(f"  {_versions(before, after)}", style="dim")
    if found.ripple is not None:
        line.append(f"\n    {say_path(ENGLISH, found.ripple)}", style="dim")
        line.append_text(_origin(found))
    if found.cause == "modified" and after is not None:
        line.append("\n    ")
        line.append_text(redline_text(redline(before.text, after.text)))
    elif found.cause == "removed":
        line.append(f"\n    {short(before.text or before.heading)}")
    return line


def _origin(found: StaleClause) -> Text:
    """What was changed there: its document and versions, old and new words."""
    line = Text()
    if found.origin is None:
        return line
    before, after = found.origin.before, found.origin.after
    named = before or after
    if named is None:
        return line
    line.append(f"\n    {named.doc_id} {clause_name(named)}", style="bold")
    line.append(f"  {_versions(named, after)}", style="dim")
    line.append("\n    ")
    line.append_text(redline_text(redline(before.text if before else "", after.text if after else "")))
    return line


def _versions(before: ClauseObject, after: ClauseObject | None) -> str:
    if after is None or after.version_id == before.version_id:
        return before.version
    return f"{before.version} → {after.version}" if after.version != before.version else f"{after.version} (corrected)"
