"""The words of a Word file: views of tracked changes, notes, boxes, fields, tables, what is set aside."""

from __future__ import annotations

import pytest

from compliance_rag.parse.parse import parse_extracted, parse_version
from compliance_rag.parse.readers import Tracked, read_source
from compliance_rag.parse.readers.wire import pack, unpack
from compliance_rag.parse.tiling import check_tiling
from tests.parse.docxs import abstract, docx, level, num, para, rows, run, start_override, table

_INS = '<w:ins w:id="1" w:author="a" w:date="2025-01-01T00:00:00Z">'
_DEL = '<w:del w:id="2" w:author="a" w:date="2025-01-01T00:00:00Z">'
_LIST = abstract(0, level(0, "%1.")) + num(1, 0)


def deleted(text: str) -> str:
    """A tracked deletion."""
    return f'{_DEL}<w:r><w:delText xml:space="preserve">{text}</w:delText></w:r></w:del>'


def inserted(text: str) -> str:
    """A tracked insertion."""
    return f"{_INS}{run(text)}</w:ins>"


def _text(data: bytes, tracked: Tracked | None = None) -> str:
    return read_source(data, "a.docx", tracked=tracked).text.strip()


def _codes(data: bytes, tracked: Tracked | None = None) -> set[str]:
    return {flag.code for flag in read_source(data, "a.docx", tracked=tracked).flags}


def test_case_11_tracked_changes() -> None:
    """Final 24, original 72, never both, never a gap; flagged in every view."""
    data = docx(para("notify within ", xml=deleted("72") + inserted("24") + run(" hours")))
    assert _text(data) == _text(data, "final") == "notify within 24 hours"
    assert _text(data, "original") == "notify within 72 hours"
    assert "tracked_changes" in _codes(data) & _codes(data, "final") & _codes(data, "original")
    assert "tracked_changes" not in _codes(docx(para("notify within 24 hours")))


def _moved(kind: str, text: str) -> str:
    return f'<w:{kind} w:id="3" w:author="a">{run(text)}</w:{kind}>'


@pytest.mark.parametrize(
    ("body", "final", "original"),
    [
        (para(xml=_moved("moveFrom", "Old. ") + run("x ") + _moved("moveTo", "New.")), "x New.", "Old. x"),
        (para(xml=f'{_INS}{deleted("never")}</w:ins>' + run("kept")), "kept", "kept"),
        (para("one", mark="<w:del/>") + para("two"), "onetwo", "one\n\ntwo"),
        (para("one", mark="<w:ins/>") + para("two"), "one\n\ntwo", "onetwo"),
        (para(xml=deleted("gone"), mark="<w:del/>") + para("left"), "left", "gone\n\nleft"),
        (para(xml=inserted("new"), mark="<w:ins/>") + para("left"), "new\n\nleft", "left"),
        (para("last", mark="<w:del/>") + table([["a", "b"]]), "last\n\n| a | b |", "last\n\n| a | b |"),
        (
            table([["a", "b"], ["c", "d"]]).replace(f"<w:tc>{para('c')}", f"<w:trPr><w:del/></w:trPr><w:tc>{para('c')}"),
            "| a | b |",
            "| a | b |\n| c | d |",
        ),
        (table([["a", "b"]]).replace("<w:tr>", "<w:tr><w:trPr><w:ins/></w:trPr>", 1) + para("x"), "| a | b |\n\nx", "x"),
    ],
)  # fmt: skip
def test_two_views(body: str, final: str, original: str) -> None:
    """Moves, insertions deleted again, paragraph ends and table rows, in both views."""
    assert _text(docx(body), "final") == final
    assert _text(docx(body), "original") == original


