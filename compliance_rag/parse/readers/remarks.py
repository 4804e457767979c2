"""Words in the markup that no reader of the page sees: comments, labels for screen readers. None is in a clause; those that say
something are reported."""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.clause import Flag

# A sentence is reported; fewer words are a name for a thing of the page ("end of header", "Open menu").
SENTENCE_WORDS = 5
SENTENCE_HAN = 8
# Of each so much is told.
SHOWN = 80
# A comment may be a whole page that was switched off; its beginning says what it is.
READ = 2_000
_HAN = re.compile("[\u3400-\u9fff]")
_TAG = re.compile(r"<[^<>]{0,4000}>")


def said(text: str) -> str | None:
    """The first words of a comment or label that is a sentence, its markup aside; None for a shorter one."""
    words = " ".join(_TAG.sub(" ", text[:READ]).split())
    told = words.count(" ") + 1 >= SENTENCE_WORDS or len(_HAN.findall(words)) >= SENTENCE_HAN
    return words[:SHOWN] if told else None


def comment_flags(comments: Sequence[str]) -> list[Flag]:
    """One flag for the comments that say something."""
    found = [words for words in map(said, comments) if words]
    return [Flag("comments", f"{len(found)} comments are in no clause; the first: {found[0]!r}.")] if found else []
