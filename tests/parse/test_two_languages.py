"""Documents that say each clause in two languages, side by side or one below the other; numbers that begin anew."""

from __future__ import annotations

from itertools import pairwise

import pytest

from compliance_rag.parse.parse import parse_version
from tests.parse.docxs import docx, rows, table
from tests.parse.pdfs import pdf

_ENGLISH = [
    ("Delivery. The supplier delivers the", "goods within ten days of the order."),
    ("Payment. The buyer pays the whole", "invoice within thirty days."),
    ("Term. Either party may end this", "agreement by notice in writing."),
]
_CHINESE = [
    ("交付。供应商应当自订单之日起十日内", "将货物交付买方。"),
    ("付款。买方应当在三十日内支付全部", "发票金额。"),
    ("终止。任何一方均可以书面通知对方", "终止本协议。"),
]
_SONG = (
    "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [<< /Type /Font /Subtype "
    "/CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /DW 1000 "
    "/W [1 95 500] /FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 4 /FontBBox [0 -200 1000 900] "
    "/ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 80 >> >>] >>"
)


def _text(words: str, x: float, y: float) -> str:
    shown = f"<{words.encode('utf-16-be').hex()}>" if any(char > "\u2e80" for char in words) else f"({words})"
    return f"BT 0 g /{'F3' if shown[0] == '<' else 'F1'} 10 Tf {x} {y} Td {shown} Tj ET\n"


def _page(content: str) -> bytes:
    data = pdf([content], extra=[_SONG])
    return data.replace(b"/F2 4 0 R >>", b"/F2 4 0 R /F3 7 0 R >>")


def _grid(columns: list[float]) -> str:
    out = ""
    for row in range(3):
        for left, right in pairwise(columns):
            out += f"{left} {660 - 40 * row} {right - left} 40 re S\n"
    return out


_PAIRS = [
    row
    for at in range(3)
    for row in (
        (f"{at + 1}", " ".join(_ENGLISH[at]).split(". ", 1)[1]),
        (f"{at + 1}~2", "".join(_CHINESE[at])),
    )
]


def test_a_grid_with_a_language_to_each_column_is_read_cell_by_cell() -> None:
    """Rules around the cells: each clause is whole in its own language, and no line holds words of both."""
    content = _grid([60, 300, 540])
    for at in range(3):
        for line, (english, chinese) in enumerate(zip(_ENGLISH[at], _CHINESE[at], strict=True)):
            label = f"{at + 1}. " if not line else ""
            content += _text(label + english, 66, 686 - 40 * at - 13 * line) + _text(
                label + chinese, 306, 686 - 40 * at - 13 * line
            )
    found = parse_version(_page(content), "a.pdf")
    assert [(path, text) for path, _, _, text in rows(found.clauses)] == _PAIRS


def test_one_number_beside_both_languages() -> None:
    """A column of numbers, one of English and one of Chinese: each clause holds both, one after the other."""
    content = _grid([60, 90, 300, 540])
    for at in range(3):
        content += _text(f"{at + 1}.", 66, 686 - 40 * at)
        for line, (english, chinese) in enumerate(zip(_ENGLISH[at], _CHINESE[at], strict=True)):
            content += _text(english, 96, 686 - 40 * at - 13 * line) + _text(chinese, 306, 686 - 40 * at - 13 * line)
    found = parse_version(_page(content), "a.pdf").clauses
    assert [(clause.label, clause.text) for clause in found] == [
        (f"{at + 1}.", f"{' '.join(_ENGLISH[at]).split('. ', 1)[1]}\n{''.join(_CHINESE[at])}") for at in range(3)
    ]


def test_short_clauses_side_by_side_without_rules() -> None:
    """Two columns of one line a clause are two lists, and no table of pairs."""
    content = ""
    pairs = [("Keep records.", "保存记录。"), ("Notify the board.", "通知董事会。"), ("Pay the fee.", "缴纳费用。")]
    for at, (english, chinese) in enumerate(pairs):
        content += _text(f"{at + 1}. {english}", 66, 700 - 24 * at) + _text(f"{at + 1}. {chinese}", 306, 700 - 24 * at)
    found = rows(parse_version(_page(content), "a.pdf").clauses)
    assert [(path, text) for path, _, _, text in found] == [
        *((f"{at + 1}", english) for at, (english, _) in enumerate(pairs)),
        *((f"{at + 1}~2", chinese) for at, (_, chinese) in enumerate(pairs)),
    ]


def test_lines_that_go_on_at_the_margin_of_their_labels() -> None:
    """A table printed without rules, whose cells wrap to where their numbers stand: no clause holds words of both languages."""
    content = ""
    for at in range(3):
        content += _text(f"{at + 1}.", 66, 700 - 30 * at) + _text(_ENGLISH[at][0], 96, 700 - 30 * at)
        content += _text(_ENGLISH[at][1], 66, 687 - 30 * at)
        content += _text(f"{at + 1}.", 306, 700 - 30 * at) + _text("".join(_CHINESE[at]), 336, 700 - 30 * at)
    found = rows(parse_version(_page(content), "a.pdf").clauses)
    assert [(path, text) for path, _, _, text in found] == [*_PAIRS[::2], *_PAIRS[1::2]]


