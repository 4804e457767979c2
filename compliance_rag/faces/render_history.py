"""A clause through its versions as a person reads it, in the language of the document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from compliance_rag.changes.history_words import say_record, say_status
from compliance_rag.changes.html_words import say_span, words_for
from compliance_rag.faces.render import console, redline_text, short
from compliance_rag.faces.render_changes import signals

_NEVER_VALID = frozenset(("corrected", "void", "draft", "held", "staged"))


def show_history(entries: Sequence[Mapping[str, Any]], language: str) -> None:
    """What each version did to the clause, its standing, and who recorded what about it and when."""
    out, words = console(), words_for(language)
    compared = False
    for entry in entries:
        change = entry["change"]
        did = words.first if not compared else words.unchanged if change is None else words.kinds[change["kind"]].lower()
        compared = compared or entry["status"] not in _NEVER_VALID
        never = {"corrected": words.corrected.format(version=entry["status_by"]), "void": words.void} | dict(words.states)
        span = never.get(entry["status"]) or say_span(words, entry["effective_from"], entry["effective_to"])
        line = Text(f"\n{entry['version']}{words.colon}{entry['number'] or entry['heading'] or words.unnumbered}", style="bold")
        line.append(words.bracketed.format(text=span), style="dim")
        line.append(f"  {did}", style="yellow")
        line.append(f"\n  {say_status(entry, language)}", style="bold")
        if change is not None and change["signals"]:
            line.append("\n  " + signals(change["signals"], words), style="dim")
        if change is not None and any(mark != "=" for mark, _ in change["redline"]):
            line.append("\n  ")
            line.append_text(redline_text(change["redline"]))
        elif did == words.first:
            line.append(f"\n  {short(entry['text'])}")
        for record in entry["records"]:
            line.append(f"\n  {say_record(record, language)}", style="dim")
        out.print(line)
