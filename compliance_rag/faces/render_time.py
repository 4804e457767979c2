"""What a person reads about time: answers gone stale, a clause through its versions, what changed about a subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from compliance_rag.changes.fates import several
from compliance_rag.changes.redline import redline
from compliance_rag.faces.render import clause_name, console, dates, redline_text, short, signals, standing_words
from schemas.objects import Change, Changes, ClauseObject, StaleClause, StaleItem

QUESTION_SHOWN = 110
# A clause longer than this is read in `clause` or on the redline page.
WORDS_SHOWN = 900
_CAUSES = {
    "modified": "rewritten", "removed": "no longer in force", "rippled": "same words, touched by another change",
}  # fmt: skip


def show_stale(items: Sequence[StaleItem]) -> None:
    """Each answer with its owner, and the old and new words of what it cited."""
    out = console()
    out.print(f"{len(items)} stale" if items else "no answer is stale", style="bold")
    for item in items:
        state = item.decision or (f"with {item.owner} until {item.due}" if item.owner else "nobody looks after it")
        line = Text(f"\n{item.id}  ", style="bold")
        line.append(short(item.question or "(question erased)", QUESTION_SHOWN))
        line.append(f"\n  answer {item.answer_id}, asked {item.asked_at[:10]} as of {item.as_of}: {state}", style="dim")
        out.print(line)
        for clause in item.clauses:
            out.print(_clause(clause))


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
    if found.cause == "modified" and after is not None:
        line.append("\n    ")
        line.append_text(redline_text(redline(before.text, after.text)))
    elif found.cause == "removed":
        line.append(f"\n    {short(before.text or before.heading)}")
    return line


def _versions(before: ClauseObject, after: ClauseObject | None) -> str:
    if after is None or after.version_id == before.version_id:
        return before.version
    return f"{before.version} → {after.version}" if after.version != before.version else f"{after.version} (corrected)"


def show_about(changes: Changes, question: str) -> None:
    """What changed about a subject: each change in a sentence, the words of both versions, and where they stand."""
    out = console()
    before, after = changes.from_, changes.to
    out.print(Text("Q  " + question, style="bold"))
    if not changes.changes:
        out.print(f"A  no change between {before.version} and {after.version} of {changes.doc_id} is about this")
        return
    cited: list[ClauseObject] = []
    for change in changes.changes:
        olds, news = several(change.before), several(change.after)
        line = Text(f"\n{_told(change, olds, news)}", style="bold")
        line.append(f"  ({change.weight})", style="dim")
        if change.signals:
            line.append("  " + signals(change.signals), style="yellow")
        for word, side in (("before", olds), ("now", news)):
            for clause in side:
                cited.append(clause)
                line.append(f"\n  {word} [{len(cited)}]: “{short(clause.text or clause.heading, WORDS_SHOWN)}”")
        if change.affects:
            line.append(f"\n  touches {len(change.affects)} other clauses", style="dim")
        out.print(line)
    out.print("")
    for number, clause in enumerate(cited, 1):
        out.print(Text(f"  [{number}] {clause.clause_id}, {dates(clause.effective_from, clause.effective_to)}", style="dim"))


def _told(change: Change, olds: Sequence[ClauseObject], news: Sequence[ClauseObject]) -> str:
    before, after = ", ".join(map(clause_name, olds)), ", ".join(map(clause_name, news))
    sentences = {
        "added": f"Clause {after} is new.",
        "removed": f"Clause {before} is gone.",
        "modified": f"Clause {after} was rewritten." if before == after else f"Clause {before}, now {after}, was rewritten.",
        "renumbered": f"Clause {before} is now {after}; its words are the same.",
        "moved": f"Clause {before} was moved and is now {after}; its words are the same.",
        "split": f"Clause {before} was split into {after}.",
        "merged": f"Clauses {before} were drawn together in {after}.",
    }
    return sentences[change.kind]


def show_history(entries: Sequence[Mapping[str, Any]]) -> None:
    """One clause through its versions, with what each version did to it."""
    out = console()
    for entry in entries:
        change = entry["change"]
        did = "first version held" if entry is entries[0] else ("unchanged" if change is None else change["kind"])
        line = Text(f"\n{dates(entry['effective_from'], entry['effective_to'])}  {entry['version']}  ", style="bold")
        line.append(entry["number"] or entry["heading"] or "unnumbered", style="bold")
        line.append(f"  {did}", style="yellow")
        marked = standing_words(entry["state"], entry["corrected_by"])
        if marked:
            line.append(f"  [{marked}]", style="bold yellow")
        if change is not None and change["signals"]:
            line.append("  " + signals(change["signals"]), style="dim")
        if change is not None and any(mark != "=" for mark, _ in change["redline"]):
            line.append("\n  ")
            line.append_text(redline_text(change["redline"]))
        elif entry is entries[0]:
            line.append(f"\n  {short(entry['text'])}")
        out.print(line)
