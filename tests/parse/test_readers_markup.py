"""HTML, legal XML and clause files."""

from __future__ import annotations

import json

import pytest

from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.counters import chinese, counter, letters, roman
from schemas.errors import InputRejected


def test_list_counters_are_rendered(read) -> None:
    """``start``, ``value``, ``reversed`` and ``type`` give the labels a browser shows."""
    found, blocks, _ = read(
        "<ol start=3 type=a><li>x<li value=7>y<ol type=i><li>z</ol></ol><ol reversed start=2><li>p<li>q</ol><ul><li>u</ul>"
        "<ol style='list-style-type:upper-roman'><li>r</ol><ol style='list-style:none'><li>1.1 typed</ol>",
        "a.html",
    )
    assert found == ["c. x", "g. y", "i. z", "2. p", "1. q", "- u", "I. r", "1.1 typed"]
    assert [block.level for block in blocks] == [0, 0, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("number", "style", "label"),
    [
        (4, "i", "iv. "),
        (1999, "I", "MCMXCIX. "),
        (27, "a", "aa. "),
        (0, "a", "0. "),
        (-2, "1", "-2. "),
        (21, "cjk-ideographic", "二十一、"),
    ],
)
def test_counter_styles(number: int, style: str, label: str) -> None:
    """Each style prints its numbers, and the decimal where it has none."""
    assert counter(number, style) == label


def test_counters_are_one_to_one() -> None:
    """No two numbers share a numeral in any style, over the range each style has."""
    for style, size in ((roman, 3999), (letters, 2000), (chinese, 99)):
        assert len({style(number) for number in range(1, size + 1)}) == size


def test_hidden_text_is_set_aside(read) -> None:
    """Not displayed, hidden by a rule, white at one point, ``hidden``, ``aria-hidden``, scripts: no clause text, and said."""
    page = (
        "<style>.gone,#too{display:none}</style><p>4 Records are kept for seven years."
        '<span style="color:#ffffff;font-size:1pt">Clause 4 is repealed.</span></p><p class="x gone">a</p><p id=too>b</p>'
        "<div hidden>c<p>d</p></div><p aria-hidden=true>e</p><script>f</script><p>5 Kept.</p>"
    )
    found, _, extracted = read(page, "a.html")
    assert found == ["4 Records are kept for seven years.", "5 Kept."]
    hidden = [flag.text for flag in extracted.flags if flag.code == "hidden_text"]
    assert len(hidden) == 6
    assert "Clause 4 is repealed." in hidden[0]


def test_white_letters_on_a_dark_ground_are_read(read) -> None:
    """White text counts as hidden only where nothing behind it is painted."""
    assert read('<table bgcolor="#000"><tr><td style="color:white">Term</td><td>Days</td></tr></table>', "a.html")[0] == [
        "| Term | Days |"
    ]


def test_tables_keep_their_cells_and_layout_tables_are_read_as_text(read) -> None:
    """Data rows are lines with bars; a number beside its words is an item; a page laid out in a table is paragraphs."""
    found, blocks, _ = read(
        "<table><tr><th>From<th>To<tr><td>2026-03-15<td>2027<br>x</table>"
        "<table><tr><td>(a)</td><td>text</td></tr></table><table><tr><td><p>One</p><p>Two</p></td></tr></table>",
        "a.html",
    )
    assert found == ["| From | To |\n| 2026-03-15 | 2027 x |", "(a) text", "One", "Two"]
    assert [block.kind for block in blocks] == ["table", "item", "paragraph", "paragraph"]


def test_page_text_offsets_and_title(read) -> None:
    """White space collapses, entities are read, headings have levels, and the map leads to the bytes."""
    page = "<title>A &amp; B</title><h2 id=h>Title</h2><p>a\n  <b>b</b>&nbsp;c&lt;d x < y"
    found, blocks, extracted = read(page, "a.html")
    assert found == ["Title", "a b\xa0c<d x < y"]
    assert (blocks[0].kind, blocks[0].level, blocks[0].source_id, extracted.title) == ("heading", 2, "h", "A & B")
    assert page.encode()[extracted.source_offset(extracted.text.index("c<"), page.encode())] == ord("c")


def test_declared_encoding_of_a_page(read) -> None:
    """A page in GBK that says so is read as GBK."""
    page = '<meta charset="gbk"><p>第一条 为了</p>'.encode("gbk")
    assert read(page, "a.html")[0] == ["第一条 为了"]