def test_numbers_in_two_views() -> None:
    """A deleted paragraph does not count in the final view; a list taken on later is no list in the original one."""
    body = (
        para("one", level=0, num=1) + para(xml=deleted("two"), level=0, num=1, mark="<w:del/>") + para("three", level=0, num=1)
    )
    assert [row[:2] for row in rows(parse_version(docx(body, numbering=_LIST), "a.docx").clauses)] == [("1", "1."), ("2", "2.")]
    original = parse_version(docx(body, numbering=_LIST), "a.docx", tracked="original")
    assert [clause.label for clause in original.clauses] == ["1.", "2.", "3."]
    changed = para("plain", level=0, num=1, more="<w:pPrChange><w:pPr/></w:pPrChange>")
    numbered = para("plain", level=0, num=1).replace("</w:numPr>", '<w:ins w:id="1"/></w:numPr>')
    for body in (changed, numbered):
        data = docx(body, numbering=_LIST)
        assert (_text(data, "final"), _text(data, "original")) == ("1.\tplain", "plain")
        assert "tracked_changes" in _codes(data)


_NOTE = '<w:footnote w:id="2">' + para(xml="<w:r><w:footnoteRef/></w:r>" + run("See the Act.")) + "</w:footnote>"
_REF = '<w:r><w:footnoteReference w:id="2"/></w:r>'


def test_a_footnote_stands_after_its_paragraph_in_its_clause() -> None:
    """The mark in the text and at the note are one; the note belongs to the clause that refers to it."""
    data = docx(
        para("Keep all records for seven years.", level=0, num=1, xml=_REF) + para("Report.", level=0, num=1),
        numbering=_LIST,
        footnotes=_NOTE,
    )
    clauses = parse_version(data, "a.docx").clauses
    assert [clause.text for clause in clauses] == ["Keep all records for seven years.[1]\n[1] See the Act.", "Report."]


def test_endnotes_are_numbered_in_their_own_way() -> None:
    """Endnotes count in Roman numerals unless the settings say otherwise, in the order of their references."""
    note = _NOTE.replace("footnote", "endnote")
    reference = _REF.replace("footnote", "endnote")
    assert _text(docx(para("a", xml=reference), endnotes=note)) == "a[i]\n\n[i] See the Act."
    settings = '<w:endnotePr><w:numFmt w:val="decimal"/></w:endnotePr>'
    assert _text(docx(para("a", xml=reference), endnotes=note, settings=settings)).startswith("a[1]")


def _box(inner: str) -> str:
    return f"<w:txbxContent>{inner}</w:txbxContent>"


def test_a_text_box_is_read_once() -> None:
    """A box in its newer and its older rendering is one box; an older one alone is read too."""
    new = f"<w:drawing><wps:wsp><wps:txbx>{_box(para('Boxed.'))}</wps:txbx></wps:wsp></w:drawing>"
    old = f"<w:pict><v:shape><v:textbox>{_box(para('Boxed.'))}</v:textbox></v:shape></w:pict>"
    fallback = f"<mc:Fallback>{old}</mc:Fallback></mc:AlternateContent>"
    both = f'<mc:AlternateContent><mc:Choice Requires="wps">{new}</mc:Choice>{fallback}'
    for content in (both, old, new, f"<mc:AlternateContent>{fallback}"):
        assert _text(docx(para("Before ", xml=f"<w:r>{content}</w:r>" + run("after.")))) == "Before after.\n\nBoxed."


def test_content_controls_links_and_smart_tags_are_words() -> None:
    """Words in content controls, links and tags at every level are read."""
    inner = f"<w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr><w:sdtContent>{run('ctrl ')}</w:sdtContent></w:sdt>"
    inner += f"<w:hyperlink r:id='r'>{run('link ')}</w:hyperlink><w:smartTag>{run('tag')}</w:smartTag>"
    block = f"<w:sdt><w:sdtContent>{para('block')}</w:sdtContent></w:sdt><w:customXml>{para('custom')}</w:customXml>"
    assert _text(docx(para("a ", xml=inner) + block)) == "a ctrl link tag\n\nblock\n\ncustom"


