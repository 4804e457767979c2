"""`stale`, `changes --about`, `clause --history` and the timeline of `docs`, as typed and as read."""

from __future__ import annotations

from pathlib import Path

import pytest

from compliance_rag.faces.cli import run
from tests.faces.conftest import POLICY_1, POLICY_2, Add, Command

ITEM_KEYS = {"id", "owner", "due", "decision", "answer_id", "question", "asked_at", "as_of", "clauses"}
QUESTION = "Within how many days shall a lost key be reported?"


def test_stale_from_question_to_decision(
    tmp_path: Path, add: Add, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked, changed (the ingest says so), listed with old and new words, assigned, closed, gone from what is open."""
    home = tmp_path / "home"
    add(home, POLICY_1, "1", "2024-01-01")
    code, answer = command(home, "ask", QUESTION)
    assert (code, answer["status"]) == (0, "answered")
    assert command(home, "stale") == (0, [])
    path = tmp_path / "two.md"
    path.write_text(POLICY_2, encoding="utf-8")
    named = ["--doc-id", "key-policy", "--version", "2", "--effective-from", "2025-01-01"]
    assert run(["--home", str(home), "--quiet", "add", str(path), *named]) == 0
    assert "made 1 past answer stale" in capsys.readouterr().out

    code, items = command(home, "stale")
    assert (code, len(items), set(items[0])) == (0, 1, ITEM_KEYS)
    (clause,) = [clause for clause in items[0]["clauses"] if clause["before"]["number"] == "1.2"]
    assert set(clause) == {"before", "after", "cause"}
    assert ("10 days" in clause["before"]["text"], "14 days" in clause["after"]["text"]) == (True, True)
    assert clause["cause"] == "modified"
    assert run(["--home", str(home), "--quiet", "stale"]) == 0
    assert "[-10-][+14+]" in capsys.readouterr().out

    item = items[0]["id"]
    code, given = command(home, "stale", "assign", item, "--owner", "grace", "--due", "2026-12-31")
    assert (code, given["owner"], given["due"]) == (0, "grace", "2026-12-31")
    capsys.readouterr()
    assert run(["--home", str(home), "--quiet", "stale", "assign", item, "--owner", "grace", "--due", "2020-01-31"]) == 0
    assert "--due 2020-01-31 has passed already; recorded as given" in capsys.readouterr().err
    code, done = command(home, "stale", "close", item, "--decision", "updated", "--note", "memo sent again")
    assert (code, done["decision"]) == (0, "updated")
    assert (
        run(["--home", str(home), "--quiet", "stale", "close", item, "--decision", "updated", "--note", "memo sent again"]) == 0
    )
    assert f"{item} is closed so already" in capsys.readouterr().out
    assert run(["--home", str(home), "--quiet", "stale", "close", item, "--decision", "no_impact", "--note", "same desk"]) == 0
    shown = capsys.readouterr().out
    assert f"{item} was closed before (answer updated); decided again: no impact, which holds" in shown
    assert ("since decided again: memo sent again" in shown, ": same desk" in shown) == (True, True)
    assert command(home, "stale", "--open") == (0, [])
    assert command(home, "stale", "--since", "2099-01-01") == (0, [])
    assert command(home, "stale", "--known-at", answer["known_at"]) == (0, [])
    assert command(home, "audit", "verify")[1]["valid"] is True
    assert command(home, "stale", "close", item, "--decision", "perhaps", "--note", "x")[0] == 2
    assert command(home, "stale", "assign", "s-999", "--owner", "x", "--due", "2026-01-01")[0] == 3


def test_what_changed_is_read_in_sentences(
    tmp_path: Path, add: Add, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    """`changes --about` quotes both versions and names where; `--history` says what each version did; `docs` draws the time."""
    home = tmp_path / "home"
    add(home, POLICY_1, "1", "2024-01-01")
    add(home, POLICY_2, "2", "2025-01-01")
    pair = ["changes", "key-policy", "--from", "1", "--to", "2"]
    page = tmp_path / "page.html"
    code, found = command(home, *pair, "--about", "What changed about lost keys?", "--html", str(page))
    assert code == 0
    assert [(item["before"]["number"], item["after"]["number"]) for item in found["changes"]] == [("1.2", "1.2")]
    assert "<del>10</del>" in page.read_text(encoding="utf-8")
    assert command(home, *pair, "--about", "What changed about giraffes?")[1]["changes"] == []
    run(["--home", str(home), "--quiet", *pair, "--about", "What changed about lost keys?"])
    shown = capsys.readouterr().out
    for words in (
        "Clause 1.2 was rewritten.",
        "number: 10 → 14",
        "within 10 days",
        "within 14 days",
        "key-policy@1#1/2",
    ):
        assert words in shown, shown

    code, clause = command(home, "clause", "key-policy@2#1/2", "--history")
    assert (code, [stage["version"] for stage in clause["history"]]) == (0, ["1", "2"])
    assert clause["history"][0]["change"] is None
    assert clause["history"][1]["change"]["kind"] == "modified"
    run(["--home", str(home), "--quiet", "clause", "key-policy@2#1/2", "--history"])
    assert "[-10-][+14+]" in capsys.readouterr().out
    run(["--home", str(home), "--quiet", "docs"])
    assert "━" in capsys.readouterr().out
