"""The outside contract: verbs, options, exit codes and JSON shapes that other people's scripts rely on."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.faces.cli import run
from tests.faces.conftest import POLICY_1, POLICY_2, Add, Command

CLAUSE = {
    "clause_id", "doc_id", "version", "version_id", "number", "label", "aliases", "heading", "heading_path", "depth", "parent",
    "kinds", "text", "sha256", "spans", "page", "boxes", "effective_from", "effective_to", "lineage_id", "source_id", "risks",
    "flags",
}  # fmt: skip
LINKS = {"references", "definitions", "terms_used", "exceptions", "excepts"}
ANSWER = {
    "answer_id", "request_id", "status", "question", "as_of", "as_of_from", "known_at", "known_basis", "corpus_root", "answer",
    "statements", "citations", "evidence", "considered", "retrieval_confidence", "answer_confidence", "review", "gaps",
    "conflicts", "upcoming_changes", "refusal_reason", "clarify", "nearest", "scope", "model", "ledger",
}  # fmt: skip
QUESTION = "Within how many days shall a lost key be reported?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions of a policy, shared by the reads of this file."""
    folder = tmp_path_factory.mktemp("contract")
    for label, text, start in (("1", POLICY_1, "2024-01-01"), ("2", POLICY_2, "2025-01-01")):
        path = folder / f"{label}.md"
        path.write_text(text, encoding="utf-8")
        options = ["--doc-id", "key-policy", "--version", label, "--effective-from", start, "--title", "Key Policy"]
        assert run(["--home", str(folder / "home"), "--json", "--quiet", "add", str(path), *options]) == 0
    return folder / "home"


def test_docs(home: Path, command: Command) -> None:
    """`docs` lists documents with versions, derived ends and states."""
    code, shown = command(home, "docs", "--as-of", "2024-06-01")
    assert code == 0
    (document,) = shown
    assert set(document) == {"doc_id", "title", "jurisdiction", "language", "versions"}
    first, second = document["versions"]
    assert set(first) == {
        "version", "version_id", "effective_from", "effective_to", "published_on", "recorded_at", "state", "clauses", "flags",
    }  # fmt: skip
    assert (first["effective_to"], first["state"]) == ("2025-01-01", "in_force")
    assert (second["effective_to"], second["state"]) == (None, "future")


def test_outline_and_clause(home: Path, command: Command) -> None:
    """`outline` gives clause objects with links in order, `full_text` only with --full; `clause` always has it."""
    code, shown = command(home, "outline", "key-policy", "--version", "1")
    assert code == 0
    assert set(shown) == {"doc_id", "version", "version_id", "effective_from", "effective_to", "clauses"}
    assert all(set(item) == CLAUSE | LINKS for item in shown["clauses"])
    assert [item["number"] for item in shown["clauses"]][-2:] == ["1.1", "1.2"]
    _, full = command(home, "outline", "key-policy", "--as-of", "2024-06-01", "--full")
    assert all(set(item) == CLAUSE | LINKS | {"full_text"} for item in full["clauses"])
    _, one = command(home, "clause", "key-policy@1#1/2", "--history")
    assert set(one) == CLAUSE | LINKS | {"full_text", "history"}
    assert [stage["version"] for stage in one["history"]] == ["1", "2"]


def test_a_clause_can_be_hashed_by_slicing(home: Path, command: Command) -> None:
    """The text of every clause is its spans of a file in extracted/, joined by line feeds."""
    _, shown = command(home, "outline", "key-policy", "--version", "2")
    files = [path.read_text(encoding="utf-8") for path in (home / "extracted").iterdir()]
    for item in shown["clauses"]:
        slices = ["\n".join(text[start:end] for start, end in item["spans"]) for text in files]
        assert item["text"] in slices


def test_search(home: Path, command: Command) -> None:
    """`search` gives hits with rank, score, ranks per source and a reason, all in force on the day."""
    code, shown = command(home, "search", "lost key", "--as-of", "2024-06-01", "--limit", "2")
    assert code == 0
    assert set(shown) == {"as_of", "known_at", "corpus_root", "hits"}
    assert 1 <= len(shown["hits"]) <= 2
    hit = shown["hits"][0]
    assert set(hit) == CLAUSE | {"rank", "score", "sources", "why"}
    assert set(hit["sources"]) == {"lexical", "dense", "number", "term"}
    assert (hit["rank"], hit["number"], hit["version"]) == (1, "1.2", "1")


def test_ask(home: Path, command: Command) -> None:
    """`ask` gives the whole answer object; each citation is a clause object with quote, role and five checks."""
    code, shown = command(home, "ask", QUESTION, "--as-of", "2024-06-01")
    assert code == 0
    assert set(shown) == ANSWER
    assert (shown["status"], shown["as_of_from"], shown["known_basis"]) == ("answered", "option", "recorded")
    cited = shown["citations"][0]
    assert set(cited) == CLAUSE | {"n", "role", "quote", "quote_span", "checks"}
    assert set(cited["checks"].values()) == {True}
    start, end = cited["quote_span"]
    assert cited["text"][start:end] == cited["quote"]
    assert "within 10 days" in cited["quote"]
    assert set(shown["ledger"]) == {"index", "leaf_hash", "size", "root", "proof"}
    assert shown["ledger"]["size"] == shown["ledger"]["index"] + 1


