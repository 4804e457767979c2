"""The review queue and an answer under review, as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from compliance_rag.faces.render import console, show_answer
from schemas.held_page import HeldPage, HeldPageShown
from schemas.objects import ReviewDecision, ReviewItem, ReviewShown

_STYLES = {"approve": "green", "amend": "yellow", "reject": "red"}


def show_queue(items: Sequence[ReviewItem]) -> None:
    """One answer a row, why a person should look, and what was decided."""
    out = console()
    if not items:
        out.print("nothing waits for review")
        return
    table = Table(expand=True)
    for name in ("answer", "asked (UTC)", "by", "as of", "question", "why", "decision"):
        table.add_column(name, overflow="fold")
    for item in items:
        why = "; ".join(reason.text for reason in item.reasons) or item.status.replace("_", " ")
        decided = Text("waiting") if item.decision is None else Text(item.decision.decision, _STYLES[item.decision.decision])
        question = Text("erased", "dim") if item.question is None else Text(item.question)
        table.add_row(item.answer_id, item.asked_at[:19], Text(item.asked_by), item.as_of, question, Text(why), decided)
    out.print(table)


def show_pages(items: Sequence[HeldPage]) -> None:
    """One held page a row, why it is held, and what was decided."""
    table = Table(expand=True)
    for name in ("page", "recorded (UTC)", "by", "version", "why", "decision"):
        table.add_column(name, overflow="fold")
    for item in items:
        why = "; ".join(reason.text for reason in item.reasons)
        decided = Text("waiting") if item.decision is None else Text(item.decision.decision, _STYLES[item.decision.decision])
        row = (Text(item.page_id), item.recorded_at[:19], Text(item.recorded_by), Text(item.version), Text(why), decided)
        table.add_row(*row)
    console().print(table)


def show_page(found: HeldPageShown) -> None:
    """A held page: why, its lines as they were read, then every decision."""
    out = console()
    out.print(Text(f"{found.page_id}  {found.version}", style="bold"))
    for reason in found.reasons:
        out.print(Text(reason.text, style="yellow"))
    out.print(Text(found.text or "no word was read"))
    if not found.decisions:
        out.print("no decision yet", style="bold")
    for made in found.decisions:
        _show_decision(made, holds=made == found.decision)
    if found.revision is not None:
        out.print(Text(f"parsed anew as {found.revision}"))


def show_reviewed(found: ReviewShown) -> None:
    """The answer as it was given, then every decision in the order recorded; the last one holds."""
    out = console()
    if found.answer is None:
        out.print(Text("what was shown has been erased; its proof still stands", style="yellow"))
    else:
        show_answer(found.answer)
    if not found.decisions:
        out.print("no decision yet", style="bold")
    for made in found.decisions:
        _show_decision(made, holds=made == found.decision)


def _show_decision(made: ReviewDecision, *, holds: bool) -> None:
    out = console()
    line = Text(f"{made.decision}", style=f"bold {_STYLES[made.decision]}")
    line.append(f"  by {made.actor} ({made.actor_auth}), {made.recorded_at[:19]} UTC, record {made.record}", style="dim")
    out.print(line if holds else line.append("  (superseded)", style="dim"))
    out.print(Text(f"  {made.note if made.note is not None else 'note erased'}"))
    if made.decision == "amend":
        out.print(Text(f"  amended text: {made.text if made.text is not None else 'erased'}"))
