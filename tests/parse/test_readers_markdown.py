"""Markdown: what a reader sees, with the map back to the source."""

from __future__ import annotations

import pytest

from compliance_rag.parse.readers import read_source


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        pytest.param("a **b** c", "a b c", id="strong"),
        pytest.param("a *b* _c_ ***d***", "a b c d", id="emphasis"),
        pytest.param("snake_case_name and 2*3*4", "snake_case_name and 234", id="intraword: stars pair, underscores do not"),
        pytest.param("**“合同”**是指协议", "“合同”是指协议", id="strong against a wide character"),
        pytest.param("5 * 3 and 4 * 2", "5 * 3 and 4 * 2", id="stars with spaces are stars"),
        pytest.param("signed ____________ by", "signed ____________ by", id="a line to sign on"),
        pytest.param("see [Section 4](#4 'the \"rule\"') now", "see Section 4 now", id="link"),
        pytest.param("see [a [b] c](u) now", "see a [b] c now", id="brackets in a link"),
        pytest.param("see [RFC][r], [r] and [x]\n\n[r]: http://e.org 'T'", "see RFC, r and [x]", id="reference links"),
        pytest.param("fee [***] due", "fee [***] due", id="redacted: brackets and stars are text"),
        pytest.param("`a *b*` and ``c ` d``", "a *b* and c ` d", id="code spans"),
        pytest.param("1\\. not a list \\*x\\*", "1. not a list *x*", id="escapes"),
        pytest.param("7&nbsp;years &amp; &#167; 4 &unknown; AT&T", "7\xa0years & § 4 &unknown; AT&T", id="entities"),
        pytest.param("<https://e.org/a> <b@c.org>", "https://e.org/a b@c.org", id="autolinks"),
        pytest.param('<span class="x">Provider</span> <a name="q"></a>will', "Provider will", id="inline HTML"),
        pytest.param("pay <insert amount> now", "pay <insert amount> now", id="a placeholder is no tag"),
        pytest.param("a <!-- no --> b", "a  b", id="comment"),
        pytest.param("x[^1] y", "x[^1] y", id="a footnote mark stays"),
        pytest.param("![Seal](s.png) of", "Seal of", id="a figure's description"),
        pytest.param("one\\\ntwo", "one\ntwo", id="hard break"),
    ],
)
def test_inline_markup_is_dropped_and_words_are_kept(read, source: str, seen: str) -> None:
    """Inline markup vanishes, everything a reader sees stays."""
    found, _, _ = read(source)
    assert found[0] == seen


def test_repeated_ones_show_the_rendered_counter(read) -> None:
    """``1. 1. 1.`` is seen as 1. 2. 3., and the counter maps to its marker."""
    source = "1. One\n1. Two\n\n1. Three"
    found, blocks, extracted = read(source)
    assert found == ["1. One", "2. Two", "3. Three"]
    spans = [block.label_span for block in blocks if block.label_span]
    assert [extracted.text[slice(*span)] for span in spans] == ["1.", "2.", "3."]
    assert [extracted.source_offset(span[0], source.encode()) for span in spans] == [0, 7, 15]


def test_typed_numbers_that_go_up_are_kept(read) -> None:
    """``1. 2. 4. 9.`` (clauses 3 and 5 to 8 repealed) stay 1, 2, 4 and 9: a law is cited by the numbers it prints."""
    found, _, _ = read("1. Open.\n\n2. Pays.\n\n4. Guest.\n\n9. Board, see clause 4.\n")
    assert found == ["1. Open.", "2. Pays.", "4. Guest.", "9. Board, see clause 4."]


def test_nested_items_have_levels_and_own_counters(read) -> None:
    """An ordered list in an item counts from its own start, one level deeper; bullets are shown as a dash."""
    found, blocks, _ = read("2. A\n   1. B\n   1. C\n      * d\n3. E\n   cont\n\n   more\n\nout")
    assert found == ["2. A", "1. B", "2. C", "- d", "3. E\ncont", "more", "out"] or found[4] == "3. E cont"
    assert [block.level for block in blocks] == [0, 1, 1, 2, 0, 0, None]
    assert [block.kind for block in blocks] == ["item"] * 5 + ["paragraph"] * 2