def _field(code: str, result: str = "", data: str = "") -> str:
    begin = f'<w:r><w:fldChar w:fldCharType="begin">{data}</w:fldChar></w:r><w:r><w:instrText>{code}</w:instrText></w:r>'
    middle = f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(result)}' if result else ""
    return f'{begin}{middle}<w:r><w:fldChar w:fldCharType="end"/></w:r>'


def test_fields_show_their_result() -> None:
    """The result of a field is text, its code is not, however deep one field stands in another."""
    nested = _field("REF a").replace("</w:instrText></w:r>", "</w:instrText></w:r>" + _field("SEQ b", "hidden"))
    body = para(
        "See ",
        xml=_field("REF x \\h", "clause 4") + run(".") + nested + f'<w:fldSimple w:instr="DATE">{run(" 2025")}</w:fldSimple>',
    )
    assert _text(docx(body)) == "See clause 4. 2025"


def test_form_fields_show_their_state() -> None:
    """A tick box and a drop-down list of the older kind store no words and show some."""
    boxes = "".join(f'<w:ffData><w:checkBox><w:checked w:val="{state}"/></w:checkBox></w:ffData>' for state in (0,))
    entries = (
        '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="no"/><w:listEntry w:val="yes"/></w:ddList></w:ffData>'
    )
    body = para(
        xml=_field("FORMCHECKBOX", data=boxes)
        + _field("FORMCHECKBOX", data=boxes.replace('"0"', '"1"'))
        + _field("FORMDROPDOWN", data=entries)
    )
    assert _text(docx(body)) == "☐☒yes"


def test_a_field_that_never_ends_hides_nothing() -> None:
    """A damaged field is read as if it were not there."""
    body = para("One. ", xml='<w:r><w:fldChar w:fldCharType="begin"/></w:r>' + run("Two.")) + para("Three.")
    assert _text(docx(body)) == "One. Two.\n\nThree."


def test_a_number_that_only_word_computes_is_flagged() -> None:
    """A LISTNUM field has no stored result."""
    assert "computed_number" in _codes(docx(para("a ", xml=_field("LISTNUM"))))


_VANISH = "<w:vanish/>"


@pytest.mark.parametrize(
    "properties", [_VANISH, '<w:sz w:val="2"/>', '<w:color w:val="FFFFFF"/>', '<w:rStyle w:val="Hidden"/>']
)  # fmt: skip
def test_hidden_text_is_in_no_clause(properties: str) -> None:
    """Hidden, under one point, white on white, or hidden by a style: in no clause, flagged, counted in the remainder."""
    styles = f'<w:style w:type="character" w:styleId="Hidden"><w:rPr>{_VANISH}</w:rPr></w:style>'
    data = docx(para("4 Records are kept for seven years.", xml=run(" Clause 4 is repealed.", properties)), styles=styles)
    parsed = parse_version(data, "a.docx")
    assert "repealed" not in parsed.extracted
    assert any(flag.code == "hidden_text" and "Clause 4 is repealed" in flag.text for flag in parsed.flags)
    assert parsed.report["balance"]["remainder"] == len("Clause4isrepealed.")  # type: ignore[index]


def test_a_hidden_row_is_in_no_clause() -> None:
    """A row of a table may be hidden as a whole."""
    body = table([["a", "b"], ["c", "d"]]).replace("<w:tr>", "<w:tr><w:trPr><w:hidden/></w:trPr>", 1)
    extracted = read_source(docx(body), "a.docx")
    assert (extracted.text, extracted.remainder) == ("| c | d |", [("hidden_text", "a b")])


def test_white_on_a_dark_ground_is_read() -> None:
    """White words on a shaded cell, paragraph or run are seen."""
    white = '<w:color w:val="FFFFFF"/>'
    dark = '<w:shd w:val="clear" w:fill="1F3864"/>'
    cell = f"<w:tcPr>{dark}</w:tcPr>{para(xml=run('Head', white))}"
    body = table([[cell, "b"]]) + para(xml=run("Run", white + dark)) + para(xml=run("Para", white), more=dark)
    assert _text(docx(body)) == "| Head | b |\n\nRun\n\nPara"
    assert "hidden_text" not in _codes(docx(body))


