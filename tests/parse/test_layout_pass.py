"""A proposal for the layout may move boundaries and changes no word."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from compliance_rag.parse.blocks import Extracted
from compliance_rag.parse.layout_pass import Piece, is_irregular
from compliance_rag.parse.parse import PARSER_VERSION, parse_extracted
from compliance_rag.parse.readers import read_source
from compliance_rag.parse.tiling import check_tiling
from schemas.clause import ParsedVersion
from tests.parse.pdfs import line, pdf

BODY = "The parties keep every record of the service for seven years after it ends."
HEADS = ("Records of the service", "Termination by notice", "Law and courts")


class Told:
    """Proposes what it is told to; remembers what it was offered."""

    name = "told"

    def __init__(self, cut: dict[str, int] | None = None, *, spoil: tuple[str, str] = ("", "")) -> None:
        self.cut = cut or {}
        self.spoil = spoil
        self.offered: list[str] = []

    def __call__(self, stretch: str) -> Sequence[Piece] | str:
        """The stretch with ``cut`` words as headings of their levels."""
        self.offered.append(stretch)
        pieces, rest = [], stretch.replace(*self.spoil) if self.spoil[0] else stretch
        while rest:
            at, words = min(((rest.find(head), head) for head in self.cut if head in rest), default=(-1, ""))
            if at < 0:
                return [*pieces, Piece(rest)]
            pieces += [Piece(rest[:at]), Piece(words, self.cut[words])]
            rest = rest[at + len(words) :]
        return pieces


def _page() -> Extracted:
    """A page without numbers: each heading runs into its text on one line."""
    content, y = "", 740
    for head in HEADS:
        content += line(f"{head} {BODY}", 60, y, size=9) + line(BODY, 60, y - 12, size=9)
        content += line(BODY, 60, y - 24, size=9)
        y -= 60
    return read_source(pdf([content]), "a.pdf")


def _parse(told: Told | None) -> ParsedVersion:
    return parse_extracted(_page(), "", None, told)


def test_accepted_boundaries_make_clauses_of_the_same_words() -> None:
    """Headings that run into their text become headings of clauses; the text, its places and the tiling are what they were."""
    before, after = _parse(None), _parse(Told(dict.fromkeys(HEADS, 1)))
    assert [clause.heading for clause in after.clauses] == list(HEADS)
    assert before.extracted == after.extracted
    assert check_tiling(after) == []
    assert {box[0] for clause in after.clauses for box in clause.boxes} == {1}
    assert all(clause.boxes for clause in after.clauses)
    first, rest = after.clauses[0].boxes[:2]
    assert first[1] < first[3] <= rest[1] + 0.5 or first[2] < rest[2]


def test_the_flag_and_the_parsers_version_name_who_had_a_say() -> None:
    """A version whose layout was cut by a model says so; one read without it does not."""
    after = _parse(Told(dict.fromkeys(HEADS, 1)))
    assert [flag.code for flag in after.flags] == ["layout_model"]
    assert after.parser_version == f"{PARSER_VERSION}+layout:told"
    assert after.report["layout"] == {
        "by": "told", "offered": 1, "accepted": 1, "moved": 10, "rejected": 0, "not_offered": 0, "reasons": [],
    }  # fmt: skip
    assert _parse(None).parser_version == PARSER_VERSION


@pytest.mark.parametrize("spoil", [("seven", "six"), ("every record", "record"), (".", ".!"), ("Law", "LAW")])
def test_a_proposal_that_changes_a_character_is_rejected_and_recorded(spoil: tuple[str, str]) -> None:
    """Another word, a missing one, an added mark, another case: nothing of the proposal is taken, and the flag says why."""
    before, after = _parse(None), _parse(Told(dict.fromkeys(HEADS, 1), spoil=spoil))
    assert [clause.sha256 for clause in after.clauses] == [clause.sha256 for clause in before.clauses]
    assert [flag.code for flag in after.flags] == ["layout_rejected"]
    assert "changes the words" in after.flags[0].text
    assert after.parser_version == PARSER_VERSION


def test_no_reply_is_recorded() -> None:
    """Where nothing comes back the text stays as it was read, and the flag says so."""

    class Silent(Told):
        def __call__(self, stretch: str) -> Sequence[Piece] | str:
            return "there was no reply to read (timeout)"

    after = _parse(Silent())
    assert [(flag.code, flag.page) for flag in after.flags] == [("layout_rejected", 1)]


def test_numbered_clauses_and_marked_headings_are_never_offered() -> None:
    """Where numbers or the markup tell the structure nobody is asked."""
    told = Told()
    numbered = "".join(f"{n}. Duty\n\n{BODY} {BODY} {BODY}\n\n" for n in range(1, 6))
    parse_extracted(read_source(numbered.encode(), "a.txt"), "", None, told)
    marked = "".join(f"## Duty\n\n{BODY} {BODY} {BODY}\n\n" for _ in range(5))
    parse_extracted(read_source(marked.encode(), "a.md"), "", None, told)
    assert told.offered == []
    assert not is_irregular(read_source(marked.encode(), "a.md"), [])


def test_random_cuts_keep_every_character() -> None:
    """However the words are cut, the extracted text stays and every visible character is in one clause (seed printed)."""
    seed = random.randrange(10**6)
    print("seed", seed)
    draw = random.Random(seed)

    class Cuts(Told):
        def __call__(self, stretch: str) -> Sequence[Piece] | str:
            places = sorted(draw.sample(range(1, len(stretch)), 12))
            parts = [stretch[a:b] for a, b in zip([0, *places], [*places, len(stretch)], strict=True)]
            return [Piece(part, draw.choice([None, None, 1, 2, 3])) for part in parts]

    for _ in range(25):
        after = _parse(Cuts())
        assert after.extracted == _page().text
        assert check_tiling(after) == []
        assert not any(flag.code == "layout_rejected" for flag in after.flags)
