"""`compliance-rag`: reads the command, calls the service, prints, and exits with the contract's code."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from compliance_rag.faces.environment import Context, read_context
from compliance_rag.faces.options import NOT_YET, build_parser
from compliance_rag.faces.output import print_json
from schemas.errors import EXIT_DONE, EXIT_INTEGRITY, ComplianceError, UsageError

if TYPE_CHECKING:
    import argparse

Verb = Callable[[Context, "argparse.Namespace"], int]
# Verbs that record no event: they need not wait for the logging library.
SILENT = frozenset({"audit", "clause", "docs", "keys", "outline", "review", "serve"})
# Options that name files.
PATHS = frozenset({"batch", "data", "file", "home", "html", "key", "manifest", "out", "receipt", "show", "text", "witness"})
# The shell's code for a program ended by Ctrl-C.
EXIT_INTERRUPTED = 128 + signal.SIGINT


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of the installed command."""
    sys.exit(run(list(sys.argv[1:] if argv is None else argv)))


def run(argv: Sequence[str]) -> int:
    """Run one command and return its exit code; every error becomes one sentence with its code."""
    as_json = "--json" in argv
    try:
        arguments = build_parser().parse_args(argv)
        context = read_context(
            getattr(arguments, "home", None),
            getattr(arguments, "actor", None),
            as_json=getattr(arguments, "json", False),
            quiet=getattr(arguments, "quiet", False),
        )
        if arguments.verb not in SILENT:
            from compliance_rag.faces import log

            log.configure(quiet=context.quiet, as_json=context.as_json)
        _check(arguments)
        return _verb(arguments.verb)(context, arguments)
    except ComplianceError as error:
        return _report(error, as_json=as_json)
    except BrokenPipeError:
        # The reader (head, less) has gone; nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except KeyboardInterrupt:
        print("interrupted; nothing half-done is kept, run the same command again to go on", file=sys.stderr)
        return EXIT_INTERRUPTED


def _check(arguments: argparse.Namespace) -> None:
    """Raises InputRejected ``bad_text`` for an argument that is not text; a file's name may hold any bytes."""
    from schemas.texts import check_texts

    check_texts({f"--{name.replace('_', '-')}": value for name, value in vars(arguments).items() if name not in PATHS})


def _verb(name: str) -> Verb:
    if name in NOT_YET:
        raise UsageError("not_yet", f"{NOT_YET[name]} comes with a later release; `{name}` does nothing yet.", name)
    if name in ("add", "publish", "withdraw", "redate", "rebuild"):
        from compliance_rag.faces import verbs_write

        return verbs_write.VERBS[name]
    if name == "audit":
        from compliance_rag.faces import verbs_audit

        return verbs_audit.audit
    if name == "stale":
        from compliance_rag.faces import verbs_stale

        return verbs_stale.stale
    if name == "review":
        from compliance_rag.faces import verbs_review

        return verbs_review.review
    if name in ("serve", "keys"):
        from compliance_rag.faces import verbs_serve

        return {"serve": verbs_serve.serve, "keys": verbs_serve.keys}[name]
    if name == "mcp":
        from compliance_rag.faces import tools

        return tools.serve
    if name == "eval":
        from compliance_rag.faces import verbs_eval

        return verbs_eval.evaluate
    from compliance_rag.faces import verbs_read

    return verbs_read.VERBS[name]


def _report(error: ComplianceError, *, as_json: bool) -> int:
    if as_json:
        print_json(error.as_json())
    else:
        kind = "integrity failure" if error.exit_code == EXIT_INTEGRITY else "error"
        where = f" [{error.where}]" if error.where and error.where not in error.message else ""
        print(f"{kind} {error.code}: {error.message}{where}", file=sys.stderr)
    return error.exit_code


if __name__ == "__main__":
    main()
