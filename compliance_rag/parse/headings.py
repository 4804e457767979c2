"""Where the heading of a clause ends and its text begins."""

from __future__ import annotations

import re

from compliance_rag.parse.blocks import Block
from compliance_rag.parse.labels import Label
from compliance_rag.parse.readers.lines import leads_on
from compliance_rag.parse.unit import Unit

# A heading longer than this is a sentence; the longest real ones (regulations) reach about 200 characters.
MAX_HEADING = 160
MAX_RUN_IN = 90
# The cost as a label (``Unit.prose``) of a number that its sentence only mentions; a line before it is cut in mid-sentence.
CITED = 6.0
# A title has capitals at this share of its longer words; one of few words may have them at the first alone ("Scope of works").
TITLE_CAPITALS = 0.6
MAX_SHORT_TITLE = 3
# A title in small letters of more words than this heads something: nothing under it, it is a sentence that lost its stop.
MAX_PLAIN_TITLE = 6
# A heading that ends in a stop is a sentence when it has more words than this and a verb of rules among them.
MAX_TITLE_WORDS = 8
_SMALL = frozenset({
    "a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "with", "within", "without",
    "under", "upon", "per", "via", "not", "no", "vs", "its", "their", "his", "her", "is", "are", "be",
})  # fmt: skip
# A longer line that opens with one of these is a sentence.
_SUBJECTS = frozenset({"The", "A", "An", "Each", "Every", "Any", "All", "No", "If", "Where", "When", "This", "These", "Such"})
_VERBS = frozenset({
    "shall", "must", "may", "will", "is", "are", "was", "were", "has", "have", "had", "should", "can", "cannot", "does", "do",
    "applies", "apply", "means", "includes",
})  # fmt: skip
_RUN_IN = re.compile(r"(?P<head>[^.:;。；\n]{2,90}?)(?P<mark>\.|:|[—–-]{1,2}(?=\s)|\s—)(?=\s+\S)")
_CAPS_LEAD = re.compile(
    r"(?P<head>(?:[A-Z][A-Z'’&,/-]+ {1,3}(?:(?:of|and|or|the|to|for) )?){0,8}?[A-Z][A-Z'’/-]{3,}) {1,4}"
    r"(?=(?:The|If|In|Each|This|These|Any|All|No|Neither|For|Upon|During|Subject|Except|Either|Notwithstanding|It|Where|Unless|At|As|You"
    r"|We|Our|Your|Both|Nothing|Every|On|Without|Within|Such|Should|By|To|When|Until|A|An|There|Payment|Following) )"
)
# A stop after these ends no heading.
_ABBREVIATED = frozenset(
    {"Mrs", "Inc", "Ltd", "Art", "Sec", "Fig", "Nos", "Dept", "Corp", "Rev", "Vol", "Ref", "Attn", "Messrs"}
)
NOTE_MARK = re.compile(r"(?:\[(?:\d{1,3}|[ivxl]{1,6}|\*)\]\s?)+\Z")
"""Marks of notes at the end of words; they are no part of the sentence."""
_QUOTES = "\"“”'‘’"
_WORD = re.compile(r"[^\W\d_][\w'’&/\-]*")
_ZH_STOP = re.compile(r"[。；：，！？:;]")
_BRACKETED = re.compile(r"[【\[〔]([^】\]〕\n]{1,60})[】\]〕]")
# Some fonts map their semicolon to the Greek question mark, which looks the same and is the same by canonical equivalence.
_GREEK = "\u037e"
_SENTENCE_END = (".", ";", _GREEK, ":", ",", "—", "–", "。", "；", "：", "，", "; and", "; or", "-")


