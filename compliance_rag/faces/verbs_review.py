"""`review`: the queue, an answer beside the decisions about it, and deciding."""

from __future__ import annotations

import argparse
from pathlib import Path

from compliance_rag.faces.environment import Context
from compliance_rag.faces.output import print_json
from compliance_rag.service.homes import HomeHandle, open_home
from schemas.errors import EXIT_DONE, InputRejected


def review(context: Context, arguments: argparse.Namespace) -> int:
    """List, show or decide."""
    handle = open_home(context.home, overlay=context.overlay)
    if arguments.review_verb == "list":
        return _list(context, handle, arguments)
    from compliance_rag.service.review import decide, show_review

    if arguments.review_verb == "show":
        found = show_review(handle, arguments.id)
    else:
        found = decide(
            handle, arguments.id, decision=arguments.decision, note=arguments.note, text=_text(arguments.text),
            actor=context.actor, actor_auth=context.actor_auth,
        )  # fmt: skip
    if context.as_json:
        print_json(found.model_dump(mode="json"))
    else:
        from compliance_rag.faces.render_review import show_reviewed

        show_reviewed(found)
    return EXIT_DONE


def _list(context: Context, handle: HomeHandle, arguments: argparse.Namespace) -> int:
    from compliance_rag.service.review import list_reviews

    found = list_reviews(handle, decided=arguments.all)
    if context.as_json:
        print_json([item.model_dump(mode="json") for item in found])
    else:
        from compliance_rag.faces.render_review import show_queue

        show_queue(found)
    return EXIT_DONE


def _text(name: str | None) -> str | None:
    if name is None:
        return None
    try:
        return Path(name).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputRejected("missing_file", f"The file {name!r} cannot be read ({error.strerror}).", name) from error
    except UnicodeDecodeError as error:
        raise InputRejected("unreadable_text", f"{name} is not UTF-8; save it as UTF-8.", name) from error
