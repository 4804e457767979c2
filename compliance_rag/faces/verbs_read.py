"""Verbs that read: docs, outline, clause, search, ask, changes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal

from compliance_rag.faces.batch import read_batch
from compliance_rag.faces.environment import Context, environment_value
from compliance_rag.faces.knowing import knowable
from compliance_rag.faces.languages import check_language
from compliance_rag.faces.output import print_json
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.store.timeline import Knowledge
from schemas.dates import parse_day, parse_instant, today
from schemas.errors import EXIT_DONE, EXIT_INTEGRITY, EXIT_REJECTED, ComplianceError, InputRejected, UsageError

DEFAULT_HITS = 10


def _known(handle: HomeHandle, arguments: argparse.Namespace) -> Knowledge:
    from compliance_rag.service.asking import knowledge_of

    at = None if arguments.known_at is None else parse_instant(arguments.known_at, "--known-at")
    return knowledge_of(handle, handle.corpus(), knowable(at, arguments.known_basis), arguments.known_basis)


def _day(handle: HomeHandle, text: str | None) -> date:
    return today(handle.settings.time_zone) if text is None else parse_day(text, "--as-of")


def docs(context: Context, arguments: argparse.Namespace) -> int:
    """Documents and versions, their dates and states."""
    from compliance_rag.service.reads import docs as read

    handle = open_home(context.home, overlay=context.overlay)
    found = read(handle.corpus(), _day(handle, arguments.as_of), _known(handle, arguments))
    if context.as_json:
        print_json([item.model_dump(mode="json") for item in found])
    else:
        from compliance_rag.faces.render import show_docs

        show_docs(found)
    return EXIT_DONE


def outline(context: Context, arguments: argparse.Namespace) -> int:
    """The clauses of one version in document order."""
    from compliance_rag.service.changes import find_version
    from compliance_rag.service.reads import outline as read
    from compliance_rag.service.reads import version_in_force

    handle = open_home(context.home, overlay=context.overlay)
    corpus, known = handle.corpus(), _known(handle, arguments)
    day = _day(handle, arguments.as_of)
    if arguments.version is not None:
        row = find_version(corpus, arguments.doc, arguments.version, known)
    else:
        row = version_in_force(corpus, arguments.doc, day, known)
    found = read(corpus, handle.home, row, day, full=arguments.full, knowledge=known)
    if context.as_json:
        print_json(found)
    else:
        from compliance_rag.faces.render import show_outline
        from compliance_rag.faces.render_report import show_report
        from compliance_rag.service.report import ingest_report

        show_outline(found)
        show_report(row.ref, ingest_report(handle, row, known))
    return EXIT_DONE


def clause(context: Context, arguments: argparse.Namespace) -> int:
    """One clause with its links and, when asked, itself through all versions."""
    from compliance_rag.service.history import clause_history
    from compliance_rag.service.reads import clause as read

    shown_as = None if arguments.show is None else _shown_as(arguments.show)
    handle = open_home(context.home, overlay=context.overlay)
    corpus, day, known = handle.corpus(), _day(handle, None), _known(handle, arguments)
    found = read(corpus, handle.home, arguments.clause_id, day, knowledge=known)
    if arguments.history:
        found["history"] = clause_history(corpus, handle.ledger, arguments.clause_id, day, known)
    if shown_as is not None:
        from compliance_rag.service.showing import shown_clause

        _write(arguments.show, shown_clause(corpus, handle.home, arguments.clause_id, shown_as, known))
    if context.as_json:
        print_json(found)
    else:
        from compliance_rag.faces.render import show_clause

        show_clause(found)
        if arguments.history:
            from compliance_rag.faces.render_history import show_history

            show_history(found["history"], corpus.clause(arguments.clause_id, known).version.language)
    return EXIT_DONE


def _shown_as(name: str) -> Literal["png", "html"]:
    suffix = Path(name).suffix.lower()
    if suffix not in (".png", ".html"):
        raise UsageError("usage", f"--show writes a file that ends in .png or .html, not {name!r}.", "--show")
    return "png" if suffix == ".png" else "html"


def _write(name: str, data: bytes) -> None:
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise InputRejected("unwritable", f"{name}: the file cannot be written ({error.strerror}).", name) from error


def _basis(text: str | None) -> Literal["recorded", "published"]:
    if text not in (None, "recorded", "published"):
        raise UsageError("usage", f"known_basis is 'recorded' or 'published', not {text!r}.", "known_basis")
    return "published" if text == "published" else "recorded"


def _instant(given: Mapping[str, Any]) -> datetime | None:
    text = given.get("known_at")
    return None if text is None else knowable(parse_instant(text, "known_at"), _basis(given.get("known_basis")))


def _language(handle: HomeHandle, given: Mapping[str, Any]) -> str | None:
    code: str | None = given.get("language")
    if code is not None:
        check_language(code, (row.language for row in handle.corpus().versions))
    return code


def _one_search(handle: HomeHandle, given: Mapping[str, Any]) -> dict[str, Any]:
    from compliance_rag.retrieve.types import Query
    from compliance_rag.service.ask import search as run
    from compliance_rag.service.asking import knowledge_of

    basis = _basis(given.get("known_basis"))
    known = knowledge_of(handle, handle.corpus(), _instant(given), basis)
    query = Query(
        text=given["question"],
        as_of=_day(handle, given.get("as_of")),
        known_at=known.known_at,
        known_basis=basis,
        docs=tuple(given["doc"]),
        jurisdictions=tuple(given["jurisdiction"]),
        language=_language(handle, given),
        limit=given.get("limit") or DEFAULT_HITS,
    )
    return run(handle, query).model_dump(mode="json")


def _one_ask(handle: HomeHandle, context: Context, arguments: argparse.Namespace, given: Mapping[str, Any]) -> dict[str, Any]:
    from compliance_rag.service.ask import ask as run
    from compliance_rag.service.asking import AskRequest

    request = AskRequest(
        question=given["question"],
        as_of=None if given.get("as_of") is None else parse_day(given["as_of"], "as_of"),
        known_at=_instant(given),
        known_basis=_basis(given.get("known_basis")),
        docs=tuple(given["doc"]),
        jurisdictions=tuple(given["jurisdiction"]),
        language=_language(handle, given),
        limit=given.get("limit"),
        request_id=given.get("request_id"),
        conversation=given.get("conversation"),
        follows=given.get("follows"),
        use_model=not arguments.no_model,
        api_key=environment_value(handle.settings.model.api_key_env),
        actor=context.actor,
        actor_auth=context.actor_auth,
    )
    return run(handle, request).model_dump(mode="json")


def _options(arguments: argparse.Namespace, question: str) -> dict[str, Any]:
    names = (
        "as_of", "known_at", "known_basis", "doc", "jurisdiction", "language", "limit", "request_id", "conversation", "follows",
    )  # fmt: skip
    return {"question": question, **{name: getattr(arguments, name, None) for name in names}}


def _check(arguments: argparse.Namespace, question: str | None) -> None:
    if (question is None) == (arguments.batch is None):
        raise UsageError("usage", "give either one question or --batch FILE.jsonl.")
    if arguments.limit is not None and arguments.limit < 1:
        raise UsageError("usage", "--limit must be 1 or more.", "--limit")


def search(context: Context, arguments: argparse.Namespace) -> int:
    """Ranked clauses in force on a day."""
    _check(arguments, arguments.query)
    handle = open_home(context.home, overlay=context.overlay)
    if arguments.batch is not None:
        return _run_batch(arguments.batch, _options(arguments, ""), lambda given: _one_search(handle, given))
    found = _one_search(handle, _options(arguments, arguments.query))
    if context.as_json:
        print_json(found)
    else:
        from compliance_rag.faces.render import show_search
        from schemas.objects import SearchResult

        show_search(SearchResult.model_validate(found))
    return EXIT_DONE


def ask(context: Context, arguments: argparse.Namespace) -> int:
    """An answer with citations, recorded before it is shown."""
    _check(arguments, arguments.question)
    handle = open_home(context.home, overlay=context.overlay)
    if arguments.batch is not None:
        return _run_batch(arguments.batch, _options(arguments, ""), lambda given: _one_ask(handle, context, arguments, given))
    found = _one_ask(handle, context, arguments, _options(arguments, arguments.question))
    if context.as_json:
        print_json(found)
    else:
        from compliance_rag.faces.render import show_answer
        from schemas.objects import Answer

        show_answer(Answer.model_validate(found))
    return EXIT_INTEGRITY if found["refusal_reason"] == "integrity" else EXIT_DONE


def _run_batch(name: str, defaults: Mapping[str, Any], run: Callable[[Mapping[str, Any]], dict[str, Any]]) -> int:
    code = EXIT_DONE
    for line in read_batch(Path(name), defaults):
        if isinstance(line["given"], ComplianceError):
            found: dict[str, Any] = line["given"].as_json()
        else:
            try:
                found = run(line["given"])
            except ComplianceError as error:
                if error.exit_code == EXIT_INTEGRITY:
                    raise
                found = error.as_json()
        if "error" in found:
            code = EXIT_REJECTED
        elif found.get("refusal_reason") == "integrity":
            code = EXIT_INTEGRITY
        print(json.dumps({"id": line["id"], **found}, ensure_ascii=False), flush=True)
    return code


def changes(context: Context, arguments: argparse.Namespace) -> int:
    """What changed between two versions or days."""
    from compliance_rag.service.changes import changes as read
    from compliance_rag.service.changes import language_of, redline_page

    handle = open_home(context.home, overlay=context.overlay)
    corpus, known, day = handle.corpus(), _known(handle, arguments), _day(handle, None)
    read_changes = read(corpus, arguments.doc, arguments.start, arguments.end, day, known, about=arguments.about)
    if arguments.html is not None:
        _write(arguments.html, redline_page(corpus, read_changes, known, question=arguments.about).encode("utf-8"))
    if context.as_json:
        print_json(read_changes.model_dump(mode="json", by_alias=True))
        return EXIT_DONE
    from compliance_rag.faces.render_changes import show_about, show_changes

    if arguments.about is not None:
        show_about(read_changes, arguments.about)
    else:
        show_changes(read_changes, language_of(corpus, read_changes, known))
    return EXIT_DONE


VERBS: dict[str, Callable[[Context, argparse.Namespace], int]] = {
    "docs": docs,
    "outline": outline,
    "clause": clause,
    "search": search,
    "ask": ask,
    "changes": changes,
}
