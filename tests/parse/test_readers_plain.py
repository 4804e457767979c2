"""Plain text: paragraphs, wraps, furniture, encodings."""

from __future__ import annotations

import pytest

from compliance_rag.parse.readers import read_source


def test_text_is_kept_as_it_stands(read) -> None:
    """The extracted text of a text file is the file, line ends aside."""
    _, _, extracted = read("1.\tSCOPE\r\n\r\n1.1.\tIt applies.\r", "a.txt")
    assert extracted.text == "1.\tSCOPE\n\n1.1.\tIt applies.\n"


def test_lines_without_blank_lines_between_are_cut_at_the_authors_breaks(read) -> None:
    """A numbered line after a full stop, a title, and long lines are blocks; a wrapped line is not."""
    found, blocks, _ = read("1.\tSCOPE\n1.1.\tIt applies.\n  (a)\tto all;\n  (b)\tto none.\n", "a.txt")
    assert found == ["1.\tSCOPE", "1.1.\tIt applies.", "(a)\tto all;", "(b)\tto none."]
    assert [block.indent for block in blocks] == [0, 0, 2, 2]
    wrapped = (
        "The supplier shall keep the records of each delivery for\nseven years after the delivery and shall show them to the\n"
        "buyer on request.\n"
    )
    assert len(read(wrapped, "a.txt")[0]) == 1


def test_wrapped_chinese_and_titles_in_capitals(read) -> None:
    """Chinese lines as long as lines get read on; a title in capitals never runs into the text below it."""
    full = "第一条为了保护公司股东和债权人的合法权益维护社会经济秩序促进社会"
    assert len(read(f"{full}\n主义市场经济的发展，制定本法。\n第二条 本法所称公司，是指有限责任公司。", "a.txt")[0]) == 2
    title = "SCHEDULE OF THE FEES THAT ARE PAYABLE BY AN APPLICANT FOR A LICENCE"
    assert read(f"{title}\nAn applicant pays the fee that the table below names for the class.", "a.txt")[0][0] == title


def test_page_numbers_and_running_headers_are_furniture(read) -> None:
    """A running series of page numbers and a line repeated at page edges are set aside; a lone number is text."""
    page = "Source: ACME CORP, 8-K\n\n\n\n\n\n{}\n\nClause {} binds the buyer of the goods.\n\n"
    _, blocks, extracted = read("".join(page.format(i, i) for i in range(3, 9)), "a.txt")
    kinds = {extracted.text[slice(*block.span)]: block.kind for block in blocks}
    assert kinds["Source: ACME CORP, 8-K"] == "furniture"
    assert kinds["5"] == "furniture"
    assert kinds["Clause 5 binds the buyer of the goods."] == "paragraph"
    assert [block.kind for block in read("The number is\n\n17\n\nand no other.", "a.txt")[1]] == ["paragraph"] * 3


def test_a_contents_page_is_furniture(read) -> None:
    """Entries with dot leaders and the title above them are set aside, the clauses are not."""
    _, blocks, _ = read(
        "TABLE OF CONTENTS\n\n1. Scope....1\n\n2. Fees ....... 2\n\n3. Term . . . . . 12\n\n1. Scope\n\nText.", "a.txt"
    )
    assert [block.kind for block in blocks] == ["furniture"] * 4 + ["paragraph"] * 2


def test_a_contents_page_on_one_line_is_furniture(read) -> None:
    """A contents page that lost its line breaks is set aside; a paragraph with numbers in it is not."""
    contents = (
        "TABLE OF CONTENTS Page 1. SCOPE 1 1.1 Goods sold 1 1.2 Services 2 2. FEES 4 2.1 Late fees 4 2.2 Taxes and duties 5"
    )
    rule = "1. SCOPE. The 12 schedules and 3 annexes bind the parties for 7 years, 30 days after 5 notices under 9 clauses."
    _, blocks, _ = read(f"{contents}\n\n{rule}", "a.txt")
    assert [block.kind for block in blocks] == ["furniture", "paragraph"]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "第一条 café"),
        ("utf-8-sig", "第一条 café"),
        ("utf-16", "第一条 café"),
        ("utf-16-le", "Section 1. The buyer pays."),
        ("utf-16-be", "Section 1. The buyer pays."),
        ("gb18030", "第一条 为了维护社会经济秩序，制定本法。第二条 本法所称公司是指有限责任公司。"),
        ("cp1252", "The “buyer” pays € 5 – at once. Café, naïve, Übung."),
    ],
)
def test_encodings_are_read_by_their_bytes(encoding: str, text: str) -> None:
    """Each encoding gives the same text, and offsets lead back into the bytes."""
    data = text.encode(encoding)
    extracted = read_source(data, "a.txt")
    assert extracted.text == text
    at = extracted.source_offset(len(text) - 1, data)
    assert data[at:].decode(extracted.encoding) == text[-1]


def test_nul_and_control_characters(read) -> None:
    """NUL is left out and said; direction overrides are kept and said."""
    _, _, extracted = read(b"a\x00b \xe2\x80\xaec", "a.txt")
    assert extracted.text == "ab \u202ec"
    assert {flag.code for flag in extracted.flags} == {"nul_dropped", "zero_width"}
