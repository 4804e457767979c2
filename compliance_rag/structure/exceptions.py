"""Exceptions tied to what they modify, both ways round, in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compliance_rag.structure.references import Linked
from compliance_rag.structure.tree import COMMENTARY_TOKENS, Tree, View, is_item
from schemas.clause import Clause, ExceptionLink, Path, Reference

REACH = 120  # characters between the words of exception and the reference they govern
_G = "[\\s\u00a0\u200e]{1,6}"
_OVERRIDES = re.compile(
    rf"\b(?:notwithstanding|despite|in{_G}spite{_G}of|by{_G}way{_G}of{_G}exception{_G}(?:to|from)|"
    rf"by{_G}way{_G}of{_G}derogation{_G}from|as{_G}an?{_G}exception{_G}to|derogates?{_G}from|"
    rf"nothing{_G}in|(?:is|are|be){_G}(?:exempt(?:ed)?|except(?:ed)|excluded){_G}from|exceptions?{_G}to)\b[^.;。\n]{{0,{REACH}}}?$",
    re.IGNORECASE,
)
_YIELDS = re.compile(
    rf"\b(?:except{_G}(?:as|where|to{_G}the{_G}extent|when|in{_G}the{_G}circumstances|under|pursuant|"
    rf"in{_G}accordance|by)|save{_G}(?:as|where)|"
    rf"unless|subject{_G}(?:always{_G})?to|other{_G}than(?:{_G}as)?|with{_G}the{_G}exceptions?{_G}of|"
    rf"(?:except|save){_G}for|except|apart{_G}from|excluding)\b"
    rf"(?P<between>[^.;。\n]{{0,{REACH}}}?)$",
    re.IGNORECASE,
)
_YIELD_WORDS = re.compile(
    r"(?:\s|,|otherwise|expressly|specifically|explicitly|is|are|it|to|the|extent|that|may|be|been|has|"
    r"have|provided|set|out|forth|stated|specified|permitted|required|described|authori[sz]ed|"
    r"contemplated|limited|"
    r"allowed|indicated|agreed|prescribed|mentioned|referred|under|in|by|for|pursuant|with|as|accordance|"
    r"terms?|conditions?|provisions?|requirements?|limitations?|exceptions?|restrictions?|exclusions?|and|"
    r"of|"
    r"this|these|any|where|when|circumstances|applies|apply|always|below|above|case|cases|elsewhere|or|"
    r"both|section|sections|clause|clauses|article|articles|rule|rules)*\Z",
    re.IGNORECASE,
)
_NOT_APPLY = re.compile(
    rf"[^.;。\n]{{0,60}}?\b(?:do(?:es)?|shall|will|is|are){_G}not{_G}(?:apply|be{_G}applicable|applicable|"
    rf"bind|extend|prevent|limit|restrict|excuse|require|cover|relieve)\b",
    re.IGNORECASE,
)
# "in clause 7.1" before "do not apply" says where the thing stands that does not apply, if a thing comes before it.
_THING_IN = re.compile(
    rf"\b(?:limits?|limitations?|requirements?|rules?|dut(?:y|ies)|obligations?|prohibitions?|restrictions?|periods?|times?|"
    rf"deadlines?|conditions?|provisions?|exceptions?|exemptions?|bans?|caps?|ceilings?|rights?|fees?|thresholds?|steps?)"
    rf"{_G}(?:(?:set{_G}out|laid{_G}down|stated|described|imposed|given){_G})?(?:in|under|of|by){_G}$",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|where|when|unless|under|in|by|with|to)\s{1,3}$", re.IGNORECASE)
_SELF_NOT_APPLY = re.compile(
    rf"\bthis{_G}(sub-?section|section|article|rule|clause|paragraph|part|chapter|requirement|"
    rf"prohibition){_G}(?:do(?:es)?|shall){_G}not{_G}apply\b",
    re.IGNORECASE,
)
_OPENS = re.compile(
    rf"\s{{0,6}}(?:[;,]\s?)?(?:[Pp]rovided(?:,?{_G}(?:however|further))?,?{_G}that|unless\b|"
    rf"except{_G}(?:that|where|as|when|for|if)\b|save{_G}that)"
    r"|\s{0,4}(?:但是|但(?!书))"
)
_EXCEPT_HEADING = re.compile(
    r"\W{0,3}(?:exceptions?|exemptions?|exclusions?|carve-?outs?|例外(?:情形|情况)?|除外(?:情形|条款)?|"
    r"豁免(?:情形)?)(?:\s(?:and\s\w+|to\b.{0,60}))?\W{0,3}\Z",
    re.IGNORECASE,
)
_ZH_YIELDS_BEFORE = re.compile(
    r"除(?:依照|按照|根据|符合|适用|有|属于|存在|本(?:法|条例|办法|规定|合同|协议))?(?:有)?(?:法律、行政法规|法律)?(?:和|或者?|以及|及|、)?$"
)
_ZH_YIELDS_AFTER = re.compile(
    r"[^。；\n]{0,40}?(?:另有(?:规定|约定)|(?:规定|约定|所列)?(?:的)?(?:情形|情况|事项|条件|义务)?(?:之)?(?:以外|外|除外)|的除外)"
)
_ZH_NOT_APPLY_BEFORE = re.compile(
    r"(?:不适用|不受|可以?不按照|可以不受|无需遵守|不执行)(?:于)?(?:本(?:法|条例|办法|规定|合同|协议))?$"
)
_ZH_NOT_APPLY_AFTER = re.compile(r"(?:的)?(?:规定|约定|限制)?(?:的)?(?:不适用|不受|不予适用|对[^。；]{1,30}不适用)")
_ZH_DESPITE = re.compile(r"(?:尽管|虽有|不论|无论)(?:有)?(?:本(?:法|条例|办法|规定|合同|协议))?$")


def find_exceptions(tree: Tree, clause: Clause, view: View, linked: Linked) -> Iterator[ExceptionLink]:
    """Exception links this clause's words make, in order of place."""
    text = view.text
    governing: dict[int, str] = {}
    for at, (reference, (start, end)) in enumerate(zip(linked.references, linked.places, strict=True)):
        way = _way(text, start, end)
        if way is None and at and _continues(text, linked.places[at - 1][1], start):
            way = governing.get(at - 1)
        if way is None:
            continue
        governing[at] = way
        yield from _link(clause, reference, way)
    yield from _self(tree, clause, text)
    yield from _by_place(tree, clause, text)


