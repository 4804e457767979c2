"""The read snapshot: links resolved as known on a day (CASE 9), and its speed at 50,000 clause rows."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from audit.roots import CorpusRoot
from compliance_rag.store.clauses import StoredVersion, publication_fields, write_batch
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.links import children, defined_terms, links_of, rows_by_number
from compliance_rag.store.publish import copy_name, publish_copy
from compliance_rag.store.rows import VersionRow
from compliance_rag.store.timeline import Knowledge
from schemas.canonical import sha256_normalised, sha256_text
from schemas.clause import Clause, Definition, ExceptionLink, ParsedVersion, Reference, TermUse
from schemas.dates import Interval
from schemas.errors import InputRejected, IntegrityError, NotFound, UsageError
from schemas.home import Home


def clause(path: str, text: str) -> Clause:
    """A clause; ``path`` written as in ids."""
    tokens = tuple(path.split("/"))
    return Clause(
        path=tokens, number=".".join(tokens), label=tokens[-1], heading="", heading_path=(), depth=len(tokens),
        parent=tokens[:-1] or None, text=text, sha256=sha256_text(text), sha256_normalised=sha256_normalised(text),
        spans=((0, len(text)),), full_span=(0, len(text)),
    )  # fmt: skip


def parsed(*clauses: Clause, **links: object) -> ParsedVersion:
    """A parsed version of these clauses."""
    version = ParsedVersion("0" * 64, "", "0" * 64, "1", "en", None, clauses)
    return replace(version, **links)  # type: ignore[arg-type]


def build(home: Home, versions: list[tuple[str, str, str, ParsedVersion]]) -> Corpus:
    """A published copy of (doc id, version id, start, parsed), recorded in this order."""
    rows = []
    with write_batch(home) as writer:
        for index, (doc_id, version_id, start, content) in enumerate(versions):
            row = VersionRow(
                doc_id=doc_id, version=version_id, version_id=version_id, title=doc_id, jurisdiction=None, language="en",
                kind=None, status="official", state="published", declared=Interval(date.fromisoformat(start), None),
                published_on=None, recorded_at=datetime(2026, 1, 1, 0, 0, index % 60, index, tzinfo=UTC), index=index,
                root="0" * 64, source_sha256="0" * 64, extracted_sha256="0" * 64, parser_version="1",
                clause_count=len(content.clauses),
            )  # fmt: skip
            keys = [sha256_text(item.text) for item in content.clauses]
            writer.add_version(StoredVersion(row, content, [f"L{item.path}" for item in content.clauses], keys))
            rows.append(row)
        root = CorpusRoot(publication_fields(row) for row in rows).root
        writer.set_applied(len(rows) - 1, root)
    publish_copy(home, copy_name(len(rows) - 1, root))
    return Corpus.open(home)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Rule K in two versions, and a policy that refers to it."""
    rule = [clause("15", "Fifteen."), clause("15/f", "Fees are ten dollars.")]
    newer = [clause("15", "Fifteen."), clause("15/f", "Fees are twenty dollars.")]
    path = ("9",)
    policy = parsed(
        clause("1", 'A "vehicle" means any device.'), clause("2", "Vehicles are registered."), clause("9", "See Rule K."),
        clause("10", "Despite 2, no registration is needed."),
        definitions=(Definition("vehicle", ("1",)),),
        term_uses=(TermUse(("2",), "vehicle", ("1",)),),
        exceptions=(ExceptionLink(("10",), ("2",)),),
        references=(
            Reference(path, "Rule K, s. 15(f)", (0, 5), "dynamic", ("15", "f"), "rule-k"),
            Reference(path, "Rule K as in force on 1 June 2023", (6, 9), "static", ("15", "f"), "rule-k", "2023-06-01"),
            Reference(path, "Rule K (version 2025-01-01), s. 15(f)", (10, 12), "static", ("15", "f"), "rule-k", "2025-01-01x"),
            Reference(path, "Rule K as in force on 1 June 1999", (13, 15), "static", ("15", "f"), "rule-k", "1999-06-01"),
            Reference(path, "Rule K, s. 15(g)", (16, 18), "dynamic", ("15", "g"), "rule-k"),
            Reference(path, "Rule Q", (19, 20), "dynamic", ("1",), "rule-q"),
            Reference(path, "clause 2", (21, 22), "dynamic", ("2",)),
            Reference(path, "clause 7", (23, 24), "dynamic", None),
        ),
    )  # fmt: skip
    versions = [
        ("rule-k", "2023-01-01", "2023-01-01", parsed(*rule)), ("rule-k", "2025-01-01x", "2025-01-01", parsed(*newer)),
        ("policy", "1", "2020-01-01", policy),
    ]  # fmt: skip
    return build(Home(tmp_path), versions)


@pytest.mark.parametrize(("day", "dynamic"), [("2024-06-01", "2023-01-01"), ("2025-06-01", "2025-01-01x")])
def test_references_to_other_documents(corpus: Corpus, day: str, dynamic: str) -> None:
    """CASE 9: a dynamic reference takes the version in force on the day, a static one the edition it names or nothing; a target
    that is missing is never replaced by its parent."""
    found = corpus.clause("policy@1#9")
    (links,) = links_of(corpus, [found], date.fromisoformat(day))
    targets = [item.target for item in links.references]
    assert targets == [
        f"rule-k@{dynamic}#15/f", "rule-k@2023-01-01#15/f", "rule-k@2025-01-01x#15/f", None, None, None, "policy@1#2", None,
    ]  # fmt: skip


