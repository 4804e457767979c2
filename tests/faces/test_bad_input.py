"""Bad input gets one sentence, a stable code, the contract's exit code, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.faces.conftest import POLICY_1, POLICY_2, Add, Command, stores_of


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that holds one version, shared: no test in this file may change it."""
    from compliance_rag.faces.cli import run

    folder = tmp_path_factory.mktemp("bad-input")
    source = folder / "policy.md"
    source.write_text(POLICY_1, encoding="utf-8")
    options = ["--doc-id", "key-policy", "--version", "1", "--effective-from", "2024-01-01"]
    assert run(["--home", str(folder / "home"), "--json", "add", str(source), *options]) == 0
    return folder / "home"


def _refused(home: Path, command: Command, code: str, *arguments: str) -> str:
    before = stores_of(home)
    exit_code, shown = command(home, *arguments)
    assert exit_code == 3
    assert stores_of(home) == before
    found = shown["rejected"][0] if "rejected" in shown else shown["error"]
    assert found["code"] == code
    message: str = found["message"]
    assert message.endswith(".")
    assert "\n" not in message
    return message


def _file(folder: Path, name: str, data: bytes) -> list[str]:
    path = folder / name
    path.write_bytes(data)
    return ["add", str(path), "--doc-id", "other", "--version", "1", "--effective-from", "2024-01-01"]


def test_a_missing_file_is_named(home: Path, command: Command, tmp_path: Path) -> None:
    """A file that is not there is named in the refusal."""
    arguments = ["add", str(tmp_path / "gone.md"), "--doc-id", "other", "--version", "1", "--effective-from", "2024-01-01"]
    assert "gone.md" in _refused(home, command, "missing_file", *arguments)


def test_an_unknown_type_is_refused(home: Path, command: Command, tmp_path: Path) -> None:
    """Bytes that are no known kind of document are refused with the way out."""
    _refused(home, command, "unknown_type", *_file(tmp_path, "song.mp3", b"ID3\x04\x00\x00\x00\x00\x00\x00\xff\xfb\x90"))


def test_an_empty_file_is_refused(home: Path, command: Command, tmp_path: Path) -> None:
    """An empty file is refused."""
    _refused(home, command, "empty_file", *_file(tmp_path, "nothing.md", b""))


def test_an_encrypted_pdf_is_refused(home: Path, command: Command, tmp_path: Path) -> None:
    """A PDF that needs a password is refused by that name."""
    from tests.parse.pdfs import line, pdf

    encrypt = f"<< /Filter /Standard /V 1 /R 2 /O <{'11' * 32}> /U <{'22' * 32}> /P -44 >>"
    data = pdf([line("1. Keys.", 72, 700)], extra=[encrypt], trailer=f"/Encrypt 7 0 R /ID [<{'33' * 16}> <{'33' * 16}>]")
    _refused(home, command, "encrypted_pdf", *_file(tmp_path, "locked.pdf", data))


def test_a_label_taken_with_other_bytes_is_refused(home: Path, command: Command, add: Add) -> None:
    """The same label with other bytes is an error unless it is declared a correction."""
    before = stores_of(home)
    code, shown = add(home, POLICY_2, "1", "2024-01-01")
    assert (code, shown["rejected"][0]["code"]) == (3, "label_taken")
    assert stores_of(home) == before


def test_two_versions_with_one_effective_date_are_refused(home: Path, command: Command, tmp_path: Path) -> None:
    """One manifest with two versions of a document from one day is refused before anything is read."""
    entries = [{"file": "a.md", "doc_id": "other", "version": label, "effective_from": "2024-01-01"} for label in ("1", "2")]
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    _refused(home, command, "equal_effective_dates", "add", "--manifest", str(path))


def test_overlapping_intervals_are_refused(home: Path, command: Command, tmp_path: Path) -> None:
    """Declared intervals of one document that share a day are refused."""
    days = (("1", "2024-01-01", "2024-07-01"), ("2", "2024-06-01", "2025-01-01"))
    entries = [
        {"file": "a.md", "doc_id": "other", "version": label, "effective_from": start, "effective_to": end}
        for label, start, end in days
    ]
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    _refused(home, command, "overlapping_intervals", "add", "--manifest", str(path))