def _way(text: str, start: int, end: int) -> str | None:
    """``overrides``: this clause is the exception; ``yields``: the clause cited is; None: neither."""
    before, after = text[max(0, start - REACH - 40) : start], text[end : end + REACH]
    if _ZH_NOT_APPLY_BEFORE.search(before) or _ZH_NOT_APPLY_AFTER.match(after) or _ZH_DESPITE.search(before):
        return "overrides"
    if _ZH_YIELDS_BEFORE.search(before) and _ZH_YIELDS_AFTER.match(after):
        return "yields"
    override = _OVERRIDES.search(before)
    if override and _near(before[override.start() :]):
        return "overrides"
    if _NOT_APPLY.match(after) and (_THING_IN.search(before) or not _CONDITION.search(before)):
        return "overrides"
    yields = _YIELDS.search(before)
    if yields and _YIELD_WORDS.match(yields["between"]):
        return "yields"
    return None


def _near(lead: str) -> bool:
    """The words between "notwithstanding" and the reference hold no verb of their own that would end its reach."""
    return len(lead) <= REACH and not re.search(
        r"\b(?:shall|must|may|will|is|are|pursuant|under|accordance)\b(?!\s+contained|\s+to\s+the\s+contrary)",
        lead[15:],
        re.IGNORECASE,
    )


def _continues(text: str, previous_end: int, start: int) -> bool:
    return 0 <= start - previous_end <= 12 and bool(
        re.fullmatch(r"\s*(?:,|、|和|或者?|and|or|to|至|及)?\s*(?:and|or)?\s*", text[previous_end:start])
    )


def _link(clause: Clause, reference: Reference, way: str) -> Iterator[ExceptionLink]:
    target = reference.target
    if target is None or reference.target_doc is not None or target == clause.path:
        return
    if clause.path[: len(target)] == target and way == "yields":
        return  # a clause does not yield to the section it stands in
    yield ExceptionLink(clause.path, target) if way == "overrides" else ExceptionLink(target, clause.path)


def _self(tree: Tree, clause: Clause, text: str) -> Iterator[ExceptionLink]:
    """ "This section does not apply …" in an item of it modifies the section."""
    found = _SELF_NOT_APPLY.search(text)
    if not found:
        return
    unit = found[1].lower().replace("-", "")
    outer = tree.enclosing(clause, {unit}) if unit in {"part", "chapter"} else tree.section_of(clause)
    if outer is not None and outer.path != clause.path:
        yield ExceptionLink(clause.path, outer.path)


def _by_place(tree: Tree, clause: Clause, text: str) -> Iterator[ExceptionLink]:
    """A proviso of its own modifies the clause before it; a clause headed "Exceptions" its parent and those before it."""
    parent = None if clause.parent is None else tree.by_path.get(clause.parent)
    if clause.parent is not None and _EXCEPT_HEADING.match(_title(clause, text)):
        if parent is not None and not parent.container:
            yield ExceptionLink(clause.path, parent.path)
            for peer in tree.before(clause)[-REACH:]:
                if (
                    peer.text
                    and not COMMENTARY_TOKENS.intersection(peer.path)
                    and not _EXCEPT_HEADING.match(_title(peer, peer.text))
                ):
                    yield ExceptionLink(clause.path, peer.path)
        return
    opens = _OPENS.match(text)
    if opens and is_item(clause) and not (opens[0].strip()[:1] in "uesUES" and "," in text):  # "unless X, do Y" stands alone
        target = _proviso_target(parent, tree.before(clause)[-1:])
        if target is not None:
            yield ExceptionLink(clause.path, target)


def _title(clause: Clause, text: str) -> str:
    """The heading, or the run-in title of a clause such as "Exceptions. Section 4 does not …"."""
    if clause.heading:
        return clause.heading[:100]
    head = re.match(r"[^.。:：\n]{1,60}[.。:：]", text)
    return head[0] if head else ""


def _proviso_target(parent: Clause | None, before: list[Clause]) -> Path | None:
    if before and (parent is None or parent.container or not parent.text.strip()):
        return before[-1].path
    if parent is not None and not parent.container:
        return parent.path
    return None