def test_references_resolve_only_to_what_is_known(corpus: Corpus) -> None:
    """As known before the newer edition was recorded, a reference finds the older one."""
    before = Knowledge(corpus.versions[0].recorded_at)
    everything = corpus.clause("policy@1#9")
    (links,) = links_of(corpus, [everything], date(2025, 6, 1), before)
    assert links.references[0].target == "rule-k@2023-01-01#15/f"


def test_terms_and_exceptions_both_ways(corpus: Corpus) -> None:
    """A clause knows the terms it uses, what modifies it and what it modifies."""
    two, ten, one = corpus.clauses(["policy@1#2", "policy@1#10", "policy@1#1"])
    on_two, on_ten, on_one = links_of(corpus, [two, ten, one], date(2024, 1, 1))
    assert (on_two.uses, on_two.exceptions, on_two.excepts) == ((("vehicle", "policy@1#1"),), ("policy@1#10",), ())
    assert (on_ten.exceptions, on_ten.excepts) == ((), ("policy@1#2",))
    assert [item.term for item in on_one.definitions] == ["vehicle"]
    assert [item.term for _, item in defined_terms(corpus, corpus.versions)] == ["vehicle"]


def test_children_and_numbers(corpus: Corpus) -> None:
    """Children come in order, and a number finds its clauses in every version."""
    assert [item.clause_id for item in children(corpus, corpus.clause("rule-k@2023-01-01#15"))] == ["rule-k@2023-01-01#15/f"]
    found = corpus.by_rows([row for row, _ in rows_by_number(corpus, ["15.f"])])
    assert [item.version.version_id for item in found] == ["2023-01-01", "2025-01-01x"]


def test_unknown_names(corpus: Corpus) -> None:
    """What does not exist is not found, by name; a clause of a version not known yet neither."""
    for name in ("policy@1#99", "policy@7#1", "none@1#1"):
        with pytest.raises(NotFound):
            corpus.clause(name)
    with pytest.raises(NotFound):
        corpus.clause("policy@1#1", Knowledge(corpus.versions[0].recorded_at))
    with pytest.raises(InputRejected):
        corpus.clause("policy")


def test_failed_batch_leaves_the_tables_as_they_were(tmp_path: Path) -> None:
    """Law 8: an error inside a batch rolls all of it back."""
    home = Home(tmp_path)
    build(home, [("a", "1", "2020-01-01", parsed(clause("1", "One.")))]).close()

    def fail() -> None:
        with write_batch(home) as writer:
            row = writer.versions()[0].row
            writer.add_version(StoredVersion(replace(row, index=1), parsed(clause("2", "Two.")), ["L"], ["k" * 64]))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with write_batch(home) as writer:
        assert [placed.row.index for placed in writer.versions()] == [0]
        assert writer.applied == 0


def test_readers_reach_nothing_but_their_file(corpus: Corpus, tmp_path: Path) -> None:
    """SQL on a read snapshot can neither write nor read other files."""
    (tmp_path / "secret.csv").write_text("a\n1\n")
    for sql in (f"SELECT * FROM read_csv('{tmp_path}/secret.csv')", "DELETE FROM clauses", "SET enable_external_access = true"):
        with pytest.raises(IntegrityError):
            corpus.query(sql)


def test_only_folders_are_stores(tmp_path: Path) -> None:
    """A scheme without a store is refused with a sentence; a folder elsewhere works."""
    home = Home(tmp_path)
    with pytest.raises(UsageError) as caught:
        Corpus.open(home, "ducklake:postgres:dbname=x")
    assert caught.value.code == "unknown_store"
    assert Corpus.open(home, (tmp_path / "elsewhere").as_uri()).row_count == 0


def test_in_force_at_fifty_thousand_rows_is_fast(tmp_path: Path) -> None:
    """50 versions of 1,000 clauses: a new day's mask in 5 ms on a quiet machine, 25 allowed on a shared one."""
    content = parsed(*(clause(str(number), f"Clause {number}.") for number in range(1000)))
    versions = [(f"d{doc}", f"{year}", f"{year}-01-01", content) for year in range(2020, 2030) for doc in range(5)]
    corpus = build(Home(tmp_path), versions)
    first = corpus.in_force_set(date(2025, 6, 1))
    assert (corpus.row_count, first.scope["clauses"]) == (50_000, 5_000)
    assert len(corpus.text_keys) == 1000
    times = []
    for day in range(1, 21):
        start = time.perf_counter()
        chosen = corpus.in_force_set(date(2024, 6, day))
        times.append(time.perf_counter() - start)
    assert sorted(times)[10] < 0.025
    assert chosen.epoch == corpus.in_force_set(date(2024, 3, 1)).epoch != first.epoch
    assert {item.version.version_id for item in corpus.by_rows(chosen.rows[::500])} == {"2024"}
