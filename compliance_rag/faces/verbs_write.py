"""Verbs that write: add, publish, withdraw, redate, rebuild."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compliance_rag.faces.environment import Context, environment_value
from compliance_rag.faces.output import print_json
from compliance_rag.faces.progress import Stages
from schemas.dates import parse_day, print_day
from schemas.errors import EXIT_DONE, EXIT_INTEGRITY, EXIT_REJECTED, UsageError

if TYPE_CHECKING:
    from compliance_rag.service.homes import HomeHandle
    from compliance_rag.service.ingest import AddResult
    from compliance_rag.service.manifest import BadEntry

_ENTRY_KEYS = (
    "doc_id", "version", "effective_from", "effective_to", "published_on", "title", "jurisdiction", "language", "kind",
    "status", "part_of", "amends", "translation_of", "authentic", "tracked", "model_use", "correct",
)  # fmt: skip
_REQUIRED = ("doc_id", "version", "effective_from")


def add(context: Context, arguments: argparse.Namespace) -> int:
    """Ingest one file or a manifest through the Dagster assets."""
    from compliance_rag.service.homes import open_home
    from compliance_rag.service.manifest import check_entry, read_entries
    from pipelines.run import add as ingest

    if (arguments.manifest is None) == (arguments.file is None):
        raise UsageError("usage", "add takes either FILE with its options or --manifest FILE.")
    bad: Sequence[BadEntry] = ()
    if arguments.manifest is not None:
        path = Path(arguments.manifest)
        manifest = read_entries(path)
        entries, bad, base = list(manifest.entries), manifest.bad, path.parent
    else:
        missing = [f"--{key.replace('_', '-')}" for key in _REQUIRED if getattr(arguments, key) is None]
        if missing:
            raise UsageError("usage", f"add FILE needs {', '.join(missing)}.")
        path = Path(arguments.file)
        value = {key: getattr(arguments, key) for key in _ENTRY_KEYS}
        entries, base = [check_entry({**value, "file": path.name}, path.name)], path.parent
    handle = open_home(context.home, create=True, overlay=context.overlay)
    with Stages(quiet=context.quiet) as stages:
        who = {"actor": context.actor, "actor_auth": context.actor_auth}
        key = environment_value(handle.settings.model.api_key_env)
        result = ingest(handle, entries, base, **who, progress=stages.update, api_key=key)
    result.rejected += [{"file": item.file, "code": item.code, "message": item.message} for item in bad]
    _show_added(context, result)
    if not context.as_json:
        _show_reports(handle, result)
    return EXIT_REJECTED if result.rejected else EXIT_DONE


def _show_reports(handle: HomeHandle, result: AddResult) -> None:
    """The ingest report of each version that was added, held ones included."""
    from compliance_rag.faces.render_report import show_report
    from compliance_rag.service.report import ingest_report

    corpus = handle.corpus()
    added = [*result.published, *result.held]
    for item in added:
        row = corpus.find_version(item["doc_id"], item["version_id"])
        show_report(row.ref, ingest_report(handle, row), brief=len(added) > 1)


def _show_added(context: Context, result: AddResult) -> None:
    if context.as_json:
        print_json(result.as_json())
    else:
        from compliance_rag.faces.render import show_added
        from compliance_rag.faces.render_time import show_made_stale

        show_added(result.as_json())
        show_made_stale(result.made_stale)


def publish(context: Context, arguments: argparse.Namespace) -> int:
    """Publish a version that another person staged."""
    from compliance_rag.faces.api import Rules
    from compliance_rag.service.homes import open_home
    from compliance_rag.service.keys import ROLES, Bearer

    rules = Rules(open_home(context.home, overlay=context.overlay), Bearer(context.actor, context.actor_auth, frozenset(ROLES)))
    result = rules.publish(arguments.doc, arguments.version, note=arguments.note or "")
    _show_added(context, result)
    return EXIT_DONE


def withdraw(context: Context, arguments: argparse.Namespace) -> int:
    """Record a repeal or a voiding."""
    from compliance_rag.service.homes import open_home
    from compliance_rag.service.stale import instant_before
    from compliance_rag.service.times import withdraw as record

    handle = open_home(context.home, overlay=context.overlay)
    before = instant_before(handle)
    event = record(
        handle,
        arguments.doc,
        version=arguments.version,
        start=_day(arguments.start, "--from"),
        void=arguments.void,
        reason=arguments.reason,
        actor=context.actor,
        actor_auth=context.actor_auth,
    )
    return _show_event(context, handle, event, before)


def redate(context: Context, arguments: argparse.Namespace) -> int:
    """Record other effective dates of a version or a clause."""
    from compliance_rag.service.homes import open_home
    from compliance_rag.service.stale import instant_before
    from compliance_rag.service.times import redate as record

    handle = open_home(context.home, overlay=context.overlay)
    before = instant_before(handle)
    event = record(
        handle,
        arguments.doc,
        arguments.version,
        number=arguments.clause,
        effective_from=_day(arguments.effective_from, "--effective-from"),
        effective_to=_day(arguments.effective_to, "--effective-to"),
        reason=arguments.reason,
        actor=context.actor,
        actor_auth=context.actor_auth,
    )
    return _show_event(context, handle, event, before)


def _day(text: str | None, where: str) -> date | None:
    return None if text is None else parse_day(text, where)


def _show_event(context: Context, handle: HomeHandle, event: Any, before: datetime) -> int:
    from compliance_rag.service.stale import list_stale
    from compliance_rag.service.times import passed_by
    from schemas.dates import print_instant

    already = event.recorded_at <= before
    flags = [] if already else passed_by(handle, event)
    shown = {
        "kind": event.kind,
        "doc_id": event.doc_id,
        "version_id": event.version_id,
        "number": event.number,
        "from": print_day(event.start),
        "to": print_day(event.end),
        "reason": event.reason,
        "recorded_at": print_instant(event.recorded_at),
        "index": event.index,
        "already": already,
        "flags": flags,
    }
    if context.as_json:
        print_json(shown)
    else:
        from compliance_rag.faces.render import show_pairs
        from compliance_rag.faces.render_time import show_made_stale

        title = "recorded"
        if already:
            title = "already void" if event.kind == "void" else f"already withdrawn from {print_day(event.start)}"
        pairs = {key: value for key, value in shown.items() if value is not None and key not in ("already", "flags")}
        show_pairs(title, pairs)
        for flag in flags:
            print(f"look at this: {flag['text']}")
        show_made_stale(len(list_stale(handle, since=before)))
    return EXIT_DONE


def rebuild(context: Context, arguments: argparse.Namespace) -> int:
    """Restore every projection from sources and ledger. What neither holds any more is named, and the exit code is then 4."""
    from compliance_rag.service.homes import open_home
    from compliance_rag.service.rebuild import rebuild as restore

    handle = open_home(context.home, overlay=context.overlay, check=False)
    with Stages(quiet=context.quiet) as stages:
        report = restore(handle, progress=lambda done, total: stages.update("embedding", done, total)).as_json()
    if context.as_json:
        print_json(report)
    else:
        from compliance_rag.faces.render import show_pairs

        show_pairs("rebuilt from sources and ledger", report)
        for name in report["lost"]:
            print(f"lost, and nothing here gives it back: {name}")
    return EXIT_INTEGRITY if report["lost"] else EXIT_DONE


VERBS: dict[str, Callable[[Context, argparse.Namespace], int]] = {
    "add": add,
    "publish": publish,
    "withdraw": withdraw,
    "redate": redate,
    "rebuild": rebuild,
}
