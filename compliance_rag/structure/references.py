"""Cross-references: every citation of a clause's text tied to the clause it names, or reported as unresolved."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from compliance_rag.structure.calendar import find_dates
from compliance_rag.structure.chinese import read_chinese
from compliance_rag.structure.cites import Cite
from compliance_rag.structure.english import read_english
from compliance_rag.structure.phrases import Phrases
from compliance_rag.structure.relative import read_relative
from compliance_rag.structure.resolve import Resolver
from compliance_rag.structure.tree import ANNEX_UNITS, Tree, View
from schemas.clause import Clause, Path, Reference, Span
from schemas.dates import print_day

EDITION_WINDOW = 80  # characters after a citation in which its edition is printed
_AS_IN_FORCE = re.compile(
    r"[\s,(]{0,4}(?:as\s+(?:in\s+force|in\s+effect|it\s+stood|they\s+stood|amended|effective|existing|"
    r"published|applicable)\s+(?:on|at|as\s+of|of|up\s+to)\s+|"
    r"in\s+(?:the|its)\s+version\s+(?:of|in\s+force\s+on)\s+|dated\s+|[（(]\s?(?=\d{4}\s?年))",
    re.IGNORECASE,
)
_EDITION_AFTER = re.compile(
    r"[\s,]{0,3}[（(]?(?:version|edition|ed\.|v\.?|revision|rev\.)\s?(?P<label>\d{1,3}(?:\.\d{1,3}){0,3})\b"
    r"|\s?[（(](?P<zh>\d{4}\s?年[^（）()]{0,20}(?:修正|修订|版|公布|施行)|[12]\d{3}\s(?:edition|version))[）)]",
    re.IGNORECASE,
)
_OF_DOCUMENT = re.compile(
    r"[\s\u00a0]{0,4}(?:,\s?)?(?:of|in|to|under|from)[\s\u00a0]{1,4}(?:the[\s\u00a0]{1,4})?$", re.IGNORECASE
)
_BEFORE_CITE = re.compile(
    r"(?:[》\"”’]|[（(][^（）()]{0,30}[)）]|[\s,，:]|的|as in force on[\s\w,]{4,24}?|at\b){0,4}$", re.IGNORECASE
)
# "5.2.4 of the former edition": a text that is no longer this one.
_FORMER = re.compile(
    r"[\s\u00a0]{1,4}of\s{1,4}(?:the|its|that)\s{1,4}(?:former|previous|earlier|old|repealed|prior|superseded|original)\s{1,4}"
    r"(?:edition|version|text|act|law|rules?|regulations?|agreement|contract|policy|code)\b",
    re.IGNORECASE,
)
_MAY_CITE = re.compile(r"\d|[IVX]|第|[A-Z]\b|\([a-z]\)")
# What an amending document says of the text it changes; a clause of it that says none of this rules for itself.
_INSTRUCTS = re.compile(
    r"\b(?:amend|delet|replac|substitut|insert|omit|repeal|strik|struck|renumber|restat|added\b|adds\b|adding\b|varied\b)"
    r"|修改|删去|删除|增加|替换|改为|变更为",
    re.IGNORECASE,
)
# "the Master Agreement", "the Principal Act": what a document amends or is part of, by what it is to it.
_PRINCIPAL = frozenset(
    {"master", "principal", "main", "original", "existing", "base", "underlying", "parent", "head", "framework"}
)
_DOCUMENTS = frozenset(
    {"agreement", "contract", "act", "law", "policy", "lease", "terms", "deed", "code", "rules", "regulations"}
)
# Cited relative to the clause they stand in.
_ITEM_UNITS = frozenset({"subsection", "subclause", "subparagraph", "item", "point"})
_JOINED = re.compile(r"\s{0,3}(?:,|and|or|,\s?(?:and|or)|和|或者?|、)\s{0,3}")


@dataclass(frozen=True, slots=True)
class Mention:
    """A known document's title or short name in a clause's text."""

    start: int
    end: int
    document: str


@dataclass(frozen=True, slots=True)
class Linked:
    """The references of one clause, with what exceptions need: each cite's place in the clause's text. ``headed``: those its
    heading prints, which govern nothing."""

    references: tuple[Reference, ...]
    places: tuple[Span, ...]
    external: int
    dangling: tuple[Reference, ...]
    headed: tuple[Reference, ...] = ()


class ReferenceFinder:
    """Finds and resolves the references of one version. ``known_titles`` maps lower-cased titles and short names to doc ids;
    ``amends`` is the document that this one amends, whose clauses the bare numbers of its instructions name; ``part_of`` the
    one it belongs to."""

    def __init__(
        self,
        tree: Tree,
        doc_id: str,
        title: str | None,
        known_titles: Mapping[str, str],
        amends: str | None = None,
        part_of: str | None = None,
    ) -> None:
        self._resolver = Resolver(tree)
        self._amends = amends
        self._above = amends or part_of
        titles = " ".join([*(name for name, doc in known_titles.items() if doc == self._above), self._above or ""])
        self._above_words = _PRINCIPAL | _DOCUMENTS | frozenset(re.findall(r"[^\W_]+", titles.lower()))
        self._doc_id = doc_id
        own = {title.lower()} if title else set()
        self._phrases = Phrases(
            {name: doc for name, doc in known_titles.items() if doc != doc_id and name not in own and len(name) > 1}
        )
        self._own_words = frozenset(re.findall(r"[^\W_]+", f"{title or ''} {doc_id}".lower()))

    def find(self, clause: Clause, view: View) -> Linked:
        """The references of the clause's text in order of place, their places in it, which dangle, and those of its heading."""
        own = self._in_text(clause, view)
        if clause.heading_span is None or not _MAY_CITE.search(clause.heading):
            return own
        head = self._in_text(clause, View(replace(clause, text=clause.heading, spans=(clause.heading_span,))))
        external, dangling = own.external + head.external, (*own.dangling, *head.dangling)
        return replace(own, external=external, dangling=dangling, headed=head.references)

    def _in_text(self, clause: Clause, view: View) -> Linked:
        text = view.text
        mentions = self._mentions(text)
        cites = [
            cite
            for cite in (*read_english(text), *read_relative(text), *(read_chinese(text) if view.han else ()))
            if _outside(text, cite, mentions)
        ]
        for cite in cites:
            cite.span = _trimmed(text, cite.span)
            cite.weak = cite.weak or _title_line(text, cite)
        cites.sort(key=lambda cite: cite.span)
        used = {_inside(cite, mentions) or self._attach(text, cite, cites, at, mentions) for at, cite in enumerate(cites)}
        references: list[Reference] = []
        places: list[Span] = []
        dangling: list[Reference] = []
        external = 0
        for at in range(len(cites) - 2, -1, -1):
            self._follow(text, clause, cites[at], cites[at + 1])
        for cite in cites:
            if cite.base in {"none", "own"} and _FORMER.match(text, cite.span[1]):
                cite.base, cite.base_unit = "other", ""
            self._amending(clause, cite, text)
            made = self._references(clause, view, cite)
            external += sum(1 for reference in made if cite.base == "other" and reference.target_doc is None)
            dangling += [reference for reference in made if reference.target is None and cite.base != "other"]
            references += made
            places += [cite.span] * len(made)
        for mention in mentions:
            if mention not in used:
                references.append(self._whole(clause, view, mention))
                places.append((mention.start, mention.end))
        order = sorted(range(len(references)), key=lambda at: (places[at], at))
        return Linked(tuple(references[at] for at in order), tuple(places[at] for at in order), external, tuple(dangling))

    def _follow(self, text: str, clause: Clause, cite: Cite, after: Cite) -> None:
        """ "Section 4 and section 5 of the Act": what names nothing here belongs to the document the next citation names."""
        if cite.base != "none" or cite.weak or after.base != "other" or cite.unit != after.unit:
            return
        joined = _JOINED.fullmatch(text, cite.span[1], after.span[0]) is not None
        if joined and all(target is None for target in self._resolver.targets(cite, clause)):
            cite.base, cite.document, cite.edition = "other", after.document, after.edition

    def _mentions(self, text: str) -> list[Mention]:
        low = text.lower()
        if len(low) != len(text):  # a letter whose lower case is longer would shift every offset
            low = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
        found = [Mention(start, end, doc) for start, end, doc in self._phrases.find(low)]
        return [m for m in found if not text[m.start].islower()]

    def _attach(self, text: str, cite: Cite, cites: list[Cite], at: int, mentions: list[Mention]) -> Mention | None:
        """Give a cite the document named right before or after it, and its edition; the mention used, if any."""
        place = bisect_right(mentions, cite.span[0], key=lambda m: m.start)
        before = mentions[place - 1] if place and 0 <= cite.span[0] - mentions[place - 1].end <= EDITION_WINDOW else None
        after = mentions[place] if place < len(mentions) and 0 <= mentions[place].start - cite.span[1] <= 12 else None
        used = None
        if cite.base == "other" and cite.document:
            cite.edition = _edition(text, cite.span[1]) or cite.edition
            return None
        if cite.base in {"none", "other", "cite"} and before and _BEFORE_CITE.match(text[before.end : cite.span[0]]):
            used = before
            cite.span = (before.start, cite.span[1])
        elif cite.base in {"none", "other", "cite"} and after and _OF_DOCUMENT.match(text[cite.span[1] : after.start]):
            used = after
            cite.span = (cite.span[0], after.end)
        elif cite.base == "other" and at and cites[at - 1].document and cite.span[0] - cites[at - 1].span[1] <= 4:
            cite.document = cites[at - 1].document
        elif cite.base == "other" and cite.base_unit and self._own_name(cite.base_unit):
            cite.base = "own"
        if used:
            cite.base, cite.document = "other", used.document
        cite.edition = _edition(text, cite.span[1]) or (_edition(text, used.end) if used else None)
        return used

    def _own_name(self, name: str) -> bool:
        """ "of the Agreement" in an agreement: this document, unless it amends another."""
        words = name.lower().split()
        return (
            len(words) == 1
            and words[0] in self._own_words
            and not self._own_words & {"amendment", "amending", "supplement", "addendum"}
        )

    def _amending(self, clause: Clause, cite: Cite, text: str) -> None:
        """In an amending document "section 4" in an instruction and "section 4 of the Act" are the amended document's, "section
        4 of this Act" and "paragraph (a)" its own; so is a bare number in a rule of its own, where it has such a clause."""
        if self._above is None or cite.weak:
            return
        root = cite
        while root.base == "cite" and root.outer is not None:
            root = root.outer
        named = root.base == "other" and root.document is None and self._names_above(root.base_unit)
        bare = self._amends is not None and root.base == "none" and not root.bracketed
        bare = bare and (not root.levels or root.levels[0] == "article") and root.unit not in _ITEM_UNITS
        if bare and not _INSTRUCTS.search(text):
            bare = None in self._resolver.targets(cite, clause)
        if named or bare:
            cite.base, cite.document = "other", self._above

    def _names_above(self, name: str) -> bool:
        """ "Agreement" in an amendment, "Master Agreement" in a statement of work."""
        words = name.lower().split()
        single = self._amends is not None and len(words) == 1
        return name[:1].isupper() and (single or (len(words) > 1 and set(words) <= self._above_words))

    def _references(self, clause: Clause, view: View, cite: Cite) -> list[Reference]:
        span = view.span(*cite.span)
        text = view.text[cite.span[0] : cite.span[1]]
        mode: Literal["static", "dynamic"] = "static" if cite.edition else "dynamic"
        if cite.base == "other":
            target: Path | None = _tokens(cite) if cite.document else None
            return [Reference(clause.path, text, span, mode, target, cite.document, cite.edition)]
        targets = self._resolver.targets(cite, clause)
        if targets == [None] and self._resolver.foreign(cite):
            cite.base = "other"
        if cite.unit in {"item", "point"} or (cite.weak and not self._resolver.numbered_so(cite)):
            targets = [path for path in targets if path is not None]
        return [
            Reference(clause.path, text, span, mode, path, None, cite.edition)
            for path in targets
            if path != clause.path or len(targets) == 1
        ]

    def _whole(self, clause: Clause, view: View, mention: Mention) -> Reference:
        """A document cited as a whole: the empty path of that document."""
        edition = _edition(view.text, mention.end)
        end = mention.end
        if edition:
            end = _edition_end(view.text, mention.end)
        mode: Literal["static", "dynamic"] = "static" if edition else "dynamic"
        text = view.text[mention.start : end]
        return Reference(clause.path, text, view.span(mention.start, end), mode, (), mention.document, edition)