def test_a_hidden_paragraph_end_joins_a_heading_with_its_text() -> None:
    """The style separator of run-in headings: one paragraph on the page."""
    body = para("Term.", mark="<w:vanish/><w:specVanish/>", level=0, num=1) + para(" It begins today.")
    assert _text(docx(body, numbering=_LIST)) == "1.\tTerm. It begins today."
    hidden = para(xml=run("x", _VANISH), mark=_VANISH, level=0, num=1) + para("One.", level=0, num=1)
    assert _text(docx(hidden, numbering=_LIST)) == "1.\tOne."


def test_comments_are_never_clause_text() -> None:
    """A comment is flagged and counted, not read."""
    comment = f'<w:comment w:id="0" w:author="a">{para("Is this lawful?")}</w:comment>'
    marks = (
        '<w:commentRangeStart w:id="0"/>'
        + run("Text.")
        + '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>'
    )
    data = docx(para(xml=marks), comments=comment)
    assert _text(data) == "Text."
    assert "comments" in _codes(data)
    assert read_source(data, "a.docx").remainder == [("comments", "Is this lawful?")]


def _section(title: bool = False) -> str:
    references = '<w:headerReference w:type="default" r:id="h1"/><w:headerReference w:type="first" r:id="h2"/>'
    references += '<w:headerReference w:type="even" r:id="h3"/><w:footerReference w:type="default" r:id="f1"/>'
    return f"<w:sectPr>{references}{'<w:titlePg/>' if title else ''}</w:sectPr>"


@pytest.mark.parametrize(
    ("title", "even", "heads"),
    [(False, False, ["Head"]), (True, False, ["Head", "First"]), (True, True, ["Head", "First", "Even"])],
)  # fmt: skip
def test_headers_and_footers_are_furniture(title: bool, even: bool, heads: list[str]) -> None:
    """Each header and footer that some page shows stands once, as furniture."""
    parts = {"h1": para("Head"), "h2": para("First"), "h3": para("Even"), "f1": para("Page ", xml=_field("PAGE", "7"))}
    settings = "<w:evenAndOddHeaders/>" if even else "<w:zoom/>"
    parsed = parse_version(docx(para("1. Body text.") + _section(title), headers=parts, settings=settings), "a.docx")
    assert [parsed.extracted[s:e] for s, e in parsed.furniture] == [*heads, "Page 7"]
    assert not check_tiling(parsed)


def test_a_table_of_contents_is_furniture() -> None:
    """A contents field with its entries, and the title above it."""
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> TOC \\o "1-3" </w:instrText></w:r>'
    begin += '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    body = para("Contents") + para(xml=begin + run("1. Fees 2")) + para("2. Term 3")
    body += para(xml='<w:r><w:fldChar w:fldCharType="end"/></w:r>') + para("1. Fees") + para("They are due.")
    parsed = parse_version(docx(body), "a.docx")
    assert [parsed.extracted[s:e] for s, e in parsed.furniture] == ["Contents", "1. Fees 2", "2. Term 3"]
    assert [clause.label for clause in parsed.clauses] == ["1."]


def test_signs_of_the_page() -> None:
    """Tabs, breaks, hyphens, symbols: what is seen; a soft hyphen is not."""
    sym = '<w:sym w:font="Symbol" w:char="F0B3"/><w:sym w:font="Wingdings" w:char="F0FE"/>'
    signs = f"<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:br/>{sym}</w:r>"
    assert _text(docx(para(xml=signs))) == "a\tbc-d\n≥☑"
    odd = '<w:r><w:sym w:font="Webdings" w:char="F061"/></w:r>'
    assert "unknown_symbol" in _codes(docx(para("a", xml=odd)))