@pytest.mark.parametrize("day", ["2024-02-30", "01/02/2024", "2024", "next week", "20240101"])
def test_an_unreadable_date_is_refused(home: Path, command: Command, tmp_path: Path, day: str) -> None:
    """A date is a calendar day written YYYY-MM-DD or it is refused."""
    path = tmp_path / "a.md"
    path.write_text(POLICY_1, encoding="utf-8")
    arguments = ["add", str(path), "--doc-id", "other", "--version", "1", "--effective-from", day]
    _refused(home, command, "unreadable_date", *arguments)


@pytest.mark.parametrize("verb", [["docs"], ["ask", "How long?"], ["audit", "list"], ["rebuild"]])
def test_a_folder_that_is_no_home_is_refused(command: Command, tmp_path: Path, verb: list[str]) -> None:
    """A folder with other people's files is never taken for a home, nor turned into one."""
    (tmp_path / "holiday.jpg").write_bytes(b"\xff\xd8")
    code, shown = command(tmp_path, *verb)
    assert (code, shown["error"]["code"]) == (3, "not_a_home")
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.jpg"]


def test_a_newer_home_is_refused(command: Command, tmp_path: Path) -> None:
    """A home of a later format is refused with the advice to update."""
    (tmp_path / "settings.toml").write_text("format = 99\n", encoding="ascii")
    code, shown = command(tmp_path, "docs")
    assert (code, shown["error"]["code"]) == (3, "home_newer")


def test_a_bad_file_never_stops_the_others(command: Command, tmp_path: Path) -> None:
    """In one manifest the good files are published and the bad one is named; the exit code says that one was refused."""
    (tmp_path / "good.md").write_text(POLICY_1, encoding="utf-8")
    (tmp_path / "bad.md").write_bytes(b"")
    entries = [
        {"file": name, "doc_id": doc, "version": "1", "effective_from": "2024-01-01"}
        for name, doc in (("bad.md", "bad"), ("good.md", "good"))
    ]
    path = tmp_path / "manifest.json"
    entries.append({"file": "good.md", "doc_id": "late", "version": "1", "effective_from": "2024-02-30"})
    path.write_text(json.dumps(entries), encoding="utf-8")
    code, shown = command(tmp_path / "home", "add", "--manifest", str(path))
    assert code == 3
    assert [item["doc_id"] for item in shown["published"]] == ["good"]
    assert [(item["file"], item["code"]) for item in shown["rejected"]] == [
        ("bad.md", "empty_file"), ("good.md", "unreadable_date"),
    ]  # fmt: skip
    assert "manifest.json entry 3" in shown["rejected"][1]["message"]


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "Europe", "../etc/passwd"])
def test_an_unknown_time_zone_is_a_bad_setting(command: Command, tmp_path: Path, zone: str) -> None:
    """A zone that is none is an input rejected, whatever the verb, whether or not it asks what today is."""
    (tmp_path / "settings.toml").write_text(f'format = 1\ntime_zone = "{zone}"\n', encoding="ascii")
    for verb in (["docs"], ["docs", "--as-of", "2024-01-01"], ["audit", "list"], ["ask", "How long?"]):
        code, shown = command(tmp_path, *verb)
        assert (code, shown["error"]["code"], shown["error"]["where"]) == (3, "unknown_time_zone", "time_zone")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ask"], "usage"),
        (["ask", "x", "--batch", "y"], "usage"),
        (["add"], "usage"),
        (["nonsense"], "usage"),
        (["table", "run"], "not_yet"),
        (["review"], "usage"),
        (["clause", "a@1#1", "--show", "x.gif"], "usage"),
    ],
)
def test_wrong_usage_exits_2(home: Path, command: Command, arguments: list[str], code: str) -> None:
    """Wrong usage, and verbs that a later release brings, say so in one sentence and exit 2."""
    exit_code, shown = command(home, *arguments)
    assert (exit_code, shown["error"]["code"]) == (2, code)
