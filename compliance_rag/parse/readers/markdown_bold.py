"""Headings set in bold type alone, in a Markdown document that numbers nothing."""

from __future__ import annotations

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.readers.lines import starts_label

# A longer line in bold type is a sentence that is stressed.
MAX_TITLE = 100
# One bold line alone is a stress, not a way of heading.
MIN_HEADINGS = 2
_SENTENCE_END = (".", ";", ":", ",", "!", "?", "。", "；", "：", "，", "！", "？", "、")


def mark_bold_headings(extracted: Extracted) -> None:
    """Make headings of paragraphs that are a title in bold type with text below (`**CONFIDENTIALITY**`), and of bold titles
    with a full stop that open their paragraph (`**Term.** Two years.`). Numbers, where there are any, say more than type."""
    blocks = extracted.blocks
    texts = [extracted.text[slice(*block.span)] for block in blocks]
    if any(_is_numbered(block, text) for block, text in zip(blocks, texts, strict=True)):
        return
    titles = [_is_title(block, text) for block, text in zip(blocks, texts, strict=True)]
    heads = {index for index, title in enumerate(titles) if title and index + 1 < len(blocks) and _is_body(blocks[index + 1])}
    leads = {index for index, block in enumerate(blocks) if _is_lead(extracted.text, block)}
    if len(heads) + len(leads) < MIN_HEADINGS:
        return
    above = 0
    for index, block in enumerate(blocks):
        if block.kind == "heading":
            above = block.level or above
        elif index in heads or index in leads:
            block.kind, block.level = "heading", above + 1
            if index in leads:
                block.heading_span = block.lead_span


def _is_numbered(block: Block, text: str) -> bool:
    return block.label_span is not None or (block.kind in ("paragraph", "heading") and starts_label(text))


def _is_title(block: Block, text: str) -> bool:
    if block.kind != "paragraph" or not block.bold or block.level is not None:
        return False
    return len(text) <= MAX_TITLE and "\n" not in text and not text.endswith(_SENTENCE_END) and text[0].isalpha()


def _is_body(block: Block) -> bool:
    return block.kind in ("item", "table") or (block.kind == "paragraph" and not block.bold)


def _is_lead(text: str, block: Block) -> bool:
    if block.kind != "paragraph" or block.level is not None or block.lead_span is None:
        return False
    start, end = block.lead_span
    words = text[start:end]
    return (
        start == block.span[0]
        and end - start <= MAX_TITLE
        and words.endswith((".", "。"))
        and words[0].isalpha()
        and not words[0].islower()
        and bool(text[end : block.span[1]].strip())
    )
