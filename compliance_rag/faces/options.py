"""The command line's grammar: verbs and options exactly as the outside contract has them."""

from __future__ import annotations

import argparse
from typing import NoReturn

from schemas.errors import UsageError

# As compliance_rag.service.keys has them; that module is not loaded only to read a command line.
ROLES = ("analyst", "reviewer", "engineer", "auditor", "publisher", "exporter", "eraser", "checkpointer", "holder")

PROGRAM = "compliance-rag"
NOT_YET = {
    "table": "Tables of questions over documents",
}
_KNOWN = ("known_at", "known_basis")


class Parser(argparse.ArgumentParser):
    """An argument parser that raises our error family instead of exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError ``usage`` with the message and the way to help."""
        raise UsageError("usage", f"{message}; see `{self.prog} --help`.")


def _common() -> Parser:
    common = Parser(add_help=False)
    group = common.add_argument_group("on every verb, before or after it")
    hide = argparse.SUPPRESS
    group.add_argument("--home", metavar="DIR", default=hide, help="home folder (COMPLIANCE_RAG_HOME, else ./.compliance-rag)")
    group.add_argument("--json", action="store_true", default=hide, help="one JSON document on stdout")
    group.add_argument("--actor", metavar="NAME", default=hide, help="who is asking or writing (default: the login name)")
    group.add_argument("--quiet", action="store_true", default=hide, help="no progress")
    return common