def test_the_same_request_id_gives_the_same_record(home: Path, command: Command) -> None:
    """Asked twice with one request id, the ledger grows by one and the answers are equal."""
    _, first = command(home, "ask", QUESTION, "--request-id", "r-1")
    _, second = command(home, "ask", QUESTION, "--request-id", "r-1")
    assert first == second
    for more in (["--as-of", "2024-06-01"], ["--doc", "key-policy"], ["--limit", "1"]):
        code, shown = command(home, "ask", QUESTION, "--request-id", "r-1", *more)
        assert (code, shown["error"]["code"]) == (3, "request_id_taken")


def test_the_day_comes_from_the_question_or_is_today(home: Path, command: Command) -> None:
    """A full date tied to an event in the question is the day; a year in a title is none; then it is today."""
    _, dated = command(home, "ask", "Within how many days shall a key lost on 1 June 2024 be reported?")
    assert (dated["as_of"], dated["as_of_from"]) == ("2024-06-01", "question")
    _, plain = command(home, "ask", "Under the Key Policy 2015, within how many days shall a lost key be reported?")
    assert (plain["as_of"], plain["as_of_from"]) == (date.today().isoformat(), "today")


def test_before_the_first_version_nothing_is_in_force(home: Path, command: Command) -> None:
    """Asked as of a day before the first version, the answer is a refusal with its reason, exit 0."""
    code, shown = command(home, "ask", QUESTION, "--as-of", "2023-06-01", "--doc", "key-policy")
    assert (code, shown["status"], shown["refusal_reason"], shown["citations"]) == (0, "refused", "not_yet_in_force", [])


