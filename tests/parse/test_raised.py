"""Figures that a document raises stay apart from those before them: 10⁶ is not 106, a half is not 12."""

from __future__ import annotations

import pytest

from compliance_rag.parse.readers import read_source
from tests.parse.docxs import docx, para, run

_RAISED = "Sum of 10<sup>6</sup> EUR, 2<sup>-3</sup>, on the 1<sup>st</sup>, in 30<sup>1</sup> days."
_HIGH = '<w:vertAlign w:val="superscript"/>'


def _word(xml: str) -> str:
    return read_source(docx(para("1. Sum ", xml=xml) + para("2. End.")), "a.docx").text


@pytest.mark.parametrize("properties", [_HIGH, '<w:position w:val="6"/><w:sz w:val="14"/>'])
def test_raised_figures_of_word(properties: str) -> None:
    """Set as superscript or moved up, figures stay raised; figures below the line and raised letters stay as they are."""
    text = _word(run("10") + run("6", properties) + run(" EUR, the 1") + run("st", _HIGH) + run(" of May"))
    assert "10⁶ EUR, the 1st of May" in text
    assert "H2O" in _word(run("H") + run("2", '<w:vertAlign w:val="subscript"/>') + run("O"))


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.html", f"<p>1. {_RAISED}</p>".replace("<sup>1</sup>", "<sup><a href='#n'>1</a></sup>")),
        ("a.md", f"1. {_RAISED}\n"),
        ("a.xml", f"<law><section><num>1.</num><p>{_RAISED}</p></section></law>"),
    ],
)  # fmt: skip
def test_raised_figures_of_markup(name: str, source: str) -> None:
    """A ``sup`` with figures gives raised figures, one with letters the letters."""
    assert "Sum of 10⁶ EUR, 2⁻³, on the 1st, in 30¹ days." in read_source(source.encode(), name).text


def _term(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (f"<m:sSup><m:e>{_term('10')}</m:e><m:sup>{_term('6')}</m:sup></m:sSup>", "10⁶"),
        (f"<m:sSup><m:e>{_term('x')}</m:e><m:sup>{_term('n+1')}</m:sup></m:sSup>", "x^(n+1)"),
        (f"<m:f><m:num>{_term('1')}</m:num><m:den>{_term('2')}</m:den></m:f>", "1/2"),
        (f"<m:f><m:num>{_term('a+b')}</m:num><m:den>{_term('2')}</m:den></m:f>", "(a+b)/2"),
        (f"<m:r><m:t>2</m:t></m:r><m:d><m:e>{_term('x+1')}</m:e></m:d>", "2(x+1)"),
        (f"<m:rad><m:deg/><m:e>{_term('n')}</m:e></m:rad>", "√(n)"),
    ],
)
def test_formulas_of_word_keep_their_shape(formula: str, text: str) -> None:
    """Powers, fractions, brackets and roots are written on one line with the signs that say what they are."""
    assert f"Sum {text} EUR" in _word(f"<m:oMath>{formula}</m:oMath>" + run(" EUR"))