def test_a_heading_in_an_item_carries_its_counter(read) -> None:
    """``1. ## Service`` is a heading that shows its number; indented paragraphs below belong to the item."""
    found, blocks, _ = read(
        "1. ## Service\n\n    1.1 <span class='header_3'>Use.</span> May use.\n\n      (a) One\n\n2. ## Fees"
    )
    assert found == ["1. Service", "1.1 Use. May use.", "(a) One", "2. Fees"]
    assert [(block.kind, block.level) for block in blocks] == [
        ("heading", 2),
        ("paragraph", 0),
        ("paragraph", 0),
        ("heading", 2),
    ]
    assert blocks[1].lead_span is not None
    assert blocks[2].indent > blocks[1].indent


def test_a_list_interrupted_by_text_starts_where_its_marker_says(read) -> None:
    """After a paragraph outside the list a new list begins at its own number."""
    found, _, _ = read("1. One\n\nBetween\n\n2. Two")
    assert found == ["1. One", "Between", "2. Two"]


def test_table_rows_stay_verbatim(read) -> None:
    """Rows keep bars and spacing, the rule row is dropped, markup in cells too."""
    found, blocks, _ = read("| From | **Days** |\n|---|:-:|\n| 2026-03-15 | [200 days](#x) |\nlast | row\n\nAfter")
    assert found == ["| From | Days |\n| 2026-03-15 | 200 days |\nlast | row", "After"]
    assert blocks[0].kind == "table"


def test_front_matter_is_metadata_and_gives_the_title(read) -> None:
    """YAML between dashes at the top is no text; its title is the title."""
    found, _, extracted = read("---\ntitle: Terms\nx: [1]\n---\n\n# A")
    assert found == ["A"]
    assert extracted.title == "Terms"
    assert [flag.code for flag in extracted.flags] == ["front_matter"]


def test_block_markup(read) -> None:
    """Headings, rules, quotes, fences, comments over lines, setext headings."""
    head = "# A # \n\nB\n===\n\n---\n\n> q1\n> q2\n\n<!-- x\n\n# no\n-->\n\n"
    found, blocks, _ = read(head + "```asn1\na  *b*\n\n  c\n```\n\n### D {#d .x}\n\n[r]: u\n\n[^1]: Note")
    assert found == ["A", "B", "q1 q2", "a  *b*\n\n  c", "D", "[^1]: Note"]
    assert [block.kind for block in blocks] == ["heading", "heading", "paragraph", "code", "heading", "footnote"]
    assert [block.level for block in blocks if block.kind == "heading"] == [1, 1, 3]


def test_a_wrapped_line_is_joined_and_a_numbered_line_is_not(read) -> None:
    """A line broken at the width reads on; a line that opens with a number after a full stop is a block of its own."""
    wrapped = (
        "The CA SHALL retain the documentation for a period that is stated in section\n5.4.1 of this policy and in no other.\n"
    )
    assert len(read(wrapped)[0]) == 1
    found, _, _ = read("5.2 Testing\nThe test of 5.2.4 applies to pumps.\n5.3 Reports\n(a) One;\n(b) Two.")
    assert found == ["5.2 Testing\nThe test of 5.2.4 applies to pumps.", "5.3 Reports", "(a) One;", "(b) Two."]


def test_struck_and_inserted_text_is_one_wording_at_a_time(read) -> None:
    """The final wording reads 24, the original 72, never both, and the flag is raised."""
    source = "notify within <del>72</del><ins>24</ins> hours"
    for options, seen in (({}, "notify within 24 hours"), ({"tracked": "original"}, "notify within 72 hours")):
        found, _, extracted = read(source, "a.md", **options)
        assert found == [seen]
        assert "tracked_changes" in [flag.code for flag in extracted.flags]
    assert read("within ~~72~~ 24 hours")[0] == ["within  24 hours"]


def test_hidden_text_is_no_text_and_is_flagged(read) -> None:
    """An element that is not displayed, or a script, is in no block."""
    found, _, extracted = read('4 Kept. <span style="display:none">Clause 4 is repealed.</span> <script>x()</script>')
    assert found == ["4 Kept."]
    assert [flag.code for flag in extracted.flags] == ["hidden_text", "hidden_text"]


def test_offsets_lead_to_the_same_character(read) -> None:
    """With a BOM, CRLF and wide characters, each kept character is found in the bytes where the map says."""
    source = "\ufeff# 第一章 *总则*\r\n\r\n第一条 为了[维护](u)秩序，&amp;制定。\r\n\r\n- 甲\r\n- 乙 **丙**\r\n"
    data = source.encode("utf-8")
    extracted = read_source(data, "a.md")
    for offset, char in enumerate(extracted.text):
        if char.isspace() or char in "-&":
            continue
        at = extracted.source_offset(offset, data)
        assert data[at : at + 4].decode("utf-8", "ignore")[0] == char
