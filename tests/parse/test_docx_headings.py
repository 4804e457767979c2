"""Headings of Word files that no style names: large type says what they are."""

from __future__ import annotations

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from tests.parse.docxs import docx, para, run

TEXT = para("The parties keep every record of the service for seven years after its end.") * 4
STYLES = (
    '<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="20"/></w:rPr></w:rPrDefault></w:docDefaults>'
    '<w:style w:type="paragraph" w:styleId="Big"><w:name w:val="Big"/><w:rPr><w:sz w:val="44"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Bigger"><w:name w:val="Bigger"/><w:basedOn w:val="Big"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:rPr><w:sz w:val="28"/></w:rPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:rPr><w:sz w:val="24"/></w:rPr></w:style>'
)


def _headings(body: str) -> list[tuple[str, int | None]]:
    extracted = read_source(docx(body, styles=STYLES), "a.docx")
    return [(extracted.text[slice(*block.span)], block.level) for block in extracted.blocks if block.kind == "heading"]


def test_large_type_heads_through_the_inheritance_of_styles() -> None:
    """A size set by a style's base or by the run itself makes a heading; words in the text's size, bold or not, stay text."""
    body = para("Service Agreement", style="Bigger") + TEXT + para(xml=run("Order Form", '<w:sz w:val="28"/>')) + TEXT
    assert _headings(body + para(xml=run("Notes", "<w:b/>")) + TEXT) == [("Service Agreement", 1), ("Order Form", 2)]


def test_headings_by_type_stand_between_those_by_style_by_their_size() -> None:
    """A size of its own is a level of its own; the size of a named level is that level."""
    body = (
        para("Agreement", style="Big") + para("Part", style="H1") + TEXT + para(xml=run("Annex", '<w:sz w:val="28"/>')) + TEXT
    )
    assert _headings(body + para("Scope", style="H2") + TEXT) == [("Agreement", 1), ("Part", 2), ("Annex", 2), ("Scope", 3)]


def test_a_page_of_text_in_large_type_is_text() -> None:
    """A size in which sentences are set more than titles sets no headings, and a sentence never is one."""
    large = '<w:sz w:val="30"/>'
    body = para(xml=run("Choose", large)) + para(xml=run("Delete every choice that does not apply to the work.", large))
    assert _headings(body + TEXT * 3) == []


def test_two_agreements_bound_in_one_file_keep_their_numbers_apart() -> None:
    """1.1 of the addendum stands under the addendum's title and is no duplicate of the agreement's 1.1."""
    part = para("1. Scope") + para("1.1 The service is described in the order form.") + TEXT
    body = para("Service Agreement", style="Big") + part + para("Addendum", style="Big") + part
    clauses = parse_version(docx(body, styles=STYLES), "a.docx").clauses
    assert [("/".join(clause.path), clause.number) for clause in clauses if clause.label == "1.1"] == [
        ("~1/1/1", "1.1"), ("~2/1/1", "1.1"),
    ]  # fmt: skip