def test_batch(home: Path, command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Answers come one a line in input order with their ids; a bad line is its error and the exit code 3 at the end."""
    path = tmp_path / "batch.jsonl"
    lines = [
        {"id": 1, "question": QUESTION, "as_of": "2024-06-01"},
        {"id": "two", "query": QUESTION, "as_of": "2025-06-01", "doc": ["key-policy"]},
        {"id": 3, "question": QUESTION, "as_of": "June"},
        {"id": 4},
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\nnot json\n", encoding="utf-8")
    for verb in ("ask", "search"):
        capsys.readouterr()
        assert run(["--home", str(home), "--json", verb, "--batch", str(path)]) == 3
        shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [line["id"] for line in shown] == [1, "two", 3, 4, None]
        assert ["error" in line for line in shown] == [False, False, True, True, True]
    assert shown[0]["hits"][0]["version"] == "1"


def test_changes(home: Path, command: Command, tmp_path: Path) -> None:
    """`changes` lists exactly what changed, with redline, weight and signals, and writes the page."""
    page = tmp_path / "redline.html"
    code, shown = command(home, "changes", "key-policy", "--from", "1", "--to", "2025-03-01", "--html", str(page))
    assert code == 0
    assert set(shown) == {"doc_id", "from", "to", "changes"}
    (change,) = shown["changes"]
    assert set(change) == {"kind", "lineage_id", "before", "after", "redline", "weight", "signals", "affects"}
    assert (change["kind"], change["weight"], change["after"]["number"]) == ("modified", "substantive", "1.2")
    assert "".join(words for mark, words in change["redline"] if mark != "+") == change["before"]["text"]
    assert "<ins" in page.read_text(encoding="utf-8")


def test_audit(home: Path, command: Command) -> None:
    """The ledger lists, shows, proves, verifies and reconstructs; a receipt on file is checked against it."""
    _, answer = command(home, "ask", QUESTION, "--as-of", "2024-06-01")
    code, listed = command(home, "audit", "list")
    assert code == 0
    assert listed[0]["type"] == "publication"
    _, shown = command(home, "audit", "show", answer["answer_id"])
    assert shown["parts"]["question"]["question"] == QUESTION
    _, proof = command(home, "audit", "prove", answer["answer_id"])
    assert proof["index"] == answer["ledger"]["index"]
    code, again = command(home, "audit", "reconstruct", answer["answer_id"])
    assert (code, again) == (0, {"seen": answer, "rederived": "equal", "erased": []})
    code, report = command(home, "audit", "verify")
    assert (code, report["valid"], report["first_bad"]) == (0, True, None)
    assert set(report) == {"valid", "size", "root", "checked", "first_bad"}


def test_options_stand_before_or_after_the_verb(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--home and --json are accepted on both sides of the verb."""
    assert run(["docs", "--json", "--home", str(home)]) == 0
    after = capsys.readouterr().out
    assert run(["--home", str(home), "--json", "docs"]) == 0
    assert capsys.readouterr().out == after


def test_replaced_then_withdrawn(command: Command, add: Add, tmp_path: Path) -> None:
    """CASE 19: withdrawn today is refused as withdrawn, last month is the second text, the month before the first."""
    home = tmp_path / "home"
    today = date.today()
    last_month, month_before = today - timedelta(days=20), today - timedelta(days=50)
    add(home, POLICY_1, "1", (today - timedelta(days=400)).isoformat())
    add(home, POLICY_2, "2", (today - timedelta(days=35)).isoformat())
    _, before = command(home, "ask", QUESTION)
    code, _ = command(home, "withdraw", "key-policy", "--reason", "replaced by group policy")
    assert code == 0

    def ask(day: date) -> dict[str, Any]:
        _, shown = command(home, "ask", QUESTION, "--as-of", day.isoformat())
        found: dict[str, Any] = shown
        return found

    assert (ask(today)["status"], ask(today)["refusal_reason"]) == ("refused", "withdrawn")
    assert "14 days" in ask(last_month)["citations"][0]["quote"]
    assert "10 days" in ask(month_before)["citations"][0]["quote"]
    _, seen = command(home, "audit", "reconstruct", before["answer_id"])
    assert (seen["seen"], seen["rederived"]) == (before, "equal")


def test_a_correction_is_known_from_its_recording(command: Command, add: Add, tmp_path: Path) -> None:
    """CASE 16 through the command line: known before the correction the first text answers, after it the corrected one."""
    home = tmp_path / "home"
    add(home, POLICY_1, "1", "2024-01-01")
    _, earlier = command(home, "ask", QUESTION)
    code, shown = add(home, POLICY_2, "1", "2024-01-01", "--correct")
    assert (code, shown["published"][0]["version_id"]) == (0, "1~2")
    _, then = command(home, "ask", QUESTION, "--known-at", earlier["known_at"])
    _, now = command(home, "ask", QUESTION)
    assert "10 days" in then["citations"][0]["quote"]
    assert "14 days" in now["citations"][0]["quote"]
    _, again = command(home, "audit", "reconstruct", earlier["answer_id"])
    assert again["seen"] == earlier


def test_a_second_person_publishes(command: Command, tmp_path: Path) -> None:
    """With second_person = true, add stages; the same actor may not publish, another may."""
    home = tmp_path / "home"
    path = tmp_path / "policy.md"
    path.write_text(POLICY_1, encoding="utf-8")
    options = ["--doc-id", "key-policy", "--version", "1", "--effective-from", "2024-01-01"]
    other = tmp_path / "other.md"
    other.write_text("# Other\n\n1. Nothing.\n", encoding="utf-8")
    command(home, "add", str(other), "--doc-id", "other", "--version", "1", "--effective-from", "2024-01-01")
    with (home / "settings.toml").open("a", encoding="ascii") as settings:
        settings.write("\n[publishing]\nsecond_person = true\n")
    code, shown = command(home, "add", str(path), *options, "--actor", "ann")
    assert (code, shown["published"], shown["held"][0]["reasons"][0]["code"]) == (0, [], "second_person")
    _, documents = command(home, "docs")
    assert documents[0]["versions"][0]["state"] == "staged"
    code, refused = command(home, "publish", "key-policy", "--version", "1", "--actor", "ann")
    assert (code, refused["error"]["code"]) == (3, "same_person")
    code, done = command(home, "publish", "key-policy", "--version", "1", "--actor", "ben")
    assert (code, done["published"][0]["version_id"]) == (0, "1")


def test_a_withdrawal_ends_only_what_still_holds(command: Command, add: Add, tmp_path: Path) -> None:
    """`docs` after a withdrawal: a version replaced earlier keeps its end, one that would start later never starts."""
    home = tmp_path / "home"
    for label, start in (("1", "2024-01-01"), ("2", "2025-07-01"), ("3", "2027-06-01")):
        add(home, POLICY_1 + f"\n1.3 Edition {label}.\n", label, start)
    command(home, "withdraw", "key-policy", "--from", "2026-10-01", "--reason", "x")
    _, (document,) = command(home, "docs", "--as-of", "2026-11-01")
    ends = [(item["effective_from"], item["effective_to"]) for item in document["versions"]]
    assert ends == [("2024-01-01", "2025-07-01"), ("2025-07-01", "2026-10-01"), ("2027-06-01", "2027-06-01")]


def test_a_home_that_cannot_be_made_is_one_sentence(command: Command, tmp_path: Path) -> None:
    """A home below a file is refused in one sentence."""
    blocker = tmp_path / "file"
    blocker.write_bytes(b"")
    path = tmp_path / "policy.md"
    path.write_text(POLICY_1, encoding="utf-8")
    arguments = ["add", str(path), "--doc-id", "a", "--version", "1", "--effective-from", "2024-01-01"]
    code, shown = command(blocker / "home", *arguments)
    assert (code, shown["error"]["code"]) == (3, "unwritable_home")