def _trimmed(text: str, span: Span) -> Span:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _title_line(text: str, cite: Cite) -> bool:
    """True for an annex named alone on a line ("EXHIBIT A"): its own title where the outline found no such annex."""
    if cite.unit not in ANNEX_UNITS or "\n" not in text:
        return False
    start, end = cite.span
    line_end = text.find("\n", end)
    alone = text[text.rfind("\n", 0, start) + 1 : start] + text[end : len(text) if line_end < 0 else line_end]
    return not alone.strip(" \t*_#.:")


def _inside(cite: Cite, mentions: list[Mention]) -> Mention | None:
    """The mention that stands in a cite's own words ("Rule K, s. 15(f)", "s. 15(f) of Rule K"): the number counts in it."""
    place = bisect_left(mentions, cite.span[1], key=lambda m: m.start)
    found = mentions[place - 1] if place else None
    inside = found is not None and cite.span[0] <= found.start and found.end <= cite.span[1]
    return found if found is not None and inside and found.document == cite.document else None


def _opening(at: int, mentions: list[Mention]) -> Mention | None:
    place = bisect_right(mentions, at, key=lambda m: m.start)
    return mentions[place - 1] if place and at < mentions[place - 1].end else None


def _outside(text: str, cite: Cite, mentions: list[Mention]) -> bool:
    """False for a cite that is part of a title; one that a title opens or ends is given that document and its edition."""
    mention = _opening(cite.span[0], mentions)
    if mention is None:
        _of_title(text, cite, mentions)
        return True
    if cite.base != "cite" or cite.outer is None or cite.span[1] <= mention.end:
        return False
    cite.base, cite.outer, cite.document = "other", None, mention.document
    cite.span = (mention.start, cite.span[1])
    cite.edition = _edition(text, cite.span[1])
    return True