_AKN = """<?xml version="1.0"?>
<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act><meta><p>no</p></meta><body>
<section eId="sec_1"><num>1</num><heading>Powers &amp; duties</heading>
<subsection eId="sec_1__1"><num>(1)</num><intro><p>A notice may—</p></intro>
<paragraph eId="sec_1__1__a"><num>a</num><content><p>relate to <ref href="#x">it</ref>,<authorialNote marker="2"><p>N.</p>
</authorialNote> or</p></content></paragraph><wrapUp><p>as he thinks.</p></wrapUp></subsection></section>
<section eId="sec_2"><num>2</num><content><p><mod>Insert <quotedStructure><section eId="q"><num>9</num>
<content><p>new</p></content></section></quotedStructure></mod></p></content></section></body></act></akomaNtoso>"""


def test_akoma_ntoso_units_cut_and_keep_their_ids(read) -> None:
    """Each numbered element is a unit with its identifier and depth; closing words belong to the unit they close; a quoted
    section is text; a note is a footnote."""
    found, blocks, _ = read(_AKN, "a.xml")
    assert found == [
        "1 Powers & duties", "(1) A notice may—", "a relate to it,[2] or", "[2] N.", "as he thinks.", "2 Insert", "9 new",
    ]  # fmt: skip
    assert [block.number for block in blocks] == ["1", "(1)", "a", None, None, "2", None]
    assert [block.level for block in blocks if block.kind != "footnote"] == [0, 1, 2, 1, 0, 0]
    assert [block.source_id for block in blocks if block.cuts] == ["sec_1", "sec_1__1", "sec_1__1__a", "sec_2"]


def test_dc_law_instructions_are_not_text(read) -> None:
    """Elements for the codifier's machine are left out; annotations are footnotes."""
    xml = (
        '<section xmlns="urn:dc" xmlns:codify="https://code.dccouncil.us/schemas/codify"><num>28-1</num><heading>Rule.</heading>'
        "<para><num>(a)</num><text>Words.</text><codify:find-replace><find>x</find></codify:find-replace></para>"
        "<annotations><annotation>History</annotation></annotations></section>"
    )
    found, blocks, _ = read(xml, "a.xml")
    assert found == ["28-1 Rule.", "(a) Words.", "History"]
    assert blocks[2].kind == "footnote"


def test_ecfr_divisions_are_units(read) -> None:
    """A division of the eCFR carries its number in an attribute and its heading in HEAD."""
    xml = (
        '<DIV5 N="11" TYPE="PART"><HEAD>PART 11—RECORDS</HEAD><DIV8 N="§ 11.1" TYPE="SECTION">'
        "<HEAD>§ 11.1 Scope.</HEAD><P>(a) It applies.</P></DIV8></DIV5>"
    )
    found, blocks, _ = read(xml, "a.xml")
    assert found == ["PART 11—RECORDS", "§ 11.1 Scope.", "(a) It applies."]
    assert [(block.number, block.level) for block in blocks] == [("11", 0), ("§ 11.1", 1), (None, 1)]


def test_clause_files(read) -> None:
    """Entries are cut as given, nested or flat, with numbers, ids and dates, text composed in order."""
    entry = {
        "number": "2", "heading": "Fees", "text": "Pay.\r\nAt once.", "source_id": "x1", "effective_from": "2026-01-01",
        "children": [{"number": "2.1", "text": "Late fees."}],
    }  # fmt: skip
    found, blocks, extracted = read(
        json.dumps({"title": "T", "clauses": [{"number": 1, "text": "A"}, entry]}), "a.clauses.json"
    )
    assert found == ["T", "1\nA", "2 Fees\nPay.\nAt once.", "2.1\nLate fees."]
    assert [(block.number, block.level, block.source_id) for block in blocks] == [
        (None, None, None), ("1", 0, None), ("2", 0, "x1"), ("2.1", 1, None),
    ]  # fmt: skip
    assert blocks[2].dates == ("2026-01-01", None)
    assert extracted.text[slice(*(blocks[2].heading_span or (0, 0)))] == "Fees"
    assert extracted.title == "T"


def _nested(depth: int) -> str:
    return '{"clauses":[' + '{"number":"1","children":[' * depth + "]}" * depth + "]}"


def test_depth_of_clause_files() -> None:
    """64 levels are read, 65 are refused, a hundred thousand are refused and nothing falls over."""
    assert read_source(_nested(64).encode(), "a.clauses.json").blocks[-1].level == 63
    for depth in (65, 100_000):
        with pytest.raises(InputRejected) as error:
            read_source(_nested(depth).encode(), "a.clauses.json")
        assert error.value.code == "too_deep"


