"""Spoilt binary files: the parent never crashes, nothing hangs, what is read tiles."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from compliance_rag.parse.readers import read_source
from eval.fuzz_readers import COUNT, READERS, fuzz, real_files, spoilt
from tests.parse.docxs import abstract, docx, level, num, para, run, table
from tests.parse.pdfs import line, pdf

# What a run of the default tests tries of each reader.
FEW = 50
_LIST = abstract(0, level(0, "%1."), level(1, "%1.%2"), level(2, "(%3)", "lowerLetter")) + num(1, 0) + num(2, 0)
_NOTE = '<w:footnote w:id="1">' + para("See the Act.") + "</w:footnote>"
_BODY = "The supplier keeps every record for seven years and shows it to the buyer at once when asked for it in writing"


def _word() -> bytes:
    """A Word file with something of everything."""
    changed = f'<w:del w:id="1"><w:r><w:delText>72</w:delText></w:r></w:del><w:ins w:id="2">{run("24")}</w:ins>'
    body = para("Retention", level=0, num=1) + para("Keep logs ", level=1, num=1, xml=changed)
    body += para("at once;", level=2, num=1, xml='<w:r><w:footnoteReference w:id="1"/></w:r>') + para("typed", num=2, level=0)
    body += table([["Fee", "EUR 10"], ["Term", para("one") + para("two", level=0, num=1)]]) + para(
        "Note. Hidden", xml=run("x", "<w:vanish/>")
    )
    return docx(body, numbering=_LIST, footnotes=_NOTE, styles="<w:docDefaults/>", headers={"h1": para("Head")})


_SEEDS: dict[str, Callable[[], bytes]] = {
    ".docx": _word,
    ".pdf": lambda: pdf([line("1. " + _BODY + ".", 72, 700) + line("2. Report.", 72, 650)] * 2),
}


@pytest.mark.parametrize("suffix", sorted(READERS))
def test_spoilt_files_are_read_or_refused(suffix: str) -> None:
    """Fifty files spoilt from one of ours, the seed printed: no crash, no hang, no child that dies, whatever is read tiles."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    report = fuzz(suffix, [_SEEDS[suffix]()], FEW, seed)
    assert not report["failures"], report
    assert not report["died"], report
    assert sum(report["outcomes"].values()) == FEW


def test_a_run_can_be_made_again() -> None:
    """The same seed and number give the same file."""
    seeds = [_word()]
    assert spoilt(".docx", seeds, 7, 5) == spoilt(".docx", seeds, 7, 5) != spoilt(".docx", seeds, 8, 5)
    assert read_source(_word(), "a.docx").text


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("suffix", sorted(READERS))
def test_a_thousand_spoilt_real_files(measuring_data: Path, suffix: str) -> None:
    """A thousand files spoilt from the real ones: no crash of the parent, no hang, no child that dies."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    report = fuzz(suffix, real_files(suffix, measuring_data), COUNT, seed)
    assert not report["failures"], report
    assert not report["died"], report