def _of_title(text: str, cite: Cite, mentions: list[Mention]) -> None:
    """ "Section 15(e) of Rule K" where Rule K is a document: what the number was said to count in is the document."""
    inner = cite
    while inner.base == "cite" and inner.outer is not None and inner.outer.base == "cite":
        inner = inner.outer
    root = inner.outer if inner.base == "cite" else None
    if root is None:
        return
    mention = _opening(root.span[0], mentions)
    if mention is not None and mention.start == root.span[0]:
        cite.edition = _edition(text, max(root.span[1], mention.end))
        cite.span = (cite.span[0], max(cite.span[1], mention.end) if cite.span[1] > mention.start else cite.span[1])
        cite.base, cite.document, cite.outer = "other", mention.document, _without(cite.outer, root)


def _without(outer: Cite | None, root: Cite) -> Cite | None:
    """The chain of outer citations without its root, which names a document."""
    if outer is None or outer is root:
        return None
    return replace(outer, outer=_without(outer.outer, root))


def _tokens(cite: Cite) -> Path:
    outer = cite.outer
    own = (f"{cite.unit}-{cite.tokens[0]}", *cite.tokens[1:]) if cite.unit in ANNEX_UNITS and cite.tokens else cite.tokens
    return (*(_tokens(outer) if outer else ()), *own)


def _edition(text: str, end: int) -> str | None:
    """The day or version label of the edition named right after ``end``."""
    window = text[end : end + EDITION_WINDOW]
    lead = _AS_IN_FORCE.match(window)
    if lead:
        found = next((item for item in find_dates(window, "mixed") if item.span[0] == lead.end()), None)
        if found is not None and found.day is not None:
            return print_day(found.day)
    label = _EDITION_AFTER.match(window)
    return None if label is None else (label["label"] or label["zh"])


def _edition_end(text: str, end: int) -> int:
    window = text[end : end + EDITION_WINDOW]
    lead = _AS_IN_FORCE.match(window)
    if lead:
        found = next((item for item in find_dates(window, "mixed") if item.span[0] == lead.end()), None)
        if found is not None:
            return end + found.span[1]
    label = _EDITION_AFTER.match(window)
    return end if label is None else end + label.end()
