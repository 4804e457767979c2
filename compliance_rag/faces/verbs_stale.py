"""`stale`: past answers whose cited clauses changed; who looks after them and what was decided."""

from __future__ import annotations

import argparse
import sys

from compliance_rag.faces.environment import Context
from compliance_rag.faces.knowing import knowable
from compliance_rag.faces.output import print_json
from compliance_rag.service.homes import HomeHandle, open_home
from schemas.dates import parse_day, parse_instant, today
from schemas.errors import EXIT_DONE


def stale(context: Context, arguments: argparse.Namespace) -> int:
    """List, assign or close."""
    handle = open_home(context.home, overlay=context.overlay)
    if arguments.stale_verb is None:
        return _list(context, handle, arguments)
    return _decide(context, handle, arguments)


def _list(context: Context, handle: HomeHandle, arguments: argparse.Namespace) -> int:
    from compliance_rag.service.asking import knowledge_of
    from compliance_rag.service.stale import list_stale

    at = None if arguments.known_at is None else parse_instant(arguments.known_at, "--known-at")
    basis = arguments.known_basis
    known = knowledge_of(handle, handle.corpus(), knowable(at, basis), basis)
    since = None if arguments.since is None else parse_instant(arguments.since, "--since")
    found = list_stale(handle, knowledge=known, since=since, only_open=arguments.open)
    if context.as_json:
        print_json([item.model_dump(mode="json") for item in found])
    else:
        from compliance_rag.faces.render_time import show_stale

        show_stale(found)
    return EXIT_DONE


def _decide(context: Context, handle: HomeHandle, arguments: argparse.Namespace) -> int:
    from compliance_rag.service.stale_records import assign, close, find_item

    before, size = find_item(handle, arguments.id), handle.ledger.size
    if arguments.stale_verb == "assign":
        if parse_day(arguments.due, "--due") < today(handle.settings.time_zone):
            print(f"--due {arguments.due} has passed already; recorded as given", file=sys.stderr)
        item = assign(
            handle, arguments.id, owner=arguments.owner, due=parse_day(arguments.due, "--due"),
            actor=context.actor, actor_auth=context.actor_auth,
        )  # fmt: skip
    else:
        item = close(
            handle, arguments.id, decision=arguments.decision, note=arguments.note,
            actor=context.actor, actor_auth=context.actor_auth,
        )  # fmt: skip
    if context.as_json:
        print_json(item.model_dump(mode="json"))
    else:
        from compliance_rag.faces.render_time import show_closed, show_stale

        if arguments.stale_verb == "close":
            show_closed(item, before, recorded=handle.ledger.size > size)
        show_stale([item])
    return EXIT_DONE
