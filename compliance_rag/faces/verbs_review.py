"""`review`: the queue, an answer or a held page beside the decisions about it, and deciding."""

from __future__ import annotations

import argparse
from pathlib import Path

from compliance_rag.faces.environment import Context
from compliance_rag.faces.output import print_json, write_file
from compliance_rag.faces.progress import Stages
from compliance_rag.service.homes import HomeHandle, open_home
from schemas.errors import EXIT_DONE, InputRejected, UsageError


def review(context: Context, arguments: argparse.Namespace) -> int:
    """List, show or decide."""
    handle = open_home(context.home, overlay=context.overlay)
    if arguments.review_verb == "list":
        return _list(context, handle, arguments)
    from compliance_rag.service.held_pages import is_page_id
    from compliance_rag.service.review import decide, show_review

    if is_page_id(arguments.id):
        return _page(context, handle, arguments)
    if getattr(arguments, "show", None) is not None:
        raise UsageError("usage", "--show draws a held page; an answer's clauses are drawn by `clause ID --show`.", "--show")
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


def _page(context: Context, handle: HomeHandle, arguments: argparse.Namespace) -> int:
    """A held page: shown, drawn, decided about."""
    from compliance_rag.service.held_pages import decide_page, held_page_png, show_held_page

    if arguments.review_verb == "show":
        found = show_held_page(handle, arguments.id)
        if arguments.show is not None:
            write_file(arguments.show, held_page_png(handle, arguments.id))
    else:
        with Stages(quiet=context.quiet) as stages:
            found = decide_page(
                handle, arguments.id, decision=arguments.decision, note=arguments.note, text=_text(arguments.text),
                actor=context.actor, actor_auth=context.actor_auth,
                progress=lambda done, total: stages.update("reading pages", done, total),
            )  # fmt: skip
    if context.as_json:
        print_json(found.model_dump(mode="json"))
    else:
        from compliance_rag.faces.render_review import show_page

        show_page(found)
    return EXIT_DONE


def _list(context: Context, handle: HomeHandle, arguments: argparse.Namespace) -> int:
    from compliance_rag.service.held_pages import list_held_pages
    from compliance_rag.service.review import list_reviews

    found = list_reviews(handle, decided=arguments.all)
    pages = list_held_pages(handle, decided=arguments.all)
    if context.as_json:
        print_json([item.model_dump(mode="json") for item in (*found, *pages)])
    else:
        from compliance_rag.faces.render_review import show_pages, show_queue

        if found or not pages:
            show_queue(found)
        if pages:
            show_pages(pages)
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