def test_white_space_counts_where_the_file_says_so() -> None:
    """``xml:space`` decides, as in Word; formulas and readings above words are kept."""
    loose = "<w:r><w:t> a </w:t></w:r><w:r><w:t xml:space='preserve'> b </w:t></w:r>"
    assert _text(docx(para(xml=loose))) == "a b"
    formula = "<m:oMath><m:r><m:t>x=2</m:t></m:r></m:oMath>"
    ruby = f"<w:r><w:ruby><w:rt>{run('kan')}</w:rt><w:rubyBase>{run('漢')}</w:rubyBase></w:ruby></w:r>"
    assert _text(docx(para(xml=formula + ruby))) == "x=2漢（kan）"


def test_tables_keep_their_cells() -> None:
    """Values stay in rows, empty cells stand, a cell's paragraphs are joined; clauses laid out in a table are clauses."""
    two = para("one") + para("two")
    assert _text(docx(table([["Fee", ""], ["Term", two], ["", "x"]]))) == "| Fee |  |\n| Term | one two |\n|  | x |"
    long = "1.1 The supplier delivers the goods to the place that the buyer names in the order and bears the risk until then."
    parsed = parse_version(docx(table([[long, "第一条"], [long.replace("1.1", "1.2"), "第二条"]])), "a.docx")
    assert [clause.label for clause in parsed.clauses if clause.label.startswith("1.")] == ["1.1", "1.2"]


def test_an_embedded_document_is_flagged() -> None:
    """An imported chunk is not read in silence."""
    assert "unread_part" in _codes(docx(para("a") + '<w:altChunk r:id="x"/>'))


def test_a_figure_is_flagged() -> None:
    """A picture is named by its description."""
    ns = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    properties = (
        '<p:docPr xmlns:p="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" descr="Scale of fees"/>'
    )
    drawing = f"<w:r><w:drawing>{properties}<a:blip {ns}/></w:drawing></w:r>"
    flags = read_source(docx(para("a", xml=drawing)), "a.docx").flags
    assert any(flag.code == "figure" and "Scale of fees" in flag.text for flag in flags)


