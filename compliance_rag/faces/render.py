"""What a person reads on the terminal: tables, quotes, clause numbers and dates."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:  # the models cost every command a tenth of a second
    from schemas.objects import Answer, Citation, ClauseObject, DocumentObject, SearchResult, VersionObject

ROLE_WORDS = {
    "primary": "rule", "definition": "definition", "exception": "exception", "reference": "refers to", "lead_in": "lead-in",
    "amendment": "amendment", "transitional": "transitional", "locator": "where",
}  # fmt: skip
# A quote longer than this fills a screen; the whole is in --json and `clause`.
QUOTE_SHOWN = 700
TEXT_SHOWN = 160
# Signals of one change on one line; all of them are in --json.
SIGNALS_SHOWN = 8
# Width of a timeline, and how far the last version's open end reaches beyond its start.
BAR = 20
OPEN_END = 1.15


def console() -> Console:
    """Stdout, plain when it is not a terminal."""
    return Console(
        file=sys.stdout, highlight=False, soft_wrap=not sys.stdout.isatty(), width=None if sys.stdout.isatty() else 120
    )


def dates(start: str | None, end: str | None) -> str:
    """``from 2024-07-01 until 2025-10-01``; ends are exclusive."""
    if start is None:
        return f"until {end}" if end else "always"
    if end is not None and end <= start:
        return "never in force"
    return f"from {start}" + (f" until {end}" if end else "")


def short(text: str, limit: int = TEXT_SHOWN) -> str:
    """One line, cut at ``limit`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def standing_words(state: str, corrected_by: str | None) -> str:
    """What a reader must know of a version beside its dates: that it is a draft, or that other words stand in its place; empty
    for a version that governs, did, or will."""
    if corrected_by is not None:
        return f"corrected by {corrected_by}, these words never count"
    words = {
        "draft": "draft, never in force", "held": "held for review", "staged": "not published yet", "withdrawn": "withdrawn",
    }  # fmt: skip
    return words.get(state, "")


def clause_name(item: ClauseObject) -> str:
    """The number as cited, else the heading, else the path."""
    return item.number or item.heading or item.clause_id.rpartition("#")[2]


def show_answer(answer: Answer) -> None:
    """The answer as an analyst reads it."""
    out = console()
    day = {"option": "as asked", "question": "from the question", "today": "today"}[answer.as_of_from]
    out.print(Text("Q  " + answer.question, style="bold"))
    out.print(f"   as of {answer.as_of} ({day}), as known at {answer.known_at[:19]}Z ({answer.known_basis})", style="dim")
    if answer.follows is not None:
        out.print(f"   read as a follow-up to {answer.follows.answer_id}: {answer.follows.read_as}", style="dim")
    style = {"answered": "green", "needs_review": "yellow", "refused": "red"}[answer.status]
    word = answer.status.replace("_", " ") + (f": {answer.refusal_reason}" if answer.refusal_reason else "")
    out.print(Text(f"A  [{word}]", style=style))
    out.print(Text(answer.answer))
    if answer.citations:
        out.print(_citation_table(answer.citations))
    _show_notes(out, answer)
    scope = answer.scope
    out.print(
        f"   searched {scope.get('clauses', 0)} clauses in force, {scope.get('versions', 0)} versions of"
        f" {scope.get('documents', 0)} documents; corpus {answer.corpus_root[:16]}…",
        style="dim",
    )
    if answer.ledger is not None:
        out.print(
            f"   on the ledger as record {answer.ledger.index}, tree of {answer.ledger.size}, root {answer.ledger.root[:16]}…;"
            f" answer id {answer.answer_id}",
            style="dim",
        )


def _citation_table(citations: Sequence[Citation]) -> Table:
    table = Table(show_lines=True, expand=True)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("clause", ratio=1, overflow="fold")
    table.add_column("in force", ratio=1, overflow="fold")
    table.add_column("the words", ratio=3, overflow="fold")
    for item in citations:
        where = Text(f"{clause_name(item)}", style="bold")
        where.append(f"\n{ROLE_WORDS[item.role]}", style="italic")
        where.append(f"\n{item.doc_id}\n{item.version}", style="dim")
        if item.page is not None:
            where.append(f"\npage {item.page}", style="dim")
        quote = item.quote if len(item.quote) <= QUOTE_SHOWN else item.quote[:QUOTE_SHOWN] + "…"
        table.add_row(str(item.n), where, dates(item.effective_from, item.effective_to), Text(f"“{quote}”"))
    return table


def _show_notes(out: Console, answer: Answer) -> None:
    for change in answer.upcoming_changes:
        out.print(Text(f"   {_coming(change)}", style="yellow"))
    for gap in answer.gaps:
        out.print(Text(f"   gap: {gap}", style="yellow"))
    for conflict in answer.conflicts:
        out.print(Text(f"   conflict: {conflict.get('text', conflict)}", style="yellow"))
    for line in answer.clarify:
        out.print(Text(f"   please say: {line}", style="yellow"))
    for reason in answer.review.reasons:
        out.print(Text(f"   review: {reason.text} ({reason.code})", style="yellow"))
    if answer.status == "refused" and answer.nearest:
        out.print("   nearest clauses, none of which answers:", style="dim")
        for item in answer.nearest:
            out.print(Text(f"     {item.clause_id}  {short(item.heading or item.text, 90)}", style="dim"))


def _coming(change: Mapping[str, Any]) -> str:
    if "text" in change:
        return f"changes on {change['day']}: {change['text']}"
    what = {"version_starts": "takes effect", "version_ends": "ends", "withdrawn": "is withdrawn"}
    return f"changes on {change['day']}: {change['doc_id']} {change['version_id']} {what.get(change['kind'], change['kind'])}"


def show_search(result: SearchResult) -> None:
    """Hits best first."""
    out = console()
    out.print(f"as of {result.as_of}, corpus {result.corpus_root[:16]}…", style="dim")
    table = Table(expand=True)
    for name, ratio in (("#", None), ("score", None), ("clause", 2), ("in force", 1), ("text", 4), ("why", 2)):
        table.add_column(name, ratio=ratio, no_wrap=ratio is None, overflow="fold")
    for hit in result.hits:
        label = Text(f"{clause_name(hit)} {hit.heading if hit.number else ''}\n")
        label.append(f"{hit.doc_id} {hit.version}", style="dim")
        table.add_row(
            str(hit.rank), f"{hit.score:.3f}", label, dates(hit.effective_from, hit.effective_to), short(hit.text), hit.why
        )
    out.print(table)


def show_docs(documents: Iterable[DocumentObject]) -> None:
    """Documents and versions with their dates and states, each version's time drawn on its document's timeline."""
    table = Table(expand=True)
    for column in ("document", "version", "effective", "timeline", "published", "state", "clauses", "flags"):
        table.add_column(column, overflow="fold", no_wrap=column == "timeline")
    for document in documents:
        bars = timeline(document)
        for place, version in enumerate(document.versions):
            name = Text(document.doc_id, style="bold") if place == 0 else Text("")
            if place == 0:
                name.append(f"\n{document.jurisdiction or '-'} {document.language}", style="dim")
            state = Text(version.state, style="green" if version.state == "in_force" else "dim")
            table.add_row(
                name, version.version, _governed(version), bars[place],
                version.published_on or "-", state, str(version.clauses), str(sum(version.flags.values()) or "-"),
            )  # fmt: skip
    console().print(table)


def _governed(version: VersionObject) -> str:
    """The days it governs, did or will; of a text corrected away or void, that it never does."""
    if version.corrected_by is not None:
        return f"never in force (corrected by {version.corrected_by})"
    if version.void:
        return "never in force (void)"
    return dates(version.effective_from, version.in_force_until or version.effective_to)


def timeline(document: DocumentObject) -> list[str]:
    """A bar for each version, from the first start to the last day named (an open end runs off the right edge); every version
    gets at least one mark. Versions that never governed (draft, held, void) are dotted."""
    starts = [date.fromisoformat(version.effective_from or date.min.isoformat()) for version in document.versions]
    until = [version.in_force_until or version.effective_to for version in document.versions]
    ends = [None if end is None else date.fromisoformat(end) for end in until]
    first, last = min(starts), max([*starts, *(end for end in ends if end is not None)])
    days = max((last - first).days, 1) * OPEN_END
    bars = []
    for version, start, end in zip(document.versions, starts, ends, strict=True):
        left = min(int((start - first).days / days * BAR), BAR - 1)
        right = BAR if end is None else min(max(int((end - first).days / days * BAR), left + 1), BAR)
        mark = "┈" if version.state in ("draft", "held", "staged", "withdrawn") else "━"
        bars.append(" " * left + mark * (right - left) + " " * (BAR - right))
    return bars


def show_outline(outline: Mapping[str, Any]) -> None:
    """The clause tree, indented, with the first words of each clause."""
    out = console()
    until = outline.get("in_force_until") or outline["effective_to"]
    title = Text(f"{outline['doc_id']} {outline['version']}, {dates(outline['effective_from'], until)}")
    out.print(title.append_text(_mark(outline)))
    for item in outline["clauses"]:
        line = Text("  " * item["depth"])
        line.append(f"{item['number'] or item['label'] or '·'}  ", style="bold")
        line.append(short(" ".join(filter(None, (item["heading"], item["text"]))), 110))
        if item["flags"]:
            line.append(f"  [{', '.join(item['flags'])}]", style="yellow")
        out.print(line)


def _mark(version: Mapping[str, Any]) -> Text:
    words = standing_words(version.get("state", ""), version.get("corrected_by"))
    return Text(f"  [{words}]" if words else "", style="yellow")


def show_clause(item: Mapping[str, Any]) -> None:
    """One clause with its dates, hash and links."""
    out = console()
    out.print(Text(item["clause_id"], style="bold"))
    out.print(Text(" › ".join([*item["heading_path"], item["heading"]]).strip(" ›"), style="dim"))
    out.print(
        f"number {item['number'] or '-'}, {dates(item['effective_from'], item['effective_to'])}, sha256 {item['sha256'][:16]}…"
    )
    out.print(Text(item.get("full_text") or item["text"]))
    rows = (
        ("kinds", ", ".join(item["kinds"])),
        ("refers to", ", ".join(f"{ref['text']} → {ref['target'] or 'unresolved'}" for ref in item.get("references", []))),
        ("defines", ", ".join(entry["term"] for entry in item.get("definitions", []))),
        ("uses terms", ", ".join(f"{entry['term']} → {entry['target']}" for entry in item.get("terms_used", []))),
        ("modified by exceptions", ", ".join(item.get("exceptions", []))),
        ("is an exception to", ", ".join(item.get("excepts", []))),
        ("risks", ", ".join(f"{risk['kind']} ({risk['level']})" for risk in item["risks"])),
        ("flags", ", ".join(item["flags"])),
    )
    for name, value in rows:
        if value:
            out.print(Text(f"{name}: {value}"))


def redline_text(redline: Iterable[Sequence[str]]) -> Text:
    """Words that went in brackets with ``-``, that came with ``+``; long unchanged stretches cut in the middle. White space,
    width and typography are not marked."""
    from compliance_rag.changes.redline import as_read, marked

    line = Text()
    for mark, words in as_read(marked([(op, words) for op, words in redline])):
        if mark == "=":
            line.append(words if len(words) <= QUOTE_SHOWN // 4 else words[:60] + " … " + words[-60:])
        else:
            line.append(f"[{mark}{words}{mark}]", style="red strike" if mark == "-" else "green")
    return line


def show_added(result: Mapping[str, Any]) -> None:
    """What an ingest did, and what a careful editor should look at."""
    out = console()
    table = Table(expand=True)
    for name in ("result", "document", "version", "clauses", "version root / reason"):
        table.add_column(name, overflow="fold")
    for item in result["published"]:
        table.add_row(
            Text("published", style="green"), item["doc_id"], item["version"], str(item["clauses"]), item["root"][:24] + "…"
        )
    for item in result["unchanged"]:
        table.add_row("unchanged", item["doc_id"], item["version"], "", "")
    for item in result["held"]:
        table.add_row(Text("held", style="yellow"), item["doc_id"], item["version"], "", "; ".join(map(str, item["reasons"])))
    for item in result["rejected"]:
        table.add_row(Text("rejected", style="red"), item["file"], "", "", f"{item['code']}: {item['message']}")
    out.print(table)
    if result["flags"]:
        out.print("flags: " + ", ".join(f"{code} {count}" for code, count in sorted(result["flags"].items())))
    for proposal in result["proposed_dates"]:
        what = f"clause {proposal['number']}" if proposal["number"] else "version"
        span = dates(proposal["effective_from"], proposal["effective_to"])
        out.print(
            Text(f"proposed dates, {proposal['doc_id']} {proposal['version_id']}, {what}: {span}: “{short(proposal['quote'])}”")
        )
    out.print(f"corpus root {result['corpus_root']}")


def show_pairs(title: str, pairs: Mapping[str, Any]) -> None:
    """A title and its facts, one a line."""
    out = console()
    out.print(title, style="bold")
    for key, value in pairs.items():
        out.print(Text(f"  {key}: {value}"))


def show_records(headers: Iterable[Mapping[str, Any]]) -> None:
    """The ledger, a record a line."""
    table = Table(expand=True)
    for name in ("#", "recorded (UTC)", "record", "what", "by"):
        table.add_column(name, overflow="fold")
    for header in headers:
        table.add_row(
            str(header["index"]), header["recorded_at"][:19], header["type"], _record_words(header), header.get("actor", "-")
        )
    console().print(table)


def _record_words(header: Mapping[str, Any]) -> str:
    if header["type"] == "answer":
        cited = ", ".join(item["clause_id"] for item in header["cited"])
        return f"{header['answer_id']}: {header['status']} as of {header['as_of']}{': ' + cited if cited else ''}"
    if "doc_id" in header:
        return f"{header['doc_id']} {header.get('version') or header.get('version_id') or ''}"
    if header["type"] == "settings":
        return f"changed: {', '.join(header['changed'])}"
    return ", ".join(f"{key} {header[key]}" for key in ("size", "event", "name") if key in header)


def show_verdict(report: Mapping[str, Any]) -> None:
    """What the verifier found."""
    out = console()
    if report["valid"]:
        out.print(Text(f"valid: {report['size']} records, root {report['root']}", style="green"))
    for number, sentence in enumerate(report["checked"]["in_words"]):
        out.print(Text(sentence, style="" if number or report["valid"] else "bold red"))
    for name, count in report["checked"].items():
        if name != "in_words":
            out.print(Text(f"  {name}: {count}", style="dim"))


def show_reconstructed(found: Mapping[str, Any]) -> None:
    """The answer as it was seen, and whether it can be derived again."""
    from schemas.objects import Answer

    out = console()
    if found["seen"] is None:
        out.print(Text("what was shown has been erased; its proof still stands", style="yellow"))
    else:
        show_answer(Answer.model_validate(found["seen"]))
    again = found["rederived"]
    if again == "equal":
        out.print(Text("derived again from what was known then: equal", style="green"))
    elif isinstance(again, str):
        out.print(Text(f"derived again: {again.replace('_', ' ')}", style="yellow"))
    else:
        for layer in again:
            out.print(Text(f"derived again, another {layer['layer']}: {layer['before']} → {layer['after']}", style="yellow"))
    if found["erased"]:
        out.print(f"erased parts: {', '.join(found['erased'])}")
