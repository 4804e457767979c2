"""`serve`: the HTTP service and the page; `keys`: who may call it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from compliance_rag.faces.environment import Context
from compliance_rag.faces.output import print_json
from compliance_rag.faces.workers.pool import Workers
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.keys import ROLES, add_key, list_keys, revoke_key
from schemas.dates import parse_day, today
from schemas.errors import EXIT_DONE, InputRejected, UsageError

LOCAL_HOST = "127.0.0.1"
LOCAL_PORT = 8765
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
# The name of the key that the first local start makes.
LOCAL_NAME = "local"
PORT_LIMIT = 65_535
# A question under way is finished before the process ends.
GRACE_SECONDS = 10


def serve(context: Context, arguments: argparse.Namespace) -> int:
    """Serve until interrupted. The first local start makes a key with every role and prints it, once."""
    host = arguments.host or LOCAL_HOST
    port = _port(arguments.port)
    handle = open_home(context.home, overlay=context.overlay)
    local = host in LOOPBACK
    first = not list_keys(handle)
    if first and not local:
        raise UsageError(
            "no_keys", f"Nobody could call the service at {host}: make a key first (`keys add NAME --role ROLE`).", "--host"
        )
    workers = Workers(handle, handle.settings.service.workers)
    problem = workers.start()
    try:
        if problem is not None:
            # What needs no store (documents, the record) is served all the same.
            print(f"no question can be answered: {problem.code}: {problem.message}", file=sys.stderr)
        key = None
        if first:
            _, key = add_key(handle, LOCAL_NAME, ROLES, actor=context.actor, actor_auth=context.actor_auth)
        _announce(context, host, port, key)
        _run(handle, workers, host, port, local=local)
    finally:
        workers.close()
    return EXIT_DONE


def _port(text: str | None) -> int:
    if text is None:
        return LOCAL_PORT
    if not text.isdecimal() or not 0 < int(text) <= PORT_LIMIT:
        raise UsageError("usage", f"--port is a number from 1 to {PORT_LIMIT}, not {text!r}.", "--port")
    return int(text)


def _announce(context: Context, host: str, port: int, key: str | None) -> None:
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    if context.as_json:
        print_json({"address": address, "key": key})
    elif key is None:
        print(f"{address}  (sign in with a key; `keys add` makes one)")
    else:
        print(f"{address}/sign-in#{key}\nkey, shown this once: {key}")
    sys.stdout.flush()


def _run(handle: HomeHandle, workers: Workers, host: str, port: int, *, local: bool) -> None:
    import uvicorn

    from compliance_rag.faces.http.app import create_app
    from compliance_rag.faces.log import configure

    configure(quiet=False, as_json=True)
    hosts = {*LOOPBACK, "[::1]"} if local else None
    app = create_app(handle, hosts=hosts, desk=workers)
    config = uvicorn.Config(
        app, host=host, port=port, log_config=None, access_log=False, server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )  # fmt: skip
    server = uvicorn.Server(config)
    try:
        server.run()
    except SystemExit as error:
        raise InputRejected("port_taken", f"{host}:{port} cannot be listened on; name another --port.", "--port") from error


def keys(context: Context, arguments: argparse.Namespace) -> int:
    """List, add or revoke a key."""
    handle = open_home(context.home, overlay=context.overlay)
    if arguments.keys_verb == "list":
        found = [entry.public() for entry in list_keys(handle)]
        return _say(context, found, [_line(item, today(handle.settings.time_zone).isoformat()) for item in found])
    who = {"actor": context.actor, "actor_auth": context.actor_auth}
    if arguments.keys_verb == "add":
        docs = arguments.doc or None
        expires = None if arguments.expires is None else parse_day(arguments.expires, "--expires")
        entry, key = add_key(handle, arguments.name, arguments.role, docs=docs, expires=expires, **who)
        return _say(context, {**entry.public(), "key": key}, [f"key, shown this once: {key}"])
    entry = revoke_key(handle, arguments.name, **who)
    return _say(context, {**entry.public(), "revoked": True}, [f"revoked {entry.name}"])


def _line(item: Mapping[str, Any], day: str) -> str:
    """A key as `keys list` prints it on ``day``."""
    docs = "" if item["docs"] is None else f"  only {', '.join(item['docs'])}"
    ends = "" if item["expires"] is None else f"  {'expired' if item['expires'] <= day else 'expires'} {item['expires']}"
    return f"{item['key_id']}  {item['name']}  {', '.join(item['roles'])}{docs}{ends}"


def _say(context: Context, shown: object, lines: list[str]) -> int:
    if context.as_json:
        print_json(shown)
    else:
        print("\n".join(lines) or "no keys")
    return EXIT_DONE