def test_a_strict_file_reads_the_same() -> None:
    """The strict form of the standard differs in addresses only."""
    usual = docx(para("Keep proof.", level=0, num=1), numbering=_LIST)
    assert _text(usual) == "1.\tKeep proof."
    pairs = (
        (b"http://schemas.openxmlformats.org/wordprocessingml/2006/main", b"http://purl.oclc.org/ooxml/wordprocessingml/main"),
    )
    from io import BytesIO
    from zipfile import ZipFile

    from tests.parse.docxs import packed

    with ZipFile(BytesIO(usual)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    for old, new in pairs:
        files = {name: data.replace(old, new) for name, data in files.items()}
    assert _text(packed(files)) == "1.\tKeep proof."


def _flags(body: str, code: str, tracked: Tracked | None = "final") -> list[str | None]:
    """Numbers of the clauses that bear the code; the flags pass through the record that a reading child hands over."""
    extracted = unpack(pack(read_source(docx(body, numbering=_LIST), "a.docx", tracked=tracked)))
    return [clause.number for clause in parse_extracted(extracted, "0" * 64).clauses if code in clause.flags]


def test_the_clause_that_holds_a_change_bears_the_flag() -> None:
    """A change inside a clause, in its note or in its table marks that clause; a clause that is gone marks the one that has
    its number now; a clause without changes bears none, in both views."""
    body = (
        para("First.", num=1)
        + para("within ", num=1, xml=deleted("72") + inserted("24") + run(" hours."))
        + para("Last.", num=1)
    )
    assert _flags(body, "tracked_changes") == _flags(body, "tracked_changes", "original") == ["2"]
    gone = para("First.", num=1) + para(num=1, xml=deleted("Gone."), mark=f"{_DEL}</w:del>") + para("Now two.", num=1)
    assert _flags(gone + para("Three.", num=1), "tracked_changes") == ["2"]
    cut = f"<w:tbl><w:tr><w:tc>{para('Kept')}</w:tc><w:tc>{para('10')}</w:tc></w:tr><w:tr><w:trPr>{_DEL}</w:del></w:trPr><w:tc>"
    cut += f"{para(xml=deleted('Gone'))}</w:tc></w:tr></w:tbl>"
    assert _flags(para("First.", num=1) + cut + para("Two.", num=1), "tracked_changes") == ["1"]


def test_the_clause_that_holds_hidden_or_struck_words_bears_the_flag() -> None:
    """Hidden words are in no clause and struck ones stay; both mark their clause alone, struck ones also by a style's word and
    by two lines."""
    hidden = para("One.", num=1) + para("Two", num=1, xml=run(" unseen", "<w:vanish/>")) + para("Three.", num=1)
    assert _flags(hidden, "hidden_text") == ["2"]
    for line in ("<w:strike/>", "<w:dstrike/>"):
        struck = para("One.", num=1) + para("Pay in ", num=1, xml=run("30", line) + run(" 20 days.")) + para("Three.", num=1)
        assert _flags(struck, "struck_text") == ["2"]
        assert "Pay in 30 20 days." in _text(docx(struck, numbering=_LIST))
    off = para("One.", num=1) + para("Pay ", num=1, xml=run("now.", '<w:strike w:val="0"/>'))
    assert _flags(off, "struck_text") == []
    assert "struck_text" in _codes(docx(table([["Fee", para(xml=run("30 EUR", "<w:strike/>"))]])))


def _cell(text: str, merge: str = "") -> str:
    return f"<w:tc><w:tcPr>{merge}</w:tcPr>{text if text.startswith('<') else para(text)}</w:tc>"


def _table(*found: str) -> str:
    return "<w:tbl><w:tblPr/>" + "".join(f"<w:tr>{row}</w:tr>" for row in found) + "</w:tbl>"


def test_a_merged_cell_is_said_in_each_of_its_rows() -> None:
    """Merged downwards, also beside a cell over two columns: its words stand in every row and count once in the balance; a
    merged number makes one item, and what is laid out beside a merged cell is not told twice."""
    start, on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    fees = [_cell("Late", start) + _cell("100"), _cell("", on) + _cell("200"), _cell("Never") + _cell("300")]
    parsed = parse_version(docx(para("These fees are due:", num=1) + _table(*fees), numbering=_LIST), "a.docx")
    assert parsed.clauses[0].text == "These fees are due:\n| Late | 100 |\n| Late | 200 |\n| Never | 300 |"
    balance = parsed.report["balance"]
    assert isinstance(balance, dict)
    assert balance["clauses"] - balance["inserted"] == len("Thesefeesaredue:Late100200Never300")
    over = [_cell("A", '<w:gridSpan w:val="2"/>') + _cell("B", start), _cell("1") + _cell("2") + _cell("", on)]
    assert _text(docx(_table(*over))) == "| A | B |\n| 1 | 2 | B |"
    one = [_cell("1.", start) + _cell("Keep it."), _cell("", on) + _cell("Always.")]
    assert _text(docx(_table(*one))).count("1.") == 1


def test_a_nested_table_of_values_stands_in_its_cell() -> None:
    """The row keeps its bars and the nested cells their order; a nested table of clauses is still read clause by clause."""
    inner = _table(_cell("first") + _cell("7"), _cell("later") + _cell("9"))
    assert _text(docx(_table(_cell("Late") + _cell(para("200") + inner + para())))) == "| Late | 200 first / 7 later / 9 |"
    clauses = _table(_cell("Late") + _cell(_table(_cell(para("Keep it.", num=1)) + _cell("x"), _cell(para("Show it.", num=1)))))
    found = [clause.label for clause in parse_version(docx(clauses, numbering=_LIST), "a.docx").clauses]
    assert found[-2:] == ["1.", "2."]


def test_a_row_counted_with_the_clauses_is_a_clause() -> None:
    """An automatic number in a cell that goes on the list around the table is that clause's; a table with a list of its own
    stays a table."""
    own = _LIST + num(2, 0, start_override(0, 1))
    body = para("One.", num=1) + _table(_cell(para("In a cell.", num=1)) + _cell("Right")) + para("Three.", num=1)
    parsed = parse_version(docx(body, numbering=_LIST), "a.docx")
    assert [row[1:] for row in rows(parsed.clauses)] == [
        ("1.", "", "One."), ("2.", "", "| In a cell. | Right |"), ("3.", "", "Three."),
    ]  # fmt: skip
    assert check_tiling(parsed) == []
    apart = abstract(1, level(0, "%1.")) + own + num(3, 1)
    body = para("One.", num=1) + _table(_cell(para("Paper", num=3)) + _cell("5")) + para("Two.", num=1)
    assert [clause.label for clause in parse_version(docx(body, numbering=apart), "a.docx").clauses] == ["1.", "2."]


_CHANGED = '<w:rPrChange w:id="9" w:author="A"><w:rPr>{}</w:rPr></w:rPrChange>'


@pytest.mark.parametrize(
    ("now", "then", "final", "original"),
    [
        ("<w:vanish/>", "", "Pay  later.", "Pay not later."),
        ("", "<w:vanish/>", "Pay not later.", "Pay  later."),
        ('<w:vertAlign w:val="superscript"/>', "", "Pay ⁿᵒᵗ later.", "Pay not later."),
        ("<w:strike/>", "", "Pay not later.", "Pay not later."),
    ],
)
def test_a_tracked_change_of_type_that_hides_or_strikes_counts(now: str, then: str, final: str, original: str) -> None:
    """Where a tracked change of type hides, strikes out or raises words, the two views differ and the version waits for one;
    a change to bold alone is none."""
    body = para("1. Keep.") + para("", xml=run("2. Pay ") + run("not", now + _CHANGED.format(then)) + run(" later."))
    for view, words in (("final", final), ("original", original)):
        version = parse_version(docx(body), "a.docx", tracked=view)  # type: ignore[arg-type]
        assert "tracked_changes" in {flag.code for flag in version.flags}
        said = version.clauses[1].text
        assert said.replace("  ", " ") == words.replace("  ", " ") or "superscript" in now
    bold = para("", xml=run("Pay now.", "<w:b/>" + _CHANGED.format("")))
    assert "tracked_changes" not in {flag.code for flag in parse_version(docx(bold), "a.docx").flags}


def test_a_letter_let_down_into_the_text_is_read_with_it() -> None:
    """A large first letter in a frame of its own is the first letter of the paragraph that follows."""
    for way in ("drop", "margin"):
        frame = para("T", more=f'<w:framePr w:dropCap="{way}" w:lines="3"/>')
        (clause,) = parse_version(docx(frame + para("he buyer shall pay.")), "a.docx").clauses
        assert clause.text == "The buyer shall pay."


def test_a_short_field_that_only_word_counts_is_flagged() -> None:
    """LISTNUM in its short form prints a number that the file does not hold, as in its long form; a stored result is words."""
    field = '<w:fldSimple w:instr=" LISTNUM NumberDefault "/>'
    version = parse_version(docx(para("", xml=field + run(" Keep records."))), "a.docx")
    assert "computed_number" in {flag.code for flag in version.flags}
    stored = '<w:fldSimple w:instr=" SEQ Clause "><w:r><w:t>7</w:t></w:r></w:fldSimple>'
    assert parse_version(docx(para("", xml=stored + run(". Keep records."))), "a.docx").clauses[0].label == "7."
