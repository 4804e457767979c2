"""Lists of changes made by reading, before the matcher ran on the pair, against what `changes` finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.changes.changes import list_changes
from compliance_rag.changes.sides import Pair
from eval.change_lists import ListScore, rows_of, score_list
from schemas.objects import ClauseObject
from tests.changes.made_pairs import parsed_pair, read

LISTS = sorted((Path(__file__).parent / "hand_lists").glob("*.json"))
LEAST = 0.95


def pair_of_list(wanted: dict[str, Any], data: Path) -> Pair:
    """Both versions of a hand list, read and matched as ingest does."""
    paths = [data / "versioned" / wanted[name] for name in ("from_file", "to_file")]
    return parsed_pair(*(read(path.read_bytes(), path.name, wanted["language"]) for path in paths))


@pytest.mark.data
@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_hand_list(path: Path, measuring_data: Path) -> None:
    """Precision and recall of (kind, number), numbered clauses only; nothing is both removed and added with the same words."""
    wanted = json.loads(path.read_text(encoding="utf-8"))
    changes = list_changes(pair_of_list(wanted, measuring_data))
    score = score_list(wanted["changes"], rows_of(changes))
    gone = {item.before.text for item in changes if item.kind == "removed" and isinstance(item.before, ClauseObject)}
    new = {item.after.text for item in changes if item.kind == "added" and isinstance(item.after, ClauseObject)}
    assert not (gone & new) - {""}
    assert min(score.precision, score.recall) >= LEAST, score


def test_a_change_told_in_several_ways() -> None:
    """The telling that fits counts, and only that."""
    wanted = [
        {"type": "added", "clause": "1"},
        {"any": [[{"type": "split", "clause": "2"}], [{"type": "modified", "clause": "3"}]]},
    ]
    assert score_list(wanted, [("added", "1"), ("modified", "3")]) == ListScore(2, 2, 2, (), ())
    assert score_list(wanted, [("added", "1"), ("removed", "4")]).missing == (("split", "2"),)