def heading_end(text: str, unit: Unit, block: Block, label: Label | None, after: int, following: Unit | None) -> int:
    """The offset at which the heading that starts at ``after`` ends; ``after`` itself when there is none."""
    if block.heading_span is not None and block.heading_span[0] >= unit.start and block.heading_span[1] <= unit.end:
        return block.heading_span[1]
    rest = NOTE_MARK.sub("", text[after : unit.end]) or text[after : unit.end]
    if unit.heading is not None:
        return after if label is not None and _is_sentence(rest) else unit.end
    if after >= unit.end or label is None:
        return after
    if ord(rest[0]) > 0x2E7F or (rest[0] in _QUOTES and ord(rest[1:2] or " ") > 0x2E7F):
        return _chinese(rest, label, after, unit, following)
    if (
        (label.container or label.kind == "article")
        and len(rest) <= MAX_HEADING
        and not rest.endswith((".", ";", _GREEK, "。", "；"))
    ):
        return unit.end
    if rest.isupper() and rest.endswith(":") and len(rest) <= MAX_HEADING and label.style in ("dec", "1.", "A."):
        return unit.end
    if block.lead_span is not None and (lead := _marked_lead(text, unit, block.lead_span, after)):
        return lead
    if unit.inline or "\n" in rest.strip():
        whole = unit.inline and rest.endswith(".") and _leads(label, following) and _run_in(rest + " The") == len(rest)
        return unit.end if whole else after + (_run_in(rest) or _capitals(rest))
    if (
        len(rest) <= MAX_HEADING
        and not rest.endswith(_SENTENCE_END)
        and rest[0].isupper()
        and _titled(rest, label, unit.bold, following)
    ):
        return after if _runs_on(text, rest, unit, following) else unit.end
    if (
        not label.style.startswith(("(", "a", "i"))
        and rest.endswith((".", ":") if following is not None and following.inline else ".")
        and _leads(label, following)
        and _run_in(rest + " The") == len(rest)
    ):
        return unit.end
    return after + (_run_in(rest) or _capitals(rest))


def _is_sentence(rest: str) -> bool:
    """True for a whole rule or member of a list that is set like a heading: it ends as one, and is a list's member or says what
    is done."""
    if rest.endswith((";", "；", _GREEK, "; and", "; or")):
        return True
    words = _WORD.findall(rest)
    return rest.endswith(".") and len(words) > MAX_TITLE_WORDS and any(word in _VERBS for word in words)


def _runs_on(text: str, rest: str, unit: Unit, following: Unit | None) -> bool:
    """True for the first line of a sentence: the next line, which bears no label, goes on in lower case, and the words are set
    neither bold nor each with a capital as a title is."""
    if following is None or following.labels or following.kind != "text" or unit.bold or not text[following.start].islower():
        return False
    long = [word for word in _WORD.findall(rest) if word.lower() not in _SMALL]
    return len(long) > MAX_SHORT_TITLE and sum(word[0].isupper() for word in long) < TITLE_CAPITALS * len(long)


def _marked_lead(text: str, unit: Unit, lead: tuple[int, int], after: int) -> int:
    """The end of a run-in heading that the source set off itself (`**Term.** The term begins …`), with the stop after it; 0
    when the marked words do not open the clause or are a defined term in a sentence."""
    start, end = lead
    if not (unit.start <= start <= after < end <= unit.end):
        return 0
    words = text[after:end].strip()
    follows = text[end : end + 1]
    ended = words.endswith((".", ":", "。", "：")) or follows in (".", ":", "。", "：", "—", "–")
    if (
        not words
        or len(words) > MAX_HEADING
        or words[0] in _QUOTES
        or not (ended and (words[0].isupper() or ord(words[0]) > 0x2E7F))
    ):
        return 0
    if follows in (".", ":", "。", "：") and not words.endswith((".", ":", "。", "：")):
        end += 1
    return end if text[end : unit.end].strip() else 0


def _capitals(rest: str) -> int:
    """Length of a heading in capitals that runs into its text without a stop (`FORCE MAJEURE The occurrence of …`)."""
    match = _CAPS_LEAD.match(rest)
    return len(match["head"]) if match is not None and len(match["head"]) <= MAX_RUN_IN else 0


