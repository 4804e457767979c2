"""The audit verbs: list, show, verify, reconstruct, prove, export, checkpoint, erase, hold, release."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compliance_rag.faces.environment import Context
from compliance_rag.faces.output import print_json
from schemas.errors import EXIT_DONE, EXIT_INTEGRITY, InputRejected, NotFound, UsageError

Verb = Callable[[Context, argparse.Namespace], int]


def audit(context: Context, arguments: argparse.Namespace) -> int:
    """Dispatch to one audit verb."""
    return _VERBS[arguments.audit_verb](context, arguments)


def _handle(context: Context) -> Any:
    """The home with its ledger proved; the clause tables are not looked at, since the record stands without them."""
    from compliance_rag.service.homes import open_home

    return open_home(context.home, overlay=context.overlay, check=False)


def _header(ledger: Any, name: str) -> dict[str, Any]:
    """The record with this index, or of the answer with this id. Raises NotFound ``unknown_record``."""
    if name.isdecimal() and int(name) < ledger.size:
        header: dict[str, Any] = ledger.header(int(name))
        return header
    index = ledger.find("answer", "answer_id", name)
    if index is None:
        raise NotFound("unknown_record", f"The ledger has no record {name!r}; `audit list` shows them.", name)
    found: dict[str, Any] = ledger.header(index)
    return found


def _list(context: Context, arguments: argparse.Namespace) -> int:
    from compliance_rag.faces.render import show_records

    headers = [header for _, header in _handle(context).ledger.headers()]
    if context.as_json:
        print_json(headers)
    else:
        show_records(headers)
    return EXIT_DONE


def _show(context: Context, arguments: argparse.Namespace) -> int:
    from compliance_rag.service.readings import show_record

    handle = _handle(context)
    shown = show_record(handle, _header(handle.ledger, arguments.id))
    if context.as_json:
        print_json(shown)
    else:
        print(json.dumps(shown, ensure_ascii=False, indent=1))
    return EXIT_DONE


def _verify(context: Context, arguments: argparse.Namespace) -> int:
    from audit.verifier import verify_home

    def path(text: str | None) -> Path | None:
        if text is not None and not Path(text).exists():
            raise NotFound("missing_file", f"There is no file or folder {text!r}.", text)
        return None if text is None else Path(text)

    report = verify_home(
        context.home,
        witness=path(arguments.witness),
        receipt=path(arguments.receipt),
        key=path(arguments.key),
        origin=_pinned(context),
        expect="home" if context.home.is_dir() else None,
    )
    if context.as_json:
        print_json(report)
    else:
        from compliance_rag.faces.render import show_verdict

        show_verdict(report)
    return EXIT_DONE if report["valid"] else EXIT_INTEGRITY


def _pinned(context: Context) -> str | None:
    """The log's name in the settings; None where none can be read: the verifier then takes the log's own. The settings' model
    is left aside, so that verifying starts at once."""
    import tomllib

    from schemas.home import Home

    try:
        found = tomllib.loads(Home(context.home).settings.read_text("utf-8")).get("ledger")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None
    origin = found.get("origin") if isinstance(found, dict) else None
    return origin if isinstance(origin, str) else None


def _reconstruct(context: Context, arguments: argparse.Namespace) -> int:
    from compliance_rag.service.reconstruct import reconstruct

    found = reconstruct(_handle(context), arguments.id)
    if context.as_json:
        print_json(found)
        return EXIT_DONE
    from compliance_rag.faces.render import show_reconstructed

    show_reconstructed(found)
    return EXIT_DONE


def _prove(context: Context, arguments: argparse.Namespace) -> int:
    ledger = _handle(context).ledger
    header = _header(ledger, arguments.id)
    receipt = ledger.receipt(header["index"], ledger.size).model_dump(mode="json")
    return _say(context, f"record {header['index']} is in the tree of {receipt['size']}", receipt)


def _checkpoint(context: Context, arguments: argparse.Namespace) -> int:
    if arguments.revoke is not None:
        return _revoke(context, arguments)
    if arguments.key is None:
        raise UsageError("usage", "audit checkpoint needs --key FILE, or --revoke KEYID --reason T.")
    from audit.checkpoint import write_checkpoint

    handle = _handle(context)
    witness = handle.settings.ledger.witness
    try:
        pem = Path(arguments.key).read_bytes()
    except OSError as error:
        raise InputRejected("missing_file", f"The key file {arguments.key!r} cannot be read.", arguments.key) from error
    done = write_checkpoint(
        handle.ledger,
        pem,
        actor=context.actor,
        actor_auth=context.actor_auth,
        witness=Path(witness) if witness else None,
        rotate=arguments.rotate,
    )
    shown = {"size": done.size, "root": done.root, "key_id": done.key_id, "new": done.new, "note": done.note.decode("utf-8")}
    return _say(context, "checkpoint signed", shown)


def _revoke(context: Context, arguments: argparse.Namespace) -> int:
    from audit.checkpoint import revoke_key

    if not (arguments.reason or "").strip():
        raise UsageError("usage", "audit checkpoint --revoke needs --reason T: it goes on the record.")
    ledger = _handle(context).ledger
    index = revoke_key(ledger, arguments.revoke, reason=arguments.reason, actor=context.actor, actor_auth=context.actor_auth)
    return _say(context, "key revoked", {"key_id": arguments.revoke, "revoked": True, "record": index})


def _export(context: Context, arguments: argparse.Namespace) -> int:
    from audit.bundle import export_all, export_bundle

    if arguments.all == (arguments.id is not None):
        raise UsageError("usage", "audit export takes either ID or --all, with --out FILE.")
    handle = _handle(context)
    out = Path(arguments.out)
    if arguments.all:
        return _say(context, "ledger, sources and texts exported", export_all(handle.ledger, handle.home, out))
    index = _header(handle.ledger, arguments.id)["index"]
    return _say(context, "evidence exported", export_bundle(handle.ledger, handle.home, index, out))


def _erase(context: Context, arguments: argparse.Namespace) -> int:
    from compliance_rag.service.erasing import erase_at

    ledger = _handle(context).ledger
    if not arguments.reason.strip():
        raise UsageError("usage", "audit erase needs a reason: it goes on the record.")
    index = _header(ledger, arguments.id)["index"]
    shown = erase_at(ledger, index, reason=arguments.reason, actor=context.actor, actor_auth=context.actor_auth)
    return _say(context, "erased; its proofs stand", shown)


def _hold(context: Context, arguments: argparse.Namespace) -> int:
    from audit.erasure import hold

    ledger = _handle(context).ledger
    index, released = _header(ledger, arguments.id)["index"], arguments.audit_verb == "release"
    reason = arguments.reason or ""
    done = hold(ledger, index, released=released, reason=reason, actor=context.actor, actor_auth=context.actor_auth)
    return _say(context, "released" if released else "held", {"index": index, "record": done.index, "held": not released})


def _say(context: Context, title: str, shown: dict[str, Any]) -> int:
    if context.as_json:
        print_json(shown)
    else:
        from compliance_rag.faces.render import show_pairs

        show_pairs(title, shown)
    return EXIT_DONE


_VERBS: dict[str, Verb] = {
    "list": _list,
    "show": _show,
    "verify": _verify,
    "reconstruct": _reconstruct,
    "prove": _prove,
    "checkpoint": _checkpoint,
    "export": _export,
    "erase": _erase,
    "hold": _hold,
    "release": _hold,
}