def test_a_table_of_old_and_new_words_stays_a_table() -> None:
    """Two columns of one language are a table, though each cell bears a number: its title says which of them holds."""
    content = _grid([60, 300, 540]) + _text("Old text", 66, 686) + _text("New text", 306, 686)
    for at, (old, new) in enumerate(
        [("4. The fee is 100 euro.", "4. The fee is 120 euro."), ("5. It is due in May.", "5. None.")]
    ):
        content += _text(old, 66, 646 - 40 * at) + _text(new, 306, 646 - 40 * at)
    (clause,) = parse_version(_page(content), "a.pdf").clauses
    assert "| 4. The fee is 100 euro. | 4. The fee is 120 euro. |" in clause.text


def test_a_table_of_two_languages_in_word() -> None:
    """Rows of a Word table with a number in each language are clauses, each said twice; a glossary stays a table."""
    pairs = [("1. Keep records.", "1. 保存记录。"), ("2. Pay the fee.", "2. 缴纳费用。")]
    found = rows(parse_version(docx(table(pairs)), "a.docx").clauses)
    assert [(path, text) for path, _, _, text in found] == [
        ("1", "Keep records."), ("1~2", "保存记录。"), ("2", "Pay the fee."), ("2~2", "缴纳费用。"),
    ]  # fmt: skip
    numbered = [("1.", "Keep records.", "保存记录。"), ("2.", "Pay the fee.", "缴纳费用。")]
    assert [(path, text) for path, _, _, text in rows(parse_version(docx(table(numbered)), "a.docx").clauses)] == [
        ("1", "Keep records.\n保存记录。"), ("2", "Pay the fee.\n缴纳费用。"),
    ]  # fmt: skip
    glossary = parse_version(docx(table([("Supplier", "供应商"), ("Buyer", "买方")])), "a.docx").clauses
    assert [clause.text for clause in glossary] == ["| Supplier | 供应商 |\n| Buyer | 买方 |"]


@pytest.mark.parametrize(
    ("lines", "paths"),
    [
        (["1. Keep records.", "1. 保存记录。", "2. Pay.", "2. 付款。", "3. End.", "3. 终止。"], "1 1~2 2 2~2 3 3~2"),
        (["Article 1 Keep records.", "第一条 保存记录。", "Article 2 Pay.", "第二条 付款。"], "1 1~2 2 2~2"),
        (
            [
                "Chapter 1 General", "第一章 总则", "Article 1 This law protects records.", "第一条 本法保护档案。",
                "Chapter 2 Duties",
                "第二章 义务", "Article 2 Keep records.", "第二条 保存档案。", "Article 3 Show them.", "第三条 出示。",
            ],
            "chapter-1 chapter-1~2 1 1~2 chapter-2 chapter-2~2 2 2~2 3 3~2",
        ),
        (["1 General", "1 总则", "1.1 Keep records.", "1.1 保存档案。", "2 Fees", "2 费用"], "1 1~2 1/1 1/1~2 2 2~2"),
    ],
)  # fmt: skip
def test_each_number_once_in_each_language(lines: list[str], paths: str) -> None:
    """Clauses said in one language and then in the other stand beside one another, none inside the other."""
    found = parse_version("\n\n".join(lines).encode(), "a.txt").clauses
    assert ["/".join(clause.path) for clause in found] == paths.split()


@pytest.mark.parametrize(
    ("lines", "paths"),
    [
        (["1. One is kept.", "2. Two is kept.", "1. Again one.", "2. Again two.", "3. Three."], "1 2 1~2 2~2 3"),
        (["1. Keep these:", "1. logs;", "2. keys.", "2. Renew them."], "1 1/1 1/2 2"),
        (["1. 应当报告。", "2. 应当付款。", "1. 又一。", "2. 又二。"], "1 2 1~2 2~2"),
    ],
)
def test_a_list_that_begins_anew(lines: list[str], paths: str) -> None:
    """A list that begins anew after a whole sentence stands beside the one before; one that is led in stands inside."""
    found = parse_version("\n\n".join(lines).encode(), "a.txt").clauses
    assert ["/".join(clause.path) for clause in found] == paths.split()


def test_a_file_made_of_schedules() -> None:
    """Schedule 1 on the first line is one of several where Schedule 2 follows, and else the caption of the file."""
    lines = ["SCHEDULE 1", "1. Keep records.", "SCHEDULE 2", "1. Pay the fee."]
    found = parse_version("\n\n".join(lines).encode(), "a.txt").clauses
    assert ["/".join(clause.path) for clause in found] == ["schedule-1", "schedule-1/1", "schedule-2", "schedule-2/1"]
    alone = parse_version("\n\n".join(lines[:2]).encode(), "a.txt").clauses
    assert [clause.number for clause in alone] == [None, "1"]