def _leads(label: Label, following: Unit | None) -> bool:
    """True when what follows can stand under a heading: text, or the first of a list below it."""
    return following is not None and (not following.labels or any(_first_below(label, inner) for inner in following.labels))


def _first_below(label: Label, inner: Label) -> bool:
    """True when ``inner`` may be the first clause in the one labelled ``label``: `3.1` below 3, never below 2.3."""
    if inner.tokens[-1].value != 1:
        return False
    if inner.absolute and len(inner.tokens) > 1 and not label.container:
        above = label.tokens if label.absolute else label.tokens[-1:]
        return [token.key for token in inner.tokens[:-1]][-len(above) :] == [token.key for token in above]
    return label.container or not (inner.container or inner.style == label.style)


def is_title(line: str, label: Label) -> bool:
    """True when a line after a label that stands alone is the clause's title and not its text."""
    if len(line) > MAX_HEADING or "\n" in line or line.endswith((*_SENTENCE_END, ")")) or label.style.startswith("("):
        return False
    if label.container or label.kind in ("article", "section", "rule"):
        return line[0].isupper() or ord(line[0]) > 0x2E7F
    words = _WORD.findall(line)
    return line.isupper() or (0 < len(words) <= 8 and all(w[0].isupper() or w.lower() in _SMALL for w in words))


def _titled(rest: str, label: Label, bold: bool, following: Unit | None) -> bool:
    words = _WORD.findall(rest)
    if not words or (label.style.startswith("(") and not rest.isupper() and not bold):
        return False
    if bold or rest.isupper():
        return True
    if leads_on(rest):
        return False
    if words[0] in _SUBJECTS and len(words) > MAX_PLAIN_TITLE:
        return False
    long = [word for word in words if word.lower() not in _SMALL]
    capital = sum(word[0].isupper() for word in long)
    if len(words) <= 3 and not rest.endswith("."):
        return True
    if long and capital >= TITLE_CAPITALS * len(long):
        return True
    stands = len(words) <= 15 and label.style in ("dec", "1.") and not any(word.lower() in _VERBS for word in words)
    return stands and (len(words) <= MAX_PLAIN_TITLE or _leads(label, following))


def _run_in(rest: str) -> int:
    """Length of a run-in heading (`Term. The term begins …`), 0 when there is none: few words, each with a capital."""
    match = _RUN_IN.match(rest)
    if match is None or not rest[0].isupper() or len(match["head"]) > MAX_RUN_IN:
        return 0
    words = _WORD.findall(match["head"])
    if not words or len(words) > 9 or any(c in match["head"] for c in '"“”$'):
        return 0
    long = [word for word in words if word.lower() not in _SMALL]
    if not long or any(not word[0].isupper() for word in long):
        return 0
    if len(long) == 1 and (len(long[0]) < 3 or long[0] in _ABBREVIATED):
        return 0
    tail = rest[match.end() :].lstrip()
    if match["mark"] == "." and not (tail[:1].isupper() or tail[:1] in '"“([' or tail[1:2] in ".)"):
        return 0
    return match.end("mark") if match["mark"] in ".:" else match.end("head")


def _chinese(rest: str, label: Label, after: int, unit: Unit, following: Unit | None) -> int:
    bracketed = _BRACKETED.match(rest)
    if bracketed:
        return after + bracketed.end()
    if label.container:
        return unit.end if len(rest) <= MAX_HEADING and not rest.endswith("。") else after
    if len(rest) > 30 or _ZH_STOP.search(rest) or unit.inline or (following is not None and following.prose >= CITED):
        return after
    if label.style in ("第条", "一、") or unit.bold:
        return (
            unit.end
            if following is not None and (following.labels or following.kind in ("text", "item")) and label.style != "(一)"
            else after
        )
    return after