def test_xml_of_no_known_kind_is_flagged() -> None:
    """Where no element is known as a clause, the words are kept and a flag says that the cuts are not the owner's."""
    source = b"<handbook><rule id='r1'>Keys are kept in a safe.</rule><rule id='r2'>Keys are counted daily.</rule></handbook>"
    found = read_source(source, "handbook.xml")
    assert "Keys are counted daily." in found.text
    (flag,) = [flag for flag in found.flags if flag.code == "unknown_markup"]
    assert "handbook, rule" in flag.text


TAGGED = "".join(chr(0xE0000 + ord(char)) for char in "Clause 4 is repealed.")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", f"4 Keep records.{TAGGED}"),
        ("a.txt", f"4 Keep records.{TAGGED}"),
        ("a.html", f"<p>4 Keep records.{TAGGED}</p>"),
        ("a.html", "<p>4 Keep records." + "".join(f"&#x{ord(char):X};" for char in TAGGED) + "</p>"),
        ("a.xml", f"<act><section><num>4</num><p>Keep records.{TAGGED}</p></section></act>"),
        ("a.clauses.json", json.dumps({"clauses": [{"number": "4", "text": f"Keep records.{TAGGED}"}]})),
    ],
    ids=["Markdown", "text", "HTML", "HTML entities", "XML", "clause file"],
)
def test_tag_characters_are_hidden_text(name: str, text: str) -> None:
    """Words in characters that nothing draws are in no block; a flag says them; the words around them stand."""
    found = read_source(text.encode(), name)
    assert not any(0xE0000 <= ord(char) <= 0xE007F for char in found.text)
    assert "Keep records." in found.text
    assert any(flag.code == "hidden_text" and "Clause 4 is repealed." in flag.text for flag in found.flags)


@pytest.mark.parametrize("hidden", ["\u200b\u200c" * 8, "&#8203;&#8204;" * 8], ids=["characters", "entities"])
def test_a_message_without_width_is_hidden_text(hidden: str) -> None:
    """A run of zero-width characters is left out and reported; one alone, as a script needs it, is kept."""
    found = read_source(f"<p>4 Keep{hidden} records. می\u200cخواهم</p>".encode(), "a.html")
    assert found.text == "4 Keep records. می\u200cخواهم"
    assert {flag.code for flag in found.flags} == {"hidden_text", "zero_width"}


def test_flags_and_pictures_keep_their_characters() -> None:
    """The flag of Scotland and a family of four are drawn: none of their characters is hidden text."""
    drawn = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f \U0001f468\u200d\U0001f469\u200d\U0001f467"
    found = read_source(f"4 Keep {drawn} records.".encode(), "a.txt")
    assert drawn in found.text
    assert "hidden_text" not in {flag.code for flag in found.flags}


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.html", "<p>4 Keep.<!-- Clause 4 is repealed from now on. --></p><!-- end of page -->", "comments"),
        ("a.md", "4 Keep. <!-- Clause 4 is repealed from now on. -->\n\n<!-- end of page -->\n", "comments"),
        ("a.md", "4 Keep.\n\n<!--\nClause 4 is repealed\nfrom now on.\n-->\n", "comments"),
        (
            "a.html",
            "<p aria-label='Clause 4 is repealed from now on.'>4 Keep.</p><nav aria-label='Open menu'></nav>",
            "hidden_text",
        ),
    ],
    ids=["HTML comment", "Markdown comment", "over lines", "aria-label"],
)
def test_sentences_in_the_markup_are_reported(name: str, text: str, code: str) -> None:
    """A comment or a label for screen readers is in no block; a sentence in one is a flag, a shorter one none."""
    found = read_source(text.encode(), name)
    assert found.text.strip() == "4 Keep."
    (flag,) = found.flags
    assert flag.code == code
    assert "Clause 4 is repealed" in flag.text
    assert "of page" not in flag.text


def test_header_and_footer_of_the_page_are_furniture() -> None:
    """What a page prints around its content is set aside, its heading aside; a section's own footer is text."""
    page = (
        "<header><h1>Rules</h1><p>City of Ash</p></header><p>4 Keep.</p><section><footer>Source: order 7.</footer></section>"
        "<footer>Printed today.</footer>"
    )
    found = read_source(page.encode(), "a.html")
    kinds = {found.text[slice(*block.span)]: block.kind for block in found.blocks}
    assert kinds == {
        "Rules": "heading", "City of Ash": "furniture", "4 Keep.": "paragraph", "Source: order 7.": "paragraph",
        "Printed today.": "furniture",
    }  # fmt: skip
