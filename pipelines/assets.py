"""The assets of ingest: staged versions, their clause vectors, published versions, the corpus."""

import multiprocessing
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import dagster as dg

from compliance_rag.answer.layout import LayoutModel
from compliance_rag.parse.readers.scans import ScansNeeded
from compliance_rag.parse.tiling import check_tiling
from compliance_rag.service.events import went_stale
from compliance_rag.service.ingest import add_indexed, known_titles, publish_batch, refuse_early
from compliance_rag.service.records import indexed_texts
from compliance_rag.service.stage import Rejected, Staged, stage_or_reject
from compliance_rag.service.stale import list_stale, newly
from compliance_rag.store.indexed import text_key
from compliance_rag.store.lock import writer_lock
from eval.after_ingest import after_ingest
from eval.suites import own_corpus
from pipelines.partitions import backfill_policy, document_versions
from pipelines.resources import Batch, Item, Order, Workbench
from schemas.errors import ComplianceError
from schemas.home import Home

GROUP = "ingest"
# Starting a worker costs about a second of imports: fewer files than this are parsed in the run's own process.
POOL_FROM = 6
# Rows of the table on Dagster's page; the whole list is `stale`. A page of metadata is a few hundred kilobytes at most.
STALE_SHOWN = 500


def _stage(
    order: Order,
    home: Home,
    titles: dict[str, str],
    progress: Callable[[int, int], None] | None = None,
    *,
    read_scans: bool = True,
    layout: LayoutModel | None = None,
) -> Item:
    item = stage_or_reject(order.entry, order.base, home, titles, progress, read_scans=read_scans, layout=layout)
    if isinstance(item, Staged):
        problems = check_tiling(item.parsed)
        if problems:
            message = f"{order.entry.file}: the clauses do not tile the text ({problems[0]}); please report it."
            return Rejected(order.entry, "parser_fault", message)
    return item


def stage_all(orders: Sequence[Order], bench: Workbench) -> list[Item]:
    """Every order parsed, in order, on all cores when there are many."""
    titles = known_titles(bench.handle, [order.entry for order in orders])
    work = partial(_stage, home=bench.handle.home, titles=titles, layout=bench.layout)
    items: list[Item] = []
    if len(orders) < POOL_FROM:
        for order in orders:
            items.append(work(order, progress=_pages(bench, order)))
            bench.progress("reading", len(items), len(orders))
        return items
    # A fork of a process that runs threads (Dagster's, the embedder's) may inherit a held lock.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(os.cpu_count() or 1, len(orders)), mp_context=context) as pool:
        for item in pool.map(partial(work, read_scans=False), orders):
            items.append(item)
            bench.progress("reading", len(items), len(orders))
    # Scans come last, one after the other: the pages of each are read on all cores.
    for at, item in enumerate(items):
        if isinstance(item, Rejected) and item.code == ScansNeeded.CODE:
            items[at] = work(orders[at], progress=_pages(bench, orders[at]))
    return items


def _pages(bench: Workbench, order: Order) -> Callable[[int, int], None]:
    return partial(bench.progress, f"reading the pages of {order.entry.file}")


@dg.asset(partitions_def=document_versions, backfill_policy=backfill_policy, group_name=GROUP, kinds={"python"})
def staged_versions(context: dg.AssetExecutionContext, workbench: dg.ResourceParam[Workbench]) -> Batch:
    """Source bytes by hash, extracted text, the clause tree with its links. A bad file is its reason, never an exception."""
    orders = [(key, order) for key in context.partition_keys for order in workbench.orders.get(key, ())]
    staged = Batch()
    try:
        items = refuse_early(workbench.handle, stage_all([order for _, order in orders], workbench))
    except ComplianceError as error:
        workbench.failure = error
        raise
    for (key, _), item in zip(orders, items, strict=True):
        staged.add(key, item)
        context.add_asset_metadata(_metadata(item), partition_key=key)
    return staged


def _metadata(item: Item) -> dict[str, dg.MetadataValue]:
    if isinstance(item, Rejected):
        return {"rejected": dg.MetadataValue.text(f"{item.code}: {item.message}")}
    return {
        "clauses": dg.MetadataValue.int(len(item.parsed.clauses)),
        "flags": dg.MetadataValue.int(len(item.parsed.flags)),
        "source_sha256": dg.MetadataValue.text(item.parsed.source_sha256),
        "extracted_sha256": dg.MetadataValue.text(item.parsed.extracted_sha256),
        "parser": dg.MetadataValue.text(item.parsed.parser_version),
    }