def _known(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--known-at", metavar="TS", help="as known at this instant (RFC 3339, or a day: its end, UTC)")
    parser.add_argument(
        "--known-basis", choices=["recorded", "published"], default="recorded", help="which clock known-at reads"
    )


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as-of", metavar="DATE", help="the day the question is about (default: today)")
    parser.add_argument("--jurisdiction", action="append", default=[], metavar="J", help="ISO 3166 code, EU or INT; repeatable")
    parser.add_argument("--doc", action="append", default=[], metavar="DOC", help="only this document; repeatable")
    parser.add_argument("--language", metavar="L", help="only documents in this language")
    parser.add_argument("--limit", type=int, metavar="K", help="at most K hits")
    parser.add_argument("--batch", metavar="FILE.jsonl", help="one question a line; output JSON Lines in the same order")
    _known(parser)


def _add_verb(sub: argparse._SubParsersAction[Parser], common: Parser) -> None:
    add = sub.add_parser("add", parents=[common], help="ingest one version, or a manifest of versions")
    add.add_argument("file", nargs="?", metavar="FILE", help="the document")
    add.add_argument("--manifest", metavar="FILE", help="json, yaml or csv: one entry per version")
    for name, kind in (
        ("doc-id", "ID"), ("version", "LABEL"), ("effective-from", "DATE"), ("effective-to", "DATE"), ("published-on", "DATE"),
        ("title", "T"), ("jurisdiction", "J"), ("language", "L"), ("kind", "K"), ("part-of", "DOC"), ("amends", "DOC"),
        ("translation-of", "DOC"),
    ):  # fmt: skip
        add.add_argument(f"--{name}", metavar=kind)
    add.add_argument("--status", choices=["official", "consolidated", "draft"], default="official")
    add.add_argument("--authentic", action="store_true", help="the translation is authentic")
    add.add_argument("--tracked", choices=["final", "original"], help="which view of tracked changes")
    add.add_argument("--model-use", choices=["never", "internal", "any"], default="any", help="which models may see it")
    add.add_argument("--correct", action="store_true", help="a corrected text of a version already recorded")


def _time_verbs(sub: argparse._SubParsersAction[Parser], common: Parser) -> None:
    withdraw = sub.add_parser("withdraw", parents=[common], help="repeal from a day, or declare void")
    withdraw.add_argument("doc", metavar="DOC")
    withdraw.add_argument("--version", metavar="V")
    ways = withdraw.add_mutually_exclusive_group()
    ways.add_argument("--from", dest="start", metavar="DATE", help="repealed from this day (default: today)")
    ways.add_argument("--void", action="store_true", help="never valid, as known from now")
    withdraw.add_argument("--reason", required=True, metavar="TEXT")
    redate = sub.add_parser("redate", parents=[common], help="record other effective dates")
    redate.add_argument("doc", metavar="DOC")
    redate.add_argument("--version", required=True, metavar="V")
    redate.add_argument("--clause", metavar="NUMBER", help="only this clause")
    redate.add_argument("--effective-from", metavar="D")
    redate.add_argument("--effective-to", metavar="D")
    redate.add_argument("--reason", required=True, metavar="TEXT")
    publish = sub.add_parser("publish", parents=[common], help="publish a staged version (by another person)")
    publish.add_argument("doc", metavar="DOC")
    publish.add_argument("--version", required=True, metavar="V")
    publish.add_argument("--note", metavar="TEXT")


def _read_verbs(sub: argparse._SubParsersAction[Parser], common: Parser) -> None:
    docs = sub.add_parser("docs", parents=[common], help="documents, versions, dates and states")
    docs.add_argument("--as-of", metavar="DATE")
    _known(docs)
    outline = sub.add_parser("outline", parents=[common], help="the clauses of a version in order")
    outline.add_argument("doc", metavar="DOC")
    which = outline.add_mutually_exclusive_group()
    which.add_argument("--version", metavar="V")
    which.add_argument("--as-of", metavar="DATE")
    outline.add_argument("--full", action="store_true", help="with each clause's full text")
    _known(outline)
    clause = sub.add_parser("clause", parents=[common], help="one clause with its links")
    clause.add_argument("clause_id", metavar="CLAUSE_ID")
    clause.add_argument("--history", action="store_true", help="the clause through all versions")
    clause.add_argument("--show", metavar="FILE", help="write its page (.png) or its context (.html), words marked")
    _known(clause)
    search = sub.add_parser("search", parents=[common], help="rank clauses in force on a day")
    search.add_argument("query", nargs="?", metavar="QUERY")
    _filters(search)
    ask = sub.add_parser("ask", parents=[common], help="answer a question with citations and a receipt")
    ask.add_argument("question", nargs="?", metavar="QUESTION")
    _filters(ask)
    ask.add_argument("--request-id", metavar="ID", help="the same id gives the same record back")
    ask.add_argument("--conversation", metavar="ID")
    ask.add_argument("--follows", metavar="ANSWER", help="the answer that this question follows: its day and scope are kept")
    ask.add_argument("--no-model", action="store_true", help="verbatim answer even when an endpoint is configured")
    changes = sub.add_parser("changes", parents=[common], help="what changed between two versions or days")
    changes.add_argument("doc", metavar="DOC")
    changes.add_argument("--from", dest="start", required=True, metavar="V|DATE")
    changes.add_argument("--to", dest="end", required=True, metavar="V|DATE")
    changes.add_argument("--about", metavar="TEXT", help="a question: only the changes that it is about")
    changes.add_argument("--html", metavar="FILE", help="write the redline as a page")
    _known(changes)


def _stale_verb(sub: argparse._SubParsersAction[Parser], common: Parser) -> None:
    stale = sub.add_parser("stale", parents=[common], help="past answers whose cited clauses changed since")
    stale.add_argument("--since", metavar="TS", help="only what went stale since this instant")
    stale.add_argument("--open", action="store_true", help="only those without a decision")
    _known(stale)
    verbs = stale.add_subparsers(dest="stale_verb", metavar="VERB")
    assign = verbs.add_parser("assign", parents=[common], help="give an item to someone")
    assign.add_argument("id", metavar="ID", help="item or answer id")
    assign.add_argument("--owner", required=True, metavar="NAME")
    assign.add_argument("--due", required=True, metavar="DATE")
    close = verbs.add_parser("close", parents=[common], help="record what was decided")
    close.add_argument("id", metavar="ID", help="item or answer id")
    close.add_argument("--decision", required=True, choices=["no_impact", "updated", "withdrawn"])
    close.add_argument("--note", required=True, metavar="TEXT")


def _review_verb(sub: argparse._SubParsersAction[Parser], common: Parser) -> None:
    review = sub.add_parser("review", parents=[common], help="answers and scanned pages for a person to decide about")
    verbs = review.add_subparsers(dest="review_verb", required=True, metavar="VERB")
    listed = verbs.add_parser("list", parents=[common], help="the queue: answers and held pages waiting for a decision")
    listed.add_argument("--all", action="store_true", help="with those decided upon")
    show = verbs.add_parser("show", parents=[common], help="an answer as given or a page as read, beside every decision")
    show.add_argument("id", metavar="ID", help="answer id or page id")
    show.add_argument("--show", metavar="FILE", help="write the picture of a held page to FILE (.png)")
    decide = verbs.add_parser("decide", parents=[common], help="record a decision; what was given or read stays as it was")
    decide.add_argument("id", metavar="ID", help="answer id or page id")
    decide.add_argument("--decision", required=True, choices=["approve", "amend", "reject"])
    decide.add_argument("--text", metavar="FILE", help="what the amended answer says, or what the page says")
    decide.add_argument("--note", required=True, metavar="TEXT", help="why; kept with the decision")


def _service_verbs(sub: argparse._SubParsersAction[Parser], common: Parser) -> None:
    serve = sub.add_parser("serve", parents=[common], help="the page and the HTTP service")
    serve.add_argument("--host", metavar="H", help="address to listen on (default: this machine only)")
    serve.add_argument("--port", metavar="P", help="port (default: 8765)")
    sub.add_parser("mcp", parents=[common], help="the same calls as tools for a program (MCP over stdin and stdout)")
    keys = sub.add_parser("keys", parents=[common], help="keys to the service, their roles and documents")
    verbs = keys.add_subparsers(dest="keys_verb", required=True, metavar="VERB")
    verbs.add_parser("list", parents=[common], help="all keys; a key itself is kept nowhere")
    add = verbs.add_parser("add", parents=[common], help="make a key; it is printed once")
    add.add_argument("name", metavar="NAME", help="whose it is; goes on record with each call")
    add.add_argument("--role", action="append", required=True, choices=ROLES)
    add.add_argument("--doc", action="append", default=[], metavar="DOC", help="may know of this document only; repeatable")
    add.add_argument("--expires", metavar="DATE", help="opens nothing from this day on (default: until it is revoked)")
    revoke = verbs.add_parser("revoke", parents=[common], help="take a key away")
    revoke.add_argument("name", metavar="NAME", help="its name or id")


def _audit_verbs(sub: argparse._SubParsersAction[Parser], common: Parser) -> None:
    audit = sub.add_parser("audit", parents=[common], help="the ledger: list, show, verify, reconstruct, prove, export")
    verbs = audit.add_subparsers(dest="audit_verb", required=True, metavar="VERB")
    verbs.add_parser("list", parents=[common], help="all records")
    singles = {
        "show": "one record",
        "reconstruct": "what was seen, and derive it again",
        "prove": "inclusion proof",
        "hold": "legal hold",
        "release": "end a legal hold",
    }
    for name, text in singles.items():
        one = verbs.add_parser(name, parents=[common], help=text)
        one.add_argument("id", metavar="ID", help="answer id or record index")
        if name in ("hold", "release"):
            one.add_argument("--reason", metavar="T", help="kept with the record")
    verify = verbs.add_parser("verify", parents=[common], help="check everything from the bytes")
    verify.add_argument("--witness", metavar="DIR")
    verify.add_argument("--receipt", metavar="ANSWER.json")
    verify.add_argument("--key", metavar="PUB")
    export = verbs.add_parser("export", parents=[common], help="an evidence bundle, or the whole ledger")
    export.add_argument("id", nargs="?", metavar="ID", help="answer id or record index")
    export.add_argument("--all", action="store_true")
    export.add_argument("--out", required=True, metavar="FILE")
    checkpoint = verbs.add_parser("checkpoint", parents=[common], help="sign the ledger's head for the witness")
    checkpoint.add_argument("--key", metavar="FILE", help="Ed25519 private key in PEM; nothing else ever reads it")
    checkpoint.add_argument("--rotate", action="store_true", help="this key takes over from the one in use")
    checkpoint.add_argument("--revoke", metavar="KEYID", help="record that a key is trusted no more")
    checkpoint.add_argument("--reason", metavar="T", help="why it is revoked")
    erase = verbs.add_parser("erase", parents=[common], help="destroy personal data of a record, keep its proofs")
    erase.add_argument("id", metavar="ID")
    erase.add_argument("--reason", required=True, metavar="T")


def build_parser() -> Parser:
    """The whole grammar."""
    common = _common()
    parser = Parser(prog=PROGRAM, parents=[common], description="The rule in force that day, the exact words, and the proof.")
    sub = parser.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=Parser)
    _add_verb(sub, common)
    _time_verbs(sub, common)
    _read_verbs(sub, common)
    _stale_verb(sub, common)
    _review_verb(sub, common)
    _service_verbs(sub, common)
    _audit_verbs(sub, common)
    sub.add_parser("rebuild", parents=[common], help="restore every projection from sources and ledger")
    evaluate = sub.add_parser("eval", parents=[common], help="measure on gold questions")
    evaluate.add_argument("--suite", metavar="S")
    evaluate.add_argument("--data", metavar="DIR")
    for verb, what in NOT_YET.items():
        later = sub.add_parser(verb, parents=[common], help=f"{what.lower()} (a later release)")
        later.add_argument("rest", nargs="*", metavar="...")
    return parser
