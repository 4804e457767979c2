"""The development questions: what answers are tuned on, asked of our own small documents and of public ones where they are."""

from __future__ import annotations

import importlib.resources
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.manifest import read_manifest
from eval.answers import answer_of, read_lines
from eval.homes import MANIFEST, Progress, ingest
from eval.scoring import stage_of, traced

VERSIONED = "versioned"


def development_folder() -> Path:
    """Where the questions are."""
    return Path(str(importlib.resources.files("eval"))) / "dev"


def development_suite(scratch: Path, data: Path | None, progress: Progress) -> dict[str, Any]:
    """Ask every development question whose document is there; figures per category, and each question that failed.

    Public documents go into a home of their own, so that the small ones are asked among few."""
    own = development_folder()
    small = open_home(scratch / "small", create=True)
    ingest(small, read_manifest(own / MANIFEST), own, progress)
    homes = [small]
    if data is not None:
        ingest(small, read_manifest(own / "manifest-data.json"), data, progress)
        large = open_home(scratch / "large", create=True)
        ingest(large, read_manifest(data / VERSIONED / MANIFEST), data / VERSIONED, progress)
        homes.append(large)
    held = {row.doc_id: handle for handle in homes for row in handle.corpus().versions}
    report = _measure(list(read_lines(own / "questions.jsonl")), held, small, progress)
    return report | {"off_topic": _off_topic(list(read_lines(own / "off_topic.jsonl")), homes)}


def _off_topic(items: list[dict[str, Any]], homes: list[HomeHandle]) -> dict[str, Any]:
    """Questions on subjects that no document speaks of, asked of every document at once: how many are refused."""
    asked = [(item, answer_of(home, {**item, "doc": None, "as_of": None})) for home in homes for item in items]
    answered = [item["id"] for item, answer in asked if answer["status"] != "refused"]
    return {"questions": len(asked), "refused": len(asked) - len(answered), "answered": answered}


def _measure(
    items: list[dict[str, Any]], held: Mapping[str, HomeHandle], small: HomeHandle, progress: Progress
) -> dict[str, Any]:
    rights: dict[str, list[bool]] = defaultdict(list)
    precisions: list[float] = []
    failing: list[dict[str, Any]] = []
    left_out = over_refused = 0
    for number, item in enumerate(items, 1):
        handle = small if item["doc"] is None else held.get(item["doc"])
        if handle is None:
            left_out += 1
            continue
        answer = answer_of(handle, item)
        cited = list(dict.fromkeys(entry["clause_id"] for entry in answer["citations"]))
        right = is_right(item, answer, cited)
        for group in (item["category"], "all"):
            rights[group].append(right)
        over_refused += item["answerable"] and answer["status"] == "refused"
        counted = [name for name in cited if name not in item["also"]]
        if item["answerable"] and counted:
            precisions.append(sum(name in item["gold"] for name in counted) / len(counted))
        if not right:
            missing = [name for name in item["gold"] if name not in cited]
            stage = stage_of(answer, missing, answerable=item["answerable"])
            failing.append({"id": item["id"], "stage": stage, "missing": missing, "cited": cited, **traced(item, answer)})
        progress("dev", number, len(items))
    return {
        "categories": {name: {"questions": len(group), "right": sum(group)} for name, group in sorted(rights.items())},
        "precision": round(sum(precisions) / max(1, len(precisions)), 4),
        "over_refused": over_refused,
        "left_out": left_out,
        "failing": failing,
    }


def is_right(item: Mapping[str, Any], answer: Mapping[str, Any], cited: list[str]) -> bool:
    """Every gold clause cited and nothing forbidden, or refused for the expected reason."""
    if not item["answerable"]:
        return bool(answer["status"] == "refused" and answer["refusal_reason"] == item["expected_refusal"])
    forbidden = any(name == bad or name.startswith(f"{bad}@") for bad in item["forbidden"] for name in cited)
    return bool(answer["status"] != "refused" and set(item["gold"]) <= set(cited) and not forbidden)
