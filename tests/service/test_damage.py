"""Damage to the clause tables is named, never shown as text; rebuilding gives back the same home (CASES 25, 26)."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.rebuild import rebuild
from compliance_rag.service.times import withdraw
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.publish import current_copy
from schemas.errors import InputRejected, IntegrityError, NotFound
from schemas.objects import ClauseObject
from tests.embedding import HashingEmbedder
from tests.service.building import digest, make_home, policy, publish, reopen, staged

FLIPS = 100


@pytest.fixture
def home(tmp_path: Path) -> HomeHandle:
    """Three versions and a withdrawal."""
    handle = make_home(tmp_path / "home")
    for number, days in enumerate((10, 14, 3), 1):
        publish(handle, staged(handle, policy(days), str(number), f"202{number}-01-01"))
    withdraw(handle, "policy", version="1", reason="superseded", actor="ada")
    return handle


def repaired(handle: HomeHandle) -> HomeHandle:
    """The home after a rebuild."""
    broken = open_home(handle.home.root, embedder=HashingEmbedder(), check=False)
    rebuild(broken)
    return reopen(handle)


def read_back(path: Path) -> list[ClauseObject] | str:
    """Every clause of a published copy, or the code of the integrity error."""
    try:
        corpus = Corpus(path)
        return [item.to_object() for item in corpus.by_rows(range(corpus.row_count))]
    except IntegrityError as error:
        return error.code


@pytest.mark.parametrize("seed", [26])
def test_flipped_bits_never_show_a_wrong_text(home: HomeHandle, tmp_path: Path, seed: int) -> None:
    """CASE 26: one bit flipped at a random place of the published copy: the same clauses as before, or an integrity error."""
    dice = random.Random(seed)
    copy = current_copy(home.tables)
    assert copy is not None
    data = copy.read_bytes()
    right = read_back(copy)
    found = 0
    for trial in range(FLIPS):
        flipped = bytearray(data)
        place, bit = dice.randrange(len(flipped)), dice.randrange(8)
        flipped[place] ^= 1 << bit
        target = tmp_path / f"flip{trial}.duckdb"
        target.write_bytes(flipped)
        told = read_back(target)
        assert told == right or told in {"clauses_damaged", "clause_hash_mismatch"}, f"byte {place}, bit {bit}"
        found += told != right
        target.unlink()
    assert found > 0, "no flip hit anything: the trial proves nothing"


def test_text_changed_through_the_database_is_a_hash_mismatch(home: HomeHandle) -> None:
    """A text altered by someone who can write DuckDB is refused by its hash, naming the clause."""
    import duckdb

    copy = current_copy(home.tables)
    assert copy is not None
    name = next(item.clause_id for item in home.corpus().clauses_of("policy", "2") if "14 days" in item.clause.text)
    home.forget()
    connection = duckdb.connect(str(copy))
    connection.execute("UPDATE texts SET text = replace(text, 'within 14 days', 'within 41 days')")
    connection.close()
    corpus = reopen(home).corpus()
    with pytest.raises(IntegrityError) as caught:
        corpus.clause(name)
    assert caught.value.code == "clause_hash_mismatch"
    assert name in caught.value.message


def test_dates_changed_through_the_database_are_found_at_open(home: HomeHandle) -> None:
    """A flipped effective date no longer gives the corpus root, so that opening refuses."""
    import duckdb

    copy = current_copy(home.tables)
    assert copy is not None
    home.forget()
    connection = duckdb.connect(str(copy))
    connection.execute("UPDATE versions SET effective_from = DATE '2001-01-01' WHERE version_id = '2'")
    connection.close()
    with pytest.raises(IntegrityError) as caught:
        reopen(home)
    assert caught.value.code == "clauses_damaged"


@pytest.mark.parametrize(
    "harm", ["tables deleted", "pointer deleted", "copy deleted", "copy cut", "pointer garbled", "copy old"]
)
def test_lost_tables_are_refused_and_rebuilt(home: HomeHandle, tmp_path: Path, harm: str) -> None:
    """CASE 25: clause tables behind the ledger or gone: opening refuses with exit 4; rebuild gives back all of them."""
    before, tables = digest(home), home.tables
    copy = current_copy(tables)
    assert copy is not None
    old = sorted(tables.clauses.glob("clauses.*.duckdb"))[0]
    home.forget()
    if harm == "tables deleted":
        shutil.rmtree(tables.clauses)
    elif harm == "pointer deleted":
        tables.clauses_pointer.unlink()
    elif harm == "copy deleted":
        copy.unlink()
    elif harm == "copy cut":
        copy.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
    elif harm == "pointer garbled":
        tables.clauses_pointer.write_bytes(b"../../elsewhere")
    else:
        tables.clauses_pointer.write_text(old.name.removeprefix("clauses.").removesuffix(".duckdb"))
    if harm == "copy cut":
        with pytest.raises(IntegrityError):
            digest(reopen(home))
    else:
        with pytest.raises(IntegrityError) as caught:
            reopen(home)
        assert caught.value.exit_code == 4
    assert digest(repaired(home)) == before


@pytest.mark.parametrize("harm", ["deleted", "garbage log", "garbage"])
def test_the_writers_own_file_is_only_a_projection(home: HomeHandle, harm: str) -> None:
    """The writer's file lost or its log torn: the next batch takes from the ledger what it lacks. Damaged: refused by name, and
    rebuild mends it."""
    before, work = digest(home), home.tables.clauses_work
    item = staged(home, policy(21), "4", "2024-01-01")
    if harm == "deleted":
        work.unlink()
    elif harm == "garbage log":
        work.with_name(work.name + ".wal").write_bytes(b"not a log")
    else:
        work.write_bytes(b"\0" * 5000)
    if harm == "garbage":
        with pytest.raises(IntegrityError) as caught:
            publish(reopen(home), item)
        assert caught.value.code == "clauses_damaged"
        home.forget()
        home = repaired(home)
    publish(home, item)
    assert digest(home)[: len(before)] == before
    assert [row.version_id for row in reopen(home).corpus().versions] == ["1", "2", "3", "4"]


def test_behind_names_what_is_missing(home: HomeHandle) -> None:
    """A clause store rolled back by one record says which."""
    old = sorted(home.tables.clauses.glob("clauses.*.duckdb"))[-2]
    home.tables.clauses_pointer.write_text(old.name.removeprefix("clauses.").removesuffix(".duckdb"))
    with pytest.raises(IntegrityError) as caught:
        reopen(home)
    assert caught.value.code == "clauses_behind"
    assert "withdrawal policy@1 (record 3)" in caught.value.message


def test_tables_of_another_home_are_foreign(home: HomeHandle, tmp_path: Path) -> None:
    """Clause tables that belong to another ledger are refused."""
    (tmp_path / "b").mkdir()
    other = make_home(tmp_path / "b" / "home")
    for number in range(1, 4):
        publish(other, staged(other, policy(77 + number), str(number), f"202{number}-01-01"))
    shutil.rmtree(home.tables.clauses)
    shutil.copytree(other.tables.clauses, home.tables.clauses)
    with pytest.raises(IntegrityError) as caught:
        reopen(home)
    assert caught.value.code == "clauses_foreign"


def test_rebuild_gives_the_same_home(home: HomeHandle) -> None:
    """All projections deleted: the same ids, hashes, lineage, roots, states and indexed texts come back."""
    corpus = home.corpus()
    before = (digest(home), corpus.corpus_root, corpus.text_keys, corpus.versions, corpus.events)
    for folder in (home.tables.clauses, home.home.vectors, home.home.postings):
        shutil.rmtree(folder)
    corpus = repaired(home).corpus()
    assert (digest(reopen(home)), corpus.corpus_root, corpus.text_keys, corpus.versions, corpus.events) == before
    assert home.home.postings.exists()


def test_rebuild_restores_an_extracted_text_and_keeps_the_damaged_one(home: HomeHandle) -> None:
    """A damaged extracted text moves to quarantine and is made again from its source."""
    before = digest(home)
    path = home.home.extracted(home.corpus().versions[0].extracted_sha256)
    path.write_bytes(path.read_bytes() + b"!")
    broken = open_home(home.home.root, embedder=HashingEmbedder(), check=False)
    report = rebuild(broken)
    assert report.restored == [f"extracted/{path.name}"]
    assert (home.home.quarantine / f"{path.name}.1").exists()
    assert digest(reopen(home)) == before


def test_rebuild_that_cannot_leaves_the_stores_alone(home: HomeHandle) -> None:
    """With source and extracted text both gone rebuild names the loss, and the clause tables still serve."""
    before = digest(home)
    row = home.corpus().versions[0]
    home.home.extracted(row.extracted_sha256).unlink()
    home.home.source(row.source_sha256).unlink()
    with pytest.raises(IntegrityError) as caught:
        rebuild(open_home(home.home.root, embedder=HashingEmbedder(), check=False))
    assert caught.value.code == "extracted_lost"
    assert digest(reopen(home)) == before


@pytest.mark.parametrize(
    ("write", "code"),
    [
        (lambda root: (root / "notes.txt").write_text("mine"), "not_a_home"),
        (lambda root: (root / "settings.toml").write_text("title = 'other program'"), "not_a_home"),
        (lambda root: (root / "settings.toml").write_text("format = 2"), "home_newer"),
        (lambda root: (root / "settings.toml").write_text("format = "), "bad_settings"),
        (lambda root: (root / "settings.toml").write_text("format = 1\ncolour = 'red'"), "bad_settings"),
    ],
)
def test_folders_that_are_not_ours(tmp_path: Path, write, code: str) -> None:  # type: ignore[no-untyped-def]
    """A foreign folder, a newer home and unreadable settings are refused, and nothing is written there."""
    root = tmp_path / "folder"
    root.mkdir()
    write(root)
    names = sorted(path.name for path in root.iterdir())
    for create in (True, False):
        with pytest.raises(InputRejected) as caught:
            open_home(root, create=create)
        assert caught.value.code == code
    assert sorted(path.name for path in root.iterdir()) == names


def test_reading_makes_no_home(tmp_path: Path) -> None:
    """A home that is not there is not made by reading."""
    with pytest.raises(NotFound) as caught:
        open_home(tmp_path / "none")
    assert caught.value.code == "no_home"
    assert not (tmp_path / "none").exists()