@dg.asset(partitions_def=document_versions, backfill_policy=backfill_policy, group_name=GROUP, kinds={"lancedb"})
def clause_vectors(context: dg.AssetExecutionContext, workbench: dg.ResourceParam[Workbench], staged_versions: Batch) -> Batch:
    """Postings and one vector per distinct clause text in context: caches by content, harmless when nothing is published."""
    texts: dict[str, str] = {}
    for item in staged_versions.staged():
        title = item.entry.title or item.parsed.title or item.entry.doc_id
        texts |= {text_key(text): text for text in indexed_texts(title, item.parsed.clauses) if text}
    try:
        with writer_lock(workbench.handle.home):
            add_indexed(workbench.handle, texts, partial(workbench.progress, "embedding"))
    except ComplianceError as error:
        workbench.failure = error
        raise
    context.log.info("indexed %d distinct clause texts", len(texts))
    return staged_versions


@dg.asset(partitions_def=document_versions, backfill_policy=backfill_policy, group_name=GROUP, kinds={"duckdb"})
def published_versions(
    context: dg.AssetExecutionContext, workbench: dg.ResourceParam[Workbench], clause_vectors: Batch
) -> None:
    """On the ledger and in the clause tables, all or nothing, in manifest order."""
    items = [item for _, item in clause_vectors.pairs]
    try:
        result = publish_batch(workbench.handle, items, actor=workbench.actor, actor_auth=workbench.actor_auth)
    except ComplianceError as error:
        workbench.failure = error
        raise
    workbench.results.append(result)
    for name in ("published", "held", "unchanged"):
        for row in getattr(result, name):
            key = f"{row['doc_id']}@{row['version_id']}"
            if key in context.partition_keys:
                context.add_asset_metadata(
                    {"result": name, "clauses": row["clauses"], "version_root": row["root"]}, partition_key=key
                )


@dg.asset(deps=[published_versions], group_name=GROUP, kinds={"duckdb"})
def corpus(workbench: dg.ResourceParam[Workbench]) -> dg.MaterializeResult[None]:
    """All that is published: its root, and what is known of it."""
    snapshot = workbench.handle.corpus()
    return dg.MaterializeResult(
        metadata={
            "corpus_root": snapshot.corpus_root,
            "versions": len(snapshot.versions),
            "documents": len({row.doc_id for row in snapshot.versions}),
            "clauses": snapshot.row_count,
            "ledger_size": workbench.handle.ledger.size,
        }
    )


@dg.asset(deps=[corpus], group_name=GROUP, kinds={"python"})
def stale_answers(context: dg.AssetExecutionContext, workbench: dg.ResourceParam[Workbench]) -> dg.MaterializeResult[None]:
    """Past answers whose cited clauses changed since they were given: the list a compliance officer works through."""
    try:
        items = list_stale(workbench.handle)
        fresh = items if workbench.since is None else newly(workbench.handle, items, workbench.since)
    except ComplianceError as error:
        workbench.failure = error
        raise
    workbench.made_stale = len(fresh)
    went_stale(len(items), len(fresh))
    rows = [
        dg.TableRecord(
            {
                "id": item.id, "answer_id": item.answer_id, "as_of": item.as_of, "owner": item.owner or "",
                "due": item.due or "", "decision": item.decision or "open",
                "clauses": ", ".join(f"{clause.before.clause_id} {clause.cause}" for clause in item.clauses),
            }
        )
        for item in items[:STALE_SHOWN]
    ]  # fmt: skip
    columns = [dg.TableColumn(name) for name in ("id", "answer_id", "as_of", "owner", "due", "decision", "clauses")]
    return dg.MaterializeResult(
        metadata={
            "stale": len(items),
            "open": sum(item.decision is None for item in items),
            "made_stale": len(fresh),
            "answers": dg.MetadataValue.table(rows, dg.TableSchema(columns)),
        }
    )


@dg.asset(deps=[stale_answers], group_name=GROUP, kinds={"python"})
def suites_after_ingest(
    context: dg.AssetExecutionContext, workbench: dg.ResourceParam[Workbench]
) -> dg.MaterializeResult[dict[str, float]]:
    """The superseded-version and exception questions and the stale suite on the sample corpus, and this home's own versions
    asked on their last days. Part of every run that Dagster starts; `add` leaves it out, which is to take seconds."""
    try:
        with tempfile.TemporaryDirectory(prefix="compliance-rag-suites-") as scratch:
            figures = after_ingest(workbench.handle, Path(scratch), own_corpus())
    except ComplianceError as error:
        workbench.failure = error
        raise
    context.log.info("%d figures", len(figures))
    return dg.MaterializeResult(
        value=figures, metadata={name: dg.MetadataValue.float(value) for name, value in figures.items()}
    )
